"""`counterfoil ablate`: towers that learnt from other negatives, each in the same language model, in one table.

A variant runs the three stages and the questions; each of them keeps what it finished, so an ablation that broke off
goes on where it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.flows.learning.answering import answer_all, describe_scores
from counterfoil.flows.learning.sft import read_sft, run_one_stage
from counterfoil.flows.learning.training import read_training, train_recipe
from counterfoil.flows.planning.recipe import Recipe, RecipeError, load_recipe
from counterfoil.flows.process.steps import find_progress
from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.sft.ablation import AblationSettings, Variant, list_variants
from counterfoil.tasks.sft.errors import SftError

RESULT, TABLE, PAGE = "variant.json", "table.json", "table.md"


def read_ablation(recipe: Recipe, where: str) -> tuple[AblationSettings, Path]:
    """A recipe's `[ablation]` section and the folder of its runs.

    Raises:
        RecipeError: it has none, or none of the sections that its stages need.
    """
    if recipe.ablation is None:
        raise RecipeError(f"{where} has no [ablation] section: it needs at least on = [...]; see docs/recipe.md")
    read_sft(recipe, where)
    read_training(recipe, where)
    if recipe.ablation.domain not in recipe.domains:
        raise RecipeError(f"{where}: ablation.domain is {recipe.ablation.domain!r}, and there is no such section")
    name = recipe.dataset.path.rstrip("/").rpartition("/")[2]
    return recipe.ablation, Path(recipe.ablation.path or f"models/{name}-ablation")


@dataclass(frozen=True)
class Steps:
    """How an ablation trains, tunes and asks: plainly, or as flows of their own, within a server's limits."""

    train: Callable[..., dict[str, Any]] = train_recipe
    tune: Callable[..., dict[str, Any]] = run_one_stage
    limited: Callable[[], AbstractContextManager[None]] = nullcontext


def ablate_recipe(recipe: str, overrides: Sequence[str] = (), steps: Steps | None = None) -> list[dict[str, Any]]:
    """Train towers on different negatives, put each into the same language model, ask all the same, and make the table.

    Raises:
        RecipeError, TrainingError, SftError: the recipe or its dataset does not allow it.
    """
    checked = load_recipe(recipe, overrides)
    settings, folder = read_ablation(checked, recipe)
    rows: list[dict[str, Any]] = []
    for table, variant in list_variants(settings):
        told = run_variant(checked, recipe, overrides, variant, folder / name_folder(variant), steps or Steps())
        rows.append({"table": table, "tower": variant.name, **told})
        write_table(rows, folder)
    return rows


def name_folder(variant: Variant) -> str:
    """The folder of a variant: one that stands in several tables has one."""
    return re.sub(r"[^a-z0-9]+", "-", variant.name)


def run_variant(
    recipe: Recipe, where: str, overrides: Sequence[str], variant: Variant, folder: Path, steps: Steps
) -> dict[str, Any]:
    """The scores of one variant; a finished one is not run again.

    Raises:
        SftError: its folder holds the variant of other settings.
    """
    settings, _ = read_ablation(recipe, where)
    key = fingerprint(recipe.dump(), variant.training, variant.data)
    done = _read_done(folder / RESULT, key)
    if done is not None:
        return done
    tower = train_tower(recipe, where, overrides, variant, folder, steps)
    sets = [*overrides, f"sft.vision={json.dumps(tower)}", f"sft.path={json.dumps(str(folder / 'lmm'))}"]
    told = [steps.tune(stage, where, sets) for stage in read_sft(recipe, where)[0].stages]
    with steps.limited():
        scores = answer_all(
            told[-1]["model"],
            settings.on,
            folder / "answers",
            images=Path(settings.images) if settings.images else None,
            endpoint=None,
            device=None,
            blind=True,
            robust=settings.robust,
            batch=settings.batch,
            most_tokens=settings.most_tokens,
            progress=find_progress(),
        )
    result = {"key": key, "vision": tower, **describe_scores(told[-1]["model"], scores)}
    (folder / RESULT).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return result


def _read_done(path: Path, key: str) -> dict[str, Any] | None:
    if not path.exists():
        return None
    done: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if done["key"] != key:
        raise SftError(f"{path.parent} holds a variant of other settings: name another ablation.path, or remove it")
    return done


def train_tower(
    recipe: Recipe, where: str, overrides: Sequence[str], variant: Variant, folder: Path, steps: Steps
) -> str:
    """The folder of the variant's tower, trained where it is to be; the recipe's own where it is taken as it is."""
    if variant.training is None:
        return read_sft(recipe, where)[0].vision
    trained = folder / "tower" / "trained.json"
    if not trained.exists():
        sets = [f"training.{name}={json.dumps(value)}" for name, value in variant.training.items()]
        sets.append(f"training.path={json.dumps(str(folder / 'tower'))}")
        if variant.data:
            domain = read_ablation(recipe, where)[0].domain
            path = f"{recipe.dataset.path.rstrip('/')}-{name_folder(variant)}"
            sets += [f"dataset.path={json.dumps(path)}"]
            sets += [f"{domain}.{name}={json.dumps(value)}" for name, value in variant.data.items()]
        told = steps.train(where, [*overrides, *sets], make=bool(variant.data))
        trained.write_text(json.dumps({"model": told["model"]}) + "\n", encoding="utf-8")
    return str(json.loads(trained.read_text(encoding="utf-8"))["model"])


def write_table(rows: Sequence[dict[str, Any]], folder: Path) -> None:
    """The table so far, as data and as a page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / TABLE).write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    (folder / PAGE).write_text(render_table(rows), encoding="utf-8")


def list_cells(row: dict[str, Any]) -> dict[str, str]:
    """The accuracies of a variant in percent, by question file, part and condition, each with its interval."""
    return {
        f"{named.partition(':')[0]} {score['part'] or 'all'}, {score['condition']}": (
            f"{100 * score['accuracy']:.1f} ({100 * score['low']:.1f} to {100 * score['high']:.1f})"
        )
        for named, scores in row["on"].items()
        for score in scores
        if score["condition"] != "blind" or not score["part"]
    }


def render_table(rows: Sequence[dict[str, Any]]) -> str:
    """The table in Markdown."""
    headings = list(dict.fromkeys(name for row in rows for name in list_cells(row)))
    lines = [f"| table | tower | {' | '.join(headings)} |", f"| {' | '.join(['---'] * (len(headings) + 2))} |"]
    for row in rows:
        cells = list_cells(row)
        told = " | ".join(cells.get(name, "–") for name in headings)
        lines.append(f"| {row['table']} | {row['tower']} | {told} |")
    return "\n".join(lines) + "\n"
