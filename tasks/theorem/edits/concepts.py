"""Near misses of what an informal statement supposes, and of how it goes together: a condition left out, a class or a
sign weakened, the converse, the sides of "divides" or of "at least" exchanged. A verifier says what is a negative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from counterfoil.tasks.theorem.edits.agreement import is_plural
from counterfoil.tasks.theorem.edits.trees import Change
from counterfoil.tasks.theorem.language.antonyms import ANTONYMS
from counterfoil.tasks.theorem.language.grammar import Clause, Statement
from counterfoil.tasks.theorem.language.pieces import split_pieces
from counterfoil.tasks.theorem.language.wordings import TABLES

OMITTED: list[str] = TABLES["omitted"]
_DECIDED = frozenset(OMITTED[:8])
"""Those that instances know of."""
_SUPPOSED: dict[str, dict[str, list[str]]] = TABLES["supposed"]
"""By kind of edit: words of what is supposed, and what may stand in their place."""
_CLAIMED: dict[str, list[str]] = TABLES["compared_to"]
_MATH = r"(?:\$[^$]+\$|\d+)"
_TAIL = re.compile(
    rf" (?:is|are|be) (?:an? )?(?:not )?(?:even|odd|prime|positive|negative|nonzero|nonnegative|divisible by {_MATH}"
    rf"|(?:at least|at most|greater than|less than) {_MATH})\b(?! (?:integer|number|real))"
    rf"| (?:divides|does not divide) {_MATH}"
)
"""What is said of a piece of mathematics in words that can be tried."""
_DIVIDES = re.compile(rf"(?P<one>{_MATH}) (?:divides|is divisible by|is a multiple of) (?P<two>{_MATH})")


def list_concepts(statement: Statement) -> Iterator[Change]:
    """Changes of what is supposed, of comparisons in words, and of the direction of the whole."""
    for clause in statement.list_clauses("hypothesis"):
        yield from _omit_words(statement, clause)
        yield from _omit_conditions(statement, clause)
        yield from _exchange_words(statement, clause)
    for clause in statement.list_clauses("hypothesis", "conclusion"):
        yield from _exchange_opposites(statement, clause)
        yield from _exchange_comparisons(statement, clause)
    yield from _convert(statement)


def hide_math(text: str) -> str:
    """The text with signs of no meaning in the place of its mathematics."""
    parts = list(text)
    for piece in split_pieces(text):
        if piece.kind in ("math", "command"):
            parts[piece.start : piece.end] = "\u2588" * (piece.end - piece.start)
    return "".join(parts)


def change_word(text: str, start: int, end: int, new: str, kind: str) -> Change:
    """A word for another, with the article before it."""
    article = re.search(r"\b([Aa])n? $", text[:start])
    if article is None or is_plural(" " + new):
        return Change(kind, start, end, new)
    return Change(kind, article.start(), end, f"{article[1]}{'n' if new[0] in 'aeiou' else ''} {new}")


def _omit_words(statement: Statement, clause: Clause) -> Iterator[Change]:
    """An adjective of what is supposed left out."""
    plain = hide_math(statement.quote(clause))
    for match in re.finditer(rf"\b({'|'.join(OMITTED)}) (?=[a-z]+)", plain):
        kind = "omit" if match[1] in _DECIDED else "omit_word"
        following = re.match(r"[a-z-]+", plain[match.end() :])
        if following is None or following[0] in ("and", "or", "if", "then", "such", "with"):
            continue
        start = clause.start + match.start()
        article = re.search(r"\b([Aa])n? $", statement.text[:start])
        if article is None:
            yield Change(kind, start, clause.start + match.end(), "")
        else:
            said = f"{article[1]}{'n' if following[0][0] in 'aeiou' else ''} "
            yield Change(kind, article.start(), clause.start + match.end(), said)


def _omit_conditions(statement: Statement, clause: Clause) -> Iterator[Change]:
    """One condition of several left out, or all that a sentence or an "if" supposes."""
    text = statement.text
    for piece in split_pieces(text[: clause.end]):
        if piece.start < clause.start or piece.kind != "math":
            continue
        tail = _TAIL.match(text, piece.end, clause.end)
        if tail is None and not re.search(r"[=<>]|\\(?:n?eq?|[lg]eq?|n?mid|equiv|in)\b", piece.text):
            continue
        span = _find_condition(text, clause, piece.start, tail.end() if tail else piece.end)
        if span is not None:
            yield Change("omit", *span, "")
    if clause.lead == "if":
        yield from _drop_condition(statement, clause)


_AND = re.compile(r",? and (?:that )?(?=\$)|, (?=\$)")
_BEFORE_AND = re.compile(r"(?:,? and (?:that )?|, )$")
_BEFORE_ALONE = re.compile(r",? (?:such that|so that|with|where|satisfying|which satisfy|that satisfy) $")
_BEFORE_SENTENCE = re.compile(r"(?:Suppose|Assume)(?: that)? $")


def _find_condition(text: str, clause: Clause, start: int, end: int) -> tuple[int, int] | None:
    """What goes with a condition that is left out: the "and" beside it, or the words that bring it in."""
    after = _AND.match(text, end, clause.end)
    before = _BEFORE_AND.search(text[clause.start : start])
    if after is not None and (start == clause.start or before or _BEFORE_ALONE.search(text[:start])):
        return start, after.end()
    if before is not None and start > clause.start and end == clause.end:
        return clause.start + before.start(), end
    alone = _BEFORE_ALONE.search(text[clause.start : start])
    if alone is not None and end == clause.end:
        return clause.start + alone.start(), end
    sentence = _BEFORE_SENTENCE.search(text[:start])
    alone_said = start == clause.start and end == clause.end and sentence is not None
    if alone_said and sentence and text[end : end + 2] == ". " and not text.startswith("Then", end + 2):
        return sentence.start(), end + 2
    return None


def _drop_condition(statement: Statement, clause: Clause) -> Iterator[Change]:
    """``if H, then C`` as ``C``, and ``If H, show that C`` as ``Show that C``."""
    text = statement.text
    lead = re.search(r"\b[Ii]f $", text[: clause.start])
    after = re.compile(r"(?:, then|,| then) ").match(text, clause.end)
    if lead is None or after is None:
        return
    first = text[after.end() : after.end() + 1]
    if lead[0][0] == "I" and first.islower():
        yield Change("omit", lead.start(), after.end() + 1, first.upper())
    else:
        yield Change("omit", lead.start(), after.end(), "")


def _exchange_words(statement: Statement, clause: Clause) -> Iterator[Change]:
    """A class or a sign weakened, or another: ``field`` as ``commutative ring``, ``positive`` as ``nonnegative``."""
    plain = hide_math(statement.quote(clause))
    for kind, table in _SUPPOSED.items():
        # Even, odd and prime are integers.
        kept = r"(?<!\beven )(?<!\bodd )(?<!\bprime )(?<!-)"
        for match in re.finditer(rf"{kept}\b({'|'.join(sorted(table, key=len, reverse=True))})\b(?!-)", plain):
            for new in table[match[1]]:
                yield change_word(statement.text, clause.start + match.start(), clause.start + match.end(), new, kind)


def _exchange_opposites(statement: Statement, clause: Clause) -> Iterator[Change]:
    """``even`` as ``odd``."""
    for match in re.finditer(r"[A-Za-z-]+", hide_math(statement.quote(clause))):
        if other := ANTONYMS.get(match[0]):
            yield change_word(
                statement.text, clause.start + match.start(), clause.start + match.end(), other, "opposite"
            )


def _exchange_comparisons(statement: Statement, clause: Clause) -> Iterator[Change]:
    """``at least`` as ``at most``; ``$a$ divides $b$`` as ``$b$ divides $a$``."""
    said = statement.quote(clause)
    plain = hide_math(said)
    for match in re.finditer(rf"\b({'|'.join(_CLAIMED)})\b", plain):
        for new in _CLAIMED[match[1]]:
            yield Change("relation", clause.start + match.start(), clause.start + match.end(), new)
    for match in _DIVIDES.finditer(said):
        one, two = match["one"], match["two"]
        if one != two:
            middle = said[match.end("one") : match.start("two")]
            yield Change("flip", clause.start + match.start(), clause.start + match.end(), f"{two}{middle}{one}")


def _convert(statement: Statement) -> Iterator[Change]:
    """``if H, then C`` as ``if C, then H``: the converse, where neither speaks of several things."""
    conditions = [each for each in statement.list_clauses("hypothesis") if each.lead == "if"]
    conclusions = statement.list_clauses("conclusion")
    if len(conditions) != 1 or len(conclusions) != 1 or conditions[0].end > conclusions[0].start:
        return
    (condition,), (conclusion,) = conditions, conclusions
    h, c = statement.quote(condition), statement.quote(conclusion)
    if h == c or re.search(r"\b(?:such|for|Let|let|where|with)\b|[.]$", f"{h} {c}") or "if" in c.split():
        return
    between = statement.text[condition.end : conclusion.start]
    yield Change("converse", condition.start, conclusion.end, f"{c}{between}{h}")
