"""JSON files of a folder that are written row by row."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import IO, Any


class JsonFiles:
    """Files by name, opened when they get their first row: ``.jsonl`` has a row a line, any other is a list of rows.

    Lists end, and files are closed, with the ``with`` block.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open: dict[str, IO[str]] = {}

    def __enter__(self) -> JsonFiles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name, file in self._open.items():
            if not name.endswith(".jsonl"):
                file.write("\n]\n")
            file.close()

    def add(self, name: str, row: Any) -> None:
        """Write one row to the file of that name.

        Raises:
            OSError: the file cannot be written.
        """
        line = json.dumps(row, ensure_ascii=False)
        begun = name in self._open
        if not begun:
            self._open[name] = (self._folder / name).open("w", encoding="utf-8")
        self._open[name].write(f"{line}\n" if name.endswith(".jsonl") else (",\n" if begun else "[\n") + line)
