"""What the verifiers of statements share."""

from __future__ import annotations

from storage.rows import Anchor, Contrast
from tasks.contract.context import Context
from tasks.contract.verdict import CheckError, Checks
from tasks.theorem.anchors import INFORMAL, SIGNATURE, find_view, read_anchor
from tasks.theorem.language.compare import is_same, read_clauses, read_meaning
from tasks.theorem.language.grammar import LONGEST, SHORTEST, GrammarError, Statement, read_statement
from tasks.theorem.latex.terms import is_balanced
from tasks.theorem.lean.signature import LeanError, Signature, read_signature
from tasks.theorem.settings import TheoremSettings
from tasks.theorem.truth import Decision, NoNegativeError, decide_formal, decide_informal

SHARE = 2.5
"""A text is at most so many times as long as the anchor's."""


def check_text(checks: Checks, contrast: Contrast, original: str) -> str:
    """Text alone, of a length like the anchor's, with balanced LaTeX, and not the anchor's own."""
    text = contrast.text or ""
    checks.require("text_alone", bool(text) and contrast.image is None, "a statement is text alone")
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


def check_false(checks: Checks, decide: Decision | CheckError, context: Context[TheoremSettings]) -> None:
    """That it is known to be false, or that the setting keeps what is not known."""
    if isinstance(decide, CheckError):
        raise decide
    if decide.how == "instances":
        checks.require("false_at_an_instance", True, "")
    elif decide.how == "contradiction":
        checks.require("contradicts_anchor", True, "")
    else:
        kept = context.settings.undecided == "keep"
        checks.require("undecided_kept", kept, "neither instances nor a contradiction decide that it is false")


def judge_informal(original: Statement, other: Statement) -> Decision | CheckError:
    """What is known of an informal statement beside the anchor's."""
    try:
        return decide_informal(original, other)
    except NoNegativeError as reason:
        return CheckError(str(reason))


def judge_formal(original: Signature, other: Signature) -> Decision | CheckError:
    """What is known of a Lean statement beside the anchor's."""
    try:
        return decide_formal(original, other)
    except NoNegativeError as reason:
        return CheckError(str(reason))


def check_edits(checks: Checks, contrast: Contrast, kinds: frozenset[str]) -> None:
    """The row names edits of its family's kinds."""
    named = bool(contrast.edits) and {edit.kind for edit in contrast.edits} <= kinds
    checks.require("edits_named", named, lambda: ", ".join(edit.kind for edit in contrast.edits) or "none")


def refutes(text: str, anchor: Anchor, context: Context[TheoremSettings]) -> bool | None:
    """Whether ``text`` is another statement than the anchor's: True where both are read and neither says what the other
    does nor follows from it by supposing more or concluding less; False where they say the same, up to the names of
    variables and the order of hypotheses; None where that cannot be told.
    """
    del context
    if text in {view.text for view in anchor.views}:
        return False
    try:
        first, second = read_anchor(anchor), read_meaning(text)
    except GrammarError:
        return _refute_formally(text, anchor)
    if is_same(first, second):
        return False
    weaker = set(second.hypotheses) >= set(first.hypotheses) and set(second.claims) <= set(first.claims)
    stronger = set(first.hypotheses) >= set(second.hypotheses) and set(first.claims) <= set(second.claims)
    return None if weaker or stronger else True


def _refute_formally(text: str, anchor: Anchor) -> bool | None:
    try:
        first, second = read_lean(find_view(anchor, SIGNATURE)), read_lean(text)
    except CheckError:
        return None
    same = {each.type for each in first.hypotheses} == {each.type for each in second.hypotheses}
    return False if same and first.conclusion == second.conclusion else None
