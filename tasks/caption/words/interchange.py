"""What takes whose place in captions of photographs (``interchange.toml``): a lexicon of exchanges that no count of the
source need bear out, so that a few hundred pictures yield about what thousands do.

A source shows few of the places where a word may stand. Words of one group stand alike before and after words that say
nothing of what they are (prepositions, "and"), and with the verbs that the group names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from counterfoil.storage.plain import read_toml

_TABLE = read_toml(Path(__file__).with_name("interchange.toml"))
_FUNCTION = frozenset(_TABLE["function"])
_COMMON = frozenset(_TABLE["common"])
_ANY = "*"
_EDGES = frozenset({"^", "$", ","})


@dataclass(frozen=True, slots=True)
class Group:
    """Nouns of which each takes any other's place.

    Attributes:
        does: verbs that follow any of them; ``*``: any.
        under: verbs, and measures with "of", that any of them stands under; ``*``: any.
        after: prepositions that any of them stands after; None: any.
        agreed: how many other captions of the picture must name the noun that goes.
        bound: whether they exclude each other only in the part that ``under`` and ``after`` give them.
        seldom: words that go and do not come.
    """

    words: frozenset[str]
    does: frozenset[str]
    under: frozenset[str]
    after: frozenset[str] | None
    agreed: int
    bound: bool
    seldom: frozenset[str]

    def fits(self, left: str, right: str, own_left: bool, own_right: bool) -> bool:
        """Whether any of the words stands between these two. ``own_left``, ``own_right``: whether the source puts the
        word that comes there."""
        behind = left in (self.after if self.after is not None else _FUNCTION)
        led = left in self.under or behind
        led |= not self.bound and (_ANY in self.under or left in _COMMON | _EDGES or own_left)
        followed = right in _FUNCTION | _EDGES or right in self.does or _ANY in self.does or own_right
        return led and followed


def _read_group(row: Mapping[str, object]) -> Group:
    def words(name: str) -> frozenset[str]:
        return frozenset(row.get(name, ()))  # type: ignore[call-overload]

    after = words("after") if "after" in row else None
    agreed = int(row.get("agreed", 0))  # type: ignore[call-overload]
    return Group(words("words"), words("does"), words("under"), after, agreed, bool(row.get("bound")), words("seldom"))


GROUPS = tuple(_read_group(row) for row in _TABLE["nouns"])
NOUNS = frozenset().union(*(group.words for group in GROUPS))
QUALITIES = tuple((frozenset(row["words"]), frozenset(row["fields"])) for row in _TABLE["adjectives"])
SEEN_QUALITIES = frozenset().union(*(words for words, _ in QUALITIES)) - {"young", "old"}
"""Adjectives on which people agree who see one thing."""


def list_groups(lemma: str, part: str) -> Iterator[str]:
    """Names of the groups that a noun or adjective is in."""
    if part == "n":
        yield from (f"group {i}" for i, group in enumerate(GROUPS) if lemma in group.words)
    if part == "a":
        yield from (f"quality {i}" for i, (words, _) in enumerate(QUALITIES) if lemma in words)


def find_groups(lemma: str, other: str) -> Iterator[Group]:
    """The groups in which the one noun may become the other."""
    return (group for group in GROUPS if {lemma, other} <= group.words and other not in group.seldom)


def may_qualify(lemma: str, other: str, field: str | None) -> bool:
    """Whether the adjective may become the other where it is said of a noun of this field.

    >>> may_qualify("red", "blue", "noun.artifact"), may_qualify("red", "blue", "noun.animal")
    (True, False)
    """
    return any({lemma, other} <= words and field in fields for words, fields in QUALITIES)


def _read_relations(rows: Sequence[Mapping[str, Sequence[str]]]) -> dict[tuple[str, str], frozenset[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        first, *others = row["words"]
        for thing in row["of"]:
            for other in others:
                found.setdefault((first, thing), set()).add(other)
                found.setdefault((other, thing), set()).add(first)
    return {key: frozenset(words) for key, words in found.items()}


_RELATIONS = {"v": _read_relations(_TABLE["verbs"]), "p": _read_relations(_TABLE["places"])}


def list_relations(lemma: str, part: str, thing: str) -> frozenset[str]:
    """What excludes the verb or preposition where it stands before ``thing``.

    >>> sorted(list_relations("ride", "v", "bicycle")), list_relations("ride", "v", "table")
    (['push', 'repair', 'wash'], frozenset())
    """
    return _RELATIONS.get(part, {}).get((lemma, thing), frozenset())
