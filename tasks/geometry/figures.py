"""The one road from a drawing to a figure: a script rendered and measured once per process."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from functools import lru_cache

from counterfoil.renderers.results import Drawing, Outcome, ScriptRenderer
from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.figure.claims import find_overdrawn
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.measuring.evidence import find_mismatch
from counterfoil.tasks.geometry.measuring.measure import MeasureError, measure_drawing
from counterfoil.tasks.geometry.measuring.reading import Seen
from counterfoil.tasks.geometry.measuring.rules import find_picture_problem

REMEMBERED = 1024
"""Figures kept: those of an anchor and its pictures are asked for by every family's verifier."""


class FigureError(Exception):
    """A script whose picture cannot be read as a figure; ``check`` names what it failed, the message says why."""

    def __init__(self, check: str, reason: str) -> None:
        super().__init__(reason)
        self.check = check


@dataclass(frozen=True)
class Figure:
    """What a script draws: its picture, and the scene that is measured on it and on nothing else."""

    png: bytes
    drawing: Drawing
    scene: Scene
    seen: Seen
    """All that a stranger reads of it."""
    problem: str | None
    """The first drawing rule that the picture breaks."""
    mismatch: str | None
    """Where the pixels are not what was recorded."""
    overdrawn: tuple[Fact, ...]
    """Marks that the coordinates belie."""

    @property
    def misread(self) -> str | None:
        """A mark that a stranger could take for another fact than was measured."""
        return self.seen.find_doubt()


_known: OrderedDict[str, Figure | FigureError] = OrderedDict()
_lock = threading.Lock()


def read_figure(code: str, renderer: ScriptRenderer) -> Figure:
    """The figure that ``code`` draws; remembered, so that a maker, a verifier and the next family read it once.

    Raises:
        FigureError: the script does not draw, or its drawing is no labelled figure.
    """
    rendering = renderer.render(code)
    if rendering.outcome is not Outcome.OK or rendering.drawing is None or rendering.png is None:
        detail = f"{rendering.error.type}: {rendering.error.message}" if rendering.error else rendering.log[-200:]
        raise FigureError("code_renders", f"{rendering.outcome.value} {detail}".strip())
    key = _hash(code)
    with _lock:
        known = _known.get(key)
    if known is None:
        known = _measure_figure(rendering.png, rendering.drawing)
        with _lock:
            _known[key] = known
            if len(_known) > REMEMBERED:
                _known.popitem(last=False)
    if isinstance(known, FigureError):
        raise FigureError(known.check, str(known))
    return known


@lru_cache(maxsize=64)
def _hash(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()


def _measure_figure(png: bytes, drawing: Drawing) -> Figure | FigureError:
    problem = find_picture_problem(drawing)
    try:
        measured = measure_drawing(drawing)
    except MeasureError as error:
        return FigureError("drawing_rules", problem) if problem else FigureError("figure_measured", str(error))
    return Figure(
        png,
        drawing,
        measured.scene,
        measured.seen,
        problem,
        find_mismatch(drawing, png),
        tuple(find_overdrawn(measured.scene)),
    )
