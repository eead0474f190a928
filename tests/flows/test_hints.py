"""Every command that a message, a hint or a help text names is one that works as it stands."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from counterfoil.flows.cli import app
from tests.flows.prepared import ROW, prepare

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


@cache
def build_app() -> Any:
    """The command line, built once for all of its lines."""
    return typer.main.get_command(app)


@cache
def list_hints() -> list[tuple[str, str]]:
    """Where each command is named, and the command."""
    found = set()
    for folder in ("counterfoil", "flows", "tasks", "storage", "renderers", "prompts"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "`counterfoil" not in path.read_text(encoding="utf-8"):
                continue
            for text in list_texts(path):
                found |= {(str(path.relative_to(ROOT)), line) for line in COMMAND.findall(text)}
    return sorted(found)


@cache
def list_examples() -> list[tuple[str, str]]:
    """The examples of every command's help."""

    def walk(group: Any, name: str) -> Iterator[tuple[str, str]]:
        for each in getattr(group, "commands", {}).values():
            yield from walk(each, f"{name} {each.name}".strip())
        yield from ((name, line) for line in COMMAND.findall((group.help or "").partition("Example")[2]))

    return sorted(walk(build_app(), ""))


def resolve_command(line: str) -> tuple[Any, list[str]]:
    """The command that the line names, and the words that it is given."""
    words = shlex.split(line)[1:]
    words = words[: words.index(">")] if ">" in words else words
    group: Any = build_app()
    context = typer.Context(group, info_name="counterfoil")
    words = [] if words[:1] == ["filled"] else words
    while hasattr(group, "commands") and words and not words[0].startswith("-"):
        _, command, words = group.resolve_command(context, words)
        assert command is not None
        group = command
    return group, [*words]


def check_command(line: str) -> None:
    """The command's words are parsed as by the command line: an option or argument too few or too many is an error.

    A command that is named alone, as in "`counterfoil families` lists them", must exist.
    """
    command, words = resolve_command(line)
    if words:
        command.make_context(command.name, words, parent=typer.Context(command, info_name="counterfoil"))


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


NOT_RUN = {
    "answer": "it asks a language model that `sft` tuned",
    "deploy": "it needs a Prefect server of its own, and cores that tests share",
    "push": "it writes to the Hugging Face Hub",
    "serve": "it serves until it is stopped",
    "review": "it serves until it is stopped",
    "sft": "it tunes a language model of the Hugging Face Hub",
    "report --clip": "it looks with models of the Hugging Face Hub",
    "ablate": "it trains a tower for each family, hours with what its recipe names",
    "reproduce": "it trains for each row of the paper's tables, many minutes at the least scale",
    "evaluate": "it needs a model of some use and the files of SugarCrepe",
}
"""Commands that no test here runs as they are printed, and why."""
FILLED = {
    "counterfoil explain filled ROW": "counterfoil explain data/demo ROW",
    "counterfoil history filled": "counterfoil history data/demo",
    "counterfoil regenerate filled --dataset filled": "counterfoil regenerate flowchart.code --dataset data/demo",
}
"""Hints with what is filled in when they are printed, here of the folder's dataset."""
NAMED = {
    "DATASET": "data/demo",
    "RECIPE": "recipes/demo.toml",
    "ROW": ROW,
    "NAME": "demo",
    "FILE": "mine.toml",
    "FOLDER": "out",
}
"""What stands for the reader's own."""
EXIT = {"audit": (0, 1)}
"""Where 1 is an answer: a family is over the limit."""
RUNS = {"run", "regenerate", "pipeline"}
"""Commands that ask a Prefect server."""
SLOW = RUNS | {"pack", "train", "audit", "report"}


def name_command(line: str) -> str:
    """The command's name, with the option that makes it need what is not here."""
    words = shlex.split(line)
    return "report --clip" if words[1] == "report" and "--clip" in words else words[1]


def list_runs() -> list[Any]:
    """Every example, and every hint that says more than a command's name, as pytest's parameters."""
    lines = {line for _, line in list_examples()}
    lines |= {line for _, line in list_hints() if resolve_command(line)[1]}
    return [
        pytest.param(line, marks=[pytest.mark.slow] if name_command(line) in SLOW else [])
        for line in sorted(lines)
        if name_command(line) not in NOT_RUN
    ]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    before = Path.cwd()
    os.chdir(folder)
    try:
        prepare(folder)
    finally:
        os.chdir(before)
    return folder


@pytest.mark.parametrize("line", list_runs())
def test_every_example_and_hint_runs_as_it_stands(line, prepared, tmp_path, monkeypatch, counterfoil, request):
    server = request.getfixturevalue("prefect_server") if name_command(line) in RUNS else {}
    folder = tmp_path / "folder"
    shutil.copytree(prepared, folder)
    for name, mine in NAMED.items():
        line = re.sub(rf"\b{name}\b", mine, FILLED.get(line, line))
    monkeypatch.chdir(folder)
    words, _, file = line.partition(" > ")
    given = [each for word in shlex.split(words)[1:] for each in [*map(str, Path().glob(word))] or [word]]
    done = counterfoil(*given, check=False, **server)
    if file:
        Path(file).write_text(done.stdout)
    assert done.returncode in EXIT.get(name_command(line), (0,)), f"{line}\n{done.stdout}{done.stderr}"
    assert "Traceback" not in done.stderr


def test_what_is_not_run_is_named_and_is_there():
    every = {line for _, line in [*list_examples(), *list_hints()] if len(shlex.split(line)) > 2}
    assert {name_command(line) for line in every} >= NOT_RUN.keys() - {"review"}
    assert {line for line in every if "filled" in shlex.split(line)} == FILLED.keys()
