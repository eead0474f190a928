"""What a language model's script draws, tried and measured, with what is wrong in words fit for a repair prompt."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.storage.rows import Anchor, Fact
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.geometry.checks import look_at_anchor, read_anchor, tell, tell_labels
from counterfoil.tasks.geometry.figure.claims import find_broken, find_unshown
from counterfoil.tasks.geometry.figures import Figure, FigureError, read_figure
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.llm.repair import Trial, try_script


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
    if problem := figure.problem or figure.mismatch:
        return Trial(problem=f"the picture breaks the drawing rules: {problem}", code="picture")
    if not figure.scene.points:
        return Trial(problem="the drawing has no labelled point", code="picture")
    if figure.overdrawn:
        said = f"the picture states what its lines do not show: {tell(figure.overdrawn)}"
        return Trial(problem=said, code="picture")
    return Trial(figure)


def try_negative(
    code: str, text: str, claims: Sequence[Fact], anchor: Anchor, context: Context[GeometrySettings]
) -> Trial[Figure]:
    """As `try_figure`, and the picture must be one of ``text``, whose claims these are, and none of the anchor."""
    trial = try_figure(code, context)
    figure = trial.result
    if figure is None:
        return trial
    unshown = find_unshown(claims, figure.scene)
    if unshown:
        said = f"the drawing does not show what the caption {text!r} says: {tell(unshown)}"
        return Trial(problem=said, code="own_claims_shown")
    anchored = look_at_anchor(anchor, context)
    if set(figure.scene.points) != set(anchored.points):
        labels = tell_labels(anchored, figure.scene)
        return Trial(problem=f"the drawing has not the letters of the first figure: {labels}", code="same_letters")
    if not find_broken(read_anchor(anchor), figure.scene):
        said = f"the drawing still shows all that the caption {anchor.caption!r} says"
        return Trial(problem=said, code="anchor_broken")
    return trial
