"""Lies about what every row has, of any domain: its id, place, split, checks, provenance, picture file."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

Row = dict[str, Any]


def _of_anchor(change: Callable[[Row, random.Random], Row | None]) -> Callable[[Row, random.Random], Row | None]:
    return lambda row, rng: change(row, rng) if row["table"] == "anchors" else None


def _of_contrast(change: Callable[[Row, random.Random], Row | None]) -> Callable[[Row, random.Random], Row | None]:
    return lambda row, rng: change(row, rng) if row["table"] == "contrasts" else None


def change_answer(row: Row, _: random.Random) -> Row | None:
    """Another answer."""
    return {**row, "answer": "999"} if row["answer"] and row["answer"] != "999" else None


def borrow_question(row: Row, _: random.Random) -> Row | None:
    """The question of another row."""
    other = row["other"]
    if other is None or not row["question"] or not other["question"] or other["question"] == row["question"]:
        return None
    return {**row, "question": other["question"]}


def drop_fact(row: Row, rng: random.Random) -> Row | None:
    """One fact fewer."""
    if not row["facts"]:
        return None
    at = rng.randrange(len(row["facts"]))
    return {**row, "facts": [*row["facts"][:at], *row["facts"][at + 1 :]]}


def drop_facts(row: Row, _: random.Random) -> Row | None:
    """No facts at all."""
    return {**row, "facts": []} if row["facts"] else None


def flip_split(row: Row, rng: random.Random) -> Row | None:
    """Another split, though of a split's name."""
    return {**row, "split": rng.choice([each for each in ("train", "val", "test") if each != row["split"]])}


def change_group(row: Row, rng: random.Random) -> Row | None:
    """A group that nothing ties it to."""
    return {**row, "group": f"{rng.getrandbits(128):032x}"}


def join_group(row: Row, _: random.Random) -> Row | None:
    """Another anchor's group."""
    other = row["other"]
    return {**row, "group": other["group"]} if other is not None and other["group"] != row["group"] else None


def change_anchor_id(row: Row, rng: random.Random) -> Row | None:
    """An id that is of nothing, as its contrasts name it."""
    return {**row, "anchor_id": f"{rng.getrandbits(128):032x}"}


def forge_checks(row: Row, _: random.Random) -> Row | None:
    """A check more, which nobody made."""
    return {**row, "checks": [*row["checks"], "human_reviewed"]}


def drop_check(row: Row, _: random.Random) -> Row | None:
    """A check fewer."""
    return {**row, "checks": row["checks"][:-1]} if row["checks"] else None


def raise_rank(row: Row, rng: random.Random) -> Row | None:
    """A rank that leaves a gap."""
    return {**row, "rank": row["rank"] + rng.randint(3, 40)}


def forge_grade(row: Row, rng: random.Random) -> Row | None:
    """Another grade than its checks show."""
    return {**row, "grade": rng.choice([each for each in ("proved", "refuted", "undecided") if each != row["grade"]])}


def forge_edit(row: Row, _: random.Random) -> Row | None:
    """An edit that was not made."""
    if not row["edits"]:
        return None
    first, *rest = row["edits"]
    return {**row, "edits": [{**first, "target": f"{first['target']} of old"}, *rest]}


def change_role(row: Row, _: random.Random) -> Row | None:
    """A negative said to be a positive, or the other way round."""
    return {**row, "role": "positive" if row["role"] == "negative" else "negative"}


def change_anchor(row: Row, _: random.Random) -> Row | None:
    """Another anchor's contrast."""
    other = row["other"]
    if other is None or other["anchor_id"] == row["anchor_id"]:
        return None
    return {**row, "anchor_id": other["anchor_id"]}


def leave_out(row: Row, _: random.Random) -> Row | None:
    """The row is deleted."""
    return {**row, "gone": True}


def change_seed(row: Row, _: random.Random) -> Row | None:
    """Another seed than the run's."""
    return {**row, "provenance": {**row["provenance"], "seed": row["provenance"]["seed"] + 1}}


def forge_author(row: Row, _: random.Random) -> Row | None:
    """An author that did not write it."""
    author = "openai" if row["provenance"]["author"] == "procedural" else "procedural"
    return {**row, "provenance": {**row["provenance"], "author": author}}


def forge_cost(row: Row, _: random.Random) -> Row | None:
    """Tokens that nobody was paid for."""
    return {**row, "provenance": {**row["provenance"], "output_tokens": 412, "cost_usd": 1.25}}


