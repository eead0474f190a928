"""Single statements about pictures: of scenes what is there and how two things stand, of photographs their captions.

A scene is a closed world: what it does not show is not there. Of a photograph nothing is known but what its captions
say, so that nothing is denied of it. What its captions do not decide is a row only where it contradicts them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, permutations, zip_longest
from typing import Any

import numpy as np

from counterfoil.storage.rows import Anchor, Edit
from counterfoil.tasks.caption.checks import is_scene, open_sight, split_words
from counterfoil.tasks.caption.examining import examine
from counterfoil.tasks.caption.scenes.language.alone import (
    affirm_statement,
    can_be,
    deny_statement,
    list_longer,
    list_scene_edits,
    list_things,
    read_statement,
    tell_scene,
)
from counterfoil.tasks.caption.scenes.language.read import ReadingError
from counterfoil.tasks.caption.scenes.sight.judge import judge as judge_scene
from counterfoil.tasks.caption.scenes.sight.judge import list_false
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.interchange import GROUPS, QUALITIES
from counterfoil.tasks.caption.words.parse import parse_one
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.memo import Memo
from counterfoil.tasks.contract.verdict import CheckError, Finding
from counterfoil.tasks.contract.wording import Longer, Wording, split_sentences

_PHRASE = re.compile(r" (?:on|in|with|at|near|by|next to|under|behind) (?:a|an|the|some|his|her|their) ")

_OPEN = frozenset({"is", "are", "was", "were", "be", "and", "or", "of", "to", "next", "a", "an", "the", "that"})
"""Words after which a caption is not at its end."""


def tell(anchor: Anchor, context: Context[Any]) -> list[str]:
    """What a scene's facts come to; a photograph's captions."""
    del context
    return tell_scene(anchor) if is_scene(anchor) else [each.strip() for each in anchor.captions]


def list_edits(text: str, anchor: Anchor, context: Context[Any]) -> list[Edit]:
    """Another noun, look, number or relation in the place of one."""
    del context
    if is_scene(anchor):
        return list_scene_edits(text)
    words = dict.fromkeys(split_words(text))
    edits = [
        Edit("noun", word, other)
        for word in words
        for group in GROUPS
        if word in group.words
        for other in sorted(group.words - group.seldom)
    ]
    edits += [
        Edit("attribute", word, other)
        for word in words
        for same, _ in QUALITIES
        if word in same
        for other in sorted(same)
    ]
    return [edit for edit in dict.fromkeys(edits) if edit.target != edit.replacement]


def judge(text: str, anchor: Anchor, context: Context[Any]) -> bool | None:
    """Whether a text is true: of scenes each sentence by what is seen, of photographs by what their captions decide."""
    if not is_scene(anchor):
        false = _examine(text, anchor, context).false
        return None if false is None else not false
    if not anchor.vector:
        return None
    found = []
    for each in split_sentences(text):
        try:
            found.append(judge_scene(read_statement(each), open_sight(anchor.vector)).holds)
        except (CheckError, ReadingError):
            found.append(None)
    return False if False in found else None if None in found else True


def contradicts(text: str, anchor: Anchor, context: Context[Any]) -> bool:
    """Whether a text is false of a photograph wherever it speaks of the same thing as a caption of it. The photograph
    may hold another thing of which it is true."""
    if is_scene(anchor):
        return False
    found = _examine(text, anchor, context)
    return found.false is None and bool(found.if_same)


_examined = Memo[Finding](4096)


def _examine(text: str, anchor: Anchor, context: Context[Any]) -> Finding:
    settings = context.settings
    asked = (text, anchor.caption, anchor.captions, settings.parser, settings.wordnet)
    return _examined.recall(lambda: examine(text, anchor, context), *asked)


def is_possible(text: str, anchor: Anchor, context: Context[Any]) -> bool:
    """Whether some scene is so; of photographs what comes is usual where it comes."""
    del context
    try:
        return not is_scene(anchor) or all(can_be(read_statement(each)) for each in split_sentences(text))
    except ReadingError:
        return False


def lengthen(anchor: Anchor, context: Context[Any], rng: np.random.Generator) -> Iterator[Longer]:
    """Of a photograph: a caption without an adjective or its last phrase, and the caption. Of a scene: a statement with
    a look or another thing more, or with a statement of other things behind it: a thing is not there twice."""
    if is_scene(anchor):
        told = tell_scene(anchor)
        beside = [
            Longer(short, f"{short} {detail}", detail)
            for short, detail in permutations(told, 2)
            if list_things(short).isdisjoint(list_things(detail))
        ]
        within = [Longer(*each) for each in list_longer(anchor)]
        orders = [[each[int(place)] for place in rng.permutation(len(each))] for each in (within, beside)]
        for each in chain.from_iterable(zip_longest(*orders)):
            if each and judge(each.short, anchor, context) and judge(each.long, anchor, context):
                yield each
        return
    for place in rng.permutation(len(anchor.captions)):
        caption = anchor.captions[int(place)].strip()
        words = _list_loose(caption, context)
        shorter = [(re.sub(rf"\b{word} ", "", caption, count=1), word) for word in words]
        shorter += [(caption[: found.start()], caption[found.start() :]) for found in _PHRASE.finditer(caption)]
        for short, detail in shorter:
            whole = short != caption and short.split()[-1:] and short.split()[-1].casefold() not in _OPEN
            if whole and judge(short, anchor, context) is True:
                yield Longer(short, caption, detail)


def _list_loose(caption: str, context: Context[Any]) -> list[str]:
    """Adjectives that a caption can do without: each alone before its noun ("a red and white boat" needs both)."""
    sentence = parse_one(caption, context.settings.parser)
    known = {word for same, _ in QUALITIES for word in same}
    found = []
    for i, token in enumerate(sentence.tokens[:-1]):
        around = {sentence.tokens[at].text.lower() for at in (max(0, i - 1), i + 1)}
        alone = token.dep == "amod" and token.head > i and around.isdisjoint({"and", "or", ",", "-"})
        if token.text in known and alone and not sentence.children(i, "conj", "cc", "advmod"):
            found.append(token.text)
    return sorted(set(found))


def list_wrong(text: str, anchor: Anchor, context: Context[Any]) -> set[str] | None:
    """What of a false text is not so in a scene; None of a photograph, whose captions are compared."""
    del context
    if not is_scene(anchor):
        return None
    try:
        readings = [read_statement(each) for each in split_sentences(text)]
    except ReadingError as error:
        raise CheckError(f"caption_read: {error}") from error
    return set().union(*(list_false(each, open_sight(anchor.vector or "")) for each in readings))


WORDING = Wording[CaptionSettings](
    tell,
    list_edits,
    judge,
    contradicts=contradicts,
    lengthen=lengthen,
    deny=deny_statement,
    affirm=affirm_statement,
    undenied=frozenset({"count"}),
    closed=is_scene,
    possible=is_possible,
    changes=list_wrong,
)
