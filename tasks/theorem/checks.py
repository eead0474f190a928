"""What the verifiers of statements share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError, Checks
from counterfoil.tasks.theorem.algebra.instances import Trial
from counterfoil.tasks.theorem.anchors import INFORMAL, SIGNATURE, find_view
from counterfoil.tasks.theorem.language.compare import read_clauses
from counterfoil.tasks.theorem.language.grammar import LONGEST, SHORTEST, GrammarError, Statement, read_statement
from counterfoil.tasks.theorem.language.rephrase import apply_renaming
from counterfoil.tasks.theorem.latex.terms import is_balanced
from counterfoil.tasks.theorem.lean.signature import LeanError, Signature, read_signature
from counterfoil.tasks.theorem.settings import TheoremSettings
from counterfoil.tasks.theorem.standing import find_standing
from counterfoil.tasks.theorem.truth import (
    Decision,
    NoNegativeError,
    ShownTrueError,
    decide_formal,
    decide_informal,
    judge_alone,
    judge_lean_alone,
)
from counterfoil.tasks.theorem.words import squeeze

SHARE = 2.5
"""A text is at most so many times as long as the anchor's."""


def check_text(checks: Checks, contrast: Contrast, original: str) -> str:
    """Text alone, of a length like the anchor's, with balanced LaTeX, and not the anchor's own."""
    text = contrast.text or ""
    alone = bool(text) and contrast.image is None and contrast.code is None
    checks.require("text_alone", alone, "a statement is text alone")
    checks.require("text_kept", text == " ".join(text.split()), "stray spaces")
    fits = SHORTEST <= len(text) <= LONGEST and len(text) <= SHARE * len(original) + 40
    checks.require("length", fits, f"{len(text):,} characters where the anchor has {len(original):,}")
    checks.require("balanced", is_balanced(text), "dollars, braces or environments of the LaTeX do not close")
    checks.require("another_text", text != original, "it is the anchor's text")
    return text


def read_original(anchor: Anchor) -> Statement:
    """The anchor's informal statement.

    Raises:
        CheckError: there is none, or it is not of the grammar.
    """
    informal = find_view(anchor, INFORMAL)
    if not informal:
        raise CheckError("no_informal: the anchor has no informal statement")
    return read_text(informal)


def read_text(text: str) -> Statement:
    """A statement's clauses.

    Raises:
        CheckError: it is not of the grammar.
    """
    try:
        return read_statement(text)
    except GrammarError as error:
        raise CheckError(f"statement_read: {error}") from error


def read_lean(text: str | None) -> Signature:
    """A Lean statement.

    Raises:
        CheckError: there is none, or it cannot be read.
    """
    if not text:
        raise CheckError("no_formal: the anchor has no Lean statement")
    try:
        return read_signature(text)
    except LeanError as error:
        raise CheckError(f"lean_read: {error}") from error


def check_variables(checks: Checks, original: Statement, other: Statement) -> None:
    """What the conclusion speaks of is still said to be something (MathLeap B.1)."""
    before, after = read_clauses(original), read_clauses(other)
    introduced = _list_variables(before.hypotheses) & _list_variables(before.claims)
    lost = sorted(introduced - _list_variables(after.hypotheses))
    lost = [name for name in lost if name in _list_variables(after.claims)]
    checks.require("variables_defined", not lost, lambda: f"{', '.join(lost)}: nothing says any more what it is")


def _list_variables(clauses: tuple[tuple[str, ...], ...]) -> set[str]:
    return {token[1:] for clause in clauses for token in clause if len(token) > 1 and token[0] == "@"}


def check_false(
    checks: Checks, decide: Decision | CheckError, anchor: Anchor, context: Context[TheoremSettings]
) -> None:
    """That it is as far known to be false as the setting asks for; the grade and the witness go to the row."""
    if isinstance(decide, CheckError):
        raise decide
    standing = find_standing(anchor)
    checks.require("anchor_true", not standing.witness, f"the anchor fails at {standing.witness}")
    grades = context.settings.grades
    if decide.grade == "refuted":
        checks.require("false_at_an_instance", True, "")
        checks.witness = decide.details
    elif decide.grade == "contradicts":
        checks.require("contradicts_anchor", True, "")
        if standing.tested:
            checks.require("anchor_tested", True, "")
        else:
            kept = "contradicts" in grades
            checks.require("untested_kept", kept, "it contradicts an anchor that no instance could test")
    else:
        kept = "undecided" in grades
        checks.require("undecided_kept", kept, "neither instances nor a contradiction decide that it is false")
    kept = decide.grade in grades or (decide.grade == "contradicts" and "tested" in grades and standing.tested)
    checks.require("grade_kept", kept, lambda: f"{decide.grade} is none of the grades {', '.join(grades)}")
    checks.grade = decide.grade


