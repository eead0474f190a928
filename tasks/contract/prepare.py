"""What a family needs of the whole corpus, made before any of its contrasts: a bank, an index, quotas.

A preparation is a stage of its own. Its parts are made in parallel, one staged shard each, and are found again by
fingerprint like any other; a last step gathers what must be decided over all of them. Makers get what `open` makes of
it, read-only and once per process.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

import pyarrow as pa

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.contract.context import Context, S

P = TypeVar("P")


class Part(Protocol):
    """One finished part: a table that is read when it is asked for."""

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        """The part's table, or some of its columns."""
        ...


@dataclass(frozen=True)
class Prepared:
    """All parts in order, and what was gathered of them (None where nothing is)."""

    parts: Sequence[Part]
    gathered: pa.Table | None = None


@dataclass(frozen=True)
class Preparation(Generic[S, P]):
    """How something is made of the whole corpus for one or more families."""

    name: str
    """``<domain>.<what>``, such as ``geometry.template_bank``."""
    make: Callable[[int, Sequence[Anchor], Context[S]], pa.Table]
    """Makes the part of this number, of the anchors of its shard."""
    open: Callable[[Prepared, Context[S]], P]
    count_parts: Callable[[S, int], int] | None = None
    """How many parts `make_counted` makes under these settings for so many anchors; None: there is one part for each
    shard of anchors, and no other."""
    make_counted: Callable[[int, Context[S]], pa.Table] | None = None
    """Makes the part of this number, which reads no anchors."""
    reads_anchors: bool = False
    """Whether the counted parts are followed by one for each shard of anchors, as where a bank is shared out."""
    gather: Callable[[Sequence[Part], Context[S]], pa.Table] | None = None
    """Decides over all parts; must not depend on how the anchors are cut into shards."""
    uses: tuple[str, ...] = ()
    """Settings keys that decide a part's content."""
    gather_uses: tuple[str, ...] = ()
    """Further keys that ``gather`` reads: parts stay what they are where only these change."""
    networks: tuple[str, ...] = ()
    """As `counterfoil.tasks.contract.family.Family.networks`, of ``make`` and ``gather``."""
    version: int = 1

    def of(self, context: Context[Any]) -> P:
        """What this preparation made for ``context``'s stage.

        Raises:
            LookupError: the stage was run without it: its family does not name it.
        """
        if self.name not in context.prepared:
            raise LookupError(f"{self.name} was not prepared: name it in the family's `prepare`")
        return cast(P, context.prepared[self.name])
