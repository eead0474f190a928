"""What the verifiers of the flowchart families have in common, from a row's stored bytes alone.

The anchor's chart is what its SVG shows and the contrast's chart is read from the contrast's own SVG, code or
sentence; neither knows which edit was meant. What the rows say of themselves (edits, caption, code beside a picture)
must then agree with what was read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from counterfoil.renderers.mermaid import MermaidError
from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.redrawing import check_drawn
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.flowchart.captions import (
    CaptionError,
    Claim,
    find_false_claims,
    read_caption,
    state_claims,
    write_caption,
)
from counterfoil.tasks.flowchart.chart.graph import Chart
from counterfoil.tasks.flowchart.chart.labels import squeeze
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.chart.sight import Sight, describe_difference, same_sight, see_chart
from counterfoil.tasks.flowchart.drawing.pictures import check_picture
from counterfoil.tasks.flowchart.drawing.rendering import draw_chart, open_chart, parse
from counterfoil.tasks.flowchart.drawing.vector import Picture, VectorError, read_vector
from counterfoil.tasks.flowchart.edits.answers import ANSWERS, turn_answer
from counterfoil.tasks.flowchart.edits.drawing import draw_published
from counterfoil.tasks.flowchart.edits.habits import Kept, is_question, list_broken, read_habits
from counterfoil.tasks.flowchart.edits.pool import draw_order
from counterfoil.tasks.flowchart.edits.replay import list_plans, replay, replay_published
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from counterfoil.tasks.flowchart.styles import choose_look
from counterfoil.tasks.flowchart.truth import judge_caption


def describe_error(error: MermaidError) -> str:
    """A renderer's error as a reject's reason, with the place where it has one."""
    place = f" (line {error.line}, column {error.column})" if error.line else ""
    return f"{error.code}: {error.message}{place}"


def read_anchor(anchor: Anchor) -> Picture:
    """What the anchor's SVG shows.

    Raises:
        CheckError: it cannot be read.
    """
    try:
        return read_vector(anchor.vector or "")
    except VectorError as error:
        raise CheckError(f"anchor_read: {error}") from error


def refutes(caption: str, anchor: Anchor, context: Context[Any]) -> bool | None:
    """Whether ``caption`` is false of what the anchor's SVG shows: True where some sentence is shown false, False where
    all are shown true, whatever they leave out.

    None where it is not of the template, or names what may be a node of the chart.
    """
    del context
    try:
        true = judge_caption(read_caption(caption), read_anchor(anchor).sight)
    except (CaptionError, CheckError):
        return None
    return None if true is None else not true


@checked
def verify_picture(checks: Checks, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """See `check_anchor_picture`."""
    check_anchor_picture(checks, anchor, context)


def check_anchor_picture(checks: Checks, anchor: Anchor, context: Context[FlowchartSettings]) -> Sight:
    """What the code defines, once the picture is found sound, what the SVG paints, and the SVG what the code draws."""
    stored = anchor.vector and anchor.image and anchor.code
    checks.require("picture_stored", bool(stored), "a picture needs image, vector and code")
    assert anchor.vector is not None and anchor.image is not None
    picture = check_picture(checks, anchor.vector, anchor.image.bytes, context.settings)
    sight = read_code(anchor.code)
    checks.require("code_parses", True, "")
    same = same_sight(sight, picture.sight)
    checks.require("graph_shown", same, lambda: describe_difference(sight, picture.sight))
    _check_drawn(checks, anchor.vector, anchor.code, anchor.code, context)
    return sight


def _check_drawn(
    checks: Checks, svg: str, code: str | None, own: str | None, context: Context[FlowchartSettings]
) -> None:
    """The SVG is what the code draws, in the look of the anchor whose code is ``own``."""
    _check_plain(checks, code)
    try:
        drawn = draw_chart(code or "", choose_look(own, context))
    except MermaidError as error:
        raise CheckError(f"drawn_as_recorded: {describe_error(error)}") from error
    check_drawn(checks, svg, drawn)


def _check_plain(checks: Checks, code: str | None) -> None:
    """The code is as we write it: a remark, a link or a directive in it would be in no picture."""
    checks.require("code_plain", write_code(parse(code or "")) == code, "it holds more than its chart")


def check_caption(
    checks: Checks, name: str, caption: str | None, sight: Sight, context: Context[FlowchartSettings]
) -> None:
    """The caption states exactly the lines of the chart that the code defines, each once; ``name`` is the check's."""
    false = find_false_claims(read_claims(caption), sight)
    checks.require(name, not false, lambda: f"{false[0]} is not so")
    told = write_caption(state_claims(sight, context.settings.arrow_labels))
    checks.require(name, caption == told, "the caption leaves out an arrow, or says something twice or otherwise")


