"""Whether a picture bears its record out, both ways: what was recorded is seen, and what is seen was recorded.

A script's record of its drawing is a claim. Much that matplotlib accepts without a word makes it a false one: a white
fill over lines, transparency, hairlines, sparse dashes, clip paths, text boxes, images, artists that are never drawn.
So every recorded stroke, dot and text has to be found in the pixels, and every inked pixel has to be near one of them.
Ink is what differs from what should lie there otherwise: the paper and the recorded faces.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from counterfoil.renderers.glyphs import GlyphError
from counterfoil.renderers.results import Arc, Drawing, Face, Label, Panel, Polyline
from counterfoil.tasks.geometry.measuring.backdrop import fill_face, paint_backdrop, read_color
from counterfoil.tasks.geometry.measuring.clashes import find_clash
from counterfoil.tasks.geometry.measuring.explained import LARGEST_FRAME, Explained, measure_wobble
from counterfoil.tasks.geometry.measuring.lettering import find_misspelling, measure_fault
from counterfoil.tasks.geometry.measuring.limits import find_excess
from counterfoil.tasks.geometry.measuring.pixels import LEAST_CHANGE, decode_pixels
from counterfoil.tasks.geometry.measuring.sight import (
    INK,
    Sight,
    Window,
    cut_around,
    cut_label,
    find_middle,
    index_pixels,
    look,
    widen,
)
from counterfoil.tasks.geometry.measuring.traces import Samples, Strokes, map_panel, sample, trace_face, trace_strokes

LEAST_SHARE = 0.9
"""Share of a stroke's length that must be inked."""
LEAST_DASHES = 0.15
"""Share of a dashed or dotted stroke's length that must be inked."""
LONGEST_GAP = 16.0
"""Pixels of a dashed stroke without ink over which no viewer carries a line on."""
ARROW_SPARE = 8.0
"""Pixels at both ends of an arrow that it may leave free."""
THICKEST = 1 / 36
"""Share of the picture's shorter side that a stroke may be thick: a thicker one is a black region."""
LARGEST_MARK = 32.0
"""Pixels of a filled mark, such as a right-angle square or a number's own paper, that a line may run under unseen."""
MOST_UNDER_MARKS = 0.25
"""Share of a stroke's length that marks may cover."""
THIN_MARKERS = frozenset(".,+x|_1234")
"""Markers that ink less than a disc of their size."""
MARKERS = THIN_MARKERS | frozenset("ov^<>8spP*hHXDd")
"""Markers that are seen as dots."""
CLOSE_DOTS = 6
"""So many dots that touch one another are seen as a line."""
LARGEST_TEXT = 1 / 8
"""Share of the picture's shorter side that a letter's em may take: a larger one is seen as a figure."""
MOST_HATCHED = 0.4
"""Share of a hatched region that its pattern may ink; one that is denser hides what is under it."""
HATCH_BLOCK = 0.36
"""Inches of the blocks in which the ink of a hatched region is compared: a pattern repeats within each."""
LEAST_FREE = 0.6
"""Share of a block that must be clear of recorded lines for its ink to be compared."""
UNEVEN_HATCH = (0.3, 1.8)
"""Blocks of a hatched region have between these multiples of their median ink; others hold something else."""


def find_mismatch(drawing: Drawing, png: bytes) -> str | None:
    """The first thing that is recorded but not seen, or seen but not recorded, in words; None where there is none.

    ``png`` is the picture that the sandbox encoded, ``drawing`` the record that came with it.

    Raises:
        PictureError: the bytes are no picture.
    """
    pixels = decode_pixels(png)
    if pixels.shape[:2] != (drawing.height, drawing.width):
        return f"the picture has {pixels.shape[1]} x {pixels.shape[0]} pixels, its record another size"
    excess = find_excess(drawing)
    if excess:
        return excess
    strokes = trace_strokes(drawing)
    problem = _find_oversized(strokes, drawing) or _find_misspelt(drawing)
    if problem:
        return problem
    sight = look(pixels, paint_backdrop(drawing))
    samples = sample(strokes)
    try:
        explained = Explained(drawing, strokes, samples)
    except GlyphError as error:
        return f"a text cannot be read: {error}"
    return (
        _find_unseen_stroke(sight, drawing, strokes, samples)
        or _find_unseen_dot(sight, drawing)
        or _find_unseen_text(sight, drawing, explained)
        or find_clash(drawing, sight, samples, explained.lettering)
        or _find_bare_face(sight, drawing, explained)
        or _find_odd_hatch(sight, drawing, explained)
        or _find_unrecorded(sight, explained)
    )


