"""Pairs of words in one caption that can change places, so that another thing is said and nothing odd (AHNPL Sec. 3.1).

Two nouns change places where a relation between them has a direction: "a cat under a table", not "a cat and a dog" or
"a cat beside a dog", which say the same either way. Two adjectives or numbers of a kind change places where each
belongs to another noun. Both must be as usual in their new places as in their old ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from counterfoil.tasks.caption.plan.kinds import PEOPLE
from counterfoil.tasks.caption.plan.slots import START, Key, Slot
from counterfoil.tasks.caption.plan.usage import Usage
from counterfoil.tasks.caption.words.lexicon import Lexicon
from counterfoil.tasks.caption.words.lists import PATTERNS
from counterfoil.tasks.caption.words.spatial import EXCLUSIVE

MUTUAL = frozenset({"meet", "face", "touch", "kiss", "hug", "join", "resemble", "match", "share", "surround", "cross"})
"""Verbs that say the same of both."""
_FREE = frozenset({START, ",", "and", "be", "there", "while"})
"""What stands to the left of a noun that nothing governs."""
_SORTS = {"noun.person": "person", "noun.animal": "animal", "noun.artifact": "thing", "noun.food": "food"}


def list_swaps(
    slots: Sequence[Slot],
    kinds: Mapping[Key, frozenset[Key]],
    usage: Usage,
    lexicon: Lexicon,
    strange: float | None,
    seen: bool,
) -> list[tuple[Slot, Slot]]:
    """The pairs, in the order of the caption.

    ``strange``: by how much a place may be less (or more) usual for them; None: it may be unheard of. ``seen``: what is
    true is looked up in the picture; of photographs, only people, animals, things and foods change places, and where it
    must be usual only two of one sort.
    """
    return [
        (a, b)
        for a, b in combinations(slots, 2)
        if can_swap(a, b, slots, kinds, lexicon)
        and (seen or a.unit.part != "n" or _are_alike(a, b, lexicon, strange is None))
        and (strange is None or _are_as_usual(a, b, usage, strange))
    ]


def _are_alike(a: Slot, b: Slot, lexicon: Lexicon, unlike: bool) -> bool:
    """Whether both nouns are of a sort that is seen, and, but where ``unlike`` may be, of one."""
    sorts = {_find_sort(a, lexicon), _find_sort(b, lexicon)}
    return None not in sorts and (unlike or len(sorts) == 1)


def _are_as_usual(a: Slot, b: Slot, usage: Usage, strange: float) -> bool:
    return usage.fits(b.key, a) and usage.fits(a.key, b) and abs(_measure_change(a, b, usage)) <= strange


def can_swap(a: Slot, b: Slot, slots: Sequence[Slot], kinds: Mapping[Key, frozenset[Key]], lexicon: Lexicon) -> bool:
    """Whether the sentence says something else when the two (``a`` before ``b``) change places."""
    if (a.key.part, a.key.form) != (b.key.part, b.key.form) or a.unit.lemma == b.unit.lemma:
        return False
    if a.unit.part == "n":
        return _can_swap_nouns(a, b, slots, lexicon)
    return _can_swap_attributes(a, b, slots, kinds)


def _measure_change(a: Slot, b: Slot, usage: Usage) -> float:
    after = usage.score(b.key, a) + usage.score(a.key, b)
    return after - usage.score(a.key, a) - usage.score(b.key, b)


def _can_swap_nouns(a: Slot, b: Slot, slots: Sequence[Slot], lexicon: Lexicon) -> bool:
    if lexicon.find_kin(a.unit.lemma, b.unit.lemma, "n") is not None and not {a.unit.lemma, b.unit.lemma} <= PEOPLE:
        return False
    return any(_is_directed(link) for link in _list_links(a, b, slots))


def _list_links(a: Slot, b: Slot, slots: Sequence[Slot]) -> Iterator[Slot]:
    """Relations whose subject is the one and whose object is the other, as far as their order tells."""
    if a.left not in _FREE:
        # Who rides a wave on a board rides a board on a wave: the relation is the rider's.
        return
    for link in slots:
        if link.unit.type != "relation" or not a.unit.last < link.unit.first < b.unit.first:
            continue
        between = [s for s in slots if s.unit.part == "n" and a.unit.last < s.unit.first < b.unit.first]
        if link.right == b.unit.lemma.rpartition(" ")[2] and not between:
            yield link


def _find_sort(slot: Slot, lexicon: Lexicon) -> str | None:
    """What the noun is by its field, as far as it matters for where it may stand."""
    word = slot.unit.lemma if lexicon.knows(slot.unit.lemma, "n") else slot.unit.lemma.rpartition(" ")[2]
    return _SORTS.get(lexicon.find_field(word, "n") or "")


def _is_directed(link: Slot) -> bool:
    if link.unit.part == "p":
        return bool(EXCLUSIVE.get(link.unit.lemma))
    return link.unit.lemma not in MUTUAL


def _can_swap_attributes(a: Slot, b: Slot, slots: Sequence[Slot], kinds: Mapping[Key, frozenset[Key]]) -> bool:
    # A blue, white and green bus is a green, white and blue one. Of two things the first stands between the two words.
    apart = any(a.unit.last < s.unit.first < b.unit.first and s.unit.part not in ("a", "c") for s in slots)
    if not PATTERNS.isdisjoint({a.right, b.right}):
        return False
    return apart and a.unit.part in ("a", "c") and a.right != b.right and b.key in kinds.get(a.key, ())
