"""What to tell, and what to keep, of a domain whose rows became no anchor at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.engine.jobs import DomainRun
from counterfoil.tasks.engine.rows import reason_code
from counterfoil.tasks.engine.session import Session

TOLD = 3
"""Reasons that are told, the most frequent ones."""
WIDTH = 300


def describe_no_anchor(session: Session, run: DomainRun) -> str:
    """Why no row became an anchor: how often each reason was given, and the first row of each in words."""
    counts: Counter[str] = Counter()
    first: dict[str, tuple[str, str]] = {}
    rows = 0
    for fingerprint in [*(shard.fingerprint for shard in run.sources), *(shard.made_by for shard in run.anchors)]:
        shard = session.pipeline.staged.find(fingerprint)
        key = f"rejects/family={run.domain}.anchor"
        if shard is None or key not in shard.files:
            continue
        for row in shard.read(key, ["reasons", "source_id"]).to_pylist():
            rows += 1
            for reason in row["reasons"]:
                counts[reason_code(reason)] += 1
                first.setdefault(reason_code(reason), (row["source_id"], reason))
    source = session.recipe.domains[run.domain].source
    if not rows:
        return f"{run.domain}.source = {source} has no row"
    lines = [f"no anchor came of the {rows} rows of {run.domain}.source = {source}"]
    for code, count in counts.most_common(TOLD):
        source_id, reason = first[code]
        lines.append(f"  {count} x {reason[:WIDTH]} (row {source_id})")
    return "\n".join(lines)


def keep_rejects(session: Session, barren: Collection[str], metadata: dict[str, object]) -> str:
    """Show what was thrown away to `explain` and the report, where the dataset has no anchors to lose.

    ``barren`` are the domains of which every row was judged and none became an anchor. A domain whose stage broke off
    keeps what it staged for the next run, and shows nothing.
    """
    dataset = Dataset(session.recipe.dataset.path)
    there = dataset.snapshot().partitions("anchors") if dataset.exists() else []
    rejects: dict[str, list[str]] = {}
    for domain in sorted(set(barren) - set(there)):
        key = f"rejects/family={domain}.anchor"
        rejects[key] = session.runs[domain].list_partitions(True)[key]
    if not rejects:
        return ""
    dataset.publish(rejects, metadata=metadata, expect=session.began)
    return f"`counterfoil explain {session.recipe.dataset.path} ROW` prints everything about one row"
