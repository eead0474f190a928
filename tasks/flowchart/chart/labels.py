"""What a reader sees of a label: the text that is painted, without markup."""

from __future__ import annotations

import html
import re
import unicodedata
from functools import lru_cache

_ENTITY = re.compile(r"#(\d+|[a-zA-Z][a-zA-Z0-9]*);")
_BREAK = re.compile(r"</?br\s*/?>|\\n", re.I)
_TAG = re.compile(r"</?(?:b|strong|i|em|u|s|sub|sup|p|span|div|code|small|big|font|a)\b[^<>]*>", re.I)
_ELEMENT = re.compile(
    r"</?(?:br|b|strong|i|em|u|s|sub|sup|p|span|div|code|small|big|font|a|img|image|svg|math|object|iframe|script|style"
    r"|video|audio|embed|table|tr|td|th|ul|ol|li|hr|h[1-6]|pre|input|button)\b[^<>]*>|[<>]",
    re.I,
)
_HTML_ENTITY = re.compile(r"&#?(\w+);")
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


def spell_label(label: str, markdown: bool = False) -> str:
    """``label`` so that every engine paints what its author typed: characters that they would take for markup become
    entities. What is markup (line breaks, tags that HTML has) stays.

    >>> spell_label("List<String> <b>x</b>"), spell_label("a &lt; b"), spell_label("C:\\\\dir")
    ('List#lt;String#gt; <b>x</b>', 'a #lt; b', 'C:#92;dir')
    """
    text = _HTML_ENTITY.sub(r"#\1;", label)
    text = _ELEMENT.sub(lambda m: {"<": "#lt;", ">": "#gt;"}.get(m.group(), m.group()), text)
    if markdown:
        return text
    # An ampersand would make an HTML entity of what stands for the backslash behind it.
    return _BREAK.sub("<br/>", text).replace("&\\", "#amp;\\").replace("\\", "#92;")


@lru_cache(maxsize=65536)
def squeeze(text: str) -> str:
    """The key by which two painted texts count as the same label: white space does not tell labels apart."""
    return "".join(unicodedata.normalize("NFC", text).split())
