"""What a reader sees of a label: the text that is painted, without markup."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

_ENTITY = re.compile(r"#(\d+|[a-zA-Z][a-zA-Z0-9]*);")
_BREAK = re.compile(r"</?br\s*/?>|\\n", re.I)
_TAG = re.compile(r"</?(?:b|strong|i|em|u|s|sub|sup|p|span|div|code|small|big|font|a)\b[^<>]*>", re.I)
_BOLD = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", re.S)
_ITALIC = re.compile(r"(?<![\w*])([*_])(?=\S)(.+?)(?<=\S)\1(?![\w*])", re.S)


@lru_cache(maxsize=65536)
def read_label(label: str, markdown: bool = False) -> str:
    """The painted text of a source label on one line: entities decoded, tags and Markdown marks gone, NFC.

    >>> read_label('a<br/>b #quot;c#quot; #9829;')
    'a b "c" ♥'
    >>> read_label("**x** *y*", markdown=True)
    'x y'
    """
    text = _BREAK.sub(" ", label)
    text = _TAG.sub("", text)
    if markdown:
        text = _ITALIC.sub(r"\2", _BOLD.sub(r"\2", text))
    text = _ENTITY.sub(lambda m: f"&#{m.group(1)};" if m.group(1).isdigit() else f"&{m.group(1)};", text)
    return " ".join(unicodedata.normalize("NFC", html.unescape(text)).split())


def squeeze(text: str) -> str:
    """The key by which two painted texts count as the same label: white space does not tell labels apart."""
    return "".join(unicodedata.normalize("NFC", text).split())
