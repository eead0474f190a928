"""Near misses of a Lean statement: proposals made on its syntax tree, in a random order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from storage.rows import Edit
from tasks.theorem.algebra.tree import RELATIONS, Term, find_free
from tasks.theorem.edits.trees import LEAN_SIGNS, Change, is_written_so, list_changes
from tasks.theorem.lean.signature import Binder, Signature

_LOOSE = frozenset({"and", "or", "imp", "iff", "forall", "exists", "exists_unique", "not"})


def propose(signature: Signature, rng: np.random.Generator, undecided: bool) -> list[tuple[str, tuple[Edit, ...]]]:
    """Sources that may be near misses, each once."""
    source = signature.source
    # What a definition gives is a thing: there is nothing to deny.
    changes = [*_negate(signature.conclusion, source)] if signature.kind in ("theorem", "lemma") else []
    for term in (*(each.type for each in signature.hypotheses), signature.conclusion):
        changes += list(list_changes(term, source, LEAN_SIGNS, rng))
    changes += [*_omit(signature), *_exchange(signature, undecided)]
    found: dict[str, tuple[Edit, ...]] = {}
    for i in rng.permutation(len(changes)):
        text = changes[i].apply(source)
        if is_written_so(text, source):
            found.setdefault(text, (changes[i].describe(source),))
    found.pop(source, None)
    return list(found.items())


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
