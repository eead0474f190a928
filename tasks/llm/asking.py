"""What makers ask of an author, and what they are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil.storage.rows import Provenance
from counterfoil.tasks.llm.exchange import Usage


@dataclass(frozen=True)
class Answer:
    """A usable answer. Tokens and cost are summed over its ``attempts``; ``request_sha256`` is the last one's."""

    text: str
    data: Any
    code: str | None
    raw: str
    usage: Usage
    cost_usd: float | None
    """None where price or usage is unknown."""
    request_sha256: str
    prompt_id: str
    prompt_sha256: str
    attempts: int
    author: str
    model: str

    def provenance(self, seed: int = 0, code_version: str = "") -> Provenance:
        """Who made a row of this answer, and at what cost."""
        return Provenance(
            author=self.author,
            model=self.model,
            prompt_id=self.prompt_id,
            prompt_sha256=self.prompt_sha256,
            request_sha256=self.request_sha256,
            seed=seed,
            attempts=self.attempts,
            input_tokens=self.usage.input_tokens,
            output_tokens=self.usage.output_tokens,
            cost_usd=self.cost_usd,
            code_version=code_version,
        )


@dataclass(frozen=True)
class Ask:
    """One question, for `Author.ask_many`."""

    prompt_id: str
    variables: Mapping[str, Any]
    family: str
    images: tuple[bytes, ...] = ()
    draw: int = 0
