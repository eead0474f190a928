"""What a language model is told of our predicates, and how its lists of claims are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from storage.rows import Fact
from tasks.geometry.captions.wordings import list_wordings
from tasks.geometry.facts.predicates import PREDICATES

LETTERS = "PQRSTUVW"


def list_predicates() -> list[dict[str, str]]:
    """The predicates that a caption may claim, each with a signature such as ``length(P, Q) = value``."""
    usable = [each.name for each in PREDICATES.values() if each.group not in ("drawn", "mark")]
    return [{"name": name, "signature": _write_signature(name)} for name in ["segment", *usable]]


def _write_signature(name: str) -> str:
    """``midpoint(P, Q, R): P is the midpoint of QR``."""
    predicate = PREDICATES[name]
    points = iter(LETTERS)
    arguments = ["O" if role == "c" else next(points) for role in predicate.roles if role != "p*"]
    further = ", ..." if predicate.roles[-1] == "p*" else ""
    value = " = value" if predicate.value is not None else ""
    fact = (Fact(name, tuple(arguments), "value" if value else None),)
    words = "".join(f": {each.write(fact, 'latex')}" for each in list_wordings(fact)[:1])
    return f"{name}({', '.join(arguments)}{further}){value}{words}"


def read_claims(listed: Sequence[Mapping[str, Any]]) -> list[Fact]:
    """The claims of an answer as facts."""
    return [Fact(each["predicate"], tuple(each["arguments"]), each["value"]) for each in listed]
