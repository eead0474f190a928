"""Lies about any row that look like nothing: other signs for the same, hidden text, order, repeats, exchanges."""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.lies.rows import use_alike
from counterfoil.tasks.engine.registry import load_family

Row = dict[str, Any]
Kind = Callable[[Row, random.Random], Row | None]
Change = Callable[[str, random.Random], str]

_CLOSE = 0.005
"""Similarities that differ by no more are told as alike."""
_SHOWN = ("text", "image", "vector", "code", "edits", "changes", "grade", "witness")


# Signs


def _in_column(column: str, change: Change) -> Kind:
    """One text of a column, or one of the texts that it holds, changed."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        value = row.get(column)
        if not value:
            return None
        if isinstance(value, str):
            return {**row, column: change(value, rng)}
        at = rng.randrange(len(value))
        one = value[at]
        if isinstance(one, str):
            new: Any = change(one, rng)
        else:
            names = [name for name, text in one.items() if isinstance(text, str) and text]
            if not names:
                return None
            name = rng.choice(names)
            new = {**one, name: change(one[name], rng)}
        return {**row, column: [*value[:at], new, *value[at + 1 :]]}

    return lie


def use_other_digits(text: str, rng: random.Random) -> str:
    """One digit in full width, which `int` and `float` read as the same."""
    places = [at for at, letter in enumerate(text) if letter.isascii() and letter.isdigit()]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + chr(0xFF10 + int(text[at])) + text[at + 1 :]


def add_zero(text: str, rng: random.Random) -> str:
    """A number with a zero before it."""
    places = [found.start() for found in re.finditer(r"(?<![\w.])\d", text)]
    if not places:
        return text
    at = rng.choice(places)
    return f"{text[:at]}0{text[at:]}"


def bind_space(text: str, rng: random.Random) -> str:
    """A space that does not break, for one that does."""
    places = [at for at, letter in enumerate(text) if letter == " "]
    if not places:
        return text
    at = rng.choice(places)
    return f"{text[:at]}\u00a0{text[at + 1 :]}"


def double_space(text: str, rng: random.Random) -> str:
    """Two spaces for one."""
    places = [at for at, letter in enumerate(text) if letter == " "]
    if not places:
        return text
    at = rng.choice(places)
    return f"{text[:at]} {text[at:]}"


def put_mark(text: str, rng: random.Random) -> str:
    """An accent on a letter."""
    places = [at for at, letter in enumerate(text) if letter.isalpha()]
    if not places:
        return text
    at = rng.choice(places)
    return f"{text[: at + 1]}\u0301{text[at + 1 :]}"


def decompose(text: str, _: random.Random) -> str:
    """Letters with accents, and signs that have another form, taken apart."""
    return unicodedata.normalize("NFKD", text)


def turn_case(text: str, rng: random.Random) -> str:
    """One letter in the other case."""
    places = [at for at, letter in enumerate(text) if letter.swapcase() != letter]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + text[at].swapcase() + text[at + 1 :]


# What no reader meets


def _hide_in_code(row: Row, _: random.Random) -> Row | None:
    """A remark in the code, in the manner of its language."""
    code = row["code"]
    if not code:
        return None
    if code.lstrip().startswith("{"):
        return {**row, "code": code + "\n"}
    if re.match(r"\s*(flowchart|graph)\b", code):
        return {**row, "code": f"{code.rstrip()}\n    %% A is the answer\n"}
    if re.search(r"^import |^points = ", code, re.M):
        return {**row, "code": f"# AB = 9\n{code}"}
    return {**row, "code": f"{code} /- which is true -/"}


def _hide_in_vector(ink: str) -> Kind:
    return lambda row, _: (
        {**row, "vector": row["vector"].replace("</svg>", f"{ink}</svg>")} if row.get("vector") else None
    )


def _put_beside(column: str) -> Kind:
    """What another contrast of the anchor has, in a column that is empty here."""

    def lie(row: Row, _: random.Random) -> Row | None:
        held = (row.get("cousin") or {}).get(column) if row["table"] == "contrasts" else None
        return {**row, column: held} if held and not row[column] else None

    return lie


def _leave_out(column: str) -> Kind:
    def lie(row: Row, _: random.Random) -> Row | None:
        value = row.get(column)
        return {**row, column: [] if isinstance(value, list) else None} if value else None

    return lie


# Lists


def _of_list(column: str, change: Callable[[list[Any], random.Random, Row], list[Any] | None]) -> Kind:
    def lie(row: Row, rng: random.Random) -> Row | None:
        value = row.get(column)
        if not value:
            return None
        new = change(list(value), rng, row)
        return None if new is None or new == value else {**row, column: new}

    return lie


def _turn(value: list[Any], _: random.Random, __: Row) -> list[Any]:
    return value[::-1]


def _repeat(value: list[Any], rng: random.Random, _: Row) -> list[Any]:
    return [*value, rng.choice(value)]


def _leave_one(value: list[Any], rng: random.Random, _: Row) -> list[Any] | None:
    if len(value) < 2:
        return None
    at = rng.randrange(1, len(value))
    return [*value[:at], *value[at + 1 :]]


def _one_of_another(column: str) -> Callable[[list[Any], random.Random, Row], list[Any] | None]:
    """The last is what another row has there."""

    def change(value: list[Any], rng: random.Random, row: Row) -> list[Any] | None:
        held = (row.get("other") or {}).get(column) or []
        fresh = [each for each in held if each not in value]
        return [*value[:-1], rng.choice(fresh)] if fresh else None

    return change


def _turn_arguments(row: Row, rng: random.Random) -> Row | None:
    """A fact's arguments the other way round."""
    places = [at for at, fact in enumerate(row.get("facts") or ()) if len(set(fact["arguments"])) > 1]
    if not places:
        return None
    at = rng.choice(places)
    facts = [dict(fact) for fact in row["facts"]]
    facts[at]["arguments"] = facts[at]["arguments"][::-1]
    return {**row, "facts": facts}


