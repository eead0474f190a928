"""The scene that a drawing shows, measured on what the sandbox recorded and on nothing else.

Labels are matched one to one with the places that a figure offers (ends and crossings of lines, centres, dots); lines
are followed through the labelled points on them; `reading` says what the marks mean. A viewer who sees the
picture would read the same. Group ids that our own scripts set only break ties, and only where the place agrees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
import scipy

from counterfoil.renderers.results import Drawing, Label, Panel, Polyline
from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import read_number
from counterfoil.tasks.geometry.facts.judge import judge
from counterfoil.tasks.geometry.facts.residuals import Circle, Point, measure_distance, measure_gap
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.measuring.axes import AxesError, Plane
from counterfoil.tasks.geometry.measuring.boxes import Box, measure_gap_to_point
from counterfoil.tasks.geometry.measuring.ink import Ink, PageMap
from counterfoil.tasks.geometry.measuring.limits import find_excess
from counterfoil.tasks.geometry.measuring.mark_texts import read_name
from counterfoil.tasks.geometry.measuring.places import list_places
from counterfoil.tasks.geometry.measuring.reading import Seen, open_panel, read_marks
from counterfoil.tasks.geometry.measuring.view import View, count_readings

REACH = 62.0
"""Pixels from a label's box within which the point that it names must lie."""
CLEAR = 5.0
"""Pixels by which the chosen places must be nearer to the labels than any other choice."""
SAME_PLACE = 8.0
"""Pixels within which two places are one to a viewer."""
MOST_READINGS = 400_000
"""Pairs of a mark and what it may stand at that are compared in one figure."""
SPOT = 24
"""Places, each four pixels from the next, that may lie within `SAME_PLACE` of one."""
AIM = 12.0
"""Pixels by which the point that ``annotate`` was given, which no viewer sees, may outweigh distance."""
LOOSE = 24.0
"""Pixels from which a label is away from its point, so that a line nearer to it would be read as its place."""
FAR = 1e6
LEADER = "leader"
"""The group id by which the recorder tells an annotation's own arrow."""
SLENDER = 16.0
"""Pixels that an arrow's outline may lie beside the straight way to its tip."""


class MeasureError(ValueError):
    """The drawing cannot be read as one labelled figure. The message says what is wrong."""


@dataclass(frozen=True)
class Measurement:
    """A measured drawing: the scene, and all that is seen of it."""

    scene: Scene
    seen: Seen

    @property
    def strays(self) -> tuple[str, ...]:
        """The texts that name no point and measure nothing."""
        return self.seen.strays

    @property
    def places(self) -> Mapping[str, Point]:
        """Where in pixels of the page (y up) each labelled point is."""
        return self.seen.view.points


def measure_drawing(drawing: Drawing) -> Measurement:
    """The scene that ``drawing`` shows (points, segments, circles, marks; no ``facts``), and all that is seen of it.

    Coordinates are the drawing's own where its axes are true to scale, in the unit of its written lengths.

    Raises:
        MeasureError: nothing is drawn, a label stands at no point, or two labels are the same.
    """
    if drawing.truncated:
        raise MeasureError("the drawing has too many shapes to be recorded in full")
    excess = find_excess(drawing)
    if excess:
        raise MeasureError(excess)
    panel, led = _take_leaders(_pick_panel(drawing))
    try:
        opened = open_panel(panel)
    except AxesError as error:
        raise MeasureError(f"axes: {error}") from error
    figure, page, ink = opened.figure, opened.page, opened.ink
    labels = [(text, name) for text in figure.labels if (name := read_name(text.text)) is not None]
    pixels = _place_labels(labels, [label in led for label in panel.labels if read_name(label.text)], ink, page)
    view = View.of(ink, pixels)
    if count_readings(view, len(figure.labels) - len(labels)) > MOST_READINGS:
        raise MeasureError("so many lines meet in the labelled points that no mark could be read")
    seen = read_marks(view, opened)
    if opened.plane is not None:
        return Measurement(_build_on_axes(view, seen.list_facts(), opened.plane), seen)
    return Measurement(_build_scene(view, seen.list_facts(), page), seen)


def _pick_panel(drawing: Drawing) -> Panel:
    panels = [panel for panel in drawing.panels if panel.labels or panel.polylines or panel.arcs]
    if not panels:
        raise MeasureError("nothing is drawn")
    if len([panel for panel in panels if panel.labels and (panel.polylines or panel.arcs)]) > 1:
        raise MeasureError("more than one panel shows a figure")
    return max(panels, key=lambda panel: (len(panel.labels), len(panel.polylines) + len(panel.arcs)))


