"""A package with entry points, as pip would have left it in a folder on the path."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from counterfoil.tasks.engine import guests, reasons, registry


def write_package(folder: Path, package: str, entries: Mapping[str, Mapping[str, str]], **modules: str) -> None:
    """Write ``modules`` (name to source) and the metadata of ``package`` with its entry points by group."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    told = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in named.items()) for group, named in entries.items()]
    (told / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


@contextmanager
def installed(*folders: Path) -> Iterator[None]:
    """Have the packages in ``folders`` found, and no other guest, while the block runs; then they are forgotten."""
    before = set(sys.modules)

    def find(group: str) -> list[EntryPoint]:
        return [each for each in entry_points(group=group) if each.dist and Path(each.dist.locate_file("")) in folders]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guests, "entry_points", find)
        for folder in folders:
            patch.syspath_prepend(str(folder))
        forget()
        try:
            yield
        finally:
            for name in set(sys.modules) - before:
                origin = getattr(sys.modules[name], "__file__", None) or ""
                if any(origin.startswith(f"{folder}/") for folder in folders):
                    del sys.modules[name]
    forget()


def forget() -> None:
    """Look anew at what is installed."""
    importlib.invalidate_caches()
    for remembered in (guests.find_guests, registry.load_domain, registry._note, reasons.load_reasons):
        remembered.cache_clear()
