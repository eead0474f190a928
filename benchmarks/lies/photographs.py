"""Lies about near misses and rewordings of photographs' captions, each with its edit told as a careful forger tells it.

Of a photograph nothing is known but what people said of it, so these are texts that its captions do not leave false,
texts that changed in more than is told, and rows that say more of themselves than their checks show.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Row = dict[str, Any]
Kind = Callable[[Row, random.Random], Row | None]

_MISSES = ("near", "concrete", "mask", "swap", "add", "unit", "halftruth")
_BROADER = {
    "animal": ("dog", "cat", "horse", "cow", "sheep", "bear", "bird", "elephant", "giraffe", "zebra"),
    "person": ("man", "woman", "boy", "girl", "child", "skier", "surfer", "player"),
    "vehicle": ("bus", "car", "truck", "train", "motorcycle", "boat", "airplane"),
    "food": ("pizza", "sandwich", "cake", "donut", "banana", "apple"),
    "furniture": ("table", "chair", "couch", "bed", "bench", "desk"),
}
_SAME = {
    "couch": "sofa", "man": "guy", "photo": "picture", "street": "road", "motorcycle": "motorbike", "airplane": "plane",
    "bicycle": "bike", "large": "big", "small": "little", "kid": "child", "baseball": "ball", "beside": "next to",
    "near": "by", "sits": "is sitting", "stands": "is standing", "television": "TV", "red": "crimson", "atop": "on",
}  # fmt: skip
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def _of_miss(change: Callable[[Row, Row, random.Random], Row | None], *kinds: str) -> Kind:
    """Negatives of photographs in these families; ``change`` gets the row, its anchor and chance."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        anchor = row.get("anchor")
        if row["table"] != "contrasts" or anchor is None or anchor["code"]:
            return None
        return change(row, anchor, rng) if row["family"].rpartition(".")[2] in (kinds or _MISSES) else None

    return lie


def _tell(row: Row, text: str, target: str, replacement: str, kind: str | None = None) -> Row:
    """The row with another text, and its one exchange told."""
    first, *rest = row["edits"]
    edits = [{"kind": kind or first["kind"], "target": target, "replacement": replacement}]
    edits += [{**each, "replacement": text} if each["kind"] in ("beside", "control") else each for each in rest]
    return {**row, "text": text, "edits": edits}


def _exchange(caption: str, target: str, replacement: str) -> str:
    return re.sub(rf"\b{re.escape(target)}\b", replacement, caption, count=1)


def _from_words(choose: Callable[[str, Row, random.Random], str | None]) -> Callable[..., Row | None]:
    """A word of a caption gives way to one that is chosen for it."""

    def change(row: Row, anchor: Row, rng: random.Random) -> Row | None:
        captions = rng.sample(anchor["captions"], len(anchor["captions"]))
        if row["edits"][-1]["kind"] == "beside":
            captions = [row["edits"][-1]["target"]]
        for caption in captions:
            words = re.findall(r"[A-Za-z]+", caption)
            for word in rng.sample(words, len(words)):
                new = choose(word.lower(), anchor, rng)
                if new and new != word.lower():
                    return _tell(row, _exchange(caption, word, new), word, new)
        return None

    return change


def broader(word: str, *_: Any) -> str | None:
    """What is more general."""
    return next((each for each, narrow in _BROADER.items() if word in narrow), None)


def narrower(word: str, _: Row, rng: random.Random) -> str | None:
    """What is narrower, which may be true."""
    return rng.choice(_BROADER[word]) if word in _BROADER else {"people": "men", "bread": "toast"}.get(word)


def same(word: str, *_: Any) -> str | None:
    """Another word for the same."""
    return _SAME.get(word)


def fewer(word: str, *_: Any) -> str | None:
    """A smaller number, of which there are as well."""
    at = _NUMBERS.index(word) if word in _NUMBERS else 0
    return _NUMBERS[at - 1] if at > 1 else None


