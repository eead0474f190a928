"""Reads from a matplotlib figure, just drawn, what it shows: plain lists in data coordinates, ready for JSON.

It works on artists, not on calls, so a script's style does not matter: `plt.plot`, `ax.add_line`, patches,
collections and annotations all end as the same few shapes. Runs inside the sandbox; `claims` on the trusted side
checks the result and makes a `Drawing` of it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import collections as mcollections
from matplotlib import colors as mcolors
from matplotlib import lines as mlines
from matplotlib import patches as mpatches
from matplotlib import text as mtext
from matplotlib.axes import Axes
from matplotlib.cbook import STEP_LOOKUP_MAP
from matplotlib.path import Path as Outline
from matplotlib.spines import Spine

from renderers.sandbox.outlines import IDENTITY, flatten, place_item, split_at_gaps

MAX_POINTS = 40_000
MAX_TEXT = 1_000
_SIDES = ("left", "right", "bottom", "top")
"""Spines that can be moved; a colour bar's outline has no position."""
DASHES = {"solid": "-", "dashed": "--", "dotted": ":", "dashdot": "-.", "-": "-", "--": "--", ":": ":", "-.": "-."}
INVISIBLE_LINES = {"None", "none", " ", "", None}
EDGE_TOLERANCE = 0.5
"""Pixels by which a text's box may stick out of the picture and still count as inside."""


def record_figure(figure: Any, renderer: Any) -> dict[str, Any]:
    """What ``figure`` shows, panel by panel. ``renderer`` is the Agg renderer that has just drawn it."""
    width, height = int(renderer.width), int(renderer.height)
    budget = _Budget(MAX_POINTS)
    panels = [_PanelRecorder(axes, renderer, height, budget) for axes in _visible_axes(figure)]
    for panel in panels:
        panel.record_axes()
    loose = [*figure.texts, *figure.lines, *figure.patches, *figure.artists, *figure.legends]
    if figure._suptitle is not None and figure._suptitle not in loose:
        loose.append(figure._suptitle)
    _record_loose(figure, loose, panels, renderer, budget)
    return {
        "width": width,
        "height": height,
        "panels": [panel.content for panel in panels],
        "truncated": budget.spent,
    }


def _visible_axes(figure: Any) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_visible()]


def _record_loose(
    figure: Any, artists: list[Any], panels: list[_PanelRecorder], renderer: Any, budget: _Budget
) -> None:
    """Record what belongs to the figure itself in the panel that it lies on, or in one of its own."""
    whole: _PanelRecorder | None = None
    for artist in artists:
        if not artist.get_visible():
            continue
        target = next((p for p in panels if p.covers(artist)), panels[0] if panels else whole)
        if target is None:
            target = whole = _PanelRecorder(figure, renderer, int(renderer.height), budget)
            panels.append(target)
        target.record_artist(artist)


class _Budget:
    """How many points and texts may still be recorded in this figure."""

    def __init__(self, points: int) -> None:
        self.left = points
        self.spent = False

    def take(self, count: int) -> bool:
        """Whether ``count`` more fit; once they do not, the record is marked as truncated."""
        self.left -= count
        if self.left < 0:
            self.spent = True
            return False
        return True