def check_pair(
    checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]
) -> tuple[Picture, Picture]:
    """What the anchor's and the contrast's pictures show, once the contrast's is found sound and another one."""
    original = read_anchor(anchor)
    stored = contrast.image is not None and contrast.vector is not None and anchor.image is not None
    checks.require("picture_stored", stored, "a picture needs image and vector")
    assert contrast.image is not None and contrast.vector is not None and anchor.image is not None
    differs = contrast.image.bytes != anchor.image.bytes
    checks.require("differs_from_anchor", differs, "the picture is the anchor's")
    same_size = contrast.image.bytes[16:24] == anchor.image.bytes[16:24]
    checks.require("size_kept", same_size, "the picture has another size than the anchor's")
    return original, check_picture(checks, contrast.vector, contrast.image.bytes, context.settings)


def check_code_beside(
    checks: Checks, contrast: Contrast, picture: Picture, anchor: Anchor, context: Context[FlowchartSettings]
) -> Sight:
    """What the code beside a picture defines, once it is found to be what the picture shows and, drawn as the anchor
    is, the picture itself. As published, arrows are edited in the drawing of the chart whose nodes have moved."""
    sight = read_code(contrast.code)
    same = same_sight(sight, picture.sight)
    checks.require("code_agrees", same, lambda: describe_difference(sight, picture.sight))
    if context.settings.edits == "natural" or contrast.role == "positive":
        _check_drawn(checks, contrast.vector or "", contrast.code, anchor.code, context)
        return sight
    chart, look = open_chart(anchor), choose_look(anchor.code, context)
    drawn = (draw_published(chart, plan, look) for plan in list_plans(chart, contrast.edits, labels_alone=True))
    checks.require(
        "drawn_as_recorded",
        any(each == contrast.vector for each in drawn),
        "it is not the anchor's chart, drawn and edited so",
    )
    return sight


def check_replayed(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings]) -> None:
    """The code is to the letter the anchor's with the edits made that the row names, and no others."""
    same = any(write_code(chart) == contrast.code for chart in list_replayed(contrast, anchor, context))
    checks.require("edits_seen", same, "its edits, made in the anchor's chart, do not give its own")


def list_replayed(
    contrast: Contrast, anchor: Anchor, context: Context[FlowchartSettings], *, settled: bool = True
) -> Iterator[Chart]:
    """The charts that the row's edits may make of its anchor's; ``settled``: with the answers where they belong."""
    chart = open_chart(anchor)
    if context.settings.edits == "published":
        return replay_published(chart, contrast.edits)
    order = _draw_order(len(chart.nodes), context.seed, contrast.family, anchor.anchor_id)
    return replay(chart, contrast.edits, order, settled=settled)


@lru_cache(maxsize=64)
def _draw_order(count: int, seed: int, family: str, anchor_id: str) -> int:
    """Remembered for an anchor's contrasts, as all are drawn of one generator."""
    return draw_order(count, generator(seed, family, anchor_id, 0))


def read_code(code: str | None) -> Sight:
    """What the code defines, as a reader sees it.

    Raises:
        CheckError: it does not parse.
    """
    try:
        return see_chart(parse(code or ""))
    except MermaidError as error:
        raise CheckError(f"code_parses: {describe_error(error)}") from error


def read_text_code(checks: Checks, contrast: Contrast) -> Sight:
    """What a contrast that is code as text defines."""
    sight = read_code(contrast.text)
    checks.require("code_parses", True, "")
    checks.require("code_agrees", contrast.code == contrast.text, "text and code are not the same")
    _check_plain(checks, contrast.text)
    return sight


def read_claims(text: str | None) -> tuple[Claim, ...]:
    """The claims of a caption.

    Raises:
        CheckError: it is not of the template, or can be read in two ways.
    """
    try:
        return read_caption(text or "")
    except CaptionError as error:
        raise CheckError(f"caption_read: {error}") from error


STRUCTURE = ("replace_node", "remove_node", "merge_nodes", "insert_node", "add_arrow")
"""Edits after which a chart has other nodes, or more or fewer of them or of arrows."""


def count_nodes(edits: Sequence[Edit]) -> tuple[Counter[str], Counter[str]]:
    """The labels of nodes that come by the edits, and the squeezed labels of those that go."""
    come = Counter(edit.replacement for edit in edits if edit.kind in ("replace_node", "insert_node"))
    gone = Counter(squeeze(e.target) for e in edits if e.kind in ("replace_node", "remove_node", "merge_nodes"))
    return come, gone


