"""What a model's name tells: how its answers are limited, and whether it reasons before it answers.

Names are all that there is to go by: the same model is served at many addresses, and one address serves many models.
"""

from __future__ import annotations

import re

OPENAI = re.compile(r"(?:^|[/:])(?:o\d|gpt-(?!oss)|chatgpt-|codex-)", re.IGNORECASE)
"""OpenAI's own models, also behind a proxy (``openai/gpt-5-mini``) or fine-tuned (``ft:gpt-4.1:...``)."""
REASONING = re.compile(
    r"(?:^|[/:])(?:o\d|gpt-[5-9]|codex-)|gpt-oss|claude-(?:[a-z]+-)?[5-9]|think|reason|deepseek-r\d|qwq|qwen3|magistral",
    re.IGNORECASE,
)
"""Models that reason unless they are told not to: their reasoning counts as output and is paid as such."""
PLAIN_ROOM = 8_192
REASONING_ROOM = 32_768
"""Output tokens that a request may take where the recipe does not say. OpenAI advises to leave 25,000 for reasoning."""
REASONING_TOKENS = {
    "none": 0,
    "minimal": 100,
    "low": 500,
    "medium": 2_000,
    "high": 6_000,
    "xhigh": 12_000,
    "max": 20_000,
}
"""Reasoning tokens that a plan assumes of an answer, by effort: assumed, not measured, until answers are stored."""


PATIENCE_S = {
    "none": 300.0,
    "minimal": 300.0,
    "low": 600.0,
    "medium": 900.0,
    "high": 1_800.0,
    "xhigh": 2_700.0,
    "max": 3_600.0,
}
"""Seconds for one attempt, by effort of reasoning: 32,768 tokens at 20 to 40 a second are 15 to 30 minutes."""
PICTURE_TOKENS = 5_000
"""More than a picture costs with the large providers, as input."""
DEAR_PICTURES = re.compile(r"4o-mini", re.IGNORECASE)
DEAR_PICTURE_TOKENS = 48_000
"""gpt-4o-mini counts a picture with 33 times the tokens of gpt-4o."""


def bound_picture(model: str) -> int:
    """More input tokens than one picture costs."""
    return DEAR_PICTURE_TOKENS if DEAR_PICTURES.search(model) else PICTURE_TOKENS


def limits_completion(model: str) -> bool:
    """Whether an answer is limited by ``max_completion_tokens``: OpenAI's newer models refuse ``max_tokens``, and
    servers of other models often ignore the newer name, which would leave an answer without a limit."""
    return OPENAI.search(model) is not None


def reasons(model: str, effort: str | None) -> bool:
    """Whether a model reasons before it answers, by its name and the effort that it is asked for.

    >>> reasons("openai/gpt-5-mini", None), reasons("gpt-5-mini", "none"), reasons("claude-sonnet-4-5", None)
    (True, False, False)
    """
    return effort != "none" and (effort is not None or REASONING.search(model) is not None)


def patience_for(model: str, effort: str | None) -> float:
    """Seconds that one attempt at an answer may take: a model that reasons says nothing until it has.

    >>> patience_for("gpt-4o", None), patience_for("gpt-5-mini", None), patience_for("gpt-5", "max")
    (300.0, 900.0, 3600.0)
    """
    return PATIENCE_S[effort or "medium"] if reasons(model, effort) else PATIENCE_S["none"]


def assume_reasoning(model: str, effort: str | None) -> int:
    """Reasoning tokens that a plan assumes of one answer, while none is stored."""
    return REASONING_TOKENS[effort or "medium"] if reasons(model, effort) else 0
