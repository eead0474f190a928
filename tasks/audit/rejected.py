"""What was thrown away is checked as far as it says what can be known: its id, whose it is, where from, by whom."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from counterfoil.storage.parquet import UNREADABLE
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import Reject
from counterfoil.storage.schemas import from_table
from counterfoil.storage.staged import split_key
from counterfoil.tasks.audit.derived import Origin, judge_provenance
from counterfoil.tasks.audit.survey import Failure, Survey, word_error
from counterfoil.tasks.engine.registry import load_domain

ROWS_AT_ONCE = 256


def find_misrejected(snapshot: Snapshot, found: Survey, origins: Mapping[str, Origin]) -> Iterator[Failure]:
    """Rejects whose id is not that of what they hold, or which name a family, an anchor, a source or an author that the
    dataset has not."""
    for file in snapshot.files("rejects") if "rejects" in found.readable else ():
        family = split_key(file.key)[1]
        name = family.partition(".")[0]
        if name not in origins or file.key in found.unread or file.path in found.older:
            continue
        whole = "anchors" in found.readable and f"anchors/domain={name}" not in found.unread
        unmade = f"{name}.anchor"
        anchors = frozenset(found.anchors.get(name, ())) if whole and family != unmade else None
        if family not in (*load_domain(name).families, unmade):
            yield Failure("rejects", file.key, (f"unknown_family: {family}",))
        for first in range(0, file.rows, ROWS_AT_ONCE):
            count = min(ROWS_AT_ONCE, file.rows - first)
            try:
                table = snapshot.read_rows("rejects", file, first, count)
                rejects = from_table(table, "rejects")
            except (*UNREADABLE, TypeError) as error:
                where = f"{file.path}, rows {first} to {first + count - 1}"
                yield Failure("rejects", where, (f"damaged: {word_error(error)}",))
                continue
            for row_id, reject in zip(table["reject_id"].to_pylist(), rejects, strict=True):
                if reasons := tuple(_judge(reject, row_id, anchors, origins[name])):
                    yield Failure("rejects", str(row_id), reasons)


def _judge(reject: Reject, row_id: str | None, anchors: Collection[str] | None, origin: Origin) -> Iterator[str]:
    if row_id != reject.reject_id:
        yield f"wrong_id: the id is not the hash of the row's content, which is {reject.reject_id}"
    if anchors is not None and reject.anchor_id is not None and reject.anchor_id not in anchors:
        yield f"no_anchor: it names anchor {reject.anchor_id}, which is not in the table"
    if reject.source not in origin.sources:
        yield f"wrong_source: no run of the dataset has the source {reject.source}"
    yield from judge_provenance(reject.provenance, origin, finds=True)
