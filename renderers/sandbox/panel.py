"""The artists of one Axes as rows of the record. Runs inside the sandbox, for `recorder`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib import collections as mcollections
from matplotlib import lines as mlines
from matplotlib import patches as mpatches
from matplotlib import text as mtext
from matplotlib.axes import Axes
from matplotlib.cbook import STEP_LOOKUP_MAP
from matplotlib.spines import Spine

from counterfoil.renderers.sandbox.artists import (
    DASHES,
    INVISIBLE_LINES,
    Look,
    find_arrow_ends,
    is_clipped,
    is_seen,
    list_items,
    name_marker,
    to_hex,
    to_number,
)
from counterfoil.renderers.sandbox.lettering import find_box, find_layout, list_glyphs
from counterfoil.renderers.sandbox.outlines import clip_to_box, flatten, split_at_gaps
from counterfoil.renderers.sandbox.paint import BEHIND, Paint, has_background, is_moved, shows_axes, stands_out

MAX_TEXT = 1_000
EDGE_TOLERANCE = 0.5
"""Pixels by which a text's box may stick out of the picture and still count as inside."""


class Budget:
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


class PanelRecorder:
    """Records the artists of one Axes (or of a figure without one) in that Axes' data coordinates."""

    def __init__(self, owner: Any, renderer: Any, paint: Paint, budget: Budget) -> None:
        height = paint.height
        self.owner = owner
        self.renderer = renderer
        self.budget = budget
        self.paint = paint
        self.paper = paint.paper
        self.order = (0.0, 0.0)
        """When the artist at hand is painted: its Axes' place in the figure, then its own in the Axes."""
        self.clipped = False
        """Whether the artist at hand ends at the border of the Axes."""
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
        self.limits = (min(xlim), min(ylim), max(xlim), max(ylim))
        self.frame = {
            "xlim": [float(v) for v in xlim],
            "ylim": [float(v) for v in ylim],
            "box": [self.view[0], height - self.view[3], self.view[2], height - self.view[1]],
            "axis_on": shows_axes(owner) if self.is_axes else False,
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
        titles = [t for t in (axes.title, axes._left_title, axes._right_title) if self._is_on_page(t)]
        self.title = " ".join(t.get_text() for t in titles)
        if has_background(axes):
            self.paint.add_patch(axes.patch, (axes.get_zorder(), BEHIND))
            if axes.patch.get_facecolor()[3] == 1:
                self.paper = axes.patch.get_facecolor()[:3]
        for artist in (*axes._children, *axes.artists, *titles):
            self._record(artist)
        if axes.axison:
            for axis in (axes.xaxis, axes.yaxis):
                self._record(axis.label)
            for spine in axes.spines.values():
                if axes._frameon and spine.get_visible() and is_moved(spine):
                    self._record(spine)
        if axes.legend_ is not None and axes.legend_.get_visible():
            self._record_legend(axes.legend_)

    def _is_on_page(self, title: Any) -> bool:
        """Whether any of a title is seen: an Axes that takes the whole page has its titles off it."""
        if not (title.get_visible() and title.get_text()):
            return False
        box = title.get_window_extent(self.renderer)
        return bool(box.x1 > 0 and box.y1 > 0 and box.x0 < self.page[2] and box.y0 < self.page[3])

    def _record(self, artist: Any) -> None:
        """Record what belongs to the Axes."""
        self.order = (self.owner.get_zorder(), artist.get_zorder())
        self.record_artist(artist)

    def record_loose(self, artist: Any) -> None:
        """Record what belongs to the figure and lies on this panel."""
        self.order = (artist.get_zorder(), 0.0)
        self.record_artist(artist)

    def _record_legend(self, legend: Any) -> None:
        self.order = (self.owner.get_zorder(), legend.get_zorder())
        if legend.get_frame_on():
            self.record_artist(legend.get_frame())
        for handle in (*legend.get_lines(), *legend.get_patches()):
            self.record_artist(handle)
        for text in legend.get_texts():
            self._record_text(text, "legend")

    def record_artist(self, artist: Any, depth: int = 0) -> None:
        """Record one artist by its kind; a container by what it contains."""
        if not artist.get_visible() or artist.get_alpha() == 0:
            return
        self.clipped = self.is_axes and is_clipped(artist)
        self.paint.note_wobble(artist)
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

    def _add_polyline(self, points: np.ndarray, closed: bool, look: Look) -> None:
        for run in split_at_gaps(points):
            ring = closed
            if len(run) > 3 and np.array_equal(run[0], run[-1]):
                run, ring = run[:-1], True
            if len(run) < 2:
                continue
            pieces = self._cut_at_border(run, ring)
            for piece in pieces if pieces is not None else [run]:
                if self.budget.take(len(piece)):
                    self.polylines.append([piece.tolist(), ring and pieces is None, *look.list_fields(), look.head])

    def _cut_at_border(self, run: np.ndarray, ring: bool) -> list[np.ndarray] | None:
        """What a viewer sees of a line that leaves the Axes; None where it does not, or where all of it is outside."""
        if not self.clipped:
            return None
        if self._is_in_view(run).all():
            return None
        return clip_to_box(np.vstack([run, run[:1]]) if ring else run, self.limits) or None

    def _record_line(self, line: Any) -> None:
        path, transform = line.get_path(), line.get_transform()
        points: Any = path.vertices
        if (step := line.get_drawstyle()) != "default":
            points = np.column_stack(STEP_LOOKUP_MAP[step](*points.T))
        if transform is not self.data:
            points = self._to_data(transform.transform(points))
        points = np.asarray(points, float)
        gid = line.get_gid() or ""
        if line.get_linestyle() not in INVISIBLE_LINES and line.get_linewidth() > 0 and is_seen(line.get_color()):
            style = DASHES.get(line.get_linestyle(), "--")
            self._add_polyline(points, False, Look(False, style, line.get_color(), line.get_linewidth(), gid))
        marker = line.get_marker()
        if marker not in INVISIBLE_LINES and (is_seen(line.get_mfc()) or is_seen(line.get_mec())):
            color = line.get_mfc() if is_seen(line.get_mfc()) else line.get_mec()
            self._add_dots(points, [line.get_markersize()], str(marker), [color], gid)

    def _add_dots(self, points: np.ndarray, sizes: Any, marker: str, colors: Any, gid: str) -> None:
        points = np.asarray(points, float)
        drawn = np.isfinite(points).all(axis=1)
        if self.clipped and (inside := drawn & self._is_in_view(points)).any():
            drawn = inside
        for index in np.flatnonzero(drawn):
            if not self.budget.take(1):
                return
            size, color = sizes[index % len(sizes)], colors[index % len(colors)]
            self.dots.append([points[index].tolist(), to_number(size), marker[:40], to_hex(color), gid])

    def _is_in_view(self, points: np.ndarray) -> np.ndarray:
        return np.asarray(((points >= self.limits[:2]) & (points <= self.limits[2:])).all(axis=1))

    def _record_patch(self, patch: Any, gid: str = "") -> None:
        edged = patch.get_linewidth() > 0 and patch.get_edgecolor()[3] > 0
        filled = bool(patch.get_fill() and patch.get_facecolor()[3] > 0)
        arrow = isinstance(patch, mpatches.FancyArrowPatch)
        if arrow:
            outlined = edged or filled
        else:
            self.paint.add_patch(patch, self.order, self.view if self.clipped else None)
            face, edge = patch.get_facecolor(), patch.get_edgecolor()
            outlined = self._is_outlined(face if filled else None, edge if edged else None)
        if not outlined:
            return
        color = patch.get_edgecolor() if edged else patch.get_facecolor()
        style = DASHES.get(patch.get_linestyle(), "--")
        look = Look(filled, style, color, patch.get_linewidth(), patch.get_gid() or gid)
        if arrow:
            self._record_arrow(patch, look)
        elif isinstance(patch, mpatches.Ellipse) and patch.get_data_transform() is self.data:
            self._record_ellipse(patch, look)
        elif isinstance(patch, mpatches.Wedge) and patch.get_data_transform() is self.data:
            self._record_wedge(patch, look)
        else:
            closed = not isinstance(patch, mpatches.PathPatch | Spine)
            path = patch.get_patch_transform().transform_path(patch.get_path())
            self._record_path(path, patch.get_data_transform(), closed, look)

    def _is_outlined(self, face: Any, edge: Any) -> bool:
        """Whether a shape has an outline: any edge of its own, or of a filled one an edge or face that stands out.
        A faint shade under other lines has none."""
        if face is None:
            return edge is not None
        return stands_out(face, self.paper) or (edge is not None and stands_out(edge, self.paper))

    def _record_path(self, path: Any, transform: Any, closed: bool, look: Look) -> None:
        """Record an outline: straight ones by their exact vertices, curved ones as dense polylines."""
        if path.codes is None and transform is self.data:
            self._add_polyline(np.asarray(path.vertices, float), closed, look)
            return
        for part, ring in flatten(path, None if transform is self.data else transform):
            points = part if transform is self.data else self._to_data(part)
            self._add_polyline(points, closed or ring, look)

    def _record_ellipse(self, patch: Any, look: Look) -> None:
        theta1, theta2 = (patch.theta1, patch.theta2) if isinstance(patch, mpatches.Arc) else (0.0, 360.0)
        if isinstance(patch, mpatches.Arc):
            look = look._replace(filled=False)
        centre = [float(v) for v in patch.get_center()]
        self._add_arc(centre, patch.get_width(), patch.get_height(), patch.get_angle(), theta1, theta2, look)

    def _record_wedge(self, patch: Any, look: Look) -> None:
        centre, size = [float(v) for v in patch.center], 2 * patch.r
        self._add_arc(centre, size, size, 0.0, patch.theta1, patch.theta2, look)
        if patch.width is None and (patch.theta2 - patch.theta1) % 360:
            angles = np.radians([patch.theta1, patch.theta2])
            ends = np.column_stack([np.cos(angles), np.sin(angles)]) * patch.r + centre
            self._add_polyline(np.array([ends[0], centre, ends[1]]), False, look._replace(filled=False))

    def _add_arc(
        self, centre: list[float], width: Any, height: Any, angle: Any, first: Any, last: Any, look: Look
    ) -> None:
        numbers = [float(v) for v in (width, height, angle, first, last)]
        if all(map(math.isfinite, (*centre, *numbers))) and self.budget.take(1):
            self.arcs.append([centre, *numbers, *look.list_fields()])

    def _record_arrow(self, patch: Any, look: Look) -> None:
        """Record an arrow by its shaft; its head is drawn ink but no shape of its own."""
        start, end = find_arrow_ends(patch)
        shaft = patch.get_connectionstyle()(
            start, end, patchA=patch.patchA, patchB=patch.patchB, shrinkA=0.0, shrinkB=0.0
        )
        look = look._replace(filled=False, head=to_number(patch.get_mutation_scale()))
        for part, _ in flatten(shaft, None):
            self._add_polyline(self._to_data(part), False, look)

    def _record_collection(self, collection: Any) -> None:
        gid = collection.get_gid() or ""
        if isinstance(collection, mcollections.PathCollection):
            self._record_scatter(collection, gid)
            return
        closed = not isinstance(collection, mcollections.LineCollection)
        for path, to_pixels, face, edge, width, style in list_items(collection):
            if self.budget.spent:
                return
            filled, edged = bool(face[3] > 0), bool(edge[3] > 0)
            if filled:
                view = self.view if self.clipped else None
                self.paint.add(path, to_pixels, face, self.order, view, bool(collection.get_hatch()))
            if self._is_outlined(face if filled else None, edge if edged else None):
                self._record_path(path, to_pixels, closed, Look(filled, style, edge if edged else face, width, gid))

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
        marker = name_marker(paths[0]) if len(paths) == 1 else "path"
        sizes = np.sqrt(np.asarray(collection.get_sizes(), float)) if len(collection.get_sizes()) else [6.0]
        self._add_dots(points, sizes, marker, colors, gid)

    def _record_text(self, text: Any, gid: str) -> None:
        content = text.get_text()
        if isinstance(text, mtext.Annotation) and text.arrow_patch is not None and text.arrow_patch.get_visible():
            self.clipped = False
            self._record_patch(text.arrow_patch, "leader" if content.strip() else "")
        if not content.strip() or not self.budget.take(1):
            return
        place = text.get_transform().transform(text.get_unitless_position())
        box = find_box(text, place, self.renderer)
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
                to_number(text.get_size()),
                to_number(text.get_rotation()),
                to_hex(text.get_color()),
                gid,
                self._is_inside(box, self.is_axes and text.get_clip_on() and text.get_clip_box() is not None),
                self._record_frame(text.get_bbox_patch(), box),
                *list_glyphs(text, find_layout(text, self.renderer), place, self.renderer),
            ]
        )

    def _record_frame(self, patch: Any, box: Any) -> float:
        """Keep what a text is painted on; how far a frame drawn around it stands off its box, in pixels."""
        if patch is None or not patch.get_visible():
            return 0.0
        self.paint.add_patch(patch, self.order)
        if patch.get_linewidth() == 0 or patch.get_edgecolor()[3] == 0:
            return 0.0
        drawn = patch.get_window_extent(self.renderer)
        return to_number(max(box.x0 - drawn.x0, box.y0 - drawn.y0, drawn.x1 - box.x1, drawn.y1 - box.y1, 0.0))

    def _is_inside(self, box: Any, clipped: bool) -> bool:
        x0, y0, x1, y1 = self.view if clipped else self.page
        edge = EDGE_TOLERANCE
        return bool(box.x0 >= x0 - edge and box.y0 >= y0 - edge and box.x1 <= x1 + edge and box.y1 <= y1 + edge)
