"""The preparation ``caption.plan``: what is exchanged in which caption, decided over all of the run.

Its parts parse the captions of a shard of anchors. Its last step counts how the source uses words, finds which words
can become which, balances types and exchanges, and writes for each anchor and family what its maker tries.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from storage.rows import Anchor
from tasks.caption.concreteness import Ratings, is_expression
from tasks.caption.plan import doubts
from tasks.caption.plan.choose import Exchange, Ranked, balance_types, choose_exchanges, rank_slots
from tasks.caption.plan.kinds import COLOURS, can_pose, find_kinds, stands_beside
from tasks.caption.plan.slots import Key, Slot, find_slots, pack, unpack
from tasks.caption.plan.swaps import list_swaps
from tasks.caption.plan.usage import Usage
from tasks.caption.scenes.language.write import write_captions
from tasks.caption.scenes.sample import sample_scene
from tasks.caption.settings import PLAN_KEYS, CaptionSettings
from tasks.caption.words.lexicon import Lexicon, open_lexicon
from tasks.caption.words.parse import parse
from tasks.contract.context import Context, generator
from tasks.contract.prepare import Part, Preparation, Prepared

Kind = Literal["concrete", "asked", "mask", "swap"]
STRANGE = 2.2
"""A word may be so much less or more usual in its place than the one it replaces: the logarithm of nine times."""
TRIES = 3
"""Replacements of one slot that are tried."""
ENOUGH = 400
"""Scenes whose captions show well enough which word goes where."""
IMAGINED = "~"
"""What names of scenes begin with that are only spoken of; anchors' ids are hexadecimal."""

_SLOT = pa.struct(
    [("first", pa.int32()), ("last", pa.int32())]
    + [(name, pa.string()) for name in ("type", "lemma", "part", "tag", "left", "right", "count")]
    + [("listed", pa.bool_()), ("several", pa.bool_())]
)
_PART = pa.schema([("anchor_id", pa.string()), ("own", pa.int32()), ("captions", pa.list_(pa.list_(_SLOT)))])
_PROPOSAL = pa.struct([("slot", _SLOT), ("other", _SLOT), ("lemma", pa.string()), ("rating", pa.float64())])
_PLAN = pa.schema([("anchor_id", pa.string()), ("kind", pa.string()), ("proposals", pa.list_(_PROPOSAL))])


@dataclass(frozen=True, slots=True)
class Proposal:
    """One exchange in an anchor's caption: ``lemma`` for the slot's word, or the slot's word and ``other``'s."""

    slot: Slot
    lemma: str
    rating: float
    """of the slot's word"""
    other: Slot | None = None


class Proposals:
    """The proposals of all anchors, read-only."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        names = zip(table["anchor_id"].to_pylist(), table["kind"].to_pylist(), strict=True)
        self._rows = {pair: row for row, pair in enumerate(names)}

    def get(self, anchor_id: str, kind: Kind) -> list[Proposal]:
        """What is tried for an anchor, in order."""
        row = self._rows.get((anchor_id, kind))
        if row is None:
            return []
        return [
            Proposal(
                unpack(each["slot"]), each["lemma"], each["rating"], unpack(each["other"]) if each["other"] else None
            )
            for each in self._table["proposals"][row].as_py()
        ]


def make_part(number: int, anchors: Sequence[Anchor], context: Context[CaptionSettings]) -> pa.Table:
    """The slots of all captions of the anchors; ``own`` is which of the captions is the anchor's."""
    del number
    settings = context.settings
    lexicon, ratings = open_lexicon(settings.wordnet), Ratings(settings.norms, visual=False)
    texts = [caption for anchor in anchors for caption in anchor.captions]
    slots = (find_slots(s, lambda words: is_expression(words, ratings, lexicon)) for s in parse(texts, settings.parser))
    rows = []
    for anchor in anchors:
        captions = [list(pack(next(slots))) for _ in anchor.captions]
        own = anchor.captions.index(anchor.caption or "")
        rows.append({"anchor_id": anchor.anchor_id, "own": own, "captions": captions})
    return pa.Table.from_pylist(rows, _PART)


def gather(parts: Sequence[Part], context: Context[CaptionSettings]) -> pa.Table:
    """The proposals of every anchor and kind, in the order of the anchors' ids."""
    corpus = dict(sorted(_read(parts)))
    corpus |= _imagine(len(corpus), context)
    usage = Usage()
    for _, captions in corpus.values():
        usage.add(captions)
    planner = _Planner(corpus, usage, context)
    rows = [
        {"anchor_id": anchor, "kind": kind, "proposals": [_pack(proposal) for proposal in proposals]}
        for kind, planned in (
            ("concrete", planner.plan_concrete()),
            ("asked", planner.plan_asked()),
            ("mask", planner.plan_mask()),
            ("swap", planner.plan_swap()),
        )
        for anchor, proposals in planned.items()
        if not anchor.startswith(IMAGINED)
    ]
    return pa.Table.from_pylist(rows, _PLAN)


