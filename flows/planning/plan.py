"""`counterfoil plan`: what a run would make and take, from a sample, and what it would ask of its author, counted
without a request."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from counterfoil.flows.planning.checks import list_authorless
from counterfoil.flows.planning.recipe import Recipe, load_recipe
from counterfoil.storage.identity import find_identity
from counterfoil.storage.store import Store
from counterfoil.tasks.engine.process import find_answers_folder
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.sampling import ROWS, Estimate, count_and_choose, estimate_domain
from counterfoil.tasks.llm.plan import FamilyDemand, PlanRow, RequestPlan, RowCost, plan_requests
from counterfoil.tasks.llm.prices import describe_unknown


def print_plan(recipe: Path, overrides: Sequence[str], limit: int | None, out: Console) -> None:
    """Print source rows, requests by prompt, tokens, USD and time.

    Raises:
        RecipeError, SourceError, AuthorError: the recipe, its source or its price table cannot be read.
    """
    checked = load_recipe(recipe, overrides)
    rows, estimates, plan = _plan(checked, limit)
    for name, count in rows.items():
        out.print(f"{name}: {count:,} source rows", highlight=False)
    for line in list_authorless(checked):
        out.print(f"no anchor would come of it: {line}", style="yellow", markup=False, soft_wrap=True)
    if plan is None:
        _print_estimates(estimates, checked, out)
        out.print("author: procedural, no requests, 0 USD", highlight=False)
        return
    _print(plan, checked, out)
    if checked.author.look is not None:
        shown = f"{checked.author.look.rows} rows of each family and shard"
        out.print(f"not counted: {shown}, shown to {checked.author.look.model}", highlight=False)


def describe_plan(recipe: Path, overrides: Sequence[str], limit: int | None) -> dict[str, Any]:
    """The same as plain data; ``requests`` is None where nothing is asked."""
    checked = load_recipe(recipe, overrides)
    rows, estimates, plan = _plan(checked, limit)
    return {
        "source_rows": rows,
        "estimates": [asdict(each) for each in estimates],
        "warnings": list_authorless(checked),
        "author": checked.author.kind,
        "requests": asdict(plan) if plan is not None else None,
    }


def _plan(recipe: Recipe, limit: int | None) -> tuple[dict[str, int], list[Estimate], RequestPlan | None]:
    """Source rows by domain, what a sample of them came to, and what would be asked; of a procedural author nothing is
    asked, and of a language model nothing is sampled: its rows cost."""
    rows: dict[str, int] = {}
    estimates: list[Estimate] = []
    authorless = list_authorless(recipe)
    for name in recipe.domains:
        read = load_domain(name).read(recipe.domains[name], recipe.dataset.seed, limit)
        rows[name], chosen = count_and_choose(read, recipe.dataset.seed)
        if recipe.author.kind == "procedural" and not authorless:
            estimates += estimate_domain(
                name,
                recipe.settings(name),
                recipe.families(name),
                rows[name],
                chosen,
                seed=recipe.dataset.seed,
                author=recipe.author.model_dump(mode="json"),
                sandbox=recipe.dataset.sandbox,
                refine=recipe.audit.refine,
            )
    if recipe.author.kind == "procedural":
        return rows, estimates, None
    demands = [demand for name, count in rows.items() for demand in _list_demands(recipe, name, count)]
    path = recipe.dataset.path
    return (
        rows,
        [],
        plan_requests(recipe.author, demands, work=find_answers_folder(path), scope=find_identity(Store(path))),
    )


def _print_estimates(estimates: Sequence[Estimate], recipe: Recipe, out: Console) -> None:
    if not estimates:
        return
    table = Table("", box=None, pad_edge=False, padding=(0, 1))
    for heading in ("rows", "CPU time", "disk"):
        table.add_column(heading, justify="right", no_wrap=True)
    notes: dict[str, list[str]] = {}
    for each in estimates:
        rows = "?" if each.rows is None else f"{each.rows:,}"
        table.add_row(each.name, rows, write_seconds(each.cpu_s), write_bytes(each.bytes))
        if each.note:
            notes.setdefault(each.note, []).append(each.name)
    cpu_s = sum(each.cpu_s or 0.0 for each in estimates)
    table.add_row("all", "", write_seconds(cpu_s), write_bytes(sum(each.bytes or 0 for each in estimates)))
    out.print(table)
    for note, names in notes.items():
        out.print(f"{', '.join(names)}: {note}", highlight=False, soft_wrap=True)
    workers = recipe.dataset.workers or os.cpu_count() or 1
    about = f"about {write_seconds(cpu_s / workers)} on {workers} workers"
    out.print(f"estimated from at most {ROWS} source rows that were made: {about}", highlight=False)


def write_seconds(seconds: float | None) -> str:
    """CPU time as people write it.

    >>> [write_seconds(each) for each in (None, 4.26, 75, 8000)]
    ['', '4.3 s', '1.2 min', '2.2 h']
    """
    if seconds is None:
        return ""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def write_bytes(size: int | None) -> str:
    """Bytes as people write them.

    >>> [write_bytes(each) for each in (None, 900, 2_500_000, 3_000_000_000)]
    ['', '0.0 MB', '2.5 MB', '3.0 GB']
    """
    if size is None:
        return ""
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


def _list_demands(recipe: Recipe, name: str, rows: int) -> list[FamilyDemand]:
    domain = load_domain(name)
    families = {each: domain.families[each] for each in recipe.families(name)}
    prompts = domain.find_source(recipe.domains[name])[0].prompts
    demands = [FamilyDemand(f"{name}.anchor", rows, prompts)] if prompts else []
    asked: set[int] = set()
    for family_name, family in families.items():
        if family.make_llm is None or id(family.make) in asked:
            continue  # made without a request, or by the requests of a family before it
        asked.add(id(family.make))
        negatives = family.count(recipe.domains[name]) or 0
        together = tuple(other for other, each in families.items() if each.make is family.make)
        demands.append(FamilyDemand(family_name, rows, tuple(family.prompts), negatives, together=together))
    return demands


def _print(plan: RequestPlan, recipe: Recipe, out: Console) -> None:
    # Numbers are never cut: at 80 columns there is room for nine digits beside the longest prompt.
    table = Table("prompt", box=None, pad_edge=False, padding=(0, 1))
    table.columns[0].no_wrap = True
    for heading in ("requests", "tokens in", "tokens out", "USD"):
        table.add_column(heading, justify="right", no_wrap=True)
    family = ""
    for row in plan.rows:
        if row.family != family:
            table.add_row(f"{row.family}:")
            family = row.family
        table.add_row(f"  {row.prompt_id}", *_write_numbers(row))
    table.add_row("all", *_write_numbers(plan))
    out.print(table)
    _print_costs(plan.costs, out)
    bases = dict.fromkeys(row.basis for row in plan.rows)
    out.print(f"tokens estimated from: {', '.join(bases) or 'nothing'}", highlight=False)
    if plan.reasoning_tokens:
        counted = f"of the output {plan.reasoning_tokens:,} tokens are reasoning"
        assumed = ", which is assumed: run with --limit 5 first and plan again" if plan.assumes_reasoning else ""
        out.print(f"{counted}{assumed}", highlight=False)
    author = recipe.author
    out.print(f"author: {author.kind} {author.model} at {author.address}", highlight=False, soft_wrap=True)
    if plan.usd is None and plan.requests:
        out.print(f"{describe_unknown(author)}", highlight=False, soft_wrap=True, markup=False)
    if plan.requests:
        known = None if plan.seconds is None else f"{plan.seconds / 60:.1f} minutes, as {plan.limited_by} allows"
        out.print(f"time: {known or f'unknown: {plan.limited_by}'}", highlight=False)
    out.print(
        f"answered already: {plan.answered:,} of these prompts' requests, which are not asked or paid again and not "
        f"counted above. Spent so far: {plan.spent_usd:.4f} USD. Source rows that several anchors come of count once.",
        highlight=False,
    )


def _print_costs(costs: Sequence[RowCost], out: Console) -> None:
    for each in costs:
        judged = (each.accepted or 0) + each.rejected
        basis = "if every row is accepted" if each.accepted is None else f"{each.accepted:,} of {judged:,} accepted"
        spent = "none yet for " if each.accepted == 0 else ""
        cost = f"{spent}{each.tokens:,.0f} tokens, {_write_usd(each.usd)} USD"
        told = f"an accepted row of {each.family}: {cost} ({basis}; {', '.join(each.prompts)}; {each.model})"
        out.print(told, highlight=False, soft_wrap=True, markup=False)


def _write_numbers(row: PlanRow | RequestPlan) -> tuple[str, str, str, str]:
    return f"{row.requests:,}", f"{row.input_tokens:,}", f"{row.output_tokens:,}", _write_usd(row.usd)


def _write_usd(usd: float | None) -> str:
    return "unknown" if usd is None else f"{usd:,.4f}"
