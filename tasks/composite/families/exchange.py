"""``composite.exchange``: a word, number, letter or label of the one caption in the place of one of the other (CLIC).

Both changed captions are false of *both* halves, and the text is false however its sentences are dealt out to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.composite.checks import check_alone, contradicts_both, find_false, list_pairs
from counterfoil.tasks.composite.halves import Composite, Halves, read_composite
from counterfoil.tasks.composite.settings import CompositeSettings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Draft, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.contract.wording import exchange

NAME = "composite.exchange"
MOST = 60
"""Exchanges that are tried of one pair of captions."""
Parts = tuple[str, str]


@dataclass(frozen=True)
class Exchange:
    """Maker and verifier."""

    halves: Halves

    def make(self, anchor: Anchor, context: Context[CompositeSettings]) -> Iterator[Candidate | Reject]:
        """Exchanges in an order of chance, each kind in turn."""
        found = False
        for draft in self.propose(anchor, context, context.rng(NAME, anchor.anchor_id)):
            found = True
            yield draft
        if not found:
            yield reject_contrast(NAME, anchor, "no_exchange: no exchange across the captions is false of both halves")

    def sample(
        self, anchor: Anchor, rng: np.random.Generator, count: int, context: Context[CompositeSettings]
    ) -> Sequence[Draft]:
        """The same, drawn anew."""
        return tuple(islice(self.propose(anchor, context, rng), count))

    def propose(self, anchor: Anchor, context: Context[CompositeSettings], rng: np.random.Generator) -> Iterator[Draft]:
        """Exchanges that are false of both halves; a kind that was seldom made comes first."""
        made = read_composite(anchor)
        kinds: Counter[str] = Counter()
        for captions in list_pairs(made):
            edits = self._list_edits(captions, made, context)
            edits = [edits[int(place)] for place in rng.permutation(len(edits))]
            for _ in range(min(MOST, len(edits))):
                edit = edits.pop(min(range(len(edits)), key=lambda at: kinds[edits[at].kind]))
                texts = [exchange(captions[0], edit), exchange(captions[1], turn(edit))]
                if not all(texts):
                    continue
                parts = (texts[0][int(rng.integers(len(texts[0])))], texts[1][int(rng.integers(len(texts[1])))])
                # What fails counts too: a kind of which nothing is false must not hold up the others.
                kinds[edit.kind] += 1
                text = made.say(parts)
                if contradicts_both(self.halves, parts, made, context) or (
                    not find_false(self.halves, parts, made, context) and self.halves.refutes_all(text, anchor, context)
                ):
                    yield Draft(text=text, edits=(edit, turn(edit)))

    def _list_edits(self, captions: Parts, made: Composite, context: Context[CompositeSettings]) -> list[Edit]:
        """What the first caption says, exchanged for what the second says in the same kind."""
        said, listed, decided = [], [], True
        for caption, half in zip(captions, made.halves, strict=True):
            domain, own = self.halves.find(half, context)
            assert domain.wording is not None
            decided &= domain.judges(half)
            listed.append({*domain.wording.list_edits(caption, half, own)})
            said.append(dict.fromkeys((edit.kind, edit.target) for edit in sorted(listed[-1], key=str)))
        edits = [Edit(kind, one, other) for kind, one in said[0] for same, other in said[1] if same == kind]
        return [
            edit
            for edit in edits
            if edit.target.casefold() != edit.replacement.casefold()
            and edit.target in captions[0]
            and edit.replacement in captions[1]
            # Where nobody decides, what excludes what is a table's to say.
            and (decided or (edit in listed[0] and turn(edit) in listed[1]))
        ]

    def verify(self, checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CompositeSettings]) -> None:
        """One exchange, false of both halves however the text is read."""
        text = check_alone(checks, contrast)
        made = read_composite(anchor)
        parts = find_parts(made, text, contrast.edits)
        checks.require("edits_seen", parts is not None, "it is not the anchor's captions with the one exchange named")
        assert parts is not None
        if contradicts_both(self.halves, parts, made, context):
            checks.require("contradicts_halves", True, "")
            checks.grade = "contradicts"
            return
        why = find_false(self.halves, parts, made, context)
        checks.require("false_of_both", not why, why)
        false = self.halves.refutes_all(text, anchor, context)
        checks.require("false_however_read", false is True, "dealt out to the halves otherwise, it is not shown false")

    def measure(self, contrast: Contrast, anchor: Anchor, context: Context[CompositeSettings]) -> set[str]:
        """What differs of each half, by its own domain's measure."""
        made = read_composite(anchor)
        parts = find_parts(made, contrast.text or "", contrast.edits)
        if parts is None:
            raise CheckError("edits_seen: it is not the anchor's captions with the one exchange named")
        changed: set[str] = set()
        for text, half in zip(parts, made.halves, strict=True):
            domain, own = self.halves.find(half, context)
            changed |= measure_half(domain, text, half, own)
        return changed


def turn(edit: Edit) -> Edit:
    """The exchange as the other caption sees it."""
    return Edit(edit.kind, edit.replacement, edit.target)


def find_parts(made: Composite, text: str, edits: Sequence[Edit]) -> Parts | None:
    """What a text says of each half, where it is two captions of them with the exchange that is named; else None."""
    if len(edits) != 2 or edits[1] != turn(edits[0]):
        return None
    for captions in list_pairs(made):
        for one in exchange(captions[0], edits[0]):
            for other in exchange(captions[1], edits[1]):
                if made.say((one, other)) == text:
                    return one, other
    return None


def measure_half(domain: Any, text: str, half: Anchor, own: Context[Any]) -> set[str]:
    """What a false text has wrong of a half."""
    wrong = domain.wording.changes(text, half, own) if domain.wording.changes is not None else None
    if wrong is None:
        row = Contrast(half.anchor_id, "", "negative", "text", text=text)
        wrong = domain.changes(row, half, own)
    return set(wrong)


def describe_exchanges(halves: Halves) -> tuple[Family[CompositeSettings], ...]:
    """The families' entries."""
    one = Exchange(halves)
    family = Family[CompositeSettings](
        NAME,
        "negative",
        "text",
        paper="CLIC",
        how="a word, number, letter or label exchanged across the captions of two pictures in one, false of both",
        make=one.make,
        verify=checked(one.verify),
        count=lambda settings: settings.exchanges,
        version=2,
        uses=("exchanges", "sections"),
        changes=one.measure,
        sample=one.sample,
    )
    return (family,)
