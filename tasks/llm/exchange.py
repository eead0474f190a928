"""What goes to a provider and what comes back, free of any provider's SDK."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

Finish = Literal["stop", "length", "refusal", "unreadable"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the model samples. None leaves a knob at the provider's default and out of the request."""

    max_tokens: int
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str | None = None


@dataclass(frozen=True)
class Request:
    """One request in full. Two requests with the same `sha256` are the same request and are answered once.

    ``draw`` tells apart repeated questions that should have answers of their own. ``cache_key`` bears on the price
    alone and is no part of what is hashed. ``images`` are encoded pictures (PNG,
    JPEG, GIF or WebP) that stand before the first message's text.
    """

    provider: str
    base_url: str
    model: str
    system: str
    messages: tuple[Message, ...]
    sampling: Sampling
    images: tuple[bytes, ...] = ()
    schema: Mapping[str, Any] | None = None
    send_schema: bool = True
    """Whether the provider is told the schema, or only the prompt's text speaks of it."""
    draw: int = 0
    cache_key: str = ""
    """Names what ``system`` holds, where many requests share it and the provider should keep it."""

    def describe(self) -> dict[str, Any]:
        """The request as plain JSON data, images by their SHA-256: what is hashed and stored."""
        sampling = self.sampling
        return {
            "provider": self.provider,
            "base_url": self.base_url,
            "model": self.model,
            "system": self.system,
            "messages": [[message.role, message.text] for message in self.messages],
            "images": [hashlib.sha256(image).hexdigest() for image in self.images],
            "schema": self.schema,
            "send_schema": self.send_schema,
            "sampling": {name: getattr(sampling, name) for name in sampling.__slots__},
            "draw": self.draw,
        }

    @cached_property
    def text(self) -> str:
        """`describe` as canonical JSON."""
        return json.dumps(self.describe(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))

    @cached_property
    def sha256(self) -> str:
        """64 hex digits: the key of the response store and the custom id in a batch."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counted them. ``input_tokens`` includes cached and cache-writing ones."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int | None = None
    """Of the output, those of reasoning; None where the provider does not say."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            _add_known(self.reasoning_tokens, other.reasoning_tokens),
        )


def _add_known(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


@dataclass(frozen=True, slots=True)
class Completion:
    """A provider's answer to one request. ``usage`` is None where it sent none that can be read.

    Of an answer that cannot be read (``finish`` is ``unreadable``) ``text`` is the body and ``details`` what is wrong.
    """

    text: str
    finish: Finish = "stop"
    usage: Usage | None = None
    model: str = ""
    details: str = ""
    """Why it stopped, in the provider's words, where it did not stop normally."""
    tier: str = ""
    """The service tier that answered (``flex``), where the provider says so."""


def sniff_media_type(image: bytes) -> str:
    """The media type of an encoded picture, by its first bytes.

    Raises:
        ValueError: it is none of PNG, JPEG, GIF, WebP.
    """
    if image.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if image.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if image.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if image[:4] == b"RIFF" and image[8:12] == b"WEBP":
        return "image/webp"
    raise ValueError("a picture for the author must be PNG, JPEG, GIF or WebP")
