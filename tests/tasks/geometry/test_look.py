"""The blind reader: what a stranger takes the marks of a picture to mean, from shapes and places alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import pytest

from counterfoil.renderers.results import Arc, Drawing, Label, Outcome, Panel, Polyline, ScriptRenderer
from counterfoil.storage.rows import Fact
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.measuring.closed import find_unstated
from counterfoil.tasks.geometry.measuring.look import find_misreading
from counterfoil.tasks.geometry.measuring.measure import measure_drawing
from counterfoil.tasks.geometry.measuring.reading import Mark, look
from counterfoil.tasks.geometry.sources.sampler import sample_scene

Point = tuple[float, float]
SIDE = 512.0
TRIANGLE = {"A": (60.0, 60.0), "B": (460.0, 60.0), "C": (200.0, 400.0)}
FOOT = TRIANGLE | {"D": (200.0, 60.0)}


def line(*points: Point, width: float = 1.5) -> Polyline:
    return Polyline(points, width=width)


def text(words: str, x: float, y: float, gid: str = "") -> Label:
    """A text of 10 pixels a letter about (x, y), in a line 20 pixels high."""
    half = 5 * len(words)
    return Label(words, (x, y), (x - half, y - 10, x + half, y + 10), gid=gid)


def draw(points: dict[str, Point], sides: str, labels: list[Label], *shapes: Polyline | Arc) -> Drawing:
    """A figure whose letters stand a little below and left of their points. ``sides`` are as in ``AB BC``."""
    lines = tuple(line(points[p], points[q]) for p, q in sides.split())
    names = [text(name, x - 14, y - 14) for name, (x, y) in points.items()]
    panel = Panel(
        (0.0, SIDE),
        (0.0, SIDE),
        (0.0, 0.0, SIDE, SIDE),
        (*lines, *(shape for shape in shapes if isinstance(shape, Polyline))),
        tuple(shape for shape in shapes if isinstance(shape, Arc)),
        labels=(*names, *labels),
    )
    return Drawing((panel,), int(SIDE), int(SIDE))


def read(points: dict[str, Point], drawing: Drawing) -> dict[str, str]:
    """What each number is read to measure, by its text; ``?`` where it is unclear."""
    seen = look(drawing, points)
    return {each.text: "?" if each.unclear or not each.names else "".join(each.names[0][1]) for each in seen.reads}


def arc(vertex: Point, start: float, end: float, radius: float = 26.0) -> Arc:
    return Arc(vertex, 2 * radius, 2 * radius, 0.0, start, end, line_width=1.1)


def test_a_length_belongs_to_the_line_beside_which_it_stands() -> None:
    drawing = draw(TRIANGLE, "AB BC CA", [text("8", 260, 46), text("5", 116, 230)])
    assert read(TRIANGLE, drawing) == {"8": "AB", "5": "CA"}


def test_a_length_beside_a_part_is_the_part_s_whatever_its_group_id_says() -> None:
    drawing = draw(FOOT, "AB BC CA CD", [text("8", 300, 46, gid="length A B")])
    assert read(FOOT, drawing) == {"8": "DB"}
    whole = Scene(FOOT, marks=(Fact("mark_length", ("A", "B"), "8"),))
    assert (
        find_misreading(whole, look(drawing, FOOT)) == "'8' reads as mark_length(D, B) = 8, not mark_length(A, B) = 8"
    )


def test_a_length_at_a_point_that_divides_its_line_is_unclear() -> None:
    drawing = draw(FOOT, "AB BC CA CD", [text("8", 206, 46)])
    assert read(FOOT, drawing) == {"8": "?"}


def test_a_length_in_the_middle_of_the_whole_beside_a_part_is_unclear() -> None:
    points = TRIANGLE | {"D": (180.0, 60.0)}
    drawing = draw(points, "AB BC CA CD", [text("8", 260, 46)])
    assert read(points, drawing) == {"8": "?"}
    assert Fact("mark_length", ("A", "B"), "8") in look(drawing, points).list_facts()
    tick = line((260.0, 50.0), (260.0, 70.0))
    ticked = look(draw(points, "AB BC CA CD", [], tick), points)
    assert ticked.false == ["a tick on DB stands in the middle of AB"]


def test_a_number_behind_a_vertex_is_not_in_its_angle() -> None:
    drawing = draw(TRIANGLE, "AB BC CA", [text("68°", 20, 30)])
    assert read(TRIANGLE, drawing) == {"68°": "?"}


def test_an_arc_that_ends_at_two_lines_is_unclear() -> None:
    points = TRIANGLE | {"D": (240.0, 400.0)}
    seen = look(draw(points, "AB BC CA AD", [], arc(TRIANGLE["A"], 0, 64.5)), points)
    assert seen.false == ["the mark of ∠BAD ends at two lines"]
    assert look(draw(TRIANGLE, "AB BC CA", [], arc(TRIANGLE["A"], 0, 67.6)), TRIANGLE).false == []


@pytest.mark.parametrize("words", ["AD = 8", "∠ABD = 20°", "∠ACD = 68°", "AA = 3"])
def test_a_statement_about_what_is_not_drawn_is_in_doubt(words: str) -> None:
    points = {"A": (60.0, 60.0), "B": (460.0, 60.0), "C": (300.0, 60.0), "D": (200.0, 400.0)}
    seen = look(draw(points, "AB CD", [text(words, 350, 300)]), points)
    stated = words == "∠ACD = 68°"
    assert (seen.find_doubt() is None) == stated
    assert (seen.strays == ()) == stated


def test_a_number_by_a_line_without_letters_is_of_the_line_beside_it_with_a_doubt() -> None:
    rail = line((60.0, 30.0), (460.0, 30.0))
    seen = look(draw(TRIANGLE, "AB BC CA", [text("8", 260, 18)], rail), TRIANGLE)
    assert Fact("mark_length", ("A", "B"), "8") in seen.list_facts()
    assert seen.find_doubt() == "'8' stands at a line without letters"


def list_labels(mark: Mark) -> str:
    """The labels of what a mark stands at, sorted."""
    return "".join(sorted(mark.facts[0].arguments)) if mark.facts else ""


def test_every_mark_is_listed_where_it_stands_those_at_nothing_too() -> None:
    square = line((60.0, 60.0), (76.0, 60.0), (76.0, 76.0), (60.0, 76.0), (60.0, 60.0))
    right = TRIANGLE | {"C": (60.0, 400.0)}
    shapes = [square, line((254.0, 50.0), (254.0, 70.0)), arc(right["B"], 139.6, 180)]
    lost = [arc((300.0, 300.0), 10, 50), line((400.0, 400.0), (420.0, 480.0))]
    words = [text("8", 200, 46), text("40°", 412, 76), text("high", 350, 350)]
    circle = Arc((430.0, 430.0), 60.0, 60.0, line_width=1.5)
    seen = look(draw(right, "AB BC CA", words, *shapes, *lost, circle), right)
    listed = [(mark.kind, mark.text, list_labels(mark)) for mark in seen.list_marks()]
    assert sorted(listed) == [
        ("arc", "", "ABC"),
        ("circle", "", "c1"),
        ("circle", "", "c2"),
        ("letter", "A", "A"),
        ("letter", "B", "B"),
        ("letter", "C", "C"),
        ("line", "", ""),
        ("line", "", "AB"),
        ("line", "", "AC"),
        ("line", "", "BC"),
        ("number", "40°", "ABC"),
        ("number", "8", "AB"),
        ("square", "", "ABC"),
        ("text", "high", ""),
        ("tick", "", "AB"),
    ]
    at = {mark.kind: mark.place for mark in seen.list_marks()}
    assert at["tick"] == pytest.approx((254, 60), abs=1)
    assert at["square"] == pytest.approx((76, 76), abs=2)
    assert at["text"] == pytest.approx((350, 350), abs=2)


def test_a_length_between_two_lines_is_unclear_unless_the_other_has_a_nearer_one() -> None:
    points = {"A": (60.0, 60.0), "B": (460.0, 60.0), "C": (60.0, 100.0), "D": (460.0, 100.0)}
    between = text("8", 250, 76)
    assert read(points, draw(points, "AB CD", [between])) == {"8": "?"}
    assert read(points, draw(points, "AB CD", [between, text("5", 250, 110)])) == {"8": "AB", "5": "CD"}


def dimension(start: Point, end: Point, gap: tuple[float, float]) -> list[Polyline]:
    """A horizontal dimension line in two thin pieces with bars at its ends."""
    (x0, y), (x1, _) = start, end
    bars = [line((x, y - 5), (x, y + 5), width=0.85) for x in (x0, x1)]
    return [line(start, (gap[0], y), width=0.85), line((gap[1], y), end, width=0.85), *bars]


def test_a_dimension_line_says_that_a_length_is_of_the_whole() -> None:
    rail = dimension((60.0, 30.0), (460.0, 30.0), (250.0, 270.0))
    drawing = draw(FOOT, "AB BC CA CD", [text("8", 260, 30)], *rail)
    assert read(FOOT, drawing) == {"8": "AB"}
    assert Fact("mark_length", ("A", "B"), "8") in measure_drawing(drawing).scene.marks


def test_a_dimension_line_that_is_as_thick_as_the_figure_is_no_aid() -> None:
    rail = [replace(shape, width=1.5) for shape in dimension((60.0, 30.0), (460.0, 30.0), (250.0, 270.0))]
    assert read(FOOT, draw(FOOT, "AB BC CA CD", [text("8", 260, 30)], *rail))["8"] != "AB"


def test_a_leader_says_what_its_number_measures() -> None:
    tip = (130.0, 230.0)
    leader = [line((60.0, 300.0), tip, width=0.85), line((123.0, 232.0), tip, (128.0, 237.0), width=0.85)]
    drawing = draw(TRIANGLE, "AB BC CA", [text("5", 52, 304)], *leader)
    assert read(TRIANGLE, drawing) == {"5": "CA"}
    assert Fact("mark_length", ("C", "A"), "5") in measure_drawing(drawing).scene.marks
    assert read(TRIANGLE, draw(TRIANGLE, "AB BC CA", [text("5", 52, 304)])) == {"5": "?"}


def test_an_angle_s_number_belongs_to_the_arc_with_nothing_between() -> None:
    at_a = arc(TRIANGLE["A"], 0, 67.6)
    assert read(TRIANGLE, draw(TRIANGLE, "AB BC CA", [text("68°", 106, 90)], at_a)) == {"68°": "BAC"}
    points = TRIANGLE | {"E": (300.0, 60.0), "F": (100.0, 158.0)}
    behind = draw(points, "AB BC CA EF", [text("68°", 190, 140)], at_a)
    assert read(points, behind)["68°"] != "BAC"


def test_of_two_arcs_at_one_vertex_the_number_belongs_to_the_nearer() -> None:
    points = TRIANGLE | {"D": (300.0, 269.0)}
    part, whole = arc(points["A"], 0, 41.1, 26.0), arc(points["A"], 0, 67.6, 86.0)
    assert read(points, draw(points, "AB BC CA AD", [text("41°", 106, 76)], part, whole)) == {"41°": "BAD"}
    beyond = draw(points, "AB BC CA AD", [text("68°", 170, 84)], part, whole)
    assert read(points, beyond) == {"68°": "BAC"}


def test_a_number_at_a_rim_is_of_the_arc_to_the_next_points() -> None:
    points = {"O": (256.0, 256.0), "A": (456.0, 256.0), "B": (256.0, 456.0), "C": (56.0, 256.0)}
    circle = Arc(points["O"], 400.0, 400.0, line_width=1.5)
    drawing = draw(points, "OA OB", [text("90°", 420, 420), text("180°", 256, 40)], circle)
    assert read(points, drawing) == {"90°": "ABO", "180°": "CAO"}


def test_an_angle_of_another_size_than_its_number_is_false() -> None:
    drawing = draw(TRIANGLE, "AB BC CA", [text("340°", 112, 90)], arc(TRIANGLE["A"], 0, 67.6))
    stated = Scene(TRIANGLE, marks=(Fact("mark_angle", ("B", "A", "C"), "340"),))
    assert find_misreading(stated, look(drawing, TRIANGLE)) == "'340°' is written at ∠BAC, which is drawn with 68°"


def test_equal_marks_mean_equal() -> None:
    ticks = [line((254.0, 50.0), (254.0, 70.0)), line((122.0, 233.0), (138.0, 227.0))]
    unequal = look(draw(TRIANGLE, "AB BC CA", [], *ticks), TRIANGLE)
    assert unequal.ticks == {frozenset("AB"): 1, frozenset("AC"): 1}
    assert unequal.false == []
    far = TRIANGLE | {"C": (100.0, 200.0)}
    ticks = [line((254.0, 50.0), (254.0, 70.0)), line((72.0, 134.0), (88.0, 126.0))]
    assert look(draw(far, "AB BC CA", [], *ticks), far).false == ["AB and AC bear the same ticks, but are not equal"]


def test_a_tick_where_a_point_divides_the_line_is_on_neither_part() -> None:
    tick = line((200.0, 50.0), (200.0, 70.0))
    points = {name: place for name, place in FOOT.items() if name != "C"}
    assert look(draw(points, "AB", [], tick), points).false == ["a tick stands at the point D, so on no one line"]


def test_one_arc_without_a_number_beside_others_with_numbers_says_that_they_are_equal() -> None:
    arcs = [arc(TRIANGLE["A"], 0, 67.6), arc(TRIANGLE["B"], 127.4, 180)]
    one = look(draw(TRIANGLE, "AB BC CA", [text("68°", 106, 90)], *arcs), TRIANGLE)
    assert one.false == ["∠BAC and ∠CBA bear the same arcs, but are not equal"]
    both = look(draw(TRIANGLE, "AB BC CA", [text("68°", 106, 90), text("53°", 412, 84)], *arcs), TRIANGLE)
    assert both.false == []


def test_a_letter_nearer_to_another_point_is_read_as_its() -> None:
    points = TRIANGLE | {"D": (96.0, 60.0)}
    drawing = draw(TRIANGLE, "AB BC CA", [text("D", 70, 46)])
    assert "the letter D stands at the point A" in look(drawing, points).false


def test_a_statement_says_by_itself_what_it_measures() -> None:
    drawing = draw(FOOT, "AB BC CA CD", [text("AB = 8", 350, 300), text("∠BAC = 68°", 350, 340)])
    assert read(FOOT, drawing) == {"AB = 8": "AB", "∠BAC = 68°": "BAC"}


@pytest.fixture(scope="module")
def sampled(renderer: ScriptRenderer) -> list[tuple[Scene, Drawing]]:
    drawn = []
    for i in range(40):
        scene = sample_scene(generator(41, "look", i), 3)
        rendering = renderer.render(write_script(scene))
        assert rendering.outcome is Outcome.OK and rendering.drawing is not None
        drawn.append((scene, rendering.drawing))
    return drawn


def test_sampled_figures_are_read_as_they_are_stated(sampled: list[tuple[Scene, Drawing]]) -> None:
    misread = [
        problem
        for scene, drawing in sampled
        if (problem := find_misreading(scene, measure_drawing(drawing).seen)) is not None
    ]
    assert len(misread) <= 1, misread


def test_group_ids_are_not_seen(sampled: list[tuple[Scene, Drawing]]) -> None:
    for _, drawing in sampled[:12]:
        places = measure_drawing(drawing).places
        (panel,) = drawing.panels
        labels = tuple(replace(label, gid="length A B") for label in panel.labels)
        polylines = tuple(replace(shape, gid="segment") for shape in panel.polylines)
        other = replace(drawing, panels=(replace(panel, labels=labels, polylines=polylines),))
        assert look(other, places) == look(drawing, places)


def test_numbers_that_change_places_are_noticed(sampled: list[tuple[Scene, Drawing]]) -> None:
    """Every pair of lengths, and of angles, exchanged: a stranger reads another fact."""
    noticed = total = 0
    for scene, drawing in sampled:
        (panel,) = drawing.panels
        places = measure_drawing(drawing).places
        for first, second in _list_exchanges(panel):
            labels = list(panel.labels)
            one, other = labels[first], labels[second]
            labels[first], labels[second] = replace(one, text=other.text), replace(other, text=one.text)
            changed = replace(drawing, panels=(replace(panel, labels=tuple(labels)),))
            total += 1
            noticed += find_misreading(scene, look(changed, places)) is not None
    assert total >= 20
    assert noticed == total


def _list_exchanges(panel: Panel) -> Iterator[tuple[int, int]]:
    # A text that says of itself what it measures may stand anywhere.
    kinds = ["" if " = " in label.text else label.gid.partition(" ")[0] for label in panel.labels]
    for i, kind in enumerate(kinds):
        for j in range(i + 1, len(kinds)):
            if kind == kinds[j] and kind in ("length", "angle") and panel.labels[i].text != panel.labels[j].text:
                yield i, j


def test_arrowheads_are_stated_of_the_lines_that_bear_them() -> None:
    seen = SimpleNamespace(wedges=(), arrows={frozenset("AB"): 1, frozenset("CED"): 1})
    of_ab, of_cd = (Fact("mark_parallel", tuple(name), "1") for name in ("AB", "CD"))
    number = Fact("mark_length", ("A", "B"), "8")
    scene = Scene(dict.fromkeys("ABCDE", (0.0, 0.0)), marks=(number, of_ab, of_cd))
    assert find_unstated(scene, seen) is None
    told = find_unstated(replace(scene, marks=(number, of_ab)), seen) or ""
    assert told.startswith("arrowheads are read on ") and told.endswith(", which are not stated")
    assert find_unstated(replace(scene, marks=(of_ab, of_ab)), seen) == "a mark is stated twice"
