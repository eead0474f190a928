"""`counterfoil audit`: how well a blind model tells contrasts from anchors, printed and kept beside the dataset."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table

from counterfoil.flows.showing.terminal import print_json
from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.audit.tells.measure import audit_dataset
from counterfoil.tasks.audit.tells.stored import describe_audits, keep_audits
from counterfoil.tasks.tells.compare import FEWEST_BLOCKS
from counterfoil.tasks.tells.figures import Share
from counterfoil.tasks.tells.measure import FamilyAudit

_TOLD = 6
"""Tells printed for a family."""


def audit_tables(
    url: str,
    families: Sequence[str],
    *,
    most: int | None,
    workers: int,
    language_model: str | None,
    progress: Callable[[str, int, int], None],
) -> list[FamilyAudit]:
    """Audit the families, all if none is named, and keep the figures beside the dataset.

    Raises:
        AuditError, StorageError: the dataset cannot be audited.
        EncoderError, MissingPackageError: there is no such language model.
    """
    audits = audit_dataset(url, families, most=most, workers=workers, language_model=language_model, progress=progress)
    keep_audits(Dataset(url), audits)
    return audits


def show_audits(audits: Sequence[FamilyAudit], out: Console, *, as_json: bool) -> None:
    """Print the figures: as JSON, those of all judges; else a table of the strongest ones', and what tells most."""
    if as_json:
        print_json(describe_audits(audits))
        return
    table = Table("family", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    table.add_column("with", no_wrap=True)
    for heading in ("anchors", "blind %", "AUC %", "first %", "in set %", "chance"):
        table.add_column(heading, justify="right", no_wrap=True)
    for each in audits:
        table.add_row(*_list_cells(each))
    out.print(table)
    out.print(
        "with: what of the anchors the judge compares. blind: how often a judge that sees one side alone recognises "
        "the contrast next to its anchor (chance: 50 %). first: how often the anchor scores higher than all its "
        "contrasts. in set: how often a judge that sees the whole set, without the question, identifies the anchor.",
        highlight=False,
        soft_wrap=True,
    )
    for each in audits:
        out.print(_describe_family(each), markup=False, highlight=False, soft_wrap=True)


def _list_cells(each: FamilyAudit) -> list[str]:
    if each.strongest is None:
        return [each.family, each.beside, _count_anchors(each), "–", "–", "–", "–", "–"]
    figures = each.strongest.figures
    in_set = _span(each.sets[0].figures.picked) if each.sets else "–"
    shown = [_span(figures.pairwise), f"{100 * figures.auc.value:.1f}", _span(figures.picked), in_set]
    return [each.family, each.beside, _count_anchors(each), *shown, f"{100 * figures.chance:.1f}"]


def _count_anchors(each: FamilyAudit) -> str:
    """How many were read, and of how many where it was not all."""
    return f"{each.anchors:,}" if each.anchors >= each.having else f"{each.anchors:,} of {each.having:,}"


def _describe_family(each: FamilyAudit) -> str:
    kind = "" if each.role == "negative" else f" ({each.role})"
    if each.strongest is None:
        return f"{each.family}{kind}: not judged, as it has under {FEWEST_BLOCKS} source rows"
    told = "; ".join(f"{tell.name} {100 * tell.alone:.1f} %" for tell in each.tells[:_TOLD])
    lines = [
        f"{each.family}{kind}: {each.contrasts:,} rows compared with {each.beside}, by {each.strongest.judge}. "
        f"Best cues: {told}"
    ]
    if each.halves:
        lines.append(f"  {each.halves[0].judge}: blind accuracy {_span(each.halves[0].figures.pairwise)}")
    if each.sets:
        first = each.sets[0]
        by_chance = f"chance {100 * first.figures.chance:.1f}"
        lines.append(f"  anchor identified in its set, by {first.judge}: {_span(first.figures.picked)}, {by_chance}")
    if each.fluent:
        first = each.fluent[0]
        lines.append(f"  by a {first.judge}: the anchor's text is likelier in {_span(first.figures.pairwise)}")
    inverted = each.list_inverted()
    if inverted:
        lines.append(f"  inverted (as much of a cue): under chance by {', '.join(inverted)}")
    return "\n".join(lines)


def _span(share: Share) -> str:
    half = max(share.high - share.value, share.value - share.low)
    return f"{100 * share.value:.1f} ± {100 * half:.1f}"
