"""The rows of staged shards, read as a table's are: what a run is about to publish."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.errors import StorageError
from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.storage.schemas import PARTITION_COLUMN, TableName, from_table
from counterfoil.storage.staged import StagedShards


@dataclass(frozen=True)
class StagedRows:
    """Rows of ``shards``: partition (``contrasts/family=geometry.rule``) to the fingerprints of its shards."""

    staged: StagedShards
    shards: Mapping[str, Sequence[str]]

    def scan(
        self,
        table: TableName,
        columns: Sequence[str] | None = None,
        *,
        batch_size: int = 0,
        partition: str | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """The rows of one domain or family in the order of its shards; a shard of more than ``batch_size`` in parts.

        Raises:
            StorageError: a shard is gone or damaged.
        """
        key = f"{table}/{PARTITION_COLUMN[table]}={partition}"
        for fingerprint in self.shards.get(key, ()):
            shard = self.staged.peek(fingerprint)
            if shard is None:
                raise StorageError(f"shard {fingerprint[:12]} is gone: run again to make it anew")
            if shard.rows(key):
                found = shard.read(key) if columns is None else shard.pick(key, columns)
                yield from found.to_batches(batch_size or None)

    def get_anchors(self, anchor_ids: Sequence[str], domain: str | None = None) -> dict[str, Anchor]:
        """The anchors of these ids, by id; ids that no anchor has are absent."""
        found = (from_table(batch, "anchors") for batch in self._pick("anchors", anchor_ids, domain))
        return {anchor.anchor_id: anchor for anchors in found for anchor in anchors}

    def contrasts(self, family: str | None = None, anchor_ids: Sequence[str] | None = None) -> Iterator[Contrast]:
        """The contrasts of a family, or those of these anchors."""
        for batch in self._pick("contrasts", anchor_ids, family):
            yield from from_table(batch, "contrasts")

    def _pick(
        self, table: TableName, anchor_ids: Sequence[str] | None, partition: str | None
    ) -> Iterator[pa.RecordBatch]:
        wanted = None if anchor_ids is None else pa.array(anchor_ids, pa.string())
        for batch in self.scan(table, partition=partition):
            yield batch if wanted is None else batch.filter(pc.is_in(batch["anchor_id"], value_set=wanted))
