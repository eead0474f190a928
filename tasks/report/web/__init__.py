"""The report's templates, style and scripts."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup, escape

from counterfoil.tasks.showing.texts import make_printable

_CODE = re.compile(r"`([^`]+)`")
_SCRIPTS = ("parts.js", "land.js", "viewer.js", "samples.js", "main.js")


def read_style() -> str:
    return _read("report.css")


def read_script() -> str:
    """All scripts as one, in a scope of their own."""
    return '"use strict";\n(() => {\n' + "\n".join(map(_read, _SCRIPTS)) + "})();\n"


def render(template: str, **values: Any) -> str:
    """A template filled. Everything from the dataset goes through Jinja's autoescape and is made printable."""
    return str(_environment().get_template(template).render(**values))


@cache
def _environment() -> Any:
    import jinja2

    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: make_printable(value) if type(value) is str else value,
        loader=jinja2.FunctionLoader(_read),
    )
    environment.filters["marked"] = mark_code
    environment.globals["columns"] = read_columns()
    return environment


def read_columns() -> dict[str, dict[str, str]]:
    """The columns of each table, in order, with the sentence that explains each."""
    return tomllib.loads(_read("columns.toml"))


def mark_code(text: str) -> Markup:
    """A text of ours or of a run as HTML: what stands in backticks becomes code, all else is escaped.

    >>> mark_code("run `a < b` now")
    Markup('run <code>a &lt; b</code> now')
    """
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(make_printable(text)))))


def _read(name: str) -> str:
    return files("counterfoil.tasks.report.web").joinpath(name).read_text(encoding="utf-8")