def _find_oversized(strokes: Strokes, drawing: Drawing) -> str | None:
    """What is too much, too thick or too large to be part of a figure."""
    lengths = np.hypot(strokes.pieces[:, 2] - strokes.pieces[:, 0], strokes.pieces[:, 3] - strokes.pieces[:, 1])
    if lengths.sum() > drawing.width * drawing.height:
        return "more strokes are recorded than the picture has room for"
    side = min(drawing.width, drawing.height)
    widest = 2 * float(strokes.widths.max(initial=0.0))
    if widest > THICKEST * side:
        return f"a stroke is {widest:.0f} pixels thick; at most {THICKEST * side:.0f} can be read as a line"
    for label in (label for panel in drawing.panels for label in panel.labels):
        if label.size * drawing.dpi / 72 > LARGEST_TEXT * side:
            return f"the text {label.text!r} is {label.size:g} points large, which is a figure rather than a label"
    return None


# Recorded, but not seen


def _find_unseen_stroke(sight: Sight, drawing: Drawing, strokes: Strokes, samples: Samples) -> str | None:
    count = len(strokes.shapes)
    pixels = index_pixels(samples.places, sight.ink.shape)
    seen = widen(sight.ink, 1 + math.ceil(measure_wobble(drawing)))[pixels]
    counted = _choose_samples(strokes, samples)
    totals = np.bincount(samples.owners[counted], minlength=count)
    found = np.bincount(samples.owners[counted & seen], minlength=count)
    excused = np.zeros(count)
    marks = _find_marks(sight, drawing)
    if marks is not None:
        under = np.bincount(samples.owners[counted & ~seen & widen(marks, 2)[pixels]], minlength=count)
        excused = np.where(under <= MOST_UNDER_MARKS * totals, under, 0)
    for i in np.flatnonzero(found < LEAST_SHARE * (totals - excused)).tolist():
        line, span = strokes.shapes[i], samples.find_span(i)
        mine = span.start + np.flatnonzero(counted[span])
        share = float(found[i] / totals[i])
        if line.style != "-" and share >= LEAST_DASHES and _measure_gap(seen[mine]) <= LONGEST_GAP:
            continue
        if line.style == "-" and line.filled:
            share = _measure_edge(sight, strokes, samples, mine)
            if share >= LEAST_SHARE:
                continue
        return f"{_name_stroke(line)} is recorded, but the picture shows only {share:.0%} of it"
    return None


def _choose_samples(strokes: Strokes, samples: Samples) -> np.ndarray:
    """The samples that must be seen: not those of an arc that leaves its Axes, nor the ends of an arrow."""
    counted = np.ones(len(samples.owners), bool)
    for i, line in enumerate(strokes.shapes):
        if isinstance(line, Arc):
            span = samples.find_span(i)
            left, top, right, bottom = strokes.panels[i].box
            x, y = samples.places[span].T
            counted[span] = (x > left) & (x < right) & (y > top) & (y < bottom)
        elif line.head > 0:
            span = samples.find_span(i)
            places = samples.places[span]
            for end in places[:1], places[-1:]:
                counted[span] &= np.hypot(*(places - end).T) >= ARROW_SPARE
    return counted


