"""Words that say the same of a picture: the first of a line stands for all of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.caption.words.forms import pluralise

WORDS = read_toml(Path(__file__).with_name("words.toml"))
LINES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    part: tuple(tuple(line.split("|")) for line in lines) for part, lines in WORDS["alike"].items()
}


def _list_first() -> dict[tuple[str, str], str]:
    first: dict[tuple[str, str], str] = {}
    for part, lines in LINES.items():
        for line in lines:
            for word in line:
                first[part, word] = line[0]
                if part == "nouns":
                    first[part, pluralise(word)] = pluralise(line[0])
    return first


_FIRST = _list_first()
PREPOSITIONS = frozenset(word for line in LINES["prepositions"] for word in line)


def find_alike(word: str, part: str) -> str:
    """The word that stands for all that say the same; the word itself where there are none.

    >>> find_alike("sofas", "nouns"), find_alike("beside", "prepositions"), find_alike("dog", "nouns")
    ('couches', 'next to', 'dog')
    """
    return _FIRST.get((part, word), word)


def list_alike(word: str, part: str) -> list[str]:
    """Words that say the same as the word, in its number."""
    for line in LINES[part]:
        if word in line:
            return [other for other in line if other != word]
        plurals = [pluralise(each) for each in line] if part == "nouns" else []
        if word in plurals:
            return [other for other in plurals if other != word]
    return []
