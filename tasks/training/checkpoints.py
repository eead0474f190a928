"""Checkpoints: everything that the next step depends on, in one file that is there whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch
from torch import Tensor, nn

from counterfoil.storage.plain import first_line
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.towers import list_trained

FOLDER = "checkpoints"
KEPT = 2
"""The last so many are kept: the newest may be of the run that is wanted back."""
_NAME = re.compile(r"step-(\d+)\.pt")


@dataclass(frozen=True)
class Checkpoint:
    """The state after ``step`` steps. Randomness is none of it: it follows from seed, step and rank."""

    step: int
    epoch: int
    batch: int
    """The next batch of the epoch."""
    run: str
    """Fingerprint of the settings and data that decide the course of the run."""
    parameters: dict[str, Tensor]
    """Of the towers: those that learn (adapters and the logit scale, where the rest is frozen)."""
    objective: dict[str, Tensor]
    optimiser: dict[str, Any]
    average: dict[str, Tensor]
    """The moving average of the weights; empty where none is kept."""
    cpu_seconds: float = 0.0
    """What the steps took of the process that leads, whichever processes did them; what was lost is not in it."""


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> Path:
    """Write a checkpoint, durably, and remove those before the last few."""
    target = folder / FOLDER / f"step-{checkpoint.step:08d}.pt"
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_suffix(f".{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        torch.save(asdict(checkpoint), file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(target)
    for old in list_checkpoints(folder)[:-KEPT]:
        old.unlink(missing_ok=True)
    for left in target.parent.glob("*.tmp"):
        left.unlink(missing_ok=True)
    return target


def list_checkpoints(folder: Path) -> list[Path]:
    """The checkpoints of a run, oldest first."""
    return sorted(path for path in (folder / FOLDER).glob("step-*.pt") if _NAME.fullmatch(path.name))


def load_checkpoint(path: Path, run: str) -> Checkpoint:
    """A checkpoint of the run whose fingerprint is ``run``.

    Raises:
        TrainingError: it cannot be read, or is of a run with other settings or data.
    """
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
        checkpoint = Checkpoint(**found)
    except (OSError, RuntimeError, TypeError, ValueError, EOFError, KeyError, UnpicklingError) as error:
        raise TrainingError(f"{path} is no checkpoint of ours ({first_line(error)}): remove it to go on") from error
    if checkpoint.run != run:
        raise TrainingError(
            f"{path} is of a run with other settings or other data: give this one another training.path, or remove "
            f"{path.parent} to begin anew"
        )
    return checkpoint


def restore_parameters(module: nn.Module, saved: Mapping[str, Tensor], where: str) -> None:
    """Put a checkpoint's parameters into the towers.

    Raises:
        TrainingError: they are another model's.
    """
    trained = dict(list_trained(module))
    missing, strange = sorted(set(trained) - set(saved)), sorted(set(saved) - set(trained))
    other = [name for name in trained if name in saved and trained[name].shape != saved[name].shape]
    if missing or strange or other:
        first = (missing or strange or other)[0]
        raise TrainingError(f"{where} is a checkpoint of another model: {first} differs")
    with torch.no_grad():
        for name, parameter in trained.items():
            parameter.copy_(saved[name])
