"""Number agreement: a noun phrase beside what was exchanged is singular or plural as its new words ask for."""

from __future__ import annotations

import re

_ENDS = frozenset({"of", "in", "on", "at", "with", "such", "that", "which", "whose", "for", "from", "to"}) | frozenset(
    {"is", "are", "has", "have", "and", "or", "if", "then", "when", "whenever", "by", "over", "under", "can"}
)
_PLURALS = frozenset({"maxima", "minima", "extrema", "automata", "criteria", "people", "children", "primes", "data"})
_SINGULARS = ("ss", "us", "is")
_VOWEL_SOUND = re.compile(r"8|11(?:\D|$)|18(?:\D|$)")


def is_plural(after: str) -> bool:
    """Whether the noun phrase that ``after`` begins with is plural, by its last word.

    >>> is_plural(" proper subgroups of order 5"), is_plural(" proper subgroup."), is_plural(" class of groups")
    (True, False, False)
    """
    noun = ""
    for match in re.finditer(r"\s*([A-Za-z-]+|\S)", after):
        if not match[1][0].isalpha() or match[1].lower() in _ENDS:
            break
        noun = match[1].lower()
    return noun in _PLURALS or (len(noun) > 3 and noun.endswith("s") and not noun.endswith(_SINGULARS))


def keeps_agreement(before: str, old: str, new: str, after: str) -> bool:
    """Whether a number can stand for another between these texts: nobody writes ``1 roots`` or ``an $7$-gon``.

    >>> keeps_agreement("has ", "2", "1", " roots"), keeps_agreement("an $", "8", "7", "$-gon")
    (False, False)
    >>> keeps_agreement("has $", "2", "3", "$ roots"), keeps_agreement("$x > ", "2", "1", "$ is")
    (True, True)
    """
    noun = re.match(r"\$?\s+([A-Za-z]{3,})", after)
    counted = noun is not None and noun[1].lower() not in _ENDS and re.search(r"(?:^|[\s~$])\$?$", before)
    if counted and (old == "1") != (new == "1"):
        return False
    article = re.search(r"\b([Aa]n?) \$?$", before)
    return article is None or bool(_VOWEL_SOUND.match(old)) == bool(_VOWEL_SOUND.match(new))
