"""Reading the authors' files: a file, a row or a field that is not as it should be is named."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from counterfoil.storage.mistakes import word_mistake
from counterfoil.storage.plain import parse_json
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Picture


class FileRow(BaseModel):
    """A row of a file of others: fields that we do not read may be there."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


RowT = TypeVar("RowT", bound=FileRow)


def check_folder(name: str, folder: Path, wanted: Sequence[str]) -> None:
    """See that the folder is there and holds at least one of the ``wanted`` files.

    Raises:
        EvaluationError: it is not, or it does not.
    """
    if not folder.is_dir():
        raise EvaluationError(f"{name}: {folder} is no folder: give the one that holds {_list_some(wanted)}")
    if not any((folder / file).is_file() for file in wanted):
        raise EvaluationError(f"{name}: {folder} holds none of {', '.join(wanted)}: get them from the authors")


def find_files(name: str, folder: Path, pattern: str, fetch: str) -> list[Path]:
    """The files of a folder that a pattern names, sorted.

    Raises:
        EvaluationError: there is no folder, or none of them in it; ``fetch`` says what they are and whence.
    """
    if not folder.is_dir():
        raise EvaluationError(f"{name}: {folder} is no folder: fetch {fetch}")
    found = sorted(each for each in folder.glob(pattern) if each.is_file())
    if not found:
        raise EvaluationError(f"{name}: {folder} holds no {pattern.removeprefix('**/')}: fetch {fetch}")
    return found


def _list_some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")


def read_json(path: Path) -> Any:
    """The file's JSON.

    Raises:
        EvaluationError: it is not there, or no JSON.
    """
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise EvaluationError(f"{path} is not there") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise EvaluationError(f"{path} is no JSON: {error}") from error


def read_rows(path: Path, kind: type[RowT]) -> list[tuple[str, RowT]]:
    """The rows of a JSON list or object of rows, of JSON lines, of Parquet or of CSV, each with its key or number.

    Raises:
        EvaluationError: the file cannot be read, or a row lacks a field or has one of another kind.
    """
    return [(key, check_row(value, kind, f"{path}, {key}")) for key, value in _list_values(path)]


def _list_values(path: Path) -> Iterator[tuple[str, Any]]:
    if path.suffix == ".parquet":
        yield from _read_parquet(path)
    elif path.suffix == ".csv":
        yield from _read_csv(path)
    elif path.suffix == ".jsonl":
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError as error:
            raise EvaluationError(f"{path} is not there") from error
        for number, line in enumerate(lines, 1):
            if line.strip():
                try:
                    yield str(number), parse_json(line)
                except json.JSONDecodeError as error:
                    raise EvaluationError(f"{path}, line {number} is no JSON: {error}") from error
    else:
        values = read_json(path)
        if isinstance(values, dict):
            yield from values.items()
        elif isinstance(values, list):
            yield from ((str(number), value) for number, value in enumerate(values))
        else:
            raise EvaluationError(f"{path} holds neither a list nor an object of rows")


def _read_csv(path: Path) -> Iterator[tuple[str, Any]]:
    import csv

    try:
        with path.open(encoding="utf-8", newline="") as opened:
            for number, row in enumerate(csv.DictReader(opened), 2):
                yield f"line {number}", {name: value for name, value in row.items() if value not in (None, "")}
    except (UnicodeDecodeError, csv.Error) as error:
        raise EvaluationError(f"{path} is no CSV: {error}") from error


def _read_parquet(path: Path) -> Iterator[tuple[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        for number, row in enumerate(pq.read_table(path).to_pylist()):
            yield str(number), row
    except pa.ArrowInvalid as error:
        raise EvaluationError(f"{path} is no Parquet file: {error}") from error


def check_row(value: Any, kind: type[RowT], where: str) -> RowT:
    """The row as ``kind``.

    Raises:
        EvaluationError: with ``where`` and the field.
    """
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the row"
        has = f"; it has {', '.join(map(str, value))}" if isinstance(value, Mapping) else ""
        raise EvaluationError(f"{where}: {place}: {word_mistake(first)}{has}") from error


def find_picture(name: str, roots: Sequence[Path]) -> Picture:
    """The picture called ``name`` in the first folder that has it; where none has, it is missing from the first."""
    for root in roots:
        if (root / name).is_file():
            return Picture(name, root / name)
    return Picture(name, roots[0] / name)


def list_roots(folder: Path, images: Path | None, *subfolders: str) -> list[Path]:
    """Where pictures may lie: the folder named for them, or usual places beside the annotations.

    Raises:
        EvaluationError: the folder named for them is none.
    """
    if images is not None:
        if not images.is_dir():
            raise EvaluationError(f"--images {images} is no folder")
        return [images, *(images / each for each in subfolders)]
    return [folder / "images", *(folder / each for each in subfolders), folder]
