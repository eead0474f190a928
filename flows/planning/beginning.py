"""`counterfoil init` and `counterfoil recipes`: a recipe written for your data, and those that ship."""

from __future__ import annotations

import itertools
import json
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import typer
from rich.console import Console
from rich.table import Table

from counterfoil.flows.planning.keys import Key, Section, describe_domain, list_making_sections
from counterfoil.flows.planning.recipe import check_recipe, check_sources, load_recipe
from counterfoil.tasks.engine.registry import list_domains, load_domain

WIDTH = 110
SENTENCE_END = re.compile(r"(?:(?<=[a-z]{4}\.)|(?<=\)\.)) (?=[A-Z])")
"""Not the full stop of "Sec. 3.1" or "App. A"."""


class BeginError(Exception):
    """No recipe can be written or shown. The message says why and what to do."""


def write_recipe(
    path: Path, source_of: dict[str, str], dataset: str, author: str, model: str, *, force: bool = False
) -> None:
    """Write a recipe for sources by domain: what is given as keys, every other key as a comment with its default.

    Raises:
        BeginError: the file is there already.
        RecipeError, SourceError: the recipe would not run: a source that is unknown or cannot be read.
    """
    if path.exists() and not force:
        raise BeginError(f"{path} is there already: name another file, or say --force to write over it")
    given: dict[str, dict[str, str]] = {"dataset": {"path": dataset}, "author": {"kind": author}}
    if model:
        given["author"]["model"] = model
    given |= {domain: {"source": source} for domain, source in source_of.items()}
    checked = check_recipe({name: dict(keys) for name, keys in given.items()}, str(path))
    check_sources(checked)
    sections = {section.name: section for section in list_making_sections(source_of)}
    parts = [HEAD.format(path=path)]
    parts += [_write_section(sections[name], given[name]) for name in ("dataset", "author")]
    for name in source_of:
        parts.append(_write_section(describe_domain(load_domain(name)), given[name]))
        parts += [_write_section(each, {}) for each in sections.values() if each.name.startswith(f"{name}.")]
    parts.append(_write_section(sections["audit"], {}))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts), encoding="utf-8")


HEAD = """\
# Keys in comments have their default's value: take the # away to change one.
# counterfoil run {path} --limit 5    tries it on a few rows, at a path of their own (PATH-limit-5).
"""


def _write_section(section: Section, given: dict[str, str]) -> str:
    lines = [f"[{section.name}]", *_comment(section.meaning)]
    for key in section.keys:
        if key.name in given:
            lines += [*_comment(_describe_key(key)), f"{key.name} = {json.dumps(given[key.name], ensure_ascii=False)}"]
        else:
            lines += [*_comment(_describe_key(key)), f"# {key.name} = {key.default or '...'}"]
    return "\n".join(lines) + "\n"


def _describe_key(key: Key) -> str:
    kind = key.kind.replace("`", "")
    return f"{key.meaning} ({kind})" if key.meaning else kind


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text.replace("`", ""), WIDTH, initial_indent="# ", subsequent_indent="# ")


def list_recipes() -> list[dict[str, Any]]:
    """The recipes that ship: name, what each is for, its domains and families, its file."""
    return [_describe_recipe(path) for path in _find_recipes()]


def show_recipe(name: str) -> str:
    """The text of a recipe that ships.

    Raises:
        BeginError: none is called so.
    """
    found = {path.stem: path for path in _find_recipes()}
    if name not in found:
        raise BeginError(f"no recipe is called {name!r}; there are: {', '.join(found)}")
    return found[name].read_text(encoding="utf-8")


def _find_recipes() -> Sequence[Path]:
    from counterfoil import recipes

    return sorted(Path(recipes.__file__).parent.glob("*.toml"))


def _describe_recipe(path: Path) -> dict[str, Any]:
    head = itertools.takewhile(re.compile(r"# \S").match, path.read_text(encoding="utf-8").splitlines())
    recipe = load_recipe(path)
    return {
        "name": path.stem,
        "what": SENTENCE_END.split(" ".join(line.removeprefix("# ") for line in head))[0],
        "domains": list(recipe.domains),
        "families": [family for domain in recipe.domains for family in recipe.families(domain)],
        "path": str(path),
    }


def print_recipes(out: Console) -> None:
    """Print the recipes that ship."""
    table = Table("recipe", "what for", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    for each in list_recipes():
        table.add_row(each["name"], each["what"])
    out.print(table)
    out.print("`counterfoil recipes NAME > FILE` copies one; `counterfoil init` writes one for your data", markup=False)


def ask_domain() -> str:
    """Ask which domain to begin with.

    Raises:
        BeginError: nobody is there to answer.
    """
    return _ask("domain", list_domains(), "--domain")


def ask_source(domain: str) -> str:
    """Ask for a source of ``domain``, and say which kinds there are.

    Raises:
        BeginError: nobody is there to answer.
    """
    sources = load_domain(domain).sources.values()
    example = next((f"{each.kind}:100" for each in sources if each.target == "N"), None)
    for each in sources:
        typer.echo(f"  {each.form:<22} {each.describe}", err=True)
    return _ask("source", [], "--source", example)


def _ask(what: str, choices: Sequence[str], option: str, default: str | None = None) -> str:
    if not sys.stdin.isatty():
        allowed = f", one of {', '.join(choices)}" if choices else ""
        raise BeginError(f"which {what}? say {option}{allowed}")
    kind = click.Choice(choices) if choices else None
    answer: str = typer.prompt(what, default=default or (choices[0] if choices else None), type=kind, err=True)
    return answer