def rename_picture(row: Row, rng: random.Random) -> Row | None:
    """A picture file that is called as another's."""
    if row["image"] is None:
        return None
    return {**row, "image": {**row["image"], "path": f"../{rng.getrandbits(64):016x}.png"}}


def append_bytes(row: Row, rng: random.Random) -> Row | None:
    """A megabyte behind the picture's end."""
    if row["image"] is None:
        return None
    return {**row, "image": {**row["image"], "bytes": row["image"]["bytes"] + rng.randbytes(1 << 20)}}


def name_model(row: Row, _: random.Random) -> Row:
    """A model that did not write it."""
    return {**row, "provenance": {**row["provenance"], "model": "a-model"}}


def move_source(row: Row, _: random.Random) -> Row:
    """Another source than the run's."""
    return {**row, "source": "elsewhere"}


def renumber(row: Row, rng: random.Random) -> Row | None:
    """Another source row of the same source."""
    return {**row, "source_id": f"{row['source_id']}{rng.randrange(10)}"}


def invent(column: str, text: str) -> Callable[[Row, random.Random], Row | None]:
    """A text where the row has none."""
    return lambda row, _: {**row, column: text} if column in row and not row[column] else None


def say_more(column: str) -> Callable[[Row, random.Random], Row | None]:
    """A sentence more, which nobody can check."""

    def lie(row: Row, _: random.Random) -> Row | None:
        if not row.get(column):
            return None
        text = f"{row[column]} It was made in June."
        return {**row, column: text, **({"captions": [text, *row["captions"][1:]]} if column == "caption" else {})}

    return lie


_ALIKE = str.maketrans(
    "aeopcxABCEHKMOPT",
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0410\u0412\u0421\u0415\u041d\u041a\u041c\u041e\u0420\u0422",
)


