"""What `counterfoil.run` and `counterfoil.verify` do in their child process."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from counterfoil.making import Run
from counterfoil.tasks.audit import verify
from counterfoil.tasks.audit.verify import Verification

if TYPE_CHECKING:
    from counterfoil.tasks.engine.publishing import RunSummary


def make_recipe(path: str | None, text: str | None, overrides: list[str], limit: int | None, quiet: bool) -> Run:
    """Make the dataset of a recipe file, or of a recipe's ``text``."""
    from counterfoil.flows.commands.making import run_recipe
    from counterfoil.flows.planning.asking import confirm_price
    from counterfoil.flows.planning.checks import check_before
    from counterfoil.flows.planning.limiting import limit_recipe
    from counterfoil.flows.planning.recipe import load_recipe
    from counterfoil.tasks.showing.terminal import EscapingConsole

    with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder:
        file = Path(path or Path(folder) / "recipe.toml")
        if text is not None:
            file.touch(0o600)
            file.write_text(text, encoding="utf-8")
        recipe = limit_recipe(load_recipe(file, overrides), limit)
        check_before(recipe)
        err = EscapingConsole(stderr=True, quiet=quiet)
        confirm_price(recipe.author, True, err)
        return _describe(run_recipe(str(file), overrides, limit, console=err), recipe.dataset.path)


def _describe(summary: RunSummary, dataset: str) -> Run:
    totals = summary.totals.values()
    return Run(
        dataset,
        {name: count for each in totals for name, count in sorted(each.accepted.items())},
        {name: dict(codes) for each in totals for name, codes in sorted(each.rejected.items())},
        dict(summary.published.versions),
        summary.published.changed,
        summary.sandbox_level,
    )


def verify_dataset(dataset: str, workers: int) -> Verification:
    """Check every row of a dataset."""
    return verify.verify_dataset(dataset, workers=workers)
