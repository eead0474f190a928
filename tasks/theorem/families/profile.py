"""What a changed text shows of its change, by which changes are chosen (`counterfoil.tasks.contract.choosing`).

Of every change the words and signs that it gains or loses are known, pairs of neighbours too, of numbers their size,
parity and last digit, and whether the text repeats itself more or less: a change at one of two equal places breaks a
repetition, which tells as much as a word does. What is measured so is known of all statements and of each form of them
apart: numbers that grow where something is divided and shrink where something is squared are in balance over all, and
tell all the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

_TOKEN = re.compile(r"\\[A-Za-z]+|[^\W\d_]+|\d+|[^\w\s]")


def profile_change(original: str, text: str) -> dict[str, int]:
    """What a near miss gains (1) and loses (-1): words and signs, and of numbers their size, parity and last digit.

    >>> sorted(profile_change("at 4", "at 5").items())
    [('#even', -1), ('#five', 1), ('#number', 1), ('at 4', -1), ('at 5', 1)]
    """
    old, new = _TOKEN.findall(original), _TOKEN.findall(text)
    before, after = Counter(old), Counter(new)
    change: dict[str, int] = {}
    numbers: list[tuple[int, int]] = []
    for token in before.keys() | after.keys():
        d = after[token] - before[token]
        if d and token.isdecimal():
            numbers.append((int(token), d))
        elif d:
            change[token] = 1 if d > 0 else -1
    for name, measure in (
        ("#number", float),
        ("#even", lambda n: n % 2 == 0),
        ("#five", lambda n: n % 5 == 0),
        ("#one", lambda n: n == 1),
        ("#nought", lambda n: n == 0),
        ("#round", lambda n: n > 9 and n % 10 == 0),
    ):
        total = sum(d * measure(n) for n, d in numbers)
        if total:
            change[name] = 1 if total > 0 else -1
    first, second = (Counter(map(" ".join, pairwise(each))) for each in (old, new))
    for pair in first.keys() ^ second.keys():
        change[pair] = 1 if pair in second else -1
    for name, before_, after_ in zip(_MEASURES, _measure_variety(old), _measure_variety(new), strict=True):
        if before_ != after_:
            change[name] = 1 if after_ > before_ else -1
    return change


def measure_place(texts: Sequence[str]) -> dict[str, int]:
    """How much likelier than by chance whoever points at the middle of a set, or at its edge, points at the first of
    it, in twelfths: over a corpus it should be nothing.

    >>> measure_place(["a b c", "a b d", "a e c", "a e d"]), measure_place(["a b c", "a b d", "e b c"])
    ({}, {'#middle': 8, '#edge': -4})
    """
    if len(texts) < 3:
        return {}
    said = [Counter(map(" ".join, pairwise(["", *_TOKEN.findall(text), ""]))) for text in texts]
    far = [sum(_measure_distance(one, other) for other in said) for one in said]
    places = {}
    for name, end in (("#middle", min(far)), ("#edge", max(far))):
        there = [abs(each - end) < 1e-9 for each in far]
        excess = round(12 * (there[0] / sum(there) - 1 / len(texts)))
        if excess:
            places[name] = excess
    return places


def _measure_distance(one: Counter[str], other: Counter[str]) -> float:
    """One less the share of pairs of neighbours that both have."""
    return 1 - 2 * (one & other).total() / (one.total() + other.total())


def find_form(text: str) -> str:
    """What sort of statement it is: which signs and commands it has, and words that are written with a capital.

    >>> find_form("theorem a (n : ℤ) (h₀ : Odd n) : 2 ∣ n + 5"), find_form("$2$ divides $n + 7$")
    ('+ Odd h₀ ℤ ∣', '+')
    """
    tokens = set(_TOKEN.findall(text)) - _ANYWHERE
    return " ".join(sorted(each for each in tokens if not each.isdecimal() and not (each.isalpha() and each.islower())))


_ANYWHERE = frozenset("$.,;:?(){}[]_ABCDEFGHIJKLMNOPQRSTUVWXYZ") | {"Let", "Suppose", "If", "Show", "Prove", "Given"}
_MEASURES = ("#length", "#repeated", "#distinct", "#distinct numbers", "#signs", "#letters")


def _measure_variety(tokens: Sequence[str]) -> tuple[float, ...]:
    """How many tokens there are, the share of pairs said before, the shares of distinct tokens, of distinct numbers and
    of signs beyond ASCII, and how many letters and signs there are."""
    pairs = list(pairwise(tokens))
    numbers = [token for token in tokens if token.isdecimal()]
    shares = [len(set(each)) / max(len(each), 1) for each in (pairs, tokens, numbers)]
    signs = sum(sign > "\x7f" for token in tokens for sign in token) / max(sum(map(len, tokens)), 1)
    return (len(tokens), 1 - shares[0], *shares[1:], signs, sum(map(len, tokens)))
