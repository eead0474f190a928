"""What a caption says besides: phrases that it does without (``additions.toml``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.caption.words.parse import Sentence

TABLE = read_toml(Path(__file__).with_name("additions.toml"))
LEFT_OUT, BOUND = frozenset(TABLE["left_out"]), frozenset(TABLE["bound"])


def find_phrases(sentence: Sentence) -> Iterator[tuple[int, int]]:
    """Phrases that only add to the rest: "in a hat", "on a beach"; first and last word."""
    tokens = sentence.tokens
    for i, token in enumerate(tokens):
        word = token.text.lower()
        start = i
        if token.dep == "advmod" and word in ("next", "close"):
            start = i
        elif token.dep != "prep" or tokens[token.head].text.lower() in ("next", "close"):
            continue
        if word not in LEFT_OUT:
            continue
        head = tokens[token.head]
        if head.pos == "VERB" and (
            head.lemma in BOUND or head.tag == "VBN" or word in ("at", "with", "over", "through")
        ):
            continue
        if head.pos not in ("VERB", "NOUN") or token.head > i:
            continue
        inside, level = {start}, [start]
        while level:
            level = [c for each in level for c in sentence.children(each) if c not in inside]
            inside.update(level)
        inside = {k for k in inside if tokens[k].dep != "punct" or k < max(inside)}
        first, last = min(inside), max(inside)
        if first != start or last - first + 1 != len(inside) or not 3 <= len(inside) <= 6:
            continue
        if any(t.tag in ("PRP", "PRP$", "WDT", "WP") or t.pos in ("VERB", "AUX") for t in tokens[first:]):
            continue
        if tokens[last].pos not in ("NOUN", "PROPN") or any(tokens[k].text == "," for k in inside):
            continue
        yield first, last