def _to_pixel_box(box: Sequence[float], page: PageMap) -> Box:
    (xa, ya), (xb, yb) = page.to_pixels((box[0], box[1])), page.to_pixels((box[2], box[3]))
    return (min(xa, xb), min(ya, yb), max(xa, xb), max(ya, yb))


def _place_labels(
    labels: Sequence[tuple[Label, str]], led: Sequence[bool], ink: Ink, page: PageMap
) -> dict[str, Point]:
    """Each label's point: the one-to-one choice of places with the least distance in all, by a clear margin."""
    names = [name for _, name in labels]
    for name in names:
        if names.count(name) > 1:
            raise MeasureError(f"two labels {name}")
    if not labels:
        raise MeasureError("no point is labelled")
    boxes = np.array([_to_pixel_box(text.box, page) for text, _ in labels])
    places, burdens = list_places(ink, boxes, REACH)
    if len(places) < len(labels):
        raise MeasureError(f"{len(labels)} labels, but only {len(places)} places that they could name")
    costs = np.array(
        [_rate_places(text, leader, places, burdens, page) for (text, _), leader in zip(labels, led, strict=True)]
    )
    kept = _choose_likely(costs)
    costs, places = costs[:, kept], places[kept]
    rows, columns = scipy.optimize.linear_sum_assignment(costs)
    chosen: dict[str, Point] = {}
    for i, j in zip(rows, columns, strict=True):
        if costs[i, j] >= FAR:
            raise MeasureError(f"label {names[i]} stands at no point of the figure")
        chosen[names[i]] = (float(places[j, 0]), float(places[j, 1]))
    _refuse_ambiguous(names, places, costs, columns)
    for (text, name), leader in zip(labels, led, strict=True):
        if not leader:
            _refuse_unmarked(name, _to_pixel_box(text.box, page), chosen[name], ink)
    return {name: chosen[name] for name in sorted(chosen)}


def _rate_places(text: Label, led: bool, places: np.ndarray, burdens: np.ndarray, page: PageMap) -> np.ndarray:
    """What it costs to take each of the places (n, 2) for the label's: its distance, and its burden."""
    box = _to_pixel_box(text.box, page)
    aimed = np.zeros(len(places), bool)
    if text.points_at is not None:
        aimed = np.hypot(*(places - page.to_pixels(text.points_at)).T) < 6
    if led:
        return np.where(aimed, 0.0, FAR)
    gaps = np.hypot(*np.maximum(np.maximum(np.array(box[:2]) - places, places - np.array(box[2:])), 0.0).T)
    centre = ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)
    costs = gaps + 0.35 * np.hypot(*(places - centre).T) + burdens - np.where(aimed, AIM, 0.0)
    return np.where(gaps <= REACH, costs, FAR)


def _choose_likely(costs: np.ndarray) -> np.ndarray:
    """The places that may matter: for each label as many of the nearest as there are labels, and all that may lie
    together in one spot."""
    count, width = costs.shape
    most = count + SPOT
    if width <= most:
        return np.arange(width)
    nearest = np.argpartition(costs, most, axis=1)[:, :most]
    kept = np.unique(nearest)
    likely = kept[(costs[:, kept] < FAR).any(axis=0)]
    # Every label needs a place of its own to be given, even if it is out of reach.
    return likely if len(likely) >= count else kept


def _take_leaders(panel: Panel) -> tuple[Panel, set[Label]]:
    """The panel without the arrows that lead from a letter to the point that it is aimed at, and those letters. The
    arrow of a number is a straight line."""
    page = PageMap.of(panel)
    led: set[Label] = set()
    kept: list[Polyline] = []
    for shape in panel.polylines:
        owner = next((label for label in panel.labels if shape.gid == LEADER and _leads(shape, label, page)), None)
        if owner is None:
            kept.append(shape)
        elif read_name(owner.text) is not None:
            led.add(owner)
        else:
            kept.append(replace(shape, points=(shape.points[0], shape.points[-1]), closed=False, filled=False))
    return replace(panel, polylines=tuple(kept)), led


