"""The parts of a figure that nothing joins, such as two similar triangles: moved apart, or nearer to one another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.residuals import Circle, Point
from counterfoil.tasks.geometry.figure.scene import Scene

_FREE = frozenset(
    ("length", "angle", "equal_length", "equal_angle", "parallel", "perpendicular", "congruent", "similar", "radius")
) | {"mark_length", "mark_angle", "mark_ticks", "mark_arcs", "mark_parallel"}
"""Facts that stay true when a part of the figure is moved away from another."""
Box = tuple[float, float, float, float]
_GAP = 0.2
"""Space between parts, as a share of the largest part's longer side: room for the letters and numbers of both."""
_WORTH = 0.95


def part_components(old: Scene, new: Scene, facts: Iterable[Fact]) -> Scene:
    """Move unconnected parts of a figure apart where they have come to overlap (one of two similar triangles grew)."""
    groups = _list_components(new, facts)
    if len(groups) < 2:
        return new
    points, circles = dict(new.points), dict(new.circles)
    gap = 0.12 * old.extent
    placed: list[Box] = []
    for group in sorted(groups, key=lambda group: (_find_box(old, group)[0], sorted(group))):
        box = _find_box(Scene(points, (), circles), group)
        shift = max((other[2] + gap - box[0] for other in placed if _boxes_meet(box, other, gap / 2)), default=0.0)
        if shift > 0:
            _move(group, points, circles, shift, 0.0)
        placed.append(_find_box(Scene(points, (), circles), group))
    return replace(new, points=points, circles=circles)


def gather_components(scene: Scene) -> Scene:
    """Bring unconnected parts nearer where the figure fills its frame better for it: in a row or in a column, in their
    order, middle to middle. Parts whose boxes meet, such as a figure inside another, stay as they are to one another.
    """
    if scene.axes:
        return scene
    boxes = _merge_boxes([(_find_box(scene, group), group) for group in _list_components(scene, scene.claims)])
    if len(boxes) < 2:
        return scene
    arranged = [_arrange(boxes, axis) for axis in (0, 1)]
    sizes = [max(width, height) for _, width, height in arranged]
    best = 0 if sizes[0] <= sizes[1] else 1
    if sizes[best] > _WORTH * scene.extent:
        return scene
    points, circles = dict(scene.points), dict(scene.circles)
    for (_, group), (dx, dy) in zip(boxes, arranged[best][0], strict=True):
        _move(group, points, circles, dx, dy)
    return scene.with_coordinates(points, circles)


def _arrange(boxes: Sequence[tuple[Box, set[str]]], axis: int) -> tuple[list[Point], float, float]:
    """By how much each part moves to stand in a row (axis 0) or a column (1), and the whole's width and height."""
    gap = _GAP * max(max(box[2] - box[0], box[3] - box[1]) for box, _ in boxes)
    order = sorted(range(len(boxes)), key=lambda i: boxes[i][0][axis] + boxes[i][0][axis + 2])
    shifts: list[Point] = [(0.0, 0.0)] * len(boxes)
    reached = 0.0
    for i in order:
        box = boxes[i][0]
        along = reached - box[axis]
        across = -(box[1 - axis] + box[3 - axis]) / 2
        shifts[i] = (along, across) if axis == 0 else (across, along)
        reached += box[axis + 2] - box[axis] + gap
    length = reached - gap
    breadth = max(box[3 - axis] - box[1 - axis] for box, _ in boxes)
    return (shifts, length, breadth) if axis == 0 else (shifts, breadth, length)


def _merge_boxes(boxes: Sequence[tuple[Box, set[str]]]) -> list[tuple[Box, set[str]]]:
    merged: list[tuple[Box, set[str]]] = []
    for box, names in boxes:
        group = set(names)
        meeting = [other for other in merged if _boxes_meet(box, other[0], 0.0)]
        for other in meeting:
            box = (
                min(box[0], other[0][0]),
                min(box[1], other[0][1]),
                max(box[2], other[0][2]),
                max(box[3], other[0][3]),
            )
            group |= other[1]
        merged = [other for other in merged if other not in meeting] + [(box, group)]
    return merged


def _move(group: Iterable[str], points: dict[str, Point], circles: dict[str, Circle], dx: float, dy: float) -> None:
    for name in group:
        if name in points:
            points[name] = (points[name][0] + dx, points[name][1] + dy)
        if name in circles:
            x, y, radius = circles[name]
            circles[name] = (x + dx, y + dy, radius)


def _list_components(scene: Scene, facts: Iterable[Fact]) -> list[set[str]]:
    links = [set(segment) for segment in scene.segments]
    links += [set(fact.arguments) for fact in facts if fact.predicate not in _FREE]
    groups: list[set[str]] = [{name} for name in {*scene.points, *scene.circles}]
    for link in links:
        joined = [group for group in groups if group & link]
        groups = [group for group in groups if not group & link]
        groups.append(set().union(*joined))
    return groups


def _find_box(scene: Scene, names: Iterable[str]) -> Box:
    boxes = []
    for name in names:
        if name in scene.points:
            boxes.append((*scene.points[name], *scene.points[name]))
        if name in scene.circles:
            x, y, radius = scene.circles[name]
            boxes.append((x - radius, y - radius, x + radius, y + radius))
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _boxes_meet(a: Sequence[float], b: Sequence[float], gap: float) -> bool:
    return a[0] < b[2] + gap and b[0] < a[2] + gap and a[1] < b[3] + gap and b[1] < a[3] + gap
