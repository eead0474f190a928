"""Secrets that must not be shown: passwords in addresses, and what this process was given as keys."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

SECRET_NAME = r"(?:[\w-]*(?:password|passwd|pwd|passphrase|secret)|(?:[\w-]*[_-])?(?:token|key|credentials?))"
HIDDEN = "***"
_IN_USER = re.compile(r"(\b[a-zA-Z][\w+.-]*://[^\s:/@'\"]*):[^\s@'\"]+@")
"""``scheme://user:password@``."""
_IN_QUERY = re.compile(rf"([?&]{SECRET_NAME}=)[^&\s'\"]+", re.IGNORECASE)
_NAMED = re.compile(SECRET_NAME, re.IGNORECASE)
_SHORTEST = 8
"""A value that is shorter is no key, and may be a word of the text."""


def hide_in_text(text: str) -> str:
    """The text without the passwords of the addresses in it.

    >>> hide_in_text("store = 'postgresql://me:pw@host/db?sslpassword=x&timeout=5'")
    "store = 'postgresql://me@host/db?sslpassword=***&timeout=5'"
    """
    return _IN_QUERY.sub(rf"\1{HIDDEN}", _IN_USER.sub(r"\1@", text))


def hide_known(text: str) -> str:
    """`hide_in_text`, and without the values of this process's environment whose names say that they are secret.

    For what leaves a machine by itself, as logs do: an error of a library may quote a header.
    """
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST and value in text and _NAMED.fullmatch(name):
            text = text.replace(value, HIDDEN)
    return hide_in_text(text)


def without_secrets(value: Any) -> Any:
    """Nested plain data without passwords in its addresses and without texts whose key names a secret.

    >>> without_secrets({"store": "postgresql://me:pw@host/db", "engine": {"hf_token": "hf_x", "max_tokens": 9}})
    {'store': 'postgresql://me@host/db', 'engine': {'hf_token': '***', 'max_tokens': 9}}
    """
    if isinstance(value, str):
        return hide_in_text(value)
    if isinstance(value, Mapping):
        return {
            key: HIDDEN if isinstance(each, str) and _NAMED.fullmatch(str(key)) else without_secrets(each)
            for key, each in value.items()
        }
    if isinstance(value, Sequence):
        return [without_secrets(each) for each in value]
    return value