def _find_marks(sight: Sight, drawing: Drawing) -> np.ndarray | None:
    """Where small filled marks lie that a viewer sees as marks: those with a visible rim, or around a text."""
    most = LARGEST_MARK * max(1.0, min(drawing.width, drawing.height) / 512)
    texts = [find_middle(label, panel) for panel in drawing.panels for label in panel.labels]
    marks: np.ndarray | None = None
    for face in drawing.faces:
        corners = np.vstack([np.array(ring) for ring in face.rings])
        low, high = corners.min(axis=0), corners.max(axis=0)
        if face.alpha == 0 or (high - low).max() > most:
            continue
        around = any(low[0] <= x <= high[0] and low[1] <= y <= high[1] for x, y in texts)
        if around or _has_rim(sight, face, drawing):
            inside = fill_face(face, drawing.width, drawing.height)
            marks = inside if marks is None else marks | inside
    return marks


def _has_rim(sight: Sight, face: Face, drawing: Drawing) -> bool:
    places = sample(trace_face(face, drawing)).places
    seen = widen(sight.ink, 1)[index_pixels(places, sight.ink.shape)]
    return bool(seen.size and seen.mean() >= LEAST_SHARE)


def _measure_gap(seen: np.ndarray) -> float:
    """The longest run of samples without ink."""
    edges = np.flatnonzero(np.concatenate([[True], seen, [True]]))
    return float(np.diff(edges).max() - 1)


def _measure_edge(sight: Sight, strokes: Strokes, samples: Samples, mine: np.ndarray) -> float:
    """The share of a filled shape's outline along which its two sides, or the outline and a side, differ."""
    pieces = strokes.pieces[samples.pieces[mine]]
    along = pieces[:, 2:] - pieces[:, :2]
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    aside = (strokes.widths[samples.owners[mine]] + 2)[:, None] * normal
    places = samples.places[mine]
    middle, one, other = (
        sight.values[index_pixels(each, sight.ink.shape)].astype(np.int16)
        for each in (places, places + aside, places - aside)
    )
    apart = np.maximum(np.maximum(np.abs(middle - one), np.abs(middle - other)), np.abs(one - other)).max(axis=1)
    return float((apart >= INK).mean())


def _name_stroke(line: Polyline | Arc) -> str:
    if isinstance(line, Arc):
        return f"the circle or arc around ({line.centre[0]:.3g}, {line.centre[1]:.3g})"
    (x0, y0), (x1, y1) = line.points[0], line.points[-1]
    kind = "line" if len(line.points) == 2 else "outline" if line.closed else "polyline"
    return f"the {kind} from ({x0:.3g}, {y0:.3g}) to ({x1:.3g}, {y1:.3g})"


def _find_unseen_dot(sight: Sight, drawing: Drawing) -> str | None:
    for panel in drawing.panels:
        ax, bx, ay, by = map_panel(panel)
        for dot in panel.dots:
            if dot.marker not in MARKERS:
                return f"the marker {dot.marker!r} is no dot; draw a text as a text and a line as a line"
            half = 0.5 * dot.size * drawing.dpi / 72
            x, y = ax * dot.position[0] + bx, ay * dot.position[1] + by
            least = LEAST_DASHES * 4 * half * half * (0.25 if dot.marker in THIN_MARKERS else 1.0)
            if np.count_nonzero(sight.ink[cut_around(x, y, half, drawing)]) < max(1.0, least):
                return f"the dot at ({dot.position[0]:.3g}, {dot.position[1]:.3g}) is recorded, but not seen"
        if len(panel.dots) >= CLOSE_DOTS:
            places = np.array([dot.position for dot in panel.dots]) * (ax, ay) + (bx, by)
            near = scipy.spatial.cKDTree(places).query(places, k=2)[0][:, 1]
            size = float(np.median([dot.size for dot in panel.dots])) * drawing.dpi / 72
            if np.count_nonzero((near > 0) & (near < 1.5 * size)) >= CLOSE_DOTS:
                return "dots stand so close together that they are seen as a line"
    return None


def _find_misspelt(drawing: Drawing) -> str | None:
    for panel in drawing.panels:
        for label in panel.labels:
            fault = find_misspelling(label)
            if fault:
                return f"the text {label.text!r} is recorded, but {fault}"
    return None


