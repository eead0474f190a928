"""Lies of classes that no list above names: words moved, doubled and spelled, formulas of another strength, and columns
that stand for other rows. All were written before it was known what the checks say of them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]
Kind = Callable[[Row, random.Random], Row | None]
Change = Callable[[str, random.Random], str | None]

_SPELLED = {"2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "10": "ten", "90": "ninety"}


def swap_words(text: str, rng: random.Random) -> str | None:
    """Two words that follow each other, the other way round."""
    words = text.split(" ")
    places = [at for at in range(len(words) - 1) if words[at] != words[at + 1]]
    if not places:
        return None
    at = rng.choice(places)
    words[at], words[at + 1] = words[at + 1], words[at]
    return " ".join(words)


def double_word(text: str, rng: random.Random) -> str:
    """A word twice."""
    words = text.split(" ")
    at = rng.randrange(len(words))
    return " ".join([*words[: at + 1], *words[at:]])


def drop_word(text: str, rng: random.Random) -> str | None:
    """A word fewer."""
    words = text.split(" ")
    if len(words) < 3:
        return None
    del words[rng.randrange(len(words))]
    return " ".join(words)


def move_word(text: str, _: random.Random) -> str | None:
    """The last word first."""
    words = text.rstrip(".").split(" ")
    return " ".join([words[-1], *words[:-1]]) if len(words) > 2 else None


def turn_stop(text: str, _: random.Random) -> str:
    """A full stop more at the end, or one fewer."""
    return text[:-1] if text.endswith(".") else f"{text}."


def ask(text: str, _: random.Random) -> str:
    """A question mark at the end."""
    return f"{text.rstrip('.')}?"


def quote(text: str, _: random.Random) -> str:
    """All in quotation marks."""
    return f'"{text}"'


def number_it(text: str, _: random.Random) -> str:
    """A label before it."""
    return f"(a) {text}"


def spell(text: str, rng: random.Random) -> str | None:
    """A number as a word."""
    found = [each for each in re.finditer(r"\b\d+\b", text) if each[0] in _SPELLED]
    if not found:
        return None
    at = rng.choice(found)
    return f"{text[: at.start()]}{_SPELLED[at[0]]}{text[at.end() :]}"


def point(text: str, rng: random.Random) -> str | None:
    """A number with a tenth more."""
    found = list(re.finditer(r"(?<![\w.])\d+(?![\w.])", text))
    if not found:
        return None
    at = rng.choice(found)
    return f"{text[: at.end()]}.1{text[at.end() :]}"


def exchange_numbers(text: str, _: random.Random) -> str | None:
    """Its first two different numbers, each in the other's place."""
    found = list(re.finditer(r"\d+", text))
    other = next((each for each in found[1:] if each[0] != found[0][0]), None)
    if other is None:
        return None
    one = found[0]
    return text[: one.start()] + other[0] + text[one.end() : other.start()] + one[0] + text[other.end() :]


def exchange_letters(text: str, _: random.Random) -> str | None:
    """Its first two different capitals that stand alone, exchanged everywhere."""
    found = list(dict.fromkeys(re.findall(r"\b[A-Z]\b", text)))
    if len(found) < 2:
        return None
    a, b = found[:2]
    return re.sub(rf"\b[{a}{b}]\b", lambda at: b if at[0] == a else a, text)


def deny(text: str, _: random.Random) -> str | None:
    """A "not" behind the first verb."""
    new = re.sub(r"\b(is|are|has|have|lies|does)\b", r"\1 not", text, count=1)
    return new if new != text else None


def _replace(*pairs: tuple[str, str]) -> Change:
    """The first of some signs or words that is there, by its like of another strength."""

    def change(text: str, rng: random.Random) -> str | None:
        there = [(one, other) for one, other in pairs if one in text]
        if not there:
            return None
        one, other = rng.choice(there)
        return text.replace(one, other, 1)

    return change


