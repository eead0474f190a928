"""The report's templates, style and scripts."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from counterfoil.tasks.showing.texts import make_printable

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

    return jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: make_printable(value) if type(value) is str else value,
        loader=jinja2.FunctionLoader(_read),
    )


def _read(name: str) -> str:
    return files("counterfoil.tasks.report.web").joinpath(name).read_text(encoding="utf-8")
