"""From a source row to an anchor: scene, script, picture, measured facts, captions.

The picture is the judge: an anchor exists only where every point, line, circle, mark and fact of its scene is measured
on what the sandbox drew, and every claim of its captions is shown there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from renderers.results import Drawing, Outcome, Rendering
from storage.rows import Anchor, Fact, Image, Provenance, Reject, content_id
from tasks.contract.context import Context
from tasks.contract.domain import SourceRow
from tasks.geometry.captions.read import ClaimError, parse_claims
from tasks.geometry.captions.write import write_captions
from tasks.geometry.drawing.layout import NUMBERS
from tasks.geometry.drawing.script import write_script
from tasks.geometry.facts.judge import canonicalise, holds, write_fact
from tasks.geometry.facts.predicates import MEASURES
from tasks.geometry.facts.residuals import measure_distance
from tasks.geometry.figure.claims import find_overdrawn, find_unshown
from tasks.geometry.figure.scene import Scene, SceneError
from tasks.geometry.figure.solve import list_failing, solve
from tasks.geometry.measuring.evidence import find_mismatch
from tasks.geometry.measuring.measure import MeasureError, Measurement, measure
from tasks.geometry.measuring.rules import find_picture_problem
from tasks.geometry.settings import GeometrySettings
from tasks.geometry.sources import geometry3k, problems
from tasks.geometry.sources.sampler import sample_rows

FAMILY = "geometry.anchor"
PLACE_TOLERANCE = 0.01
"""Share of the extent within which a measured point must be where the scene has it."""


class AnchorError(Exception):
    """A row cannot become an anchor; the message is the reason, ``"code: details"``."""


@dataclass(frozen=True)
class Problem:
    """A scene with solved coordinates and the words that go with it."""

    scene: Scene
    question: str
    answer: str
    solution: str | None = None


def read(settings: GeometrySettings, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    """The rows of the settings' source, streaming.

    Raises:
        SourceError: the source cannot be read.
    """
    kind, target = settings.source_kind, settings.source_target
    if kind == "procedural":
        count = int(target) if limit is None else min(limit, int(target))
        return sample_rows(count, seed, settings.combine)
    reader = {"geometry3k": geometry3k.read_rows, "problems": problems.read_rows}[kind]
    return reader(target, kind, limit)


def make_anchors(row: SourceRow, context: Context) -> Iterator[Anchor | Reject]:
    """The one anchor of a row, or a `Reject` with the reason."""
    try:
        yield _make_anchor(row, read_problem(row), context)
    except (AnchorError, geometry3k.ReadingError) as error:
        payload = json.dumps(dict(row.payload), ensure_ascii=False, sort_keys=True)
        provenance = Provenance(seed=context.seed)
        yield Reject(FAMILY, (str(error),), row.source, row.source_id, source_row=payload, provenance=provenance)


def read_problem(row: SourceRow) -> Problem:
    """The row's scene with its stated facts made true, and its question and answer.

    Raises:
        AnchorError: ``stated_facts`` with the residuals, ``unclear_figure``, ``needs_llm`` or ``bad_scene``.
        tasks.geometry.sources.geometry3k.ReadingError: a formal statement cannot be read.
    """
    payload = row.payload
    match payload.get("format"):
        case "geometry3k":
            reading = geometry3k.read_scene(payload)
            try:
                return Problem(solve_reading(reading), str(payload["text_en"]), str(payload["answer"]))
            except SceneError as error:
                raise AnchorError(f"bad_scene: {error}") from error
        case "procedural":
            return _read_sampled(payload)
        case "problems":
            raise AnchorError(problems.NEEDS_LLM)
    raise AnchorError(f"bad_row: unknown format {payload.get('format')!r}")


def solve_reading(reading: geometry3k.Reading) -> Scene:
    """The scene of a reading, solved; regions become facts where they hold.

    Raises:
        AnchorError: the stated facts cannot hold together, or the figure that they force cannot be read.
    """
    solution = solve(reading.scene, (*reading.scene.claims, *reading.constraints))
    if solution.failing:
        raise AnchorError(f"stated_facts: {solution.reason}")
    if solution.flaw:
        raise AnchorError(f"unclear_figure: {solution.flaw}")
    scene = solution.scene
    disordered = next((fact for fact in scene.facts if not is_in_order(fact, scene)), None)
    if disordered is not None:
        raise AnchorError(f"unclear_figure: {''.join(disordered.arguments)} do not lie on their line in this order")
    shown = tuple(fact for fact in reading.regions if holds(fact, scene.coordinates))
    return replace(scene, facts=scene.facts + shown)


def is_in_order(fact: Fact, scene: Scene) -> bool:
    """Whether the points of a ``collinear`` fact lie in the order in which it names them; True for other facts."""
    if fact.predicate != "collinear":
        return True
    places = [scene.points[label] for label in fact.arguments]
    steps = sum(measure_distance(p, q) for p, q in pairwise(places))
    return steps <= 1.001 * measure_distance(places[0], places[-1])


def _read_sampled(payload: Mapping[str, Any]) -> Problem:
    facts = (Fact(predicate, tuple(arguments), value) for predicate, arguments, value in payload["facts"])
    try:
        scene = Scene.from_facts(facts)
    except SceneError as error:
        raise AnchorError(f"bad_scene: {error}") from error
    return Problem(scene, payload["question"], payload["answer"], payload.get("solution"))


def _make_anchor(row: SourceRow, problem: Problem, context: Context) -> Anchor:
    settings = context.settings
    assert isinstance(settings, GeometrySettings)
    scene = problem.scene if settings.markings else drop_numbers(problem.scene)
    code = write_script(scene)
    rendering = context.renderer.render(code)
    drawing = _require_drawing(rendering)
    assert rendering.png is not None
    mismatch = find_mismatch(drawing, rendering.png)
    if mismatch:
        raise AnchorError(f"picture: {mismatch}")
    measured = check_drawing(scene, drawing)
    anchor_id = content_id("geometry", row.source, row.source_id, code, problem.question, problem.answer)
    facts = scene.to_facts()
    captions = write_captions(facts, context.rng(FAMILY, anchor_id), settings.captions)
    check_captions(captions, measured)
    return Anchor(
        anchor_id=anchor_id,
        domain="geometry",
        source=row.source,
        source_id=row.source_id,
        split=row.split,
        image=Image(rendering.png, f"{anchor_id}.png"),
        caption=captions[0],
        captions=captions,
        code=code,
        code_language="python",
        question=problem.question,
        answer=problem.answer,
        solution=problem.solution,
        facts=facts,
        provenance=Provenance(seed=context.seed),
    )


def drop_numbers(scene: Scene) -> Scene:
    """The scene without lengths, angles and arc measures (``markings = false``); its shape stays."""
    marks = tuple(mark for mark in scene.marks if mark.predicate not in NUMBERS)
    facts = tuple(fact for fact in scene.facts if fact.predicate not in MEASURES)
    return replace(scene, marks=marks, facts=facts)


def _require_drawing(rendering: Rendering) -> Drawing:
    if rendering.outcome is not Outcome.OK or rendering.drawing is None or rendering.png is None:
        detail = f"{rendering.error.type}: {rendering.error.message}" if rendering.error else rendering.log[-200:]
        raise AnchorError(f"not_rendered: {rendering.outcome.value} {detail}".rstrip())
    return rendering.drawing


def check_drawing(scene: Scene, drawing: Drawing) -> Scene:
    """The scene measured on ``drawing``, once it is found to be ``scene`` in every point, line, mark and fact.

    Raises:
        AnchorError: the first difference, as a reject's reason.
    """
    problem = find_picture_problem(drawing)
    if problem:
        raise AnchorError(f"picture: {problem}")
    try:
        measurement = measure(drawing)
    except MeasureError as error:
        raise AnchorError(f"measured: {error}") from error
    difference = find_difference(scene, measurement)
    if difference:
        raise AnchorError(f"measured: {difference}")
    failing = list_failing(measurement.scene, scene.facts)
    if failing:
        raise AnchorError(f"measured: {write_fact(failing[0][0])} is off by {failing[0][1]:.3f}")
    return measurement.scene


def find_difference(scene: Scene, measurement: Measurement) -> str | None:
    """How the measured figure differs from the scene that was to be drawn, or None."""
    seen = measurement.scene
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
    return _find_mark_difference(scene, measurement)


def _find_mark_difference(scene: Scene, measurement: Measurement) -> str | None:
    read_off = {canonicalise(mark) for mark in measurement.scene.marks}
    for mark in scene.marks:
        if canonicalise(mark) not in read_off:
            return f"{write_fact(mark)} is not read at its place"
    if measurement.strays:
        return f"the text {measurement.strays[0]!r} stands at nothing"
    overdrawn = find_overdrawn(measurement.scene)
    return f"{write_fact(overdrawn[0])} is read, which is not so" if overdrawn else None


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
            raise AnchorError(f"caption: {write_fact(unshown[0])} is not shown")


@dataclass(frozen=True)
class Share:
    """How many rows of a source became anchors. ``reasons`` counts the rejects by code."""

    rows: int
    anchors: int
    reasons: Mapping[str, int]

    @property
    def consistent(self) -> int:
        """Rows whose stated facts can be read and can hold together."""
        return self.rows - sum(self.reasons.get(code, 0) for code in INCONSISTENT)

    def __str__(self) -> str:
        share = self.anchors / self.consistent if self.consistent else 0.0
        reasons = ", ".join(f"{code} {count}" for code, count in sorted(self.reasons.items(), key=lambda p: -p[1]))
        return (
            f"{self.anchors:,} anchors of {self.rows:,} rows, {share:.1%} of the {self.consistent:,} rows whose stated "
            f"facts are consistent; set aside: {reasons or 'none'}"
        )


INCONSISTENT = ("bad_row", "unreadable_statement", "nothing_drawn", "stated_facts")
"""Reject codes of rows that contradict themselves or cannot be read."""


__all__ = [
    "AnchorError",
    "Problem",
    "Share",
    "check_captions",
    "check_drawing",
    "drop_numbers",
    "find_difference",
    "make_anchors",
    "read",
    "read_problem",
    "solve_reading",
]
