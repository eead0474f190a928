"""Near misses of a term by small changes on its tree: another number, variable, relation, or operands exchanged.

They are given as what to put where in the text, so that everything else stays as it was written, in either language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from counterfoil.storage.rows import Edit
from counterfoil.tasks.theorem.algebra.tree import RELATIONS, Term, find_free, split_conjuncts

_IDLE = re.compile(r"(?<![\w.^}])[01](?: ?\* ?)?(?=[A-Za-z(]|\\(?:sqrt|frac|left|sin|cos|log|ln)\b)")
_RESIDUES = re.compile(r"(?:\\equiv|≡) *(\d+) *(?:\\pmod|\(?\\bmod|\(mod|\[Z?MOD) *\{?(\d+)")
_REMAINDERS = re.compile(r"% *(\d+) = (\d+)\b")
"""What is congruent to a number, and to which modulus; in Lean also the modulus and what is left."""


def is_written_so(text: str, original: str) -> bool:
    """Whether it has no more idle factors and unreduced residues than the original: nobody writes ``1n``, or 8 modulo
    7, and a reader would know by it.

    >>> is_written_so("n^{2} - 1n", "n^{2} - 2n"), is_written_so("n^{2} - 3n", "n^{2} - 2n")
    (False, True)
    >>> is_written_so(r"n \\equiv 8 \\pmod{7}", r"n \\equiv 5 \\pmod{7}")
    False
    >>> is_written_so("1529 % 6 = 8", "1529 % 6 = 5"), is_written_so("1529 % 6 = 4", "1529 % 6 = 5")
    (False, True)
    """
    return len(_IDLE.findall(text)) <= len(_IDLE.findall(original)) and _count_unreduced(text) <= _count_unreduced(
        original
    )


def _count_unreduced(text: str) -> int:
    pairs = [*_RESIDUES.findall(text), *(pair[::-1] for pair in _REMAINDERS.findall(text))]
    return sum(int(residue) >= int(modulus) for residue, modulus in pairs)


def list_bounded(supposed: Iterable[Term]) -> frozenset[str]:
    """Variables of which alone something is supposed, such as ``y > 3``: a second such condition would be idle, and
    nothing would be left of the variable that it takes it from."""
    parts = [find_free(part) for term in supposed for part in split_conjuncts(term) if part.head in RELATIONS]
    return frozenset(name for names in parts if len(names) == 1 for name in names)


@dataclass(frozen=True)
class Change:
    """``replacement`` for ``text[start:end]``."""

    kind: str
    start: int
    end: int
    replacement: str

    @property
    def place(self) -> tuple[int, int]:
        """Where it is."""
        return self.start, self.end

    def apply(self, text: str) -> str:
        return text[: self.start] + self.replacement + text[self.end :]

    def describe(self, text: str) -> Edit:
        return Edit(self.kind, text[self.start : self.end], self.replacement)

    def touches(self, other: Change) -> bool:
        """Whether both are at one place."""
        return self.start < other.end and other.start < self.end


def write_changes(changes: Sequence[Change], text: str) -> str:
    """The text after changes at different places."""
    for each in sorted(changes, key=lambda change: -change.start):
        text = each.apply(text)
    return text


LATEX_SIGNS: Mapping[str, tuple[str, ...]] = {
    "<": (">", "\\geq", "\\leq", "="),
    ">": ("<", "\\leq", "\\geq", "="),
    "\\le": ("\\ge", ">", "<"),
    "\\leq": ("\\geq", ">", "<", "="),
    "\\ge": ("\\le", "<", ">"),
    "\\geq": ("\\leq", "<", ">", "="),
    "=": ("\\neq", "\\leq", "\\geq", "<", ">"),
    "\\neq": ("=",),
    "\\ne": ("=",),
    "\\mid": ("\\nmid",),
    "\\nmid": ("\\mid",),
}
LEAN_SIGNS: Mapping[str, tuple[str, ...]] = {
    "<": (">", "≥", "≤", "="),
    ">": ("<", "≤", "≥", "="),
    "≤": ("≥", ">", "<", "="),
    "≥": ("≤", "<", ">", "="),
    "=": ("≠", "≤", "≥", "<", ">"),
    "≠": ("=",),
}


_WEAK = {"<": ("\\leq", "\\le", "≤"), ">": ("\\geq", "\\ge", "≥")}


def _is_strictness(one: str, other: str) -> bool:
    return other in _WEAK.get(one, ()) or one in _WEAK.get(other, ())


def list_changes(
    term: Term, text: str, signs: Mapping[str, Sequence[str]], rng: np.random.Generator, names: Sequence[str] = ()
) -> Iterator[Change]:
    """Changes of one term, wherever it is in ``text``; ``names`` are variables of which one may stand for another."""
    powers = [each for each in term.walk() if each.head == "pow"]
    yield from _change_variables(term, text, names, rng)
    chained = {id(part) for each in term.walk() if _is_chain(each) for part in each.args}
    for each in term.walk():
        if each.start < 0:
            continue
        written = text[each.start : each.end]
        if each.head == "num" and written.isdecimal():
            taken = _list_taken(each, powers)
            for value in draw_numbers(int(each.name), rng, 2):
                if str(value) in taken:
                    continue
                yield Change("number", each.start, each.end, str(value))
        if len(each.args) >= 2 and each.args[0].end >= 0 and each.args[1].start >= 0:
            found = _change_operator(each, text, signs)
            # Nobody writes ``x > y < z``.
            yield from (change for change in found if change.kind != "relation" or id(each) not in chained)


def _list_taken(number: Term, powers: Sequence[Term]) -> set[str]:
    """What a number does not become: in an exponent or a base what would make two equal powers, and a first power."""
    taken: set[str] = set()
    for power in powers:
        for side in (0, 1):
            if (power.args[side].start, power.args[side].end) == (number.start, number.end):
                taken |= {one.args[side].name for one in powers if one.args[1 - side] == power.args[1 - side]}
                taken |= {"1"} if side else set()
    return taken


def _change_variables(term: Term, text: str, names: Sequence[str], rng: np.random.Generator) -> Iterator[Change]:
    """Two variables of a whole relation in each other's place, or the only one as another: none is said twice where
    nobody would write so."""
    found = [each for each in term.walk() if each.head == "var" and text[each.start : each.end] == each.name]
    here = list(dict.fromkeys(each.name for each in found if each.name in names))
    if len(found) < sum(each.head == "var" for each in term.walk()):
        # In ``\\frac{a}{b^3}`` one of them is not found; the other alone would be ``a`` over ``a^3``.
        return
    others = [name for name in names if name not in here]
    if not 0 <= term.start < term.end or not here or (len(here) == 1 and not others):
        return
    pair = [here[int(i)] for i in rng.permutation(len(here))[:2]] if len(here) > 1 else [here[0], others[0]]
    other = dict(zip(pair, pair[::-1], strict=True))
    said = text
    for place, name in sorted({(each.start, each.name) for each in found}, reverse=True):
        said = said[:place] + other.get(name, name) + said[place + len(name) :]
    yield Change("variable", term.start, term.end, said[term.start : term.end + len(said) - len(text)])


_TIGHT = re.compile(r"[^\s{(^]\+\S")
"""A sum that is written without white space, as others beside it then are."""


def _is_chain(term: Term) -> bool:
    """``x > y > z``: the middle is said once."""
    places = [(part.args[0].start, part.args[-1].start) for part in term.args if part.args]
    return term.head == "and" and any(one[1] == two[0] >= 0 for one, two in pairwise(places))


def _change_operator(term: Term, text: str, signs: Mapping[str, Sequence[str]]) -> Iterator[Change]:
    left, right = term.args[:2]
    if not 0 <= left.start < left.end <= right.start < right.end:
        return
    between = text[left.end : right.start]
    sign = between.strip()
    if sign in signs and term.head in ("lt", "le", "gt", "ge", "eq", "ne", "dvd", "ndvd"):
        at = left.end + between.index(sign)
        for new in signs[sign]:
            gap = " " if new.startswith("\\") and text[at + len(sign) : at + len(sign) + 1].isalpha() else ""
            kind = "strictness" if _is_strictness(sign, new) else "relation"
            yield Change(kind, at, at + len(sign), new + gap)
    one, other = text[left.start : left.end], text[right.start : right.end]
    exchanged = term.head in ("sub", "div") and term.name != "frac" and sign in ("-", "/") and not _falls_apart(left)
    if exchanged and one != other and not (term.head == "div" and other.isdecimal()):
        yield Change("flip", left.start, right.end, f"{other}{between}{one}")
    if term.head == "pow" and sign == "^" and one != other and one.isalnum() and other.isalpha():
        yield Change("flip", left.start, right.end, f"{other}{between}{one}")
    if term.head == "dvd" and one != other:
        yield Change("flip", left.start, right.end, f"{other}{between}{one}")
    if term.head in ("add", "sub") and sign in ("+", "-"):
        at = left.end + between.index(sign)
        yield Change("sign", at, at + 1, "-" if sign == "+" else "+")
    if term.head == "mul" and sign in ("*", "") and left.head == right.head == "var":
        yield Change(
            "operation", left.start, right.end, f"{one}+{other}" if _TIGHT.search(text) else f"{one} + {other}"
        )


def _falls_apart(left: Term) -> bool:
    """Whether what stands before a minus cannot stand behind it, as no brackets are around it: ``14 - x^2 + 5x`` takes
    no ``x^2 + 5x`` from 14."""
    return left.head == "neg" or (left.head in ("add", "sub") and left.args[0].start <= left.start)


def draw_numbers(value: int, rng: np.random.Generator, count: int) -> list[int]:
    """Other numbers of as many digits, most of them near; never the same, never negative.

    >>> draw_numbers(8, np.random.default_rng(0), 2)
    [5, 7]
    """
    size = len(str(value))
    lowest = 0 if size == 1 else 10 ** (size - 1)
    highest = 10**size - 1
    reach = max(3, value // 8)
    options = [v for v in range(max(lowest, value - reach), min(highest, value + reach) + 1) if v != value]
    options = [v for v in options if v > 0] or options
    if len(options) > 10**6:
        return []
    return sorted(options[int(i)] for i in rng.permutation(len(options))[:count])
