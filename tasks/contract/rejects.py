"""What could not become a row, as rejects of one shape for every domain."""

from __future__ import annotations

import json

from counterfoil.storage.rows import Anchor, Contrast, Provenance, Reject
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.family import NOBODY


def reject_source(
    domain: str,
    row: SourceRow,
    *reasons: str,
    raw: str | None = None,
    anchor_id: str | None = None,
    provenance: Provenance = NOBODY,
) -> Reject:
    """A source row of which no anchor came. ``raw`` is the code or answer that failed."""
    return Reject(
        f"{domain}.anchor",
        reasons,
        source=row.source,
        source_id=row.source_id,
        anchor_id=anchor_id,
        source_row=json.dumps(dict(row.payload), sort_keys=True, ensure_ascii=False),
        raw=raw,
        provenance=provenance,
    )


def reject_contrast(
    family: str,
    anchor: Anchor,
    *reasons: str,
    contrast: Contrast | None = None,
    raw: str | None = None,
    provenance: Provenance = NOBODY,
) -> Reject:
    """A contrast of ``anchor`` that failed its checks, or that could not even be formed."""
    return Reject(
        family,
        reasons,
        source=anchor.source,
        source_id=anchor.source_id,
        anchor_id=anchor.anchor_id,
        contrast=contrast,
        raw=raw,
        provenance=provenance,
    )