def judge_informal(original: Statement, other: Statement, anchor: Anchor | None = None) -> Decision | CheckError:
    """What is known of an informal statement beside the anchor's."""
    try:
        return decide_informal(original, other, _find_signature(anchor) if anchor else None)
    except NoNegativeError as reason:
        return CheckError(str(reason))


def _find_signature(anchor: Anchor) -> Signature | None:
    try:
        return read_lean(find_view(anchor, SIGNATURE))
    except CheckError:
        return None


def judge_formal(original: Signature, other: Signature) -> Decision | CheckError:
    """What is known of a Lean statement beside the anchor's."""
    try:
        return decide_formal(original, other)
    except NoNegativeError as reason:
        return CheckError(str(reason))


def check_edits(checks: Checks, contrast: Contrast, kinds: frozenset[str], original: str = "") -> None:
    """The row names edits of its family's kinds; where rules made them of ``original``, they are all that differs."""
    named = bool(contrast.edits) and {edit.kind for edit in contrast.edits} <= kinds
    if named and original and contrast.provenance.author == "procedural":
        text, edits = contrast.text or "", contrast.edits
        again = [i for i, edit in enumerate(edits) if edit in edits[:i]]
        idle = any(is_made(text, original, (*edits[:i], *edits[i + 1 :])) for i in again)
        named = is_made(text, original, edits) and not idle and not _is_padded(text, original, edits)
    checks.require("edits_named", named, lambda: ", ".join(map(str, contrast.edits)) or "none")


def _is_padded(text: str, original: str, edits: Sequence[Edit]) -> bool:
    """Whether a replacement has white space around it without which the text comes out letter by letter, and not with
    it."""
    bare = [replace(edit, replacement=edit.replacement.strip()) for edit in edits]
    return bare != [*edits] and text not in list_made(original, edits) and text in list_made(original, bare)


_MOST_TEXTS = 3000


def is_made(text: str, original: str, edits: Sequence[Edit]) -> bool:
    """Whether ``text`` comes of ``original`` by these edits, one after the other, each at one of its target's places.

    >>> is_made("if $y < 2$", "if $x < 1$", [Edit("number", "1", "2"), Edit("rename", "x", "y")])
    True
    >>> is_made("if $x < 2$", "if $x < 1$", [Edit("number", "1 of old", "2")])
    False
    """
    return squeeze(text) in map(squeeze, list_made(original, edits))


def list_made(original: str, edits: Sequence[Edit]) -> set[str]:
    """The texts that come of ``original`` by these edits."""
    texts = {original}
    for edit in edits:
        texts = set(islice(chain.from_iterable(_list_edited(each, edit) for each in sorted(texts)), _MOST_TEXTS))
    return texts


def _list_edited(text: str, edit: Edit) -> Iterator[str]:
    if edit.kind == "rename":
        names = [each.split(", ") for each in (edit.target, edit.replacement)]
        if len(names[0]) == len(names[1]):
            yield apply_renaming(text, dict(zip(*names, strict=True)))
        return
    for match in re.finditer(f"(?={re.escape(edit.target)})", text) if edit.target else ():
        yield text[: match.start()] + edit.replacement + text[match.start() + len(edit.target) :]


def refutes(text: str, anchor: Anchor, context: Context[TheoremSettings]) -> bool | None:
    """Whether ``text`` is false of the anchor.

    True where a witness shows it false, or it contradicts the anchor's claim under what the anchor supposes; False
    where it says the same in other words, follows from the anchor, or is proved; None else. To say something else is
    not to be false.
    """
    del context
    if text in {view.text for view in anchor.views}:
        return False
    if find_standing(anchor).witness:
        return None
    try:
        other = read_statement(text)
    except GrammarError:
        return _refute_formally(text, anchor)
    try:
        original = read_statement(find_view(anchor, INFORMAL))
        return _tell(lambda: decide_informal(original, other, _find_signature(anchor)), judge_alone(other))
    except GrammarError:
        return _tell_alone(judge_alone(other))


def _refute_formally(text: str, anchor: Anchor) -> bool | None:
    try:
        other = read_lean(text)
    except CheckError:
        return None
    alone = judge_lean_alone(other)
    try:
        first = read_lean(find_view(anchor, SIGNATURE))
    except CheckError:
        return _tell_alone(alone)
    return _tell(lambda: decide_formal(first, other), alone)


def _tell(decide: Callable[[], Decision], alone: Trial | None) -> bool | None:
    """What a judge of both, and instances of the one alone, come to."""
    try:
        decision = decide()
    except ShownTrueError:
        return False
    except NoNegativeError:
        return None
    return True if decision.grade != "undecided" else _tell_alone(alone)


def _tell_alone(alone: Trial | None) -> bool | None:
    if alone is None or not (alone.refuted or alone.proved):
        return None
    return alone.refuted
