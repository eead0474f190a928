"""Secrets that must not be shown: passwords in addresses, and what this process was given as keys."""

from __future__ import annotations

import os
import re

SECRET_NAME = r"(?:[\w-]*(?:password|passwd|pwd|passphrase|secret)|(?:[\w-]*[_-])?(?:token|key|credentials?))"
HIDDEN = "***"
_IN_USER = re.compile(r"(\b[a-zA-Z][\w+.-]*://[^\s:/@'\"]*):[^\s@'\"]+@")
"""``scheme://user:password@``."""
_IN_QUERY = re.compile(rf"([?&]{SECRET_NAME}=)[^&\s'\"]+", re.IGNORECASE)
_IN_ENVIRONMENT = re.compile(SECRET_NAME, re.IGNORECASE)
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
        if len(value) >= _SHORTEST and value in text and _IN_ENVIRONMENT.fullmatch(name):
            text = text.replace(value, HIDDEN)
    return hide_in_text(text)
