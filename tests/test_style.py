"""Rules for tests that no linter has: an assertion under an ``if`` may never be reached, so that it asserts nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent


def find_conditional(source: str) -> Iterator[int]:
    """Lines of ``if`` statements in test functions that have an assertion under them."""
    for test in ast.walk(ast.parse(source)):
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test"):
            for node in ast.walk(test):
                if isinstance(node, ast.If) and any(isinstance(each, ast.Assert) for each in ast.walk(node)):
                    yield node.lineno


@pytest.mark.parametrize("path", sorted(TESTS.rglob("test_*.py")), ids=lambda path: str(path.relative_to(TESTS)))
def test_no_assertion_stands_under_an_if(path: Path) -> None:
    assert list(find_conditional(path.read_text())) == []


def test_one_under_an_if_is_found() -> None:
    assert list(find_conditional("def test_it():\n    for x in []:\n        if x:\n            assert x\n")) == [3]
