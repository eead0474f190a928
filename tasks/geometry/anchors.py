"""From a problem to an anchor: scene, script, picture, measured facts, captions.

The picture is the judge: an anchor exists only where every point, line, circle, mark and fact of its scene is measured
on what the sandbox drew, and every claim of its captions is shown there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from counterfoil.storage.rows import Anchor, Fact, Image, Reject, content_id
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import AnchorMaker, SourceRow
from counterfoil.tasks.contract.rejects import reject_source
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.geometry.captions.read import ClaimError, parse_claims
from counterfoil.tasks.geometry.captions.spelling import spell_question
from counterfoil.tasks.geometry.captions.write import write_captions
from counterfoil.tasks.geometry.checks import check_picture, is_ours, read_text, tell, tell_labels, tell_unshown
from counterfoil.tasks.geometry.drawing.layout import lay_out
from counterfoil.tasks.geometry.drawing.script import write_data, write_layout, write_script
from counterfoil.tasks.geometry.drawing.sheet import write_sheet
from counterfoil.tasks.geometry.facts.judge import canonicalise, holds, judge
from counterfoil.tasks.geometry.facts.residuals import measure_distance
from counterfoil.tasks.geometry.figure.claims import find_unshown, list_meanings
from counterfoil.tasks.geometry.figure.motions import turn_scene
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.solve import list_failing
from counterfoil.tasks.geometry.figure.sums import find_contradiction
from counterfoil.tasks.geometry.figures import Figure, FigureError, read_figure
from counterfoil.tasks.geometry.measuring.closed import find_stray, find_unstated
from counterfoil.tasks.geometry.measuring.legible import find_illegible
from counterfoil.tasks.geometry.measuring.look import find_misreading
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.geometry.sources.geometry3k import ReadingError
from counterfoil.tasks.geometry.sources.reading import Problem, ProblemError
from counterfoil.tasks.geometry.styles import choose_style
from counterfoil.tasks.geometry.traits import count_steps

FAMILY = "geometry.anchor"
PLACE_TOLERANCE = 0.01
"""Share of the extent within which a measured point must be where the scene has it."""


class AnchorError(Exception):
    """A problem cannot become an anchor; the message is the reason, ``"code: details"``."""


def make_anchors_of(read: Callable[[SourceRow], Problem]) -> AnchorMaker[GeometrySettings]:
    """The maker of the one anchor of a row that ``read`` turns into a problem."""

    def make_anchors(row: SourceRow, context: Context[GeometrySettings]) -> Iterator[Anchor | Reject]:
        try:
            yield make_anchor(row, read(row), context)
        except (AnchorError, ProblemError, ReadingError) as error:
            yield reject_source("geometry", row, str(error))

    return make_anchors


def make_anchor(row: SourceRow, problem: Problem, context: Context[GeometrySettings]) -> Anchor:
    """The anchor of a problem, drawn, measured and captioned.

    Raises:
        AnchorError: its picture does not show it, or its captions are not shown by the picture.
    """
    settings = context.settings
    style = choose_style(context, row.source, row.source_id)
    scene = turn_scene(problem.scene if settings.markings else problem.scene.drop_numbers(), style.turn)
    layout = lay_out(scene, style)
    code = write_layout(layout)
    context.renderer.render_together([code], [write_sheet(layout)])
    try:
        figure = read_figure(code, context.renderer)
    except FigureError as error:
        codes = {"code_renders": "not_rendered", "drawing_rules": "picture", "figure_measured": "measured"}
        raise AnchorError(f"{codes[error.check]}: {error}") from error
    check_figure(scene, figure)
    illegible = find_illegible(figure.drawing, figure.png, settings.legible_at)
    if illegible:
        raise AnchorError(f"illegible: {illegible}")
    question = spell_question(problem.question, settings.caption_style)
    anchor_id = name_figure(row.source, row.source_id, code, question, problem.answer)
    facts = scene.to_facts()
    captions = _write_captions(facts, anchor_id, context)
    check_captions(captions, figure.scene)
    return Anchor(
        anchor_id=anchor_id,
        domain="geometry",
        source=row.source,
        source_id=row.source_id,
        split=row.split,
        image=Image(figure.png, f"{anchor_id}.png"),
        caption=captions[0],
        captions=captions,
        code=code,
        code_language="python",
        question=question,
        answer=problem.answer,
        solution=problem.solution,
        facts=facts,
        steps=count_steps(problem.solution),
    )


def _write_captions(facts: tuple[Fact, ...], anchor_id: str, context: Context[GeometrySettings]) -> tuple[str, ...]:
    settings = context.settings
    return write_captions(facts, context.rng(FAMILY, anchor_id), settings.captions, settings.caption_style)


def name_anchor(anchor: Anchor, context: Context[GeometrySettings]) -> str:
    """The id that an anchor has by its code and its problem."""
    del context
    return name_figure(anchor.source, anchor.source_id, anchor.code or "", anchor.question or "", anchor.answer or "")


def name_figure(source: str, source_id: str, code: str, question: str, answer: str) -> str:
    """The id of the anchor of a problem that this code draws."""
    return content_id("geometry", source, source_id, code, question, answer)


def check_figure(scene: Scene, figure: Figure) -> None:
    """Raise `AnchorError` unless ``figure`` is ``scene`` in every point, line, mark and fact."""
    if figure.problem:
        raise AnchorError(f"picture: {figure.problem}")
    if figure.mismatch:
        raise AnchorError(f"picture: {figure.mismatch}")
    difference = find_difference(scene, figure)
    if difference:
        raise AnchorError(f"measured: {difference}")
    failing = list_failing(figure.scene, scene.facts)
    if failing:
        raise AnchorError(f"measured: {failing[0][0]} is off by {failing[0][1]:.3f}")
    misread = find_misreading(scene, figure.seen) or find_unstated(scene, figure.seen)
    if misread:
        raise AnchorError(f"misread: {misread}")


def check_closed(checks: Checks, name: str, scene: Scene, code: str | None, figure: Figure, ours: bool) -> None:
    """What is drawn is ``scene`` and nothing else, both ways: points, lines, circles and marks, and where they stand.

    In a script of ours (``ours``) nothing is drawn that no fact states, and no fact is there that was not drawn.
    """
    try:
        check_figure(scene, figure)
    except AnchorError as error:
        raise CheckError(f"{name}: {error}") from error
    stray = find_stray(figure.seen) if ours else None
    checks.require(name, stray is None, stray or "")
    drawn = not ours or write_data(scene) in (code or "")
    checks.require(name, drawn, "the script draws other points, segments or circles than the facts state")


def find_difference(scene: Scene, figure: Figure) -> str | None:
    """How the measured figure differs from the scene that was to be drawn, or None."""
    seen = figure.scene
    if set(seen.points) != set(scene.points):
        odd = ", ".join(sorted(set(seen.points) ^ set(scene.points)))
        return f"{odd} in one of drawing and scene only"
    limit = PLACE_TOLERANCE * scene.extent
    for name, place in scene.points.items():
        if measure_distance(place, seen.points[name]) > limit:
            return f"label {name} reads as another point"
    for segment in scene.segments:
        if not seen.has_line(*segment):
            return f"the line {''.join(segment)} is not seen"
    for segment in seen.segments:
        if not scene.has_line(*segment):
            return f"a line {''.join(segment)} is seen that the scene does not have"
    for name, circle in scene.circles.items():
        other = seen.circles.get(name)
        if other is None or measure_distance(circle, other) > limit or abs(circle[2] - other[2]) > limit:
            return f"circle {name} is not seen"
    if len(seen.circles) != len(scene.circles):
        return "a circle is seen that the scene does not have"
    return _find_plane_difference(scene, seen) or _find_mark_difference(scene, figure)


def _find_plane_difference(scene: Scene, seen: Scene) -> str | None:
    """How axes, and what runs to their edges, are not as they were to be drawn."""
    if scene.axes != seen.axes:
        return (
            "the axes are not seen as they are stated" if scene.axes else "axes are seen that the scene does not have"
        )
    if len(scene.lines) != len(seen.lines) or len({v for v, _ in scene.parabolas}) != len(
        {v for v, _ in seen.parabolas}
    ):
        return "another number of lines or curves runs to the edges of the axes"
    for p, q in scene.lines:
        if not any(_is_on(p, line, seen) and _is_on(q, line, seen) for line in seen.lines):
            return f"the line {p}{q} is not seen to run on"
    curve = next((curve for curve in scene.parabolas if curve not in seen.parabolas), None)
    return None if curve is None else f"the parabola of vertex {curve[0]} through {curve[1]} is not seen"


def _is_on(name: str, line: tuple[str, str], scene: Scene) -> bool:
    return name in line or holds(Fact("collinear", (name, *line)), scene.coordinates)


def _find_mark_difference(scene: Scene, figure: Figure) -> str | None:
    read_off = {canonicalise(mark) for mark in figure.scene.marks}
    for mark in scene.marks:
        if canonicalise(mark) not in read_off and not _is_along(mark, figure.scene):
            return f"{mark} is not read at its place"
    if figure.seen.strays:
        return f"the text {figure.seen.strays[0]!r} stands at nothing"
    return f"{figure.overdrawn[0]} is read, which is not so" if figure.overdrawn else None


def _is_along(mark: Fact, seen: Scene) -> bool:
    """Whether arrowheads are read on the line of a ``mark_parallel``: they mark a line, whichever of its points name
    it."""
    if mark.predicate != "mark_parallel":
        return False
    rivals = [other for other in seen.marks if (other.predicate, other.value) == (mark.predicate, mark.value)]
    return any(
        all(
            holds(Fact("collinear", (*mark.arguments, name)), seen.coordinates)
            for name in set(other.arguments) - set(mark.arguments)
        )
        for other in rivals
    )


def check_captions(captions: tuple[str, ...], measured: Scene) -> None:
    """Raise `AnchorError` unless every claim of every caption is shown by the measured figure."""
    if not captions:
        raise AnchorError("caption: the figure states nothing")
    for caption in captions:
        try:
            claims = parse_claims(caption)
        except ClaimError as error:
            raise AnchorError(f"caption: {error}") from error
        unshown = find_unshown(claims, measured)
        if unshown:
            raise AnchorError(f"caption: {unshown[0]} is not shown")
        contradiction = find_contradiction(measured, claims)
        if contradiction:
            raise AnchorError(f"numbers: {contradiction}")


@checked
def verify_anchor(checks: Checks, anchor: Anchor, context: Context[GeometrySettings]) -> None:
    """The picture is what the code draws, every caption and every stated fact is shown by it."""
    figure = check_picture(checks, anchor.code, anchor.image, context)
    scene = _check_facts(checks, anchor, figure)
    seen = read_figure(anchor.code or "", context.renderer)
    ours = is_ours(anchor.provenance)
    check_closed(checks, "facts_are_all", scene, anchor.code, seen, ours)
    if ours:
        written = write_script(scene, choose_style(context, anchor.source, anchor.source_id))
        checks.require(
            "script_written", anchor.code == written, "the script is not the one that its facts are drawn by"
        )
        captions = _write_captions(anchor.facts, anchor.anchor_id, context)
        known = anchor.captions == captions and anchor.caption == captions[0]
        checks.require("captions_written", known, "the captions are not those that its facts are put in words by")
    meanings = set()
    for caption in dict.fromkeys((anchor.caption or "", *anchor.captions)):
        claims = read_text(checks, caption, figure)
        unshown = find_unshown(claims, figure)
        checks.require("claims_shown", not unshown, tell(unshown))
        contradiction = find_contradiction(figure, claims)
        checks.require("numbers_agree", contradiction is None, contradiction or "")
        meanings.add(list_meanings(claims))
    checks.require("captions_agree", len(meanings) == 1, "the captions do not make the same claims")
    counted = anchor.steps in (None, count_steps(anchor.solution))
    checks.require("steps_counted", counted, lambda: f"its solution has not {anchor.steps} steps")


def _check_facts(checks: Checks, anchor: Anchor, figure: Scene) -> Scene:
    try:
        scene = Scene.from_facts(anchor.facts)
    except ValueError as error:
        raise CheckError(f"facts_read: {error}") from error
    checks.require("labels_drawn", set(scene.points) == set(figure.points), lambda: tell_labels(scene, figure))
    drawn = [Fact("segment", segment) for segment in scene.segments]
    drawn += [Fact("circle", (name,)) for name in scene.circles]
    checks.require("strokes_drawn", not find_unshown(drawn, figure), lambda: tell_unshown(drawn, figure))
    broken = [fact for fact in scene.facts if judge(fact, figure.coordinates) is False]
    checks.require("facts_hold", not broken, lambda: tell(broken))
    return scene