def said_elsewhere(row: Row, anchor: Row, rng: random.Random) -> Row | None:
    """A word that another caption of the picture says."""
    target = row["edits"][0]["target"]
    own = next((each for each in anchor["captions"] if target in each), None)
    others = [word for each in anchor["captions"] if each != own for word in re.findall(r"[a-z]{4,}", each)]
    fresh = [word for word in others if own is not None and word not in own]
    if own is None or not fresh:
        return None
    new = rng.choice(fresh)
    return _tell(row, _exchange(own, target, new), target, new)


def another_caption(row: Row, anchor: Row, rng: random.Random) -> Row | None:
    """Another caption of the picture, which is true, told as one exchange of all its words."""
    one, *others = rng.sample(anchor["captions"], len(anchor["captions"]))
    return _tell(row, others[0], one, others[0]) if others else None


def change_more(row: Row, _: Row, rng: random.Random) -> Row | None:
    """A word more is changed than is told."""
    words = [word for word in re.findall(r"[a-z]{3,}", row["text"]) if word not in row["edits"][0]["replacement"]]
    return {**row, "text": _exchange(row["text"], rng.choice(words), "purple")} if words else None


def deny(row: Row, *_: Any) -> Row | None:
    """The text is denied, so that it is true."""
    new = re.sub(r"\b(is|are|has|have|with)\b", r"\1 not", row["text"], count=1)
    return {**row, "text": new} if new != row["text"] else {**row, "text": f"It is not true that {row['text']}"}


def hedge(row: Row, *_: Any) -> Row:
    """The text says that it may be so."""
    return {**row, "text": f"Perhaps {row['text'][:1].lower()}{row['text'][1:]}"}


def undo(row: Row, *_: Any) -> Row | None:
    """The exchange undone: the caption itself."""
    edit = row["edits"][0]
    new = _exchange(row["text"], edit["replacement"], edit["target"])
    return {**row, "text": new} if new != row["text"] else None


def grade_up(row: Row, *_: Any) -> Row | None:
    """Said to be proved."""
    return {**row, "grade": "proved"} if row["grade"] != "proved" else None


def rename_kind(row: Row, _: Row, rng: random.Random) -> Row:
    """An exchange of a thing told as one of a quality, or the other way round."""
    first, *rest = row["edits"]
    kinds = ["replace_obj", "replace_att", "replace_rel", "noun", "attribute", "add_obj", "swap_obj"]
    return {**row, "edits": [{**first, "kind": rng.choice([each for each in kinds if each != first["kind"]])}, *rest]}


def turn_pair(row: Row, anchor: Row, rng: random.Random) -> Row | None:
    """Two things that "and" joins, the other way round: as true as before."""
    for caption in rng.sample(anchor["captions"], len(anchor["captions"])):
        found = re.search(r"\b([a-z]+) and ((?:a |an |the )?)([a-z]+)\b", caption)
        if found and found[1] != found[3]:
            text = f"{caption[: found.start()]}{found[3]} and {found[2]}{found[1]}{caption[found.end() :]}"
            return _tell(
                row, text, found[1], found[3], "swap_obj" if row["family"].endswith(("near", "swap")) else None
            )
    return None


def _beside(change: Callable[[str, Row, random.Random], str | None], kind: str = "beside") -> Callable[..., Row | None]:
    """What a statement stands beside is another text."""

    def lie(row: Row, anchor: Row, rng: random.Random) -> Row | None:
        places = [at for at, each in enumerate(row["edits"]) if each["kind"] == kind]
        if not places:
            return None
        edit = row["edits"][places[0]]
        new = change(edit["target"], anchor, rng)
        if not new or new == edit["target"]:
            return None
        return {**row, "edits": [{**e, "target": new} if at == places[0] else e for at, e in enumerate(row["edits"])]}

    return lie


def one_of(captions: Sequence[str], text: str, rng: random.Random) -> str | None:
    """Another of some texts."""
    others = [each for each in captions if each != text]
    return rng.choice(others) if others else None


def lose_word(text: str, _: Row, rng: random.Random) -> str:
    """A word fewer."""
    words = text.split()
    del words[rng.randrange(len(words))]
    return " ".join(words)


