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
    "seed changed": change_seed,
    "author forged": forge_author,
    "cost forged": forge_cost,
    "picture renamed": rename_picture,
    "bytes behind the picture": append_bytes,
}
