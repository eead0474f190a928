"""The bytes of a picture that a source row names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from counterfoil.tasks.caption.sources.files import FileError, FileTooLargeError, locate
from counterfoil.tasks.caption.sources.pictures import MAX_BYTES, PictureError


def fetch_picture(reference: Mapping[str, Any], root: Path, images: Path | None) -> bytes:
    """The bytes: a file below ``images`` (else beside the source), a member of a tar file, or a cell of a table.

    Raises:
        PictureError: there is no such picture; the message begins with the reason's code.
    """
    base = root if root.is_dir() else root.parent
    try:
        if "tar" in reference:
            return _read_member(_join(base, reference["tar"], root), reference["offset"], reference["size"])
        if "parquet" in reference or "arrow" in reference:
            return _read_cell(_join(base, reference.get("parquet") or reference["arrow"], root), reference)
        return locate(images or base, reference["file"], MAX_BYTES).read_bytes()
    except FileTooLargeError as error:
        raise PictureError(f"picture_too_large: {error}") from error
    except FileError as error:
        raise PictureError(f"picture_missing: {error}") from error
    except (OSError, KeyError, pa.ArrowException) as error:
        raise PictureError(f"picture_missing: {_tell(reference)}: {error}") from error


def _join(base: Path, name: str, root: Path) -> Path:
    return base / name if root.is_dir() else root


def _read_member(path: Path, offset: int, size: int) -> bytes:
    """A member by its place: a tar file has no index, and reading it through for each picture would not end."""
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(min(size, MAX_BYTES + 1))


def _read_cell(path: Path, reference: Mapping[str, Any]) -> bytes:
    name = reference["column"]
    if "arrow" in reference:
        with pa.memory_map(str(path)) as mapped, pa.ipc.open_stream(mapped) as batches:
            group = next(each for number, each in enumerate(batches) if number == reference["group"])
            value = group[name][reference["row"]].as_py()
    else:
        value = pq.ParquetFile(path).read_row_group(reference["group"], columns=[name])[name][reference["row"]].as_py()
    data = value.get("bytes") if isinstance(value, dict) else value
    if not isinstance(data, bytes):
        raise PictureError("picture_missing: the cell holds no bytes")
    return data


def _tell(reference: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in reference.items())
