"""What words alone show of a text beside the captions of a photograph: that it is false, that it is true, or neither.

False is what no picture can show that a caption is true of: one expression exchanged for another that excludes it, or
two that change places, where the wording leaves nothing else that it may be true of (`tasks.caption.excluding`), or a
denial of what the caption says. True is what says the same or less (`tasks.caption.implying`). All else is open. Of
that some is known to be false wherever both speak of the same thing, and is said to be so; a picture may hold both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.caption.checks import split_words
from counterfoil.tasks.caption.comparing import end, find_exchange, is_said, list_swaps
from counterfoil.tasks.caption.excluding import changes_places, exclude_as_worded, find_whole, is_one, is_place
from counterfoil.tasks.caption.families.exchange import check_exchange
from counterfoil.tasks.caption.families.swap import verify_swap
from counterfoil.tasks.caption.implying import may_be_said, tell_implied
from counterfoil.tasks.caption.words.english import is_english
from counterfoil.tasks.caption.words.forms import choose_article
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.lists import CLOSED
from counterfoil.tasks.caption.words.parse import Sentence, parse_ahead, parse_one
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError, Checks, Finding

_BE = ("is", "are")
_DIVIDING = frozenset({"or", "but", "except", "unless", "if", "only"})
"""Behind one of these a denial may end."""
NOT_ENGLISH = "it is not read: it or its anchor is not in English"


def examine_all(asked: Sequence[tuple[str, Anchor]], context: Context[Any]) -> Iterator[Finding]:
    """What is shown of each text by the captions of the anchor beside it, each of which is true."""
    parse_ahead((each for text, anchor in asked for each in _list_parsed(text, anchor)), context.settings.parser)
    for text, anchor in asked:
        yield examine(text, anchor, context)


def _list_parsed(text: str, anchor: Anchor) -> Iterator[str]:
    """The texts that will be parsed: parsing is dear, and cheaper of many at once."""
    text = end(text)
    new = split_words(text.casefold())
    for caption in _list_captions(anchor):
        old = split_words(caption.casefold())
        if find_exchange(old, new) or any(list_swaps(old, new)) or may_be_said(old, new):
            yield from (caption, text)


def _list_captions(anchor: Anchor) -> list[str]:
    return list(dict.fromkeys(end(each) for each in (anchor.caption, *anchor.captions) if each))


def examine(text: str, anchor: Anchor, context: Context[Any]) -> Finding:
    """What is shown of ``text`` by the anchor's captions, each of which is true."""
    text = end(text)
    captions = _list_captions(anchor)
    lexicon = open_lexicon(context.settings.wordnet)
    if not (is_english(text, lexicon) and is_english(captions[0], lexicon)):
        same = any(split_words(text.casefold()) == split_words(each.casefold()) for each in captions)
        return Finding(False, "it says the same in the same words") if same else Finding(None, NOT_ENGLISH)
    whole = replace(anchor, captions=tuple(captions))
    false, if_same = "", ""
    for each in captions:
        why, proved = _find_false(text, replace(whole, caption=each), context)
        why = why if each == captions[0] or not why else f"{why} (beside {each!r})"
        false, if_same = (false or why, if_same) if proved else (false, if_same or why)
    true = next(filter(None, (_find_true(text, each, captions[0], context) for each in captions)), "")
    if true:
        if false or if_same:
            return Finding(None, "the captions contradict each other")
        return Finding(False, true)
    return Finding(True, false) if false else Finding(None, "nothing decides it", if_same)


def _find_true(text: str, caption: str, own: str, context: Context[Any]) -> str:
    why = tell_implied(text, caption, context.settings)
    return why if caption == own or not why else f"{why} (beside {caption!r})"


def _find_false(text: str, anchor: Anchor, context: Context[Any]) -> tuple[str, bool]:
    """What differs and makes the text false where it speaks of the same thing, and whether it must; empty where neither
    is shown."""
    caption, parser = anchor.caption or "", context.settings.parser
    old, new = (split_words(each.casefold()) for each in (caption, text))
    if denied := _find_denial(caption, text, context):
        return denied, True
    if edit := find_exchange(old, new):
        return _judge_exchange(edit, text, anchor, context)
    for first, second in list_swaps(old, new):
        for kind in ("swap_obj", "swap_att"):
            edits = (Edit(kind, first, second),)
            row = Contrast(anchor.anchor_id, "", "negative", "text", text=text, edits=edits)
            if verify_swap(row, anchor, context).passed:
                sentence = parse_one(caption, parser)
                a, b = find_words(sentence, first.split()), find_words(sentence, second.split())
                proved = a is not None and b is not None and changes_places(sentence, a, b)
                return f"{first!r} and {second!r} changed places", proved
    return "", False


