"""What was thrown away is checked as far as it says what can be known: its id, whose it is, where from, by whom, and
that what is stored as a picture can be shown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from counterfoil.renderers.raster import find_odd_form
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import Reject
from counterfoil.storage.staged import split_key
from counterfoil.tasks.audit.derived import Origin, judge_provenance
from counterfoil.tasks.audit.places import read_places
from counterfoil.tasks.audit.survey import Failure, Rows, Survey
from counterfoil.tasks.engine.offers import PICTURE_FORM
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.rows import reason_code

ROWS_AT_ONCE = 256


def find_misrejected(
    snapshot: Snapshot, found: Survey, origins: Mapping[str, Origin], *, digests: bool = False
) -> Iterator[Failure]:
    """Rejects that are damaged, whose id is not that of what they hold, or which name a family, an anchor, a source or
    an author that the dataset has not. With ``digests`` also those that are altered."""
    for file in snapshot.files("rejects") if "rejects" in found.readable else ():
        family = split_key(file.key)[1]
        name = family.partition(".")[0]
        if name not in origins or file.path in found.shut:
            continue
        whole = "anchors" in found.readable and f"anchors/domain={name}" not in found.unread
        unmade = f"{name}.anchor"
        anchors = frozenset(found.anchors.get(name, ())) if whole and family != unmade else None
        if family not in (*load_domain(name).families, unmade):
            yield Failure("rejects", file.key, (f"unknown_family: {family}",))
        for first in range(0, file.rows, ROWS_AT_ONCE):
            places = [Rows("rejects", file, first, min(ROWS_AT_ONCE, file.rows - first))]
            failures: list[Failure] = []
            for row_id, reject in read_places(snapshot, places, failures, digests=digests):
                if reasons := tuple(_judge(reject, row_id, anchors, origins[name])):
                    yield Failure("rejects", row_id or f"{file.path}, a row without reject_id", reasons)
            yield from failures


def _judge(reject: Reject, row_id: str | None, anchors: Collection[str] | None, origin: Origin) -> Iterator[str]:
    if not reject.reasons or not all(reject.reasons):
        return  # the survey told of it
    if row_id != reject.reject_id:
        yield f"wrong_id: the id is not the hash of the row's content, which is {reject.reject_id}"
    if anchors is not None and reject.anchor_id is not None and reject.anchor_id not in anchors:
        yield f"no_anchor: it names anchor {reject.anchor_id}, which is not in the table"
    if reject.source not in origin.sources:
        yield f"wrong_source: no run of the dataset has the source {reject.source}"
    picture = reject.contrast.image if reject.contrast is not None else None
    told = any(reason_code(reason) == PICTURE_FORM for reason in reject.reasons)
    if picture is not None and not told and (odd := find_odd_form(picture.bytes)):
        yield f"{PICTURE_FORM}: {odd}"
    yield from judge_provenance(reject.provenance, origin, finds=True)