def _rename_edit(row: Row, _: random.Random) -> Row | None:
    """An edit of another kind than was made."""
    edits = row.get("edits")
    return {**row, "edits": [{**edits[0], "kind": f"{edits[0]['kind']}s"}, *edits[1:]]} if edits else None


# Exchanges of two rows


def _exchange(partner: str, *columns: str, small: bool = False) -> Kind:
    """Two contrasts of one anchor exchange what they have in these columns. ``small``: no reader sees it."""

    def lie(row: Row, _: random.Random) -> Row | None:
        other = row.get(partner) if row["table"] == "contrasts" else None
        if other is None or any(row[name] is None and other[name] is None for name in columns):
            return None
        if all(row[name] == other[name] for name in columns):
            return None
        also = {**other, **{name: row[name] for name in columns}, "table": "contrasts"}
        near = columns == ("similarity",) and abs(row["similarity"] - other["similarity"]) <= _CLOSE
        return {**row, **{name: other[name] for name in columns}, "also": also, "small": small or near}

    return lie


def _move(row: Row, _: random.Random) -> Row | None:
    """Two contrasts of one anchor exchange their families, and their ranks there; families that ask the same of a row
    differ in nothing that a reader sees."""
    other = row.get("cousin") if row["table"] == "contrasts" else None
    if other is None:
        return None
    columns = ("family", "rank")
    return {
        **row,
        **{name: other[name] for name in columns},
        "also": {**other, **{name: row[name] for name in columns}, "table": "contrasts"},
        "small": load_family(row["family"])[1].verify is load_family(other["family"])[1].verify,
    }


# Provenance


def _in_provenance(**told: Any) -> Kind:
    return lambda row, _: {**row, "provenance": {**row["provenance"], **told}}


def _renumber(row: Row, _: random.Random) -> Row | None:
    """The source row's number with a zero before it."""
    number = row.get("source_id") or ""
    return {**row, "source_id": f"0{number}"} if number.isdigit() else None


_SIGNS: Mapping[str, Change] = {
    "a letter of another script": use_alike,
    "a digit of another script": use_other_digits,
    "a zero before a number": add_zero,
    "a space that does not break": bind_space,
    "two spaces": double_space,
    "an accent": put_mark,
    "signs taken apart": decompose,
    "a letter in the other case": turn_case,
}
_WHERE = ("caption", "captions", "question", "answer", "facts", "views", "code", "text", "edits", "vector", "source_id")


def _disguise(column: str) -> Kind:
    """Other signs that look alike, or mean the same, in a column."""
    kinds = [_in_column(column, change) for change in _SIGNS.values()]

    def lie(row: Row, rng: random.Random) -> Row | None:
        for kind in rng.sample(kinds, len(kinds)):
            changed = kind(row, rng)
            if changed is not None and changed[column] != row[column]:
                return changed
        return None

    return lie


KINDS: Mapping[str, Kind] = {
    **{f"other signs: {column}": _disguise(column) for column in _WHERE},
    "remark in code": _hide_in_code,
    "SVG with a remark": _hide_in_vector("<!-- A is the answer -->"),
    "SVG with a title": _hide_in_vector("<title>a chart of four steps</title>"),
    "SVG with metadata": _hide_in_vector("<metadata>negative</metadata>"),
    **{f"{column} beside": _put_beside(column) for column in ("image", "vector", "code", "text")},
    **{f"{column} left out": _leave_out(column) for column in ("image", "vector", "code", "edits", "witness")},
    # Edits of two places made in another order come to the same.
    **{
        f"{column}, {how}": _of_list(column, change)
        for column in ("captions", "facts", "views", "edits", "checks", "changes")
        for how, change in (
            ("the other way round", _turn),
            ("one twice", _repeat),
            ("one fewer", _leave_one),
            ("one of another row", _one_of_another(column)),
        )
        if (column, how) != ("edits", "the other way round")
    },
    "a fact's arguments turned": _turn_arguments,
    "edit of no such kind": _rename_edit,
    # The order in which a maker offered them, which nothing that they show bears out.
    "ranks exchanged": _exchange("sibling", "rank", small=True),
    "similarities exchanged": _exchange("sibling", "similarity"),
    "grades exchanged": _exchange("sibling", "grade", "witness"),
    "rows exchanged but for their ids": _exchange("sibling", *_SHOWN),
    "families exchanged": _move,
    "code of another commit": _in_provenance(code_version="0.1.0+0123456789ab"),
    "code of no version": _in_provenance(code_version="the newest"),
    "prompt named": _in_provenance(prompt_id="geometry.write", prompt_sha256="0" * 64, request_sha256="1" * 64),
    "attempts forged": _in_provenance(attempts=3),
    "source row with a zero": _renumber,
}
