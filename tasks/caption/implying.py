"""Whether a text is true wherever a caption is: it says the same, or less.

The same: other case, signs or articles, a synonym, what "and" joins in another order, the same claims put otherwise.
Less: an adjective, a phrase or one of several left out, a more general word. Nothing is left out around a word that may
turn the sense ("no", "only", "fake").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from counterfoil.storage.rows import Edit
from counterfoil.tasks.caption.checks import split_words
from counterfoil.tasks.caption.comparing import find_exchange, is_said
from counterfoil.tasks.caption.families.wording import list_lemmas
from counterfoil.tasks.caption.plan.kinds import COLOURS
from counterfoil.tasks.caption.rewording.alike import find_alike
from counterfoil.tasks.caption.rewording.claims import Claims, UnclearError, claim_alike, read_claims
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.agreement import tell_number
from counterfoil.tasks.caption.words.lexicon import Lexicon, open_lexicon
from counterfoil.tasks.caption.words.lists import CLOSED, EMPTYING, MASS
from counterfoil.tasks.caption.words.parse import Sentence, parse_one

_ADDED = frozenset({"amod", "advmod", "prep", "acl", "relcl", "nummod", "npadvmod", "advcl", "conj", "cc", "appos"})
"""Relations by which a word adds to what the rest says."""
_BEFORE = frozenset({"amod", "compound", "nummod", "nmod", "poss", "npadvmod"})
_SIDE_BY_SIDE = frozenset({"next to", "beside", "near", "alongside", "close to"})
_OF_LAST = frozenset({"of", "with", "without"})
"""What follows a list and may be said of its last alone, wherever a small parser hangs it."""
_PARTS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "ADJ": "a"}
_TABLES = {"n": "nouns", "v": "verbs", "a": "adjectives"}
_IMPLIED = {"on top of": "on", "inside": "in", "inside of": "in", "onto": "on"}
"""Where it is the one it is the other."""
_FRAMING = frozenset({"is", "are", "there", "that", "who", "which", "of", "with", "has", "have", "having", "it", "by"})
"""Words that come and go as the same is put otherwise."""


def tell_implied(text: str, caption: str, settings: CaptionSettings) -> str:
    """Why the text is true where the caption is; empty where that is not shown."""
    old, new = (split_words(each.casefold()) for each in (caption, text))
    bare = [list(filter(is_said, words)) for words in (old, new)]
    if bare[0] == bare[1]:
        return "it says the same in the same words" if bare[0] else ""
    closed = not CLOSED.isdisjoint(old) or not CLOSED.isdisjoint(new)
    lexicon = open_lexicon(settings.wordnet)
    if (edit := find_exchange(old, new)) is not None and (
        wider := _widen(edit, parse_one(caption, settings.parser), lexicon, closed)
    ):
        return wider
    if closed or not EMPTYING.isdisjoint(old) or not may_be_said(old, new):
        return ""
    sentence = parse_one(caption, settings.parser)
    reordered = _tell_reordered(sentence, bare[1]) if len(bare[1]) == len(bare[0]) else ""
    if reordered and not _is_ambiguous(sentence):
        return reordered
    if len(bare[1]) < len(bare[0]) and (less := _tell_left_out(sentence, new)):
        return less
    return _tell_by_claims(sentence, parse_one(text, settings.parser), lexicon)


def may_be_said(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the caption has the text's words, be it in another form: parsing is dear."""
    said = {stem for word in old for stem in _list_stems(word)}
    return all(
        any(stem in said for stem in _list_stems(word)) for word in new if is_said(word) and word not in _FRAMING
    )


def _list_stems(word: str) -> set[str]:
    return {find_alike(word, part)[:2] for part in ("nouns", "adjectives", "verbs", "adverbs", "prepositions")}


def _tell_by_claims(caption: Sentence, text: Sentence, lexicon: Lexicon) -> str:
    """Whether the caption claims all that the text does, however either is put."""
    try:
        whole, part = (_leave_out_the(read_claims(each)) for each in (caption, text))
    except UnclearError:
        return ""
    if any(token.tag == "PRP" for token in caption.tokens):
        # "Pulling a cart behind it": of whom that is said is not known.
        return ""
    if not _keep_order(caption, text):
        return ""
    if not _keep_phrases(caption, text, lexicon) or (
        _list_joined(caption) != _list_joined(text) and _is_ambiguous(caption)
    ):
        return ""
    if claim_alike(whole, part):
        return "it says the same otherwise"
    for places in _embed(part, whole):
        gone = [i for i in range(len(whole.names)) if i not in places]
        if not gone:
            return "it claims nothing more"
        if _may_go(gone, set(places), whole, caption, lexicon):
            return f"it leaves out {', '.join(whole.names[i] for i in gone)!r}, and says no more"
    return ""


