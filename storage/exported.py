"""A folder that is written for other tools: it appears under its name only when it is whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from counterfoil.storage.errors import StorageError
from counterfoil.storage.store import explain_os_error


@dataclass(frozen=True)
class Exported:
    """What an export wrote."""

    folder: Path
    rows: Mapping[str, int]
    files: int
    size: int
    """Bytes."""
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Rows that were not written, by reason."""
    grades: Mapping[str, int] = field(default_factory=dict)
    """The contrasts that were written, by grade."""

    def __str__(self) -> str:
        rows = ", ".join(f"{count} {table}" for table, count in self.rows.items())
        told = f"{rows} in {self.files} files, {self.size / 1e6:.1f} MB, in {self.folder}"
        if self.grades:
            told += f"; grades: {_count(self.grades)}"
        return f"{told}; left out: {_count(self.left_out)}" if self.left_out else told


def _count(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))


@contextmanager
def open_target(to: str | Path) -> Iterator[Path]:
    """A folder beside ``to`` to write into, which becomes ``to`` when the block ends and goes if it fails.

    Raises:
        StorageError: ``to`` is not empty, or the block met an error of the file system, such as a full disk.
    """
    target = Path(to).absolute()
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise StorageError(f"{target} is not empty: give a new or empty folder to export to")
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        temporary.rename(target)
    except OSError as error:
        raise explain_os_error(error, "exporting to", str(target)) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def describe_exported(
    to: str | Path,
    rows: Mapping[str, int],
    left_out: Mapping[str, int] | None = None,
    grades: Mapping[str, int] | None = None,
) -> Exported:
    """What an export left in its folder."""
    folder = Path(to).absolute()
    files = [path for path in folder.rglob("*") if path.is_file()]
    return Exported(
        folder, rows, len(files), sum(path.stat().st_size for path in files), dict(left_out or {}), dict(grades or {})
    )
