"""What a language model's script draws, tried and measured, with what is wrong in words fit for a repair prompt."""

from __future__ import annotations

from collections.abc import Sequence

from storage.rows import Fact
from tasks.contract.context import Context
from tasks.geometry.checks import tell
from tasks.geometry.figure.claims import find_unshown
from tasks.geometry.figures import Figure, FigureError, read_figure
from tasks.geometry.settings import GeometrySettings
from tasks.llm.repair import Trial, try_script


def try_figure(code: str, context: Context[GeometrySettings]) -> Trial[Figure]:
    """Run a script and measure its drawing; what a viewer could not read is a failure."""
    trial = try_script(context.renderer, code)
    if trial.result is None:
        return Trial(None, trial.problem, trial.code, trial.line, trial.source_line, trial.log)
    try:
        figure = read_figure(code, context.renderer)
    except FigureError as error:
        broken = "breaks the drawing rules" if error.check == "drawing_rules" else "cannot be read as a labelled figure"
        return Trial(problem=f"the drawing {broken}: {error}", code="picture")
    if figure.problem:
        return Trial(problem=f"the picture breaks the drawing rules: {figure.problem}", code="picture")
    if figure.mismatch:
        return Trial(problem=f"what was drawn cannot be seen as it was drawn: {figure.mismatch}", code="picture")
    if not figure.scene.points:
        return Trial(problem="the drawing has no labelled point", code="picture")
    if figure.overdrawn:
        said = f"the picture states what its lines do not show: {tell(figure.overdrawn)}"
        return Trial(problem=said, code="picture")
    return Trial(figure)


def try_claims(code: str, text: str, claims: Sequence[Fact], context: Context[GeometrySettings]) -> Trial[Figure]:
    """As `try_figure`, and the picture must show the ``claims`` of ``text``."""
    trial = try_figure(code, context)
    if trial.result is None:
        return trial
    unshown = find_unshown(claims, trial.result.scene)
    if unshown:
        said = f"the drawing does not show what the caption {text!r} says: {tell(unshown)}"
        return Trial(problem=said, code="own_claims_shown")
    return trial
