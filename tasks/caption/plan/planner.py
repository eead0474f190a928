"""What is exchanged in which caption, of all captions of all pictures of a run.

Every caption of a picture is an anchor of near misses: were one alone, by its length say, whoever sees the others
beside a near miss would know it by that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from counterfoil.tasks.caption.concreteness import Ratings
from counterfoil.tasks.caption.plan import doubts
from counterfoil.tasks.caption.plan.choose import Exchange, Ranked, balance_types, choose_exchanges, rank_slots
from counterfoil.tasks.caption.plan.kinds import COLOURS, NUMBERS, can_pose, find_kinds, stands_beside
from counterfoil.tasks.caption.plan.slots import START, Key, Slot
from counterfoil.tasks.caption.plan.swaps import list_swaps
from counterfoil.tasks.caption.plan.usage import Usage
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words import interchange
from counterfoil.tasks.caption.words.lexicon import Lexicon, open_lexicon
from counterfoil.tasks.contract.context import Context, generator

Corpus = Mapping[str, list[list[Slot]]]
"""The slots of each caption of each picture."""
Place = tuple[str, int]
"""A caption: its picture's anchor, and which of its captions."""
STRANGE = 2.2
"""A word may be so much less or more usual in its place than the one it replaces: the logarithm of nine times."""
TRIES = 3
"""Replacements of one slot that are tried."""
IMAGINED = "~"
"""What names of scenes begin with that are only spoken of; anchors' ids are hexadecimal."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One exchange in a caption: ``lemma`` for the slot's word, or the slot's word and ``other``'s."""

    caption: int
    """which of the anchor's captions"""
    slot: Slot
    lemma: str
    rating: float
    """of the slot's word"""
    other: Slot | None = None


Plan = dict[str, list[Proposal]]
_MORE = 2
"""How many of the numbers that follow may take a number's place."""


