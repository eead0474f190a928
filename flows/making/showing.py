"""What a run made and what there is to make, as tables for people and as plain data for programs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from counterfoil.tasks.engine.reasons import explain_reason
from counterfoil.tasks.engine.registry import OURS, find_package, load_domains
from counterfoil.tasks.tells.gate import tell_gate

if TYPE_CHECKING:
    from counterfoil.tasks.engine.publishing import RunSummary

TOLD = 4
"""Reasons shown of each family, the most frequent ones."""
WHOLE = 10
"""Families and anchors that have a line each; of a run of more, each domain has one."""
EXPLAINED = 3
"""Reasons that are explained in a sentence; docs/reference-reasons.md has all."""


def list_family_facts() -> list[dict[str, Any]]:
    """Every family as plain data."""
    return [
        {
            "family": family.name,
            "role": family.role,
            "modality": family.modality,
            "how": family.how,
            "paper": family.paper,
            "authors": ["procedural", "LLM"] if family.make_llm else ["procedural"],
            "package": find_package(family.name),
        }
        for domain in load_domains()
        for family in domain.families.values()
    ]


def print_families(out: Console) -> None:
    """Print every family: what it makes, how, by which paper, and its package where some are not ours."""
    facts = list_family_facts()
    guests = ["package"] if any(each["package"] != OURS for each in facts) else []
    table = Table("family", "makes", "how", "paper", "authors", *guests, box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    if guests:
        table.columns[-1].no_wrap = True
    for each in facts:
        makes = f"{each['role']} {each['modality']}"
        table.add_row(
            each["family"],
            makes,
            each["how"],
            each["paper"],
            ", ".join(each["authors"]),
            *(each[key] for key in guests),
        )
    out.print(table)


def describe_run(summary: RunSummary, dataset: str) -> dict[str, Any]:
    """What a run made as plain data: accepted and rejected rows, tables' versions, the sandbox's level."""
    totals = summary.totals.values()
    return {
        "dataset": dataset,
        "accepted": {name: count for each in totals for name, count in sorted(each.accepted.items())},
        "rejected": {name: dict(codes) for each in totals for name, codes in sorted(each.rejected.items())},
        "changed": summary.published.changed,
        "versions": dict(summary.published.versions),
        "sandbox_level": summary.sandbox_level,
        "gate": dict(summary.gate),
    }


def print_run(summary: RunSummary, dataset: str, out: Console, *, gate: bool = True) -> None:
    """Print what a run made, by family, or by domain where these are many, and where it is; with ``gate``, what the
    gate found, which a run that is watched has said already."""
    table = Table("", "accepted", "rejected", "most frequent reasons", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    met: dict[str, tuple[str, int]] = {}
    whole = sum(len(totals.accepted) for totals in summary.totals.values()) <= WHOLE
    domains: dict[str, tuple[list[str], Counter[str]]] = {}
    for totals in summary.totals.values():
        for name, accepted in sorted(totals.accepted.items()):
            domain, _, family = name.partition(".")
            codes = totals.rejected.get(name) or totals.rejected.get(f"{name}.anchor") or Counter()
            for code, count in codes.most_common(TOLD):
                met[code] = (domain, met.get(code, ("", 0))[1] + count)
            parts, together = domains.setdefault(name if whole else domain, ([], Counter()))
            parts.append(f"{accepted:,}" if whole else f"{family or 'anchors'} {accepted:,}")
            together.update(codes)
    for name, (parts, codes) in domains.items():
        reasons = ", ".join(f"{code} {count:,}" for code, count in codes.most_common(TOLD))
        table.add_row(name, ", ".join(parts), f"{codes.total():,}", reasons)
    out.print(table)
    for code, (domain, _) in sorted(met.items(), key=lambda each: -each[1][1])[:EXPLAINED]:
        said = explain_reason(code, domain)
        if said:
            out.print(f"{code}: {said}", markup=False, highlight=False, soft_wrap=True)
    if met:
        out.print("all reasons: docs/reference-reasons.md", highlight=False, soft_wrap=True)
    for line in tell_gate(summary.gate) if gate else ():
        out.print(line, markup=False, highlight=False, soft_wrap=True)
    out.print(f"dataset: {dataset}", highlight=False, soft_wrap=True)
