"""The grammar of informal statements: what is supposed, what is asked, what is claimed.

A statement is sentences in this order; only the claim must be there. As books write it, the claim has no verb: it is
the last sentence, after sentences that suppose something alone (``Let $n$ be even. Then $n^2$ is even.``)::

    statement  = { supposition } [ question ] claim { remark }
    supposition = ("Let" | "Suppose [that]" | "Assume [that]" | "Given [that]" | "Consider" | "") clause "."
    question   = [condition ","] ("What is" | "Find" | "Determine" | "Compute" | ...) clause ("?" | ".")
    claim      = [condition ","] verb ["that"] body "."
             | ["Then" | "We have" | "It follows that"] body "."        (in a book)
    verb       = "show" | "prove" | "deduce" | "conclude" | "verify"
    condition  = ("If" | "Let" | "Suppose [that]" | "For" quantity | "Given [that]") clause
    body       = "it is" answer                                  (after a question)
               | ("if" | "when" | "whenever" | "given" | "suppose" | "let") clause ["," | ";"] ["then"] clause
               | ("for all" | "for any" | "for every" | "for each") quantity "," clause
               | clause
    remark     = "(" ... ")"

A heading ("Theorem 3.2.", "Lemma (Bezout).") may stand before all of it. A clause is read no further than its words,
mathematical pieces and the signs between them. What it says in numbers is read by
`counterfoil.tasks.theorem.language.numbers`. Whatever is not of this form is refused with a reason.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from counterfoil.tasks.theorem.language.pieces import Piece, split_sentences
from counterfoil.tasks.theorem.latex.terms import is_balanced

LONGEST = 1500
SHORTEST = 15
CLAIM_VERBS = ("show", "prove", "deduce", "conclude", "verify")
_SUPPOSE = ("let", "suppose", "assume", "given", "consider", "fix", "take", "denote", "define", "write", "set")
_HEADINGS = frozenset({"theorem", "lemma", "proposition", "corollary", "claim", "fact", "exercise", "problem"})
_CONDITIONS = ("if", "when", "whenever", "given", "provided", "assuming", "suppose", "assume", "let")
"""What opens a sentence that supposes and claims."""
_ASK = (
    "what",
    "find",
    "determine",
    "compute",
    "evaluate",
    "how",
    "simplify",
    "express",
    "calculate",
    "which",
    "solve",
    "expand",
    "factor",
)
_VAGUE = frozenset({"example", "examples"})
_BEFORE_QUANTITY = ("for", "all"), ("for", "any"), ("for", "every"), ("for", "each")


class GrammarError(Exception):
    """The statement is not of the grammar. The message is a reason: ``"code: details"``."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Some words of the text. ``role``: ``hypothesis``, ``question``, ``conclusion`` or ``answer``; ``lead``: how it is
    opened (``let``, ``suppose``, ``if``, ``for``, or nothing)."""

    role: str
    lead: str
    start: int
    end: int


@dataclass(frozen=True)
class Statement:
    """A statement and its clauses, in the order of the text."""

    text: str
    clauses: tuple[Clause, ...]
    verb: tuple[int, int]
    """Where the claim's verb stands."""

    def list_clauses(self, *roles: str) -> tuple[Clause, ...]:
        """Those of these roles."""
        return tuple(each for each in self.clauses if each.role in roles)

    def quote(self, clause: Clause) -> str:
        return self.text[clause.start : clause.end]


