"""What an author's answers came to: rows accepted and rejected, and what an accepted one has cost.

A family's prompts at their versions, asked of one model with its settings, are an edition. Of each row that an edition
was asked about the store keeps how many were accepted and rejected, once, however often the row is made again; what was
paid is summed over the stored answers to the edition's prompts.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterfoil.prompts import PromptError, load_prompt
from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.llm.settings import AuthorSettings

ENOUGH = 20
"""Rows after which a yield is told, and a limit on what an accepted row may cost holds."""
TOLD = 3
"""Reasons that are told beside a yield, the commonest ones."""


@dataclass(frozen=True, slots=True)
class Edition:
    """The prompts of a family as one model is asked them."""

    model: str
    prompts: tuple[tuple[str, int, str], ...]
    """Id, version, and what decides the answers beside the variables (`identify_asker`)."""

    @classmethod
    def of(cls, settings: AuthorSettings, prompt_ids: Sequence[str]) -> Edition:
        """The edition that an author asks now.

        Raises:
            PromptError: there is no such prompt.
        """
        identity = settings.identify_model()
        prompts = [load_prompt(each) for each in sorted(set(prompt_ids))]
        asked = tuple((each.id, each.version, identify_asker(each.sha256, identity)) for each in prompts)
        return cls(settings.model or "", asked)

    @property
    def name(self) -> str:
        """Its key in the store."""
        return fingerprint(self.model, *self.prompts)


@dataclass(frozen=True, slots=True)
class Made:
    """What came of one row: by family, how many were accepted and rejected, and the codes of the reasons."""

    edition: Edition
    row: str
    counts: Mapping[str, tuple[int, int]]
    reasons: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Yield:
    """What came of the rows that one edition of a family's prompts was asked about, and what its answers have cost."""

    family: str
    prompts: tuple[str, ...]
    """``geometry.rule 3``: id and version."""
    model: str
    rows: int
    accepted: int
    rejected: int
    requests: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    unknown: int
    """Answers without a known cost."""
    edition: str = ""
    reasons: tuple[tuple[str, int], ...] = ()
    """Why answers were rejected: a reason's code, and in how many rows it was given."""

    @property
    def usd_per_row(self) -> float | None:
        """USD of one accepted row; None where none was accepted or a price is unknown."""
        return self.cost_usd / self.accepted if self.accepted and not self.unknown else None

    @property
    def tokens_per_row(self) -> float | None:
        """Tokens, in and out, of one accepted row; None where none was accepted."""
        return (self.input_tokens + self.output_tokens) / self.accepted if self.accepted else None

    def __sub__(self, earlier: Yield) -> Yield:
        """What came since ``earlier``."""
        counted = ("rows", "accepted", "rejected", "requests", "input_tokens", "output_tokens", "cost_usd", "unknown")
        since = {name: getattr(self, name) - getattr(earlier, name) for name in counted}
        reasons = Counter(dict(self.reasons)) - Counter(dict(earlier.reasons))
        return Yield(
            self.family, self.prompts, self.model, **since, edition=self.edition, reasons=tuple(sorted(reasons.items()))
        )

    @property
    def why(self) -> str:
        """The commonest reasons in words for a line: `` (claims_read in 12 source rows, x in 3)``; "" for none.

        >>> Yield("a.b", (), "m", 20, 0, 20, 20, 1, 1, 0.1, 0, reasons=(("x", 3), ("y", 12))).why
        ' (y in 12 source rows, x in 3)'
        """
        told = sorted(self.reasons, key=lambda each: (-each[1], each[0]))[:TOLD]
        words = [f"{name} in {count:,}{'' if at else ' source rows'}" for at, (name, count) in enumerate(told)]
        return f" ({', '.join(words)})" if words else ""


def identify_asker(prompt_sha256: str, identity: Mapping[str, Any]) -> str:
    """Names a prompt's bytes and the model's settings together: answers to one of another name are no use now."""
    return hashlib.sha256(json.dumps([prompt_sha256, dict(identity)], sort_keys=True).encode()).hexdigest()


def is_current(found: Yield, settings: AuthorSettings) -> bool:
    """Whether the author would ask the same prompts of the same model now."""
    try:
        return Edition.of(settings, [each.rpartition(" ")[0] for each in found.prompts]).name == found.edition
    except PromptError:
        return False


def tell_too_dear(found: Sequence[Yield], settings: AuthorSettings) -> str | None:
    """That an accepted row of a family costs more than ``max_usd_per_row``, and what to do; None where none does."""
    most = settings.max_usd_per_row
    for each in found:
        dear = most is not None and each.rows >= ENOUGH and each.cost_usd > most * max(1, each.accepted)
        if dear and is_current(each, settings):
            cost = f"{each.usd_per_row:.4g} USD" if each.accepted else f"more than {each.cost_usd:.4g} USD"
            return (
                f"an accepted row of {each.family} costs {cost}, and max_usd_per_row = {most:g}: {each.rows:,} source "
                f"rows gave {each.accepted:,} accepted rows and {each.rejected:,} rejects{each.why}; what was answered "
                "is kept: change model or prompt, or raise the limit and run again to go on"
            )
    return None
