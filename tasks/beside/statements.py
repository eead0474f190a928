"""What the families have in common: true statements with their foils, and the checks of a row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

import numpy as np

from counterfoil.storage.rows import BESIDE, Anchor, Contrast, Edit, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks
from counterfoil.tasks.contract.wording import Wording, exchange, same_words

_WORD = re.compile(r"[^\s.,;]+")
_LETTERS = re.compile(r"\w+")
_SILENT = re.compile(
    "an?|and|are|at|be|both|by|drawn|equal|has|have|in|is|its?|let|lies?|measures?|odot|of|on|pass(es)?|respectively|that|"
    "the|there|through|to|under|with",
    re.IGNORECASE,
)
"""Words that say nothing of their own: without them one statement is found within another."""
_OTHER_SIDE = {"right": "left", "below": "above", "front": "behind", "bisects": "midpoint"}
"""A relation told from its other side is the same."""
KEYS = ("statements",)
SPARE = 4
"""Spare rows for each that is wanted."""
MOST_FOILS = 12
"""Foils that are tried of one statement."""


def count_rows(settings: Any) -> int:
    """Rows of an anchor in each of these families."""
    return int(settings.statements)


def count_spare(settings: Any) -> int:
    """Rows more than that: those of all stay whose words tell least."""
    return SPARE * int(settings.statements)


@dataclass(frozen=True)
class Foil:
    """A true text, the same with one exchange, false, and that exchange."""

    true: str
    false: str
    edit: Edit


@dataclass
class Statements:
    """An anchor's true statements and their foils, in an order of chance; each is read once."""

    wording: Wording[Any]
    anchor: Anchor
    context: Context[Any]
    rng: np.random.Generator
    _known: dict[str, bool | None] = field(default_factory=dict)
    _kinds: Counter[str] = field(default_factory=Counter)
    _wrong: dict[str, bool] = field(default_factory=dict)

    def judge(self, text: str) -> bool | None:
        """Whether a text is true."""
        if text not in self._known:
            self._known[text] = self.wording.judge(text, self.anchor, self.context)
        return self._known[text]

    def is_false(self, text: str) -> bool:
        """Whether a text is false, or contradicts what is said of the anchor."""
        if text not in self._wrong:
            false = self.judge(text) is False
            self._wrong[text] = false or contradicts(text, self.wording, self.anchor, self.context)
        return self._wrong[text]

    def list_true(self) -> list[str]:
        """The true statements."""
        told = dict.fromkeys(self.wording.tell(self.anchor, self.context))
        return self.shuffle([each for each in told if self.judge(each) is True])

    def shuffle(self, texts: Sequence[Any]) -> list[Any]:
        """In an order of chance."""
        return [texts[int(place)] for place in self.rng.permutation(len(texts))]

    def find_foils(self, true: str, within: str = "", without: frozenset[str] = frozenset()) -> Iterator[Foil]:
        """Foils of a text; those whose kind of change was seldom made come first.

        ``within``: a part of the text, in which the exchanged words stand; ``without``: kinds of which none is made."""
        listed = self.wording.list_edits(within or true, self.anchor, self.context)
        edits = self.shuffle([edit for edit in listed if edit.target in (within or true) and edit.kind not in without])
        edits.sort(key=lambda edit: self._kinds[_broaden(edit.kind)])
        for edit in edits[:MOST_FOILS]:
            for text in self.shuffle(exchange(true, edit))[: None if within else 1]:
                if self.is_false(text) and self.wording.possible(text, self.anchor, self.context):
                    yield Foil(true, text, edit)

    def list_places(self, most: int) -> Iterator[list[Foil]]:
        """Of each word of each true statement at most ``most`` foils that have another in its place, each as far from
        the others as the true statement is; a kind of change of which there were few comes first."""
        places: dict[tuple[str, str, str, int], list[Edit]] = {}
        for true in self.list_true():
            for edit in self.wording.list_edits(true, self.anchor, self.context):
                found = exchange(true, edit) if edit.target in true else ()
                for at in range(len(found)):
                    places.setdefault((edit.kind, true, edit.target, at), []).append(edit)
        waiting = self.shuffle(list(places))
        while waiting:
            place = min(waiting, key=lambda each: self._kinds[_broaden(each[0])])
            waiting.remove(place)
            foils = self._fill(place[1], place[3], places[place], most)
            if foils:
                self._kinds[_broaden(place[0])] += 1
                yield foils

    def _fill(self, true: str, at: int, edits: Sequence[Edit], most: int) -> list[Foil]:
        foils: list[Foil] = []
        for edit in self.shuffle(edits)[:MOST_FOILS]:
            texts = exchange(true, edit)
            if len(foils) == most or at >= len(texts):
                break
            apart = all(count_apart(texts[at], each.false) >= count_apart(texts[at], true) for each in foils)
            if apart and self.is_false(texts[at]) and self.wording.possible(texts[at], self.anchor, self.context):
                foils.append(Foil(true, texts[at], edit))
        return foils

    def use(self, foil: Foil) -> None:
        """Count what a foil changes."""
        self._kinds[_broaden(foil.edit.kind)] += 1


