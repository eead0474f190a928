"""An overlap as one HTML file: the shares, the two sides in the plane, and the nearest pairs side by side."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup

from counterfoil.tasks.mining.overlap import THRESHOLDS, Overlap, Separation
from counterfoil.tasks.mining.sides import Item
from counterfoil.tasks.report.web import read_style, render
from counterfoil.tasks.report.words import TextDiff, compare_texts

_WIDTH, _HEIGHT, _EDGE = 640, 420, 12
_PICTURES = {b"\x89PNG": "image/png", b"\xff\xd8": "image/jpeg", b"GIF8": "image/gif", b"RIFF": "image/webp"}


@dataclass(frozen=True)
class PairView:
    """A pair as the page shows it."""

    score: str
    a: str
    b: str
    text_a: str
    text_b: TextDiff
    picture_a: str | None
    picture_b: str | None


def render_overlap(overlap: Overlap) -> str:
    """The page. Pictures are within it; it asks nothing of the network."""
    return render(
        "overlap.html.j2",
        style=Markup(read_style()),
        overlap=overlap,
        shares=[(threshold, f"{100 * overlap.share_over(threshold):.2f} %") for threshold in THRESHOLDS],
        pairs=[_view_pair(pair.a, pair.b, pair.score) for pair in overlap.pairs],
        plot=draw_plane(overlap.separation, overlap.a.name, overlap.b.name) if overlap.separation else None,
    )


def _view_pair(a: Item, b: Item, score: float) -> PairView:
    compared = compare_texts(a.text or "", b.text or "")
    return PairView(f"{score:.4f}", a.row_id, b.row_id, a.text or "", compared, _embed(a.image), _embed(b.image))


def _embed(image: bytes | None) -> str | None:
    if image is None:
        return None
    kind = next((name for start, name in _PICTURES.items() if image.startswith(start)), "image/png")
    return f"data:{kind};base64,{b64encode(image).decode()}"


def draw_plane(separation: Separation, a: str, b: str) -> Markup:
    """The rows of both sides as points: B's are rings, so that colour alone tells nothing."""
    places = separation.places - separation.places.min(axis=0)
    scale = np.array([_WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE]) / np.maximum(places.max(axis=0), 1e-9)
    dots = []
    for (x, y), of_b in zip(places * scale + _EDGE, separation.sides, strict=True):
        kind = "b" if of_b else "a"
        dots.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>')
    label = Markup("the rows of {} (dots) and of {} (rings) in the plane").format(a, b)
    return Markup('<svg class="near-plane" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        _WIDTH, _HEIGHT, label, Markup("".join(dots))
    )
