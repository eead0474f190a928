"""From rows to anchors."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from counterfoil.renderers.results import ScriptRenderer
from counterfoil.storage.rows import Anchor, Fact, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.geometry.anchors import AnchorError, check_figure, name_anchor, verify_anchor
from counterfoil.tasks.geometry.domain import DOMAIN
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figures import read_figure
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.geometry.sources.share import Share
from tests.shared import SHARED
from tests.tasks.geometry.samples import ROWS, write_rows


def make(source: str, renderer: ScriptRenderer, limit: int | None = None, **keys: object) -> list[Anchor | Reject]:
    settings = GeometrySettings.model_validate({"source": source, **keys})
    context = Context(settings, 7, renderer)
    made: list[Anchor | Reject] = []
    for row in DOMAIN.read(settings, 7, limit):
        made += [row] if isinstance(row, Reject) else list(DOMAIN.sources[row.source].make_anchors(row, context))
    return made


def count_share(made: Iterable[Anchor | Reject]) -> Share:
    codes = Counter(each.reasons[0].partition(":")[0] for each in made if isinstance(each, Reject))
    anchors = sum(isinstance(each, Anchor) for each in made)
    return Share(anchors + codes.total(), anchors, codes)


def test_our_sample_rows_become_anchors(tmp_path: Path, renderer: ScriptRenderer) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text(write_rows(*ROWS))
    made = make(f"geometry3k:{path}", renderer)
    assert [type(each) for each in made] == [Anchor, Anchor]
    anchor = made[0]
    assert isinstance(anchor, Anchor)
    assert anchor.source == "geometry3k" and anchor.source_id == "right" and anchor.answer == "10"
    assert anchor.image is not None and anchor.image.path == f"{anchor.anchor_id}.png"
    assert anchor.image.bytes.startswith(b"\x89PNG")
    assert str(tmp_path) not in repr(anchor)
    assert Scene.from_facts(anchor.facts).to_facts() == anchor.facts
    assert len(anchor.captions) == 3 and anchor.caption == anchor.captions[0]


def test_the_same_rows_give_the_same_anchors(renderer: ScriptRenderer) -> None:
    first, second = make("procedural:6", renderer), make("procedural:6", renderer)
    assert first == second
    assert make("procedural:6", renderer, limit=3) == first[:3]


def test_most_sampled_rows_become_anchors_that_verify(renderer: ScriptRenderer) -> None:
    made = make("procedural:40", renderer)
    share = count_share(made)
    assert share.rows == 40 and share.anchors >= 38, share
    context = Context(GeometrySettings(source="procedural:40"), 7, renderer)
    for anchor in [each for each in made if isinstance(each, Anchor)][:15]:
        assert verify_anchor(anchor, context).passed, verify_anchor(anchor, context).reasons


@pytest.mark.parametrize(
    ("style", "old", "new"),
    [("plain", 'color="', 'color="#300000" or "'), ("varied", "points = {", "# by another hand\npoints = {")],
)
def test_a_script_that_is_not_written_from_the_facts_is_refused(
    style: str, old: str, new: str, renderer: ScriptRenderer
) -> None:
    context = Context(GeometrySettings.model_validate({"source": "procedural:3", "style": style}), 7, renderer)
    made = [each for each in make("procedural:3", renderer, style=style) if isinstance(each, Anchor)]
    assert made
    for anchor in made:
        assert anchor.code and anchor.image
        assert verify_anchor(anchor, context).passed
        code = anchor.code.replace(old, new)
        png = renderer.render(code).png
        assert png and code != anchor.code
        verdict = verify_anchor(replace(anchor, code=code, image=replace(anchor.image, bytes=png)), context)
        assert [each.partition(":")[0] for each in verdict.reasons] == ["script_written"]


def test_a_caption_that_is_made_up_is_refused_even_under_its_own_id(renderer: ScriptRenderer) -> None:
    context = Context(GeometrySettings(source="procedural:3"), 7, renderer)
    for anchor in make("procedural:3", renderer):
        assert isinstance(anchor, Anchor) and anchor.image
        lies = {
            "captions_written": [
                replace(anchor, captions=(*anchor.captions, anchor.captions[0])),
                replace(anchor, caption=f"{anchor.caption} "),
            ],
        }
        for code, forged in lies.items():
            for each in forged:
                named = replace(each, anchor_id=name_anchor(each, context))
                verdict = verify_anchor(named, context)
                assert [reason.partition(":")[0] for reason in verdict.reasons] == [code]


def test_without_markings_neither_picture_nor_caption_nor_facts_hold_a_number(renderer: ScriptRenderer) -> None:
    with_numbers = make("procedural:12", renderer)
    without = make("procedural:12", renderer, markings=False)
    assert any(isinstance(a, Anchor) and any(f.predicate == "mark_length" for f in a.facts) for a in with_numbers)
    for anchor in without:
        assert isinstance(anchor, Anchor)
        scene = Scene.from_facts(anchor.facts)
        assert scene == scene.drop_numbers()
        # What axes write are no markings.
        assert scene.axes or not any(letter.isdigit() for letter in anchor.caption or "")


def test_a_plain_problem_is_a_reject_that_asks_for_an_llm(tmp_path: Path, renderer: ScriptRenderer) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "1", "question": "q", "answer": "a"}\n')
    (reject,) = make(f"problems:{path}", renderer)
    assert isinstance(reject, Reject) and reject.reasons[0].startswith("needs_llm: ")
    assert (
        reject.family == "geometry.anchor" and reject.source_row is not None and '"question": "q"' in reject.source_row
    )


SQUARE = Scene(
    {"A": (0.0, 0.0), "B": (6.0, 0.0), "C": (6.0, 6.0), "D": (0.0, 6.0)},
    (("A", "B"), ("B", "C"), ("C", "D"), ("A", "D")),
    marks=(Fact("mark_length", ("A", "B"), "6"), Fact("mark_right", ("A", "B", "C"))),
    facts=(Fact("square", ("A", "B", "C", "D")),),
)


@pytest.mark.parametrize(
    ("drawn", "reason"),
    [
        (replace(SQUARE, segments=SQUARE.segments[:3]), "the line AD is not seen"),
        (replace(SQUARE, segments=(*SQUARE.segments, ("A", "C"))), "a line AC is seen"),
        (replace(SQUARE, points={**SQUARE.points, "C": (7.0, 6.0)}), "label C reads as another point"),
        (replace(SQUARE, points={**SQUARE.points, "A": (6.0, 0.0), "B": (0.0, 0.0)}), "label A reads as another point"),
        (replace(SQUARE, marks=SQUARE.marks[1:]), "mark_length(A, B) = 6 is not read"),
        (replace(SQUARE, marks=(Fact("mark_length", ("A", "B"), "8"), SQUARE.marks[1])), "reads as another point"),
        (replace(SQUARE, marks=(Fact("mark_length", ("B", "C"), "6"), SQUARE.marks[1])), "mark_length(A, B) = 6"),
        (replace(SQUARE, marks=SQUARE.marks[:1]), "mark_right(A, B, C) is not read"),
        (replace(SQUARE, circles={"c1": (3.0, 3.0, 2.0)}), "a circle is seen"),
    ],
)
def test_a_drawing_that_is_not_the_scene_is_found_out(drawn: Scene, reason: str, renderer: ScriptRenderer) -> None:

    with pytest.raises(AnchorError) as error:
        check_figure(SQUARE, read_figure(write_script(drawn), renderer))
    assert reason in str(error.value)


def test_share_leaves_out_what_contradicts_itself() -> None:
    line = DOMAIN.describe_yield(1610, 1506, {"stated_facts": 62, "picture": 42})
    expected = "1,506 anchors of 1,610 rows, 97.3% of the 1,548 rows whose stated facts are consistent"
    assert line == f"{expected}; set aside: stated_facts 62, picture 42"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"source": "procedural:5", "negatives": 0}, "greater than or equal to 1"),
        ({"source": "procedural:5", "colour": "red"}, "Extra inputs"),
    ],
)
def test_settings_refuse_what_cannot_be(keys: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        GeometrySettings.model_validate(keys)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("procedural:0", "at least 1"),
        ("geometry:x", "allowed: geometry3k:PATH, problems:PATH, procedural:N"),
        ("geometry3k:", "is no source"),
    ],
)
def test_a_source_that_does_not_exist_is_refused(source: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DOMAIN.find_source(GeometrySettings(source=source))


def test_real_problems_become_anchors(renderer: ScriptRenderer) -> None:
    path = SHARED / "data" / "geometry3k" / "problems.jsonl"
    if not path.exists():
        warnings.warn(f"{path} is not there: real problems are not tested", stacklevel=1)
        pytest.skip(f"no {path}")
    share = count_share(make(f"geometry3k:{path}", renderer, limit=40))
    assert share.rows == 40
    assert share.anchors >= 0.92 * share.consistent, share