def _imagine(count: int, context: Context[CaptionSettings]) -> dict[str, tuple[int, list[list[Slot]]]]:
    """Captions of further scenes, where the run's own are too few to show how scenes are spoken of."""
    settings = context.settings
    if not settings.source.startswith("procedural:"):
        return {}
    lexicon, ratings = open_lexicon(settings.wordnet), Ratings(settings.norms, visual=False)
    written = []
    for i in range(max(0, ENOUGH - count)):
        scene = sample_scene(generator(context.seed, "caption.imagined", i))
        written.append(write_captions(scene, generator(context.seed, "caption.imagined.words", i), 2))
    parsed = parse((caption for captions in written for caption in captions), settings.parser)
    slots = (find_slots(s, lambda words: is_expression(words, ratings, lexicon)) for s in parsed)
    return {f"{IMAGINED}{i:04d}": (0, [next(slots) for _ in captions]) for i, captions in enumerate(written)}


def _read(parts: Sequence[Part]) -> Iterator[tuple[str, tuple[int, list[list[Slot]]]]]:
    for part in parts:
        for row in part.read().to_pylist():
            yield row["anchor_id"], (row["own"], [[unpack(slot) for slot in slots] for slots in row["captions"]])


def _pack(proposal: Proposal) -> dict[str, Any]:
    slots = [proposal.slot, *([proposal.other] if proposal.other else [])]
    packed = list(pack(slots))
    other = packed[1] if proposal.other else None
    return {"slot": packed[0], "other": other, "lemma": proposal.lemma, "rating": proposal.rating}