weaken = _replace(
    ("<", "≤"), ("≤", "<"), (">", "≥"), ("≥", ">"), (" all ", " some "), ("every ", "some "), ("at least", "more than")
)
requantify = _replace(("∀", "∃"), ("∃", "∀"), ("→", "∧"), ("∧", "∨"), ("↔", "→"), ("=", "≠"), ("≠", "="))
retype = _replace(
    ("ℕ", "ℤ"),
    ("ℤ", "ℚ"),
    ("ℝ", "ℚ"),
    ("integer", "real number"),
    ("natural", "whole"),
    ("even", "odd"),
    ("prime", "odd"),
)
unbind = _replace(("+ ", "- "), ("* ", "+ "), ("^ 2", "^ 3"), ("(", ""), (" mod ", " + "))
turn_side = _replace(
    ("left", "right"), ("right", "left"), ("above", "below"), ("below", "above"), ("Yes", "No"), ("-->", "---")
)
redefine = _replace(("the ", "a "), ("a ", "the "), ("two ", "three "), ("and ", "or "), ("only ", ""), ("both ", ""))


def _of(column: str, change: Change, *, captions: bool = True) -> Kind:
    def lie(row: Row, rng: random.Random) -> Row | None:
        old = row.get(column)
        if not old or not isinstance(old, str):
            return None
        new = change(old, rng)
        if not new or new == old:
            return None
        said = {"captions": [new if each == old else each for each in row["captions"]]} if column == "caption" else {}
        return {**row, column: new, **(said if captions else {})}

    return lie


def _said(change: Change) -> Kind:
    """Of an anchor its caption, of a contrast its text."""
    of_anchor, of_contrast = _of("caption", change), _of("text", change)
    return lambda row, rng: (of_anchor if row["table"] == "anchors" else of_contrast)(row, rng)


def _in_views(change: Change) -> Kind:
    """One view of several, alone."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        views = [dict(each) for each in row.get("views") or ()]
        places = [at for at, each in enumerate(views) if each["text"] and change(each["text"], random.Random(0))]
        if not places:
            return None
        at = rng.choice(places)
        views[at]["text"] = change(views[at]["text"], rng)
        return {**row, "views": views}

    return lie


def _lists(column: str, change: Callable[[list[Any], random.Random], list[Any] | None]) -> Kind:
    def lie(row: Row, rng: random.Random) -> Row | None:
        value = list(row.get(column) or ())
        new = change(value, rng) if value else None
        return None if new is None or new == value else {**row, column: new}

    return lie


def _turn_edit(value: list[Any], rng: random.Random) -> list[Any]:
    at = rng.randrange(len(value))
    edit = {**value[at], "target": value[at]["replacement"]}
    return [*value[:at], edit, *value[at + 1 :]]


def _blank_edit(value: list[Any], rng: random.Random) -> list[Any]:
    at = rng.randrange(len(value))
    return [*value[:at], {**value[at], rng.choice(("target", "replacement")): ""}, *value[at + 1 :]]


def _pad_edit(value: list[Any], rng: random.Random) -> list[Any]:
    at = rng.randrange(len(value))
    return [*value[:at], {**value[at], "replacement": f"{value[at]['replacement']} "}, *value[at + 1 :]]


def _nest_check(value: list[Any], _: random.Random) -> list[Any]:
    return [*value[1:], value[0]]


def _fact_value(value: list[Any], _: random.Random) -> list[Any] | None:
    """Two facts exchange their values."""
    places = [at for at, each in enumerate(value) if each["value"] is not None]
    if len({value[at]["value"] for at in places}) < 2:
        return None
    one, other = next((a, b) for a in places for b in places if value[a]["value"] != value[b]["value"])
    new = [dict(each) for each in value]
    new[one]["value"], new[other]["value"] = value[other]["value"], value[one]["value"]
    return new


def _cut(column: str) -> Kind:
    return _of(column, lambda text, _: text[: len(text) // 2] or None)


def _show_anchor(row: Row, _: random.Random) -> Row | None:
    """The anchor's own picture, with its SVG and code."""
    anchor = row.get("anchor")
    if row["table"] != "contrasts" or anchor is None or not row["image"] or not anchor["image"]:
        return None
    image = {**row["image"], "bytes": anchor["image"]["bytes"]}
    return {**row, "image": image, "vector": anchor["vector"], "code": anchor["code"]}