def spoil(text: str, *_: Any) -> str:
    """Another number or thing, so that it is true no more."""
    return re.sub(r"\b(a|an|two|the)\b", "nine", text, count=1)


def _of_positive(change: Callable[[str, Row, random.Random], str | None]) -> Kind:
    """Rewordings of photographs' captions."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        anchor = row.get("anchor")
        if row["table"] != "contrasts" or anchor is None or anchor["code"] or row["role"] != "positive":
            return None
        new = change(row["text"], anchor, rng)
        return {**row, "text": new} if new and new != row["text"] else None

    return lie


def add_detail(text: str, *_: Any) -> str:
    """A detail that no caption says."""
    return f"{text.rstrip('.')} with a red umbrella."


def put_word(text: str, _: Row, rng: random.Random) -> str | None:
    """Another thing."""
    words = re.findall(r"[a-z]{4,}", text)
    return _exchange(text, rng.choice(words), "zebra") if words else None


def turn_ends(text: str, *_: Any) -> str | None:
    """What is where, the other way round."""
    found = re.search(r"^(.*) (on|under|behind|in front of|above) (.*?)(\.?)$", text)
    return f"{found[3]} {found[2]} {found[1]}{found[4]}" if found else None


def retrieve_own(row: Row, anchor: Row, rng: random.Random) -> Row | None:
    """The picture's own caption as what was found elsewhere."""
    return {**row, "text": rng.choice(anchor["captions"])}


def retrieve_near(row: Row, *_: Any) -> Row | None:
    """Words of another than is named."""
    other = row["other"]
    return {**row, "text": other["text"]} if other is not None and other["text"] != row["text"] else None


def retrieve_rank(row: Row, *_: Any) -> Row:
    """Another rank among the neighbours."""
    first, *rest = row["edits"]
    number = int(re.sub(r"\D", "", first["target"]) or 0)
    return {**row, "edits": [{**first, "target": f"rank {number + 500}"}, *rest]}


KINDS: Mapping[str, Kind] = {
    "a broader word": _of_miss(_from_words(broader)),
    "a narrower word": _of_miss(_from_words(narrower)),
    "a word for the same": _of_miss(_from_words(same)),
    "a smaller number": _of_miss(_from_words(fewer)),
    "a word of another caption": _of_miss(said_elsewhere),
    "another caption, told as an exchange": _of_miss(another_caption),
    "a word more changed than told": _of_miss(change_more),
    "a near miss denied": _of_miss(deny),
    "a near miss that may be so": _of_miss(hedge),
    "a near miss undone": _of_miss(undo),
    "a near miss said to be proved": _of_miss(grade_up),
    "an exchange of another kind": _of_miss(rename_kind),
    "two things turned round": _of_miss(turn_pair),
    "beside another caption": _of_miss(
        _beside(lambda text, anchor, rng: one_of(anchor["captions"], text, rng)), "unit", "halftruth"
    ),
    "beside a word fewer": _of_miss(_beside(lose_word), "unit", "halftruth"),
    "beside a false text": _of_miss(_beside(spoil), "unit", "halftruth"),
    "another control": _of_miss(
        _beside(lambda text, anchor, rng: one_of(anchor["captions"], text, rng), "control"), "halftruth"
    ),
    "a false control": _of_miss(_beside(spoil, "control"), "halftruth"),
    "a rewording with a detail more": _of_positive(add_detail),
    "a rewording of another thing": _of_positive(put_word),
    "a rewording turned round": _of_positive(turn_ends),
    "a rewording denied": _of_positive(lambda text, *_: re.sub(r"\b(is|are|on|with|in)\b", r"not \1", text, count=1)),
    "another caption as a rewording": _of_positive(lambda text, anchor, rng: one_of(anchor["captions"], text, rng)),
    "its own caption as found elsewhere": _of_miss(retrieve_own, "retrieval"),
    "found at another anchor": _of_miss(retrieve_near, "retrieval"),
    "found at another rank": _of_miss(retrieve_rank, "retrieval"),
}