class _Planner:
    def __init__(
        self, corpus: Mapping[str, tuple[int, list[list[Slot]]]], usage: Usage, context: Context[CaptionSettings]
    ) -> None:
        self.settings, self.seed = context.settings, context.seed
        self.own = {anchor: captions[own] for anchor, (own, captions) in corpus.items()}
        self.said = {
            anchor: {key for slots in captions for key in (slot.key for slot in slots)}
            for anchor, (_, captions) in corpus.items()
        }
        self.others = {
            anchor: [slot.key for i, slots in enumerate(captions) if i != own for slot in slots]
            for anchor, (own, captions) in corpus.items()
        }
        self.words = {
            anchor: [_list_words(slots) for i, slots in enumerate(captions) if i != own]
            for anchor, (own, captions) in corpus.items()
        }
        self.usage = usage
        self.lexicon: Lexicon = open_lexicon(self.settings.wordnet)
        self.ratings = Ratings(self.settings.norms, self.settings.concreteness == "visual")
        self.seen = self.settings.source.startswith("procedural:")
        self.kinds = find_kinds(usage.words, self.lexicon, self.seen)

    def plan_concrete(self) -> dict[str, list[Proposal]]:
        """The most concrete words, exchanged for others of their kind."""
        return self._plan("concrete", self._rank("concrete", with_offers=True))

    def plan_asked(self) -> dict[str, list[Proposal]]:
        """The most concrete words, for which a language model is asked for others."""
        ranked = self._rank("asked", with_offers=False)
        return {
            anchor: [Proposal(slot, slot.unit.lemma, rating) for slot, rating in slots]
            for anchor, slots in ranked.items()
        }

    def _rank(self, kind: Kind, *, with_offers: bool) -> dict[str, Ranked]:
        """The slots of each caption that are tried, in order; ``with_offers``: those that the source can fill."""
        settings = self.settings
        ranked = {}
        for anchor, slots in self.own.items():
            drawn = rank_slots(self._rate(slots), settings.concreteness, settings.top, self._rng(kind, anchor))
            free = self._list_free(drawn, anchor)
            ranked[anchor] = [pair for pair in free if not with_offers or self._list_fitting(pair[0], anchor)]
        ticket = {anchor: float(self._rng("types", anchor).random()) for anchor in ranked}
        return balance_types(ranked, settings.top, ticket)

    def plan_mask(self) -> dict[str, list[Proposal]]:
        """Any word, refilled by what the source says in like contexts."""
        ranked = {}
        for anchor, slots in self.own.items():
            rated = self._rate(slots)
            order = self._rng("mask", anchor).permutation(len(rated))
            free = self._list_free([rated[i] for i in order], anchor)
            ranked[anchor] = [pair for pair in free if self._list_fitting(pair[0], anchor)]
        return self._plan("mask", ranked)

    def plan_swap(self) -> dict[str, list[Proposal]]:
        """Two words of the caption that change places."""
        planned = {}
        for anchor, slots in self.own.items():
            pairs = list_swaps(slots, self.kinds, self.usage, self.lexicon, STRANGE, self.seen)
            order = self._rng("swap", anchor).permutation(len(pairs))
            planned[anchor] = [self._propose_swap(*pairs[i]) for i in order]
        return planned

    def _propose_swap(self, a: Slot, b: Slot) -> Proposal:
        ratings = [rating for slot in (a, b) if (rating := self.ratings.rate_unit(slot.unit)) is not None]
        return Proposal(a, b.unit.lemma, max(ratings, default=0.0), b)

    def _plan(self, kind: Kind, ranked: Mapping[str, Ranked]) -> dict[str, list[Proposal]]:
        """Of each slot the replacements that are tried: first those that were chosen over all of the run, among the
        slots that are tried first; then others, for those that fail."""
        wanted = max(self.settings.negatives, 1)
        fitting = {
            anchor: [
                Exchange(slot, place, other)
                for place, (slot, _) in enumerate(slots)
                for other in self._list_fitting(slot, anchor)
            ]
            for anchor, slots in ranked.items()
            if not anchor.startswith(IMAGINED)
        }
        first = [[each for each in found if each.place < wanted] for found in fitting.values()]
        planned: dict[str, list[Proposal]] = {}
        for (anchor, found), chosen in zip(fitting.items(), choose_exchanges(first, wanted), strict=True):
            drawn = self._rng(f"{kind}.draw", anchor).permutation(len(found)).tolist()
            others = sorted((i for i in drawn if i not in chosen), key=lambda i: found[i].place)
            tried: Counter[int] = Counter()
            planned[anchor] = []
            for slot, place, other in (found[i] for i in [*chosen, *others]):
                tried[place] += 1
                if tried[place] <= TRIES:
                    planned[anchor].append(Proposal(slot, other.lemma, ranked[anchor][place][1]))
        return planned

    def _rate(self, slots: Sequence[Slot]) -> Ranked:
        rated = ((slot, self.ratings.rate_unit(slot.unit)) for slot in slots)
        return [(slot, rating) for slot, rating in rated if rating is not None]

    def _list_free(self, ranked: Ranked, anchor: str) -> Ranked:
        """The slots that may change: no nouns that the caption takes up again ("the dog"), and no attributes that stand
        beside others of their kind ("a small little table", "red and blue")."""
        own = self.own[anchor]
        times = Counter(slot.unit.lemma for slot in own if slot.unit.part == "n")
        return [
            (slot, rating)
            for slot, rating in ranked
            if times[slot.unit.lemma] < 2
            and (self.seen or not self._is_doubtful(slot, anchor))
            and not any(stands_beside(slot, other, self.lexicon) for other in own)
        ]

    def _is_doubtful(self, slot: Slot, anchor: str) -> bool:
        """Whether an exchange of the slot might be true of the photograph whatever it becomes."""
        if not can_pose(slot, self.lexicon) or doubts.may_stand_beside(slot, self.lexicon):
            return True
        if doubts.is_of_many(slot) or doubts.is_of_a_part(slot):
            return True
        if doubts.relates_alike(slot, self.own[anchor]) or doubts.is_number_disputed(slot, self.words[anchor]):
            return True
        if doubts.needs_second(slot) and not doubts.says_as_well(slot, self.words[anchor], self.lexicon):
            return True
        if doubts.is_one_of_herd(slot, self.words[anchor], self.lexicon):
            return True
        if not doubts.is_one_of_people(slot):
            return False
        nouns = {(key.lemma, key.form == "many") for key in self.said[anchor] if key.part == "n"}
        return any(True for _ in doubts.name_crowds(nouns, slot.unit.lemma, self.lexicon))

    def _may_become(self, slot: Slot, other: Key, anchor: str) -> bool:
        """Whether the photograph's captions, and what the source says elsewhere, leave it no chance to be so."""
        if self.usage.stand_together(slot.key, other):
            return False
        if slot.unit.part == "a" and other.lemma in COLOURS:
            return doubts.find_near_colour(other.lemma, (k.lemma for k in self.others[anchor])) is None
        if doubts.is_one_of_people(slot) and doubts.find_near_age(other.lemma, (k.lemma for k in self.others[anchor])):
            return False
        if self.lexicon.find_field(slot.unit.lemma, slot.unit.part) != "noun.artifact":
            return True
        return self.usage.is_known(slot.key) and self.usage.is_known(other)

    def _list_fitting(self, slot: Slot, anchor: str) -> list[Key]:
        """Words of a kind that fit the slot as well, and that no caption of the picture says. Numbers have none: where
        three are, two are as well, and greater ones alone would tell the negative."""
        if slot.unit.part == "c":
            return []
        usual = self.usage.score(slot.key, slot)
        return [
            other
            for other in sorted(self.kinds.get(slot.key, ()))
            if other not in self.said[anchor]
            and self.usage.fits(other, slot)
            and abs(self.usage.score(other, slot) - usual) <= STRANGE
            and not self.usage.go_together(slot.key, other)
            and (self.seen or self._may_become(slot, other, anchor))
        ]

    def _rng(self, what: str, anchor: str) -> np.random.Generator:
        return generator(self.seed, "caption.plan", what, anchor)


def _list_words(slots: Sequence[Slot]) -> list[str]:
    """The caption's words as far as its slots tell, each adjective or number before its noun."""
    return [
        word
        for slot in slots
        for word in ((slot.unit.lemma, slot.right) if slot.unit.part in ("a", "c") else (slot.unit.lemma,))
    ]


def _open(prepared: Prepared, context: Context[CaptionSettings]) -> Proposals:
    del context
    assert prepared.gathered is not None
    return Proposals(prepared.gathered)


PLAN: Preparation[CaptionSettings, Proposals] = Preparation(
    name="caption.plan", make=make_part, open=_open, gather=gather, uses=(*PLAN_KEYS, "source"), version=10
)