class Planner:
    """Plans the exchanges of each kind of family."""

    def __init__(self, corpus: Corpus, usage: Usage, context: Context[CaptionSettings]) -> None:
        self.settings, self.seed = context.settings, context.seed
        self.corpus = {anchor: captions for anchor, captions in corpus.items() if not anchor.startswith(IMAGINED)}
        self.slots = {
            (anchor, i): slots for anchor, captions in self.corpus.items() for i, slots in enumerate(captions)
        }
        self.said = {
            anchor: {(slot.key.part, slot.key.lemma) for slots in captions for slot in slots}
            for anchor, captions in self.corpus.items()
        }
        self.words = {anchor: [_list_words(slots) for slots in captions] for anchor, captions in self.corpus.items()}
        self.usage = usage
        self.lexicon: Lexicon = open_lexicon(self.settings.wordnet)
        self.ratings = Ratings(self.settings.norms, self.settings.concreteness == "visual")
        self.seen = self.settings.source.startswith("procedural:")
        self._fitting: dict[tuple[Slot, Place], list[Key]] = {}
        self.kinds = find_kinds([*usage.words, *([] if self.seen else _list_lexicon())], self.lexicon, self.seen)

    def plan_concrete(self) -> Plan:
        """The most concrete words, exchanged for others of their kind."""
        return self._plan("concrete", self._rank("concrete", with_offers=True))

    def plan_asked(self) -> Plan:
        """The most concrete words, for which a language model is asked for others: each caption's first, then each
        one's second."""
        ranked = self._rank("asked", with_offers=False)
        planned: Plan = {}
        for anchor, captions in self.corpus.items():
            order = self._rng("asked.captions", anchor).permutation(len(captions)).tolist()
            found = [(n, i, *pair) for i in order for n, pair in enumerate(ranked[anchor, i])]
            found.sort(key=lambda each: each[0])
            planned[anchor] = [Proposal(i, slot, slot.unit.lemma, rating) for _, i, slot, rating in found]
        return planned

    def _rank(self, kind: str, *, with_offers: bool) -> dict[Place, Ranked]:
        """The slots of each caption that are tried, in order; ``with_offers``: those that the source can fill."""
        settings = self.settings
        ranked = {}
        for place, slots in self.slots.items():
            drawn = rank_slots(self._rate(slots), settings.concreteness, settings.top, self._rng(kind, *place))
            ranked[place] = self._list_free(drawn, place, with_offers)
        ticket = {place: float(self._rng("types", *place).random()) for place in ranked}
        return balance_types(ranked, settings.top, ticket)

    def plan_mask(self) -> Plan:
        """Any word, refilled by what the source says in like contexts."""
        ranked = {}
        for place, slots in self.slots.items():
            rated = self._rate(slots)
            order = self._rng("mask", *place).permutation(len(rated))
            ranked[place] = self._list_free([rated[i] for i in order], place, True)
        return self._plan("mask", ranked)

    def plan_swap(self) -> Plan:
        """Two words of a caption that change places."""
        planned: Plan = {}
        strange = STRANGE if self.settings.swaps == "usual" else None
        for anchor, captions in self.corpus.items():
            pairs = [
                (i, *pair)
                for i, slots in enumerate(captions)
                for pair in list_swaps(slots, self.kinds, self.usage, self.lexicon, strange, self.seen)
            ]
            order = self._rng("swap", anchor).permutation(len(pairs))
            planned[anchor] = [self._propose_swap(*pairs[i]) for i in order]
        return planned

    def _propose_swap(self, caption: int, a: Slot, b: Slot) -> Proposal:
        ratings = [rating for slot in (a, b) if (rating := self.ratings.rate_unit(slot.unit)) is not None]
        return Proposal(caption, a, b.unit.lemma, max(ratings, default=0.0), b)

    def _plan(self, kind: str, ranked: Mapping[Place, Ranked]) -> Plan:
        """Of each slot the replacements that are tried: first those that were chosen over all of the run, among the
        slots that are tried first; then others, for those that fail."""
        wanted = max(self.settings.negatives, 1)
        fitting = {anchor: self._list_exchanges(anchor, ranked) for anchor in self.corpus}
        first = [[each for each in found if each.order < wanted] for found in fitting.values()]
        planned: Plan = {}
        for (anchor, found), kept, chosen in zip(fitting.items(), first, choose_exchanges(first, wanted), strict=True):
            picked = [kept[i] for i in chosen]
            drawn = self._rng(f"{kind}.draw", anchor).permutation(len(found)).tolist()
            others = sorted((found[i] for i in drawn if found[i] not in picked), key=lambda each: each.order)
            tried: Counter[tuple[int, int]] = Counter()
            planned[anchor] = []
            for each in [*picked, *others]:
                tried[each.caption, each.order] += 1
                if tried[each.caption, each.order] <= TRIES:
                    rating = ranked[anchor, each.caption][each.order][1]
                    planned[anchor].append(Proposal(each.caption, each.slot, each.other.lemma, rating))
        return planned

    def _list_exchanges(self, anchor: str, ranked: Mapping[Place, Ranked]) -> list[Exchange]:
        return [
            Exchange(slot, i, order, other)
            for i in range(len(self.corpus[anchor]))
            for order, (slot, _) in enumerate(ranked[anchor, i])
            for other in self._list_fitting(slot, (anchor, i))
        ]

    def _rate(self, slots: Sequence[Slot]) -> Ranked:
        rated = ((slot, self.ratings.rate_unit(slot.unit)) for slot in slots)
        return [(slot, rating) for slot, rating in rated if rating is not None]

    def _list_free(self, ranked: Ranked, place: Place, with_offers: bool) -> Ranked:
        """The slots that may change: no nouns that the caption takes up again ("the dog"), and no attributes that stand
        beside others of their kind ("a small little table", "red and blue")."""
        own = self.slots[place]
        times = Counter(slot.unit.lemma for slot in own if slot.unit.part == "n")
        return [
            (slot, rating)
            for slot, rating in ranked
            if times[slot.unit.lemma] < 2
            and (self.seen or not self._is_doubtful(slot, place))
            and not any(stands_beside(slot, other, self.lexicon) for other in own)
            and not (with_offers and not self._list_fitting(slot, place))
        ]

    def _list_others(self, place: Place) -> list[list[str]]:
        """The words of the picture's other captions."""
        anchor, own = place
        return [words for i, words in enumerate(self.words[anchor]) if i != own]

    def _is_doubtful(self, slot: Slot, place: Place) -> bool:
        """Whether an exchange of the slot might be true of the photograph whatever it becomes."""
        if not can_pose(slot, self.lexicon) or doubts.may_stand_beside(slot, self.lexicon):
            return True
        if doubts.is_of_many(slot) or doubts.is_of_a_part(slot):
            return True
        others = self._list_others(place)
        if doubts.relates_alike(slot, self.slots[place]) or doubts.is_at_board(slot, self.lexicon):
            return True
        if doubts.is_number_disputed(slot, others, self.words[place[0]][place[1]]):
            return True
        if doubts.is_posture_disputed(slot, others, self.words[place[0]][place[1]]):
            return True
        if doubts.needs_second(slot) and not doubts.says_as_well(slot, others, self.lexicon):
            return True
        if doubts.is_one_of_herd(slot, others, self.lexicon):
            return True
        keys = (each.key for slots in self.corpus[place[0]] for each in slots)
        nouns = {(key.lemma, key.form == "many") for key in keys if key.part == "n"}
        if doubts.is_worn_among_others(slot, nouns, self.lexicon):
            return True
        return doubts.is_one_of_people(slot) and any(
            True for _ in doubts.name_crowds(nouns, slot.unit.lemma, self.lexicon)
        )

    def _may_become(self, slot: Slot, other: Key, place: Place) -> bool:
        """Whether the photograph's captions, and what the source says elsewhere, leave it no chance to be so."""
        if self.usage.stand_together(slot.key, other):
            return False
        said = [each.key.lemma for i, slots in enumerate(self.corpus[place[0]]) if i != place[1] for each in slots]
        if slot.unit.part == "a" and other.lemma in COLOURS:
            return doubts.find_near_colour(other.lemma, said) is None
        return not (doubts.is_one_of_people(slot) and doubts.find_near_age(other.lemma, said))

    def _list_fitting(self, slot: Slot, place: Place) -> list[Key]:
        """Words of a kind that fit the slot as well, and that no caption of the picture says; remembered, as each kind
        of family asks anew."""
        known = self._fitting.get((slot, place))
        if known is None:
            known = self._fitting[slot, place] = self._find_fitting(slot, place)
        return known

    def _find_fitting(self, slot: Slot, place: Place) -> list[Key]:
        if slot.unit.part == "c":
            return [] if self.seen else self._list_more(slot, place)
        usual = self.usage.score(slot.key, slot)
        return [
            other
            for other in self._list_alike(slot)
            if (other.part, other.lemma) not in self.said[place[0]]
            and (
                self._is_licensed(slot, other, place)
                or (
                    self.usage.fits(other, slot)
                    and abs(self.usage.score(other, slot) - usual) <= STRANGE
                    and (self.seen or self._is_known(slot, other))
                )
            )
            and not self.usage.go_together(slot.key, other)
            and (self.seen or self._may_become(slot, other, place))
        ]

    def _list_alike(self, slot: Slot) -> list[Key]:
        """What excludes the slot's word: of its kind, or as the lexicon says of what is done with such a thing."""
        found = set(self.kinds.get(slot.key, ()))
        if not self.seen and slot.unit.type == "relation":
            words = interchange.list_relations(slot.unit.lemma, slot.unit.part, slot.right)
            found |= {slot.key._replace(lemma=word) for word in words}
        return sorted(found)

    def _list_more(self, slot: Slot, place: Place) -> list[Key]:
        """Greater numbers, where another caption counts alike: where three are, two are as well."""
        number = slot.unit.lemma
        if number not in NUMBERS or all(number not in words for words in self._list_others(place)):
            return []
        at = NUMBERS.index(number)
        return [slot.key._replace(lemma=each) for each in NUMBERS[at + 1 : at + 1 + _MORE]]

    def _is_licensed(self, slot: Slot, other: Key, place: Place) -> bool:
        """Whether the lexicon says that the word stands there as well, whatever the source shows."""
        if self.seen:
            return False
        if slot.unit.part == "a":
            return interchange.may_qualify(slot.unit.lemma, other.lemma, self.lexicon.find_field(slot.right, "n"))
        if slot.unit.type == "relation":
            return other.lemma in interchange.list_relations(slot.unit.lemma, slot.unit.part, slot.right)
        others, own = self._list_others(place), self.words[place[0]][place[1]]
        if slot.count == "bare" and slot.left != START and doubts.is_one_of_people(slot):
            # "Full of man colorful cupcakes": whoever says so has mistyped.
            return False
        left, right = self.usage.left[slot.left, other] > 0, self.usage.right[other, slot.right] > 0
        return any(
            group.fits(slot.left, slot.right, left, right)
            and doubts.is_agreed(slot, others, group.agreed)
            and not doubts.is_disputed(slot, others, own, group.words)
            for group in interchange.find_groups(slot.unit.lemma, other.lemma)
        )

    def _is_known(self, slot: Slot, other: Key) -> bool:
        """Whether the source tells enough of things to know what they are confused with, and seen beside."""
        if self.lexicon.find_field(slot.unit.lemma, slot.unit.part) != "noun.artifact":
            return True
        return self.usage.is_known(slot.key) and self.usage.is_known(other)

    def _rng(self, what: str, *parts: str | int) -> np.random.Generator:
        return generator(self.seed, "caption.plan", what, *parts)


def _list_words(slots: Sequence[Slot]) -> list[str]:
    """The caption's words as far as its slots tell, each adjective or number before its noun."""
    return [
        word
        for slot in slots
        for word in ((slot.unit.lemma, slot.right) if slot.unit.part in ("a", "c") else (slot.unit.lemma,))
    ]


def _list_lexicon() -> Iterator[Key]:
    """The lexicon's words, which a source of few pictures may not say."""
    for word in interchange.NOUNS:
        yield Key("n", word, "")
        yield Key("n", word, "many")
    for words, _ in interchange.QUALITIES:
        yield from (Key("a", word, "") for word in words)
