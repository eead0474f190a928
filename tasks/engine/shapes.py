"""Whether a value is what its dataclass says it is, and how many bytes its texts and pictures are.

What a maker yields is checked before anything is done with it: a wrong type or a text that UTF-8 has no bytes for would
else be found when its whole shard is written.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_TEXTS = (str, str | None)


def find_fault(value: Any, storable: bool = True) -> str:
    """What of a dataclass's fields is of another type than it is declared, or (``storable``) a text that cannot be
    stored; "" where nothing is.

    >>> from counterfoil.storage.rows import Edit, Fact
    >>> find_fault(Edit("number", "8", 6))
    'replacement is a int, not str'
    >>> find_fault(Fact("length", ("A", "B"), "8"))
    ''
    """
    kind: Any = type(value)
    for name, hint in _list_hints(kind):
        fault = _compare(getattr(value, name), hint, storable)
        if fault:
            return f"{name}{fault}"
    return ""


@cache
def _list_hints(kind: Any) -> tuple[tuple[str, Any], ...]:
    # By the module's names alone: a class may have a field that is called as a type is (`Image.bytes`).
    hints = get_type_hints(kind, vars(sys.modules[kind.__module__]), {})
    return tuple((each.name, hints[each.name]) for each in fields(kind))


def _compare(value: Any, hint: Any, storable: bool) -> str:
    """How ``value`` is no ``hint``, to stand behind its name; "" where it is one."""
    if value is None and type(None) in get_args(hint):
        return ""
    if type(value) is str and hint in _TEXTS:
        return _judge_text(value) if storable else ""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        said = [_compare(value, each, storable) for each in get_args(hint)]
        return "" if "" in said else max(said, key=len) if _is_near(value, hint) else _word(value, hint)
    if origin is Literal:
        return "" if value in get_args(hint) else f" is {value!r:.80}, not one of {', '.join(map(str, get_args(hint)))}"
    if origin is tuple:
        if not isinstance(value, tuple):
            return _word(value, "tuple")
        told = (_compare(each, get_args(hint)[0], storable) for each in value)
        return next((f"[{place}]{said}" for place, said in enumerate(told) if said), "")
    if hint is float:
        good = isinstance(value, float | int) and not isinstance(value, bool)
        return "" if good else _word(value, hint)
    if not isinstance(value, origin or hint) or (hint is int and isinstance(value, bool)):
        return _word(value, hint)
    if hint is str:
        return _judge_text(value) if storable else ""
    if is_dataclass(hint):
        fault = find_fault(value, storable)
        return f".{fault}" if fault else ""
    return ""


def _is_near(value: Any, hint: Any) -> bool:
    """Whether a value is of one of a union's kinds, and fails within it."""
    return any(
        isinstance(value, get_origin(each) or each) for each in get_args(hint) if get_origin(each) is not Literal
    )


def _word(value: Any, hint: Any) -> str:
    return f" is a {type(value).__name__}, not {getattr(hint, '__name__', hint)}"


def _judge_text(text: str) -> str:
    if text.isascii():
        return ""
    try:
        text.encode()
    except UnicodeEncodeError:
        return " holds letters that UTF-8 has no bytes for"
    return ""


def count_bytes(value: Any) -> int:
    """Bytes of all texts and pictures in a value; a text counts by its letters.

    >>> from counterfoil.storage.rows import Edit
    >>> count_bytes((b"abc", Edit("number", "8", "6"), {"a": ["bc"]}))
    14
    """
    if isinstance(value, str | bytes | bytearray | memoryview):
        return len(value)
    if isinstance(value, Mapping):
        return sum(count_bytes(key) + count_bytes(each) for key, each in value.items())
    if isinstance(value, tuple | list | set | frozenset):
        return sum(map(count_bytes, value))
    if is_dataclass(value) and not isinstance(value, type):
        kind: Any = type(value)
        return sum(count_bytes(getattr(value, name)) for name, _ in _list_hints(kind))
    return 0
