"""What the verifiers of the geometry families have in common, from a row's stored bytes alone.

A verifier never looks at how a row was made. It renders the stored code again, compares pixels with the stored
picture, measures the recorded drawing, parses the stored text and judges every claim on what was measured. The edits
of a row are only checked for honesty: that their words are where they say they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from counterfoil.storage.rows import Anchor, Contrast, Edit, Fact, Image, Provenance
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.geometry.captions.read import ClaimError, parse_claims
from counterfoil.tasks.geometry.drawing.relaid import is_relaid
from counterfoil.tasks.geometry.edits.redraw import find_figure
from counterfoil.tasks.geometry.facts.judge import FactError
from counterfoil.tasks.geometry.facts.plainness import find_needless
from counterfoil.tasks.geometry.facts.plane import PLANE_KINDS, normalise_plane
from counterfoil.tasks.geometry.facts.predicates import PREDICATES
from counterfoil.tasks.geometry.figure.claims import find_unknown, find_unshown, list_meanings
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.sums import find_contradiction
from counterfoil.tasks.geometry.figure.unknowns import find_impossible
from counterfoil.tasks.geometry.figures import FigureError, read_figure
from counterfoil.tasks.geometry.measuring.closed import find_stray
from counterfoil.tasks.geometry.measuring.legible import find_illegible
from counterfoil.tasks.geometry.measuring.pixels import (
    LEAST_CHANGE,
    LEAST_INK,
    count_changed,
    count_ink,
)
from counterfoil.tasks.geometry.measuring.rules import find_other_look
from counterfoil.tasks.geometry.refuting import find_false, judge_text
from counterfoil.tasks.geometry.styles import choose_style

KINDS = frozenset(("shape", "label", "number", "relation", "position"))
"""Kinds of edit (MMCLIP Fig. 8)."""
_SHOWN = 3
"""Claims that a reason names; more make it unreadable."""


def look_at_anchor(anchor: Anchor, context: Context[Any]) -> Scene:
    """The scene measured on the anchor's picture.

    Raises:
        CheckError: the anchor's code does not draw its picture.
    """
    try:
        figure = read_figure(anchor.code or "", context.renderer)
    except FigureError as error:
        raise CheckError(f"anchor_draws: {error}") from error
    if anchor.image is None or anchor.image.bytes != figure.png:
        raise CheckError("anchor_draws: the anchor's picture is not what its code draws")
    return figure.scene


def read_anchor(anchor: Anchor) -> tuple[Fact, ...]:
    """The claims of the anchor's caption.

    Raises:
        CheckError: it cannot be read.
    """
    try:
        return parse_claims(anchor.caption or "")
    except ClaimError as error:
        raise CheckError(f"anchor_caption: {error}") from error


def refutes(caption: str, anchor: Anchor, context: Context[Any]) -> bool | None:
    """Whether ``caption`` is false of the anchor's picture: a claim visibly fails or names what is not there, however
    it is meant. False where the picture shows all of it; None where neither is so, or where it cannot be read.
    """
    try:
        truth = judge_text(caption, look_at_anchor(anchor, context))
    except (ClaimError, FactError, CheckError):
        return None
    return None if truth is None else not truth


def check_edits(
    checks: Checks, contrast: Contrast, anchor: Anchor, kinds: frozenset[str] = KINDS, most: int | None = None
) -> None:
    """Edits say truly which words went and which came. They do not decide whether the row is a negative."""
    edits = contrast.edits
    checks.require("edits_named", bool(edits), "no edit is recorded")
    strange = sorted({edit.kind for edit in edits} - kinds)
    checks.require("edit_kinds", not strange, lambda: f"{', '.join(strange)} is no kind of edit of this family")
    if most is not None:
        checks.require("edit_count", len(edits) <= most, lambda: f"{len(edits)} edits, {most} at most")
    sources, text = [each.casefold() for each in (anchor.caption or "", *anchor.captions)], contrast.text or ""
    lies = [
        edit
        for edit in edits
        if not any(edit.target.casefold() in source for source in sources)
        or edit.replacement not in text
        or edit.target == edit.replacement
    ]
    lie = f"{lies[0].target!r} -> {lies[0].replacement!r} did not happen" if lies else ""
    captions = (anchor.caption or "", *anchor.captions)
    if not lie and is_ours(contrast.provenance) and text not in [edit_text(each, edits) for each in captions]:
        lie = "the text is no caption of the anchor's with these edits made and no others"
    checks.require("edits_true", not lie, lie)


def edit_text(text: str, edits: Iterable[Edit]) -> str | None:
    """The text with all edits made at once, each where its target first stands; None where they overlap.

    >>> edit_text("AB = 8. BC = 6.", [Edit("number", "BC = 6", "BC = 8"), Edit("number", "AB = 8", "AB = 6")])
    'AB = 6. BC = 8.'
    """
    places = sorted((text.casefold().find(edit.target.casefold()), edit.target, edit.replacement) for edit in edits)
    written, end = "", 0
    for at, target, replacement in places:
        if at < end:
            return None
        written, end = written + text[end:at] + replacement, at + len(target)
    return written + text[end:]


def check_picture(
    checks: Checks, code: str | None, image: Image | None, context: Context[Any], ours: bool = False
) -> Scene:
    """The stored picture is what the stored code draws, is no blank and has its labels inside."""
    checks.require("picture_stored", image is not None and bool(image.bytes), "the row has no picture")
    assert image is not None
    scene = check_code(checks, code, context, ours)
    figure = read_figure(code or "", context.renderer)
    # Bytes, not pixels: alpha, gamma, frames and chunks show what the pixels do not say.
    checks.require("picture_reproduced", image.bytes == figure.png, "the stored picture is not what its code draws")
    ink = count_ink(image.bytes)
    checks.require("not_blank", ink >= LEAST_INK, lambda: f"{ink} dark pixels")
    illegible = find_illegible(figure.drawing, image.bytes, context.settings.legible_at)
    checks.require("legible", illegible is None, illegible or "")
    return scene


@checked
def verify_picture(checks: Checks, anchor: Anchor, context: Context[Any]) -> None:
    """The picture is sound and is what the code draws."""
    check_picture(checks, anchor.code, anchor.image, context)


def is_ours(provenance: Provenance) -> bool:
    """Whether a row's script is one that we wrote, and no model: in such a one nothing stands at nothing."""
    return provenance.author == "procedural"


