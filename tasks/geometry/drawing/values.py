"""Values as textbooks write them beside a figure."""

from __future__ import annotations

from counterfoil.tasks.geometry.facts.expressions import is_symbolic


def write_number(value: str, kind: str) -> str:
    r"""The text that is drawn for a value: ``60°``, ``(4y−10)°``, ``x+21``, ``$5\sqrt{3}$``."""
    if "\\" in value or "^" in value:
        degree = r"^{\circ}" if kind == "angle" else ""
        body = f"({value})" if kind == "angle" and is_symbolic(value) else value
        return f"${body}{degree}$"
    text = value.replace("-", "−")
    if kind != "angle":
        return text
    compound = is_symbolic(value) and any(sign in value for sign in "+-/")
    return f"({text})°" if compound else f"{text}°"


def write_statement(name: str, value: str, kind: str) -> str:
    """The text that says by itself what has the value: ``AB = 6``, ``∠ABC = 60°``."""
    return f"{'∠' if kind == 'angle' else ''}{name} = {write_number(value, kind)}"


def read_number(text: str) -> str:
    r"""The value that a text of `write_number` or `write_statement` says.

    >>> read_number("∠ABC = (4y−10)°"), read_number(r"$5\sqrt{3}$"), read_number(r"$(x^2)^{\circ}$")
    ('4y-10', '5\\sqrt{3}', 'x^2')
    """
    written = text.rpartition(" = ")[2].strip("$")
    value = written.removesuffix(r"^{\circ}").removesuffix("°")
    if value != written and value.startswith("(") and value.endswith(")"):
        value = value[1:-1]
    return value.replace("−", "-")
