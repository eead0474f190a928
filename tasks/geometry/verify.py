r"""Verdicts on geometry rows, from their stored bytes alone.

A verifier never looks at how a row was made. It renders the stored code again, compares pixels with the stored
picture, measures the recorded drawing, parses the stored text and judges every claim on what was measured. The edits
of a row are only checked for honesty: that their words are where they say they are.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from renderers.results import Outcome
from storage.rows import Anchor, Contrast, Fact, Image
from tasks.contract.context import Context
from tasks.contract.verdict import Verdict
from tasks.geometry.captions.read import ClaimError, parse_claims
from tasks.geometry.facts.judge import FactError, judge, write_fact
from tasks.geometry.figure.claims import (
    find_broken,
    find_overdrawn,
    find_unknown,
    find_unshown,
    list_meanings,
)
from tasks.geometry.figure.scene import Scene
from tasks.geometry.measuring.evidence import find_mismatch
from tasks.geometry.measuring.measure import MeasureError, measure_scene
from tasks.geometry.measuring.pixels import (
    LEAST_CHANGE,
    LEAST_INK,
    PictureError,
    count_changed,
    count_ink,
    is_same_picture,
)
from tasks.geometry.measuring.rules import find_picture_problem

T = TypeVar("T")
_REMEMBERED = 3072
"""Things seen in drawings that are kept: three of each, for an anchor and its pictures."""
KINDS = frozenset(("shape", "label", "number", "relation", "position"))
RULE_KINDS = KINDS - {"position"}
_SHOWN = 3
"""Claims that a reason names; more make it unreadable."""


class CheckError(Exception):
    """A check failed; the message is the reason, ``"code: details"``."""


@dataclass
class Checks:
    """Collects passed checks; the first that fails ends the verdict, since later ones build on it."""

    passed: list[str] = field(default_factory=list)

    def require(self, name: str, holds: bool, reason: str | Callable[[], str]) -> None:
        if not holds:
            raise CheckError(f"{name}: {reason if isinstance(reason, str) else reason()}")
        self.passed.append(name)


def _decide(check: Callable[[Checks], None]) -> Verdict:
    checks = Checks()
    try:
        check(checks)
    except CheckError as failed:
        return Verdict(tuple(checks.passed), (str(failed),))
    return Verdict(tuple(checks.passed))


# --- anchors -----------------------------------------------------------------------------------------------------


def verify_anchor(anchor: Anchor, context: Context) -> Verdict:
    """The picture is what the code draws, every caption and every stated fact is shown by it."""

    def check(checks: Checks) -> None:
        figure = _check_picture(checks, anchor.code, anchor.image, context)
        _check_facts(checks, anchor, figure)
        captions = list(dict.fromkeys((anchor.caption or "", *anchor.captions)))
        meanings = set()
        for caption in captions:
            claims = _read(checks, caption, figure)
            unshown = find_unshown(claims, figure)
            checks.require("claims_shown", not unshown, _tell(unshown))
            meanings.add(list_meanings(claims))
        checks.require("captions_agree", len(meanings) == 1, "the captions do not make the same claims")

    return _decide(check)


def _check_facts(checks: Checks, anchor: Anchor, figure: Scene) -> None:
    try:
        scene = Scene.from_facts(anchor.facts)
    except ValueError as error:
        raise CheckError(f"facts_read: {error}") from error
    checks.require("labels_drawn", set(scene.points) == set(figure.points), lambda: _tell_labels(scene, figure))
    lines = [Fact("segment", segment) for segment in scene.segments]
    circles = [Fact("circle", (name,)) for name in scene.circles]
    checks.require(
        "strokes_drawn",
        not find_unshown([*lines, *circles], figure),
        lambda: _tell_unshown([*lines, *circles], figure),
    )
    broken = [fact for fact in scene.facts if judge(fact, figure.coordinates) is False]
    checks.require("facts_hold", not broken, lambda: _tell(broken))


# --- contrasts ---------------------------------------------------------------------------------------------------


def verify_caption(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:
    """``geometry.caption``: false of the anchor's drawing, true of its own."""

    def check(checks: Checks) -> None:
        _check_kind(checks, contrast, anchor, "geometry.caption", "text")
        checks.require("no_picture", contrast.image is None, "a negative caption carries no picture")
        _check_edits(checks, contrast, anchor, KINDS, None)
        anchored = look_at_anchor(anchor, context)
        claims = _check_text(checks, contrast.text, anchor, anchored, drastic=False)
        figure = _check_code(checks, contrast.code, context)
        _check_own_claims(checks, claims, figure)

    return _decide(check)


