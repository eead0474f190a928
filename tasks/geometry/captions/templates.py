r"""The small language in which claims are worded, written and read: ``<D> is the midpoint of <AB>``.

In angle brackets stand the things that a claim names, by letters (`counterfoil.tasks.geometry.facts.predicate`):

- ``<A>``, ``<AB>``, ``<ABCD>`` a point, a segment, a name; ``<angle ABC>``, ``<arc AB>``, ``<triangle ABC>``;
- ``<polygon ABC+>`` with a word before it or none, ``<shape ABC+>`` with one, ``<noun A+>`` the word for so many
  corners, ``<kind K>`` the words for a sort of triangle or quadrilateral; ``<circle o>``;
- ``<list P>``, ``<lines L>``, ``<angles X>``, ``<values V>``: several, with commas and ``and``;
- ``<v>``, ``<w>`` values, ``<h>`` one that is written doubled, ``<d>`` one in degrees; ``<term L>`` either side of a
  relation; ``<p>`` a place by its coordinates, ``<e>`` an equation, ``<q>`` which quadrant.

``[...]`` may be left out and ``(a|b)`` is one of several; only what is read has these. Articles, ``is`` and ``drawn``
stand for all their like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any, Literal

from counterfoil.tasks.geometry.captions.atoms import (
    DEGREES,
    LABEL,
    NOUNS,
    UNIT,
    UNNAMED_CIRCLE,
    VALUE,
    match_sort,
)
from counterfoil.tasks.geometry.facts.expressions import read_number
from counterfoil.tasks.geometry.facts.predicate import Names

CaptionStyle = Literal["latex", "plain"]
"""Symbols as LaTeX has them, or words that anybody types."""
THE_CIRCLE = "?o"
"""A circle that the text does not name where it speaks of it."""
VALUES = "vwhdpeq"
NAMED = "(?:" + "|".join(match_sort(sort) for sort in ("angle", "arc", "shape", "segment")) + ")"
TERM = f"(?:{NAMED}|{VALUE})"
_FIND_SLOT = re.compile(r"<(?:(\w+) )?([A-Za-z]+\+?)>")
_LIKE = {
    " is ": "(?:,| (?:is|are|be|being|as)) ",
    "is": "(?:is|are|be|being|as)",
    "drawn": "(?:drawn|shown|given|present|depicted)",
    **dict.fromkeys(("a ", "an ", "the "), "(?:(?:a|an|the|one) )?"),
}
_FIND_LIKE = re.compile(r"( is |\bis\b|\bdrawn\b|\b(?:an?|the) )")


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
        """The regular expression of the thing, captured as ``name``."""
        if self.sort == "term":
            return f"(?P<{name}>{TERM})"
        return match_sort(self.sort, name, "3," if self.letters[-1] == "+" else str(len(self.letters)))

    def write(self, names: Names, value: str, style: CaptionStyle = "latex") -> str:
        """The thing as captions name it."""
        sign = "\\" if style == "latex" else ""
        if self.sort in "pe":
            return _space_out(value if style == "latex" else write_plain_value(value))
        if self.sort in VALUES:
            return write_value(_double(value) if self.sort == "h" else value, self.sort == "d", style)
        found = names[self.key] if self.key in names else tuple(names[letter] for letter in self.letters)
        points = (found,) if isinstance(found, str) else found
        if self.sort == "values":
            return join_names(points)
        if self.sort == "angles":
            return join_names(tuple(f"{sign}angle {''.join(angle)}" for angle in points))
        if self.sort in ("list", "lines"):
            return join_names(tuple("".join(point) for point in points))
        run = "".join(points)
        match self.sort:
            case "angle" | "triangle":
                return f"{sign}{self.sort} {run}"
            case "arc":
                return f"arc {run}"
            case "polygon" | "shape":
                return f"{sign}triangle {run}" if len(points) == 3 else f"{_find_noun(len(points))} {run}"
            case "noun":
                return _find_noun(len(points))
            case "circle":
                named = rf"\odot {run}" if style == "latex" else f"circle {run}"
                return "the circle" if run == UNNAMED_CIRCLE else named
        return run

    def read(self, text: str | None) -> Iterator[Names]:
        """What the letters may stand for, the order of the text first; a part that was left out names nothing."""
        labels = split_labels(text or "")
        if self.sort == "circle":
            yield {self.letters: labels[0] if labels else text or THE_CIRCLE}
        elif text is None:
            yield {}
        elif self.sort in "peq":
            yield {self.letters: re.sub(r"\s+", "", text)}
        elif self.sort in VALUES:
            yield {self.letters: _halve(text) if self.sort == "h" else clean_value(text)}
        elif self.sort in ("term", "kind", "noun"):
            yield {self.letters if self.sort != "noun" else "noun": text}
        elif self.sort == "lines":
            yield {self.letters: tuple((labels[i], labels[i + 1]) for i in range(0, len(labels), 2))}
        elif self.sort in ("angles", "values"):
            read = read_angle if self.sort == "angles" else clean_value
            yield {self.letters: tuple(read(part) for part in re.split(",? and |, ", text))}
        elif self.letters[-1] == "+" or (self.sort == "list" and len(self.letters) == 1):
            yield {self.key: labels}
        else:
            labels = read_angle(text) if self.sort == "angle" else labels
            orders = self._list_orders(labels) if len(labels) == len(self.letters) else ()
            yield from (dict(zip(self.letters, order, strict=True)) for order in orders)

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
        named = {letter for slot in self.slots if slot.sort not in VALUES for letter in slot.letters if letter != "+"}
        return count >= len(named) if self.is_open else count == len(named)

    @cached_property
    def is_open(self) -> bool:
        """Whether one of its slots takes any number of points."""
        return any(slot.letters[-1] == "+" for slot in self.slots)

    def write(self, names: Names, value: str | None = None, style: CaptionStyle = "latex") -> str:
        """The wording of these things."""
        written = iter(self.slots)
        return _FIND_SLOT.sub(lambda _: next(written).write(names, value or "", style), self.text)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What it is read by; group ``g0`` is the first slot."""
        literal = [_match_words(part) for part in re.split(r"<[^<>]*>", self.text)]
        slots = [slot.match(f"g{i}") for i, slot in enumerate(self.slots)]
        return re.compile("".join(part for both in zip(literal, [*slots, ""], strict=True) for part in both))

    @cached_property
    def keyword(self) -> str:
        """A word that every text of this wording has: the longest outside of optional and alternative parts."""
        sure = re.sub(r"<[^<>]*>", "|", self.text)
        while (less := re.sub(r"\[[^][()]*\]|\([^][()]*\)", "|", sure)) != sure:
            sure = less
        words = re.findall(r"(?:\\?[a-z]+|=)", " ".join(_FIND_LIKE.sub("|", sure).split("|")))
        return max(words, key=len, default="")

    def read(self, match: re.Match[str]) -> Iterator[Names]:
        """Every way to let the letters stand for what was named in the text, each letter for one thing."""
        return _unify([(slot, match[f"g{i}"]) for i, slot in enumerate(self.slots)], {})


