"""Bodies of answers, whatever they hold: JSON, an error in its place, or a page of something that lies between.

The SDKs build their models without looking at types, so a body of another shape would fail anywhere later. Here each
field is read as what it must be, and what is not that makes the answer unreadable: that one answer and no other.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from counterfoil.tasks.llm.exchange import Completion, Usage

MOST_TOKENS = 10_000_000
"""More than any model takes or gives in one answer: a larger count is no count."""
KEPT = 20_000
"""Characters of an unreadable body that are kept."""
TITLE = re.compile(rb"<(?:title|h1)[^>]*>(.*?)</(?:title|h1)>", re.IGNORECASE | re.DOTALL)
PAGE = re.compile(
    rb"\A\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<(?:!doctype html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)


class NotAnAnswer(Exception):  # noqa: N818 - says what came instead
    """A body that holds no answer. ``told`` is the status, code and message of an error that it holds instead."""

    def __init__(self, said: str, told: tuple[int, str, str] | None = None) -> None:
        super().__init__(said)
        self.told = told


class Unreadable(Exception):  # noqa: N818 - becomes a completion that says so
    """What of an answer is not what the API says that it is."""


def describe_html(data: bytes, content_type: str) -> str | None:
    """``an HTML page ('its title')``, or None where ``data`` is none."""
    if "html" not in content_type.lower() and not PAGE.search(data[:2000]):
        return None
    if data.lstrip()[:1] in (b"{", b"["):
        return None
    found = TITLE.search(data[:20_000])
    title = " ".join(re.sub(r"<[^>]*>", " ", found[1].decode("utf-8", "replace")).split())[:120] if found else ""
    return f"an HTML page ({title!r})" if title else "an HTML page"


def read_json(data: bytes, content_type: str = "") -> Any:
    """The body of an answer.

    Raises:
        NotAnAnswer: it is a page, or no JSON.
    """
    page = describe_html(data, content_type)
    if page is not None:
        raise NotAnAnswer(f"{page} in place of an answer: is base_url right?")
    try:
        return json.loads(data, parse_int=_read_int)
    except (ValueError, RecursionError) as error:
        said = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise NotAnAnswer(f"an answer that cannot be read: {said}, at the beginning {data[:80]!r}") from None


def _read_int(digits: str) -> int | float:
    return int(digits) if len(digits) < 30 else math.inf


def read_error(data: bytes) -> tuple[str, str]:
    """The provider's own code and words in the body of a refusal."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return "", data.decode("utf-8", "replace").strip()[:2000]
    return find_error(body) or ("", json.dumps(body)[:2000])


def find_error(body: Any) -> tuple[str, str] | None:
    """Code and words of the error in a body, in the forms in which servers nest them."""
    if isinstance(body, list) and body:  # Gemini's
        return find_error(body[0])
    if not isinstance(body, Mapping):
        return ("", body) if isinstance(body, str) and body else None
    inner = body.get("error") or body.get("errors") or body.get("detail")
    if isinstance(inner, Mapping | list):
        return find_error(inner) or _name_error(body)
    if isinstance(inner, str) and "message" not in body:
        return str(body.get("code") or body.get("type") or ""), inner
    return _name_error(body)


def _name_error(body: Mapping[str, Any]) -> tuple[str, str] | None:
    message = body.get("message") or body.get("msg") or body.get("error_msg")
    code = " ".join(
        str(body[name]) for name in ("code", "type", "status", "error") if isinstance(body.get(name), str | int)
    )
    return (code, str(message)) if message or code else None


def raise_error(body: Any) -> None:
    """Raise the error that a body with a status of success holds in an answer's place.

    Raises:
        NotAnAnswer: it holds one.
    """
    if isinstance(body, Mapping) and (
        body.get("error") or body.get("object") == "error" or body.get("type") == "error"
    ):
        code, message = find_error(body) or ("", "no reason given")
        error = body.get("error")
        told = error.get("code") if isinstance(error, Mapping) else body.get("code")
        status = told if isinstance(told, int) and 400 <= told < 600 else 500
        raise NotAnAnswer("an error in place of an answer", (status, code, message))


def describe_unreadable(body: Any, details: str, usage: Usage | None, model: Any = "") -> Completion:
    """An answer that came, and will be charged, and cannot be read."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return Completion(text[:KEPT], "unreadable", usage, model if isinstance(model, str) else "", details[:500])


def take(body: Any, name: str, kinds: type | tuple[type, ...], default: Any = None) -> Any:
    """A field that is of ``kinds``, or absent or null.

    Raises:
        Unreadable: it is something else.
    """
    value = body.get(name)
    if value is None:
        return default
    if not isinstance(value, kinds) or isinstance(value, bool):
        raise Unreadable(f"its {name} is {shorten(value)}")
    return value


def take_tokens(body: Mapping[str, Any], name: str) -> int | None:
    """A count of tokens; None where it is absent or null.

    Raises:
        Unreadable: it is no count.
    """
    value = take(body, name, (int, float))
    if value is None:
        return None
    if not math.isfinite(value) or value != int(value) or not 0 <= value <= MOST_TOKENS:
        raise Unreadable(f"its {name} is {shorten(value)}")
    return int(value)


def shorten(value: Any) -> str:
    """A value in few characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
