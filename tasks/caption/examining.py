"""What words alone show of a text beside the captions of a photograph: that it is false, that it is true, or neither.

False is what `tasks.caption.families` would accept as a negative: one expression exchanged for another that excludes
it, or two that change places. True is what says the same (other case, signs or articles, a synonym, what "and" joins in
another order) or less (an adjective, a phrase or one of several left out, a more general word). All else is open: most
of what people write of one picture is neither shown true nor shown false by what others wrote of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.caption.checks import split_words
from counterfoil.tasks.caption.families.exchange import check_exchange
from counterfoil.tasks.caption.families.swap import verify_swap
from counterfoil.tasks.caption.families.wording import list_lemmas
from counterfoil.tasks.caption.plan.kinds import COLOURS
from counterfoil.tasks.caption.words.agreement import tell_number
from counterfoil.tasks.caption.words.lexicon import Lexicon, open_lexicon
from counterfoil.tasks.caption.words.lists import CLOSED, EMPTYING, MASS
from counterfoil.tasks.caption.words.parse import Sentence, parse
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import CheckError, Checks, Finding

LONGEST = 3
"""Words of an expression that is exchanged."""
_ARTICLES = frozenset({"a", "an", "the"})
_ADDED = frozenset({"amod", "advmod", "prep", "acl", "relcl", "nummod", "npadvmod", "advcl", "conj", "cc", "appos"})
"""Relations by which a word adds to what the rest says."""
_SIDE_BY_SIDE = frozenset({"next to", "beside", "near", "alongside", "close to"})
_PARTS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "ADJ": "a"}


def examine(text: str, anchor: Anchor, context: Context[Any]) -> Finding:
    """What is shown of ``text`` by the anchor's captions, each of which is true."""
    captions = list(dict.fromkeys(_end(each) for each in (anchor.caption, *anchor.captions) if each))
    text = _end(text)
    whole = replace(anchor, captions=tuple(captions))
    false = next(filter(None, (_find_false(text, replace(whole, caption=each), context) for each in captions)), "")
    true = next(filter(None, (_find_true(text, each, context) for each in captions)), "")
    if bool(false) == bool(true):
        return Finding(None, "the captions contradict each other" if true else "nothing decides it")
    return Finding(bool(false), false or true)


def find_exchange(old: Sequence[str], new: Sequence[str]) -> Edit | None:
    """The one expression that stands in another's place, articles aside; None where more differs."""
    same = [_plain(a) == _plain(b) for a, b in zip(old, new, strict=False)]
    first = next((i for i, equal in enumerate(same) if not equal), len(same))
    same = [_plain(a) == _plain(b) for a, b in zip(reversed(old), reversed(new), strict=False)]
    behind = next((i for i, equal in enumerate(same) if not equal), len(same))
    behind = min(behind, len(old) - first, len(new) - first)
    target, replacement = old[first : len(old) - behind], new[first : len(new) - behind]
    if not (0 < len(target) <= LONGEST and 0 < len(replacement) <= LONGEST):
        return None
    return Edit("replace_obj", " ".join(target), " ".join(replacement))


def _plain(word: str) -> str:
    return "a" if word == "an" else word


def _find_false(text: str, anchor: Anchor, context: Context[Any]) -> str:
    """What differs and makes the text false; empty where that is not shown."""
    old, new = (split_words(each.casefold()) for each in (anchor.caption or "", text))
    if edit := find_exchange(old, new):
        row = Contrast(anchor.anchor_id, "", "negative", "text", text=text, edits=(edit,))
        try:
            check_exchange(Checks(), row, anchor, context)
        except CheckError:
            return ""
        return f"{edit.replacement!r} excludes {edit.target!r}"
    for first, second in _list_swaps(old, new):
        for kind in ("swap_obj", "swap_att"):
            edits = (Edit(kind, first, second),)
            row = Contrast(anchor.anchor_id, "", "negative", "text", text=text, edits=edits)
            if verify_swap(row, anchor, context).passed:
                return f"{first!r} and {second!r} changed places"
    return ""


def _end(text: str) -> str:
    """Without the full stop: a caption with one says the same."""
    return text.strip().removesuffix(".").strip()


