"""The drawings of scenes as data: every asset can be painted, a broken one says where, and none changes unseen."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from counterfoil.tasks.caption.scenes.assets import ART, AssetError, read_asset
from counterfoil.tasks.caption.scenes.brush import Brush
from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.gallery import write_gallery
from counterfoil.tasks.caption.scenes.graph import Mood, Thing
from counterfoil.tasks.caption.scenes.palette import shade
from counterfoil.tasks.caption.scenes.thing import draw_thing

DRAWN = "3e3ce1617c804d26b7b38386cd8533435e2d446bd9a45e90af1a0d29eec55a58"
"""Of every noun in every colour, posture and mood."""


def draw(thing: Thing, holding: bool = False) -> str:
    drawing = draw_thing(thing, holding, 0.8, "t0c0", np.random.default_rng(3))
    return drawing.back + drawing.front + drawing.defs


def paint(folder: Path, body: str) -> str:
    (folder / "thing.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg">{body}</svg>')
    brush = Brush(shade("red"), None, 1.0, "t", np.random.default_rng(0), frozenset({"plain", "red"}))
    read_asset("thing", folder).paint(brush)
    return brush.take()


def test_every_noun_has_one_asset_and_every_asset_a_noun() -> None:
    assert {path.stem for path in ART.glob("*.svg")} == {*NOUNS, "parts"}


def test_drawings_are_the_same_bytes_as_ever() -> None:
    digest = hashlib.sha256()
    for noun in NOUNS.values():
        first = Thing(noun.name, noun.colours[0], posture=noun.postures[0] if noun.postures else None)
        ways = [replace(first, colour=colour, pattern="striped") for colour in noun.colours]
        ways += [replace(first, posture=posture, mood=mood) for posture in noun.postures for mood in get_args(Mood)]
        for way in (first, *ways):
            digest.update(draw(way, holding=noun.kind == "person").encode())
    assert digest.hexdigest() == DRAWN


def test_a_part_is_painted_with_the_values_of_its_use(tmp_path: Path) -> None:
    body = '<g id="dot"><circle cx="0" cy="0" r="1" fill="{paint}"/></g>'
    painted = paint(tmp_path, body + '<use href="#dot" x="5" y="-5" size="3" paint="#123456"/>')
    assert painted.count("<path") == 1
    assert 'fill="#123456"' in painted
    assert painted.startswith('<path d="M2 -5')


def test_what_a_thing_does_not_look_like_is_not_painted(tmp_path: Path) -> None:
    shapes = (f'<circle cx="{i}" cy="0" r="1" {test}/>' for i, test in enumerate(('when="red"', 'when="blue plain"')))
    hidden = (f'<circle cx="9" cy="0" r="1" {test}/>' for test in ('when="blue"', 'unless="plain"'))
    assert paint(tmp_path, "".join((*shapes, *hidden))).count("<path") == 2


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<square/>", "thing.svg: <square .*no such shape"),
        ('<circle cx="0" cy="0"/>', "missing a required argument: 'r'"),
        ('<circle cx="0" cy="left" r="1"/>', "'left'"),
        ('<circle cx="0" cy="0" r="1" colour="red"/>', "colour"),
        ('<circle cx="0" cy="0" r="1" when="tired"/>', "nothing looks tired"),
        ('<use href="#nowhere"/>', "thing.svg: there is no part 'nowhere'"),
        ('<use href="#nose"/>', "thing.svg: .*'fill'"),
        ('<g turn="3"/>', "takes no turn"),
        ("<g>", "thing.svg: mismatched tag"),
    ],
)
def test_an_asset_that_cannot_be_painted_says_where(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(AssetError, match=message):
        paint(tmp_path, body)


def test_the_gallery_shows_every_thing_and_needs_no_other_file(tmp_path: Path) -> None:
    write_gallery(tmp_path / "things.html")
    page = (tmp_path / "things.html").read_text()
    assert all(f"<h2>{noun}</h2>" in page for noun in NOUNS)
    assert page.count("<svg") == page.count("</svg>") > 500
    assert "src=" not in page
    assert "href=" not in page
