"""Near misses of a Lean statement: changes on its syntax tree that may give one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from counterfoil.tasks.theorem.algebra.tree import RELATIONS, Term, find_free
from counterfoil.tasks.theorem.edits.trees import (
    LEAN_SIGNS,
    Change,
    is_written_so,
    list_bounded,
    list_changes,
    write_changes,
)
from counterfoil.tasks.theorem.lean.signature import Binder, Signature

_LOOSE = frozenset({"and", "or", "imp", "iff", "forall", "exists", "exists_unique", "not"})


def propose(signature: Signature, rng: np.random.Generator, undecided: bool) -> list[Change]:
    """Changes that may give near misses, in no order."""
    source = signature.source
    # What a definition gives is a thing: there is nothing to deny.
    stated = signature.kind in ("theorem", "lemma")
    changes = [*_negate(signature.conclusion, source), *_convert(signature)] if stated else []
    complex_ = {name for each in signature.binders if "ℂ" in each.type_text for name in each.names}
    for term, names in _list_scopes(signature):
        found = list_changes(term, source, LEAN_SIGNS, rng, names)
        if complex_ & {each.name for each in term.walk()}:
            found = (each for each in found if each.replacement not in _ORDERS)
        changes += found
        changes += _change_logic(term, source)
    changes += [*_omit(signature), *_change_types(signature), *_exchange(signature, undecided)]
    return list(dict.fromkeys(changes))


_ORDERS = frozenset("<>≤≥")
"""What Lean does not know of complex numbers, unless their partial order is opened."""


def write(changes: Sequence[Change], signature: Signature) -> str:
    """The statement's source after changes at different places; empty where nobody would write it so."""
    text = write_changes(changes, signature.source)
    return text if text != signature.source and is_written_so(text, signature.source) else ""


def _list_scopes(signature: Signature) -> Iterator[tuple[Term, Sequence[str]]]:
    """What is supposed and concluded, each with the variables of the commonest type, of which one may be another."""
    by_type: dict[str, list[str]] = {}
    for binder in signature.binders:
        if not binder.is_hypothesis and binder.bracket == "(" and "→" not in binder.type_text:
            by_type.setdefault(binder.type_text, []).extend(binder.names)
    names = max(by_type.values(), key=len, default=[])
    bounded = list_bounded(each.type for each in signature.hypotheses)
    for binder in signature.hypotheses:
        known = {name for each in signature.binders if each.start < binder.start for name in each.names}
        known -= bounded - find_free(binder.type)
        yield binder.type, [name for name in names if name in known]
    yield signature.conclusion, names


_TYPES = {"ℝ": ("ℂ", "ℤ"), "ℤ": ("ℝ", "ℕ"), "ℕ": ("ℤ",), "ℚ": ("ℝ",), "ℕ+": ("ℕ",)}
_CLASSES = {
    "Field": ("CommRing",),
    "DivisionRing": ("Ring",),
    "CommRing": ("Ring",),
    "CommGroup": ("Group",),
    "Group": ("Monoid",),
    "IsDomain": ("Nontrivial",),
}


_INVERTIBLE = frozenset({"Field", "DivisionRing", "Group"})
_INVERSES = r"⁻¹|/|Subgroup|Normal|zpowers|Sylow|IsSimpleGroup|Module|VectorSpace"
"""What those classes alone have; of a weaker one Lean takes no statement that names it."""


def _change_types(signature: Signature) -> Iterator[Change]:
    """Numbers of another kind, and a class weakened."""
    for binder in signature.binders:
        start = signature.source.find(binder.type_text, binder.start, binder.end)
        if binder.bracket == "[":
            head, _, rest = binder.type_text.partition(" ")
            inverted = re.search(_INVERSES, signature.source)
            for new in _CLASSES.get(head, ()) if not (inverted and head in _INVERTIBLE) else ():
                yield Change("domain", start, start + len(binder.type_text), f"{new} {rest}".rstrip())
        elif not binder.is_hypothesis:
            for new in _TYPES.get(binder.type_text, ()):
                if _takes(signature, frozenset(binder.names), new):
                    yield Change("domain", start, start + len(binder.type_text), new)


_NATURAL = frozenset({"factorial", "choose", "range", "divisors", "isqrt", "gcd", "lcm", "coprime", "app"})
"""Where Lean wants the natural numbers, or what its own signature says."""
_ORDERED = frozenset(
    {"lt", "le", "gt", "ge", "abs", "floor", "ceil", "sqrt", "log", "logb", "exp", "sin", "cos", "tan"}
)


