"""Whether nouns agree in number with what goes with them: "two dogs", "a dog", "the dog is", never "two dog".

By the words' own forms, since a parser's tags of a sentence that does not agree are guesses.
"""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.tasks.caption.words.forms import singularise
from counterfoil.tasks.caption.words.lexicon import Lexicon
from counterfoil.tasks.caption.words.lists import (
    COLLECTIVE,
    COUNTERS,
    MASS,
    MEASURES,
    PLURAL_ONLY,
    QUANTIFIERS,
    SAME,
    SINGLE,
)
from counterfoil.tasks.caption.words.parse import Sentence

Number = str
"""``one``, ``many``, or empty where the word tells neither."""
_SINGULAR_VERBS, _PLURAL_VERBS = frozenset({"is", "was", "has", "does"}), frozenset({"are", "were", "have"})


def is_plural(sentence: Sentence, noun: int) -> bool:
    """Whether there are several of the noun: by its form, what counts it ("two giraffe") or what it is of ("a herd of
    zebra")."""
    token = sentence.tokens[noun]
    if token.tag in ("NNS", "NNPS") or any(word in QUANTIFIERS for word in _counters(sentence, noun)):
        return True
    above = sentence.tokens[token.head]
    return (
        token.dep == "pobj"
        and above.text.lower() == "of"
        and sentence.tokens[above.head].text.lower() in COLLECTIVE
        and token.text.lower() not in MASS
    )


def find_disagreement(sentence: Sentence, span: tuple[int, int], lexicon: Lexicon) -> str | None:
    """What does not agree: any noun with its number or determiner, and the noun of ``span`` with its verb."""
    for i, token in enumerate(sentence.tokens):
        if token.pos not in ("NOUN", "PROPN") or token.dep in ("compound", "nmod", "amod", "npadvmod"):
            continue
        number = tell_number(token.text, lexicon)
        words = list(_counters(sentence, i))
        if number == "one" and token.text.lower() not in MASS and any(word in QUANTIFIERS for word in words):
            return f"{' '.join(words)} {token.text}"
        if number == "many" and words and words[-1] in SINGLE and not _counts(sentence, i):
            return f"{words[-1]} {token.text}"
    return _find_verb(sentence, span[1], lexicon)


def tell_number(word: str, lexicon: Lexicon) -> Number:
    """The number that a noun's form tells.

    >>> from counterfoil.tasks.caption.words.lexicon import open_lexicon
    >>> [tell_number(word, open_lexicon()) for word in ("dog", "dogs", "bus", "sheep", "men", "scissors", "glass")]
    ['one', 'many', 'one', '', 'many', 'many', 'one']
    """
    lower = word.lower()
    if lower in PLURAL_ONLY:
        return "many"
    if lower in SAME or not lower.isalpha():
        return ""
    base = singularise(lower)
    if base != lower and (lexicon.knows(base, "n") or lexicon.find_base(lower, "n")):
        # "Bus" and "glass" end like plurals of what nobody knows.
        return "one" if lexicon.knows(lower, "n") and lower.endswith("ss") else "many"
    if lexicon.find_base(lower, "n") not in (None, lower):
        return "many"
    single = lower.endswith(("ss", "us", "is")) or (lexicon.knows(lower, "n") and not lower.endswith("s"))
    return "one" if single else ""


def _counters(sentence: Sentence, noun: int) -> Iterator[str]:
    """The determiners and numbers of a noun, in order."""
    for child in sentence.children(noun, "det", "nummod", "amod", "predet"):
        token = sentence.tokens[child]
        if child < noun and (token.text.lower() in QUANTIFIERS | SINGLE) and token.tag not in ("WDT", "WP"):
            yield token.text.lower()


def _counts(sentence: Sentence, noun: int) -> bool:
    """Whether between the article and the noun stands what counts: "a few dogs"."""
    for before in reversed(sentence.tokens[max(noun - 4, 0) : noun]):
        if before.text.lower() in COUNTERS or before.text.lower() in QUANTIFIERS or before.tag == "CD":
            return True
    return False


def _find_verb(sentence: Sentence, noun: int, lexicon: Lexicon) -> str | None:
    """The noun and its verb, where they do not agree."""
    token = sentence.tokens[noun]
    if token.dep != "nsubj" or sentence.children(noun, "conj") or token.text.lower() in MEASURES:
        return None
    number = tell_number(token.text, lexicon)
    head = token.head
    verbs = [head, *sentence.children(head, "aux")]
    for verb in verbs:
        text, tag = sentence.tokens[verb].text.lower(), sentence.tokens[verb].tag
        single = text in _SINGULAR_VERBS or (tag == "VBZ" and text not in _PLURAL_VERBS and text.endswith("s"))
        if (number == "many" and single) or (number == "one" and text in _PLURAL_VERBS):
            return f"{token.text} {text}"
    return None
