"""Which provider the settings name, and its key."""

from __future__ import annotations

import os

from counterfoil.tasks.llm.errors import AuthorUnavailable
from counterfoil.tasks.llm.providers.base import Provider
from counterfoil.tasks.llm.settings import KEYS, AuthorSettings


def open_provider(settings: AuthorSettings) -> Provider:
    """The provider that ``settings`` name, with its key from the environment.

    Raises:
        AuthorUnavailable: the key is not set, or vLLM is not installed.
    """
    if settings.kind == "vllm" and settings.base_url is None:
        from counterfoil.tasks.llm.providers.vllm_engine import VllmEngine

        return VllmEngine(settings)
    if settings.kind == "anthropic":
        from counterfoil.tasks.llm.providers.anthropic_messages import AnthropicMessages

        return AnthropicMessages(settings, read_key(settings.kind))
    from counterfoil.tasks.llm.providers.openai_chat import OpenAIChat

    return OpenAIChat(settings, read_key(settings.kind))


def read_key(kind: str) -> str:
    """The provider's key. A served vLLM may run without one.

    Raises:
        AuthorUnavailable: the environment variable is not set.
    """
    key = os.environ.get(KEYS[kind], "").strip()
    if not key and kind != "vllm":
        raise AuthorUnavailable(f"no key for {kind}: set the environment variable {KEYS[kind]}")
    if not key.isascii() or any(character.isspace() for character in key):
        raise AuthorUnavailable(f"{KEYS[kind]} is not a key: it holds spaces or non-ASCII characters")
    return key or "none"
