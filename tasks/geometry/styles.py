"""The style of an anchor and its contrasts: one for all pictures of one problem, so that none tells them apart."""

from __future__ import annotations

from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.geometry.drawing.style import Style
from counterfoil.tasks.geometry.settings import GeometrySettings


def choose_style(context: Context[GeometrySettings], source: str, source_id: str) -> Style:
    """The style of all pictures of one problem: plain, or drawn from the seed and the problem alone."""
    plain = Style.for_reader(context.settings.legible_at)
    if context.settings.style == "plain":
        return plain
    return plain.vary(context.rng("geometry.style", f"{source}/{source_id}"))