def _keep_order(caption: Sentence, text: Sentence) -> bool:
    """Whether the text's nouns stand in the caption's order: of "a toilet with the lid up" a small parser sees no
    difference to "a lid with the toilet up"."""
    rest = iter([token.text.lower() for token in caption.tokens])
    return all(token.text.lower() in rest for token in text.tokens if token.tag.startswith("NN"))


def _keep_phrases(caption: Sentence, text: Sentence, lexicon: Lexicon) -> bool:
    """Whether what stands before a noun in the text stands before the same in the caption, be more between: a small
    parser takes "wearing blue vest catching red disc" for a disc that is both."""
    said = [[word for word in each.words() if is_said(word)] for each in (caption, text)]
    left = [word for word in said[0] if word in said[1]]
    tokens = (*caption.tokens, *text.tokens)
    before = {token.text.lower() for token in tokens if token.dep in _BEFORE or token.pos == "ADJ"}
    passed = {word for word in before if lexicon.knows(word, "a")} | {"and"}
    pairs = set(_pair_words(left, before, passed))
    return all(pair in pairs for pair in _pair_words(said[1], before, passed))


def _pair_words(words: Sequence[str], before: set[str], passed: set[str]) -> Iterator[tuple[str, str]]:
    """What stands before a noun, and that noun, or whatever stands there: other adjectives are passed over."""
    for i, word in enumerate(words):
        if word in before:
            yield word, next((other for other in words[i + 1 :] if other not in passed), "")


def _list_joined(sentence: Sentence) -> list[str]:
    """The nouns of its lists, in order."""
    return [token.text.lower() for token in sentence.tokens if token.dep == "conj" and token.pos in ("NOUN", "PROPN")]


def _is_ambiguous(sentence: Sentence) -> bool:
    """Whether something stands behind a list that may be said of all of it or of its last: "a man and a woman in a
    hat", but not "a man and woman in hats"."""
    for i, token in enumerate(sentence.tokens):
        if token.dep == "conj" and token.pos in ("NOUN", "PROPN"):
            shared = sentence.children(token.head, "det", "poss") and not sentence.children(i, "det", "poss", "nummod")
            behind = any(child > i for child in sentence.children(i, "prep", "acl", "relcl", "advmod", "nmod"))
            following = sentence.tokens[i + 1].tag if i + 1 < len(sentence.tokens) else ""
            if following.startswith("NN"):
                return True
            last = sentence.tokens[i + 1].text.lower() if following else ""
            if (behind or following in ("VBG", "VBN", "WDT", "WP") or last in _OF_LAST) and not shared:
                return True
    return False


def _leave_out_the(claims: Claims) -> Claims:
    kept = [i for i, name in enumerate(claims.names) if name != "the"]
    place = {i: n for n, i in enumerate(kept)}
    edges = [(place[a], name, place[b]) for a, name, b in claims.edges if a in place and b in place]
    return Claims(tuple(claims.names[i] for i in kept), tuple(edges))


def _embed(part: Claims, whole: Claims, places: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Where each of the part's words stands in the whole, so that each of its claims is one of the whole's."""
    if len(places) == len(part.names):
        yield places
        return
    mine = len(places)
    for there, name in enumerate(whole.names):
        if name != part.names[mine] or there in places:
            continue
        found = (*places, there)
        if all(
            any(
                (a, b) == (found[one], found[other]) and said in (name, _IMPLIED.get(name))
                for a, name, b in whole.edges
            )
            for one, said, other in part.edges
            if mine in (one, other) and max(one, other) <= mine
        ):
            yield from _embed(part, whole, found)


def _may_go(gone: Sequence[int], kept: set[int], claims: Claims, caption: Sentence, lexicon: Lexicon) -> bool:
    """Whether what is left out only adds: it is not what the caption is about, and no half of an expression."""
    about = next((token for token in caption.tokens if token.head == caption.tokens.index(token)), None)
    compounds = {
        token.text.lower() for token in caption.tokens if token.dep in ("compound", "nmod", "poss", "npadvmod")
    }
    heads = {token.text.lower() for token in caption.tokens if token.dep in ("ROOT", "nsubj", "nsubjpass", "attr")}
    if about is None:
        return False
    for i in gone:
        name = claims.names[i]
        if name in heads or name == "have":
            return False
        for a, edge, b in claims.edges:
            half = edge == "mod" and (name in compounds or lexicon.knows(f"{name} {claims.names[a]}", "n"))
            if b == i and a in kept and half:
                return False
            if a == i and b in kept and edge not in ("agent", "patient", "and"):
                return False
    return True


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
    # A motorcycle is a bike, and a bike may be a bicycle.
    single = len(lexicon.index.senses(olds[0], part)[0]) == 1
    if mine[0] == theirs[0] and (single or find_alike(olds[0], _TABLES[part]) == find_alike(news[0], _TABLES[part])):
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
    wanted = list(filter(is_said, words))
    spoken = [i for i, token in enumerate(tokens) if is_said(token.text.lower())]
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
        if list(filter(is_said, spoken)) == list(wanted):
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