def _broaden(kind: str) -> str:
    """
    >>> _broaden("number (length)")
    'number'
    """
    return kind.partition(" (")[0]


def count_apart(one: str, other: str) -> int:
    """How many words of each text do not stand, in their order, in the other.

    >>> count_apart("from A to B.", "from C to D."), count_apart("from A to B.", "from B to A.")
    (4, 4)
    """
    first, second = (_WORD.findall(text) for text in (one, other))
    shared = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    return len(first) + len(second) - 2 * sum(block.size for block in shared)


def differ(one: str, other: str) -> bool:
    """Whether each of two statements says what the other does not, by the words that say something; points' order
    aside. Where one says all that the other does, both together repeat it.

    >>> differ("There is a castle.", "There is a pink castle.")
    False
    >>> differ("There is a pink castle.", "There is a castle.")
    False
    >>> differ("The midpoint of GH is J.", "J and N are the midpoints of HG and FH, respectively.")
    False
    >>> differ("Angle KFE measures 92 degrees.", "HK bisects angle FHG, and angle EFK is 92 degrees.")
    False
    >>> differ("There is a brown rabbit.", "There is a rabbit to the left of three guitars.")
    True
    """
    first, second = _list_said(one), _list_said(other)
    return not first <= second and not second <= first


def _list_said(text: str) -> set[str]:
    said = set()
    for word in _LETTERS.findall(text):
        if word.isupper():
            said.add("".join(sorted(word)))
        elif not _SILENT.fullmatch(word):
            plain = word.casefold()
            said.add(_OTHER_SIDE.get(plain, plain).removesuffix("s"))
    return said


def draft(false: str, true: str, *edits: Edit) -> Draft:
    """A row: the false text, and the true one that it stands beside."""
    return Draft(text=false, edits=(*edits, Edit(BESIDE, true, false)))


def say_none(name: str, anchor: Anchor, why: str) -> Reject:
    """What stands for an anchor of which there is nothing to say."""
    return reject_contrast(name, anchor, f"no_statement: {why}")


def read_beside(checks: Checks, contrast: Contrast) -> tuple[str, str, tuple[Edit, ...]]:
    """The row's false text, its true one, and its other edits.

    Raises:
        CheckError: it has no such texts.
    """
    alone = bool(contrast.text and contrast.text.strip()) and contrast.image is None and contrast.code is None
    checks.require("text_alone", alone and contrast.vector is None, "a statement is text alone")
    named = [edit for edit in contrast.edits if edit.kind == BESIDE]
    held = len(named) == 1 and named[0].replacement == contrast.text and bool(named[0].target.strip())
    checks.require("beside_named", held, "the row does not say which one text it stands beside")
    text = contrast.text or ""
    checks.require("another_text", not same_words(text, named[0].target), "it is the text that it stands beside")
    return text, named[0].target, tuple(edit for edit in contrast.edits if edit.kind != BESIDE)


def check_exchanged(checks: Checks, before: str, after: str, edits: Sequence[Edit], kinds: Sequence[str] = ()) -> None:
    """One text is the other with the one exchange that the row's edit names."""
    named = [edit for edit in edits if edit.kind not in kinds]
    checks.require("one_exchange", len(named) == 1, lambda: f"{len(named)} exchanges are named, not one")
    made = any(same_words(after, each) for each in exchange(before, named[0]))
    checks.require("edits_seen", made, lambda: f"{after!r} is not {before!r} with the exchange that is named")


def check_kind(
    checks: Checks, before: str, edits: Sequence[Edit], wording: Wording[Any], anchor: Anchor, context: Context[Any]
) -> None:
    """The exchange is one that the domain makes of a statement of the text."""
    parts = dict.fromkeys([before, *wording.split(before)])
    listed = any(edit in wording.list_edits(part, anchor, context) for part in parts for edit in edits)
    checks.require("edits_seen", listed, lambda: f"{edits[0]} is no exchange that is made of {before!r}")


def contradicts(text: str, wording: Wording[Any], anchor: Anchor, context: Context[Any]) -> bool:
    """Whether an undecided text is false wherever it speaks of the same thing as the anchor's words."""
    return wording.contradicts is not None and wording.contradicts(text, anchor, context)


def check_true(checks: Checks, text: str, wording: Wording[Any], anchor: Anchor, context: Context[Any]) -> None:
    """The reader shows a text true."""
    checks.require("beside_true", wording.judge(text, anchor, context) is True, lambda: f"{text!r} is not shown true")


def check_false(checks: Checks, text: str, wording: Wording[Any], anchor: Anchor, context: Context[Any]) -> None:
    """The reader shows a text false, or that it contradicts the anchor's words; and some picture is as it says."""
    found = wording.judge(text, anchor, context)
    if found is None and contradicts(text, wording, anchor, context):
        checks.require("contradicts_anchor", True, "")
        checks.grade = "contradicts"
    else:
        checks.require("judged", found is not None, lambda: f"{text!r} is shown neither true nor false")
        checks.require("false_of_anchor", found is False, lambda: f"{text!r} is true of the anchor")
    checks.require("possible", wording.possible(text, anchor, context), lambda: f"no picture is as {text!r} says")
