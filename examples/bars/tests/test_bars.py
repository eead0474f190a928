"""Bars: a run makes them, verify passes them, lies are caught, and the bytes are those of before."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from bars.chart import draw_chart, list_facts, read_caption, write_caption
from bars.domain import DOMAIN
from bars.families.exchange import CAPTION, IMAGE

import counterfoil
from counterfoil.storage.rows import Anchor, Image
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.golden import digest_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts

CONTEXT = Context(DOMAIN.settings_type(source="procedural:1"), 7, MemoRenderer())
(ROW,) = DOMAIN.read(CONTEXT.settings, 7, None)
(ANCHOR,) = make_anchors(DOMAIN, ROW, CONTEXT)
WORDS, PICTURE = make_contrasts([*DOMAIN.families.values()], ANCHOR, CONTEXT)
TURNED = read_caption(ANCHOR.caption)[::-1]
TALLER = tuple((colour, 10 - height) for colour, height in read_caption(ANCHOR.caption))


def show(bars) -> Image:
    return Image(draw_chart(bars), "chart.png")


def test_a_run_makes_them_and_verify_passes_them(tmp_path: Path):
    bars = {"source": "procedural:12", "families": ["caption", "image"]}
    made = counterfoil.run({"dataset": {"path": tmp_path / "data", "workers": 1}, "bars": bars}, quiet=True)
    assert made.accepted == {"bars": 12, CAPTION: 12, IMAGE: 12}
    assert made.rejected == {}
    found = counterfoil.verify(made.dataset, workers=1)
    assert (found.rows, found.failures) == (36, [])


LIES = [
    (replace(WORDS, text=ANCHOR.caption), "two_exchanged"),
    (replace(WORDS, text=write_caption(TALLER)), "two_exchanged"),
    (replace(WORDS, text=write_caption(TURNED)), "two_exchanged"),
    (replace(WORDS, text="Two bars."), "caption_read"),
    (replace(WORDS, edits=WORDS.edits[:1]), "edits_told"),
    (replace(WORDS, image=PICTURE.image), "no_picture"),
    (replace(PICTURE, image=ANCHOR.image), "own_caption_true"),
    (replace(PICTURE, image=ANCHOR.image, text=ANCHOR.caption), "two_exchanged"),
    (replace(PICTURE, image=show(TURNED), text=write_caption(TURNED)), "two_exchanged"),
    (replace(PICTURE, image=Image(b"no picture", "a.png")), "picture_read"),
    (replace(PICTURE, code="plot()"), "nothing_else"),
    (replace(ANCHOR, caption=WORDS.text), "caption_true"),
    (replace(ANCHOR, image=PICTURE.image), "caption_true"),
    (replace(ANCHOR, facts=list_facts(TALLER)), "facts_true"),
    (replace(ANCHOR, source_id="procedural-7-1"), "id_of_content"),
    (replace(ANCHOR, answer="red"), "nothing_else"),
]


@pytest.mark.parametrize(("row", "code"), LIES)
def test_a_lie_is_caught(row, code: str):
    own = isinstance(row, Anchor)
    told = DOMAIN.verify_anchor(row, CONTEXT) if own else DOMAIN.families[row.family].verify(row, ANCHOR, CONTEXT)
    assert told.reasons[0].startswith(f"{code}:")


def test_rows_change_only_with_their_version():
    assert digest_domain(DOMAIN) == json.loads(Path(__file__).with_name("golden.json").read_text())
