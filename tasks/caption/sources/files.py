"""Files that a source names: each lies below the source's folder, is ordinary, and is no larger than it may be."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from counterfoil.tasks.contract.domain import SourceError

MAX_TEXT = 1_000_000
"""Bytes of a file, member or line that holds one picture's captions."""


class FileError(ValueError):
    """The file is not read. The message says why."""


class FileTooLargeError(FileError):
    """It is larger than such a file is."""


def locate(base: Path, name: str | Path, most: int) -> Path:
    """The file ``name`` below ``base``, followed to where it lies, of at most ``most`` bytes.

    Raises:
        FileTooLargeError: it is larger.
        FileError: it leads out of ``base`` (by a link, ``..`` or an absolute path), is no ordinary file (a pipe or a
            device would be waited for without end).
        FileNotFoundError: it is not there.
    """
    try:
        path = (base / name).resolve()
        if not path.is_relative_to(base.resolve()):
            raise FileError(f"{str(name)!r} leads out of the folder {base.name!r}")
        found = path.stat()
    except (ValueError, RuntimeError) as error:
        # A zero byte in the name, or links in a circle.
        raise error if isinstance(error, FileError) else FileError(f"{str(name)!r}: {error}") from error
    if not stat.S_ISREG(found.st_mode):
        raise FileError(f"{str(name)!r} is no ordinary file")
    if found.st_size > most:
        raise FileTooLargeError(f"{str(name)!r} has {found.st_size:,} bytes, over {most:,}")
    return path


def list_files(root: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """What ends so below ``root``, whatever it is but a folder, in the order of the names. Links to folders are not
    followed; they are among what is found, to be refused."""
    found = []
    for folder, folders, names in os.walk(root):
        found += [Path(folder, name) for name in names if Path(name).suffix.lower() in endings]
        found += [Path(folder, name) for name in folders if Path(folder, name).is_symlink()]
    yield from sorted(found)


def open_source(path: str | Path, form: str) -> Path:
    """The file that a recipe names as its source; a link is followed, since the recipe's author set it.

    Raises:
        SourceError: there is none, or it is no ordinary file.
    """
    file = Path(path)
    if not file.exists():
        raise SourceError(f'{path}: no such file: give [caption] source = "{form}" an existing file')
    if not file.is_file():
        raise SourceError(f'{path}: no ordinary file: give [caption] source = "{form}" one')
    return file