class _PanelRecorder:
    """Records the artists of one Axes (or of a figure without one) in that Axes' data coordinates."""

    def __init__(self, owner: Any, renderer: Any, height: int, budget: _Budget) -> None:
        self.owner = owner
        self.renderer = renderer
        self.budget = budget
        self.is_axes = isinstance(owner, Axes)
        self.data: Any = owner.transData if self.is_axes else None
        box = owner.bbox
        self.page = (0.0, 0.0, float(renderer.width), float(height))
        self.view = (float(box.x0), float(box.y0), float(box.x1), float(box.y1))
        self._inverse: Any = owner.transData.inverted() if self.is_axes else None
        self.polylines: list[list[Any]] = []
        self.arcs: list[list[Any]] = []
        self.dots: list[list[Any]] = []
        self.labels: list[list[Any]] = []
        self.title = ""
        xlim = owner.get_xlim() if self.is_axes else (0.0, self.page[2])
        ylim = owner.get_ylim() if self.is_axes else (0.0, self.page[3])
        self.frame = {
            "xlim": [float(v) for v in xlim],
            "ylim": [float(v) for v in ylim],
            "box": [self.view[0], height - self.view[3], self.view[2], height - self.view[1]],
            "axis_on": bool(owner.axison) if self.is_axes else False,
        }

    @property
    def content(self) -> dict[str, Any]:
        """The panel as JSON has it."""
        return {
            **self.frame,
            "polylines": self.polylines,
            "arcs": self.arcs,
            "dots": self.dots,
            "labels": self.labels,
            "title": self.title[:MAX_TEXT],
        }

    def covers(self, artist: Any) -> bool:
        """Whether the artist's centre on the page lies on this panel."""
        box = artist.get_window_extent(self.renderer)
        x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        return self.view[0] <= x <= self.view[2] and self.view[1] <= y <= self.view[3]

    def record_axes(self) -> None:
        """Record all that the Axes shows, its frame, ticks and background apart. A spine that was moved into the
        picture, as for the axes of analytic geometry, is a line like any other."""
        axes = self.owner
        titles = [t.get_text() for t in (axes.title, axes._left_title, axes._right_title) if t.get_visible()]
        self.title = " ".join(text for text in titles if text)
        for artist in (*axes._children, *axes.artists):
            self.record_artist(artist)
        if axes.axison:
            for axis in (axes.xaxis, axes.yaxis):
                self.record_artist(axis.label)
            for spine in axes.spines.values():
                if spine.spine_type in _SIDES and spine.get_visible() and spine.get_position() != ("outward", 0.0):
                    self._record_patch(spine)
        if axes.legend_ is not None and axes.legend_.get_visible():
            for text in axes.legend_.get_texts():
                self._record_text(text, "legend")

    def record_artist(self, artist: Any, depth: int = 0) -> None:
        """Record one artist by its kind; a container by what it contains."""
        if not artist.get_visible() or artist.get_alpha() == 0:
            return
        if isinstance(artist, mtext.Text):
            self._record_text(artist, artist.get_gid() or "")
        elif isinstance(artist, mlines.Line2D):
            self._record_line(artist)
        elif isinstance(artist, mpatches.Patch):
            self._record_patch(artist)
        elif isinstance(artist, mcollections.Collection):
            self._record_collection(artist)
        elif depth < 4:
            for child in artist.get_children():
                self.record_artist(child, depth + 1)

    def _to_data(self, points: Any) -> np.ndarray:
        """Pixel positions (n, 2) in data coordinates."""
        points = np.asarray(points, float).reshape(-1, 2)
        return self._inverse.transform(points) if self._inverse is not None else points

    def _add_polyline(
        self, points: np.ndarray, closed: bool, filled: bool, style: str, color: Any, width: Any, gid: str
    ) -> None:
        for run in split_at_gaps(points):
            if len(run) > 3 and np.array_equal(run[0], run[-1]):
                run, ring = run[:-1], True
            else:
                ring = closed
            if len(run) >= 2 and self.budget.take(len(run)):
                self.polylines.append([run.tolist(), ring, filled, style, _hex(color), _number(width), gid])

    def _record_line(self, line: Any) -> None:
        path, transform = line.get_path(), line.get_transform()
        points: Any = path.vertices
        if (step := line.get_drawstyle()) != "default":
            points = np.column_stack(STEP_LOOKUP_MAP[step](*points.T))
        if transform is not self.data:
            points = self._to_data(transform.transform(points))
        points = np.asarray(points, float)
        gid = line.get_gid() or ""
        if line.get_linestyle() not in INVISIBLE_LINES and line.get_linewidth() > 0 and _is_seen(line.get_color()):
            style = DASHES.get(line.get_linestyle(), "--")
            self._add_polyline(points, False, False, style, line.get_color(), line.get_linewidth(), gid)
        marker = line.get_marker()
        if marker not in INVISIBLE_LINES and (_is_seen(line.get_mfc()) or _is_seen(line.get_mec())):
            color = line.get_mfc() if _is_seen(line.get_mfc()) else line.get_mec()
            self._add_dots(points, [line.get_markersize()], str(marker), [color], gid)

    def _add_dots(self, points: np.ndarray, sizes: Any, marker: str, colors: Any, gid: str) -> None:
        points = np.asarray(points, float)
        for index in np.flatnonzero(np.isfinite(points).all(axis=1)):
            if not self.budget.take(1):
                return
            size, color = sizes[index % len(sizes)], colors[index % len(colors)]
            self.dots.append([points[index].tolist(), _number(size), marker[:40], _hex(color), gid])

    def _record_patch(self, patch: Any, gid: str = "") -> None:
        edged = patch.get_linewidth() > 0 and patch.get_edgecolor()[3] > 0
        filled = bool(patch.get_fill() and patch.get_facecolor()[3] > 0)
        if not (edged or filled):
            return
        color = patch.get_edgecolor() if edged else patch.get_facecolor()
        style = DASHES.get(patch.get_linestyle(), "--")
        look = (filled, style, color, patch.get_linewidth(), patch.get_gid() or gid)
        if isinstance(patch, mpatches.FancyArrowPatch):
            self._record_arrow(patch, look)
        elif isinstance(patch, mpatches.Ellipse) and patch.get_data_transform() is self.data:
            self._record_ellipse(patch, look)
        elif isinstance(patch, mpatches.Wedge) and patch.get_data_transform() is self.data:
            self._record_wedge(patch, look)
        else:
            closed = not isinstance(patch, mpatches.PathPatch | Spine)
            path = patch.get_patch_transform().transform_path(patch.get_path())
            self._record_path(path, patch.get_data_transform(), closed, look)

    def _record_path(self, path: Any, transform: Any, closed: bool, look: tuple[Any, ...]) -> None:
        """Record an outline: straight ones by their exact vertices, curved ones as dense polylines."""
        if path.codes is None and transform is self.data:
            self._add_polyline(np.asarray(path.vertices, float), closed, *look)
            return
        for part, ring in flatten(path, None if transform is self.data else transform):
            points = part if transform is self.data else self._to_data(part)
            self._add_polyline(points, closed or ring, *look)

    def _record_ellipse(self, patch: Any, look: tuple[Any, ...]) -> None:
        theta1, theta2 = (patch.theta1, patch.theta2) if isinstance(patch, mpatches.Arc) else (0.0, 360.0)
        if isinstance(patch, mpatches.Arc):
            look = (False, *look[1:])
        centre = [float(v) for v in patch.get_center()]
        self._add_arc(centre, patch.get_width(), patch.get_height(), patch.get_angle(), theta1, theta2, look)

    def _record_wedge(self, patch: Any, look: tuple[Any, ...]) -> None:
        centre, size = [float(v) for v in patch.center], 2 * patch.r
        self._add_arc(centre, size, size, 0.0, patch.theta1, patch.theta2, look)
        if patch.width is None and (patch.theta2 - patch.theta1) % 360:
            angles = np.radians([patch.theta1, patch.theta2])
            ends = np.column_stack([np.cos(angles), np.sin(angles)]) * patch.r + centre
            self._add_polyline(np.array([ends[0], centre, ends[1]]), False, False, *look[1:])

    def _add_arc(
        self, centre: list[float], width: Any, height: Any, angle: Any, first: Any, last: Any, look: tuple[Any, ...]
    ) -> None:
        filled, style, color, line_width, gid = look
        numbers = [float(v) for v in (width, height, angle, first, last)]
        if all(map(math.isfinite, (*centre, *numbers))) and self.budget.take(1):
            self.arcs.append([centre, *numbers, filled, style, _hex(color), _number(line_width), gid])

    def _record_arrow(self, patch: Any, look: tuple[Any, ...]) -> None:
        """Record an arrow by its shaft; its head is drawn ink but no shape of its own."""
        start, end = _arrow_ends(patch)
        shaft = patch.get_connectionstyle()(
            start, end, patchA=patch.patchA, patchB=patch.patchB, shrinkA=0.0, shrinkB=0.0
        )
        for part, _ in flatten(shaft, None):
            self._add_polyline(self._to_data(part), False, False, *look[1:])

    def _record_collection(self, collection: Any) -> None:
        gid = collection.get_gid() or ""
        if isinstance(collection, mcollections.PathCollection):
            self._record_scatter(collection, gid)
            return
        faces, edges = collection.get_facecolor(), collection.get_edgecolor()
        lined = isinstance(collection, mcollections.LineCollection)
        widths, offsets = collection.get_linewidth(), collection.get_offsets()
        transform = collection.get_transform()
        moved = self._offset_pixels(collection, offsets)
        paths = collection.get_paths()
        scales = collection.get_transforms()
        for index in range(max(len(paths), len(moved)) if len(paths) else 0):
            if self.budget.spent:
                return
            face = faces[index % len(faces)] if len(faces) and not lined else (0, 0, 0, 0)
            edge = edges[index % len(edges)] if len(edges) else (0, 0, 0, 0)
            if face[3] == 0 and edge[3] == 0:
                continue
            style = DASHES.get(str(_linestyle(collection, index)), "--")
            color = edge if edge[3] > 0 else face
            look = (bool(face[3] > 0), style, color, widths[index % len(widths)] if len(widths) else 1.0, gid)
            path = paths[index % len(paths)]
            if len(scales) or len(moved):
                path = place_item(path, scales, transform, moved, index)
                self._record_path(path, IDENTITY, not lined, look)
            else:
                self._record_path(path, transform, not lined, look)

    def _offset_pixels(self, collection: Any, offsets: Any) -> np.ndarray:
        """The offsets of a collection's items in pixels; none where all are (0, 0) pixels."""
        offsets = np.ma.filled(np.ma.asarray(offsets, float), np.nan).reshape(-1, 2)
        moved = collection.get_offset_transform().transform(offsets)
        if not np.any(moved):
            return np.empty((0, 2))
        return moved if np.isfinite(moved).any() else np.empty((0, 2))

    def _record_scatter(self, collection: Any, gid: str) -> None:
        points: Any = np.ma.filled(np.ma.asarray(collection.get_offsets(), float), np.nan).reshape(-1, 2)
        transform = collection.get_offset_transform()
        if transform is not self.data:
            points = self._to_data(transform.transform(points))
        faces, edges = collection.get_facecolor(), collection.get_edgecolor()
        colors = faces if len(faces) else edges
        if not len(colors) or not len(points):
            return
        paths = collection.get_paths()
        curved = bool(paths) and paths[0].codes is not None and (paths[0].codes == Outline.CURVE4).any()
        sizes = np.sqrt(np.asarray(collection.get_sizes(), float)) if len(collection.get_sizes()) else [6.0]
        self._add_dots(points, sizes, "o" if curved else "path", colors, gid)

    def _record_text(self, text: Any, gid: str) -> None:
        content = text.get_text()
        if isinstance(text, mtext.Annotation) and text.arrow_patch is not None and text.arrow_patch.get_visible():
            self._record_patch(text.arrow_patch, "leader" if content.strip() else "")
        if not content.strip() or not self.budget.take(1):
            return
        place = text.get_transform().transform(text.get_unitless_position())
        box = _find_box(text, place, self.renderer)
        points = np.array([[box.x0, box.y0], [box.x1, box.y1], place])
        if not np.isfinite(points).all():
            return
        (x0, y0), (x1, y1), anchor = self._to_data(points).tolist()
        target = None
        if isinstance(text, mtext.Annotation):
            position: Any = text._get_position_xy  # type: ignore[attr-defined]
            target = self._to_data(position(self.renderer))[0].tolist()
        values = [*anchor, x0, y0, x1, y1, *(target or ())]
        if not all(map(math.isfinite, values)):
            return
        drawn_box = [min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)]
        self.labels.append(
            [
                content[:MAX_TEXT],
                anchor,
                drawn_box,
                target,
                _number(text.get_size()),
                _number(text.get_rotation()),
                _hex(text.get_color()),
                gid,
                self._is_inside(box, self.is_axes and text.get_clip_on() and text.get_clip_box() is not None),
            ]
        )

    def _is_inside(self, box: Any, clipped: bool) -> bool:
        x0, y0, x1, y1 = self.view if clipped else self.page
        edge = EDGE_TOLERANCE
        return bool(box.x0 >= x0 - edge and box.y0 >= y0 - edge and box.x1 <= x1 + edge and box.y1 <= y1 + edge)


