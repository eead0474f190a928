"""The worked examples that prompts show."""

from __future__ import annotations

import json
from typing import Any


def list_examples(task: str) -> list[Any]:
    """The answers in JSON that a prompt's text shows after it says that examples begin, in its order."""
    text = task[task.lower().index("example") :]
    found, decoder, at = [], json.JSONDecoder(), text.find("\n{")
    while at >= 0:
        answer, end = decoder.raw_decode(text, at + 1)
        found.append(answer)
        at = text.find("\n{", end)
    return found
