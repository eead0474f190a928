"""Lies about theorems that are told well: the same in other words, all views changed alike, other types and remarks."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

from benchmarks.lies.theorems import Change, Row, change_view, replace_view

Kind = Callable[[Row, random.Random], Row | None]


def _swap(*pairs: tuple[str, str]) -> Change:
    """One of the patterns that is there, replaced once."""

    def change(text: str, rng: random.Random) -> str | None:
        there = [(old, new) for old, new in pairs if re.search(old, text)]
        if not there:
            return None
        old, new = rng.choice(there)
        found = rng.choice(list(re.finditer(old, text)))
        return text[: found.start()] + found.expand(new) + text[found.end() :]

    return change


_LEAN = ("lean_signature", "lean_type")
_IN_LEAN: Mapping[str, Change] = {
    "another type": _swap((r"ℕ", "ℤ"), (r"ℤ", "ℝ"), (r"ℝ", "ℚ")),
    "implicit binder": _swap((r"\((\w+) : ([ℕℤℝℚ])\)", r"{\1 : \2}")),
    "another name": _swap((r"^theorem (\w+)", r"theorem \1_too")),
    "another proof": _swap((r":= by sorry|:= sorry|$", ":= by simp")),
    "parentheses more": _swap((r"(\d+)", r"(\1)")),
    "less or equal in ASCII": _swap((r"≤", "<="), (r"≥", ">="), (r"≠", "!=")),
    "a remark": _swap((r"$", " -- which is easy")),
    "a doc": _swap((r"^", "/-- an easy one -/ ")),
    "an attribute": _swap((r"^theorem", "@[simp] theorem")),
    "a namespace": _swap((r"^", "open Nat in ")),
    "sides exchanged": _swap((r"(\w+) = (\w+)(?!\S)", r"\2 = \1")),
    "an arrow turned": _swap((r"→", "↔"), (r"↔", "→")),
    "a quantifier turned": _swap((r"∀", "∃"), (r"∃", "∀")),
    "a denial": _swap((r"(\w+) ∣ (\w+)", r"¬ \1 ∣ \2"), (r"Even (\w+)", r"¬ Even \1")),
    "a hypothesis that nothing meets": _swap((r" \(h", r" (hz : 1 = 2) (h"), (r"∀ (\w+)", r"∀ z : ℕ, 1 = 2 → ∀ \1")),
    "a hypothesis twice": _swap((r"( \(h\w* : [^()]*\))", r"\1\1")),
    "a hypothesis renamed": _swap((r"\(h\w* :", "(this_one :")),
    "room": _swap((r" : ", "  : ")),
    "a bracket that does not close": _swap((r"\)", "")),
}
_IN_WORDS: Mapping[str, Change] = {
    "every for some": _swap((r"\b[Ff]or (?:all|every|any)\b", "for some"), (r"\b[Ee]very\b", "some")),
    "odd for even": _swap((r"\beven\b", "odd"), (r"\bodd\b", "even")),
    "at least for more than": _swap((r"\bgreater than\b", "at least"), (r"\bat least\b", "greater than")),
    "divides for is divisible by": _swap((r"\bdivides\b", "is divided by"), (r"is divisible by", "divides")),
    "a denial": _swap((r"\bis\b", "is not"), (r"\bdivides\b", "does not divide")),
    "a clause more": _swap((r"\.$", ", and 2 is prime."), (r"$", ", and 2 is prime")),
    "an assumption more": _swap((r"^", "Suppose that 1 = 2. ")),
    "integers for natural numbers": _swap((r"natural numbers?", "integers"), (r"integers?", "real numbers")),
    "another letter": _swap((r"(?<![\w\\])n(?!\w)", "m"), (r"(?<![\w\\])a(?!\w)", "c")),
    "a word more": _swap((r"\.$", " indeed.")),
    "without its end": _swap((r"\.$", "")),
}


def _in_all(change: Change) -> Kind:
    """The same change in every view, so that they agree."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["table"] != "anchors":
            return None
        state, changed = rng.getstate(), row
        for view in row["views"]:
            rng.setstate(state)
            text = change(view["text"], rng)
            if not text or text == view["text"]:
                return None
            changed = replace_view(changed, view["name"], text)
        return changed

    return lie


def _raise_all(text: str, _: random.Random) -> str:
    """The largest number of a statement raised by one wherever it stands."""
    numbers = [int(each) for each in re.findall(r"(?<![\w.^_])\d+(?![\w.])", text)]
    if not numbers:
        return text
    most = max(numbers)
    return re.sub(rf"(?<![\w.^_]){most}(?![\w.])", str(most + 1), text)


def _rename_all(text: str, _: random.Random) -> str | None:
    return re.sub(r"(?<![\w\\])n(?!\w)", "w", text)


def _in_text(change: Change) -> Kind:
    """A contrast's text changed."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        text = change(row["text"], rng) if row["table"] == "contrasts" and row["text"] else None
        return {**row, "text": text} if text and text != row["text"] else None

    return lie


def _in_witness(change: Callable[[str], str]) -> Kind:
    def lie(row: Row, _: random.Random) -> Row | None:
        witness = row.get("witness") if row["table"] == "contrasts" else None
        return {**row, "witness": change(witness)} if witness and change(witness) != witness else None

    return lie


def _turn_witness(witness: str) -> str:
    return ", ".join(reversed(witness.split(", ")))


def _repeat_view(row: Row, _: random.Random) -> Row | None:
    if row["table"] != "anchors" or not row["views"]:
        return None
    return {**row, "views": [*row["views"], dict(row["views"][-1])]}


def _other_code(row: Row, _: random.Random) -> Row | None:
    """The code is the Lean type, not the signature."""
    found = [each["text"] for each in row["views"] if each["name"] == "lean_type"] if row["table"] == "anchors" else []
    return {**row, "code": found[0]} if found and found[0] != row["code"] else None


def _other_source(row: Row, _: random.Random) -> Row | None:
    """The source row of another theorem."""
    other = row["other"]
    if row["table"] != "anchors" or other is None or other["source_id"] == row["source_id"]:
        return None
    return {**row, "source_id": other["source_id"]}


KINDS: Mapping[str, Kind] = {
    **{f"{view}: {name}": change_view(view, change) for view in _LEAN for name, change in _IN_LEAN.items()},
    **{f"informal: {name}": change_view("informal", change) for name, change in _IN_WORDS.items()},
    **{f"text: {name}": _in_text(change) for name, change in (_IN_LEAN | _IN_WORDS).items()},
    "all views: a number raised": _in_all(_raise_all),
    "all views: a letter renamed": _in_all(_rename_all),
    "witness: in another order": _in_witness(_turn_witness),
    "witness: a name more": _in_witness(lambda witness: f"{witness}, zz = 1"),
    "witness: without room": _in_witness(lambda witness: witness.replace(" ", "")),
    "witness: under 0": _in_witness(lambda witness: re.sub(r"= (\d+)", r"= -\1", witness, count=1)),
    "a view twice": _repeat_view,
    "code of the other view": _other_code,
    "source row of another": _other_source,
}