def check_code(checks: Checks, code: str | None, context: Context[Any], ours: bool = False) -> Scene:
    """Render and measure; the drawing keeps the rules and bears no number that its coordinates belie, and one of
    ``ours`` nothing that stands at nothing."""
    checks.require("code_stored", bool(code), "the row has no code")
    try:
        figure = read_figure(code or "", context.renderer)
    except FigureError as error:
        if error.check != "code_renders":
            checks.require("code_renders", True, "")
        raise CheckError(f"{error.check}: {error}") from error
    checks.require("code_renders", True, "")
    checks.require("drawing_rules", figure.problem is None, figure.problem or "")
    checks.require("picture_is_record", figure.mismatch is None, figure.mismatch or "")
    checks.require("figure_measured", bool(figure.scene.points), "the drawing has no labelled point")
    checks.require("marks_true", not figure.overdrawn, lambda: tell(figure.overdrawn))
    doubt = figure.misread or (find_stray(figure.seen) if ours else None)
    checks.require("reads_as_stated", doubt is None, doubt or "")
    return figure.scene


def read_text(checks: Checks, text: str, figure: Scene) -> tuple[Fact, ...]:
    """The text's claims, all about things that the figure has."""
    try:
        claims = parse_claims(text)
        list_meanings(claims)
    except (ClaimError, FactError) as error:
        raise CheckError(f"claims_read: {error}") from error
    checks.require("claims_read", bool(claims), "the text claims nothing")
    unknown = find_unknown(claims, figure)
    checks.require("letters_of_figure", not unknown, lambda: f"{tell(unknown)} names what the figure does not have")
    return claims


def list_clumsy(claims: Iterable[Fact], known: Iterable[Fact]) -> list[Fact]:
    """The claims with a value that problems do not write so (``2/2x``), and no known claim has."""
    own = {claim.value for claim in known}
    return [claim for claim in claims if claim.value is not None and claim.value not in own and not _is_plain(claim)]


