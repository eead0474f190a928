"""A run's log: one JSON object a line, TensorBoard's files where it is installed, and Weights & Biases where asked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterfoil.storage.plain import first_line
from counterfoil.tasks.training.errors import TrainingError

LOG = "log.jsonl"


class RunLog:
    """Lines of a run, written through at once; a resumed run first drops those after its checkpoint.

    Args of the constructor: ``project`` of Weights & Biases (empty: none), in which a run of the same ``key`` goes on;
    ``settings`` are shown there.

    Raises:
        TrainingError: Weights & Biases is asked for and cannot be had.
    """

    def __init__(
        self,
        folder: Path,
        step: int,
        project: str = "",
        key: str = "",
        settings: Mapping[str, Any] | None = None,
        *,
        ended: bool = False,
    ) -> None:
        self.path = folder / LOG
        kept = [line for line in read_log(folder) if line["step"] <= step] if step else []
        if ended:  # the last score is told anew
            kept = [line for line in kept if (line["kind"], line["step"]) != ("score", step)]
        self.path.write_text("".join(map(_dump, kept)), encoding="utf-8")
        self._file = self.path.open("a", encoding="utf-8")
        self._board = _open_board(folder, step)
        self._wandb = _open_wandb(folder, project, key, settings or {}) if project else None

    def add(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        """Add a line of ``kind`` (train or score)."""
        self._file.write(_dump({"kind": kind, "step": step, **values}))
        self._file.flush()
        if self._board is not None:
            for name, value in values.items():
                if isinstance(value, int | float) and math.isfinite(value):
                    self._board.add_scalar(f"{kind}/{name}", value, step)
        if self._wandb is not None:
            self._wandb.log({f"{kind}/{name}": value for name, value in values.items()}, step=step)

    def close(self) -> None:
        """End the log."""
        self._file.close()
        if self._board is not None:
            self._board.close()
        if self._wandb is not None:
            self._wandb.finish()


def read_log(folder: Path) -> list[dict[str, Any]]:
    """The lines of a run's log; one that a killed run left in the middle is not there."""
    path = folder / LOG
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def _dump(line: Mapping[str, Any]) -> str:
    return json.dumps({name: _plain(value) for name, value in line.items()}) + "\n"


def _plain(value: Any) -> Any:
    """JSON has no NaN: what is not there is null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


def _open_board(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"), purge_step=step + 1)


def _open_wandb(folder: Path, project: str, key: str, settings: Mapping[str, Any]) -> Any:
    try:
        import wandb
    except ImportError as error:
        raise TrainingError(
            f"training.wandb = {project!r} needs Weights & Biases: pip install wandb, or leave the key out"
        ) from error
    try:
        return wandb.init(project=project, id=key[:16], resume="allow", dir=str(folder), config=dict(settings))
    except wandb.Error as error:
        raise TrainingError(
            f"training.wandb = {project!r}: {first_line(error)}. Log in with `wandb login`, or set WANDB_MODE=offline"
        ) from error
