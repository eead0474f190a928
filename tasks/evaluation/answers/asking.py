"""Asking a model every question, with its pictures and without, and keeping every answer as it comes.

Answers go to a file, a line each, as they are given: a run that was killed asks only what is missing. Without its
pictures a model can only guess; that blind row stands beside every other. For robustness the pictures are also shown
turned by 30 degrees and at half their size (MMCLIP Table 7).
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from counterfoil.storage.errors import StorageError
from counterfoil.storage.pictures import PictureChange
from counterfoil.storage.rows import Image, fingerprint
from counterfoil.tasks.audit.review.intervals import wilson_interval
from counterfoil.tasks.encoders.bertscore import Comparer
from counterfoil.tasks.evaluation.answers.items import Item
from counterfoil.tasks.evaluation.answers.scoring import count_slow, extract_answer, is_right, is_same_text
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.llm.errors import SendError
from counterfoil.tasks.llm.exchange import Message, Request, Sampling
from counterfoil.tasks.llm.providers.base import Provider
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.sft.model import Llava, generate

SEEN, BLIND, TURNED, SMALL = "with pictures", "blind", "turned by 30 degrees", "at half size"
CHANGES = {SEEN: PictureChange(), TURNED: PictureChange(rotate=30), SMALL: PictureChange(scale=0.5)}
"""How pictures are changed under each condition; under any other none is shown."""
Progress = Callable[[str, int, int], None]


class Answerer(Protocol):
    """Something that answers questions about pictures."""

    @property
    def name(self) -> str: ...

    def answer(self, prompts: Sequence[str], pictures: Sequence[Sequence[bytes]]) -> list[str]:
        """An answer to each prompt."""
        ...


@dataclass(frozen=True)
class LocalModel:
    """A LLaVA in this process."""

    name: str
    llava: Llava
    most_tokens: int = 512

    def answer(self, prompts: Sequence[str], pictures: Sequence[Sequence[bytes]]) -> list[str]:
        return generate(self.llava, prompts, pictures, self.most_tokens)


@dataclass(frozen=True)
class Endpoint:
    """A model behind a provider's API: a server of vLLM, or any that speaks OpenAI's or Anthropic's."""

    settings: AuthorSettings
    most_tokens: int = 512

    @property
    def name(self) -> str:
        return str(self.settings.model)

    def answer(self, prompts: Sequence[str], pictures: Sequence[Sequence[bytes]]) -> list[str]:
        """Ask all at once.

        Raises:
            EvaluationError: the endpoint does not answer.
        """
        from counterfoil.tasks.llm.providers.open import open_provider

        async def ask_all() -> list[str]:
            provider = open_provider(self.settings)
            try:
                asked = (self._ask(provider, *each) for each in zip(prompts, pictures, strict=True))
                return list(await asyncio.gather(*asked))
            finally:
                await provider.close()

        try:
            return asyncio.run(ask_all())
        except SendError as error:
            raise EvaluationError(f"{self.settings.address}: {error}; answers so far are kept, run it again") from error

    async def _ask(self, provider: Provider, prompt: str, pictures: Sequence[bytes]) -> str:
        request = Request(
            provider=self.settings.kind,
            base_url=self.settings.address or "",
            model=self.name,
            system="",
            messages=(Message("user", prompt),),
            sampling=Sampling(self.most_tokens, temperature=self.settings.temperature),
            images=tuple(pictures),
        )
        return (await provider.send(request)).text


@dataclass(frozen=True)
class Given:
    """One answer, scored."""

    item_id: str
    parts: tuple[str, ...]
    condition: str
    text: str
    right: bool
    same_text: bool
    free: tuple[str, ...] = ()
    """Of a free text, what BERTScore compares it with."""
    slow: bool = False
    """Whether it was given up as a formula, since to compare it took too long; it is then wrong."""


@dataclass(frozen=True)
class Score:
    """The share of right answers of a part ("" for all) under a condition."""

    part: str
    condition: str
    items: int
    accuracy: float
    low: float
    high: float
    """95 % interval of the accuracy (Wilson)."""
    same_text: float
    """The share that string equality alone would call right."""
    bert: tuple[float, float, float] | None = None
    """BERTScore of the free texts: the means of precision, recall and F1."""
    slow: int = 0
    """Answers that were given up as formulas, since to compare them took too long; they count as wrong."""


