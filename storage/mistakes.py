"""What is wrong with a value that a person wrote, in words instead of a type checker's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "bool": "true or false",
    "string": "text",
    "tuple": "a list",
    "list": "a list",
    "dict": "a table",
    "model": "a table",
    "path": "a path",
}
"""By the first word of pydantic's name for an error."""
_BOUNDS = {
    "greater_than": "more than {gt}",
    "greater_than_equal": "{ge} or more",
    "less_than": "less than {lt}",
    "less_than_equal": "{le} or less",
    "literal_error": "{expected}",
    "too_short": "at least {min_length} values",
    "too_long": "at most {max_length} values",
    "string_too_short": "at least {min_length} characters",
    "string_too_long": "at most {max_length} characters",
}


def word_mistake(error: Mapping[str, Any], kind: str = "") -> str:
    """One of pydantic's errors in words; ``kind`` says what the value should be, where that is known better.

    >>> word_mistake({"type": "int_parsing", "msg": "Input should be a valid integer, unable to parse"})
    'expected: a whole number'
    >>> word_mistake({"type": "less_than_equal", "msg": "", "ctx": {"le": 20}}, "whole number, 1 to 20")
    'expected: whole number, 1 to 20'
    >>> word_mistake({"type": "value_error", "msg": "Value error, a and b exclude each other"})
    'a and b exclude each other'
    """
    name = str(error["type"])
    if name in ("value_error", "assertion_error"):
        return str(error["msg"]).partition(", ")[2]
    if name == "missing":
        return "missing"
    told = _BOUNDS[name].format_map(error.get("ctx", {})) if name in _BOUNDS else _KINDS.get(name.partition("_")[0], "")
    return f"expected: {kind or told}" if kind or told else str(error["msg"])