def _takes(signature: Signature, names: frozenset[str], new: str) -> bool:
    """Whether Lean takes the statement with variables of another type: what does not elaborate is no statement."""
    for whole in (*(each.type for each in signature.hypotheses), signature.conclusion):
        for each in whole.walk():
            if each.head not in _TYPED or not names & find_free(each):
                continue
            if each.head == "pow" and not names & find_free(each.args[1]):
                continue
            if not _allows(each, new):
                return False
    return True


def _allows(term: Term, new: str) -> bool:
    if term.head in ("mod", "cong"):
        return new in (("ℕ",) if term.name == "MOD" else ("ℕ", "ℤ"))
    if term.head in _ORDERED:
        return new != "ℂ"
    return new == "ℕ" or (term.head == "prime" and term.name != "nat")


_TYPED = _NATURAL | _ORDERED | {"mod", "cong", "pow", "prime"}


_CONNECTIVES = {"and": ("∧", "∨"), "or": ("∨", "∧"), "exists": ("∃", "∀")}


def _change_logic(term: Term, source: str) -> Iterator[Change]:
    """``∧`` as ``∨``, and ``∃`` as ``∀``."""
    for each in term.walk():
        old, new = _CONNECTIVES.get(each.head, ("", ""))
        places = [(one.end, two.start) for one, two in pairwise(each.args)] if old in ("∧", "∨") else []
        if old == "∃" and source[each.start : each.start + 1] == old:
            yield Change("quantifier", each.start, each.start + 1, new)
        for begin, end in places:
            if 0 <= begin < end and source[begin:end].strip() == old:
                at = begin + source[begin:end].index(old)
                yield Change("connective", at, at + 1, new)


def _convert(signature: Signature) -> Iterator[Change]:
    """The last thing supposed exchanged with what is concluded: the converse."""
    if not signature.hypotheses or signature.binders[-1] is not signature.hypotheses[-1]:
        return
    last, source = signature.hypotheses[-1], signature.source
    if last.bracket != "(" or len(last.names) != 1 or _is_named(last, signature):
        return
    start = source.find(last.type_text, last.start, last.end)
    end = start + len(last.type_text)
    said = source[signature.conclusion.start : signature.conclusion.end]
    between = source[end : signature.conclusion.start]
    yield Change("converse", start, signature.conclusion.end, f"{said}{between}{last.type_text}")


def _negate(conclusion: Term, source: str) -> Iterator[Change]:
    """``P`` to ``¬ P`` and back, below the quantifiers in front; ``P → False`` is ``¬ P``, and ``False`` has no denial
    that says anything."""
    while conclusion.head in ("forall", "imp") and not _is_denial(conclusion):
        conclusion = conclusion.args[1]
    text = source[conclusion.start : conclusion.end]
    if conclusion.name in ("False", "True") and conclusion.head == "var":
        return
    if _is_denial(conclusion) or conclusion.head == "not":
        inner = conclusion.args[0]
        yield Change("negation", conclusion.start, conclusion.end, source[inner.start : inner.end])
    elif conclusion.head not in RELATIONS:
        body = f"({text})" if conclusion.head in _LOOSE and not text.startswith("(") else text
        yield Change("negation", conclusion.start, conclusion.end, f"¬{body}" if body.startswith("(") else f"¬ {body}")


def _is_denial(term: Term) -> bool:
    """``P → False``."""
    return term.head == "imp" and term.args[1].head == "var" and term.args[1].name == "False"


def _omit(signature: Signature) -> Iterator[Change]:
    """A hypothesis left out that nothing else names."""
    source = signature.source
    for binder in signature.hypotheses:
        if not _is_named(binder, signature):
            start = len(source[: binder.start].rstrip())
            yield Change("omit", start, binder.end, "")


def _is_named(binder: Binder, signature: Signature) -> bool:
    others = [each.type for each in signature.binders if each is not binder] + [signature.conclusion]
    return any(name in find_free(term) for name in binder.names for term in others)


def _exchange(signature: Signature, undecided: bool) -> Iterator[Change]:
    """``a * b`` to ``b * a`` where products need not commute; no instance of ours decides those."""
    if not undecided:
        return
    for term in signature.conclusion.walk():
        if term.head == "mul" and term.args[0] != term.args[1]:
            left, right = term.args
            one, other = (signature.source[each.start : each.end] for each in (left, right))
            yield Change("flip", left.start, right.end, f"{other}{signature.source[left.end : right.start]}{one}")