def ask_items(
    answerer: Answerer,
    items: Sequence[Item],
    to: Path,
    *,
    conditions: Sequence[str] = (SEEN, BLIND),
    batch: int = 8,
    progress: Progress = lambda *_: None,
) -> list[Given]:
    """Ask every item under each condition; what is in the file ``to`` already is not asked again.

    Raises:
        EvaluationError: the file holds answers of another model or to other questions, or a picture cannot be read.
    """
    given = _read_given(to, answerer.name)
    for condition in conditions:
        waiting = [item for item in items if _key(item, condition) not in given]
        progress(f"{answerer.name} {condition}", len(items) - len(waiting), len(items))
        for start in range(0, len(waiting), batch):
            asked = waiting[start : start + batch]
            shown = [_show(item, condition) for item in asked]
            texts = answerer.answer([item.prompt for item in asked], shown)
            with to.open("a", encoding="utf-8") as file:
                for item, text in zip(asked, texts, strict=True):
                    given[_key(item, condition)] = text
                    line = {"key": _key(item, condition), "model": answerer.name, "item": item.item_id}
                    file.write(json.dumps(line | {"condition": condition, "text": text}, ensure_ascii=False) + "\n")
                file.flush()
                os.fsync(file.fileno())
            progress(f"{answerer.name} {condition}", len(asked), len(items))
    return [_score(item, condition, given[_key(item, condition)]) for condition in conditions for item in items]


def _show(item: Item, condition: str) -> list[bytes]:
    change = CHANGES.get(condition)
    if change is None:
        return []
    pictures = [Image(path.read_bytes(), path.name) for path in item.pictures]
    try:
        return [change.apply(each).bytes if change.changes else each.bytes for each in pictures]
    except StorageError as error:
        raise EvaluationError(f"question {item.item_id}: {error}") from error


def _key(item: Item, condition: str) -> str:
    pictures = [path.name for path in item.pictures]
    return fingerprint(item.item_id, item.prompt, pictures, condition)[:32]


def _read_given(path: Path, model: str) -> dict[str, str]:
    """The answers of a file; a last line that was not written whole is cut off."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        return {}
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if whole != content:
        path.write_bytes(whole)
    rows = [json.loads(line) for line in whole.decode().splitlines()]
    others = {row["model"] for row in rows} - {model}
    if others:
        raise EvaluationError(f"{path} holds answers of {', '.join(sorted(others))}: give another folder for {model}")
    return {row["key"]: row["text"] for row in rows}


def _score(item: Item, condition: str, text: str) -> Given:
    wordings = (item.answer, *item.also)
    same = any(is_same_text(extract_answer(text), each) for each in wordings)
    with count_slow() as slow:
        right = is_right(text, item.answer, item.options, item.also, item.decimals)
    free = wordings if item.free else ()
    return Given(item.item_id, item.parts, condition, text, right, same, free, slow.count > 0 and not right)


def score_answers(given: Sequence[Given], compare: Comparer | None = None) -> list[Score]:
    """Accuracy by condition, of all and of each part, with 95 % intervals (Wilson).

    ``compare`` gives precision, recall and F1 of each free text (`counterfoil.tasks.encoders.bertscore`).
    """
    return list(_score_all(given, compare))


def _score_all(given: Sequence[Given], compare: Comparer | None) -> Iterator[Score]:
    free = [each for each in given if each.free] if compare else []
    told = compare([each.text for each in free], [each.free for each in free]) if compare else []
    bert = {id(each): scores for each, scores in zip(free, told, strict=True)}
    conditions = list(dict.fromkeys(each.condition for each in given))
    for part in ("", *sorted({part for each in given for part in each.parts})):
        for condition in conditions:
            of = [each for each in given if each.condition == condition and (not part or part in each.parts)]
            hits = sum(each.right for each in of)
            same = sum(each.same_text for each in of) / len(of)
            compared = [bert[id(each)] for each in of if id(each) in bert]
            means = tuple(sum(column) / len(compared) for column in zip(*compared, strict=True))
            yield Score(
                part,
                condition,
                len(of),
                hits / len(of),
                *wilson_interval(hits, len(of)),
                same,
                (means[0], means[1], means[2]) if means else None,
                sum(each.slow for each in of),
            )
