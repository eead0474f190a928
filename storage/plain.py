"""JSON and TOML that others wrote, read without surprises: whatever is wrong with a text is one kind of error.

Python's own readers end with a `RecursionError` on a line of brackets, and so does whatever walks data that is nested
nearly as deep; a number of 5,000 digits is a plain `ValueError`.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

DEEPEST = 100
"""Lists and objects within each other, at most: ours have under ten."""
_TOO_DEEP = f"lists and objects are nested more than {DEEPEST} deep"


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    json.decoder.JSONDecodeError: lists and objects are nested more than 100 deep: line 1 column 1 (char 0)

    Raises:
        json.JSONDecodeError: it is no JSON, nested too deeply, or has a number too long to read.
        UnicodeDecodeError: bytes are no text.
    """
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise
    except RecursionError:
        raise json.JSONDecodeError(_TOO_DEEP, "", 0) from None
    except ValueError as error:
        raise json.JSONDecodeError(str(error).partition(";")[0], "", 0) from None
    if is_too_deep(value):
        raise json.JSONDecodeError(_TOO_DEEP, "", 0)
    return value


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        tomllib.TOMLDecodeError: it is no TOML, nested too deeply, or has a number too long to read.
    """
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError(_TOO_DEEP) from None
    except ValueError as error:
        raise tomllib.TOMLDecodeError(str(error).partition(";")[0]) from None
    if is_too_deep(value):
        raise tomllib.TOMLDecodeError(_TOO_DEEP)
    return value


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a file of ours, such as a list of words."""
    return parse_toml(path.read_text(encoding="utf-8"))


def is_too_deep(value: Any) -> bool:
    """Whether plain data is nested deeper than `DEEPEST`."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(DEEPEST):
        if not level:
            return False
        held = (each.values() if isinstance(each, dict) else each for each in level)
        level = [child for children in held for child in children if isinstance(child, dict | list)]
    return bool(level)


def first_line(error: BaseException) -> str:
    """What an error says, without what follows its first line; its name, where it says nothing.

    >>> first_line(OSError("no room\\nat 0x00")), first_line(KeyError())
    ('no room', 'KeyError')
    """
    return str(error).strip().partition("\n")[0] or type(error).__name__
