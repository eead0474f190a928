r"""The small language in which claims are worded, written and read: ``<D> is the midpoint of <AB>``.

In angle brackets stand the things that a claim names, by letters (`tasks.geometry.facts.predicate`): ``<A>``,
``<AB>``, ``<angle ABC>``, ``<arc AB>``, ``<triangle ABC>``, ``<ABCD>`` a name without a word, ``<polygon ABC+>``,
``<noun A+>`` the word for a polygon of so many corners, ``<list ABC>``, ``<circle o>``, ``<v>`` a value, ``<d>`` a
value in degrees, ``<term L>`` either side of a relation. ``[...]`` may be left out and ``(a|b)`` is one of several;
only what is read has these. Articles, ``is`` and ``drawn`` stand for all their like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

from tasks.geometry.facts.predicate import Names

UNNAMED_CIRCLE = "c1"


class ClaimError(ValueError):
    """A text whose claims cannot be read. ``unread`` is the piece that no pattern fits."""

    def __init__(self, unread: str, why: str = "no known claim reads like this") -> None:
        super().__init__(f"cannot read {unread!r}: {why}")
        self.unread = unread


LABEL = r"[A-Z](?:_?\d+|')*"
NOT_LABEL = r"(?![A-Za-z0-9'])"
NUMBER = r"\d+(?:\.\d+)?"
ATOM = rf"(?:\\sqrt\{{[^{{}}]*\}}|\\frac\{{[^{{}}]*\}}\{{[^{{}}]*\}}|\\pi|{NUMBER}|[a-z](?![a-z])|\([^()]*\))"
POWER = rf"\^(?:\{{[^{{}}]*\}}|{ATOM})"
VALUE = rf"(?>-?{ATOM}(?: ?[-+*/] ?{ATOM}|{ATOM}|{POWER})*)"
"""Atomic: digits can be split into factors in many ways, all of which a failing match would try."""
UNIT = r"(?: ?(?:units?|cm|mm|km|inches|in|feet|ft|yd|meters?|metres?|m)\b(?! ?[=<]))?"
DEGREES = r"(?: ?(?:\^\{?\\circ\}?|degrees?\b))?"
NOUNS = {5: "pentagon", 6: "hexagon", 7: "heptagon", 8: "octagon", 9: "nonagon", 10: "decagon"}
_CIRCLE = r"(?:\\odot ?|(?:the )?circle (?:with cent(?:re|er) )?)"
_SORTS = {
    "point": rf"(?:(?:the )?points? )?(?P<NAME>{LABEL}){NOT_LABEL}",
    "segment": rf"(?:(?:the )?(?:(?:line )?segments?|sides?|lines?|edges?|rays?|diagonals?) )?"
    rf"(?P<NAME>(?:{LABEL}){{2}}){NOT_LABEL}",
    "angle": rf"(?:m ?)?(?:\\angle ?|(?:the )?angle )(?P<NAME>(?:{LABEL}){{3}}|{LABEL}){NOT_LABEL}",
    "arc": rf"(?:the )?arc (?P<NAME>(?:{LABEL}){{2}}){NOT_LABEL}",
    "triangle": rf"(?:\\triangle ?|(?:the )?triangle )(?P<NAME>(?:{LABEL}){{3}}){NOT_LABEL}",
    "name": rf"(?P<NAME>(?:{LABEL}){{COUNT}}){NOT_LABEL}",
    "polygon": rf"(?:\\triangle ?|(?:the )?(?:triangle|quadrilateral|{'|'.join(NOUNS.values())}|polygon) )?"
    rf"(?P<NAME>(?:{LABEL}){{3,}}){NOT_LABEL}",
    "noun": rf"(?P<NAME>{'|'.join(NOUNS.values())}|polygon)",
    "list": rf"(?:(?:the )?points? )?(?P<NAME>{LABEL}{NOT_LABEL}(?:(?:, and |, | and ){LABEL}{NOT_LABEL})+)",
    "circle": rf"(?:{_CIRCLE}(?P<NAME>{LABEL}|c\d){NOT_LABEL}|the circle\b)",
    "v": rf"(?P<NAME>{VALUE}){UNIT}",
    "d": rf"(?P<NAME>{VALUE}){DEGREES}",
}
_FIND_SLOT = re.compile(r"<(?:(\w+) )?([A-Za-z]+\+?)>")
_LIKE = {
    " is ": "(?:,| (?:is|are|be|being|as)) ",
    "is": "(?:is|are|be|being|as)",
    "drawn": "(?:drawn|shown|given|present|depicted)",
    **dict.fromkeys(("a ", "an ", "the "), "(?:(?:a|an|the|one) )?"),
}
_FIND_LIKE = re.compile(r"( is |\bis\b|\bdrawn\b|\b(?:an?|the) )")


def match_sort(sort: str, name: str = "", count: str = "3,") -> str:
    """The regular expression of a thing named in a text, its letters captured as ``name`` where that is given."""
    pattern = _SORTS[sort].replace("COUNT", count)
    return pattern.replace("?P<NAME>", f"?P<{name}>" if name else "?:")


TERM = rf"(?:{match_sort('angle')}|{match_sort('triangle')}|{match_sort('segment')}|{VALUE})"


@dataclass(frozen=True)
class Slot:
    """One thing that a template names."""

    sort: str
    letters: str

    @property
    def key(self) -> str:
        """What its letters go by together: ``A+`` for ``ABC+``."""
        return f"{self.letters[0]}+" if self.letters[-1] == "+" else self.letters

    def match(self, name: str) -> str:
        if self.sort == "term":
            return f"(?P<{name}>{TERM})"
        return match_sort(self.sort, name, "3," if self.letters[-1] == "+" else str(len(self.letters)))

    def write(self, names: Names, value: str) -> str:
        """The thing as captions name it."""
        if self.sort in ("v", "d"):
            return value if self.sort == "v" else write_degrees(value)
        found = names[self.key] if self.key in names else [str(names[letter]) for letter in self.letters]
        points = (found,) if isinstance(found, str) else tuple(found)
        run = "".join(points)
        match self.sort:
            case "angle" | "triangle":
                return rf"\{self.sort} {run}"
            case "arc":
                return f"arc {run}"
            case "polygon":
                return rf"\triangle {run}" if len(points) == 3 else f"{_find_noun(len(points))} {run}"
            case "noun":
                return _find_noun(len(points))
            case "list":
                return join_names(points)
            case "circle":
                return "the circle" if run == UNNAMED_CIRCLE else rf"\odot {run}"
        return run

    def read(self, text: str) -> Iterator[Names]:
        """What the letters may stand for; the order of the text first."""
        if self.sort in ("v", "d", "term", "noun"):
            yield {self.sort if self.sort == "noun" else self.letters: text}
            return
        labels = split_labels(text)
        if self.sort == "circle":
            yield {self.letters: labels[0] if labels else text or UNNAMED_CIRCLE}
        elif self.letters[-1] == "+" or (self.sort == "list" and len(self.letters) == 1):
            yield {self.key: labels}
        elif len(labels) == 1 and self.sort == "angle":
            yield dict(zip(self.letters, ("?", *labels, "?"), strict=True))
        elif len(labels) == len(self.letters):
            for order in self._list_orders(labels):
                yield dict(zip(self.letters, order, strict=True))

    def _list_orders(self, labels: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
        if self.sort in ("triangle", "list") and len(labels) <= 4:
            return permutations(labels)
        return (labels, labels[::-1]) if self.sort in ("segment", "angle") else (labels,)


@dataclass(frozen=True)
class Template:
    """A wording with its slots. ``text`` is written as it stands, or read as a small pattern."""

    text: str
    slots: tuple[Slot, ...] = field(init=False)

    def __post_init__(self) -> None:
        found = _FIND_SLOT.findall(self.text)
        object.__setattr__(self, "slots", tuple(Slot(sort or _guess_sort(letters), letters) for sort, letters in found))

    def fits(self, count: int) -> bool:
        """Whether it names as many things as a fact with ``count`` arguments has."""
        least = len({letter for slot in self.slots for letter in slot.letters if letter not in "vd+"})
        return count >= least if self.is_open else count == least

    @cached_property
    def is_open(self) -> bool:
        """Whether one of its slots takes any number of points."""
        return any(slot.letters[-1] == "+" for slot in self.slots)

    def write(self, names: Names, value: str | None = None) -> str:
        """The wording of these things."""
        written = iter(self.slots)
        return _FIND_SLOT.sub(lambda _: next(written).write(names, value or ""), self.text)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What it is read by; group ``g0`` is the first slot."""
        literal = [_match_words(part) for part in re.split(r"<[^<>]*>", self.text)]
        slots = [slot.match(f"g{i}") for i, slot in enumerate(self.slots)]
        return re.compile("".join(part for both in zip(literal, [*slots, ""], strict=True) for part in both))

    def read(self, match: re.Match[str]) -> Iterator[Names]:
        """Every way to let the letters stand for what was named in the text, each letter for one thing."""
        said = [(slot, match[f"g{i}"]) for i, slot in enumerate(self.slots)]
        return _unify([(slot, text or "") for slot, text in said if text is not None or slot.sort == "circle"], {})


