"""The verifiers of the flowchart families. Each works on the stored bytes of a contrast and of its anchor alone.

The anchor's chart is what its SVG shows and the contrast's chart is read from the contrast's own SVG, code or
sentence; neither knows which edit was meant. What the rows say of themselves (edits, caption, code beside a picture)
must then agree with what was read.
"""

from __future__ import annotations

from collections import Counter

from renderers.mermaid import MermaidError
from storage.rows import Anchor, Contrast
from tasks.contract.context import Context
from tasks.contract.verdict import Verdict
from tasks.flowchart.anchors import describe_error, find_caption_fault
from tasks.flowchart.captions import CaptionError, Claim, find_false_claims, read_caption, state_claims
from tasks.flowchart.chart.labels import squeeze
from tasks.flowchart.chart.sight import Sight, describe_difference, same_sight, see_chart
from tasks.flowchart.drawing.pictures import check_picture
from tasks.flowchart.drawing.rendering import parse
from tasks.flowchart.drawing.vector import Picture, VectorError, read_vector
from tasks.flowchart.settings import FlowchartSettings


class _FailureError(Exception):
    """The row fails: ``"code: details"``."""


def verify_flip(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:
    """A positive picture: the same graph, with the flow turned."""
    try:
        original = _read_anchor(anchor)
        checks, picture = _check_image(contrast, anchor, context)
        if not same_sight(original.sight, picture.sight):
            raise _FailureError(f"graph_differs: {describe_difference(original.sight, picture.sight)}")
        checks.append("graph read from the SVG is the anchor's")
        _check_turned(original, picture)
        checks.append("flow turned")
        _check_code_beside(contrast, picture)
        _check_edits(contrast, {"flip"}, {"flip"})
        if contrast.text != anchor.caption or find_caption_fault(contrast.text or "", picture.sight):
            raise _FailureError("caption_false: the caption is not the anchor's or not true of the picture")
        checks += ["code beside it is the picture's graph", "caption true of the picture"]
    except _FailureError as failure:
        return Verdict(reasons=(str(failure),))
    return Verdict(tuple(checks))


def verify_code(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:
    """A positive text: code that defines the graph that the anchor's picture shows."""
    del context
    try:
        original = _read_anchor(anchor)
        _check_role(contrast, "flowchart.code", "positive", "text")
        sight = _read_code(contrast.text)
        if contrast.code != contrast.text:
            raise _FailureError("code_differs: text and code are not the same")
        if not same_sight(original.sight, sight):
            raise _FailureError(f"graph_differs: {describe_difference(original.sight, sight)}")
    except _FailureError as failure:
        return Verdict(reasons=(str(failure),))
    return Verdict(("code parses", "code defines the graph that the picture shows"))


def verify_image(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:
    """A negative picture: another graph, of the anchor's labels and of no more arrows than it has."""
    try:
        original = _read_anchor(anchor)
        checks, picture = _check_image(contrast, anchor, context)
        if same_sight(original.sight, picture.sight):
            raise _FailureError("same_graph: the picture shows the anchor's chart")
        checks.append("graph read from the SVG is not the anchor's")
        _check_near(original.sight, picture.sight)
        checks.append("same labels, no arrow added")
        _check_code_beside(contrast, picture)
        _check_edits(
            contrast, {"flip", "swap_labels", "reverse_arrow", "remove_arrow"},
            {"swap_labels", "reverse_arrow", "remove_arrow"},
        )  # fmt: skip
        _check_edit_traces(contrast, original, picture)
        checks += ["code beside it is the picture's graph", "edits agree with what is seen"]
        if fault := find_caption_fault(contrast.text or "", picture.sight):
            raise _FailureError(f"own_{fault}")
        if not _find_false(read_caption(anchor.caption or ""), picture.sight):
            raise _FailureError("caption_true: the anchor's caption is true of the negative picture")
        checks += ["own caption true of it", "anchor's caption false of it"]
    except _FailureError as failure:
        return Verdict(reasons=(str(failure),))
    return Verdict(tuple(checks))


def verify_caption(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:
    """A negative caption: of the template, of the chart's labels, and false of the chart that the picture shows."""
    del context
    try:
        original = _read_anchor(anchor)
        _check_role(contrast, "flowchart.caption", "negative", "text")
        claims = _read_claims(contrast.text)
        labels = {squeeze(label) for label in original.sight.labels}
        strange = [c for c in claims if not {squeeze(c.tail), squeeze(c.head)} <= labels]
        if strange:
            raise _FailureError(f"label_strange: the chart has no such node: {strange[0]}")
        if len(claims) != len(original.sight.arrows):
            raise _FailureError(f"arrow_count: {len(claims)} sentences for {len(original.sight.arrows)} arrows")
        if not find_false_claims(claims, original.sight):
            raise _FailureError("caption_true: every sentence is true of the chart")
        _check_edits(contrast, {"swap_labels"}, {"swap_labels"})
    except _FailureError as failure:
        return Verdict(reasons=(str(failure),))
    return Verdict(("caption parses", "names the chart's nodes alone", "false of the chart read from the SVG"))


def verify_codeswap(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:
    """A negative code: it parses, has the chart's labels, and defines another graph."""
    del context
    try:
        original = _read_anchor(anchor)
        _check_role(contrast, "flowchart.codeswap", "negative", "text")
        sight = _read_code(contrast.text)
        if contrast.code != contrast.text:
            raise _FailureError("code_differs: text and code are not the same")
        if same_sight(original.sight, sight):
            raise _FailureError("same_graph: the code defines the anchor's chart")
        _check_near(original.sight, sight)
        if len(sight.arrows) != len(original.sight.arrows):
            raise _FailureError("arrow_count: the code has another number of arrows")
        _check_edits(contrast, {"swap_labels"}, {"swap_labels"})
    except _FailureError as failure:
        return Verdict(reasons=(str(failure),))
    return Verdict(("code parses", "same labels and number of arrows", "graph is not the one that the picture shows"))


def _read_anchor(anchor: Anchor) -> Picture:
    try:
        return read_vector(anchor.vector or "")
    except VectorError as error:
        raise _FailureError(f"anchor_unreadable: {error}") from error


def _check_role(contrast: Contrast, family: str, role: str, modality: str) -> None:
    if (contrast.family, contrast.role, contrast.modality) != (family, role, modality):
        raise _FailureError(f"mislabelled: {contrast.family}, {contrast.role} {contrast.modality}")


def _check_image(contrast: Contrast, anchor: Anchor, context: Context) -> tuple[list[str], Picture]:
    assert isinstance(context.settings, FlowchartSettings)
    role = "positive" if contrast.family == "flowchart.flip" else "negative"
    if contrast.family not in ("flowchart.flip", "flowchart.image"):
        raise _FailureError(f"mislabelled: {contrast.family}")
    _check_role(contrast, contrast.family, role, "image")
    if contrast.image is None or contrast.vector is None or anchor.image is None:
        raise _FailureError("incomplete: a picture needs image and vector")
    if contrast.image.bytes == anchor.image.bytes:
        raise _FailureError("same_picture: the picture is the anchor's")
    if contrast.image.bytes[16:24] != anchor.image.bytes[16:24]:
        raise _FailureError("size_differs: the picture has another size than the anchor's")
    checks, reasons, picture = check_picture(contrast.vector, contrast.image.bytes, context.settings.smallest_text)
    if reasons or picture is None:
        raise _FailureError(reasons[0] if reasons else "bad_picture: unreadable")
    return [*checks, "picture differs from the anchor's"], picture


def _read_code(code: str | None) -> Sight:
    try:
        return see_chart(parse(code or ""))
    except MermaidError as error:
        raise _FailureError(f"code_invalid: {describe_error(error)}") from error


def _read_claims(text: str | None) -> tuple[Claim, ...]:
    try:
        return read_caption(text or "")
    except CaptionError as error:
        raise _FailureError(str(error)) from error


def _find_false(claims: tuple[Claim, ...], sight: Sight) -> bool:
    """Whether the caption, read as the full list of arrows, is false: a false sentence, or an arrow left out."""
    return bool(find_false_claims(claims, sight)) or len(claims) != len(state_claims(sight, False))


def _check_near(original: Sight, sight: Sight) -> None:
    """A near miss has the anchor's labels, and arrows whose labels and strokes the anchor has."""
    if Counter(map(squeeze, original.labels)) != Counter(map(squeeze, sight.labels)):
        raise _FailureError("labels_differ: the labels are not the anchor's")
    before, after = (
        Counter((squeeze(a.label), a.stroke, *sorted((a.start, a.end))) for a in each.arrows)
        for each in (original, sight)
    )
    if after - before:
        raise _FailureError("arrow_added: an arrow that the anchor does not have")


def _check_code_beside(contrast: Contrast, picture: Picture) -> None:
    sight = _read_code(contrast.code)
    if not same_sight(sight, picture.sight):
        raise _FailureError(f"code_differs: {describe_difference(sight, picture.sight)}")


def _check_edits(contrast: Contrast, allowed: set[str], needed: set[str]) -> None:
    kinds = {edit.kind for edit in contrast.edits}
    if not kinds <= allowed or not kinds & needed:
        raise _FailureError(f"edits_wrong: {', '.join(sorted(kinds)) or 'none'}")


def _flow(picture: Picture) -> tuple[float, float]:
    """Sum of the arrows' directions, from headless end to head, between the middles of their boxes."""
    dx = dy = 0.0
    for arrow in picture.sight.arrows:
        if (arrow.start and arrow.end) or not (arrow.start or arrow.end):
            continue
        tail, head = (arrow.tail, arrow.head) if arrow.end else (arrow.head, arrow.tail)
        a, b = picture.boxes[tail], picture.boxes[head]
        dx += (b[0] + b[2] - a[0] - a[2]) / 2
        dy += (b[1] + b[3] - a[1] - a[3]) / 2
    return dx, dy


def _check_turned(original: Picture, picture: Picture) -> None:
    before, after = _flow(original), _flow(picture)
    axis = 1 if abs(before[1]) >= abs(before[0]) else 0
    if abs(before[axis]) > 1.0 and before[axis] * after[axis] >= 0:
        raise _FailureError("flow_kept: the flow is not turned")


def _check_edit_traces(contrast: Contrast, original: Picture, picture: Picture) -> None:
    """What the row says was done must be visible: arrows gone, arrows turned, labels moved, flow turned."""
    kinds = Counter(edit.kind for edit in contrast.edits)
    gone = len(original.sight.arrows) - len(picture.sight.arrows)
    if gone != kinds["remove_arrow"]:
        raise _FailureError(f"edits_wrong: {gone} arrows are gone, {kinds['remove_arrow']} edits say so")
    for edit in contrast.edits:
        if edit.kind == "swap_labels" and squeeze(edit.replacement) not in set(map(squeeze, original.sight.labels)):
            raise _FailureError(f"edits_wrong: the chart has no label {edit.replacement!r}")