def _unify(said: list[tuple[Slot, str | None]], names: Names) -> Iterator[Names]:
    if not said:
        yield names
        return
    (slot, text), *rest = said
    for found in slot.read(text):
        if all(names.get(letter, meant) == meant for letter, meant in found.items()):
            yield from _unify(rest, {**names, **found})


def _guess_sort(letters: str) -> str:
    if letters in VALUES:
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


def read_angle(text: str) -> tuple[str, ...]:
    r"""``\angle ABC``; ``\angle B`` keeps its vertex only, its sides are found once all claims are read."""
    labels = split_labels(text)
    return labels if len(labels) != 1 else ("?", *labels, "?")


def join_names(names: tuple[str, ...]) -> str:
    """``A, B and C``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def write_value(value: str, degrees: bool, style: CaptionStyle) -> str:
    r"""``60`` in degrees is ``60^\circ``; an expression goes in brackets."""
    if style == "plain":
        value = write_plain_value(value)
    unit = {"latex": r"^\circ", "plain": " degrees"}[style] if degrees else ""
    return f"({value}){unit}" if unit and any(sign in value for sign in "+-/") else f"{value}{unit}"


def write_plain_value(value: str) -> str:
    r"""``5\sqrt{3}`` is ``5√3``, ``\frac{x}{2}`` is ``(x)/(2)``, ``x^{2}`` is ``x^2``."""
    value = re.sub(r"\\sqrt\{(\d+)\}", r"√\1", value)
    value = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"(\1)/(\2)", re.sub(r"\\sqrt\{([^{}]*)\}", r"√(\1)", value))
    value = re.sub(r"\^\{(\w)\}", r"^\1", value).replace(r"\pi", "π").replace(r" \cdot ", "*")
    return value.replace("{", "(").replace("}", ")")


def clean_value(text: str) -> str:
    """A value without unit, spaces or brackets around the whole."""
    value = re.sub(r"\s+", "", re.sub(rf"{DEGREES}{UNIT}$", "", text))
    while value.startswith("(") and value.endswith(")") and "(" not in value[1:-1]:
        value = value[1:-1]
    return value


def _space_out(value: str) -> str:
    return value.replace(",", ", ").replace("=", " = ")


def _double(value: str) -> str:
    number = read_number(value)
    return f"2({value})" if number is None else f"{2 * number:.10g}"


def _halve(text: str) -> str:
    value = clean_value(text)
    number = read_number(value)
    return f"({value})/2" if number is None else f"{number / 2:.10g}"


def write_example(text: str) -> str:
    """A wording with its own letters for names, optional parts left out and the first of alternatives taken."""
    less = text
    while (fewer := _FIND_CHOICE.sub(lambda match: match[1] or "", less)) != less:
        less = fewer
    template = Template(less)
    names: dict[str, Any] = {"K": "isosceles triangle"}
    for slot in template.slots:
        if slot.letters[-1] == "+":
            names[slot.key] = tuple(slot.letters[:-1])
        elif slot.sort in _EXAMPLES and len(slot.letters) == 1:
            names[slot.letters] = _EXAMPLES[slot.sort]
        else:
            names |= {letter: letter.upper() for letter in slot.letters}
    return template.write(names, "8")


_FIND_CHOICE = re.compile(r"\[[^][()]*\]|\(([^][()|]*)(?:\|[^][()]*)?\)")
_EXAMPLES: dict[str, str | tuple[str, ...]] = {
    "list": ("A", "B", "C"),
    "lines": "AB and CD",
    "angles": r"\angle A and \angle B",
    "values": "3 and 4",
    "term": "AB",
}
