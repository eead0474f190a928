"""A thing that nobody speaks of, in the place of what a caption says besides (``add_obj``)."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.tasks.caption.near.miss import Miss, rewrite
from counterfoil.tasks.caption.near.said import Said
from counterfoil.tasks.caption.near.things import TABLE
from counterfoil.tasks.caption.words.besides import BOUND, LEFT_OUT
from counterfoil.tasks.caption.words.forms import choose_article
from counterfoil.tasks.caption.words.lists import CLOSED
from counterfoil.tasks.caption.words.parse import Sentence

_THINGS = tuple((tuple(row["names"]), frozenset(row["unless"]), tuple(row["places"])) for row in TABLE["additions"])
_ADVERBS = frozenset({"next", "close", "inside", "outside", "out", "up", "down"})
_LONGEST = 7
_HELD = frozenset({"holding", "carrying"})
_FARTHEST = 1
"""Words by which lengths may differ."""


def list_additions(said: Said, caption: int) -> Iterator[Miss]:
    sentence = said.sentences[caption]
    if not CLOSED.isdisjoint(sentence.words()):
        return
    clauses = [*_find_clauses(sentence)]
    spans = [*find_phrases(sentence), *clauses]
    for names, unless, places in _THINGS if spans else ():
        if not unless.isdisjoint(said.words) or not said.may_come(names, ""):
            continue
        for first, last in spans:
            if last + 1 < len(sentence.tokens) and sentence.tokens[last + 1].pos in ("NOUN", "PROPN"):
                continue
            for place in places:
                if place in _HELD and (first, last) not in clauses:
                    continue
                words = f"{place} {choose_article(names[0])} {names[0]}"
                if abs(len(words.split()) - (last - first + 1)) <= _FARTHEST:
                    text, edit = rewrite(sentence, [(first, last, words)], "add_obj")
                    yield Miss(caption, "add", edit, text, "undecided")


def find_phrases(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Phrases that say where or with what, behind a noun or a verb that does without: first and last word."""
    tokens, words = sentence.tokens, sentence.words()
    for i, token in enumerate(tokens):
        head = tokens[token.head]
        if words[i] not in LEFT_OUT or token.dep not in ("prep", "advmod") or token.head >= i:
            continue
        if head.text.lower() in _ADVERBS or head.pos not in ("VERB", "NOUN", "AUX"):
            continue
        if head.pos == "VERB":
            passive = head.tag == "VBN" and head.lemma != "park"
            if passive or head.lemma in BOUND or words[i] in ("at", "with", "over", "through"):
                continue
        if head.pos == "AUX" and not (head.lemma == "be" and sentence.children(token.head, "nsubj")):
            continue
        inside = _walk(sentence, i)
        last = max(inside)
        if min(inside) != i or len(inside) != last - i + 1 or not 2 <= len(inside) <= _LONGEST:
            continue
        if tokens[last].pos not in ("NOUN", "PROPN") or "," in words[i:last] or i == 0:
            continue
        if words[i] == "with" and last + 1 < len(tokens):
            after = tokens[last + 1]
            if after.pos == "ADJ" or after.tag == "VBN" or after.text.lower() in ("in", "inside", "on"):
                continue  # "with its lid open", "with eggs in a pan": it is said of the phrase's noun
        if not any(tokens[k].tag in ("VBZ", "VBP", "VBD", "WDT", "WP", "PRP") for k in inside):
            yield i, last


def _walk(sentence: Sentence, first: int) -> set[int]:
    """A word and all that belongs to it, without the stop behind."""
    inside, level = {first}, [first]
    while level:
        level = [c for each in level for c in sentence.children(each) if c not in inside]
        inside.update(level)
    end = len(sentence.tokens) - 1
    while end > 0 and sentence.tokens[end].dep == "punct":
        end -= 1
    return {i for i in inside if i <= end}


def _find_clauses(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """What somebody holds or wears besides, at the end of the caption: "holding an umbrella"."""
    tokens = sentence.tokens
    end = len(tokens) - 1
    while end > 0 and tokens[end].dep == "punct":
        end -= 1
    for i, token in enumerate(tokens):
        if (
            token.tag != "VBG"
            or token.lemma not in ("hold", "wear", "carry")
            or token.dep not in ("acl", "advcl", "conj")
        ):
            continue
        inside = _walk(sentence, i)
        if (
            min(inside) == i
            and max(inside) == end
            and len(inside) == end - i + 1
            and i > 2
            and tokens[i - 1].text.lower() != "and"
        ):
            head = tokens[token.head]
            # Without it, "A man" alone would be left.
            if (head.pos == "VERB" or token.head < i - 1) and head.lemma not in BOUND:
                yield i, end
