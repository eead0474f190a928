"""Every numeric example in a docstring is true."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = re.compile(r"^ *>>> (?!.*doctest: \+SKIP)", re.M)


def list_modules() -> list[str]:
    folders = [ROOT / "counterfoil", *sorted(path for path in (ROOT / "counterfoil").iterdir() if path.is_dir())]
    files = [*folders[0].glob("*.py"), *(path for folder in folders[1:] for path in sorted(folder.rglob("*.py")))]
    named = [path.relative_to(ROOT) for path in files if EXAMPLE.search(path.read_text(encoding="utf-8"))]
    return [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in named]


@pytest.mark.parametrize("name", list_modules())
def test_examples_in_docstrings_hold(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0, f"{name} has an example that doctest does not find"
    assert result.failed == 0
