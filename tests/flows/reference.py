"""Pages of reference, written from the code: commands, families, columns, reasons. See `tests.flows.test_generated`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import typer

from counterfoil.flows.cli import app
from counterfoil.flows.making.showing import list_family_facts
from counterfoil.storage.changes import KINDS
from counterfoil.storage.schemas import SCHEMAS
from counterfoil.tasks.engine.reasons import load_reasons
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, load_domain

MADE = "This page is written from the code itself (`python -m tests.flows.test_generated`)."


def cell(text: str) -> str:
    """A text as a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|")


def write_page(title: str, *lines: str) -> str:
    return "\n".join([f"# {title}", "", MADE, "", *lines]) + "\n"


def write_commands() -> str:
    """Every command with what it takes."""
    return write_page("Commands", *_list_commands(typer.main.get_command(app), "counterfoil"))


def _list_commands(command: Any, name: str) -> Iterator[str]:
    if name != "counterfoil":
        yield from [f"## `{name}`", "", *_write_help(command.help or ""), ""]
    rows = [_describe(each) for each in command.params if each.name not in ("help",)]
    if rows:
        yield from ["| argument or option | default | meaning |", "| --- | --- | --- |", *rows, ""]
    for each in getattr(command, "commands", {}).values():
        yield from _list_commands(each, f"{name} {each.name}")


def _write_help(text: str) -> list[str]:
    """The help as Markdown: examples and lists keep their lines, paragraphs flow."""
    parts = re.split(r"\n\s*\n", re.sub(r"[\b\f]", "", text).strip())
    lines: list[str] = []
    for part in parts:
        own = [each.strip() for each in part.splitlines() if each.strip()]
        if any(each.startswith(("counterfoil ", "$ ")) for each in own):
            lines += ["```sh", *(each.removeprefix("$ ") for each in own if not each.startswith("Example")), "```", ""]
        else:
            lines += [" ".join(own).replace("<", "\\<"), ""]
    return lines[:-1]


def _describe(parameter: click.Parameter) -> str:
    names = ", ".join(f"`{each}`" for each in (*parameter.opts, *parameter.secondary_opts))
    if isinstance(parameter, click.Argument) or not parameter.opts[0].startswith("-"):
        names = f"`{(parameter.metavar or parameter.name or '').upper()}`"
    default = parameter.default
    shown = "" if default in (None, (), False, "") or callable(default) else f"`{default}`"
    return f"| {names} | {shown} | {cell(getattr(parameter, 'help', None) or '')} |"


def write_families() -> str:
    """Every family in one table."""
    facts = list_family_facts()
    rows = [
        f"| `{each['family']}` | {each['role']} {each['modality']} | {cell(each['how'])} | {cell(each['paper'])} | "
        f"{', '.join(each['authors'])} |"
        for each in facts
    ]
    return write_page(
        "Families",
        "A family is one way of making contrasts of an anchor. Its author writes the rows; `procedural` needs no key.",
        "",
        "| family | makes | how | paper | author |",
        "| --- | --- | --- | --- | --- |",
        *rows,
    )


def write_tables() -> str:
    """The columns of each table, and what can differ between an anchor and its contrast."""
    meanings = tomllib.loads(Path("storage/columns.toml").read_text(encoding="utf-8"))
    lines: list[str] = []
    for name, schema in SCHEMAS.items():
        lines += [f"## `{name}/`", "", "| column | type | meaning |", "| --- | --- | --- |"]
        lines += [
            f"| `{field.name}` | `{cell(str(field.type))}` | {cell(str(meanings.get(field.name, '')))} |"
            for field in schema
        ]
        lines.append("")
    lines += ["## What a negative changes", "", "The kinds in the column `changes`, by domain.", ""]
    changes = tomllib.loads(Path("storage/changes.toml").read_text(encoding="utf-8"))
    lines += ["| domain | kind | meaning |", "| --- | --- | --- |"]
    lines += [
        f"| {name} | `{kind}` | {cell(said)} |" for name, kinds in changes.items() for kind, said in kinds.items()
    ]
    assert set(changes) <= set(KINDS), "a domain of the file that the code does not know"
    return write_page("Tables and columns", *lines)


def write_reasons() -> str:
    """What each reason code of a reject means."""
    shared = load_reasons(next(iter(DOMAIN_MODULES)))
    lines = [
        "A row that fails a check is kept in `rejects/` with its reasons, each `code: details`. A check that a "
        "contrast passed stands by the same name in its `checks`.",
        "",
    ]
    common = set.intersection(*(set(load_reasons(name)) for name in DOMAIN_MODULES))
    lines += ["## In every domain", "", "| code | meaning |", "| --- | --- |"]
    lines += [f"| `{code}` | {cell(shared[code])} |" for code in sorted(common)]
    for name in DOMAIN_MODULES:
        load_domain(name)
        own = {code: said for code, said in load_reasons(name).items() if code not in common}
        lines += ["", f"## {name.capitalize()}", "", "| code | meaning |", "| --- | --- |"]
        lines += [f"| `{code}` | {cell(said)} |" for code, said in sorted(own.items())]
    return write_page("Reasons for rejects", *lines)


PAGES = {
    Path("docs/reference-commands.md"): write_commands,
    Path("docs/reference-families.md"): write_families,
    Path("docs/reference-tables.md"): write_tables,
    Path("docs/reference-reasons.md"): write_reasons,
}
