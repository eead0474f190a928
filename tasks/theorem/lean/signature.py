"""The signature of a Lean theorem: binders, hypotheses, conclusion, with their places in the source."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain

from counterfoil.tasks.theorem.algebra.models import SUBGROUP, Frame, UnmodelledError
from counterfoil.tasks.theorem.algebra.problem import Problem
from counterfoil.tasks.theorem.algebra.tokens import Token
from counterfoil.tasks.theorem.algebra.tree import Term, find_free, split_conjuncts
from counterfoil.tasks.theorem.algebra.world import Function, Members, Sort, read_sort
from counterfoil.tasks.theorem.lean.terms import LeanError, Reader, read_term
from counterfoil.tasks.theorem.lean.tokens import split_tokens
from counterfoil.tasks.theorem.words import squeeze

_KINDS = ("theorem", "lemma", "def", "abbrev", "example", "instance", "axiom")
_MODIFIERS = ("noncomputable", "private", "protected", "open", "in", "unsafe", "partial", "nonrec", "scoped")
_OPEN = {"(": ")", "{": "}", "[": "]", "⦃": "⦄"}


@dataclass(frozen=True)
class Binder:
    """``(h : P)``: names, type, and the brackets' kind. ``text`` and places are those of the source."""

    names: tuple[str, ...]
    type: Term
    bracket: str
    type_text: str
    start: int
    end: int

    @property
    def is_hypothesis(self) -> bool:
        """Whether it supposes something of what came before, rather than bringing something new in."""
        return self.bracket != "[" and (
            (self.type.is_statement() and not _is_arrow_of_types(self.type))
            or (bool(self.names) and self.names[0].startswith("h") and not read_sort(self.type.name))
        )


@dataclass(frozen=True)
class Signature:
    """A statement in Lean."""

    kind: str
    name: str
    binders: tuple[Binder, ...]
    conclusion: Term
    source: str
    """What it was read from, without a proof."""

    @property
    def hypotheses(self) -> tuple[Binder, ...]:
        return tuple(each for each in self.binders if each.is_hypothesis)

    def write_type(self) -> str:
        """The statement as one Lean type, all binders in front: what ``#check`` would show.

        >>> read_signature("theorem t (n : ℕ) (h : 0 < n) : 1 ≤ n := by").write_type()
        '∀ (n : ℕ), 0 < n → 1 ≤ n'

        Raises:
            LeanError: our reader does not read back what was written.
        """
        conclusion = self.source[self.conclusion.start : self.conclusion.end]
        text, term = squeeze(conclusion), self.conclusion
        used = conclusion
        for each in reversed(self.binders):
            inner = squeeze(each.type_text)
            if each.is_hypothesis and not any(re.search(rf"(?<!\w){re.escape(n)}(?!\w)", used) for n in each.names):
                term = Term("imp", (each.type, term))
                text = _write_arrow(inner, text, term)
            else:
                opened, closed = each.bracket, _OPEN[each.bracket]
                text = f"∀ {opened}{' '.join(each.names)}{' : ' if each.names else ''}{inner}{closed}, {text}"
                for name in reversed(each.names or ("",)):
                    term = Term("forall", (each.type, term), name)
            used += each.type_text
        if read_term(text) != term:
            raise LeanError(f"the type {text!r} does not read back as what was written")
        return text


def _write_arrow(left: str, right: str, term: Term) -> str:
    """``left → right`` with the brackets that it needs: ``P → Q ↔ R`` is ``(P → Q) ↔ R``, and a lambda takes all that
    follows it."""
    for one, other in ((left, right), (f"({left})", right), (left, f"({right})")):
        text = f"{one} → {other}"
        try:
            if read_term(text) == term:
                return text
        except LeanError:
            continue
    return f"({left}) → ({right})"


def _is_arrow_of_types(term: Term) -> bool:
    """``ℝ → ℝ`` is the type of a function, ``P → Q`` an implication."""
    if term.head != "imp":
        return False
    last = term
    while last.head == "imp":
        last = last.args[1]
    return not last.is_statement() and last.name not in ("False", "false")


@lru_cache(maxsize=4096)
def read_signature(source: str) -> Signature:
    """The signature that ``source`` begins with; attributes, comments and the proof are left out.

    Raises:
        LeanError: it is none, or written in notation that is not known.
    """
    text = _cut_proof(source)
    tokens = split_tokens(text)
    reader = Reader(tokens, text)
    while reader.text in _MODIFIERS or reader.text == "@":
        if reader.text == "@":
            _skip_attribute(reader)
        reader.at += 1
    kind = reader.text
    if kind not in _KINDS:
        raise reader.fail(f"expected one of {', '.join(_KINDS[:3])}")
    reader.at += 1
    name = ""
    if reader.at < len(tokens) and tokens[reader.at].kind == "name" and reader.text != ":":
        name = reader.text
        reader.at += 1
    binders = []
    while reader.text in _OPEN:
        binders.append(_read_binder(reader, tokens, text))
    reader.take(":")
    conclusion = reader.read()
    reader.expect_end()
    return Signature(kind, name, tuple(binders), conclusion, text)


