"""A prompt as it would be sent for a row of a dataset, for reading. Sends nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from counterfoil.prompts import PromptError, load_prompt
from counterfoil.storage.rows import Anchor, Contrast


def describe_row(anchor: Anchor, contrast: Contrast | None = None) -> dict[str, Any]:
    """The prompts' variables that a row fills: its question, answer, script, caption and letters."""
    caption = anchor.caption or ""
    return {
        "question": anchor.question or "",
        "answer": anchor.answer or "",
        "description": anchor.question or caption,
        "script": (contrast.code if contrast is not None and contrast.code else anchor.code) or "",
        "caption": caption,
        "negative_caption": (contrast.text or "") if contrast is not None else "",
        "letters": sorted(set(re.findall(r"(?<![A-Za-z\\])[A-Z](?![a-z])|(?<=[A-Z])[A-Z]", caption))),
        "count": 10,
        "markings": True,
        "direction": "TD",
        "failures": [],
        "taken": [],
        "earlier": "",
        "problem": "NameError: name 'np' is not defined",
        "line": 1,
        "source_line": "",
        "log": "",
    }


def preview_prompt(
    prompt_id: str, anchor: Anchor, contrast: Contrast | None = None, extra: Mapping[str, Any] | None = None
) -> str:
    """System text, message and schema of ``prompt_id`` for a row, as one readable text.

    ``extra`` gives the variables that a domain alone can fill (``predicates``).

    Raises:
        PromptError: the prompt is unknown, or needs a variable that no row fills.
    """
    prompt = load_prompt(prompt_id)
    known = describe_row(anchor, contrast) | dict(extra or {})
    missing = [name for name in prompt.variables if name not in known]
    if missing:
        raise PromptError(f"prompt {prompt_id}: a row does not fill {', '.join(missing)}; give it as extra")
    rendered = prompt.render({name: known[name] for name in prompt.variables})
    parts = [f"[system]\n{rendered.system}", f"[user]\n{rendered.user}"]
    if rendered.schema is not None:
        parts.append(f"[schema]\n{json.dumps(rendered.schema, indent=2)}")
    return "\n\n".join(parts) + "\n"
