"""Texts of a dataset made fit for a page: readable, printable, and not too long."""

from __future__ import annotations

import re

from counterfoil.tasks.showing.notation import make_readable

MOST_CHARACTERS = 4_000
"""Longer texts are cut on a page; the tables hold them whole."""

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def show_text(text: str) -> str:
    r"""A text for people: its LaTeX as signs, cut and printable.

    >>> show_text(r"\angle ABC = 30^\circ")
    '∠ABC = 30°'
    """
    return clean(make_readable(text))


def clean(text: str) -> str:
    """Text fit for a page: cut at `MOST_CHARACTERS`, and without characters that cannot be shown or turn others around.

    >>> clean("AB\u202e = 8")
    'AB\ufffd = 8'
    """
    text = text.replace("\r\n", "\n")
    cut = text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} … ({len(text):,} characters in all)"
    return make_printable(cut)


def make_printable(text: str) -> str:
    """Replace control characters, lone surrogates and those that turn the text around them."""
    return _UNPRINTABLE.sub("\ufffd", text)
