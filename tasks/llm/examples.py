"""Verified answers shown to the model before a question: few-shot examples, of other source rows than its own.

The pool is a file (`counterfoil prompts keep`), so that it is the same for every row and run; its bytes are part of
what decides an answer. Which of it a question gets follows from the author's seed and the question.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from counterfoil.tasks.llm.errors import AuthorUnavailable

_SOURCE: ContextVar[str] = ContextVar("source_row", default="")


@dataclass(frozen=True)
class Example:
    """A question that a prompt put, and an answer of which every row was accepted."""

    prompt_id: str
    source: str
    """The source row (`name_source`)."""
    asked: str
    answer: str


@dataclass(frozen=True)
class Pool:
    """Examples by prompt."""

    sha256: str
    by_prompt: Mapping[str, Sequence[Example]]

    def draw(self, prompt_id: str, asked: str, source: str, count: int, seed: int | None) -> list[Example]:
        """At most ``count`` examples of a prompt, none of the source row that is asked about and no two of one."""

        def order(example: Example) -> str:
            return hashlib.sha256(json.dumps([seed, asked, example.source, example.asked]).encode()).hexdigest()

        drawn: dict[str, Example] = {}
        for each in sorted(self.by_prompt.get(prompt_id, ()), key=order):
            if each.source != source and each.asked != asked:
                drawn.setdefault(each.source, each)
        return list(drawn.values())[:count]


def name_source(source: str, source_id: str) -> str:
    """A source row in one text."""
    return f"{source}/{source_id}"


@contextmanager
def asking_about(source: str) -> Iterator[None]:
    """What is asked in this block is asked about this source row."""
    token = _SOURCE.set(source)
    try:
        yield
    finally:
        _SOURCE.reset(token)


def find_source() -> str:
    """The source row that is being asked about; "" where nobody said."""
    return _SOURCE.get()


@cache
def read_pool(path: str) -> Pool:
    """The examples of a file.

    Raises:
        AuthorUnavailable: it is not there, or a line is no example.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise AuthorUnavailable(
            f"[author] examples_from = {path!r}: {error.strerror}; make it of a finished dataset with "
            "`counterfoil prompts keep RECIPE --to FILE`"
        ) from None
    by_prompt: dict[str, list[Example]] = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        try:
            example = Example(**json.loads(line))
        except (ValueError, TypeError) as error:
            raise AuthorUnavailable(f"[author] examples_from = {path!r}, line {number}: {error}") from None
        by_prompt.setdefault(example.prompt_id, []).append(example)
    return Pool(hashlib.sha256(data).hexdigest(), by_prompt)


def write_pool(path: Path, examples: Sequence[Example]) -> None:
    """Write examples, one a line, in an order of their own."""
    lines = sorted(json.dumps(asdict(each), ensure_ascii=False, sort_keys=True) for each in examples)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
