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
from counterfoil.tasks.caption.words.lists import CLOSED, EMPTYING, GENERAL, LIGHT, MASS, SHADES
from counterfoil.tasks.caption.words.parse import Sentence, Token, parse_one

_ADDED = frozenset({"amod", "advmod", "prep", "acl", "relcl", "nummod", "npadvmod", "advcl", "conj", "cc", "appos"})
"""Relations by which a word adds to what the rest says."""
_BEFORE = frozenset({"amod", "compound", "nummod", "nmod", "poss", "npadvmod"})
_SIDE_BY_SIDE = frozenset({"next to", "beside", "near", "alongside", "close to"})
_OF_LAST = frozenset({"of", "with", "without"})
"""What follows a list and may be said of its last alone, wherever a small parser hangs it."""
_PARTS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "ADJ": "a"}
_TABLES = {"n": "nouns", "v": "verbs", "a": "adjectives"}
_OPENING = frozenset({"a", "an", "the", "and", "or", "of", "with", "at", "for", "from", "into", "is", "are", "next"})
"""No text ends with these."""
_SHADING = frozenset(
    {"light", "dark", "deep", "pale", "bright", "hot", "lime", "navy", "neon", "dull", "royal", "baby"}
)
"""What stands before a colour and makes it another."""
_THINGS = frozenset({"it", "its", "they", "them", "their"})
_PARTIAL = frozenset({"lot", "kind", "type", "sort", "number", "variety", "bit", "part", "half", "amount", "couple"})
"""What is nothing by itself: "a lot", without of what."""
_ALIKE = ("nouns", "adjectives", "verbs", "adverbs", "prepositions")
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
    if closed or not EMPTYING.isdisjoint(old) or not may_be_said(old, new) or _breaks_off(old, new):
        return ""
    sentence = parse_one(caption, settings.parser)
    reordered = _tell_reordered(sentence, bare[1]) if len(bare[1]) == len(bare[0]) else ""
    if reordered and not _is_ambiguous(sentence):
        return reordered
    if aligned := _align(sentence, new) if len(bare[1]) < len(bare[0]) else []:
        left = [(kept, gone) for kept, gone in aligned if not _breaks(sentence, kept, gone, lexicon)]
        if not left or (less := _tell_left_out(sentence, left)):
            return less if left else ""
    return _tell_by_claims(sentence, parse_one(text, settings.parser), lexicon)


