"""Packing and training: from a recipe's tables to a model, its curves, and a note beside the dataset.

The work is in `tasks.training`; here the recipe is resolved, processes are started, and what came of it is shown.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.flows.planning.recipe import Recipe, RecipeError, load_recipe
from counterfoil.flows.process.steps import Progress, find_progress
from counterfoil.storage.rows import content_id
from counterfoil.storage.store import Store
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.settings import TrainingSettings

if TYPE_CHECKING:
    from counterfoil.tasks.training.loop import Trained
    from counterfoil.tasks.training.packing.manifest import Manifest

PACKED = "packed"
NOTES = "models"
"""Folder of a dataset with a note on each model that was trained on it."""


def read_training(recipe: Recipe, where: str) -> tuple[TrainingSettings, Path]:
    """A recipe's `[training]` section and the folder of its run.

    Raises:
        RecipeError: it has none.
    """
    if recipe.training is None:
        raise RecipeError(f"{where} has no [training] section: docs/recipe.md lists its keys; an empty one will do")
    name = recipe.dataset.path.rstrip("/").rpartition("/")[2]
    return recipe.training, Path(recipe.training.path or f"models/{name}")


def pack_recipe(recipe: Recipe, where: str, progress: Progress = lambda *_: None) -> tuple[Manifest, Path]:
    """Pack the recipe's dataset for its training; what is packed so already is kept.

    Raises:
        RecipeError, TrainingError: the recipe or the dataset does not allow it.
    """
    from counterfoil.tasks.training.packing.pack import pack_dataset

    settings, folder = read_training(recipe, where)
    manifest = pack_dataset(
        recipe.dataset.path,
        str(folder / PACKED),
        settings,
        sources={name: recipe.settings(name) for name in recipe.domains},
        seed=recipe.dataset.seed,
        workers=recipe.dataset.workers or os.cpu_count() or 1,
        progress=progress,
    )
    return manifest, folder / PACKED


def train_here(recipe: Recipe, where: str, progress: Progress = lambda *_: None) -> Trained:
    """Train in this process, alone or as torchrun started it; shards must be packed.

    Raises:
        RecipeError, TrainingError: see `counterfoil.tasks.training.loop.train`.
    """
    from counterfoil.tasks.training.loop import train

    settings, folder = read_training(recipe, where)
    return train(str(folder / PACKED), settings, folder, lambda _, total, loss: progress(f"train {loss:.3f}", 1, total))


def train_with_processes(recipe: str, overrides: Sequence[str], processes: int) -> None:
    """Train in so many processes of this machine, by torchrun.

    Raises:
        TrainingError: one of them failed; what it said is on the terminal.
    """
    sets = [part for override in overrides for part in ("--set", override)]
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    done = subprocess.run([*command, "-m", "counterfoil", "train", recipe, *sets], check=False, start_new_session=True)
    if done.returncode:
        raise TrainingError(f"a training process ended with code {done.returncode}: see above")


def train_recipe(recipe: str, overrides: Sequence[str] = (), processes: int = 1, make: bool = False) -> dict[str, Any]:
    """Pack a recipe's dataset, train on it, score on what was held out, and note the model beside the dataset.

    ``processes`` are of this machine, one for each GPU; with ``make`` what is missing of the dataset is made first.

    Raises:
        RecipeError, TrainingError: the recipe or the dataset does not allow it.
    """
    if make:
        from counterfoil.flows.making.plain import make_recipe

        make_recipe(recipe, overrides)
    pack_recipe(load_recipe(recipe, overrides), recipe, find_progress())
    return train_packed(recipe, overrides, processes)


def train_packed(recipe: str, overrides: Sequence[str], processes: int) -> dict[str, Any]:
    """Train on what is packed, and note the model beside the dataset."""
    checked = load_recipe(recipe, overrides)
    settings, folder = read_training(checked, recipe)
    if processes > 1:
        train_with_processes(recipe, overrides, processes)
    else:
        train_here(checked, recipe, find_progress())
    return note_model(checked, settings, folder)


def note_model(recipe: Recipe, settings: TrainingSettings, folder: Path) -> dict[str, Any]:
    """Draw the curves, and keep beside the dataset what was trained on which of its versions."""
    from counterfoil.tasks.training.curves import CURVES, draw_curves
    from counterfoil.tasks.training.loop import RESULT

    result: dict[str, Any] = json.loads((folder / RESULT).read_text(encoding="utf-8"))
    (folder / CURVES).write_bytes(draw_curves(folder, f"{settings.objective} on {recipe.dataset.path}"))
    told = {**result, "settings": settings.model_dump(mode="json")}
    name = content_id("model", told)
    Store(recipe.dataset.path).write(
        f"{NOTES}/{name}.json", (json.dumps(told, indent=1, sort_keys=True) + "\n").encode()
    )
    return {**result, "curves": str(folder / CURVES), "note": f"{recipe.dataset.path}/{NOTES}/{name}.json"}


def list_scores(trained: dict[str, Any]) -> list[dict[str, Any]]:
    """Held-out accuracy before and after, a row for each kind of negatives."""
    before, after = trained["before"] or {}, trained["after"] or {}
    words = {"texts": "among its negative texts", "images": "among its negative pictures", "both": "among both"}
    rows = [
        {
            "anchor first": said,
            "before": before.get(name),
            "after": after.get(name),
            "after, of training anchors": after.get(f"seen_{name}"),
            "anchors": after.get("anchors"),
        }
        for name, said in words.items()
        if isinstance(after.get(name), float) and after[name] == after[name]
    ]
    found = before.get("directions", {})
    return rows + [
        {
            "anchor first": f"{direction}, among all",
            "before": found.get(direction, (None,))[0],
            "after": share,
            "after, of training anchors": None,
            "anchors": count,
        }
        for direction, (share, count) in after.get("directions", {}).items()
    ]


def describe_packed(manifest: Manifest, folder: Path) -> list[str]:
    """Lines for the user on what was packed."""
    told = manifest.told
    splits = ", ".join(f"{split} {manifest.count(split):,}" for split in manifest.splits)
    lines = [f"packed: {folder}: {told['anchors']:,} anchors ({splits}) at {manifest.resolution} px"]
    if told.get("pictures"):
        same = told["pictures"] - told["different_pictures"]
        lines.append(f"pictures: {told['different_pictures']:,}; {same:,} more were equal to one of these")
    for kind, over in told["over_limit"].items():
        count = told["texts"][kind]
        if over:
            lines.append(f"{over:,} of {count:,} {kind} ({100 * over / count:.1f} %) are over {manifest.limit} tokens")
    equal = ", ".join(f"{family} {count:,}" for family, count in sorted(told["equal_after_cut"].items()))
    if equal:
        lines.append(f"negatives dropped, as the model would read them as their anchor: {equal}")
    unshown = ", ".join(f"{count:,} {grade}" for grade, count in sorted(told["grades"].items()))
    if unshown:
        lines.append(f"contrasts left out, as nothing shows that they are what they say: {unshown} (training.grades)")
    out = ", ".join(f"{count:,} {reason}" for reason, count in told["left_out"].items())
    return [*lines, f"anchors left out: {out}"] if out else lines
