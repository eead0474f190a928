"""Texts as the chosen tower reads them: the share over its limit, and negatives that the cut makes equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from counterfoil.storage.joining import Joined
from counterfoil.tasks.training.tokens import Tokens


@dataclass
class Measured:
    """Counts over all texts that were measured."""

    texts: Counter[str] = field(default_factory=Counter)
    """Captions, negatives and positives."""
    over: Counter[str] = field(default_factory=Counter)
    """How many of them are over the limit."""
    equal: Counter[str] = field(default_factory=Counter)
    """Negatives dropped by family: the tower would read them as their anchor."""

    def describe(self, limit: int) -> list[str]:
        """Lines for the user."""
        lines = [
            f"{self.over[kind]:,} of {count:,} {kind} ({100 * self.over[kind] / count:.1f} %) are over {limit} tokens: "
            "their ends are cut"
            for kind, count in sorted(self.texts.items())
            if self.over[kind]
        ]
        dropped = ", ".join(f"{family} {count:,}" for family, count in sorted(self.equal.items()))
        return [*lines, f"dropped, as the tower reads them as their anchor: {dropped}"] if dropped else lines

    def tell(self) -> dict[str, Any]:
        """The counts as plain data."""
        return {"texts": dict(self.texts), "over_limit": dict(self.over), "equal_after_cut": dict(self.equal)}


def measure_texts(row: Joined, tokens: Tokens, measured: Measured) -> Joined:
    """The row without the negative texts that its tower cannot tell from the caption, or the view they were made of.

    A negative picture whose own caption is such a text keeps its place, without the caption.
    """
    caption = row.anchor["caption"]
    others = list(dict.fromkeys(each["of"] for each in row.contrasts if "of" in each))
    texts = [caption, *(each["text"] or "" for each in row.contrasts)]
    ids = tokens.list_ids([*texts, *others])
    own = {text: found for text, (found, _) in zip((caption, *others), (ids[0], *ids[len(texts) :]), strict=True)}
    measured.texts["captions"] += 1
    measured.over["captions"] += ids[0][1]
    kept: list[Mapping[str, Any]] = []
    for each, (found, over) in zip(row.contrasts, ids[1 : len(texts)], strict=True):
        if each["text"] is None:
            kept.append(each)
            continue
        kind = f"{each['role']}s"
        measured.texts[kind] += 1
        measured.over[kind] += over
        if each["role"] == "negative" and found == own[each.get("of", caption)]:
            measured.equal[each["family"]] += 1
            if each["modality"] == "text":
                continue
            each = {**each, "text": None}
        kept.append(each)
    return replace(row, contrasts=kept)