def _leads(shape: Polyline, text: Label, page: PageMap) -> bool:
    """Whether a stroke goes straight from a text to the point that the text is aimed at."""
    if text.points_at is None or len(shape.points) < 2:
        return False
    points, target = [page.to_pixels(p) for p in shape.points], page.to_pixels(text.points_at)
    box = _to_pixel_box(text.box, page)
    if max(measure_gap(p, points[0], points[-1]) for p in points) > SLENDER:
        return False
    return any(
        measure_gap_to_point(box, near) < 6 and measure_distance(far, target) < 3
        for near, far in ((points[0], points[-1]), (points[-1], points[0]))
    )


def _refuse_unmarked(name: str, box: Box, place: Point, ink: Ink) -> None:
    """Raise `MeasureError` where a label stands right at a line but far from the point that would be left for it, as at
    the midpoint of a side that nothing marks."""
    gap = measure_gap_to_point(box, place)
    corners = [(box[i], box[j]) for i in (0, 2) for j in (1, 3)]
    near = [measure_gap(corner, line.start, line.end) for line in ink.lines for corner in corners]
    near += [
        abs(measure_distance(corner, each.centre) - each.radius)
        for each in ink.rounds
        if each.sweep >= 350
        for corner in corners
    ]
    if gap > LOOSE and near and gap - min(near) > LOOSE / 2:
        raise MeasureError(f"label {name} stands at a line of the figure, but nothing marks its point there")


def _refuse_ambiguous(names: Sequence[str], places: np.ndarray, costs: np.ndarray, columns: Sequence[int]) -> None:
    """Raise `MeasureError` where another choice of places is about as near, so that a viewer could not tell."""
    best = float(costs[np.arange(len(names)), columns].sum())
    for i, j in enumerate(columns):
        other = costs.copy()
        other[i, np.hypot(*(places - places[j]).T) < SAME_PLACE] = FAR
        rows, others = scipy.optimize.linear_sum_assignment(other)
        if float(other[rows, others].sum()) - best < CLEAR:
            raise MeasureError(f"label {names[i]} could name more than one point; put it nearer to its own")


def _build_scene(view: View, marks: Sequence[Fact], page: PageMap) -> Scene:
    """From pixels back to the drawing's unit, or to the one that its written lengths agree on."""
    scale = 1 / abs(page.per_x)
    shift = (page.x0, page.y0) if page.is_true else (0.0, 0.0)
    segments = tuple((run[0], run[-1]) for run in view.stops if len(run) > 1)
    scene = Scene(*_convert(view.points, segments, view.circles, scale, shift), marks=tuple(marks))
    factor = _find_unit(scene)
    if factor is not None:
        shift = (shift[0] * factor, shift[1] * factor)
        scene = Scene(*_convert(view.points, segments, view.circles, scale * factor, shift), marks=tuple(marks))
    return scene


def _build_on_axes(view: View, marks: Sequence[Fact], plane: Plane) -> Scene:
    """From pixels to the units that the axes write."""
    shift = (-plane.origin[0] / plane.unit, -plane.origin[1] / plane.unit)
    segments = tuple((run[0], run[-1]) for run in view.stops if len(run) > 1)
    points, segments, circles = _convert(view.points, segments, view.circles, 1 / plane.unit, shift)
    runs = [(line.start, line.end, on_it) for line, on_it in zip(view.lines, view.stops, strict=True)]
    lines, parabolas = plane.find_lines(runs), plane.name_curves(points)
    return Scene(points, segments, circles, tuple(marks), (), plane.window, lines, parabolas)


def _convert(
    points: Mapping[str, Point],
    segments: tuple[tuple[str, str], ...],
    circles: Mapping[str, Circle],
    scale: float,
    shift: Point,
) -> tuple[dict[str, Point], tuple[tuple[str, str], ...], dict[str, Circle]]:
    return (
        {name: (p[0] * scale + shift[0], p[1] * scale + shift[1]) for name, p in points.items()},
        segments,
        {name: (c[0] * scale + shift[0], c[1] * scale + shift[1], c[2] * scale) for name, c in circles.items()},
    )


def _find_unit(scene: Scene) -> float | None:
    """By what to multiply so that the written lengths hold; None where they do already or where none is written."""
    written = [(mark, read_number(mark.value)) for mark in scene.marks if mark.predicate == "mark_length"]
    ratios = [
        number / measure_distance(scene.points[mark.arguments[0]], scene.points[mark.arguments[1]])
        for mark, number in written
        if number is not None and number > 0
    ]
    if not ratios:
        return None
    holding = [mark for mark, number in written if number and judge(mark, scene.coordinates) is True]
    return None if 2 * len(holding) >= len(ratios) else median(ratios)
