"""The linter of prose: what it reads, what it leaves out, and where it says that something is wrong."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from tests.needing import skip_without

skip_without("proselint", reason="prose is checked with an extra: pip install 'counterfoil[lint]'")
TOOL = Path(__file__).parents[1] / "docs" / ".tools" / "prose.py"


@pytest.fixture(scope="module")
def prose() -> ModuleType:
    spec = importlib.util.spec_from_file_location("prose", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find(prose: ModuleType, text: str, *, toml: bool = False) -> list[tuple[int, str]]:
    return sorted(set(prose.lint(text, prose.list_checks(), toml=toml)))


def test_a_private_word_is_found_with_its_line_and_what_to_write(prose: ModuleType) -> None:
    ((line, message),) = find(prose, "# Audit\n\nEach figure stands\nbeside its chance.\n")
    assert line == 4
    assert message.startswith("'beside': say: next to")


@pytest.mark.parametrize(
    "text",
    [
        "A check named `beside_true`.",
        "A check whose name wraps, `beside\ntrue`, is code.",
        'Such as "a cat beside a dog".',
        'A caption that wraps: "a cat sits\nbeside a dog".',
        "```\nthe anchor told\n```",
        "1. So:\n\n   ```sh\n   echo told\n   ```",
        "[the audit](told.md) and <a id='beside'>it</a>",
    ],
)
def test_code_quotes_and_targets_are_no_prose(prose: ModuleType, text: str) -> None:
    assert find(prose, text) == []


def test_what_is_blanked_keeps_every_place(prose: ModuleType) -> None:
    text = 'One `two` "three"\n```\nfour\n```\nfive\n'
    blanked = prose.blank(text)
    assert len(blanked) == len(text) and blanked.count("\n") == text.count("\n")
    assert blanked.split() == ["One", "five"]


def test_prose_between_two_quotes_is_read(prose: ModuleType) -> None:
    assert [line for line, _ in find(prose, 'From "one" it is told,\nto "two".\n')] == [1]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("It reads; it writes; it ends.", [1]),
        ("It reads;\nit writes\nand closes; it ends.", [3]),
        ("It reads; it writes. It closes; it ends.", []),
        ("- one;\n- two;\n- three.", []),
        ("| a; b; c; d | e; f |", []),
        ("Quotes &quot;of HTML&quot; end.", []),
        ("See `a; b; c`.", []),
    ],
)
def test_a_chain_of_semicolons_is_found_in_sentences_alone(prose: ModuleType, text: str, lines: list[int]) -> None:
    assert [line for line, message in find(prose, text) if "semicolons" in message] == lines


def test_the_sentences_of_a_toml_file_are_read_and_its_keys_are_not(prose: ModuleType) -> None:
    text = (
        'told_by_sight = "It is seen."\ntoo_long = "It is longer than\\"told\\" allows."\nnear = "It lies beside it."\n'
    )
    assert [line for line, _ in find(prose, text, toml=True)] == [3]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("`L2` leaks:\n- a name.\n- a size.", [2]),
        ("It leaks:\n\n- a name\n  of two lines\n- a size.", []),
        ("## What leaks\n1. A name.", []),
        ("```yaml\nleaks:\n- name\n```", []),
    ],
)
def test_a_list_that_hangs_on_a_paragraph_is_found(prose: ModuleType, text: str, lines: list[int]) -> None:
    assert [line for line, message in find(prose, text) if "empty line" in message] == lines


def test_padding_is_found(prose: ModuleType) -> None:
    assert len(find(prose, "This is first of all a test.")) == 1


def test_pages_of_rows_are_left_out(prose: ModuleType, tmp_path: Path) -> None:
    for name in ("gallery.md", "report.md"):
        (tmp_path / name).write_text("A dog beside a cat.", encoding="utf-8")
    assert [path.name for path in prose.list_files([str(tmp_path)])] == ["report.md"]