def _say_anchor(row: Row, _: random.Random) -> Row | None:
    """The anchor's own caption."""
    anchor = row.get("anchor")
    if row["table"] != "contrasts" or anchor is None or not row["text"] or not anchor["caption"]:
        return None
    return {**row, "text": anchor["caption"]}


def _pair(row: Row, _: random.Random) -> Row | None:
    """It is said to belong with a sibling."""
    if row["table"] != "contrasts" or "pair" not in row or not row.get("sibling"):
        return None
    return {**row, "pair": row["sibling"]["contrast_id"]}


def _add(column: str, by: int) -> Kind:
    return lambda row, _: {**row, column: row[column] + by} if isinstance(row.get(column), int) else None


def _provenance_of_other(row: Row, _: random.Random) -> Row | None:
    """Who made another row is said to have made this one."""
    other = row.get("cousin") or row.get("other")
    return {**row, "provenance": other["provenance"]} if other and other["provenance"] != row["provenance"] else None


KINDS: Mapping[str, Kind] = {
    "words exchanged": _said(swap_words),
    "a word doubled": _said(double_word),
    "a word dropped": _said(drop_word),
    "the last word first": _said(move_word),
    "a full stop more or fewer": _said(turn_stop),
    "a question made of it": _said(ask),
    "in quotation marks": _said(quote),
    "a label before it": _said(number_it),
    "a number spelled": _said(spell),
    "a tenth more": _said(point),
    "two numbers exchanged": _said(exchange_numbers),
    "two letters exchanged": _said(exchange_letters),
    "denied": _said(deny),
    "of another strength": _said(weaken),
    "of another quantifier": _said(requantify),
    "of another type": _said(retype),
    "of another operation": _said(unbind),
    "of another side": _said(turn_side),
    "of another article": _said(redefine),
    "code of another strength": _of("code", weaken),
    "code of another quantifier": _of("code", requantify),
    "code of another type": _of("code", retype),
    "code with two numbers exchanged": _of("code", exchange_numbers),
    "code with a tenth more": _of("code", point),
    "code of another side": _of("code", turn_side),
    "code cut": _cut("code"),
    "SVG cut": _cut("vector"),
    "SVG with two numbers exchanged": _of("vector", exchange_numbers),
    "witness cut": _cut("witness"),
    "witness with a tenth more": _of("witness", point),
    "question of another article": _of("question", redefine),
    "question with two numbers exchanged": _of("question", exchange_numbers),
    "question cut": _cut("question"),
    "solution with words exchanged": _of("solution", swap_words),
    "solution with two numbers exchanged": _of("solution", exchange_numbers),
    "a view of another strength": _in_views(weaken),
    "a view of another quantifier": _in_views(requantify),
    "a view of another type": _in_views(retype),
    "a view with a word doubled": _in_views(double_word),
    "a view with two numbers exchanged": _in_views(exchange_numbers),
    "edit of nothing": _lists("edits", _turn_edit),
    "edit with an empty side": _lists("edits", _blank_edit),
    "edit with a space": _lists("edits", _pad_edit),
    "first check last": _lists("checks", _nest_check),
    "facts with each other's values": _lists("facts", _fact_value),
    "the anchor's own picture": _show_anchor,
    "the anchor's own caption": _say_anchor,
    "paired with a sibling": _pair,
    "more steps": _add("steps", 1),
    "made by who made another": _provenance_of_other,
}
