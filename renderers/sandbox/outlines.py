"""Paths as points: curves cut into short pieces, lines split where they break, items of a collection put in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.path import Path as Outline


def place_item(path: Any, scales: Any, transform: Any, moved: np.ndarray, index: int) -> Any:
    """One item of a collection in pixels: its path, scaled, transformed and moved to its offset."""
    points = path.vertices
    if len(scales):
        matrix = np.asarray(scales[index % len(scales)], float)
        points = points @ matrix[:2, :2].T + matrix[:2, 2]
    points = transform.transform(points)
    if len(moved):
        points = points + moved[index % len(moved)]
    return Outline(points, path.codes)


class _Identity:
    """The transform of what is in pixels already."""

    @staticmethod
    def transform_path(path: Any) -> Any:
        return path


IDENTITY = _Identity()


def flatten(path: Any, to_pixels: Any) -> Iterable[tuple[np.ndarray, bool]]:
    """The parts of a path as (points, closed), curves cut into short pieces.

    With ``to_pixels`` the points come back in pixels, otherwise in the path's own units.
    """
    if to_pixels is not None:
        path = to_pixels.transform_path(path)
    if path.codes is None:
        yield np.asarray(path.vertices, float), False
        return
    points: list[Any] = []
    closed = False
    for segment, code in path.iter_segments(simplify=False, curves=True):
        if code == Outline.MOVETO:
            if len(points) > 1:
                yield np.array(points, float), closed
            points, closed = [segment], False
        elif code == Outline.LINETO:
            points.append(segment)
        elif code == Outline.CLOSEPOLY:
            closed = True
        elif points:
            points.extend(_cut_curve(np.vstack([points[-1], segment.reshape(-1, 2)])))
    if len(points) > 1:
        yield np.array(points, float), closed


_STEPS = np.linspace(0, 1, 17)[1:, None]


def _cut_curve(control: np.ndarray) -> np.ndarray:
    """16 points along a quadratic or cubic Bezier curve, its first point left out; only the last of a straight one."""
    start, along = control[0], control[-1] - control[0]
    away = (control[1:-1] - start) @ np.array([-along[1], along[0]])
    if np.abs(away).max() <= 1e-9 * (along @ along):
        return control[-1:]
    if len(control) == 3:
        a, b, c = control
        return (1 - _STEPS) ** 2 * a + 2 * (1 - _STEPS) * _STEPS * b + _STEPS**2 * c
    a, b, c, d = control
    rest = 1 - _STEPS
    return rest**3 * a + 3 * rest**2 * _STEPS * b + 3 * rest * _STEPS**2 * c + _STEPS**3 * d


def split_at_gaps(points: np.ndarray) -> list[np.ndarray]:
    """The runs of finite points: a NaN breaks a line, as it does when drawn."""
    finite = np.isfinite(points).all(axis=1)
    if finite.all():
        return [points]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], finite, [False]]).astype(int)))
    return [points[first:last] for first, last in zip(edges[::2], edges[1::2], strict=True)]


def clip_to_box(points: np.ndarray, box: tuple[float, float, float, float]) -> list[np.ndarray]:
    """The runs of a polyline that lie within ``box`` (x0, y0, x1, y1), cut at its border (Liang-Barsky)."""
    start, along = points[:-1], np.diff(points, axis=0)
    enter, leave = np.zeros(len(start)), np.ones(len(start))
    for axis in (0, 1):
        low, high = box[axis] - start[:, axis], box[axis + 2] - start[:, axis]
        step = along[:, axis]
        flat = step == 0
        safe = np.where(flat, 1.0, step)
        first, last = np.minimum(low / safe, high / safe), np.maximum(low / safe, high / safe)
        inside = (low <= 0) & (high >= 0)
        enter = np.maximum(enter, np.where(flat, np.where(inside, 0.0, 2.0), first))
        leave = np.minimum(leave, np.where(flat, np.where(inside, 1.0, -1.0), last))
    runs: list[list[np.ndarray]] = []
    for i in np.flatnonzero(enter < leave):
        head, tail = start[i] + enter[i] * along[i], start[i] + leave[i] * along[i]
        if runs and enter[i] == 0 and np.array_equal(runs[-1][-1], start[i]):
            runs[-1].append(tail)
        else:
            runs.append([head, tail])
    return [np.array(run) for run in runs]