def _is_plain(claim: Fact) -> bool:
    """Whether a value is written as problems write it."""
    kind = str(PREDICATES[claim.predicate].value)
    if kind in PLANE_KINDS:
        return normalise_plane(kind, claim.value or "") == claim.value
    return not find_needless(claim.value or "")


def check_negative_text(
    checks: Checks, text: str | None, anchor: Anchor, anchored: Scene, drastic: bool
) -> tuple[Fact, ...]:
    """A negative text: about the anchor's letters, saying something else, and visibly false of the anchor.

    ``drastic`` allows what Fig. 11 allows and Fig. 8 forbids: parallel turned into perpendicular.
    """
    claims = read_text(checks, text or "", anchored)
    known = read_anchor(anchor)
    new = list_meanings(claims) - list_meanings(known)
    checks.require("no_renaming", bool(new), "the text says what the anchor's caption says")
    checks.require(
        "nothing_left_out",
        len(list_meanings(claims)) >= len(list_meanings(known)),
        "the text claims fewer things than the anchor's caption",
    )
    if not drastic:
        turned = [c for c in claims if c.predicate == "perpendicular" and _was_parallel(c, known)]
        checks.require("no_parallel_to_perpendicular", not turned, lambda: tell(turned))
    clumsy = list_clumsy(claims, known)
    checks.require("written_plainly", not clumsy, lambda: f"nobody writes {clumsy[0].value}")
    broken = find_false(text or "", anchored)
    checks.require("false_of_anchor", bool(broken), "no claim of the text visibly fails in the anchor's picture")
    return claims


def check_possible(checks: Checks, claims: Iterable[Fact], anchored: Scene) -> None:
    """Some figure is as the text says; else the text would tell itself from captions with no picture at hand."""
    solution = find_figure(anchored, tuple(claims), restarts=2)
    checks.require("possible", solution.solved, solution.reason)


def _was_parallel(claim: Fact, known: Iterable[Fact]) -> bool:
    return bool(list_meanings([Fact("parallel", claim.arguments)]) & list_meanings(known))


def check_own_claims(checks: Checks, claims: Iterable[Fact], figure: Scene) -> None:
    """Every claim of a row's own text is shown by its own picture, whose numbers go together with them."""
    claims = tuple(claims)
    checks.require("own_claims_shown", not find_unshown(claims, figure), lambda: tell_unshown(claims, figure))
    contradiction = find_contradiction(figure, claims)
    contradiction = contradiction or find_impossible(claims, figure)
    checks.require("numbers_agree", contradiction is None, contradiction or "")


def check_same_look(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
    """The picture is drawn in its anchor's style: paper, colours and titles would tell the two apart at a glance."""
    figures = [read_figure(row.code or "", context.renderer) for row in (contrast, anchor)]
    other = find_other_look(figures[0].drawing, figures[1].drawing)
    checks.require("same_look", other is None, other or "")


def check_script(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[Any]) -> None:
    """A script of ours is to the letter what the layout makes of the points, strokes and marks that it draws."""
    if is_ours(contrast.provenance):
        style = choose_style(context, anchor.source, anchor.source_id)
        code = contrast.code or ""
        written = is_relaid(code, read_figure(code, context.renderer).scene, style)
        checks.require("code_stored", written, "the script is not laid out and written as one of ours that draws this")


def check_differs(checks: Checks, contrast: Contrast, anchor: Anchor) -> None:
    """The picture differs from the anchor's by more than noise."""
    assert contrast.image is not None and anchor.image is not None
    changed = count_changed(contrast.image.bytes, anchor.image.bytes)
    checks.require("differs_from_anchor", changed >= LEAST_CHANGE, lambda: f"{changed} pixels differ")


def tell(facts: Iterable[Fact]) -> str:
    """The first facts in words, for a reason."""
    return "; ".join(str(fact) for fact in list(facts)[:_SHOWN])


def tell_unshown(claims: Iterable[Fact], figure: Scene) -> str:
    """The first claims that the figure does not show."""
    return tell(find_unshown(claims, figure))


def tell_labels(wanted: Scene, found: Scene) -> str:
    """Which labels one figure has and the other has not."""
    missing, extra = sorted(set(wanted.points) - set(found.points)), sorted(set(found.points) - set(wanted.points))
    return f"missing {', '.join(missing) or 'none'}, extra {', '.join(extra) or 'none'}"
