"""What columns of a source are read: those that are not are named, once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_REMARKS = 5
"""A source whose records all differ is not told record by record."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What the reader of a source tells its user: it costs no row."""

    text: str


@dataclass
class Columns:
    """The columns that a reader knows. `see` names others when they first come.

    >>> columns = Columns(("id", "question"))
    >>> [each.text for each in columns.see({"id": 1, "picture": "a.png", "colour": "red"}, "line 1")]
    ['columns that are not read: picture, colour (first at line 1)']
    >>> [*columns.see({"id": 2, "picture": "b.png"}, "line 2")]
    []
    """

    known: Iterable[str]
    why: str = ""
    """What is said beside: why they are not read, or what to do."""
    _told: set[str] = field(default_factory=set)
    _remarks: int = 0

    def __post_init__(self) -> None:
        self._told.update(self.known)

    def see(self, record: Any, where: str) -> Iterator[Remark]:
        """What is to be told of a record: a mapping by columns. Empty columns are not missed."""
        if not isinstance(record, Mapping):
            return
        unread = [
            str(name) for name, value in record.items() if name not in self._told and value not in (None, "", [], {})
        ]
        self._told.update(unread)
        if unread and self._remarks < MOST_REMARKS:
            self._remarks += 1
            shown = ", ".join(unread[:12]) + (f" and {len(unread) - 12} more" if len(unread) > 12 else "")
            yield Remark(f"columns that are not read: {shown} (first at {where}){self.why}")
