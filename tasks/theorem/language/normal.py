"""A statement in a normal form: what it supposes and what it claims, each a set of single facts.

Whether two statements say the same, or one follows from the other by supposing more or claiming less, is asked of
these forms. Orders, names, numbers ("subgroups", "subgroup"), sides of equations, wordings, conditions that follow
their claim and questions with their answer all come to one. The form is generous: it is asked where something is to be
left out, never to show that something is false.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations

from counterfoil.tasks.theorem.algebra.polynomial import Relation, read_relation, write_canonical
from counterfoil.tasks.theorem.algebra.tree import Term, number, split_conjuncts
from counterfoil.tasks.theorem.language.antonyms import ANTONYMS
from counterfoil.tasks.theorem.language.conditions import move_conditions
from counterfoil.tasks.theorem.language.grammar import Clause, GrammarError, Statement, read_statement
from counterfoil.tasks.theorem.language.pieces import Piece, split_pieces
from counterfoil.tasks.theorem.language.rephrase import apply_renaming, list_declared
from counterfoil.tasks.theorem.language.wordings import DIVIDES, KINDS, NUMBERS, OF_SIGN, OPERATORS, PHRASES, SETS
from counterfoil.tasks.theorem.latex.terms import LatexError, read_statements

Token = str | Term
Fact = Relation | tuple[str, ...]
_TABLE = sorted(((tuple(one.split()), tuple(other.split())) for one, other in PHRASES), key=lambda pair: -len(pair[0]))
_ASKS = (("what", "be"), ("find",), ("determine",), ("compute",), ("calculate",), ("evaluate",), ("how", "many"))
_MOST_NAMES = 4
_FUNCTIONS = frozenset("fgh")


@dataclass(frozen=True)
class Normal:
    """What is supposed and what is claimed, in no order."""

    hypotheses: frozenset[Fact]
    claims: frozenset[Fact]

    def says_the_same(self, other: Normal) -> bool:
        return self == other

    def leaves(self, other: Normal) -> bool:
        """Whether the other follows: it supposes all of this and more, and claims no more."""
        return all(_follows(each, other.hypotheses) for each in self.hypotheses) and all(
            _follows(each, self.claims) for each in other.claims
        )


def _follows(fact: Fact, known: frozenset[Fact]) -> bool:
    if fact in known:
        return True
    return isinstance(fact, Relation) and any(isinstance(each, Relation) and each.implies(fact) for each in known)


@lru_cache(maxsize=8192)
def normalise(statement: Statement) -> Normal:
    """The normal form of a statement."""
    moved = move_conditions(statement)
    hypotheses = [
        fact
        for clause in moved.list_clauses("hypothesis")
        for part in _split(_settle(_read(moved, clause), clause.lead == "for"))
        for fact in _state(part)
    ]
    asked = [_settle(_strip_question(_read(moved, each))) for each in moved.list_clauses("question")]
    claims: list[Fact] = []
    for clause in moved.list_clauses("conclusion", "answer"):
        tokens = _settle(_read(moved, clause))
        if clause.role == "answer":
            question = asked[0] if asked else []
            tokens = _relate([*question, "be", *tokens])
        claims += [fact for part in _split(tokens) for fact in _state(part)]
    return Normal(frozenset(hypotheses), frozenset(claims))


def list_renamings(first: Statement, second: Statement) -> Iterator[Statement]:
    """The second statement, and it again with its variables under the first one's names, in every way if they are few.

    Letters that are not introduced (the S of ``$S_3$``) keep their name.
    """
    yield second
    here, there = (_list_variables(each) for each in (first, second))
    if len(here) != len(there) or not here or _blank(first) != _blank(second):
        return
    orders = permutations(here) if len(here) <= _MOST_NAMES else [tuple(here)]
    for order in orders:
        renaming = dict(zip(there, order, strict=True))
        if all(one == other for one, other in renaming.items()):
            continue
        try:
            yield read_statement(apply_renaming(second.text, renaming))
        except GrammarError:
            continue


def _list_variables(statement: Statement) -> list[str]:
    """Letters that stand alone somewhere, or name a function where it is defined."""
    pieces = split_pieces(statement.text)
    heads = re.findall(r"\$\s*([A-Za-z])\(([a-z])\)\s*=", statement.text)
    indexed = set(re.findall(r"([A-Za-z])_\{?\w", statement.text))
    found = [*list_declared(pieces, statement.text), *(name for pair in heads for name in pair)]
    found += [piece.text for piece in pieces if piece.kind == "word" and re.fullmatch(r"[b-zB-HJ-Z]", piece.text)]
    return [each for each in dict.fromkeys(found) if each not in indexed and each not in ("e", "i")]


def _blank(statement: Statement) -> tuple[str, ...]:
    """The words of what is supposed, which must be the same whatever the names are."""
    normal = normalise(statement)
    facts = [each for each in normal.hypotheses if not isinstance(each, Relation)]
    return tuple(sorted(word for each in facts for word in each if word.isalpha() and len(word) > 1))


def _read(statement: Statement, clause: Clause) -> list[Token]:
    """The tokens of a clause: words in small letters, terms where mathematics is read."""
    found: list[Token] = []
    for piece in split_pieces(statement.text[: clause.end]):
        if piece.start >= clause.start:
            found += _read_piece(statement.text, piece)
    return found


def _read_piece(text: str, piece: Piece) -> list[Token]:
    if piece.kind == "number" and piece.text.isdecimal():
        return [Term("num", name=piece.text)]
    if piece.kind == "word" and len(piece.text) == 1 and piece.text not in "aAI":
        return [Term("var", name=piece.text)]
    if piece.kind != "math":
        return [piece.text.lower()]
    if definition := re.fullmatch(r"\s*([A-Za-z])\(([a-z])\)\s*=(.+)", text[slice(*piece.inner)], re.DOTALL):
        terms = _read_terms(definition[3])
        if len(terms) == 1:
            return [f"{definition[1]}({definition[2]})", "=", terms[0]]
    terms = _read_terms(text[slice(*piece.inner)])
    if not terms:
        return ["$" + re.sub(r"\s+|\\[,;!:]|\\left|\\right|[.,]$", "", text[slice(*piece.inner)]) + "$"]
    parts = [part for each in terms for part in split_conjuncts(each)]
    return [token for part in parts for token in ("and", part)][1:]


def _read_terms(source: str) -> list[Term]:
    try:
        return read_statements(source, 0, len(source), _FUNCTIONS)
    except LatexError:
        try:
            return read_statements(source, 0, len(source))
        except LatexError:
            return []


def _strip_question(tokens: list[Token]) -> list[Token]:
    words = _exchange(tokens)
    for lead in _ASKS:
        if tuple(words[: len(lead)]) == lead:
            return words[len(lead) :] if lead != ("how", "many") else words
    return words


def _settle(tokens: Sequence[Token], quantity: bool = False) -> list[Token]:
    """Wordings as one, nouns in the singular, relations as terms."""
    words = [_stem(each) for each in _exchange(tokens) if each != "that"]
    if "no" in words[:1] and "satisfy" in words:
        at = words.index("satisfy")
        words = ["exist", "no", *words[1:at], ":", *words[at + 1 :]]
    if words[:1] == ["every"] and quantity:
        words = words[1:]
    return _relate([_negate(words, i) for i in range(len(words)) if not _is_denied(words, i)])


def _exchange(tokens: Sequence[Token]) -> list[Token]:
    found: list[Token] = list(tokens)
    words = {each for each in found if isinstance(each, str)}
    for one, other in _TABLE:
        if not words.issuperset(one):
            continue
        words.update(other)
        at = 0
        while at < len(found):
            if tuple(found[at : at + len(one)]) == one:
                found[at : at + len(one)] = other
                at += len(other)
            else:
                at += 1
    return found


def _stem(token: Token) -> Token:
    """Nouns in the singular, and a verb's third person as the others."""
    if isinstance(token, Term):
        return token
    if token in NUMBERS:
        return number(NUMBERS[token])
    if len(token) > 3 and token.isalpha():
        if token.endswith("ies"):
            return token[:-3] + "y"
        if token.endswith("s") and not token.endswith(("ss", "us", "is")):
            return token[:-1]
    return token