@lru_cache(maxsize=8192)
def read_statement(text: str) -> Statement:
    """The clauses of an informal statement.

    Raises:
        GrammarError: it is not of the grammar.
    """
    if not SHORTEST <= len(text) <= LONGEST:
        raise GrammarError(f"length: {len(text):,} characters, not {SHORTEST} to {LONGEST:,}")
    if not is_balanced(text):
        raise GrammarError("unbalanced: dollars, braces or environments of its LaTeX do not close")
    sentences = split_sentences(text)
    if len(sentences) > 1 and _is_heading(sentences[0]):
        sentences = sentences[1:]
    claims = [i for i, each in enumerate(sentences) if _find_verb(each) is not None]
    if len(claims) > 1:
        raise GrammarError("several_claims: more than one thing is to be shown")
    at = claims[0] if claims else _find_stated(sentences)
    clauses: list[Clause] = []
    for sentence in sentences[:at]:
        clauses += _read_before(sentence)
    for sentence in sentences[at + 1 :]:
        if sentence[0].text != "(":
            raise GrammarError("after_claim: something is said after the claim")
    asked = any(each.role == "question" for each in clauses)
    found, verb = _read_claim(sentences[at], asked) if claims else _read_stated(sentences[at])
    clauses += found
    if sum(each.role == "question" for each in clauses) > 1:
        raise GrammarError("several_questions: more than one thing is asked")
    asked = any(each.role == "question" for each in clauses)
    if asked and not any(each.role == "answer" for each in clauses):
        raise GrammarError("no_answer: something is asked, and what is claimed is no answer")
    if any(each.end <= each.start for each in clauses):
        raise GrammarError("empty_clause: nothing is said between two of its words")
    return Statement(text, tuple(clauses), verb)


_SAID = frozenset(
    {"is", "are", "has", "have", "divides", "exists", "exist", "contains", "converges", "holds", "cannot", "equals"}
)
_RELATION = re.compile(r"[=<>]|\\(?:neq?|leq?|geq?|n?mid|equiv|in|subset(?:eq)?|cong|sim|approx)\b")


def _find_stated(sentences: Sequence[list[Piece]]) -> int:
    """The number of the sentence that a book claims: the last that is no remark, where all before it suppose something.

    Raises:
        GrammarError: there is none.
    """
    last = max((i for i, each in enumerate(sentences) if each[0].text != "("), default=0)
    sentence = sentences[last]
    words = [_lower(piece) for piece in sentence]
    divided = words[0] in _CONDITIONS and sentence[-1].text != "?" and _find_then(sentence, words) is not None
    said = bool(_SAID & set(words)) or any(piece.kind == "math" and _RELATION.search(piece.text) for piece in sentence)
    supposed = all(_lower(each[0]) in _SUPPOSE or each[0].text == "(" for each in sentences[:last])
    opened = words[0] in (*_SUPPOSE, *_ASK, "who", "why", "when", "where") or sentence[-1].text == "?"
    if not said or not supposed or (opened and not divided) or _VAGUE & set(words):
        raise GrammarError("no_claim: nothing is to be shown")
    return last


def _is_heading(sentence: Sequence[Piece]) -> bool:
    """``Theorem 3.2.``, ``Lemma (Bezout).``"""
    rest = sentence[1 : _close(sentence)]
    numbered = all(each.kind == "number" for each in rest[:1]) and len(rest) <= 1
    named = len(rest) > 2 and rest[-1].text == ")" and "(" in (rest[0].text, rest[1].text)
    return _lower(sentence[0]) in _HEADINGS and (numbered or named)


def _read_stated(sentence: list[Piece]) -> tuple[list[Clause], tuple[int, int]]:
    """A claim without a verb, which is told to stand, without length, where the claim begins."""
    body = sentence[: _close(sentence)]
    words = [_lower(piece) for piece in body]
    for opening in _OPENINGS:
        if tuple(words[: len(opening)]) == opening:
            body = body[len(opening) :]
            body = body[1:] if body and body[0].text == "," else body
            words = [_lower(piece) for piece in body]
    if not body:
        raise GrammarError("empty_clause: nothing is claimed")
    return _read_body(body), (sentence[0].start, sentence[0].start)


_OPENINGS = (
    ("then",),
    ("hence",),
    ("thus",),
    ("therefore",),
    ("in", "this", "case"),
    ("it", "follows", "that"),
    ("we", "have", "that"),
    ("we", "have"),
    ("one", "has"),
)
"""Words that open what a book claims and say nothing of it."""


def _lower(piece: Piece) -> str:
    return piece.text.lower() if piece.kind == "word" else piece.text