def _cut_proof(source: str) -> str:
    """The source up to ``:=`` outside of all brackets, without trailing blanks."""
    depth = 0
    for token in split_tokens(source):
        depth += token.text in ("(", "{", "[", "⟨", "⦃")
        depth -= token.text in (")", "}", "]", "⟩", "⦄")
        if token.text == ":=" and depth == 0:
            return source[: token.start].rstrip()
    return source.rstrip()


def _skip_attribute(reader: Reader) -> None:
    while reader.text not in ("]", ""):
        reader.at += 1


def _read_binder(reader: Reader, tokens: list[Token], text: str) -> Binder:
    bracket, start = reader.text, reader.place
    end = _find_close(tokens, reader.at)
    reader.at += 1
    names: list[str] = []
    mark = reader.at
    while reader.at < end and (tokens[reader.at].kind == "name" or reader.text == "_"):
        names.append(reader.text)
        reader.at += 1
    if reader.text == ":":
        reader.at += 1
    elif bracket == "[":
        names, reader.at = [], mark
    else:
        raise reader.fail("expected ':' in a binder")
    first = reader.place
    inner = Reader(tokens[:end], text)
    inner.at = reader.at
    if inner.at >= end:
        raise reader.fail("a binder without a type")
    term = inner.read()
    inner.expect_end()
    reader.at = end + 1
    return Binder(tuple(names), term, bracket, text[first : tokens[end - 1].end], start, tokens[end].end)


def _find_close(tokens: list[Token], at: int) -> int:
    depth = 0
    for i in range(at, len(tokens)):
        depth += tokens[i].text in ("(", "{", "[", "⦃", "⟨")
        depth -= tokens[i].text in (")", "}", "]", "⦄", "⟩")
        if depth == 0:
            return i
    raise LeanError(f"a bracket at character {tokens[at].start} is never closed")


class UnstatedError(Exception):
    """The statement is not one about numbers that can be tried. The message says why."""


def state_problem(signature: Signature) -> Problem:
    """The statement about numbers that a signature makes.

    Raises:
        UnstatedError: it is about other things.
    """
    sorts: list[tuple[str, Sort]] = []
    functions: dict[str, Sort] = {}
    sets: dict[str, tuple[Sort, bool]] = {}
    hypotheses: list[Term] = []
    for binder in signature.binders:
        if binder.is_hypothesis:
            hypotheses += split_conjuncts(binder.type)
            continue
        sort = read_sort(binder.type.name) if binder.type.head == "var" else None
        if sort is not None:
            sorts += [(name, sort) for name in binder.names]
            if binder.type.name == "ℕ+":
                if "-" in signature.source:
                    raise UnstatedError("a difference of positive natural numbers is positive in Lean")
                zero = Term("num", name="0")
                hypotheses += [Term("lt", (zero, Term("var", name=name))) for name in binder.names]
            continue
        of = _read_set_type(binder.type)
        if of is not None:
            sets |= dict.fromkeys(binder.names, (of, binder.type.name == "Finset"))
            continue
        result = _read_function_type(binder.type)
        if result is None:
            raise UnstatedError(f"{' '.join(binder.names) or binder.type_text} is no number")
        functions |= dict.fromkeys(binder.names, result)
    members, hypotheses = _define_sets(sets, hypotheses)
    defined, kept = _define(functions, hypotheses, frozenset(name for name, _ in sorts))
    conclusion, more, supposed = _open_quantifiers(signature.conclusion)
    if any(each.head == "app" and each.name == "Irreducible" for each in conclusion.walk()):
        raise UnstatedError("of what is irreducible its factors tell")
    names = {name for name, _ in sorts}
    if names & {name for name, _ in more}:
        raise UnstatedError("a name is bound twice")
    plain, (given, claimed) = _inline(defined, ((*kept, *supposed), split_conjuncts(conclusion)))
    functions_and_sets: dict[str, Function | Members] = {**plain, **members}
    return Problem((*sorts, *more), given, claimed, tuple(sorted(functions_and_sets.items())), lean=True)


def _read_set_type(term: Term) -> Sort | None:
    """The sort of the members of a set of whole numbers."""
    named = term.head == "app" and term.name in ("Finset", "Set") and len(term.args) == 1
    sort = read_sort(term.args[0].name) if named and term.args[0].head == "var" else None
    return sort if sort in ("N", "Z") else None


