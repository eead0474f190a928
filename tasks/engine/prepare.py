"""Running a preparation: its parts and its last step as staged shards, and the opening of what came of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from counterfoil.storage.errors import StorageError
from counterfoil.storage.rows import Anchor
from counterfoil.storage.staged import StagedShard, StagedShards
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.prepare import Preparation, Prepared

PART = "prepared"
GATHERED = "gathered"
LIST = "parts"


@dataclass(frozen=True)
class StagedPart:
    """A part on disk."""

    shard: StagedShard

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        return self.shard.read(PART, columns=list(columns) if columns is not None else None)


@dataclass(frozen=True)
class HeldPart:
    """A part in memory."""

    table: pa.Table

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        return self.table if columns is None else self.table.select(list(columns))


def find_preparation(domain: Domain[Any], families: Sequence[str]) -> Preparation[Any, Any] | None:
    """What must be prepared before ``families``, which share a maker; None for nothing."""
    return next((domain.families[name].prepare for name in families if domain.families[name].prepare), None)


def gather_parts(
    preparation: Preparation[Any, Any], parts: Sequence[str], staged: StagedShards, context: Context[Any]
) -> dict[str, pa.Table]:
    """The tables of the last step: which parts there are, in order, and what was decided over all of them.

    Raises:
        StorageError: a part is gone.
    """
    tables = {LIST: pa.table({"fingerprint": pa.array(parts, pa.string())})}
    if preparation.gather is not None:
        tables[GATHERED] = preparation.gather([_find_part(each, staged) for each in parts], context)
    return tables


def open_prepared(
    preparation: Preparation[Any, Any], fingerprint: str, staged: StagedShards, context: Context[Any]
) -> Context[Any]:
    """``context`` with what was staged under ``fingerprint``, opened.

    Raises:
        StorageError: it is gone, or a part of it.
    """
    last = _find(fingerprint, staged)
    parts = [_find_part(each, staged) for each in last.read(LIST)["fingerprint"].to_pylist()]
    gathered = last.read(GATHERED) if GATHERED in last.files else None
    return _open(preparation, Prepared(parts, gathered), context)


def prepare_here(
    preparation: Preparation[Any, Any], shards: Sequence[Sequence[Anchor]], context: Context[Any]
) -> Context[Any]:
    """``context`` with the whole preparation made in memory, for ``shards`` of anchors."""
    count = preparation.count_parts
    counted = count(context.settings, sum(map(len, shards))) if count is not None else 0
    make = preparation.make_counted
    tables = [make(i, context) for i in range(counted)] if make is not None else []
    if preparation.count_parts is None or preparation.reads_anchors:
        tables += [preparation.make(counted + i, anchors, context) for i, anchors in enumerate(shards)]
    parts = [HeldPart(table) for table in tables]
    gathered = preparation.gather(parts, context) if preparation.gather is not None else None
    return _open(preparation, Prepared(parts, gathered), context)


def open_gathered(preparation: Preparation[Any, Any], gathered: pa.Table, context: Context[Any]) -> Context[Any]:
    """``context`` with what was gathered of parts that are not kept."""
    return _open(preparation, Prepared((), gathered), context)


def _open(preparation: Preparation[Any, Any], prepared: Prepared, context: Context[Any]) -> Context[Any]:
    return replace(context, prepared={**context.prepared, preparation.name: preparation.open(prepared, context)})


def _find(fingerprint: str, staged: StagedShards) -> StagedShard:
    shard = staged.find(fingerprint)
    if shard is None:
        raise StorageError(f"what was prepared ({fingerprint[:12]}) is gone; run the recipe again to make it")
    return shard


def _find_part(fingerprint: str, staged: StagedShards) -> StagedPart:
    return StagedPart(_find(fingerprint, staged))
