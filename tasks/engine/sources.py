"""Source rows, read by the run itself and staged in batches, so that any worker can take one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pyarrow as pa

from counterfoil.storage.rows import Reject, fingerprint
from counterfoil.storage.staged import StagedShard, StagedShards
from counterfoil.tasks.contract.domain import Domain, SourceRow
from counterfoil.tasks.engine.fingerprints import RUNNER_VERSION
from counterfoil.tasks.engine.offers import take_rows
from counterfoil.tasks.engine.recall import name_source, note_shards, recall_shards
from counterfoil.tasks.engine.rows import count_rejects, tabulate_rejects

SOURCE_SCHEMA = pa.schema([(name, pa.string()) for name in ("source", "source_id", "split", "payload")])


@dataclass(frozen=True)
class SourceShard:
    """A staged batch of source rows, by the fingerprint of its content."""

    fingerprint: str
    index: int
    rows: int
    rejected: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def stage_sources(
    domain: Domain[Any],
    settings: Any,
    seed: int,
    limit: int | None,
    shard_size: int,
    staged: StagedShards,
    given: Iterable[SourceRow | Reject] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Iterator[SourceShard]:
    """Read the domain's source in batches of ``shard_size`` rows and stage each; memory holds one batch. Where rows are
    ``given``, they stand for the source's. ``tell`` hears what the source's reader remarks.

    Rows that cannot be read become rejects of ``<domain>.anchor``. What was made up before is not made up again.

    Raises:
        counterfoil.tasks.contract.domain.SourceError: the source itself cannot be read.
    """
    if given is not None:
        yield from _stage_rows(domain.name, iter(given), shard_size, staged)
        return
    key = name_source(domain, settings, seed, limit, shard_size)
    known = recall_shards(staged, key) if key else None
    if known is not None and all(staged.find_all(shard for shard, *_ in known)):
        yield from (SourceShard(shard, index, rows, rejected) for index, (shard, rows, rejected) in enumerate(known))
        return
    noted = []
    for each in _stage_rows(domain.name, take_rows(domain, settings, seed, limit, tell), shard_size, staged):
        noted.append((each.fingerprint, each.rows, each.rejected))
        yield each
    if key:
        note_shards(staged, key, noted)


def _stage_rows(
    domain: str, rows: Iterator[SourceRow | Reject], shard_size: int, staged: StagedShards
) -> Iterator[SourceShard]:
    index = 0
    while batch := list(islice(rows, shard_size)):
        read = [row for row in batch if isinstance(row, SourceRow)]
        rejects = [row for row in batch if isinstance(row, Reject)]
        table = pa.Table.from_pylist(
            [
                {
                    "source": row.source,
                    "source_id": row.source_id,
                    "split": row.split,
                    "payload": json.dumps(row.payload, sort_keys=True, ensure_ascii=False),
                }
                for row in read
            ],
            schema=SOURCE_SCHEMA,
        )
        tables = {"sources": table, **tabulate_rejects(rejects)}
        key = fingerprint("sources", RUNNER_VERSION, domain, table.to_pylist(), [str(each) for each in rejects])
        rejected = count_rejects(rejects)
        if staged.find(key) is None:
            staged.write(key, tables, {"rejected": rejected})
        yield SourceShard(key, index, len(read), rejected)
        index += 1


def read_sources(shard: StagedShard) -> list[SourceRow]:
    """The rows of a staged source shard."""
    return [
        SourceRow(row["source"], row["source_id"], row["split"], json.loads(row["payload"]))
        for row in shard.read("sources").to_pylist()
    ]
