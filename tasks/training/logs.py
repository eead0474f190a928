"""A run's log: one JSON object a line, and TensorBoard's files where it is installed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LOG = "log.jsonl"


class RunLog:
    """Lines of a run, written through at once; a resumed run first drops those after its checkpoint."""

    def __init__(self, folder: Path, step: int) -> None:
        self.path = folder / LOG
        kept = [line for line in read_log(folder) if line["step"] <= step] if step else []
        self.path.write_text("".join(map(_dump, kept)), encoding="utf-8")
        self._file = self.path.open("a", encoding="utf-8")
        self._board = _open_board(folder, step)

    def add(self, kind: str, step: int, values: Mapping[str, Any]) -> None:
        """Add a line of ``kind`` (train or score)."""
        self._file.write(_dump({"kind": kind, "step": step, **values}))
        self._file.flush()
        if self._board is not None:
            for name, value in values.items():
                if isinstance(value, int | float) and math.isfinite(value):
                    self._board.add_scalar(f"{kind}/{name}", value, step)

    def close(self) -> None:
        """End the log."""
        self._file.close()
        if self._board is not None:
            self._board.close()


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