def _judge_exchange(edit: Edit, text: str, anchor: Anchor, context: Context[Any]) -> tuple[str, bool]:
    sentence = parse_one(anchor.caption or "", context.settings.parser)
    words = edit.replacement.split()
    place = find_words(sentence, edit.target.split())
    why = f"{edit.replacement!r} excludes {edit.target!r}"
    if place is not None and (whole := find_whole(sentence, *place, words)):
        return f"{why}: {whole}", True
    row = Contrast(anchor.anchor_id, "", "negative", "text", text=text, edits=(edit,))
    try:
        check_exchange(Checks(), row, anchor, context)
    except CheckError:
        return "", False
    return why, place is not None and exclude_as_worded(sentence, *place, words)


def find_words(sentence: Sentence, words: Sequence[str]) -> tuple[int, int] | None:
    """The first and the last of these words in a caption; None where they stand twice, or not at all."""
    said = sentence.words()
    places = [i for i in range(len(said) - len(words) + 1) if said[i : i + len(words)] == list(words)]
    return (places[0], places[0] + len(words) - 1) if len(places) == 1 and words else None


def _find_denial(caption: str, text: str, context: Context[Any]) -> str:
    """Whether one denies what the other says: "there is no dog", "no dog is on the mat", "the dog is not asleep"."""
    for one, other in ((caption, text), (text, caption)):
        words = split_words(one.casefold())
        if _denies_whole(split_words(other.casefold()), words):
            return "one denies what the other says"
        if CLOSED.intersection(words) or not (told := _undo_denial(split_words(other.casefold()))):
            continue
        denied, known = told
        if known and not all(_speaks_of_one(parse_one(each, context.settings.parser)) for each in (one, other)):
            continue
        if words == denied or tell_implied(" ".join(denied), one, context.settings):
            return "one denies what the other says"
    return ""


def _denies_whole(words: Sequence[str], said: Sequence[str]) -> bool:
    """Whether the words are what is said behind "no" or "there is not": then they deny all of it, whatever it is."""
    if not _DIVIDING.isdisjoint(words):
        return False
    there = list(words[:1]) == ["there"] and words[1:2] and words[1] in _BE
    undone: list[str] = []
    if words[:1] == ["no"]:
        undone = list(words[1:])
    elif there and list(words[2:3]) in (["no"], ["not"]):
        undone = [*words[:2], *words[3:]]
    return len(undone) > 1 and list(filter(is_said, undone)) == list(filter(is_said, said))


def _undo_denial(words: Sequence[str]) -> tuple[list[str], bool] | None:
    """The words without their one denial, and whether it denies something of one known thing alone; None where there is
    no denial, or another word that turns the sense."""
    places = [i for i, word in enumerate(words) if word in CLOSED]
    if len(places) != 1:
        return None
    at = places[0]
    word, before, after = words[at], list(words[:at]), list(words[at + 1 :])
    if word == "no" and after and (not before or (before[0] == "there" and len(before) == 2 and before[1] in _BE)):
        return [*before, choose_article(after[0]), *after], False
    if word == "no" and before[-1:] == ["with"] and after:
        return [*before, choose_article(after[0]), *after], True
    if word == "without" and after:
        return [*before, "with", *after], True
    if word == "not" and before and before[-1] in _BE and before[0] == "the":
        return [*before, *after], True
    return None


def _speaks_of_one(sentence: Sentence) -> bool:
    """Whether what the caption is about is one known thing, or the place that the picture shows. "The child without
    glasses" is perhaps not the one with them."""
    tokens = sentence.tokens
    root = next((i for i, token in enumerate(tokens) if token.head == i), None)
    if root is None:
        return False
    if tokens[root].pos == "NOUN":
        # "A kitchen with a man without a hat": it is the man that has none.
        held = [i for i, token in enumerate(tokens) if token.text.lower() in ("with", "without")]
        return (is_one(sentence, root) or is_place(sentence, root)) and all(tokens[i].head == root for i in held)
    subjects = sentence.children(root, "nsubj", "nsubjpass")
    return len(subjects) == 1 and is_one(sentence, subjects[0]) and "without" not in sentence.words()