def _define_sets(
    sets: Mapping[str, tuple[Sort, bool]], hypotheses: list[Term]
) -> tuple[dict[str, Members], list[Term]]:
    """Sets that a hypothesis ``∀ n, n ∈ S ↔ condition`` gives; the other hypotheses stay.

    A ``Finset`` is finite: that there is such a one has to be seen, or what is said of it is said of nothing. So how
    many members it has is asked for as a hypothesis, which has no answer where they cannot be listed.
    """
    found: dict[str, Members] = {}
    kept: list[Term] = []
    for each in hypotheses:
        body = each.args[1] if each.head == "forall" else each
        left = body.args[0] if body.head == "iff" else body
        name = left.args[1].name if left.head == "in" and left.args[1].head == "var" else ""
        bound = each.head == "forall" and left.head == "in" and left.args[0] == Term("var", name=each.name)
        if not (bound and name in sets and name not in found):
            kept.append(each)
            continue
        sort, finite = sets[name]
        found[name] = Members(each.name, body.args[1], sort)
        if finite:
            count = Term("card", (Term("var", name=name),))
            kept.append(Term("ge", (count, Term("num", name="0"))))
    missing = sorted(set(sets) - set(found))
    if missing:
        raise UnstatedError(f"{missing[0]} is no number")
    return found, kept


def _read_function_type(term: Term) -> Sort | None:
    if term.head != "imp":
        return None
    first, last = term.args
    while last.head == "imp":
        first, last = last.args
    if not read_sort(first.name) or first.head != "var" or last.head != "var":
        return None
    return read_sort(last.name)


def _define(
    functions: dict[str, Sort], hypotheses: list[Term], variables: frozenset[str]
) -> tuple[dict[str, Function], list[Term]]:
    """Functions that a hypothesis ``∀ x, f x = body`` gives, or ``∀ x, guard → f x = body``; the others stay."""
    defined: dict[str, Function] = {}
    kept = []
    for each in hypotheses:
        found = _read_definition(each, functions, variables)
        if found is not None and found[0] not in defined:
            defined[found[0]] = found[1]
        else:
            kept.append(each)
    missing = sorted(set(functions) - set(defined))
    if missing:
        raise UnstatedError(f"the function {missing[0]} is not defined by a formula")
    return defined, kept


def _read_definition(term: Term, functions: dict[str, Sort], variables: frozenset[str]) -> tuple[str, Function] | None:
    parameters: list[str] = []
    guards: list[Term] = []
    while term.head in ("forall", "imp"):
        if term.head == "forall" and not term.args[0].is_statement():
            parameters.append(term.name)
        else:
            guards.append(term.args[0])
        term = term.args[1]
    if term.head != "eq":
        return None
    left, right = term.args
    if left.head == "var" and right.head == "lambda" and left.name in functions and not (parameters or guards):
        return left.name, Function((right.name,), right.args[1], functions[left.name])
    names = [each.name for each in left.args]
    if left.head != "app" or left.name not in functions or names != parameters or not parameters:
        return None
    guard = guards[0] if len(guards) == 1 else Term("and", tuple(guards)) if guards else None
    said = [right, *guards]
    # What calls itself may be said of no function at all.
    if any(each.head == "app" and each.name == left.name for part in said for each in part.walk()):
        return None
    free = frozenset().union(*map(find_free, said)) - set(parameters) - set(functions)
    if not free <= (frozenset() if guard else variables):
        return None
    return left.name, Function(tuple(parameters), right, functions[left.name], guard)


_NAMES: dict[Sort, str] = {"N": "ℕ", "Z": "ℤ", "Q": "ℚ", "R": "ℝ", "C": "ℂ"}
_BINDERS = frozenset({"forall", "exists", "exists_unique", "sum", "prod", "lambda", "setof"})


