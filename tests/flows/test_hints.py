"""Every command that a message, a hint or a help text names is one that the command line takes as it stands."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from flows.cli import app

ROOT = Path(__file__).resolve().parents[2]
USAGE_ERROR = typer.BadParameter.__bases__[0]
"""Of the copy of click that typer brings."""
COMMAND = re.compile(r"`(counterfoil(?: [^`]+)?)`")


def list_texts(path: Path) -> Iterator[str]:
    """The strings of a module that are no docstrings; what is filled in when they are printed stands as `filled`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    skipped = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    skipped |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "filled" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def list_hints() -> list[tuple[str, str]]:
    """Where each command is named, and the command."""
    found = set()
    for folder in ("counterfoil", "flows", "tasks", "storage", "renderers", "prompts"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for text in list_texts(path):
                found |= {(str(path.relative_to(ROOT)), line) for line in COMMAND.findall(text)}
    return sorted(found)


def list_examples() -> list[tuple[str, str]]:
    """The examples of every command's help."""

    def walk(group: Any, name: str) -> Iterator[tuple[str, str]]:
        for each in getattr(group, "commands", {}).values():
            yield from walk(each, f"{name} {each.name}".strip())
        yield from ((name, line) for line in COMMAND.findall((group.help or "").partition("Example")[2]))

    return sorted(walk(typer.main.get_command(app), ""))


def check_command(line: str) -> None:
    """The command's words are parsed as by the command line: an option or argument too few or too many is an error.

    A command that is named alone, as in "`counterfoil families` lists them", must exist.
    """
    words = shlex.split(line)[1:]
    words = words[: words.index(">")] if ">" in words else words
    group: Any = typer.main.get_command(app)
    context = typer.Context(group, info_name="counterfoil")
    alone = len(words) <= 1 or words[0] == "filled"
    words = [] if words[:1] == ["filled"] else words
    while hasattr(group, "commands") and words and not words[0].startswith("-"):
        _, command, words = group.resolve_command(context, words)
        assert command is not None
        group = command
    if not alone:
        group.make_context(group.name, [*words], parent=context)


@pytest.mark.parametrize(("where", "line"), list_hints())
def test_every_hint_is_a_command_that_works_as_it_stands(where, line):
    try:
        check_command(line)
    except USAGE_ERROR as error:
        pytest.fail(f"{where}: `{line}`: {error.format_message()}")


@pytest.mark.parametrize(("command", "line"), list_examples())
def test_every_example_of_a_help_text_is_taken_and_is_of_its_command(command, line):
    check_command(line)
    assert shlex.split(line)[1 : 1 + len(command.split())] == command.split()


def test_there_are_hints_and_every_command_has_an_example():
    assert len(list_hints()) > 30
    commands = {name for name, _ in list_examples()}
    assert {"run", "regenerate", "restore", "verify", "plan", "vacuum", "diff", "history"} <= commands


def test_a_hint_with_an_option_too_few_is_found():
    with pytest.raises(USAGE_ERROR, match="dataset"):
        check_command("counterfoil regenerate flowchart.code")