def verify_image(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:
    """``geometry.image``: its caption is true of it, the anchor's visibly is not."""

    def check(checks: Checks) -> None:
        _check_kind(checks, contrast, anchor, "geometry.image", "image")
        _check_edits(checks, contrast, anchor, KINDS, None)
        figure = _check_picture(checks, contrast.code, contrast.image, context)
        anchored = look_at_anchor(anchor, context)
        checks.require(
            "same_letters", set(figure.points) == set(anchored.points), lambda: _tell_labels(anchored, figure)
        )
        claims = _check_text(checks, contrast.text, anchor, anchored, drastic=False)
        _check_own_claims(checks, claims, figure)
        _check_breaks_anchor(checks, anchor, figure)
        _check_differs(checks, contrast, anchor)

    return _decide(check)


def verify_rule(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:
    """``geometry.rule``: one to four edits, and false of the anchor's drawing."""

    def check(checks: Checks) -> None:
        _check_kind(checks, contrast, anchor, "geometry.rule", "text")
        checks.require(
            "text_alone", contrast.image is None and contrast.code is None, "a rule negative is text alone"
        )  # fmt: skip
        _check_edits(checks, contrast, anchor, RULE_KINDS, 4)
        _check_text(checks, contrast.text, anchor, look_at_anchor(anchor, context), drastic=True)

    return _decide(check)


def verify_template(contrast: Contrast, anchor: Anchor, context: Context) -> Verdict:
    """``geometry.template``: another picture, true to its own caption, of which the anchor's is visibly false."""

    def check(checks: Checks) -> None:
        _check_kind(checks, contrast, anchor, "geometry.template", "image")
        figure = _check_picture(checks, contrast.code, contrast.image, context)
        claims = _read(checks, contrast.text or "", figure)
        _check_own_claims(checks, claims, figure)
        look_at_anchor(anchor, context)
        claims = _read_anchor(anchor)
        broken = find_broken(claims, figure) or find_unknown(claims, figure)
        checks.require("anchor_broken", bool(broken), "no claim of the anchor's caption visibly fails in the picture")
        _check_differs(checks, contrast, anchor)

    return _decide(check)


def check_negative_caption(text: str, anchor: Anchor, context: Context, drastic: bool = False) -> Verdict:
    """Whether ``text`` is a negative caption of ``anchor``, before any picture of it is asked for.

    ``drastic`` allows what Fig. 11 allows and Fig. 8 forbids: parallel turned into perpendicular.
    """

    def check(checks: Checks) -> None:
        _check_text(checks, text, anchor, look_at_anchor(anchor, context), drastic)

    return _decide(check)


def check_caption(text: str, code: str, context: Context) -> Verdict:
    """Whether every claim of ``text`` is shown by the picture that ``code`` draws."""

    def check(checks: Checks) -> None:
        figure = _check_code(checks, code, context)
        claims = _read(checks, text, figure)
        _check_own_claims(checks, claims, figure)

    return _decide(check)


# --- single checks -----------------------------------------------------------------------------------------------


def _check_kind(checks: Checks, contrast: Contrast, anchor: Anchor, family: str, modality: str) -> None:
    found = (contrast.family, contrast.role, contrast.modality, contrast.anchor_id)
    wanted = (family, "negative", modality, anchor.anchor_id)
    checks.require("row_kind", found == wanted, lambda: f"{found} where {wanted} is due")


def _check_edits(checks: Checks, contrast: Contrast, anchor: Anchor, kinds: frozenset[str], most: int | None) -> None:
    """Edits say truly which words went and which came. They do not decide whether the row is a negative."""
    edits = contrast.edits
    checks.require("edits_named", bool(edits), "no edit is recorded")
    strange = sorted({edit.kind for edit in edits} - kinds)
    checks.require("edit_kinds", not strange, lambda: f"{', '.join(strange)} is no kind of edit of this family")
    if most is not None:
        checks.require("edit_count", len(edits) <= most, lambda: f"{len(edits)} edits, {most} at most")
    source, text = anchor.caption or "", contrast.text or ""
    lies = [
        edit
        for edit in edits
        if edit.target.casefold() not in source.casefold()
        or edit.replacement not in text
        or edit.target == edit.replacement
    ]
    checks.require("edits_true", not lies, lambda: f"{lies[0].target!r} -> {lies[0].replacement!r} did not happen")


def _check_picture(checks: Checks, code: str | None, image: Image | None, context: Context) -> Scene:
    """The stored picture is what the stored code draws, is no blank and has its labels inside."""
    checks.require("picture_stored", image is not None and bool(image.bytes), "the row has no picture")
    assert image is not None
    figure = _check_code(checks, code, context)
    rendering = context.renderer.render(code or "")
    assert rendering.png is not None
    try:
        same = is_same_picture(image.bytes, rendering.png)
        ink = count_ink(image.bytes)
    except PictureError as error:
        raise CheckError(f"picture_reproduced: {error}") from error
    checks.require("picture_reproduced", same, "the stored picture is not what its code draws")
    checks.require("not_blank", ink >= LEAST_INK, lambda: f"{ink} dark pixels")
    return figure


def _check_code(checks: Checks, code: str | None, context: Context) -> Scene:
    """Render and measure; the drawing keeps the rules and bears no number that its coordinates belie."""
    checks.require("code_stored", bool(code), "the row has no code")
    rendering = context.renderer.render(code or "")
    checks.require(
        "code_renders",
        rendering.outcome == Outcome.OK and rendering.drawing is not None,
        lambda: f"{rendering.outcome} {rendering.error.message if rendering.error else ''}".strip(),
    )
    assert rendering.drawing is not None and rendering.png is not None
    drawing, png = rendering.drawing, rendering.png
    problem = _recall("problem", code or "", context, lambda: find_picture_problem(drawing))
    checks.require("drawing_rules", problem is None, problem or "")
    mismatch = _recall("mismatch", code or "", context, lambda: find_mismatch(drawing, png))
    checks.require("picture_is_record", mismatch is None, mismatch or "")
    figure = _measure(code or "", context)
    checks.require("figure_measured", bool(figure.points), "the drawing has no labelled point")
    overdrawn = _recall("overdrawn", code or "", context, lambda: find_overdrawn(figure))
    checks.require("marks_true", not overdrawn, lambda: _tell(overdrawn))
    return figure


def _measure(code: str, context: Context) -> Scene:
    """The scene measured on the drawing of ``code``."""

    def measure() -> Scene:
        drawing = context.renderer.render(code).drawing
        assert drawing is not None
        return measure_scene(drawing)

    try:
        return _recall("figure", code, context, measure)
    except MeasureError as error:
        raise CheckError(f"figure_measured: {error}") from error


def _recall(name: str, code: str, context: Context, find: Callable[[], T]) -> T:
    """What ``find`` finds in the drawing of ``code``, remembered per process: both rows of a pair ask for it."""
    memo: OrderedDict[tuple[str, str], T] = context.scratch.setdefault("geometry.looks", OrderedDict())
    key = (name, hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest())
    try:
        memo.move_to_end(key)
        return memo[key]
    except KeyError:
        pass  # not looked at yet, or crowded out by another thread's drawings
    found = memo[key] = find()
    if len(memo) > _REMEMBERED:
        memo.popitem(last=False)
    return found


def look_at_anchor(anchor: Anchor, context: Context) -> Scene:
    """The scene measured on the anchor's picture.

    Raises:
        CheckError: the anchor's code does not draw.
    """
    rendering = context.renderer.render(anchor.code or "")
    if rendering.outcome != Outcome.OK or rendering.drawing is None or rendering.png is None:
        raise CheckError(f"anchor_draws: {rendering.outcome}")
    if anchor.image is None or not is_same_picture(anchor.image.bytes, rendering.png):
        raise CheckError("anchor_draws: the anchor's picture is not what its code draws")
    return _measure(anchor.code or "", context)


def _read(checks: Checks, text: str, figure: Scene) -> tuple[Fact, ...]:
    """The text's claims, all about things that the figure has."""
    try:
        claims = parse_claims(text)
        list_meanings(claims)
    except (ClaimError, FactError) as error:
        raise CheckError(f"claims_read: {error}") from error
    checks.require("claims_read", bool(claims), "the text claims nothing")
    unknown = find_unknown(claims, figure)
    checks.require("letters_of_figure", not unknown, lambda: f"{_tell(unknown)} names what the figure does not have")
    return claims


def _read_anchor(anchor: Anchor) -> tuple[Fact, ...]:
    try:
        return parse_claims(anchor.caption or "")
    except ClaimError as error:
        raise CheckError(f"anchor_caption: {error}") from error


def _check_text(checks: Checks, text: str | None, anchor: Anchor, anchored: Scene, drastic: bool) -> tuple[Fact, ...]:
    """A negative text: about the anchor's letters, saying something else, and visibly false of the anchor."""
    claims = _read(checks, text or "", anchored)
    known = _read_anchor(anchor)
    new = list_meanings(claims) - list_meanings(known)
    checks.require("no_renaming", bool(new), "the text says what the anchor's caption says")
    checks.require(
        "nothing_left_out",
        len(list_meanings(claims)) >= len(list_meanings(known)),
        "the text claims fewer things than the anchor's caption",
    )
    if not drastic:
        turned = [c for c in claims if c.predicate == "perpendicular" and _was_parallel(c, known)]
        checks.require("no_parallel_to_perpendicular", not turned, lambda: _tell(turned))
    broken = find_broken(claims, anchored)
    checks.require("false_of_anchor", bool(broken), "no claim of the text visibly fails in the anchor's picture")
    return claims


def _was_parallel(claim: Fact, known: Iterable[Fact]) -> bool:
    return bool(list_meanings([Fact("parallel", claim.arguments)]) & list_meanings(known))


def _check_own_claims(checks: Checks, claims: tuple[Fact, ...], figure: Scene) -> None:
    checks.require("own_claims_shown", not find_unshown(claims, figure), lambda: _tell_unshown(claims, figure))


def _check_breaks_anchor(checks: Checks, anchor: Anchor, figure: Scene) -> None:
    broken = find_broken(_read_anchor(anchor), figure)
    checks.require("anchor_broken", bool(broken), "no claim of the anchor's caption visibly fails in the picture")


def _check_differs(checks: Checks, contrast: Contrast, anchor: Anchor) -> None:
    assert contrast.image is not None and anchor.image is not None
    changed = count_changed(contrast.image.bytes, anchor.image.bytes)
    checks.require("differs_from_anchor", changed >= LEAST_CHANGE, lambda: f"{changed} pixels differ")


def _tell(facts: Iterable[Fact]) -> str:
    return "; ".join(write_fact(fact) for fact in list(facts)[:_SHOWN])


def _tell_unshown(claims: Iterable[Fact], figure: Scene) -> str:
    return _tell(find_unshown(claims, figure))


def _tell_labels(wanted: Scene, found: Scene) -> str:
    missing, extra = sorted(set(wanted.points) - set(found.points)), sorted(set(found.points) - set(wanted.points))
    return f"missing {', '.join(missing) or 'none'}, extra {', '.join(extra) or 'none'}"