def _respell(change: Callable[[str, random.Random], str]) -> Callable[[Row, random.Random], Row | None]:
    """The text, or the caption, in other letters that look the same."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        column = "caption" if row["table"] == "anchors" else "text"
        old = row[column]
        new = change(old, rng) if old else old
        if new == old:
            return None
        said = [new if each == old else each for each in row["captions"]] if column == "caption" else None
        return {**row, column: new, **({"captions": said} if said is not None else {})}

    return lie


def use_alike(text: str, rng: random.Random) -> str:
    """One letter in Cyrillic."""
    places = [at for at, letter in enumerate(text) if letter.translate(_ALIKE) != letter]
    if not places:
        return text
    at = rng.choice(places)
    return text[:at] + text[at].translate(_ALIKE) + text[at + 1 :]


def hide_space(text: str, rng: random.Random) -> str:
    """A space of no width."""
    at = rng.randrange(len(text) + 1)
    return f"{text[:at]}\u200b{text[at:]}"


def turn_text(text: str, _: random.Random) -> str:
    """Marks that turn the order of reading."""
    return f"\u202e{text}\u202c"


def add_line(text: str, _: random.Random) -> str:
    """An end of line."""
    return f"{text}\n"


def set_number(column: str) -> Callable[[Row, random.Random], Row | None]:
    """Another number in a column, or one where there is none."""
    return lambda row, _: {**row, column: 0.125 if row[column] is None else round(row[column] / 2 + 0.01, 4)}


def forge_changes(row: Row, _: random.Random) -> Row | None:
    """Another kind of change than was measured."""
    said = row.get("changes")
    return None if said is None else {**row, "changes": ["stroke"] if said != ["stroke"] else ["letter"]}


def add_change(row: Row, _: random.Random) -> Row | None:
    """A kind of change more."""
    said = row.get("changes")
    return None if said is None else {**row, "changes": [*said, "object" if "object" not in said else "letter"]}


def forget_changes(row: Row, _: random.Random) -> Row | None:
    """No change told."""
    return {**row, "changes": None} if row.get("changes") is not None else None


def forget_grade(row: Row, _: random.Random) -> Row | None:
    """No grade told."""
    return {**row, "grade": None, "witness": None}


def double_edit(row: Row, _: random.Random) -> Row | None:
    """An edit told twice."""
    return {**row, "edits": [*row["edits"], row["edits"][-1]]} if row["edits"] else None


def keep_back_edit(row: Row, rng: random.Random) -> Row | None:
    """One of several edits is not told."""
    if len(row["edits"]) < 2:
        return None
    at = rng.randrange(len(row["edits"]))
    return {**row, "edits": [*row["edits"][:at], *row["edits"][at + 1 :]]}


def turn_edits(row: Row, _: random.Random) -> Row | None:
    """Several edits, each with the replacement of the next."""
    edits = row["edits"]
    if len({each["replacement"] for each in edits}) < 2:
        return None
    turned = [{**each, "replacement": edits[at - 1]["replacement"]} for at, each in enumerate(edits)]
    return {**row, "edits": turned}


def borrow_from_sibling(*columns: str) -> Callable[[Row, random.Random], Row | None]:
    """What another near miss of the same anchor has."""

    def lie(row: Row, _: random.Random) -> Row | None:
        sibling = row.get("sibling")
        if sibling is None or all(sibling[name] == row[name] for name in columns):
            return None
        return {**row, **{name: sibling[name] for name in columns}}

    return lie


def add_fact(row: Row, _: random.Random) -> Row | None:
    """A fact of another row more."""
    other = row["other"]
    fresh = [each for each in other["facts"] if each not in row["facts"]] if other is not None else []
    return {**row, "facts": [*row["facts"], fresh[0]]} if fresh else None


def turn_facts(row: Row, _: random.Random) -> Row | None:
    """The facts in another order."""
    return {**row, "facts": row["facts"][::-1]} if row["facts"] != row["facts"][::-1] else None


def borrow_row(row: Row, _: random.Random) -> Row | None:
    """All that another contrast shows."""
    other = row["other"]
    if other is None or other["anchor_id"] == row["anchor_id"]:
        return None
    return {**row, **{name: other[name] for name in ("text", "image", "vector", "code", "edits", "changes")}}


def blank_text(row: Row, _: random.Random) -> Row | None:
    """An empty text for none, or none for a text."""
    return {**row, "text": None if row["text"] else ""}


KINDS: Mapping[str, Callable[[Row, random.Random], Row | None]] = {
    "answer changed": _of_anchor(change_answer),
    "another row's question": _of_anchor(borrow_question),
    "a fact dropped": _of_anchor(drop_fact),
    "all facts dropped": _of_anchor(drop_facts),
    "split flipped": _of_anchor(flip_split),
    "group of nobody": _of_anchor(change_group),
    "group of another": _of_anchor(join_group),
    "anchor id of nothing": _of_anchor(change_anchor_id),
    "check forged": _of_contrast(forge_checks),
    "check left out": _of_contrast(drop_check),
    "rank raised": _of_contrast(raise_rank),
    "grade forged": _of_contrast(forge_grade),
    "edit forged": _of_contrast(forge_edit),
    "role changed": _of_contrast(change_role),
    "another's contrast": _of_contrast(change_anchor),
    "row deleted": _of_contrast(leave_out),
    "solution invented": _of_anchor(invent("solution", "It is 7, as anybody sees.")),
    "question invented": _of_anchor(invent("question", "How many are there?")),
    "answer invented": _of_anchor(invent("answer", "7")),
    "question with more": _of_anchor(say_more("question")),
    "caption with more": _of_anchor(say_more("caption")),
    "text with more": _of_contrast(say_more("text")),
    "another fact more": _of_anchor(add_fact),
    "facts in another order": _of_anchor(turn_facts),
    "source of nobody": _of_anchor(move_source),
    "another source row": _of_anchor(renumber),
    "letter of another script": _respell(use_alike),
    "space of no width": _respell(hide_space),
    "text turned": _respell(turn_text),
    "end of line": _respell(add_line),
    "similarity changed": _of_contrast(set_number("similarity")),
    "concreteness changed": _of_contrast(set_number("concreteness")),
    "change forged": _of_contrast(forge_changes),
    "change more": _of_contrast(add_change),
    "changes untold": _of_contrast(forget_changes),
    "grade untold": _of_contrast(forget_grade),
    "edit told twice": _of_contrast(double_edit),
    "shows another's contrast": _of_contrast(borrow_row),
    "text blanked": _of_contrast(blank_text),
    "edit kept back": _of_contrast(keep_back_edit),
    "replacements exchanged": _of_contrast(turn_edits),
    "edits of a sibling": _of_contrast(borrow_from_sibling("edits")),
    "text of a sibling": _of_contrast(borrow_from_sibling("text")),
    "picture of a sibling": _of_contrast(borrow_from_sibling("image")),
    "picture and code of a sibling": _of_contrast(borrow_from_sibling("image", "code", "vector")),
    "changes of a sibling": _of_contrast(borrow_from_sibling("changes")),
    "all of a sibling": _of_contrast(borrow_from_sibling("text", "image", "code", "vector", "edits", "changes")),
    "model forged": name_model,
    "seed changed": change_seed,
    "author forged": forge_author,
    "cost forged": forge_cost,
    "picture renamed": rename_picture,
    "bytes behind the picture": append_bytes,
}