def _inline(
    defined: Mapping[str, Function], said: tuple[tuple[Term, ...], tuple[Term, ...]]
) -> tuple[dict[str, Function], tuple[tuple[Term, ...], tuple[Term, ...]]]:
    """Functions whose formula names variables of the statement (``f x = a * x + b``) put in where they are called.

    Raises:
        UnstatedError: a variable would become another there.
    """
    free = {name: find_free(each.body) - set(each.parameters) for name, each in defined.items()}
    inlined = {name for name in defined if free[name]}
    # What calls one of them is put in with it.
    while more := {
        name
        for name in set(defined) - inlined
        if any(each.head == "app" and each.name in inlined for each in defined[name].body.walk())
    }:
        inlined |= more
    if not inlined:
        return dict(defined), said
    bodies = [defined[name].body for name in inlined]
    bound = {each.name for part in (*chain(*said), *bodies) for each in part.walk() if each.head in _BINDERS}
    if any(each.head in _BINDERS for body in bodies for each in body.walk()) or bound & set().union(*free.values()):
        raise UnstatedError("a function of a variable that is bound")

    def put(term: Term, depth: int = 0) -> Term:
        args = tuple(put(each, depth) for each in term.args)
        function = defined.get(term.name) if term.head == "app" and term.name in inlined else None
        if function is None:
            return replace(term, args=args)
        if len(args) != len(function.parameters) or depth > len(defined) or function.guard is not None:
            raise UnstatedError(f"the function {term.name} is not defined by a formula")
        sort = _NAMES[function.sort]
        given = {name: Term("ascribe", (each,), sort) for name, each in zip(function.parameters, args, strict=True)}
        return Term("ascribe", (put(_substitute(function.body, given), depth + 1),), sort)

    kept = {name: each for name, each in defined.items() if name not in inlined}
    return kept, (tuple(map(put, said[0])), tuple(map(put, said[1])))


def _substitute(term: Term, given: Mapping[str, Term]) -> Term:
    if term.head == "var":
        return given.get(term.name, term)
    return replace(term, args=tuple(_substitute(each, given) for each in term.args))


def _open_quantifiers(term: Term) -> tuple[Term, list[tuple[str, Sort]], list[Term]]:
    """A conclusion ``∀ x : ℝ, P → Q`` as Q, with x among the variables and P among the hypotheses; ``¬ ∃ x : ℝ, P`` as
    ``¬ P``."""
    sorts: list[tuple[str, Sort]] = []
    supposed: list[Term] = []
    while term.head in ("forall", "imp", "not"):
        if term.head == "imp" and term.args[1].name == "False":
            term = Term("not", (term.args[0],))
        if term.head == "not":
            inner = term.args[0]
            if inner.head != "exists":
                break
            term = Term("forall", (inner.args[0], Term("not", (inner.args[1],))), inner.name)
        if term.head == "imp":
            supposed += split_conjuncts(term.args[0])
            term = term.args[1]
            continue
        sort = read_sort(term.args[0].name) if term.args[0].head == "var" else None
        if sort is None or term.name in {name for name, _ in sorts}:
            break
        sorts.append((term.name, sort))
        term = term.args[1]
    return term, sorts, supposed


_BARE_TYPES = frozenset({"Type*", "Type", "Type _", "Type u"})


def frame_structure(signature: Signature) -> Frame:
    """What a signature says of the elements of one group, monoid or ring.

    Raises:
        UnmodelledError: it is about other things.
    """
    types = [name for each in signature.binders if each.type_text in _BARE_TYPES for name in each.names]
    if len(types) != 1 or signature.kind not in ("theorem", "lemma", "example"):
        raise UnmodelledError("not of one structure")
    classes: set[str] = set()
    variables: list[tuple[str, str]] = []
    hypotheses: list[Term] = []
    group = (Term("var", name=types[0]),)
    for binder in signature.binders:
        kind = binder.type
        if binder.bracket == "[":
            if kind.head == "app" and kind.args == group and kind.name not in _SAID_OF_GROUPS:
                classes.add(kind.name)
            elif kind.name.rpartition(".")[2] in _SAID_OF_GROUPS:
                hypotheses.append(kind)
            elif kind.name not in _OF_SETS or not {each.name for each in kind.args} <= _list_subgroups(variables):
                raise UnmodelledError(binder.type_text)
        elif binder.is_hypothesis:
            hypotheses += split_conjuncts(kind)
        elif kind.head == "var" and kind.name in (types[0], "ℕ", "ℤ"):
            variables += [(name, kind.name) for name in binder.names]
        elif kind.head == "app" and kind.name == SUBGROUP and kind.args == group:
            variables += [(name, SUBGROUP) for name in binder.names]
        elif binder.type_text == "Nat.Primes":
            variables += [(name, "ℕ") for name in binder.names]
            hypotheses += [Term("prime", (Term("var", name=name),)) for name in binder.names]
        elif binder.type_text not in _BARE_TYPES:
            raise UnmodelledError(binder.type_text)
    if not classes:
        raise UnmodelledError("of no class")
    return Frame(types[0], frozenset(classes), tuple(variables), tuple(hypotheses), signature.conclusion)


_SAID_OF_GROUPS = frozenset({"IsSimpleGroup", "IsCyclic", "Normal", "Characteristic"})
"""Classes that say something of a group or subgroup which its table shows."""
_OF_SETS = frozenset({"Fintype", "Finite", "DecidablePred"})
"""Classes that say nothing of a subgroup of a finite group."""


def _list_subgroups(variables: list[tuple[str, str]]) -> set[str]:
    return {name for name, sort in variables if sort == SUBGROUP}
