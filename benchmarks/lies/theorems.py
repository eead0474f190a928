"""Lies about theorems: a view that says something else, a statement that is false, facts of another."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]
Change = Callable[[str, random.Random], str | None]

_NUMBER = re.compile(r"(?<![\w.^_])\d+(?![\w.])")


def change_number(text: str, rng: random.Random) -> str | None:
    """Another number in one place."""
    places = list(_NUMBER.finditer(text))
    if not places:
        return None
    at = rng.choice(places)
    return f"{text[: at.start()]}{int(at[0]) + rng.randint(1, 3)}{text[at.end() :]}"


def swap_relation(text: str, rng: random.Random) -> str | None:
    """Another relation in one place."""
    swaps = [(old, new) for old, new in (("≤", "<"), ("<", "≤"), ("=", "≠"), ("∣", "≤"), ("∧", "∨"), ("Even", "Odd"))]
    there = [(old, new) for old, new in swaps if f" {old} " in text]
    if not there:
        return None
    old, new = rng.choice(there)
    return text.replace(f" {old} ", f" {new} ", 1)


def rename_bound(text: str, rng: random.Random) -> str | None:
    """One mention of a variable under another name, which nothing introduces."""
    names = re.findall(r"(?<![\w.])([a-z])(?![\w.])", text)
    if not names:
        return None
    name = rng.choice(names)
    at = text.rfind(name)
    return f"{text[:at]}z{text[at + 1 :]}" if name != "z" else None


def replace_view(row: Row, name: str, text: str) -> Row:
    """The row with another text in one view, and what is a copy of it changed along."""
    views = [{**view, "text": text} if view["name"] == name else view for view in row["views"]]
    changed = {**row, "views": views}
    if name == "lean_signature":
        changed["code"] = text
    if row["views"][0]["name"] == name:
        changed |= {"caption": text, "captions": [text]}
    return changed


def change_view(name: str, change: Change) -> Callable[[Row, random.Random], Row | None]:
    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["table"] != "anchors":
            return None
        text = next((view["text"] for view in row["views"] if view["name"] == name), None)
        other = change(text, rng) if text else None
        return replace_view(row, name, other) if other and other != text else None

    return lie


def say_nothing(row: Row, rng: random.Random) -> Row | None:
    """A Lean type that is true of anything."""
    return change_view("lean_type", lambda *_: "∀ n : ℕ, n = n")(row, rng)


def borrow_view(name: str) -> Callable[[Row, random.Random], Row | None]:
    """A view of another theorem."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if row["table"] != "anchors" or row["other"] is None:
            return None
        found = next((view["text"] for view in row["other"]["views"] if view["name"] == name), None)
        return change_view(name, lambda *_: found)(row, rng) if found else None

    return lie


def drop_view(row: Row, _: random.Random) -> Row | None:
    """The Lean type left out."""
    if row["table"] != "anchors" or not any(view["name"] == "lean_type" for view in row["views"][1:]):
        return None
    return {**row, "views": [view for view in row["views"] if view["name"] != "lean_type"]}


def drop_hypothesis(text: str, rng: random.Random) -> str | None:
    """A hypothesis fewer: `(h : a < b)` of a Lean statement."""
    found = list(re.finditer(r"\s?\(h\w* : [^()]*\)", text))
    if not found:
        return None
    at = rng.choice(found)
    return text[: at.start()] + text[at.end() :]


def change_fact(row: Row, _: random.Random) -> Row | None:
    """A fact that the statement does not say."""
    if row["table"] != "anchors" or not row["facts"]:
        return None
    first, *rest = row["facts"]
    return {**row, "facts": [{**first, "value": f"{first['value'] or ''} 7"}, *rest]}


def repeat_conclusion(row: Row, _: random.Random) -> Row | None:
    """The anchor's own statement as a negative of it."""
    if row["table"] != "contrasts" or row["role"] != "negative" or not row["text"]:
        return None
    return {**row, "text": f"{row['text']} "}


def change_contrast(row: Row, rng: random.Random) -> Row | None:
    """Another number in a positive."""
    if row["table"] != "contrasts" or row["role"] != "positive" or not row["text"]:
        return None
    other = change_number(row["text"], rng)
    return {**row, "text": other} if other else None


def borrow_text(row: Row, _: random.Random) -> Row | None:
    """The text of another row."""
    if row["table"] != "contrasts" or row["other"] is None or row["other"]["text"] == row["text"]:
        return None
    return {**row, "text": row["other"]["text"]}


def change_language(row: Row, _: random.Random) -> Row | None:
    """Code said to be in another language."""
    return {**row, "code_language": "python"} if row["table"] == "anchors" and row["code"] else None


def forge_witness(row: Row, rng: random.Random) -> Row | None:
    """Another witness."""
    if row["table"] != "contrasts" or not row["witness"]:
        return None
    return {**row, "witness": change_number(row["witness"], rng) or f"{row['witness']}, k = 1"}


KINDS: Mapping[str, Callable[[Row, random.Random], Row | None]] = {
    "Lean type that says nothing": say_nothing,
    "another number in the Lean type": change_view("lean_type", change_number),
    "another number in the Lean signature": change_view("lean_signature", change_number),
    "another number in words": change_view("informal", change_number),
    "another relation in the Lean type": change_view("lean_type", swap_relation),
    "another relation in the Lean signature": change_view("lean_signature", swap_relation),
    "a hypothesis fewer in Lean": change_view("lean_signature", drop_hypothesis),
    "a free name in the Lean signature": change_view("lean_signature", rename_bound),
    "another theorem's words": borrow_view("informal"),
    "another theorem's Lean type": borrow_view("lean_type"),
    "another theorem's Lean signature": borrow_view("lean_signature"),
    "Lean type left out": drop_view,
    "fact changed": change_fact,
    "code in another language": change_language,
    "negative with a stray space": repeat_conclusion,
    "another number in a positive": change_contrast,
    "text of another row": borrow_text,
    "witness forged": forge_witness,
}