def may_be_said(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the caption has the text's words, be it in another form: parsing is dear."""
    said = {stem for word in old for stem in _list_stems(word)}
    return all(
        any(stem in said for stem in _list_stems(word)) for word in new if is_said(word) and word not in _FRAMING
    )


def _breaks_off(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the text ends in the midst of what the caption says: "a jet flying through the"."""
    last = [next((word for word in reversed(words) if any(map(str.isalnum, word))), "") for words in (old, new)]
    return last[1] != last[0] and last[1] in _OPENING


def _list_stems(word: str) -> set[str]:
    return {find_alike(word, part)[:2] for part in _ALIKE}


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
    """Whether the text's nouns and verbs stand in the caption's order: of "a toilet with the lid up" a parser sees no
    difference to "a lid with the toilet up"."""
    rest = iter([token.text.lower() for token in caption.tokens])
    if not all(token.text.lower() in rest for token in text.tokens if token.tag.startswith("NN")):
        return False
    verbs = [[token.text.lower() for token in each.tokens if token.pos == "VERB"] for each in (caption, text)]
    return sorted(verbs[0]) != sorted(verbs[1]) or verbs[0] == verbs[1]


def _keep_phrases(caption: Sentence, text: Sentence, lexicon: Lexicon) -> bool:
    """Whether what stands before a noun in the text stands before the same in the caption, be more between: a small
    parser takes "wearing blue vest catching red disc" for a disc that is both."""
    said = [[word for word in each.words() if is_said(word)] for each in (caption, text)]
    left = [word for word in said[0] if word in said[1]]
    tokens = (*caption.tokens, *text.tokens)
    before = {token.text.lower() for token in tokens if token.dep in _BEFORE or token.pos == "ADJ"}
    passed = {word for word in before if lexicon.knows(word, "a")} | {"and"}
    passed = {word for word in passed if not _is_formed(word)}
    pairs = set(_pair_words(left, before, passed, lexicon))
    return all(pair in pairs for pair in _pair_words(said[1], before, passed, lexicon))


def _pair_words(
    words: Sequence[str], before: set[str], passed: set[str], lexicon: Lexicon
) -> Iterator[tuple[str, str, bool]]:
    """What stands before a noun, and that noun, or whatever stands there: other adjectives are passed over. Of what is
    one expression with the next word ("polar bear", "single engine", "bright red") also whether it stands just there.
    """
    for i, word in enumerate(words):
        if word in before:
            behind = words[i + 1] if i + 1 < len(words) else ""
            if word in _SHADING and behind in COLOURS:
                yield word, behind, True
                continue
            other = next((other for other in words[i + 1 :] if other not in passed), "")
            one = other in before or _is_expression(word, other, lexicon)
            yield word, other, other == behind and one and word not in COLOURS


def _is_formed(word: str) -> bool:
    """Whether it is formed of a verb or noun, so that a word before it may belong to it: "old fashioned"."""
    return word not in COLOURS and len(word) > 4 and word.endswith(("ed", "ing"))


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
    compounds = _name([token for token in caption.tokens if token.dep in ("compound", "nmod", "poss", "npadvmod")])
    heads = _name([token for token in caption.tokens if token.dep in ("ROOT", "nsubj", "nsubjpass", "attr")])
    prepositions = {token.text.lower() for token in caption.tokens if token.tag in ("IN", "RP", "TO")}
    if about is None:
        return False
    for i in gone:
        name = claims.names[i]
        # A preposition that the parser takes for a quality: "cutting a cast off another person".
        if name in heads or name == "have" or name in prepositions:
            return False
        for a, edge, b in claims.edges:
            # "Making a turn": making says nothing by itself.
            if b == i and a in kept and claims.names[a] in LIGHT:
                return False
            half = edge == "mod" and (name in compounds or lexicon.knows(f"{name} {claims.names[a]}", "n"))
            if b == i and a in kept and half:
                return False
            if a == i and b in kept and edge not in ("agent", "patient", "and"):
                return False
    return True


def _name(tokens: Sequence[Token]) -> set[str]:
    """What the words may be called in claims."""
    words = [token.text.lower() for token in tokens]
    return {*words, *(find_alike(word, part) for word in words for part in _ALIKE)}


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
    following = sentence.tokens[last + 1].tag if last + 1 < len(sentence.tokens) else ""
    if part == "n" and following.startswith("NN"):
        # A kitchen sink is no room sink.
        return ""
    mine, theirs = lexicon.senses(olds[0], part), lexicon.senses(news[0], part)
    if not mine or not theirs:
        return ""
    # A motorcycle is a bike, and a bike may be a bicycle; a donut is a sinker, and a sinker may be of lead.
    senses = [len(lexicon.index.senses(word, part)[0]) for word in (olds[0], news[0])]
    single = senses[0] == 1 and senses[1] <= 2 and part != "a"
    if mine[0] == theirs[0] and (single or find_alike(olds[0], _TABLES[part]) == find_alike(news[0], _TABLES[part])):
        return f"{edit.replacement!r} means {edit.target!r}"
    if part != "n" or closed or news[0] not in GENERAL or news[0] in MASS:
        return ""
    # Of two dogs and a cat, "two animals" is no full count.
    described = sentence.children(last, "amod", "compound", "nmod", "nummod")
    plain = all(sentence.tokens[i].text.lower() in COLOURS for i in described)
    drink = lexicon.senses("beverage", "n")[0]
    if news[0] == "food" and any(drink in {sense, *lexicon.climb(sense)} for sense in mine):
        # WordNet calls a coffee food.
        return ""
    if plain and all(theirs[0] in lexicon.climb(sense) for sense in mine):
        return f"{edit.target!r} is a kind of {edit.replacement!r}"
    return ""


def _align(sentence: Sentence, words: Sequence[str]) -> list[tuple[set[int], set[int]]]:
    """Which words of the caption are left, and which are left out, where the text is the caption with nothing more."""
    tokens = sentence.tokens
    wanted = list(filter(is_said, words))
    spoken = [i for i, token in enumerate(tokens) if is_said(token.text.lower())]
    found = []
    # From the end too: of a word that stands twice, what was left out is found either way by its subtree.
    for order, asked in ((spoken, wanted), (spoken[::-1], wanted[::-1])):
        kept = set(_match([tokens[i].text.lower() for i in order], asked, order))
        if kept and len(kept) < len(spoken):
            found.append((kept, set(spoken) - kept))
    return found


def _tell_left_out(sentence: Sentence, left: Sequence[tuple[set[int], set[int]]]) -> str:
    """Whether the text is the caption without what only adds to it."""
    for kept, gone in left:
        if _only_adds(sentence, kept, gone):
            return f"it leaves out {' '.join(sentence.tokens[i].text for i in sorted(gone))!r}, and says no more"
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
        if token.dep == "prep" and _is_wanted(tokens[token.head], token):
            return False
    return True


def _breaks(sentence: Sentence, kept: set[int], gone: set[int], lexicon: Lexicon) -> bool:
    """Whether half of an expression or list is gone, by the words as they stand: parsers err in noun phrases."""
    tokens = sentence.tokens
    if _breaks_list(sentence, kept, gone) or _loses_named(sentence, kept, gone):
        return True
    for i in gone:
        token = tokens[i]
        # "The highest point" is no point of a building's.
        if token.tag == "JJS" or (i - 1 in kept and _leans_on(tokens[i - 1], token, lexicon)):
            return True
        if i + 1 in kept and (token.dep in _BEFORE or token.pos == "ADJ"):
            behind = tokens[i + 1]
            half = behind.dep in _BEFORE and _is_formed(behind.text.lower())
            if half or _is_expression(token.text.lower(), behind.lemma, lexicon):
                return True
    return False


def _loses_named(sentence: Sentence, kept: set[int], gone: set[int]) -> bool:
    """Whether a pronoun is left without what it may stand for: "a kitchen with food in it", without the kitchen."""
    named = [i for i in gone if sentence.tokens[i].pos in ("NOUN", "PROPN")]
    return any(sentence.tokens[i].text.lower() in _THINGS and any(n < i for n in named) for i in kept)


def _breaks_list(sentence: Sentence, kept: set[int], gone: set[int]) -> bool:
    """Whether an "and" is gone alone, or left alone, or one of several colours is gone: what is black and white is not
    black."""
    tokens = sentence.tokens
    for i, token in enumerate(tokens):
        if token.dep == "cc":
            # "X and Y, Z": the and of the last, wherever the parser hangs it.
            behind = [n for n, each in enumerate(tokens) if each.dep == "conj" and n > i]
            if i in gone and token.head in kept and i + 1 in kept and behind and behind[0] in kept:
                return True
            if i in kept and (not behind or behind[0] in gone):
                return True
        if token.dep == "conj" and token.text.lower() in COLOURS | SHADES.keys():
            joined = {i, token.head}
            if joined & gone and joined & kept:
                return True
    return False


def _is_wanted(head: Token, preposition: Token) -> bool:
    """Whether the word before a preposition says something else without its phrase."""
    # "Full of", "out of", "covered in".
    if head.pos in ("ADP", "ADV", "SCONJ") or (head.tag == "VBN" and preposition.text.lower() in ("with", "in", "of")):
        return True
    # "A picture", and not what is on it; but "a kind of dog" is no kind.
    return preposition.text.lower() == "of" and (head.pos not in ("NOUN", "PROPN") or head.lemma in _PARTIAL)


def _is_expression(word: str, noun: str, lexicon: Lexicon) -> bool:
    """Whether the word and the noun behind it are one expression for something that the noun alone does not name: a
    remote control is no control, but a polar bear is a bear."""
    for name in (f"{word} {noun}", f"{word}{noun}"):
        for sense in lexicon.senses(name, "n")[:1]:
            return not {sense, *lexicon.climb(sense)} & set(lexicon.index.senses(noun, "n")[0])
    return False


def _leans_on(word: Token, gone: Token, lexicon: Lexicon) -> bool:
    """Whether a word that is kept may belong to the one behind it, which is gone: "old fashioned", "fast asleep"."""
    if any(lexicon.knows(f"{word.text.lower()}{sign}{gone.text.lower()}", "n") for sign in (" ", "")):
        return True
    if word.tag in ("RB", "RBR", "RBS"):
        return gone.pos in ("ADJ", "ADV", "VERB") and gone.dep != "advcl"
    before = word.dep in _BEFORE and (word.pos in ("ADJ", "NUM") or word.tag.startswith("NN"))
    shaded = word.text.lower() in _SHADING and gone.text.lower() in COLOURS
    return before and gone.dep in _BEFORE and (shaded or gone.pos == "NOUN" or _is_formed(gone.text.lower()))


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