def _find_unseen_text(sight: Sight, drawing: Drawing, explained: Explained) -> str | None:
    labels = [(label, panel) for panel in drawing.panels for label in panel.labels]
    lettering, sway = explained.lettering, math.ceil(measure_wobble(drawing))
    for (label, panel), window in zip(labels, lettering.windows, strict=True):
        contrast = _measure_contrast(sight, label, panel)
        fault = measure_fault(window, sight.off, lettering.coverage, explained.others, contrast, sway)
        if contrast < INK or fault > 0:
            return f"the text {label.text!r} is recorded, but the picture does not show it so"
    return None


def _measure_contrast(sight: Sight, label: Label, panel: Panel) -> float:
    """Levels by which a text's colour differs from what it stands on."""
    colors = sight.backdrop.colors
    if colors.ndim == 3:
        colors = colors[index_pixels(np.array([find_middle(label, panel)]), colors.shape)][0]
    return float(np.abs(np.array(read_color(label.color)) - colors).max())


# Seen, but not recorded


def _find_bare_face(sight: Sight, drawing: Drawing, explained: Explained) -> str | None:
    """A filled region that is seen like a shape of the figure, but whose outline the record does not have."""
    for face in sight.backdrop.standing_out:
        places = sample(trace_face(face, drawing)).places
        if face.clip is not None:
            (x0, y0, x1, y1), (x, y) = face.clip, places.T
            places = places[(x > x0 + 2) & (x < x1 - 2) & (y > y0 + 2) & (y < y1 - 2)]
        if not len(places) or _is_ground(face, drawing):
            continue
        if explained.drawn[index_pixels(places, explained.drawn.shape)].mean() < LEAST_SHARE:
            return f"a region filled with {face.color} has no recorded outline"
    return None


def _is_ground(face: Face, drawing: Drawing) -> bool:
    """Whether a face is the background of an Axes or of a text."""
    corners = np.vstack([np.array(ring) for ring in face.rings])
    (x0, y0), (x1, y1) = corners.min(axis=0), corners.max(axis=0)
    box = (x0, y0, x1, y1)
    for panel in drawing.panels:
        if max(abs(a - b) for a, b in zip(box, panel.box, strict=True)) < 1.5:
            return True
        for label in panel.labels:
            rows, columns = cut_label(label, panel, drawing, LARGEST_FRAME)
            if x0 >= columns.start and x1 <= columns.stop and y0 >= rows.start and y1 <= rows.stop:
                return True
    return False


def _find_odd_hatch(sight: Sight, drawing: Drawing, explained: Explained) -> str | None:
    """A hatched region that is too dense, or in which something stands that is not the pattern."""
    if sight.backdrop.hatched is None:
        return None
    free = ~explained.unite()
    loose = sight.trace & free
    for face in drawing.faces:
        if not face.hatched:
            continue
        inside = fill_face(face, drawing.width, drawing.height)
        if inside.any() and sight.ink[inside].mean() > MOST_HATCHED:
            return "a hatched region is so dense that it hides what is in it"
        blocks = [block for block in _cut_blocks(drawing) if inside[block].all() and free[block].mean() > LEAST_FREE]
        shares = np.array([loose[block].sum() / free[block].sum() for block in blocks])
        if len(shares):
            low, high = (bound * float(np.median(shares)) for bound in UNEVEN_HATCH)
            if shares.min() < low or shares.max() > high:
                return "in a hatched region something is seen that is not its pattern"
    return None


def _cut_blocks(drawing: Drawing) -> list[Window]:
    side = max(8, round(HATCH_BLOCK * drawing.dpi))
    return [
        (slice(y, y + side), slice(x, x + side))
        for y in range(0, drawing.height - side, side)
        for x in range(0, drawing.width - side, side)
    ]


def _find_unrecorded(sight: Sight, explained: Explained) -> str | None:
    known = explained.unite()
    if sight.backdrop.hatched is not None:
        known |= sight.backdrop.hatched
    loose = sight.trace & ~known
    count = int(np.count_nonzero(loose))
    if count < LEAST_CHANGE:
        return None
    places = np.argwhere(loose)
    x, y = int(np.median(places[:, 1])), int(np.median(places[:, 0]))
    place = f"{count} pixels about ({x}, {y}) from the top left"
    return f"the picture shows what no recorded line, dot or text explains: {place}"
