"""`counterfoil audit`: how well a blind model tells contrasts from anchors, printed and kept beside the dataset."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from storage.dataset import Dataset
from tasks.audit.tells.figures import Share
from tasks.audit.tells.measure import FEWEST_BLOCKS, FamilyAudit, audit_dataset
from tasks.audit.tells.stored import describe_audits, keep_audits

_TOLD = 6
"""Tells printed for a family."""


def audit_tables(
    url: str, families: Sequence[str], *, most: int, workers: int, progress: Callable[[str, int, int], None]
) -> list[FamilyAudit]:
    """Audit the families, all if none is named, and keep the figures beside the dataset.

    Raises:
        AuditError, StorageError: the dataset cannot be audited.
    """
    audits = audit_dataset(url, families, most=most, workers=workers, progress=progress)
    keep_audits(Dataset(url), audits)
    return audits


def show_audits(audits: Sequence[FamilyAudit], out: Console, *, as_json: bool) -> None:
    """Print the figures: as JSON, those of all judges; else a table of the strongest ones', and what tells most."""
    if as_json:
        print(json.dumps(describe_audits(audits), ensure_ascii=False))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("family", "beside", "judge"):
        table.add_column(heading, no_wrap=True)
    for heading in ("anchors", "rows", "told from its anchor", "AUC", "anchor picked", "by chance"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in audits:
        table.add_row(*_list_cells(each))
    out.print(table)
    for each in audits:
        told = "; ".join(f"{tell.name} {_percent(tell.alone)}" for tell in each.tells[:_TOLD])
        if told:
            out.print(f"{each.family}: {told}", markup=False, highlight=False, soft_wrap=True)


def _list_cells(each: FamilyAudit) -> list[str]:
    name = each.family + ("" if each.role == "negative" else f" ({each.role})")
    counts = [f"{each.anchors:,}", f"{each.contrasts:,}"]
    if each.strongest is None:
        return [name, each.beside, f"under {FEWEST_BLOCKS} sources", *counts]
    figures = each.strongest.figures
    shown = [_span(figures.pairwise), _span(figures.auc), _span(figures.picked), _percent(figures.chance)]
    return [name, each.beside, each.strongest.judge, *counts, *shown]


def _span(share: Share) -> str:
    half = max(share.high - share.value, share.value - share.low)
    return f"{_percent(share.value)} ± {100 * half:.1f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