def _is_denied(words: Sequence[Token], at: int) -> bool:
    following = words[at + 1] if at + 1 < len(words) else ""
    return words[at] == "not" and isinstance(following, str) and following in ANTONYMS


def _negate(words: Sequence[Token], at: int) -> Token:
    """``not finite`` as ``infinite``."""
    word = words[at]
    denied = at > 0 and _is_denied(words, at - 1)
    return ANTONYMS[word] if denied and isinstance(word, str) else word


def _relate(tokens: Sequence[Token]) -> list[Token]:
    """``x be ≥ 3``, ``x be positive``, ``d divide n`` and ``order of G`` as terms."""
    found: list[Token] = []
    rest = list(tokens)
    while rest:
        token = rest.pop(0)
        if token == "order" and rest[:1] == ["of"] and _is_value(rest[1:2]):
            rest[:2] = [Term("abs", (_term(rest[1]),))]
            continue
        if token == "of" and rest[:1] == ["order"] and _is_value(rest[1:2]) and _is_value(found[:1]):
            found += ["and", Term("eq", (Term("abs", (_term(found[0]),)), _term(rest[1])))]
            rest[:2] = []
            continue
        if isinstance(token, Term) and token.head in OF_SIGN.values() and rest[:1] == ["be"] and _is_kind(rest[1:2]):
            found += [token, "and"]
            rest.insert(0, token.args[0])
            continue
        if not _is_value([token]):
            found.append(token)
            continue
        left = _term(token)
        after = rest[1:] if rest[:1] == ["be"] else rest
        head = str(after[0]) if after and isinstance(after[0], str) else ""
        if head in OPERATORS and _is_value(after[1:2]):
            rest = after[2:]
            found.append(Term(OPERATORS[head], (left, _term(after[1]))))
        elif head in DIVIDES and _is_value(after[1:2]):
            name, turned = DIVIDES[head]
            right = _term(after[1])
            rest = after[2:]
            found.append(Term(name, (right, left) if turned else (left, right)))
        elif rest[:1] == ["be"] and _is_value(rest[1:2]):
            found.append(Term("eq", (left, _term(rest[1]))))
            rest = rest[2:]
        elif rest[:1] == ["be"] and head in OF_SIGN and not _is_kind(after[1:2]):
            found.append(Term(OF_SIGN[head], (left, number(0))))
            rest = after[1:]
        elif rest[:2] == ["have", "order"] and _is_value(rest[2:3]):
            found.append(Term("eq", (Term("abs", (left,)), _term(rest[2]))))
            rest = rest[3:]
        else:
            found.append(left)
    return found