def _find_verb(sentence: Sequence[Piece]) -> int | None:
    """Where a claim's verb stands: first, or after a comma, in the imperative."""
    for i, piece in enumerate(sentence):
        if _lower(piece) not in CLAIM_VERBS:
            continue
        following = _lower(sentence[i + 1]) if i + 1 < len(sentence) else ""
        if following not in ("that", "there", "the"):
            continue
        if i == 0 or sentence[i - 1].text in (",", ":") or _lower(sentence[i - 1]) in ("then", "and"):
            return i
        if sentence[i - 1].kind == "math" or (i and _lower(sentence[0]) in ("for", "if", "let", "given")):
            return i
    return None


def _close(sentence: Sequence[Piece]) -> int:
    """Where what a sentence says ends: before its full stop."""
    end = len(sentence)
    while end and sentence[end - 1].text in (".", "?", "!", ",", ";", ":"):
        end -= 1
    return end


def _span(pieces: Sequence[Piece]) -> tuple[int, int]:
    return (pieces[0].start, pieces[-1].end) if pieces else (0, 0)


def _read_before(sentence: list[Piece]) -> list[Clause]:
    """A sentence before the claim: something supposed, or what is asked."""
    body = sentence[: _close(sentence)]
    if not body:
        return []
    if sentence[0].text == "(":
        return [Clause("hypothesis", "", *_span(sentence))]
    words = [_lower(piece) for piece in body]
    if _VAGUE & set(words):
        raise GrammarError("vague: an example is asked for")
    ask = next((i for i, word in enumerate(words) if word in _ASK and _may_ask(body, i)), None)
    if ask is not None:
        clauses = _read_condition(body[:ask])
        return [*clauses, Clause("question", words[ask], *_span(body[ask:]))]
    return _read_condition(body) if words[0] in (*_SUPPOSE, "if") else [Clause("hypothesis", "", *_span(body))]


def _may_ask(body: Sequence[Piece], i: int) -> bool:
    if i == 0:
        return True
    before = body[i - 1]
    word = _lower(body[i])
    conditional = _lower(body[0]) in ("if", "given", "when", "for", "let", "suppose", "in")
    return conditional and (
        before.text in (",", ";")
        or _lower(before) in ("then", "and")
        or (before.kind == "math" and word in ("what", "find", "how"))
    )


def _read_condition(pieces: Sequence[Piece]) -> list[Clause]:
    """What stands before a question or a verb: ``If ...,``, ``Let ...,``, ``For real numbers ...,``."""
    pieces = list(pieces)
    while pieces and (pieces[-1].text in (",", ":", ";") or _lower(pieces[-1]) in ("then", "and")):
        pieces.pop()
    if not pieces:
        return []
    lead = _lower(pieces[0])
    if lead in ("suppose", "assume", "given", "let", "if", "consider", "for", "fix", "take"):
        rest = pieces[1:]
        if rest and _lower(rest[0]) == "that" and lead != "for":
            rest = rest[1:]
        if not rest:
            raise GrammarError(f"empty_clause: nothing follows {pieces[0].text!r}")
        return [Clause("hypothesis", "suppose" if lead == "assume" else lead, *_span(rest))]
    return [Clause("hypothesis", "", *_span(pieces))]


def _read_claim(sentence: list[Piece], asked: bool) -> tuple[list[Clause], tuple[int, int]]:
    at = _find_verb(sentence)
    assert at is not None
    verb = sentence[at]
    clauses = _read_before_verb(sentence[:at])
    body = sentence[at + 1 : _close(sentence)]
    if body and _lower(body[0]) == "that":
        body = body[1:]
    if not body:
        raise GrammarError("empty_clause: nothing follows the verb")
    words = [_lower(piece) for piece in body]
    if asked or any(each.role == "question" for each in clauses):
        if words[:2] != ["it", "is"] or len(body) < 3:
            raise GrammarError("no_answer: something is asked, and what is claimed is no answer")
        end = sentence[-1].end
        return [*clauses, Clause("answer", "", body[2].start, _trim(sentence, end))], (verb.start, verb.end)
    clauses += _read_body(body)
    return clauses, (verb.start, verb.end)


