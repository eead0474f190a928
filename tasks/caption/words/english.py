"""Whether a text is in English: what is not is not read, whatever its words may look like."""

from __future__ import annotations

import re

from counterfoil.tasks.caption.words.lexicon import Lexicon

_LITTLE = frozenset(
    {"about", "above", "across", "after", "all", "along", "also", "an", "and", "another", "are", "around", "as", "at"}
    | {"behind", "beside", "between", "both", "but", "by", "each", "for", "from", "has", "have", "he", "her", "his"}
    | {"inside", "into", "is", "it", "its", "near", "next", "of", "off", "onto", "or", "other", "out", "over", "she"}
    | {
        "some",
        "that",
        "the",
        "their",
        "there",
        "these",
        "they",
        "this",
        "through",
        "to",
        "under",
        "up",
        "what",
        "which",
    }
    | {"while", "who", "with", "without", "you", "your"}
)
"""Words that WordNet leaves out, or that no other language has."""
_FOREIGN = frozenset(
    {
        "au",
        "auf",
        "aus",
        "avec",
        "bei",
        "con",
        "dans",
        "das",
        "de",
        "dem",
        "den",
        "der",
        "des",
        "die",
        "du",
        "een",
        "ein",
    }
    | {"eine", "einem", "einen", "einer", "el", "en", "est", "et", "het", "il", "im", "ist", "la", "las", "le", "les"}
    | {"los", "med", "met", "mit", "na", "och", "og", "op", "os", "para", "por", "que", "sur", "um", "uma", "un", "una"}
    | {"und", "une", "uno", "van", "von", "zu", "zwei"}
)
"""Little words of other languages, of which some look like English ones that captions hardly have."""
_ENDINGS = ("", "s", "es", "ing", "ed", "d", "ly", "er", "est")
_FEWEST = 0.5


def is_english(text: str, lexicon: Lexicon) -> bool:
    """Whether half of its words of three letters and more are English ones; a text without any is taken for it.

    >>> from counterfoil.tasks.caption.words.lexicon import open_lexicon
    >>> [is_english(each, open_lexicon()) for each in ("A dog on a mat.", "Ein Hund auf einer Matte.", "垫子上")]
    [True, False, False]
    """
    words = re.findall(r"[^\W\d_]+", text.casefold())
    if any(ord(letter) > 0x24F for word in words for letter in word):
        # Beyond Latin letters with all their accents.
        return sum(word.isascii() for word in words) > len(words) / 2
    words = [word for word in words if len(word) > 2 or word in _FOREIGN]
    known = sum(word in _LITTLE or (word not in _FOREIGN and _is_known(word, lexicon)) for word in words)
    return known >= len(words) * _FEWEST


def _is_known(word: str, lexicon: Lexicon) -> bool:
    bases = {word.removesuffix(ending) + more for ending in _ENDINGS if word.endswith(ending) for more in ("", "e")}
    return any(lexicon.knows(base, part) for base in bases if len(base) > 1 for part in "nvar") or any(
        lexicon.find_base(word, part) for part in "nv"
    )
