"""What changes between an anchor and its negative: the kinds of each domain in one place, and how they are counted.

Kinds are measured on what was drawn or written (`tasks.contract.family.Measure`), never taken from an edit's name, and
stand in the column ``changes`` in the order of this vocabulary, each once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from counterfoil.storage.plain import read_toml

KINDS: Mapping[str, Mapping[str, str]] = read_toml(Path(__file__).with_name("changes.toml"))
"""Domain to its kinds, each with what is meant."""
READING: Mapping[str, frozenset[str]] = {
    "geometry": frozenset({"number", "letter", "mark"}),
    "flowchart": frozenset({"label"}),
    "caption": frozenset(),
    "theorem": frozenset({"number"}),
    "composite": frozenset({"number", "letter", "mark", "label"}),
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


@dataclass
class ChangeTally:
    """What the negatives of one family change, counted."""

    domain: str
    negatives: int = 0
    reading: int = 0
    """Those that change what is read, and nothing else."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Kind to negatives; one that changes two kinds counts under both."""

    def add(self, role: str, changes: Collection[str] | None) -> None:
        """Count one row; a positive has no change to count."""
        if role == "negative":
            self.negatives += 1
            self.reading += changes_reading_alone(self.domain, changes)
            self.kinds.update(name_changes(changes))

    def describe(self) -> str:
        """The shares in words, the oftenest first; "" where there is no negative.

        >>> tally = ChangeTally("geometry")
        >>> for changes in (("number",), ("number", "shape"), ("shape",), ("shape",)):
        ...     tally.add("negative", changes)
        >>> tally.describe()
        'shape 75.0 %, number 50.0 %; what is read alone 25.0 %'
        """
        if not self.negatives:
            return ""
        order = sorted(self.kinds.items(), key=lambda each: (-each[1], each[0]))
        told = ", ".join(f"{kind} {100 * count / self.negatives:.1f} %" for kind, count in order)
        measured = self.kinds[UNMEASURED] < self.negatives and READING.get(self.domain)
        return f"{told}; what is read alone {100 * self.reading / self.negatives:.1f} %" if measured else told