def _is_said(word: str) -> bool:
    """Whether it is a word that says something: no sign, no article."""
    return word not in _ARTICLES and any(map(str.isalnum, word))


def _list_swaps(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Two expressions that changed places, where nothing else differs but articles before them."""
    if sorted(map(_plain, old)) != sorted(map(_plain, new)) or len(old) != len(new):
        return
    changed = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if _plain(a) != _plain(b)]
    if not changed:
        return
    first, last = changed[0], changed[-1] + 1
    for one in range(1, LONGEST + 1):
        for other in range(1, LONGEST + 1):
            a, b = list(old[first : first + one]), list(old[last - other : last])
            middle = list(old[first + one : last - other])
            turned = [*b, *middle, *a]
            if first + one <= last - other and list(map(_plain, turned)) == list(map(_plain, new[first:last])):
                yield " ".join(a), " ".join(b)


def _find_true(text: str, caption: str, context: Context[Any]) -> str:
    """Why the text is true where the caption is; empty where that is not shown."""
    old, new = (split_words(each.casefold()) for each in (caption, text))
    bare = [list(filter(_is_said, words)) for words in (old, new)]
    if bare[0] == bare[1]:
        return "it says the same in the same words" if bare[0] else ""
    settings = context.settings
    closed = not CLOSED.isdisjoint(old) or not CLOSED.isdisjoint(new)
    lexicon = open_lexicon(settings.wordnet)
    if (edit := find_exchange(old, new)) is not None:
        sentence = next(parse([caption], settings.parser))
        return _widen(edit, sentence, lexicon, closed)
    if closed or len(bare[1]) > len(bare[0]):
        return ""
    sentence = next(parse([caption], settings.parser))
    return _tell_reordered(sentence, bare[1]) if len(bare[1]) == len(bare[0]) else _tell_left_out(sentence, new)


def _widen(edit: Edit, sentence: Sentence, lexicon: Lexicon, closed: bool) -> str:
    """Whether the new word means the same as the old, or what is more general."""
    words = edit.target.split()
    places = [
        i
        for i in range(len(sentence.tokens) - len(words) + 1)
        if [token.text.lower() for token in sentence.tokens[i : i + len(words)]] == words
    ]
    if len(places) != 1:
        return ""
    last = places[0] + len(words) - 1
    token = sentence.tokens[last]
    part = _PARTS.get(token.pos, "")
    olds, news = (
        # Of a phrase that WordNet does not know, the last word is another thing.
        [each for each in list_lemmas(words, part, lexicon) if len(each.split()) == len(words.split())] if part else []
        for words in (edit.target, edit.replacement)
    )
    if len(olds) != 1 or len(news) != 1 or olds == news or token.dep == "compound":
        return ""
    if part == "n" and tell_number(edit.target.split()[-1], lexicon) != tell_number(
        edit.replacement.split()[-1], lexicon
    ):
        return ""
    mine, theirs = lexicon.senses(olds[0], part), lexicon.senses(news[0], part)
    if not mine or not theirs:
        return ""
    if mine[0] == theirs[0] and len(mine) <= 2:
        return f"{edit.replacement!r} means {edit.target!r}"
    described = [sentence.tokens[i].text.lower() for i in sentence.children(last, "amod", "compound", "nmod")]
    plain = part == "n" and not closed and all(word in COLOURS for word in described)
    if plain and all(theirs[0] in lexicon.climb(sense) for sense in mine) and news[0] not in MASS:
        return f"{edit.target!r} is a kind of {edit.replacement!r}"
    return ""


def _tell_left_out(sentence: Sentence, words: Sequence[str]) -> str:
    """Whether the text is the caption without what only adds to it."""
    tokens = sentence.tokens
    kept: list[int] = []
    wanted = list(filter(_is_said, words))
    spoken = [i for i, token in enumerate(tokens) if _is_said(token.text.lower())]
    # From the end: of a word that stands twice, what was left out is found either way by its subtree.
    for order in (spoken, spoken[::-1]):
        kept = _match([tokens[i].text.lower() for i in order], wanted if order is spoken else wanted[::-1], order)
        gone = [i for i in spoken if i not in kept]
        if kept and gone and _only_adds(sentence, set(kept), set(gone)):
            return f"it leaves out {' '.join(tokens[i].text for i in sorted(gone))!r}, and says no more"
    return ""


def _match(spoken: Sequence[str], wanted: Sequence[str], order: Sequence[int]) -> list[int]:
    """Where the wanted words stand in a row of words, others between; empty where they do not."""
    found: list[int] = []
    at = 0
    for word in wanted:
        while at < len(spoken) and spoken[at] != word:
            at += 1
        if at == len(spoken):
            return []
        found.append(order[at])
        at += 1
    return found


def _only_adds(sentence: Sentence, kept: set[int], gone: set[int]) -> bool:
    """Whether what is gone hangs on the rest as what may be missing, with all that hangs on it."""
    tokens = sentence.tokens
    for i in gone:
        token = tokens[i]
        if token.text.lower() in EMPTYING:
            return False
        if token.head in gone and token.head != i:
            continue
        if token.dep not in _ADDED or token.head == i or _subtree(sentence, i) & kept:
            return False
        # "Full of", "out of", "covered in": without its phrase the word before says something else.
        if token.dep == "prep" and tokens[token.head].pos in ("ADP", "ADV", "SCONJ"):
            return False
        # "A picture", and not what is on it; but "a kind of dog" is no kind.
        if token.dep == "prep" and token.text.lower() == "of" and tokens[token.head].pos not in ("NOUN", "PROPN"):
            return False
    return True


def _subtree(sentence: Sentence, root: int) -> set[int]:
    found, level = {root}, [root]
    while level:
        level = [child for each in level for child in sentence.children(each) if child not in found]
        found.update(level)
    return found


def _tell_reordered(sentence: Sentence, wanted: Sequence[str]) -> str:
    """Whether the text is the caption with what "and" joins, or what is side by side, the other way round."""
    tokens = sentence.tokens
    for a, b, how in _list_equals(sentence):
        one, two = _subtree(sentence, a) - _subtree(sentence, b), _subtree(sentence, b)
        spans = [(min(each), max(each)) for each in (one, two)]
        whole = [last - first + 1 == len(each) for (first, last), each in zip(spans, (one, two), strict=True)]
        if how == "and":
            # What joins them hangs on the first.
            one -= {i for i in one if tokens[i].dep in ("cc", "punct") and i > a}
            spans[0] = (min(one), max(one))
            whole[0] = spans[0][1] - spans[0][0] + 1 == len(one)
        elif how:
            one = {i for i in one if i <= a}
            spans[0] = (min(one), max(one))
            whole[0] = spans[0][1] - spans[0][0] + 1 == len(one)
        (first, last), (first_other, last_other) = spans
        if not all(whole) or last >= first_other:
            continue
        order = [
            *range(first),
            *range(first_other, last_other + 1),
            *range(last + 1, first_other),
            *range(first, last + 1),
            *range(last_other + 1, len(tokens)),
        ]
        spoken = [tokens[i].text.lower() for i in order]
        if list(filter(_is_said, spoken)) == list(wanted):
            return f"what {how!r} joins stands the other way round"
    return ""


def _list_equals(sentence: Sentence) -> Iterator[tuple[int, int, str]]:
    """Two nouns of which a sentence says the same either way, the heads of their phrases, and what joins them."""
    tokens = sentence.tokens
    for i, token in enumerate(tokens):
        joined = token.dep == "conj" and {token.pos, tokens[token.head].pos} <= {"NOUN", "PROPN"}
        if joined and any(tokens[c].text.lower() == "and" for c in sentence.children(token.head, "cc")):
            yield token.head, i, "and"
        if token.dep == "pobj" and tokens[token.head].dep == "prep":
            above = tokens[token.head].head
            if tokens[above].dep == "advmod":
                # "Next" hangs on the noun, "to" on "next".
                above = tokens[above].head
            between = " ".join(each.text.lower() for each in tokens[above + 1 : i])
            phrase = re.match(r"(next to|close to|beside|near|alongside)\b", between)
            if phrase and phrase[1] in _SIDE_BY_SIDE and tokens[above].dep == "ROOT" and tokens[above].pos == "NOUN":
                yield above, i, phrase[1]
