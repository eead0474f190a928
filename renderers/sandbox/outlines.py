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
