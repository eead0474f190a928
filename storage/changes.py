"""What changes between an anchor and its negative: the kinds of each domain in one place, and how they are counted.

Kinds are measured on what was drawn or written (`tasks.contract.family.Measure`), never taken from an edit's name, and
stand in the column ``changes`` in the order of this vocabulary, each once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from storage.plain import read_toml

KINDS: Mapping[str, Mapping[str, str]] = read_toml(Path(__file__).with_name("changes.toml"))
"""Domain to its kinds, each with what is meant."""
READING: Mapping[str, frozenset[str]] = {
    "geometry": frozenset({"number", "letter", "mark"}),
    "flowchart": frozenset({"label"}),
    "caption": frozenset(),
    "theorem": frozenset({"number"}),
}
"""Kinds that are told by reading what is written on a picture or formula, whatever its form: a negative that changes
nothing else teaches reading alone."""
UNMEASURED = "not measured"
"""What negatives go by whose family measures nothing, and those of tables from before there was the column."""
UNSEEN = "nothing that is measured"
"""What negatives go by that were measured, and of whose kinds none differs."""


class UnknownKindError(ValueError):
    """A measure named a kind that its domain does not have. The message lists those it has."""


def order_changes(domain: str, kinds: Collection[str]) -> tuple[str, ...]:
    """The kinds as a row stores them: in the vocabulary's order, each once. Of a domain that is another package's,
    every kind of ours is known, in order of the alphabet.

    >>> order_changes("geometry", ["shape", "number", "shape"])
    ('number', 'shape')

    Raises:
        UnknownKindError: one of them is no kind of the domain.
    """
    known = [*KINDS[domain]] if domain in KINDS else sorted({kind for kinds in KINDS.values() for kind in kinds})
    odd = sorted(set(kinds) - set(known))
    if odd:
        raise UnknownKindError(f"{', '.join(odd)}: no kind of change of {domain}, which has {', '.join(known)}")
    return tuple(kind for kind in known if kind in kinds)


def name_changes(changes: Collection[str] | None) -> tuple[str, ...]:
    """What a negative is counted under: each of its kinds, or why it has none.

    >>> name_changes(None), name_changes(()), name_changes(("number", "shape"))
    (('not measured',), ('nothing that is measured',), ('number', 'shape'))
    """
    if changes is None:
        return (UNMEASURED,)
    return tuple(changes) or (UNSEEN,)


def changes_reading_alone(domain: str, changes: Collection[str] | None) -> bool:
    """Whether a negative differs in what is read and in nothing else.

    >>> changes_reading_alone("geometry", ("number", "letter")), changes_reading_alone("geometry", ("number", "shape"))
    (True, False)
    """
    return bool(changes) and set(changes or ()) <= READING.get(domain, frozenset())
