"""What a run noted of its shards, so that the next one need not find it out again.

Sources that make up their rows by number are the same as long as settings and code are; so are merged anchors.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from counterfoil.storage.rows import fingerprint
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.contract.domain import Domain

PACKAGES = ("counterfoil.tasks", "counterfoil.renderers", "counterfoil.storage")
"""Whose files decide what a source makes up, beside those of the domain's own package."""


def name_source(domain: Domain[Any], settings: Any, *cut: int | None) -> str:
    """A fingerprint of all that decides what a source makes up, and how it is ``cut``; "" for one that reads data, as
    only reading tells whether that was changed."""
    if domain.find_source(settings)[0].target != "N":
        return ""
    return fingerprint("source rows", domain.name, _stamp_code(domain), settings.model_dump(mode="json"), cut)


def recall_shards(staged: StagedShards, key: str) -> list[list[Any]] | None:
    """What is noted under ``key``, a list of plain data for each shard; None where nothing is."""
    found = staged.find(key)
    return [*found.meta["shards"]] if found is not None else None


def note_shards(staged: StagedShards, key: str, noted: Sequence[Sequence[Any]]) -> None:
    """Note shards for `recall_shards`."""
    staged.write(key, {}, {"shards": [[*each] for each in noted]})


def _stamp_code(domain: Domain[Any]) -> str:
    own = sys.modules[domain.settings_type.__module__].__file__
    roots = [path for package in PACKAGES for path in importlib.import_module(package).__path__]
    return fingerprint("code", sys.version, [_list_stamps(root) for root in (*roots, str(Path(str(own)).parent))])


@cache  # what this process imports is not imported again
def _list_stamps(folder: str) -> list[tuple[str, int, int]]:
    """Path, size and time of change of each file below a folder."""
    stamps = []
    for entry in os.scandir(folder):
        if entry.is_dir():
            stamps += _list_stamps(entry.path) if entry.name != "__pycache__" else []
        else:
            stamps.append((entry.path, entry.stat().st_size, entry.stat().st_mtime_ns))
    return sorted(stamps)
