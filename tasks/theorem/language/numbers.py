"""What an informal statement says in numbers, where all of it is understood: the problem that instances are tried on.

Understood are declarations (``$a$ and $b$ be positive integers``, ``real numbers x, y``), mathematical pieces that
are statements, and words for what they say: divides, is divisible by, is even, odd, prime, at least, at most. One
word that is not understood, and nothing is tried: a counterexample must satisfy every hypothesis.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from functools import lru_cache

from counterfoil.tasks.theorem.algebra.problem import Problem
from counterfoil.tasks.theorem.algebra.tree import Term, find_free, number, split_conjuncts
from counterfoil.tasks.theorem.algebra.world import Sort
from counterfoil.tasks.theorem.language.conditions import move_conditions
from counterfoil.tasks.theorem.language.generic import (
    EVERY,
    NOUNS,
    join,
    list_fresh,
    read_operation,
    replace_so,
    split_alternatives,
    split_equivalence,
)
from counterfoil.tasks.theorem.language.grammar import Clause, Statement
from counterfoil.tasks.theorem.language.pieces import Piece, split_pieces
from counterfoil.tasks.theorem.latex.terms import LatexError, read_statements
from counterfoil.tasks.theorem.lean.signature import UnstatedError

_SORT_WORDS: dict[str, Sort] = {
    "integer": "Z",
    "integers": "Z",
    "natural": "N",
    "real": "R",
    "reals": "R",
    "rational": "Q",
    "prime": "N",
    "primes": "N",
}
_NUMBER_WORDS = frozenset({"number", "numbers"})
_SIGNS = {
    "positive": "gt",
    "negative": "lt",
    "nonnegative": "ge",
    "non-negative": "ge",
    "nonzero": "ne",
    "non-zero": "ne",
}
_KINDS = {"even": "even", "odd": "odd", "prime": "prime", "primes": "prime"}
_BARE = frozenset(["we", "have", "be", "is", "are", "and", "that", "it", "holds", "the", "also", "too", ",", ":", ";"])
"""Words that say nothing wherever they stand."""
_SUPPOSED = _BARE.union(
    ["a", "an", "two", "three", "four", "some", "with", "such", "satisfying", "satisfy", "satisfies", "where"],
    ["let", "both", "for", "which"],
)
"""Those that say nothing in what is supposed: ``n = 2k for some integer k`` supposes it of k. Claimed, it would say
that there is one."""
_EVERY = frozenset({"all", "any", "every", "each"})
"""Of what is supposed they may stand after "for" alone: ``Suppose that f > 0 for all x`` says more than of one x."""
_SETS: dict[str, Sort] = {"set Z": "Z", "set N": "N", "set Q": "Q", "set R": "R"}


@lru_cache(maxsize=8192)
def state_numbers(statement: Statement) -> Problem:
    """The problem about numbers that the statement is.

    Raises:
        UnstatedError: something in it is not understood.
    """
    statement = move_conditions(statement)
    reader = _Reader(statement)
    for clause in statement.list_clauses("hypothesis"):
        reader.hypotheses += reader.read(clause)
    conclusions = [reader.read(each) for each in statement.list_clauses("conclusion")]
    if statement.list_clauses("question", "answer"):
        conclusions.append([reader.read_answer(*statement.list_clauses("question", "answer"))])
    flat = [part for found in conclusions for each in found for part in split_conjuncts(each)]
    if not flat:
        raise UnstatedError("nothing is claimed in numbers")
    hypotheses = [part for each in reader.hypotheses for part in split_conjuncts(each)]
    used = frozenset().union(*(find_free(each) for each in (*hypotheses, *flat)))
    unknown = sorted(used - set(reader.sorts))
    if any(re.search(rf"(?<![A-Za-z\\]){name}\(", statement.text) for name in set(unknown) & set("fgh")):
        raise UnstatedError("a function that is not known")
    supposed = frozenset().union(*map(find_free, hypotheses))
    odd = next((name for name in unknown if name not in supposed or not re.fullmatch(r"[a-df-hj-z]", name)), "")
    called = {each.name for term in (*hypotheses, *flat) for each in term.walk() if each.head == "app"}
    if odd or called & used:
        raise UnstatedError(f"what {odd or min(called & used)} is is not said")
    assumed: dict[str, Sort] = {name: "Z" if name in _WHOLE else "R" for name in unknown}
    sorts = tuple(sorted({**reader.sorts, **assumed}.items()))
    return Problem(sorts, tuple(hypotheses), tuple(flat), lean=False, assumed=bool(assumed))


_WHOLE = frozenset("ijklmn")
"""Letters that books take for whole numbers where they do not say what they are; the others are real."""


def _is_prime(kind: Sequence[str]) -> bool:
    """Whether the kind is told by "prime" alone, which an integer may be as well."""
    return all(_KINDS.get(word) == "prime" or word in _NUMBER_WORDS for word in kind)


_ASKED = frozenset(
    ["what", "is", "find", "determine", "compute", "evaluate", "calculate", "simplify", "the", "value", "of", ":", "?"]
)


_BOUNDS: dict[tuple[str, ...], str] = {
    ("greater", "than"): "gt",
    ("larger", "than"): "gt",
    ("less", "than"): "lt",
    ("smaller", "than"): "lt",
    ("at", "least"): "ge",
    ("at", "most"): "le",
}


def _is_apposition(pieces: Sequence[Piece]) -> bool:
    """``number $n^2 + n$``."""
    return len(pieces) == 2 and pieces[0].text.lower() in NOUNS and pieces[1].kind == "math"


class _Reader:
    def __init__(self, statement: Statement) -> None:
        self.text = statement.text
        self.sorts: dict[str, Sort] = {}
        self.hypotheses: list[Term] = []
        self.claimed = False
        self.condition: list[Piece] = []
        """The last condition that was read, which ``so is $n$`` refers to."""
        self.fillers = _SUPPOSED

    def read(self, clause: Clause) -> list[Term]:
        """What a clause says; what it declares goes to the sorts."""
        pieces = [piece for piece in split_pieces(self.text[: clause.end]) if piece.start >= clause.start]
        self.claimed = clause.role == "conclusion"
        self.fillers = (
            _BARE if self.claimed else (_SUPPOSED - {"for", "some"}) | _EVERY if clause.lead == "for" else _SUPPOSED
        )
        if not self.claimed:
            self.condition = pieces
            return self._read_alternatives(pieces)
        sides = split_equivalence(replace_so(pieces, self.condition))
        found, rest = self._read_subject(sides[0])
        found += self._read_alternatives(rest)
        if len(sides) == 1:
            return found
        return [Term("iff", (join(found), join(self._read_alternatives(sides[1]))))]

    def _read_alternatives(self, pieces: Sequence[Piece]) -> list[Term]:
        """What some pieces say; of alternatives, that one of them holds."""
        parts, before = split_alternatives(pieces), dict(self.sorts)
        read: list[list[Term]] = []
        for part in parts:
            read.append([])
            at = 0
            while at < len(part):
                at = self._step(part, at, read[-1])
        if len(parts) == 1:
            return read[0]
        if self.sorts != before:
            raise UnstatedError("alternatives that declare something")
        return [functools.reduce(lambda one, two: Term("or", (one, two)), map(join, read))]

    def _read_subject(self, pieces: Sequence[Piece]) -> tuple[list[Term], Sequence[Piece]]:
        """What is said of all numbers of a kind (``Every integer $n$``, ``The sum of two``), and what is left."""
        words = [piece.text.lower() for piece in pieces]
        alone = not self.sorts and not self.hypotheses
        operation = read_operation(words) if alone else None
        general = words[:1] and (words[0] in EVERY or (alone and words[0] in ("a", "an", "no")))
        if operation is None and not general:
            return [], pieces
        kind, at = self._read_kind(pieces, operation.size if operation else 1)
        names, _ = self._read_names(pieces, at)
        bounded = [] if names or operation else self._list_bounded(pieces, at)
        if not kind or len(names) > 1 or len(bounded) > 1 or (operation and names):
            return [], pieces
        fresh = list_fresh(self.text, operation.count if operation and not operation.consecutive else 1)
        self.claimed = False
        self._declare(names or bounded or fresh, kind, self.hypotheses)
        if bounded:
            self._read_math(pieces, at, self.hypotheses)
        subject = operation.apply(fresh) if operation else Term("var", name=[*names, *bounded, *fresh][0])
        at += bool(names or bounded)
        if (bound := _BOUNDS.get(tuple(words[at : at + 2]))) and not operation:
            self.hypotheses.append(Term(bound, (subject, self._read_operand(pieces, at + 2))))
            at += 3
        self.claimed = True
        found: list[Term] = []
        at = self._read_predicate(pieces, subject, at, found)
        return ([Term("not", (join(found),))] if words[0] == "no" else found), pieces[at:]

    def read_answer(self, question: Clause, answer: Clause) -> Term:
        """What a question for the value of one term and its answer say: that they are equal."""
        pieces = [piece for piece in split_pieces(self.text[: question.end]) if piece.start >= question.start]
        asked = [piece for piece in pieces if piece.text.lower() not in _ASKED]
        said = self.text[answer.start : answer.end].strip().strip("$").strip()
        try:
            terms = read_statements(self.text, *asked[0].inner) if [each.kind for each in asked] == ["math"] else []
            values = read_statements(said, 0, len(said))
        except LatexError as error:
            raise UnstatedError(f"a question: {error}") from error
        # Of a decimal it is not told whether it was rounded.
        if len(terms) != 1 or len(values) != 1 or "." in said or terms[0].is_statement() or values[0].is_statement():
            raise UnstatedError("it asks for a number in words")
        return Term("eq", (terms[0], values[0]))

    def _step(self, pieces: Sequence[Piece], at: int, found: list[Term]) -> int:
        word = pieces[at].text.lower()
        if word in _SIGNS or word in _SORT_WORDS or word in ("even", "odd") or word == "non":
            kind, after = self._read_kind(pieces, at)
            names, after = self._read_names(pieces, after)
            if not names and kind and (bounded := self._list_bounded(pieces, after)):
                # "integers $n > 2$": the piece itself is read next, as what it says.
                self._declare(bounded, kind, found)
                return after
            if not names:
                raise UnstatedError(f"of what {word} is said")
            self._declare(names, kind, found)
            return after
        names, after = self._read_names(pieces, at)
        if names:
            return self._read_of_names(pieces, names, after, found)
        if pieces[at].kind == "math":
            return self._read_math(pieces, at, found)
        if self.claimed and word == "the" and _is_apposition(pieces[at + 1 : at + 3]):
            return at + 2
        if word in self.fillers:
            return at + 1
        if pieces[at].kind == "number" and at + 1 < len(pieces) and pieces[at + 1].text in ("divides",):
            return self._read_divides(pieces, at, found)
        raise UnstatedError(f"the word {pieces[at].text!r}")

    def _read_kind(self, pieces: Sequence[Piece], at: int) -> tuple[list[str], int]:
        """``positive real numbers``: the words, and where they end."""
        words: list[str] = []
        while at < len(pieces):
            word = pieces[at].text.lower()
            if word not in _SIGNS and word not in _SORT_WORDS and word not in _KINDS and word not in _NUMBER_WORDS:
                break
            words.append(word)
            at += 1
        return words, at

    def _read_names(self, pieces: Sequence[Piece], at: int) -> tuple[list[str], int]:
        """Bare names in a row: ``$a$, $b$ and $c$``, ``$a, b, c$``, ``x and y``."""
        names: list[str] = []
        after = at
        while at < len(pieces):
            here = self._list_bare(pieces[at], bool(names) or self._stands_as_name(pieces, at))
            if not here:
                break
            names += here
            at += 1
            after = at
            while at < len(pieces) and pieces[at].text.lower() in (",", "and"):
                at += 1
        return names, after

    def _stands_as_name(self, pieces: Sequence[Piece], at: int) -> bool:
        following = pieces[at + 1].text.lower() if at + 1 < len(pieces) else ""
        return following in ("", ",", "be", "is", "are", "and", "such", "with")

    def _list_bare(self, piece: Piece, words_too: bool) -> list[str]:
        if piece.kind == "word":
            one = len(piece.text) == 1 and (piece.text != "a" or words_too)
            return [piece.text] if one and words_too else []
        if piece.kind != "math":
            return []
        try:
            terms = read_statements(self.text, *piece.inner)
        except LatexError:
            return []
        return [each.name for each in terms] if all(each.head == "var" for each in terms) else []

    def _list_bounded(self, pieces: Sequence[Piece], at: int) -> list[str]:
        """The name that a relation begins with: ``$n > 2$``."""
        if at >= len(pieces) or pieces[at].kind != "math":
            return []
        try:
            terms = read_statements(self.text, *pieces[at].inner)
        except LatexError:
            return []
        firsts = [each.args[0].args[0] if each.head == "and" else each.args[0] for each in terms if each.is_statement()]
        named = len(firsts) == len(terms) and all(each.head == "var" for each in firsts)
        return [each.name for each in firsts] if named else []

    def _read_of_names(self, pieces: Sequence[Piece], names: list[str], at: int, found: list[Term]) -> int:
        word = pieces[at].text.lower() if at < len(pieces) else ""
        if word in ("be", "is", "are"):
            after = at + 1
            while after < len(pieces) and pieces[after].text.lower() in (
                "a",
                "an",
                "any",
                "all",
                "both",
                "two",
                "three",
            ):
                after += 1
            kind, end = self._read_kind(pieces, after)
            if kind:
                self._declare(names, kind, found)
                return end
        if len(names) == 1:
            return self._read_predicate(pieces, Term("var", name=names[0]), at, found)
        if all(name in self.sorts for name in names):
            return at
        raise UnstatedError(f"what {names[0]} is")

    def _declare(self, names: Sequence[str], kind: Sequence[str], found: list[Term]) -> None:
        sort = next((_SORT_WORDS[word] for word in kind if word in _SORT_WORDS), None)
        if sort is None and _NUMBER_WORDS & set(kind) and {"even", "odd"} & set(kind):
            sort = "Z"
        for name in names:
            variable = Term("var", name=name)
            known = self.sorts.get(name)
            if sort is not None and known != sort and (self.claimed or known is not None) and not _is_prime(kind):
                raise UnstatedError(f"{name} is said to be of two kinds, or claimed to be of one")
            if sort is not None and not self.claimed:
                self.sorts.setdefault(name, sort)
            for word in kind:
                if word in _SIGNS:
                    found.append(Term(_SIGNS[word], (variable, number(0))))
                if word in _KINDS:
                    found.append(Term(_KINDS[word], (variable,), "nat" if _KINDS[word] == "prime" else ""))
            if "natural" in kind:
                found.append(Term("ge", (variable, number(1))))
            if "number" in kind and sort is None:
                raise UnstatedError("a number of no kind")

    def _read_math(self, pieces: Sequence[Piece], at: int, found: list[Term]) -> int:
        try:
            terms = read_statements(self.text, *pieces[at].inner)
        except LatexError as error:
            raise UnstatedError(f"{pieces[at].text}: {error}") from error
        if all(each.is_statement() for each in terms):
            for each in terms:
                self._add(each, found)
            return at + 1
        if len(terms) != 1:
            raise UnstatedError(pieces[at].text)
        return self._read_predicate(pieces, terms[0], at + 1, found)

    def _add(self, term: Term, found: list[Term]) -> None:
        for part in split_conjuncts(term):
            if part.head == "in":
                sort = _SETS.get(part.args[1].name)
                known = self.sorts.get(part.args[0].name, sort)
                if sort is None or part.args[0].head != "var" or self.claimed or known != sort:
                    raise UnstatedError("a set")
                self.sorts[part.args[0].name] = sort
            else:
                found.append(part)

    def _read_predicate(self, pieces: Sequence[Piece], subject: Term, at: int, found: list[Term]) -> int:
        """``... divides $m$``, ``... is divisible by $k$``, ``... is even``, ``... is at least 3``."""
        words = [piece.text.lower() for piece in pieces[at : at + 5]]
        negated = False
        if words[:2] == ["does", "not"] and words[2:3] == ["divide"]:
            other = self._read_operand(pieces, at + 3)
            found.append(Term("ndvd", (subject, other)))
            return at + 4
        if words[:1] == ["divides"]:
            found.append(Term("dvd", (subject, self._read_operand(pieces, at + 1))))
            return at + 2
        if words[:1] not in (["is"], ["be"]):
            raise UnstatedError(f"the word {words[0]!r}" if words else "a number alone")
        at, words = at + 1, words[1:]
        if words[:1] == ["not"]:
            negated, at, words = True, at + 1, words[1:]
        if words[:1] in (["a"], ["an"]):
            at, words = at + 1, words[1:]
        if words[:2] == ["divisible", "by"]:
            head = "ndvd" if negated else "dvd"
            found.append(Term(head, (self._read_operand(pieces, at + 2), subject)))
            return at + 3
        if words[:3] == ["a", "multiple", "of"] or words[:2] == ["multiple", "of"]:
            found.append(Term("ndvd" if negated else "dvd", (self._read_operand(pieces, at + 2), subject)))
            return at + 3
        if words[:2] in (["at", "least"], ["at", "most"]):
            head = {"least": "ge", "most": "le"}[words[1]]
            found.append(Term(head, (subject, self._read_operand(pieces, at + 2))))
            return at + 3
        if words[:1] and words[0] in ("even", "odd", "prime"):
            claim = Term(_KINDS[words[0]], (subject,), "nat")
            found.append(Term("not", (claim,)) if negated else claim)
            return at + 1
        if words[:1] and words[0] in _SIGNS and not negated:
            found.append(Term(_SIGNS[words[0]], (subject, number(0))))
            return at + 1
        raise UnstatedError(f"what is said of {pieces[at - 1].text!r}")

    def _read_operand(self, pieces: Sequence[Piece], at: int) -> Term:
        if at < len(pieces) and pieces[at].kind == "math":
            try:
                terms = read_statements(self.text, *pieces[at].inner)
            except LatexError as error:
                raise UnstatedError(str(error)) from error
            if len(terms) == 1 and not terms[0].is_statement():
                return terms[0]
        if at < len(pieces) and pieces[at].kind == "number" and pieces[at].text.isdecimal():
            return Term("num", name=pieces[at].text, start=pieces[at].start, end=pieces[at].end)
        raise UnstatedError("an operand")

    def _read_divides(self, pieces: Sequence[Piece], at: int, found: list[Term]) -> int:
        divisor = Term("num", name=pieces[at].text, start=pieces[at].start, end=pieces[at].end)
        found.append(Term("dvd", (divisor, self._read_operand(pieces, at + 2))))
        return at + 3
