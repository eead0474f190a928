"""What can be told of a text without its picture: its n-grams, as written and in outline, and simple counts.

Signs count as tokens, so in a code n-grams hardly reach from one word to the next, and nothing in them says which of
two words is written first. `list_orders` tells both.

The outline of a token keeps its shape alone: ``BA`` is a name of two letters that run backwards, ``12.5`` a number with
one decimal. It is what names and numbers have in common over anchors that share none of them.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

_TOKEN = re.compile(r"\\[A-Za-z]+|[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:\.\d+)?|[^\w\s]|_")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_LONGEST = 3
"""The longest n-gram of outlines; n-grams as written are one shorter."""
_COMMON = 60
"""Of so many words, those of most texts, it is asked which is written first."""


def split_tokens(text: str) -> list[str]:
    """Words, names, numbers, LaTeX commands and single signs, in order.

    >>> split_tokens("Angle ABC is 37.5\\\\circ, AB=8")
    ['Angle', 'ABC', 'is', '37.5', '\\\\circ', ',', 'AB', '=', '8']
    """
    return _TOKEN.findall(text)


def outline(token: str) -> str:
    """The shape of a token: names by length and direction, numbers by digits, everything else as it is, in lower case.

    >>> [outline(token) for token in ("ABC", "BA", "ACB", "A", "17", "8.25", "Circle")]
    ['<up3>', '<down2>', '<mixed3>', '<A>', '<99>', '<9.99>', 'circle']
    """
    if token[0].isdecimal():
        return "<" + re.sub(r"\d", "9", token) + ">"
    if token.isalpha() and token.isupper():
        if len(token) == 1:
            return "<A>"
        letters = list(token)
        up, down = letters == sorted(letters), letters == sorted(letters, reverse=True)
        return f"<{'up' if up else 'down' if down else 'mixed'}{len(token)}>"
    return token.lower()


def list_ngrams(text: str) -> list[str]:
    """N-grams of the tokens as written (1 to 2) and of their outlines (1 to 3), each as often as it stands there."""
    tokens = split_tokens(text)
    outlines = [outline(token) for token in tokens]
    edged = ["^", *outlines, "$"]
    grams = list(_join(tokens, _LONGEST - 1))
    grams += [gram for gram in _join(edged, _LONGEST) if "<" in gram or "^" in gram or "$" in gram or " " in gram]
    return grams


def _join(tokens: Sequence[str], longest: int) -> Iterator[str]:
    for length in range(1, longest + 1):
        for start in range(len(tokens) - length + 1):
            yield " ".join(tokens[start : start + length])


def list_longer(text: str) -> list[str]:
    """N-grams of three tokens as written, of which `list_ngrams` has two at most."""
    tokens = split_tokens(text)
    return [" ".join(tokens[i : i + _LONGEST]) for i in range(len(tokens) - _LONGEST + 1)]


def list_orders(texts: Sequence[str]) -> list[list[str]]:
    """Of each text what its words' order shows beyond the signs between them: two or three words in a row, whatever
    signs stand there, and of any two words that many texts have, which is written first.

    >>> list_orders(["A -->|Yes| B", "A -->|No| B"])[0]
    ['A ~ Yes', 'Yes ~ B', 'A ~ Yes ~ B', 'A .. Yes', 'A .. B', 'Yes .. B']
    """
    spoken = [[token for token in split_tokens(text) if token[0].isalnum()] for text in texts]
    spread = Counter(word for words in spoken for word in set(words))
    common = {word for word, _ in sorted(spread.items(), key=lambda each: (-each[1], each[0]))[:_COMMON]}
    found = []
    for words in spoken:
        rows = [" ~ ".join(words[i : i + n]) for n in (2, _LONGEST) for i in range(len(words) - n + 1)]
        firsts = [word for word in dict.fromkeys(words) if word in common]
        found.append([*rows, *(" .. ".join(pair) for pair in itertools.combinations(firsts, 2))])
    return found


NAMES = (
    "characters",
    "words",
    "sentences",
    "lines",
    "mean word length",
    "distinct words, share",
    "capital letters, share",
    "digits, share",
    "punctuation, share",
    "signs beyond ASCII, share",
    "numbers",
    "distinct numbers, share",
    "numbers with decimals, share",
    "largest number, log",
    "smallest number, log",
    "digits after the point",
    "even numbers, share",
    "multiples of five, share",
    "names",
    "distinct names, share",
    "names that run backwards, share",
    "names in no order, share",
    "distinct letters of names",
    "mean length of names",
    "names said before in another order, share",
    "the longest sentence, words",
    "the shortest sentence, words",
    "repeated pairs of words, share",
    "equal neighbouring words",
    "sentence lengths, spread",
)
"""What `measure_text` counts, in order."""


def measure_text(text: str) -> np.ndarray:
    """Simple counts of a text, ``float64`` of shape (``len(NAMES)``,)."""
    tokens = split_tokens(text)
    words = [token for token in tokens if token[0].isalpha()]
    numbers = [token for token in tokens if token[0].isdecimal()]
    sizes = [len(split_tokens(part)) for part in _SENTENCE_END.split(text) if part.strip()] or [0]
    pairs = list(itertools.pairwise(tokens))
    length = max(len(text), 1)
    return np.array(
        [
            len(text),
            len(words),
            len(sizes),
            text.count("\n") + 1,
            sum(map(len, words)) / max(len(words), 1),
            len(set(words)) / max(len(words), 1),
            sum(map(str.isupper, text)) / length,
            sum(map(str.isdigit, text)) / length,
            sum(not sign.isalnum() and not sign.isspace() for sign in text) / length,
            sum(sign > "\x7f" for sign in text) / length,
            *_measure_numbers(numbers),
            *_measure_names([token for token in words if len(token) > 1 and token.isupper()]),
            max(sizes),
            min(sizes),
            1 - len(set(pairs)) / max(len(pairs), 1),
            sum(first == second for first, second in pairs),
            float(np.std(sizes)),
        ]
    )


def _measure_numbers(numbers: Sequence[str]) -> list[float]:
    count = max(len(numbers), 1)
    values = [float(number[:300]) for number in numbers] or [0.0]
    whole = [int(number[:300]) for number in numbers if "." not in number]
    return [
        len(numbers),
        len(set(numbers)) / count,
        sum("." in number for number in numbers) / count,
        math.log1p(max(values)),
        math.log1p(min(values)),
        max((len(number.partition(".")[2]) for number in numbers), default=0),
        sum(number % 2 == 0 for number in whole) / count,
        sum(number % 5 == 0 for number in whole) / count,
    ]


def _measure_names(names: Sequence[str]) -> list[float]:
    count = max(len(names), 1)
    shapes = Counter(outline(name)[1:-2].rstrip("0123456789") for name in names if len(name) < 10)
    seen: dict[str, set[str]] = {}
    renamed = 0
    for name in names:
        before = seen.setdefault("".join(sorted(name)), set())
        renamed += bool(before - {name})
        before.add(name)
    return [
        len(names),
        len(set(names)) / count,
        shapes["down"] / count,
        shapes["mixed"] / count,
        len(set("".join(names))),
        sum(map(len, names)) / count,
        renamed / count,
    ]
