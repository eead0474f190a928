"""Forms of words: plurals, verb forms, lemmas, the article before a word.

English inflection by rule, with the irregular forms that captions use.
"""

from __future__ import annotations

import re
from functools import lru_cache

from counterfoil.tasks.caption.words.lists import PAST, PLURALS, SAME
from counterfoil.tasks.caption.words.parse import Token

_VOWELS = "aeiou"
_HARD = re.compile(r"^(uni(?!n)|use|usu|eu|one\b|once|ubi|ute)")
"""Vowels that sound like "you" or "won": "a unicorn", "a one-way street"."""
_SHORT = re.compile(r"(?:qu|[^aeiou])*[aeiou][^aeiouwxy]")
_IRREGULAR = {"have": "has", "be": "is"}
_ENDS = ("shelf", "knife", "wife", "loaf", "leaf", "wolf", "child", "person", "tooth")
"""Irregular nouns that compounds end in ("bookshelf")."""
_NO_MEN = frozenset({"human", "talisman", "german", "ottoman", "roman", "caiman", "shaman", "norman"})
_SINGULARS = {plural: singular for singular, plural in PLURALS.items()}
_SILENT_E = re.compile(r"([aeinor]|ou)ses$(?<!lenses)(?<!gases)|[ai]zes$")
"""Plurals of nouns in "se" and "ze": horses, vases, houses, prizes; but buses, glasses and lenses."""
_SILENT = re.compile(r"^(hour|honest|honou?r|heir)")


@lru_cache(maxsize=50_000)
def pluralise(noun: str) -> str:
    """The plural; of a phrase, of its last word.

    >>> pluralise("bus"), pluralise("fire hydrant"), pluralise("baby"), pluralise("toy"), pluralise("snowman")
    ('buses', 'fire hydrants', 'babies', 'toys', 'snowmen')
    """
    *before, word = noun.split(" ")
    plural = PLURALS.get(word) or next((word[: -len(e)] + PLURALS[e] for e in _ENDS if word.endswith(e)), None)
    if plural is None:
        if word in SAME:
            plural = word
        elif word.endswith("man") and word not in _NO_MEN:
            plural = word[:-3] + "men"
        elif word.endswith(("s", "x", "z", "ch", "sh")):
            plural = word + "es"
        elif word.endswith("y") and word[-2:-1] not in (*_VOWELS, ""):
            plural = word[:-1] + "ies"
        elif word in ("potato", "tomato", "hero", "mosquito", "mango", "volcano", "buffalo", "domino"):
            plural = word + "es"
        else:
            plural = word + "s"
    return " ".join([*before, plural])


def singularise(noun: str) -> str:
    """The singular of a word that may be a plural; of another, the word.

    >>> [singularise(word) for word in ("dogs", "buses", "horses", "babies", "men", "shelves", "bus", "tennis")]
    ['dog', 'bus', 'horse', 'baby', 'man', 'shelf', 'bus', 'tennis']
    """
    singular = _SINGULARS.get(noun)
    if singular is not None:
        return singular
    for end in _ENDS:
        if noun.endswith(PLURALS[end]):
            return noun.removesuffix(PLURALS[end]) + end
    if _SILENT_E.search(noun):
        return noun[:-1]
    # The longest ending first: "babies" is no plural of "babie".
    stems = (noun[:-3] + "y", noun[:-3] + "f", noun[:-3] + "fe", noun[:-3] + "man", noun[:-2], noun[:-1])
    fitting = [stem for stem in stems if len(stem) > 2 and pluralise(stem) == noun]
    return fitting[0] if fitting and not noun.endswith(("us", "ss", "is")) else noun


def inflect_verb(verb: str, tag: str) -> str:
    """The verb's form of a Penn tag: VB, VBP, VBZ, VBG, VBD or VBN.

    >>> [inflect_verb("sit", tag) for tag in ("VBZ", "VBG", "VBD")]
    ['sits', 'sitting', 'sat']
    >>> inflect_verb("carry", "VBZ"), [inflect_verb(verb, "VBG") for verb in ("lie", "ride", "jog")]
    ('carries', ['lying', 'riding', 'jogging'])
    """
    if tag == "VBZ":
        if verb in _IRREGULAR:
            return _IRREGULAR[verb]
        if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
            return verb + "es"
        return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in _VOWELS else verb + "s"
    if tag == "VBG":
        if verb.endswith("ie"):
            return verb[:-2] + "ying"
        if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
            return verb[:-1] + "ing"
        return verb + verb[-1] * _doubles(verb) + "ing"
    if tag in ("VBD", "VBN"):
        if verb in PAST:
            return PAST[verb][tag == "VBN"]
        if verb.endswith("e"):
            return verb + "d"
        if verb.endswith("y") and verb[-2] not in _VOWELS:
            return verb[:-1] + "ied"
        return verb + verb[-1] * _doubles(verb) + "ed"
    return verb


def _doubles(verb: str) -> bool:
    """Whether the verb doubles its last letter: one syllable that ends in a vowel and a consonant."""
    return bool(_SHORT.fullmatch(verb))


def find_lemma(token: Token) -> str:
    """The base form of a word: spaCy's, unless it does not lead back to the word ("rid" to "riding")."""
    form = token.text.lower()
    if form in SAME:
        return form
    if not token.tag.startswith("VB") or inflect_verb(token.lemma, token.tag) == form:
        return token.lemma
    ending = {"VBG": "ing", "VBD": "ed", "VBN": "ed", "VBZ": "s"}.get(token.tag, "")
    stem = form.removesuffix(ending)
    for base in (stem + "e", stem, stem[:-1]):
        if base and inflect_verb(base, token.tag) == form:
            return base
    return token.lemma


def choose_article(word: str) -> str:
    """ "a" or "an" before ``word``, by its sound.

    >>> [choose_article(word) for word in ("apple", "unicorn", "umbrella", "hour", "dog", "one-way", "8")]
    ['an', 'a', 'an', 'an', 'a', 'a', 'an']
    """
    lower = word.lower()
    if _SILENT.match(lower) or lower.startswith("8") or lower in ("11", "18"):
        return "an"
    return "an" if lower[:1] in _VOWELS and not _HARD.match(lower) else "a"
