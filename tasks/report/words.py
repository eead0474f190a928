"""Word-level differences between an anchor's text and a contrast's, and between two pieces of code."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

_TOKEN = re.compile(
    r"\\[A-Za-z]+"  # a LaTeX command such as \triangle is one word
    r"|\d+(?:[.,]\d+)*"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # scripts without spaces: one character, one word
    r"|[^\W\d_]+(?:['’][^\W\d_]+)*|\w+|[^\w\s]"
)
_MAX_TOKENS = 3_000
"""Above this the comparison, which is quadratic at worst, is left out and the text is shown plain."""
_MAX_CELLS = 60_000
"""Above this product of the changed parts' lengths a cheaper comparison is taken."""
_RELATED = 0.4
"""Share of common words from which two texts are worth comparing word by word."""

Change = Literal["same", "removed", "added"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text that both sides share, that only the anchor has, or that only the contrast has."""

    change: Change
    text: str


@dataclass(frozen=True, slots=True)
class TextDiff:
    """The contrast's text in pieces, with the anchor's words that it replaced in their places."""

    pieces: tuple[Piece, ...]
    changed_words: int | None
    """Words that differ, counted on the longer side of each change; None where the texts were not compared."""
    base: str = ""
    """The field of the anchor that it was compared with: ``caption``, ``code``, ..."""


def split_words(text: str) -> list[str]:
    r"""The words, numbers, LaTeX commands and punctuation marks of a text, without white space.

    >>> split_words(r"In \triangle ABC, AB = 3.5")
    ['In', '\\triangle', 'ABC', ',', 'AB', '=', '3.5']
    """
    return _TOKEN.findall(text)


def compare_texts(before: str, after: str) -> TextDiff:
    """Compare two texts word by word; white space does not count, but is shown as ``after`` has it.

    >>> [(p.change, p.text) for p in compare_texts("AB = 8 units", "AB = 6 units").pieces]
    [('same', 'AB = '), ('removed', '8'), ('added', '6'), ('same', ' units')]
    """
    old, new = list(_TOKEN.finditer(before)), list(_TOKEN.finditer(after))
    if len(old) > _MAX_TOKENS or len(new) > _MAX_TOKENS:
        return TextDiff((Piece("same", after),), None)
    pieces: list[Piece] = []
    at = 0
    changes = _list_changes([token[0] for token in old], [token[0] for token in new])
    changed = sum(max(_count_words(old[i:j]), _count_words(new[k:m])) for i, j, k, m in changes)
    for i, j, k, m in _join_phrases(changes, new):
        start = new[k].start() if k < len(new) else len(after)
        if k == m and k > 0:  # words were only taken out: show them right behind the word before
            start = new[k - 1].end()
        _append(pieces, "same", after[at:start])
        if i < j:
            gap = " " if k == m and k > 0 else ""
            _append(pieces, "removed", gap + before[old[i].start() : old[j - 1].end()])
        at = new[m - 1].end() if k < m else start
        _append(pieces, "added", after[start:at])
    _append(pieces, "same", after[at:])
    return TextDiff(tuple(pieces), changed)


def compare_with_nearest(text: str, bases: Iterable[tuple[str, str]]) -> TextDiff:
    """Compare a contrast's text with the one of its anchor's texts that it was made from.

    ``bases`` are (field, text) of the anchor, in order of preference. The nearest by shared words is taken; where
    none is near (a rewritten statement), the text comes back plain and uncounted.
    """
    words = split_words(text)[:_MAX_TOKENS]
    best: tuple[float, str, str] | None = None
    for field, base in bases:
        nearness = _measure_nearness(words, split_words(base)[:_MAX_TOKENS])
        if nearness >= _RELATED and (best is None or nearness > best[0]):
            best = (nearness, field, base)
    if best is None:
        return TextDiff((Piece("same", text),), None)
    diff = compare_texts(best[2], text)
    return TextDiff(diff.pieces, diff.changed_words, base=best[1])


def compare_code(before: str, after: str, context: int = 1) -> tuple[Piece, ...]:
    """The changed lines of a script with ``context`` lines around, each piece one line; empty where nothing differs."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=context)
    kinds: dict[str, Change] = {"+": "added", "-": "removed"}
    pieces = []
    for number, line in enumerate(lines):
        if number < 2:  # the two file names of a unified diff
            continue
        pieces.append(Piece("same", "…") if line.startswith("@@") else Piece(kinds.get(line[:1], "same"), line[1:]))
    return tuple(pieces)


def _list_changes(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """The changes as (i, j, k, m): words ``old[i:j]`` became ``new[k:m]``, by the least number of changed words.

    A replaced word counts once (Levenshtein), so two labels that changed places are two replacements and not the
    removal and insertion of all that stands between them, as a longest common subsequence would have it.
    """
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if len(left) * len(right) > _MAX_CELLS:
        matcher = difflib.SequenceMatcher(None, left, right, autojunk=False)
        steps = [(i, j, k, m) for tag, i, j, k, m in matcher.get_opcodes() if tag != "equal"]
    else:
        steps = _align(left, right)
    return [(i + start, j + start, k + start, m + start) for i, j, k, m in steps]


def _join_phrases(
    changes: list[tuple[int, int, int, int]], new: list[re.Match[str]]
) -> list[tuple[int, int, int, int]]:
    """Changes that only one shared word parts, as one change: a replaced phrase is read whole, "the" and all."""
    joined: list[tuple[int, int, int, int]] = []
    for i, j, k, m in changes:
        if joined:
            before = joined[-1]
            long = max(before[1] - before[0], before[3] - before[2], j - i, m - k) > 1
            if long and k - before[3] == 1 and new[before[3]][0].isalpha():
                joined[-1] = (before[0], j, before[2], m)
                continue
        joined.append((i, j, k, m))
    return joined


def _align(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """Changes of least cost between two short lists of words; neighbours are joined."""
    cost = [list(range(len(new) + 1))]
    for i, word in enumerate(old, 1):
        row, above = [i], cost[-1]
        for k, other in enumerate(new, 1):
            row.append(above[k - 1] if word == other else 1 + min(above[k - 1], above[k], row[k - 1]))
        cost.append(row)
    changes: list[tuple[int, int, int, int]] = []
    i, k = len(old), len(new)
    while i or k:
        if i and k and old[i - 1] == new[k - 1] and cost[i][k] == cost[i - 1][k - 1]:
            i, k = i - 1, k - 1
            continue
        if i and k and cost[i][k] == cost[i - 1][k - 1] + 1:
            step = (i - 1, i, k - 1, k)
        elif i and cost[i][k] == cost[i - 1][k] + 1:
            step = (i - 1, i, k, k)
        else:
            step = (i, i, k - 1, k)
        i, k = step[0], step[2]
        if changes and changes[-1][0] == step[1] and changes[-1][2] == step[3]:
            step = (step[0], changes[-1][1], step[2], changes.pop()[3])
        changes.append(step)
    return changes[::-1]


def _measure_nearness(words: list[str], base: list[str]) -> float:
    """Twice the shared words (as multisets) over all words: cheap, and enough to tell related texts apart."""
    if not words or not base:
        return 0.0
    return difflib.SequenceMatcher(None, words, base, autojunk=False).quick_ratio()


def _count_words(tokens: list[re.Match[str]]) -> int:
    """Tokens that carry meaning: all but punctuation, or 1 where a change is of punctuation alone."""
    if not tokens:
        return 0
    return max(1, sum(1 for token in tokens if token[0][-1].isalnum()))


def _append(pieces: list[Piece], change: Change, text: str) -> None:
    if not text:
        return
    if pieces and pieces[-1].change == change:
        pieces[-1] = Piece(change, pieces[-1].text + text)
    else:
        pieces.append(Piece(change, text))
