"""What a near miss in words comes to in the Lean view of its anchor, so that instances of that view decide it.

Of most statements some words are not understood ("lines up in rows of four"), and yet what was changed is a piece of
mathematics that stands in the Lean view too. Where the two texts differ in such pieces alone, each is found there once,
as one relation, up to the order and the sides of its terms; what stands for it in words then stands for it in Lean. An
answer is the side of the Lean conclusion that has its value. The rest of both views is left as it is, and the source
says that they state one thing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import zip_longest

from counterfoil.tasks.theorem.algebra.polynomial import Relation, read_relation, write_canonical
from counterfoil.tasks.theorem.algebra.tree import Term, find_free, split_conjuncts
from counterfoil.tasks.theorem.edits.informal import split_choice
from counterfoil.tasks.theorem.language.grammar import Statement
from counterfoil.tasks.theorem.language.pieces import Piece, split_pieces
from counterfoil.tasks.theorem.language.wordings import OF_SIGN
from counterfoil.tasks.theorem.latex.terms import LatexError, read_statements
from counterfoil.tasks.theorem.lean.signature import Signature
from counterfoil.tasks.theorem.lean.write import settle_signs

_CONNECTIVES = frozenset(
    {"and", "such", "that", "with", "where", "satisfying", "suppose", "assume", "if", "then", ",", "."}
)
_FUNCTIONS = frozenset("fgh")
Parts = tuple[Term, ...]
Exchange = tuple[Parts, Parts]
"""Parts of the original, and what stands in their place; nothing where they are left out."""


class UnmirroredError(Exception):
    """What differs in words has no place in Lean that is certain. The message says why."""


def mirror(original: Statement, other: Statement, signature: Signature) -> Signature:
    """The Lean view with the change that leads from one statement to the other.

    Raises:
        UnmirroredError: it is not certain what that is.
    """
    changed = signature
    for old, new in _list_exchanges(original, other):
        _refuse_truncated(new, signature)
        polynomial = exchange_polynomial(changed, old, new)
        if polynomial is not None:
            changed = polynomial
        elif old and old[0].is_statement():
            changed = _exchange_relations(changed, old, new)
        elif len(old) == len(new) == 1:
            changed = _exchange_term(changed, old[0], new[0])
        else:
            raise UnmirroredError("it is no one term")
    if changed == signature:
        raise UnmirroredError("nothing differs")
    return changed


def _list_exchanges(original: Statement, other: Statement) -> Iterator[Exchange]:
    before, after = (_list_pieces(each) for each in (original, other))
    old, new = ([each.text.lower() for each in pieces] for pieces in (before, after))
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, came = before[a:b], after[c:d]
        if tag == "replace" and len(gone) == len(came) and {each.kind for each in (*gone, *came)} == {"math"}:
            for x, y in zip(gone, came, strict=True):
                if sum(each.text == x.text for each in before) > 1:
                    raise UnmirroredError("it is said twice")
                yield _read(original.text, x), _read(other.text, y)
        elif (signs := _read_signs(gone)) and (not came or _read_signs(came)):
            names = _list_names(original.text, before, a)
            yield state_signs(names, signs), state_signs(names, _read_signs(came))
        elif tag == "delete" and all(each.kind == "math" or each.text.lower() in _CONNECTIVES for each in gone):
            for each in gone:
                if each.kind == "math":
                    yield _read(original.text, each), ()
        elif tag != "equal":
            raise UnmirroredError("more than mathematics differs")
    answers = [read_answer(each) for each in (original, other)]
    if answers[0] != answers[1]:
        yield answers[0], answers[1]


def _read_signs(pieces: Sequence[Piece]) -> str:
    """The head of the relation to zero that a word alone states; empty where it is another."""
    return OF_SIGN.get(pieces[0].text.lower().replace("non-", "non"), "") if len(pieces) == 1 else ""


_OF_NUMBERS = frozenset(
    {"integer", "integers", "real", "reals", "rational", "number", "numbers", "natural", "and", ","}
)


def _list_names(text: str, pieces: Sequence[Piece], at: int) -> list[Term]:
    """What a word of sign is said of: ``positive integers $a$ and $b$``, ``$a$ be positive``."""
    after = at + 1
    while after < len(pieces) and pieces[after].text.lower() in _OF_NUMBERS:
        after += 1
    before = at - 1
    while before >= 0 and pieces[before].text.lower() in ("be", "is", "are", "a", "an", "two", "three"):
        before -= 1
    found: list[Term] = []
    if before < at - 1:
        while before >= 0 and (pieces[before].kind == "math" or pieces[before].text in ("and", ",")):
            found += _read(text, pieces[before]) if pieces[before].kind == "math" else ()
            before -= 1
    else:
        while after < len(pieces) and (pieces[after].kind == "math" or pieces[after].text in ("and", ",")):
            found += _read(text, pieces[after]) if pieces[after].kind == "math" else ()
            after += 1
    if not found or any(each.head != "var" for each in found):
        raise UnmirroredError("of what that is said")
    return found


def state_signs(names: Sequence[Term], head: str) -> Parts:
    return tuple(Term(head, (name, Term("num", name="0"))) for name in names) if head else ()


def list_names_of_sign(statement: Statement) -> list[tuple[list[Term], str]]:
    """What each word of sign is said of, and the head of its relation to zero; no names where that cannot be read."""
    pieces = _list_pieces(statement)
    found: list[tuple[list[Term], str]] = []
    for i in range(len(pieces)):
        head = _read_signs(pieces[i : i + 1])
        if head:
            try:
                found.append((_list_names(statement.text, pieces, i), head))
            except UnmirroredError:
                found.append(([], head))
    return found


def read_relations(statement: Statement, role: str) -> list[Term]:
    """The relations that clauses of a role write as mathematics; those that cannot be read are left out."""
    found: list[Term] = []
    for clause in statement.list_clauses(role):
        for piece in _list_pieces(statement):
            if piece.kind == "math" and clause.start <= piece.start < clause.end:
                try:
                    found += [each for each in _read(statement.text, piece) if each.is_statement()]
                except UnmirroredError:
                    continue
    return found


def _list_pieces(statement: Statement) -> list[Piece]:
    """All pieces but those of an answer, which is a value and not a text."""
    answers = statement.list_clauses("answer")
    return [each for each in split_pieces(statement.text) if not answers or each.end <= answers[0].start]


def read_answer(statement: Statement) -> Parts:
    answers = statement.list_clauses("answer")
    if not answers:
        return ()
    said = split_choice(statement.quote(answers[0]))[1].strip().strip("$")
    return read_source(said, 0, len(said))


def _read(text: str, piece: Piece) -> Parts:
    return read_source(text, *piece.inner)


def read_source(text: str, start: int, end: int) -> Parts:
    try:
        terms = read_statements(text, start, end, _FUNCTIONS)
    except LatexError as error:
        raise UnmirroredError(str(error)) from error
    parts = tuple(part for each in terms for part in split_conjuncts(each))
    if len({each.is_statement() for each in parts}) != 1:
        raise UnmirroredError("it is no one statement or term")
    return parts


def _refuse_truncated(parts: Parts, signature: Signature) -> None:
    """Differences and quotients of whole numbers are others in Lean than in words."""
    heads = {each.head for part in parts for each in part.walk()}
    truncated = {"sub", "neg", "div"} if "ℕ" in signature.source else {"div"} if "ℤ" in signature.source else set()
    if heads & truncated:
        raise UnmirroredError("Lean's arithmetic of whole numbers is another")


def _exchange_relations(signature: Signature, old: Parts, new: Parts) -> Signature:
    if new and len(old) != len(new):
        raise UnmirroredError("another number of relations")
    for part, here in zip_longest(old, new):
        if here is None or name_relation(here) != name_relation(part):
            signature = _exchange_one(signature, part, here)
    return signature


def name_relation(term: Term) -> Relation | str:
    """What all ways of writing a relation have in common."""
    if term.head == "forall":
        return name_relation(term.args[1])
    return read_relation(term) or write_canonical(term)


def _exchange_one(signature: Signature, old: Term, new: Term | None) -> Signature:
    """The signature with one relation in the place of the only one that says what ``old`` does."""
    name = name_relation(old)
    wholes = [each.type for each in signature.hypotheses] + [signature.conclusion]
    return _replace(
        signature, wholes, [place for i, each in enumerate(wholes) for place in _find(each, name, (i,))], new
    )


def _replace(
    signature: Signature, wholes: Sequence[Term], places: Sequence[tuple[int, ...]], new: Term | None
) -> Signature:
    """The signature with ``new`` at the only one of the places: its hypotheses' by number, then its conclusion's."""
    if len(places) != 1:
        raise UnmirroredError(f"{len(places)} places in Lean say so")
    ((at, *path),) = places
    whole = _put(wholes[at], path, new)
    if at == len(signature.hypotheses):
        if whole is None:
            raise UnmirroredError("nothing would be concluded")
        return replace(signature, conclusion=whole)
    binder = signature.hypotheses[at]
    kept = [replace(each, type=whole) if each is binder and whole else each for each in signature.binders]
    return replace(signature, binders=tuple(each for each in kept if each is not binder or whole))


def _find(term: Term, name: Relation | str, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if term.is_statement() and term.head not in ("and", "or", "imp", "iff", "not", "forall", "exists"):
        if name_relation(term) == name:
            yield path
        return
    for i, each in enumerate(term.args):
        yield from _find(each, name, (*path, i))


def _put(whole: Term, path: Sequence[int], new: Term | None) -> Term | None:
    if not path:
        return new
    inner = _put(whole.args[path[0]], path[1:], new)
    args = list(whole.args)
    if inner is not None:
        args[path[0]] = inner
        return replace(whole, args=tuple(args))
    if whole.head != "and":
        raise UnmirroredError("what it stands in would say nothing")
    del args[path[0]]
    return args[0] if len(args) == 1 else replace(whole, args=tuple(args))


def _exchange_term(signature: Signature, old: Term, new: Term) -> Signature:
    """Another side of the equation that Lean concludes: an answer, or what is asked for; or another term, where Lean
    has the old one once."""
    path: list[int] = []
    whole = signature.conclusion
    while whole.head in ("forall", "imp"):
        path.append(1)
        whole = whole.args[1]
    sides = [i for i, each in enumerate(whole.args) if whole.head == "eq" and is_same_term(each, old)]
    if len(sides) == 1:
        conclusion = _put(signature.conclusion, [*path, sides[0]], new)
        assert conclusion is not None
        return replace(signature, conclusion=conclusion)
    if old.head in ("var", "num"):
        raise UnmirroredError("it is no side of what Lean concludes")
    wholes = [each.type for each in signature.hypotheses] + [signature.conclusion]
    places = [place for i, each in enumerate(wholes) for place in _find_term(each, old, (i,))]
    return _replace(signature, wholes, places, new)


def exchange_polynomial(signature: Signature, old: Parts, new: Parts) -> Signature | None:
    """Another polynomial that Lean says to be irreducible; words write it as it is or as ``f(x) = ...``. None where it
    is something else."""
    path = [0, 0] if signature.conclusion.head == "app" else [0, 0, 0]
    whole = signature.conclusion.args[0] if len(path) > 2 and signature.conclusion.args else signature.conclusion
    polynomials = [_read_polynomial(each) for each in (old, new)]
    if whole.head != "app" or whole.name != "Irreducible" or whole.args[0].head != "ascribe" or None in polynomials:
        return None
    one, other = polynomials
    if one is None or other is None or write_canonical(one) != write_canonical(whole.args[0].args[0]):
        return None
    conclusion = _put(signature.conclusion, path, other)
    assert conclusion is not None
    return replace(signature, conclusion=conclusion)


def _read_polynomial(parts: Parts) -> Term | None:
    """A polynomial in one variable, which is X in Lean."""
    if len(parts) != 1:
        return None
    term = parts[0].args[1] if parts[0].head == "eq" and parts[0].args[0].head == "app" else parts[0]
    names = term.list_names()
    return _rename(term, next(iter(names))) if len(names) == 1 and not term.is_statement() else None


def _rename(term: Term, name: str) -> Term:
    renamed = "X" if term.head == "var" and term.name == name else term.name
    return replace(term, name=renamed, args=tuple(_rename(each, name) for each in term.args))


def is_same_term(one: Term, other: Term) -> bool:
    """Whether they are written alike, but for signs and, of numbers alone, by value."""
    if settle_signs(one) == settle_signs(other):
        return True
    return not find_free(one) and write_canonical(one) == write_canonical(other)


def _find_term(term: Term, wanted: Term, path: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if not term.is_statement() and settle_signs(term) == settle_signs(wanted):
        yield path
        return
    for i, each in enumerate(term.args):
        yield from _find_term(each, wanted, (*path, i))
