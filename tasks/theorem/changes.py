"""What differs between a near miss and its anchor, measured on both as they are read: what is supposed apart from what
is concluded, token by token, in words and in Lean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError
from counterfoil.tasks.theorem.anchors import INFORMAL, SIGNATURE, find_view
from counterfoil.tasks.theorem.checks import read_lean, read_text
from counterfoil.tasks.theorem.language.compare import list_math
from counterfoil.tasks.theorem.language.grammar import Statement
from counterfoil.tasks.theorem.language.pieces import split_pieces
from counterfoil.tasks.theorem.lean.signature import Signature
from counterfoil.tasks.theorem.lean.tokens import split_tokens
from counterfoil.tasks.theorem.settings import TheoremSettings

Parts = Mapping[str, Sequence[str]]
"""The tokens of what is supposed and of what is concluded."""
_QUANTIFIERS = frozenset(["every", "all", "any", "each", "some", "no", "∀", "∃", "∃!", "\\forall", "\\exists"])
_WITH_QUANTIFIERS = _QUANTIFIERS | {"there", "exists", "exist", "is", "are", "a", "an", "has", "have"}
_OPERAND = re.compile(r"@.|[-+*/^_!(){}↑]|\\(?:cdot|times|frac|dfrac|tfrac|sqrt|left|right|pi)|\d+")


def measure_changes(contrast: Contrast, anchor: Anchor, context: Context[TheoremSettings]) -> Iterator[str]:
    """The kinds of the theorem domain; none of a text that cannot be read."""
    del context
    try:
        before, after = _read_both(contrast.text or "", anchor)
    except CheckError:
        return
    for role in before:
        yield from compare_tokens(before[role], after[role], role)


def _read_both(text: str, anchor: Anchor) -> tuple[Parts, Parts]:
    """The anchor's view in the language of the text, and the text.

    Raises:
        CheckError: one of them cannot be read.
    """
    try:
        other = read_text(text)
    except CheckError:
        return _split_lean(read_lean(find_view(anchor, SIGNATURE))), _split_lean(read_lean(text))
    return _split_words(read_text(find_view(anchor, INFORMAL))), _split_words(other)


def _split_words(statement: Statement) -> Parts:
    found: dict[str, list[str]] = {"hypothesis": [], "conclusion": []}
    for clause in statement.clauses:
        tokens = found["hypothesis" if clause.role == "hypothesis" else "conclusion"]
        if clause.role == "answer":
            # It is a value, with or without dollars.
            tokens += ["$", *list_math(statement.text, clause.start, clause.end), "$"]
            continue
        for piece in split_pieces(statement.text[: clause.end]):
            if piece.start >= clause.start and piece.kind == "math":
                tokens += ["$", *list_math(statement.text, *piece.inner), "$"]
            elif piece.start >= clause.start:
                tokens.append(piece.text.lower())
    return found


def _split_lean(signature: Signature) -> Parts:
    source, start = signature.source, signature.conclusion.start
    tokens = [(each.start, f"@{each.text}" if _is_variable(each.text) else each.text) for each in split_tokens(source)]
    return {
        "hypothesis": [text for at, text in tokens if at < start],
        "conclusion": [text for at, text in tokens if at >= start],
    }


def _is_variable(token: str) -> bool:
    return bool(re.fullmatch(r"[a-zα-ω]", token))


def compare_tokens(before: Sequence[str], after: Sequence[str], role: str) -> Iterator[str]:
    """The kinds of what differs; ``role`` is that of what is no number, quantifier or operand.

    >>> sorted(set(compare_tokens(["$", "@x", "<", "3", "$"], ["$", "@y", "<", "5", "$"], "hypothesis")))
    ['number', 'operand']
    >>> list(compare_tokens(["$", "@x", "<", "3", "$"], ["$", "@x", ">", "3", "$"], "conclusion"))
    ['conclusion']
    """
    for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        inside = _is_inside(before, a)
        if b - a == d - c:
            # Each token for itself, where as many stand in the place of as many.
            pairs = zip(before[a:b], after[c:d], strict=True)
            yield from (_name((one, other), inside, role) for one, other in pairs if one != other)
        else:
            yield _name((*before[a:b], *after[c:d]), inside, role)


def _name(tokens: Sequence[str], inside: bool, role: str) -> str:
    """The kind of what differs in these tokens."""
    if len(tokens) == 2 and all(each.isdecimal() for each in tokens):
        return "number"
    if set(tokens) <= _WITH_QUANTIFIERS and set(tokens) & _QUANTIFIERS:
        return "quantifier"
    return "operand" if inside and all(map(_OPERAND.fullmatch, tokens)) else role


def _is_inside(tokens: Sequence[str], at: int) -> bool:
    """Whether a place is within mathematics: all of Lean is."""
    return "$" not in tokens or tokens[:at].count("$") % 2 == 1