def check_another(
    checks: Checks, original: Sight, sight: Sight, edits: Sequence[Edit], *, turned: bool = False
) -> None:
    """A near miss: another chart, of the anchor's labels but for nodes that the edits name, and of arrows whose labels
    and strokes the anchor has, but for those that come.

    ``turned``: of arrows with its strokes, whose labels are the anchor's, the other answers to them, or gone.
    """
    checks.require("another_graph", not same_sight(original, sight), "it is the anchor's chart")
    come, gone = count_nodes(edits)
    kept = Counter(map(squeeze, original.labels)) - gone + Counter(map(squeeze, come.elements()))
    checks.require("labels_kept", kept == Counter(map(squeeze, sight.labels)), "the labels are not the anchor's")
    if turned:
        said = {squeeze(a.label) for a in original.arrows}
        said |= {other for label in said if (other := turn_answer(label))} | {"", *ANSWERS}
        strange = {squeeze(a.label) for a in sight.arrows} - said
        checks.require("no_arrow_added", not strange, lambda: f"the anchor does not say {min(strange)!r}")
    before, after = (
        Counter(("" if turned else squeeze(a.label), a.stroke, *sorted((a.start, a.end))) for a in each.arrows)
        for each in (original, sight)
    )
    more = sum(edit.kind in ("insert_node", "add_arrow") for edit in edits)
    checks.require("no_arrow_added", (after - before).total() <= more, "an arrow that the anchor does not have")


def check_answers(checks: Checks, code: str | None, anchor: Anchor) -> None:
    """The code's arrows say something where the anchor's do, answers at nodes of the same shapes or at questions,
    anything else at the same nodes, and nowhere twice."""
    mine, own = _list_sayings(code), _list_sayings(anchor.code)
    asking = {node.shape for node in parse(anchor.code or "").nodes if is_question(node)}
    strange = {shape for shape, _, _ in mine} - {shape for shape, _, _ in own} - asking
    checks.require(
        "answers_at_questions", not strange, lambda: f"an answer at a node of shape {min(map(str, strange))}"
    )
    moved = _list_remarks(code) - _list_remarks(anchor.code)
    checks.require("answers_at_questions", not moved, lambda: f"{min(moved)[0]!r} leaves another step")
    repeated, before = (len(each) - len(set(each)) for each in (mine, own))
    checks.require("answers_at_questions", repeated <= before, "two arrows of one node with one answer")


def check_habits(
    checks: Checks, edited: Chart, anchor: Anchor, context: Context[FlowchartSettings], *, said: bool = True
) -> None:
    """The chart breaks no habit that the anchor's keeps: a reader would tell it without the other side.

    ``said``: whether it tells what the arrows are labelled.
    """
    broken = list_broken(_read_habits(anchor.code or ""), edited, whole=not context.settings.granulate, said=said)
    checks.require("habits_kept", not broken, lambda: f"not so here: {broken[0]}")


@lru_cache(maxsize=64)
def _read_habits(code: str) -> Kept:
    return read_habits(parse(code))


def _list_sayings(code: str | None) -> list[tuple[str | None, str, str]]:
    """Shape and id of the node that each labelled arrow leaves (the end without a head), and the label."""
    chart = parse(code or "")
    shapes = {node.id: node.shape for node in chart.nodes}
    tails = [(arrow.head if arrow.start and not arrow.end else arrow.tail, arrow.label) for arrow in chart.arrows]
    return [(shapes.get(tail), tail, label) for tail, label in tails if label]


def _list_remarks(code: str | None) -> set[tuple[str, str]]:
    """What arrows are labelled that is no answer, each with the node that its arrow leaves."""
    chart = parse(code or "")
    nodes = {node.id: node for node in chart.nodes}
    tails = [(squeeze(a.label), nodes.get(a.head if a.start and not a.end else a.tail)) for a in chart.arrows]
    return {(said, squeeze(node.label)) for said, node in tails if said and node and not turn_answer(said)}


def check_edits(checks: Checks, contrast: Contrast, allowed: set[str], needed: set[str]) -> None:
    """The row names edits of its family's kinds, and one that makes it what it is."""
    kinds = {edit.kind for edit in contrast.edits}
    sound = kinds <= allowed and bool(kinds & needed)
    checks.require("edits_named", sound, lambda: ", ".join(sorted(kinds)) or "none")
