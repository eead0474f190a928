"""`counterfoil prompts`: the prompt files, and one as it would be sent for a row."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from counterfoil.prompts import PromptError, list_prompts, load_prompt
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.engine.registry import find_domain
from counterfoil.tasks.llm.preview import preview_prompt


def describe_prompts() -> list[dict[str, Any]]:
    """Every prompt as plain data."""
    return [
        {"id": each.id, "title": each.title, "version": each.version, "output": each.output, "source": each.source}
        for each in list_prompts()
    ]


def print_prompts(out: Console) -> None:
    """A table of all prompts."""
    table = Table("prompt", "what for", "from", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    for prompt in list_prompts():
        what = f"{prompt.title} (version {prompt.version}, answers with {prompt.output})"
        table.add_row(prompt.id, what, prompt.source)
    out.print(table)


def print_prompt(prompt_id: str, row: str | None, out: Console) -> None:
    """The prompt's template, or with ``row`` (``DATASET:ROW_ID``) the messages for that row.

    Raises:
        PromptError: no such prompt, or the row does not fill it.
        StorageError: no such row.
    """
    prompt = load_prompt(prompt_id)
    if row is None:
        parts = [f"[system]\n{prompt.task}", f"[user]\n{prompt.body}"]
        if prompt.schema_text:
            parts.append(f"[schema]\n{prompt.schema_text}")
        text = "\n\n".join(parts)
    else:
        anchor, contrast = _find(row)
        domain = find_domain(anchor.domain)
        text = preview_prompt(prompt_id, anchor, contrast, domain.vocabulary() if domain is not None else {})
    out.print(text, markup=False, highlight=False, soft_wrap=True)


def _find(row: str) -> tuple[Anchor, Contrast | None]:
    url, _, row_id = row.rpartition(":")
    if not url:
        raise PromptError(f"--row takes DATASET:ROW_ID (such as data/demo:3f9a1c), not {row!r}")
    dataset = Dataset(url)
    found = dataset.find_row(row_id)
    if isinstance(found, Anchor):
        return found, None
    contrast = found if isinstance(found, Contrast) else found.contrast
    if contrast is None:
        raise PromptError(f"{row_id} is a reject without an anchor: no prompt was filled with it")
    anchor = dataset.find_row(contrast.anchor_id)
    if not isinstance(anchor, Anchor):
        raise PromptError(f"{row_id} refers to anchor {contrast.anchor_id}, which is not in the table")
    return anchor, contrast