def _read_before_verb(pieces: list[Piece]) -> list[Clause]:
    """``If ..., what is ...? Show`` never comes here; ``Let G be a group, and let ...; if ..., show`` does."""
    return _read_condition(pieces)


def _trim(sentence: list[Piece], end: int) -> int:
    return sentence[-2].end if sentence[-1].text == "." and len(sentence) > 1 else end


def _read_body(body: list[Piece]) -> list[Clause]:
    words = [_lower(piece) for piece in body]
    if words[0] in _CONDITIONS:
        cut = _find_then(body, words)
        if cut is None:
            raise GrammarError("no_then: what follows from the condition cannot be told")
        stop, begin = cut
        opened = 2 if words[1:2] == ["that"] else 1
        lead = "if" if words[0] in ("when", "whenever", "provided", "assuming") else words[0]
        supposed = Clause("hypothesis", "suppose" if lead == "assume" else lead, *_span(body[opened:stop]))
        return [supposed, Clause("conclusion", "", *_span(body[begin:]))]
    if tuple(words[:2]) in _BEFORE_QUANTITY or (words[0] == "for" and len(words) > 2):
        comma = _find_comma(body)
        had = next((i for i, pair in enumerate(itertools.pairwise(words)) if pair in _HAVE), None)
        if had is not None and (comma is None or had < comma):
            comma = had
        if comma is None:
            raise GrammarError("no_comma: where the quantity ends cannot be told")
        begin = comma + (body[comma].text == ",")
        while begin < len(body) and (
            words[begin] in ("we", "have", "one", "has") or words[begin : begin + 2] == ["it", "holds"]
        ):
            begin += 1
        return [Clause("hypothesis", "for", *_span(body[1:comma])), Clause("conclusion", "", *_span(body[begin:]))]
    return [Clause("conclusion", "", *_span(body))]


_HAVE = (("we", "have"), ("one", "has"))


def _find_then(body: list[Piece], words: list[str]) -> tuple[int, int] | None:
    """Where the condition ends and where what follows begins."""
    thens = [i for i, word in enumerate(words) if word == "then"]
    if len(thens) > 1 or words.count("if") > (words[0] == "if") + ("only" in words):
        return None
    if thens:
        at = thens[0]
        stop = at - 1 if body[at - 1].text in (",", ";") else at
        return (stop, at + 1) if at + 1 < len(body) else None
    if words[0] in _LOOSE:
        return None
    had = [i for i, pair in enumerate(itertools.pairwise(words)) if pair in _HAVE]
    if len(had) == 1:
        stop = had[0] - 1 if body[had[0] - 1].text == "," else had[0]
        return (stop, had[0] + 2) if had[0] + 2 < len(body) else None
    commas = [i for i, piece in enumerate(body) if piece.text == ","]
    if words[0] != "if":
        commas = [i for i in commas if i + 1 < len(body) and not _is_name(body[i + 1])]
    return (commas[0], commas[0] + 1) if len(commas) == 1 and commas[0] + 1 < len(body) else None


_LOOSE = ("let", "suppose", "assume")
"""With these a comma alone parts nothing: ``Let $n$ be odd, and ...``."""


def _find_comma(body: list[Piece]) -> int | None:
    """The comma that ends a quantity: the last that no mere name follows."""
    commas = [i for i, piece in enumerate(body) if piece.text == ","]
    ends = [
        i
        for i in commas
        if i + 1 < len(body)
        and not _is_name(body[i + 1])
        and _lower(body[i + 1]) not in ("and", "such", "with", "where")
    ]
    if not ends:
        return None
    return ends[-1] if all(_is_name(body[i - 1]) for i in ends) else ends[0]


def _is_name(piece: Piece) -> bool:
    return bool(re.fullmatch(r"\$?\\?[A-Za-z](?:_\{?\w\}?)?\$?|[a-z]", piece.text))
