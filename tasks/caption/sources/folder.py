"""A folder of pictures with a text file beside each: ``dog.jpg`` and ``dog.txt``, one caption a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from storage.rows import Reject
from tasks.caption.settings import CaptionSettings
from tasks.caption.sources.pairs import PICTURES
from tasks.caption.sources.records import Record, make_reject, make_row, take
from tasks.contract.domain import SourceError, SourceRow


def read_folder(path: str, settings: CaptionSettings, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    """The pictures of a folder and all below it, in the order of their names.

    Raises:
        SourceError: no such folder, or it has no pictures.
    """
    root = Path(path)
    if not root.is_dir():
        raise SourceError(f'{path}: no such folder: give [caption] source = "folder:PATH" an existing folder')
    files = sorted(each for each in root.rglob("*") if each.suffix.lower() in PICTURES and each.is_file())
    if not files:
        raise SourceError(f"{path}: the folder has no picture ({', '.join(PICTURES)})")

    def read() -> Iterator[SourceRow | Reject]:
        for file in files:
            name = str(file.relative_to(root))
            beside = file.with_suffix(".txt")
            try:
                captions = tuple(beside.read_text(encoding="utf-8-sig").splitlines())
            except FileNotFoundError:
                yield make_reject(name, f"no_caption: there is no {beside.name} beside it", name)
                continue
            except (OSError, UnicodeDecodeError) as error:
                yield make_reject(name, f"bad_record: {beside.name}: {error}", name)
                continue
            yield make_row("folder", Record(name, captions, {"file": name}), settings.test_share, seed)

    yield from take(read(), limit)