def _find_box(text: Any, place: Any, renderer: Any) -> Any:
    """The text's own box in pixels, without an annotation's arrow."""
    layout = getattr(text, "last_layout", None)
    if layout is None:
        return mtext.Text.get_window_extent(text, renderer)
    return layout[0].translated(*place)


def _arrow_ends(patch: Any) -> tuple[Any, Any]:
    """Where an arrow starts and ends, in pixels."""
    if isinstance(patch, mpatches.ConnectionPatch):
        place: Any = patch._get_xy  # type: ignore[attr-defined]
        return place(patch.xy1, patch.coords1, patch.axesA), place(patch.xy2, patch.coords2, patch.axesB)
    start, end = patch._posA_posB
    transform = patch.get_transform()
    return transform.transform(patch._convert_xy_units(start)), transform.transform(patch._convert_xy_units(end))


def _linestyle(collection: Any, index: int) -> Any:
    """The line style of one item of a collection: collections keep (offset, dashes), dashes None for solid."""
    styles = collection.get_linestyle()
    if not styles:
        return "-"
    return "-" if styles[index % len(styles)][1] is None else "--"


def _is_seen(color: Any) -> bool:
    return bool(mcolors.to_rgba(color)[3] > 0)


def _hex(color: Any) -> str:
    return str(mcolors.to_hex(color))


def _number(value: Any) -> float:
    number = float(value)
    return number if math.isfinite(number) else 0.0
