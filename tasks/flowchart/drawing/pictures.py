"""Whether a picture is what its SVG paints, and whether each of its labels can be read."""

from __future__ import annotations

from itertools import combinations

from counterfoil.renderers.mermaid.protocol import MermaidError
from counterfoil.renderers.mermaid.raster import fit
from counterfoil.tasks.contract.memo import Memo
from counterfoil.tasks.contract.verdict import CheckError, Checks
from counterfoil.tasks.flowchart.drawing.legible import shows_all
from counterfoil.tasks.flowchart.drawing.rendering import find_letters, paint
from counterfoil.tasks.flowchart.drawing.vector import Picture, Placed, VectorError, read_vector
from counterfoil.tasks.flowchart.settings import FlowchartSettings

INK_SHARE = 0.6
"""Of a label's pixels when it is painted alone, at least so many must be seen in the picture."""
MOST_OVERLAP = 0.15
"""Share of the smaller of two labels' boxes that may lie on the other."""


REMEMBERED = 2048
"""Sound pictures that are known again: an anchor's contrasts and what is mined of others ask for the same."""


def check_picture(checks: Checks, svg: str, png: bytes, settings: FlowchartSettings) -> Picture:
    """What the SVG shows, once the picture is found to be painted from it with every label readable.

    Raises:
        CheckError: the first check that fails.
    """
    # What fails is not remembered: a renderer that took too long may be in time the next time.
    asked = settings.size, settings.smallest_text
    passed = _sound.recall(lambda: _examine(checks, svg, png, *asked), svg, png, *asked)
    for name in passed:
        checks.require(name, True, "")
    return read_vector(svg)


_sound = Memo[tuple[str, ...]](REMEMBERED)


def _examine(checks: Checks, svg: str, png: bytes, size: int, smallest_text: float) -> tuple[str, ...]:
    """The names of the checks, all of which the picture passes."""
    try:
        picture = read_vector(svg)
    except VectorError as error:
        raise CheckError(f"vector_read: {error}") from error
    checks.require("vector_read", True, "")
    try:
        same = paint(svg, size) == png
    except MermaidError as error:
        raise CheckError(f"picture_painted: {error.message}") from error
    checks.require("picture_painted", same, "the picture is not what its SVG paints")
    _check_labels(checks, svg, picture, size, smallest_text)
    return ("vector_read", "picture_painted", "labels_in_frame", "text_legible", "labels_apart", "labels_seen")


def _check_labels(checks: Checks, svg: str, picture: Picture, size: int, smallest_text: float) -> None:
    """Every label is in the frame, large enough, on no other label, and seen."""
    width, height = fit(picture.width, picture.height, size)
    scale = width / picture.width
    outside = [label.text for label in picture.labels if _leaves(label, picture)]
    checks.require("labels_in_frame", not outside, lambda: f"{outside[0]!r} leaves the picture")
    small = min((label.size * scale for label in picture.labels), default=smallest_text)
    checks.require(
        "text_legible",
        small >= smallest_text,
        lambda: f"{small:.1f} px at this size; raise [flowchart] size above {size} or granulate",
    )
    touching = [pair for pair in combinations(picture.labels, 2) if _overlap(*pair) > MOST_OVERLAP]
    checks.require("labels_apart", not touching, lambda: f"{touching[0][0].text!r} and {touching[0][1].text!r}")
    hidden = (
        []
        if shows_all(svg, picture)
        else _find_hidden(svg, picture, size, scale, (size - width) // 2, (size - height) // 2)
    )
    checks.require("labels_seen", not hidden, lambda: f"{hidden[0]!r} cannot be read in the picture")


def _leaves(label: Placed, picture: Picture) -> bool:
    x0, y0, x1, y1 = label.box
    return x0 < -0.5 or y0 < -0.5 or x1 > picture.width + 0.5 or y1 > picture.height + 0.5


def _overlap(one: Placed, other: Placed) -> float:
    """The overlap as a share of the smaller box."""
    width = min(one.box[2], other.box[2]) - max(one.box[0], other.box[0])
    height = min(one.box[3], other.box[3]) - max(one.box[1], other.box[1])
    if width <= 0 or height <= 0:
        return 0.0
    areas = [(b[2] - b[0]) * (b[3] - b[1]) for b in (one.box, other.box)]
    return width * height / max(min(areas), 1.0)


def _find_hidden(svg: str, picture: Picture, size: int, scale: float, left: int, top: int) -> list[str]:
    """The labels whose ink does not show in the picture."""
    inked, seen = find_letters(svg, size)
    hidden = []
    for label in picture.labels:
        x0, y0 = int(label.box[0] * scale) + left, int(label.box[1] * scale) + top
        x1, y1 = int(label.box[2] * scale) + left + 1, int(label.box[3] * scale) + top + 1
        window = (slice(max(y0, 0), min(y1, size)), slice(max(x0, 0), min(x1, size)))
        expected = int(inked[window].sum())
        if expected == 0 or int(seen[window].sum()) < INK_SHARE * expected:
            hidden.append(label.text)
    return hidden
