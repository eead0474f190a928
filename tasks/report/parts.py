"""The parts of a report that a browser unpacks when they come into view.

A part is JSON, deflated and in base64. Few parts stand in the page itself, so that the report is one file; many stand
in a folder beside it, as scripts that hand over one string each: a page that was opened from a disk may load a script,
but may read no other file.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import tempfile
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

SINGLE_FILE = 12_000_000
"""Characters of parts up to which a report is one file."""
_KEPT_NAME = re.compile(r"[0-9a-f]{12}")
_TEMPORARY = ".unfinished-"
_DAY_S = 86_400


@dataclass(frozen=True)
class Shelved:
    """Where a report's parts are."""

    inline: Mapping[str, str]
    """Name to content, for those that stand in the page."""
    folder: str
    """Where all others are, as the page refers to it; empty where none is."""


@dataclass(frozen=True)
class First:
    """The part that stands in the page as it is shown."""

    name: str
    html: str


def pack(value: Any) -> str:
    """``value`` as deflated JSON in base64."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(squeeze.compress(text) + squeeze.flush()).decode("ascii")


class Shelf:
    """Takes a report's parts, and decides whether they stand in the page or in ``folder``.

    A folder of parts is named by their content and appears whole. `sweep` removes those of earlier reports once the
    page refers to the new one, so that a report that is being read, or that is never finished, stays whole.
    """

    def __init__(self, folder: Path, single_file: int = SINGLE_FILE) -> None:
        self._folder, self._single_file = folder, single_file
        self._inline: dict[str, str] = {}
        self._temporary: Path | None = None
        self._size = 0
        self._digest = hashlib.sha256()
        self._kept = ""

    def put(self, name: str, value: Any) -> None:
        """Add the part called ``name``; no two may have one name."""
        content = pack(value)
        self._digest.update(f"{name}\0{content}\0".encode())
        self._size += len(content)
        if self._temporary is None and self._size > self._single_file:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._temporary = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=self._folder))
            for earlier, kept in self._inline.items():
                self._write(earlier, kept)
            self._inline.clear()
        if self._temporary is None:
            self._inline[name] = content
        else:
            self._write(name, content)

    def finish(self) -> Shelved:
        """Give the folder its name, where there is one."""
        if self._temporary is None:
            return Shelved(self._inline, "")
        name = self._digest.hexdigest()[:12]
        if (self._folder / name).exists():
            shutil.rmtree(self._temporary)
        else:
            self._temporary.chmod(0o755)
            self._temporary.rename(self._folder / name)
        self._temporary = None
        self._kept = name
        return Shelved({}, f"{quote(self._folder.name)}/{name}")

    def discard(self) -> None:
        """Remove what an unfinished report left."""
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def sweep(self) -> None:
        """Remove the folders of earlier reports, and what a killed one left behind a day ago."""
        if not self._folder.is_dir():
            return
        for each in self._folder.iterdir():
            dead = each.name.startswith(_TEMPORARY) and time.time() - each.stat().st_mtime > _DAY_S
            if dead or (_KEPT_NAME.fullmatch(each.name) and each.name != self._kept):
                shutil.rmtree(each)
        if not any(self._folder.iterdir()):
            self._folder.rmdir()

    def _write(self, name: str, content: str) -> None:
        assert self._temporary is not None
        text = f'receivePart("{name}","{content}")\n'
        (self._temporary / f"{name}.js").write_text(text, encoding="ascii", newline="\n")