def _is_value(tokens: Sequence[Token]) -> bool:
    return bool(tokens) and isinstance(tokens[0], Term) and not tokens[0].is_statement()


def _is_kind(tokens: Sequence[Token]) -> bool:
    return bool(tokens) and isinstance(tokens[0], str) and (tokens[0] in KINDS or tokens[0] in OF_SIGN)


def _term(token: Token) -> Term:
    assert isinstance(token, Term)
    return token


def _split(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """The single facts of what is said, at "and", "such that" and commas between whole ones."""
    if any(each in ("exist", "iff", "or", "no", "every", "forall") for each in tokens if isinstance(each, str)):
        yield list(tokens)
        return
    part: list[Token] = []
    for i, token in enumerate(tokens):
        if token in ("and", ":", ",", ";") and _is_whole(part) and _is_whole(tokens[i + 1 :]):
            yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


def _is_whole(tokens: Sequence[Token]) -> bool:
    """Whether something is said, rather than named."""
    said = ("be", "have", "divide", "=", "≥", "≤", ">", "<", "≠")
    return any(each.is_statement() if isinstance(each, Term) else each in said for each in tokens) or any(
        _is_kind([each]) for each in tokens
    )


def _state(tokens: Sequence[Token]) -> Iterator[Fact]:
    """The facts of one part: each name of a declaration for itself."""
    words = [each for each in tokens if each not in ("let", "suppose", "and", ":", ",", ";")]
    names = [each for each in words if isinstance(each, Term) and each.head == "var"]
    said = [each for each in words if not isinstance(each, Term)]
    kinds = [each for each in said if each not in ("be", "every", "some", "")]
    if len(words) == 1 and isinstance(words[0], Term):
        yield _write_fact(words[0])
    elif names and len(names) + len(said) == len(words) and kinds and _is_declaration(words, kinds):
        for name in names:
            for kind in kinds:
                if kind in OF_SIGN:
                    yield _write_fact(Term(OF_SIGN[kind], (name, number(0))))
            rest = tuple(kind for kind in kinds if kind not in OF_SIGN)
            if rest:
                yield (name.name, "be", *rest)
    elif "iff" in words and words.count("iff") == 1:
        at = words.index("iff")
        sides = sorted([_write(words[:at]), _write(words[at + 1 :])])
        yield (*sides[0], "iff", *sides[1])
    elif words:
        yield _write(words)


def _is_declaration(words: Sequence[Token], kinds: Sequence[str]) -> bool:
    """``a, b be integer``, ``integer a b``: names on one side, what they are on the other."""
    at = [isinstance(each, Term) for each in words]
    first = next(i for i, named in enumerate(at) if not named) if not all(at) else 0
    together = at in (sorted(at), sorted(at, reverse=True))
    return together and (first > 0 or kinds[-1] in KINDS)


def _write_fact(term: Term) -> Fact:
    if term.head == "in" and term.args[1].name.startswith("set "):
        kind = SETS.get(term.args[1].name.removeprefix("set "), term.args[1].name)
        return (write_canonical(term.args[0]) if term.args[0].head != "var" else term.args[0].name, "be", kind)
    relation = read_relation(term)
    return relation if relation is not None else ("$", write_canonical(term))


def _write(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(
        (each.name if each.head == "var" else write_canonical(each)) if isinstance(each, Term) else each
        for each in tokens
        if each != ""
    )
