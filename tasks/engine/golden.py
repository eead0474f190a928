"""The rows of a domain's example by a digest of their bytes, so that a change of rows without a change of version is
found. A domain keeps its table beside its tests, as JSON, ours and those of other packages alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from counterfoil.storage.rows import Anchor, Contrast, fingerprint
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain, SourceRow
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.registry import group_families
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts

SEED = 7
LEAST = 3
"""Anchors at most, where a source makes many of a row."""


def digest_domain(domain: Domain[Any], families: Sequence[str] = ()) -> dict[str, str]:
    """Digests of what ``domain`` makes of its example, by ``domain.anchors@version`` and ``family@version of its
    anchors.its own``; of ``families`` alone, or all. A family that makes nothing has none.
    """
    settings = domain.settings_type.model_validate(dict(domain.example))
    renderer = MemoRenderer()
    context: Context[Any] = Context(settings, SEED, renderer, bounds=domain.bounds)
    try:
        rows = [row for row in domain.read(settings, SEED, None) if isinstance(row, SourceRow)]
        made = [anchor for row in rows for anchor in make_anchors(domain, row, context) if isinstance(anchor, Anchor)]
        anchors = made[: max(LEAST, len(rows))]
        digests = {f"{domain.name}.anchors@{domain.version}": _digest(anchors)}
        ready: dict[int, Context[Any]] = {id(None): context}
        for group in group_families(domain, list(families or domain.families)):
            # Groups may share a preparation; as in a run, it is made once.
            prepare = group[0].prepare
            if prepare is not None and id(prepare) not in ready:
                ready[id(prepare)] = prepare_here(prepare, [anchors], context)
            contrasts = [row for anchor in anchors for row in make_contrasts(group, anchor, ready[id(prepare)])]
            for family in group:
                own = [row for row in contrasts if isinstance(row, Contrast) and row.family == family.name]
                if own:
                    digests[f"{family.name}@{domain.version}.{family.version}"] = _digest(own)
        return digests
    finally:
        renderer.close()


def _digest(rows: Sequence[Any]) -> str:
    plain = [asdict(replace(row, provenance=replace(row.provenance, code_version=""))) for row in rows]
    # What a column of later says of nearly all rows is left out, so that digests are those of before there was one.
    usual = {"views": (), "grade": "proved", "witness": None, "changes": None, "steps": None}
    return fingerprint([{k: v for k, v in row.items() if k not in usual or v != usual[k]} for row in plain])[:16]