def _unify(said: list[tuple[Slot, str]], names: Names) -> Iterator[Names]:
    if not said:
        yield names
        return
    (slot, text), *rest = said
    for found in slot.read(text):
        if all(names.get(letter, meant) == meant for letter, meant in found.items()):
            yield from _unify(rest, {**names, **found})


def _guess_sort(letters: str) -> str:
    if letters in ("v", "d"):
        return letters
    return {1: "point", 2: "segment"}.get(len(letters), "name")


def _match_words(literal: str) -> str:
    """The words between two slots as a regular expression."""
    return "".join(_LIKE.get(part) or _escape(part) for part in _FIND_LIKE.split(literal))


def _escape(words: str) -> str:
    groups = {"[": "(?:", "]": ")?", "(": "(?:"}
    return "".join(groups.get(sign, sign if sign in ")|" else re.escape(sign)) for sign in words)


def _find_noun(corners: int) -> str:
    return {3: "triangle", 4: "quadrilateral", **NOUNS}.get(corners, "polygon")


def split_wordings(*columns: str) -> tuple[str, ...]:
    """The wordings of a column of the table."""
    return tuple(text for column in columns for text in column.split("; ") if text)


def split_labels(run: str) -> tuple[str, ...]:
    """``"AB'C_1"`` is ``("A", "B'", "C_1")``."""
    return tuple(re.findall(LABEL, run))


def join_names(names: tuple[str, ...]) -> str:
    """``A, B and C``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def write_degrees(value: str) -> str:
    r"""``60`` is ``60^\circ``; an expression goes in brackets."""
    return rf"({value})^\circ" if any(sign in value for sign in "+-/") else rf"{value}^\circ"


def clean_value(text: str) -> str:
    """A value without spaces or brackets around the whole."""
    value = re.sub(r"\s+", "", text)
    while value.startswith("(") and value.endswith(")") and "(" not in value[1:-1]:
        value = value[1:-1]
    return value
