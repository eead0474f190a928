"""A folder of pictures with a text file beside each: ``dog.jpg`` and ``dog.txt``, one caption a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from counterfoil.storage.rows import Reject
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.sources.files import MAX_TEXT, FileError, list_files, locate
from counterfoil.tasks.caption.sources.pairs import PICTURES
from counterfoil.tasks.caption.sources.records import FieldError, Record, make_reject, make_row, read_captions, take
from counterfoil.tasks.contract.columns import Remark
from counterfoil.tasks.contract.domain import SourceError, SourceRow


def read_folder(
    path: str, _settings: CaptionSettings, _seed: int, limit: int | None
) -> Iterator[SourceRow | Reject | Remark]:
    """The pictures of a folder and all below it, in the order of their names.

    Raises:
        SourceError: no such folder, or it has no pictures.
    """
    root = Path(path)
    if not root.is_dir():
        raise SourceError(f'{path}: no such folder: give [caption] source = "folder:PATH" an existing folder')
    files = list(list_files(root, PICTURES))
    if not files:
        raise SourceError(f"{path}: the folder has no picture ({', '.join(PICTURES)})")

    def read() -> Iterator[SourceRow | Reject]:
        for file in files:
            name = str(file.relative_to(root))
            if file.suffix.lower() not in PICTURES:
                yield make_reject(name, "file_refused: a link to a folder is not followed", name)
                continue
            beside = file.with_suffix(".txt")
            try:
                text = locate(root, beside.relative_to(root), MAX_TEXT).read_text(encoding="utf-8-sig")
            except FileNotFoundError:
                yield make_reject(name, f"no_caption: there is no {beside.name} beside it", name)
                continue
            except FileError as error:
                yield make_reject(name, f"file_refused: the captions: {error}", name)
                continue
            except (OSError, UnicodeDecodeError) as error:
                yield make_reject(name, f"bad_record: {beside.name}: {error}", name)
                continue
            try:
                record = Record(name, read_captions(text.splitlines(), beside.name), {"file": name})
            except FieldError as error:
                yield make_reject(name, str(error), name)
                continue
            yield make_row("folder", record)

    yield from take(read(), limit)
