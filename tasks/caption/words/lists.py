"""The lists of ``lists.toml``: which words are states, measures, frames, and which forms are irregular."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from counterfoil.storage.plain import read_toml

_LISTS = read_toml(Path(__file__).with_name("lists.toml"))

STATES = frozenset(_LISTS["states"])
MEASURES = frozenset(_LISTS["measures"])
PICTURES = frozenset(_LISTS["pictures"])
FRAMES = frozenset(_LISTS["frames"]) | PICTURES
PATTERNS = frozenset(_LISTS["patterns"])
PARTED = frozenset(_LISTS["parted"])
GENDERED = frozenset(_LISTS["gendered"])
PRONOUNS = frozenset(_LISTS["pronouns"])
AMBIGUOUS = frozenset(_LISTS["ambiguous"])
MASS = frozenset(_LISTS["mass"])
VAGUE = frozenset(_LISTS["vague"])
LIGHT = frozenset(_LISTS["light"])
SAME = frozenset(_LISTS["same"])


def _read_names(lines: list[str]) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for line in lines:
        words = [word.replace("_", " ") for word in line.split()]
        for word in words:
            names.setdefault(word, set()).update(words)
    return names


_NAMES = {
    "n": _read_names(_LISTS["one_thing"]),
    "v": _read_names(_LISTS["one_act"]),
    "a": _read_names(_LISTS["one_quality"]),
}
QUANTIFIERS = frozenset(_LISTS["quantifiers"])
SINGLE = frozenset(_LISTS["single"])
COUNTERS = frozenset(_LISTS["counters"])
COLLECTIVE = frozenset(_LISTS["collective"])
PLURAL_ONLY = frozenset(_LISTS["plural_only"])
PLURALS: Mapping[str, str] = MappingProxyType({pair.split(":")[0]: pair.split(":")[1] for pair in _LISTS["plurals"]})
PAST: Mapping[str, tuple[str, str]] = MappingProxyType(
    {base: (past, participle) for base, past, participle in (triple.split(":") for triple in _LISTS["past"])}
)
CLOSED = frozenset(_LISTS["closed"])
"""Where one of these stands, leaving out or widening may turn what is true into what is not."""
DENYING = frozenset(_LISTS["denying"])
"""Where one of these stands, an exchanged word need not make what is true false: no dog on a bed, no cat on it."""
EMPTYING = frozenset(_LISTS["emptying"])
"""What is a toy dog or a stone lion is no dog and no lion."""
GENERAL = frozenset(_LISTS["general"])
"""Words that people use of what has a name of its own: WordNet knows many more, and calls a bicycle a container."""
HERDS = frozenset(_LISTS["herds"])
MIXED = frozenset(_LISTS["mixed"])
SHADES: Mapping[str, tuple[str, ...]] = MappingProxyType({word: tuple(of) for word, of in _LISTS["shades"].items()})
EXCLUSIVE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {phrase: tuple(others) for phrase, others in _LISTS["exclusive"].items()}
)


def may_name_one(word: str, other: str, part: str) -> bool:
    """Whether people use the two of one and the same thing, act or quality; of phrases, their last words.

    >>> may_name_one("kitten", "cat", "n"), may_name_one("sail boat", "ship", "n"), may_name_one("dog", "cat", "n")
    (True, True, False)
    """
    names = _NAMES.get(part, {})
    last = other.rpartition(" ")[2]
    for each in (word, word.rpartition(" ")[2]):
        known = names.get(each)
        if known and (other in known or last in known):
            return True
    return False
