"""The instruction rows of one anchor and its contrasts.

A question that can be answered without its picture teaches to ignore it. So wherever the answer is one of a few, the
text alone cannot tell it, by construction: a caption is asked about a picture of which it is true and one of which it
is false; which of two pictures comes first is drawn, as is the letter of an option; of two captions that each have a
picture either may be asked about; a question with the answers yes and no is asked as often with one as with the other.
Only two captions stand to choose from: among more, the true one is that from which all others are an edit away. Where a
wrong caption has no picture of its own, its wording may still tell: `counterfoil audit` measures that for its family.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast, content_id
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.domain import Question
from counterfoil.tasks.sft.options import Answers, Options, Thinned, choose_options, order_options
from counterfoil.tasks.sft.rows import BOXED, KINDS, LETTERS, Instruction, Kind, box, list_options

_YES_NO = ("yes", "no")
_SENTENCES = re.compile(r"(?<=[.;])\s+|\n+")


@dataclass(frozen=True)
class Wanted:
    """Which rows are made of an anchor. ``most`` bounds the rows of each kind."""

    kinds: tuple[Kind, ...] = tuple(KINDS)
    most: int = 2
    seed: int = 0


@dataclass
class LeftOut:
    """What could have been asked and was not, by reason."""

    counts: Counter[str] = field(default_factory=Counter)


def ask_about(
    anchor: Anchor,
    contrasts: Sequence[Contrast],
    questions: Sequence[Question],
    wanted: Wanted,
    left_out: LeftOut,
    answers: Answers | None = None,
) -> list[Instruction]:
    """The rows of one anchor, in an order that depends on the seed and the anchor alone.

    ``contrasts`` are its negatives by family and rank, ``answers`` those of the whole domain, from which options are
    taken where the anchor has too few of its own. An anchor without a picture gives no rows.
    """
    if anchor.image is None:
        left_out.counts["anchor without a picture"] += 1
        return []
    rows: list[Instruction] = []
    for kind in wanted.kinds:
        rng = generator(wanted.seed, "sft", kind, anchor.anchor_id)
        writer = _Writer(anchor, anchor.image.bytes, kind, rng)
        if kind == "question":
            rows += writer.ask_questions(questions, wanted.most, left_out)
        elif kind == "choice":
            rows += writer.ask_choices(questions, answers or Answers(), wanted, left_out)
        elif kind in ("solve", "caption"):
            rows += writer.solve() if kind == "solve" else writer.describe()
        elif kind == "true":
            rows += writer.ask_truth(_draw_contrasts(contrasts, rng))
        else:
            rows += writer.compare(_draw_contrasts(contrasts, rng), wanted.most)
    return rows


def _draw_contrasts(contrasts: Sequence[Contrast], rng: np.random.Generator) -> list[Contrast]:
    """The negatives in a drawn order, each family's first before any family's second."""
    order = {family: int(at) for at, family in zip(*_shuffle({c.family for c in contrasts}, rng), strict=True)}
    return sorted((c for c in contrasts if c.role == "negative"), key=lambda c: (c.rank, order[c.family]))


def _shuffle(names: set[str], rng: np.random.Generator) -> tuple[np.ndarray, list[str]]:
    return rng.permutation(len(names)), sorted(names)


@dataclass(frozen=True)
class _Writer:
    """The rows of one kind of one anchor."""

    anchor: Anchor
    picture: bytes
    kind: Kind
    rng: np.random.Generator

    def solve(self) -> Iterator[Instruction]:
        """The problem with its solution, which ends in the answer."""
        anchor = self.anchor
        if anchor.question and anchor.answer:
            solution = (anchor.solution or "").strip()
            told = solution if box(anchor.answer) in solution else f"{solution}\n{box(anchor.answer)}".strip()
            yield self._row((self.picture,), f"{anchor.question}\n{BOXED}", told, anchor.answer)

    def describe(self) -> Iterator[Instruction]:
        """The caption."""
        if self.anchor.caption:
            yield self._row((self.picture,), "Describe the picture.", self.anchor.caption, self.anchor.caption)

    def compare(self, contrasts: Sequence[Contrast], most: int) -> list[Instruction]:
        """Rows that set the anchor beside its negatives, of at most ``most`` of them."""
        if not self.anchor.caption:
            return []
        rows: list[Instruction] = []
        used = 0
        for contrast in contrasts:
            made = list(self._compare_with(contrast, contrasts))
            rows += made
            used += bool(made)
            if used == most:
                break
        return rows

    def _compare_with(self, contrast: Contrast, others: Sequence[Contrast]) -> Iterator[Instruction]:
        caption = self.anchor.caption or ""
        pictured = contrast.modality == "image" and contrast.image is not None
        if self.kind == "which_caption" and contrast.modality == "text" and contrast.text:
            yield self._ask_caption(contrast.text, caption, others)
        elif self.kind == "which_picture" and pictured:
            yield self._ask_picture(contrast, caption)
        elif self.kind == "differs" and pictured and contrast.text:
            yield from self._ask_difference(contrast, caption)

    def ask_truth(self, contrasts: Sequence[Contrast]) -> list[Instruction]:
        """Yes and no as often as each other, with the negative that allows most.

        Of a negative with picture and caption each caption is asked of each picture, so that neither text nor picture
        tells; else the anchor's caption is asked of both pictures, or both captions of the anchor's picture.
        """
        caption = self.anchor.caption
        best = min(contrasts, key=lambda each: _rank_truth(each, contrasts), default=None)
        if caption is None or best is None:
            return []
        twin = _find_picture(best, contrasts)
        asked = [(caption, self.picture, "yes")]
        if twin is not None:
            asked.append((caption, twin, "no"))
        if best.modality == "text" and best.text:
            asked += [(best.text, twin, "yes")] if twin is not None else []
            asked.append((best.text, self.picture, "no"))
        if len(asked) == 1:
            return []
        prompts = "Is this caption true of the picture?\n{}\nAnswer yes or no. " + BOXED.replace("{}", "{{}}")
        return [self._row((shown,), prompts.format(text), box(answer), answer) for text, shown, answer in asked]

    def _ask_caption(self, wrong: str, caption: str, others: Sequence[Contrast]) -> Instruction:
        """Two captions. Where the wrong one has a picture of its own, either picture may be asked about."""
        twin = _find_twin(wrong, others)
        picture, right, other = self.picture, caption, wrong
        if twin is not None and self.rng.integers(2):
            picture, right, other = twin, wrong, caption
        return self._choose((picture,), "Which caption is true of the picture?", right, (other,))

    def _ask_picture(self, contrast: Contrast, caption: str) -> Instruction:
        assert contrast.image is not None
        swapped = bool(self.rng.integers(2))
        pictures = (contrast.image.bytes, self.picture) if swapped else (self.picture, contrast.image.bytes)
        prompt = f"Which picture does this caption describe, the first or the second?\n{caption}\n{BOXED}"
        answer = "second" if swapped else "first"
        return self._row(pictures, prompt, box(answer), answer)

    def _ask_difference(self, contrast: Contrast, caption: str) -> Iterator[Instruction]:
        """The sentences that are true of one picture alone; nothing where both captions have the same."""
        assert contrast.image is not None
        here, there = _split(caption), _split(contrast.text or "")
        only = (" ".join(s for s in here if s not in there), " ".join(s for s in there if s not in here))
        if not all(only):
            return
        pictures = (self.picture, contrast.image.bytes)
        if self.rng.integers(2):
            only, pictures = only[::-1], pictures[::-1]
        told = f"First picture: {only[0]}\nSecond picture: {only[1]}"
        yield self._row(pictures, "What differs between the two pictures?", told, told)

    def ask_questions(self, questions: Sequence[Question], most: int, left_out: LeftOut) -> Iterator[Instruction]:
        """Questions from facts; of yes and no as many of one as of the other."""
        kept = _balance([each for each in questions if each.kind != "problem"], self.rng, left_out)
        made = 0
        for asked in _in_pairs([kept[i] for i in self.rng.permutation(len(kept))]):
            if made >= most:
                break
            made += len(asked)
            for question in asked:
                hint = " Answer yes or no." if question.answer in _YES_NO else ""
                prompt = f"{question.text}{hint} {BOXED}"
                yield self._row((self.picture,), prompt, box(question.answer), question.answer)

    def ask_choices(
        self, questions: Sequence[Question], answers: Answers, wanted: Wanted, left_out: LeftOut
    ) -> Iterator[Instruction]:
        """Questions with four options; of those with one answer only one, so that each answer is as likely to be asked.

        What a question is given does not depend on the anchor's other rows: its draws are its own.
        """
        asked = list_choosable(questions)
        made = 0
        for question in _draw_by_answer(asked, self.rng):
            if made >= wanted.most:
                break
            rng = generator(wanted.seed, "sft", self.kind, self.anchor.anchor_id, question.text)
            options = choose_options(question, asked, answers, rng)
            if isinstance(options, Options):
                made += 1
                yield self._choose((self.picture,), question.text, options.right, options.wrong)
            elif isinstance(options, Thinned):
                left_out.counts["choice whose answer is likelier than its other options"] += 1
            else:
                left_out.counts["choice with fewer than four answers to choose from"] += 1

    def _choose(self, pictures: tuple[bytes, ...], asked: str, right: str, wrong: Sequence[str]) -> Instruction:
        """A multiple choice; the order of its options follows from the question."""
        options, at = order_options(content_id(self.anchor.anchor_id, asked, right, sorted(wrong)), right, wrong)
        prompt = f"{asked}\n{list_options(options)}\nAnswer with the option's letter. {BOXED}"
        return self._row(pictures, prompt, box(LETTERS[at]), LETTERS[at])

    def _row(self, pictures: tuple[bytes, ...], prompt: str, response: str, answer: str) -> Instruction:
        anchor = self.anchor
        return Instruction(self.kind, anchor.domain, anchor.split, anchor.anchor_id, pictures, prompt, response, answer)


def list_choosable(questions: Sequence[Question]) -> list[Question]:
    """The questions that can be a multiple choice: not the problem itself, and none that yes or no answers."""
    return [each for each in questions if each.kind != "problem" and each.answer.casefold() not in _YES_NO]


def _draw_by_answer(questions: Sequence[Question], rng: np.random.Generator) -> list[Question]:
    """One question of each kind and answer, in a drawn order."""
    alike: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        alike.setdefault((question.kind, question.answer), []).append(question)
    drawn = [of[int(rng.integers(len(of)))] for of in alike.values()]
    return [drawn[i] for i in rng.permutation(len(drawn))]


def _find_twin(text: str, contrasts: Sequence[Contrast]) -> bytes | None:
    """The picture of which a negative's text is the caption."""
    drawn = (each.image for each in contrasts if each.modality == "image" and each.text == text and each.image)
    return next((image.bytes for image in drawn), None)


def _find_picture(contrast: Contrast, contrasts: Sequence[Contrast]) -> bytes | None:
    if contrast.modality == "image":
        return contrast.image.bytes if contrast.image is not None else None
    return _find_twin(contrast.text or "", contrasts)


def _rank_truth(contrast: Contrast, contrasts: Sequence[Contrast]) -> int:
    """How much may be asked with it: 0 for a text with a picture of its own, 1 for a picture, 2 for a text alone."""
    if contrast.modality == "image":
        return 1
    return 0 if _find_twin(contrast.text or "", contrasts) is not None else 2


def _split(caption: str) -> list[str]:
    return [sentence for sentence in _SENTENCES.split(caption.strip()) if sentence]


def _balance(questions: Sequence[Question], rng: np.random.Generator, left_out: LeftOut) -> list[Question]:
    """All open questions, and of those answered yes or no as many of each, kind by kind."""
    kept = [each for each in questions if each.answer not in _YES_NO]
    for kind in sorted({each.kind for each in questions if each.answer in _YES_NO}):
        sides = {a: [q for q in questions if q.kind == kind and q.answer == a] for a in _YES_NO}
        few = min(map(len, sides.values()))
        for side in sides.values():
            kept += [side[i] for i in rng.permutation(len(side))[:few]]
            left_out.counts["yes and no out of balance"] += len(side) - few
    return kept


def _in_pairs(questions: Sequence[Question]) -> Iterator[tuple[Question, ...]]:
    """Open questions alone, each yes together with the next no."""
    waiting: dict[tuple[str, str], list[Question]] = {}
    for question in questions:
        if question.answer not in _YES_NO:
            yield (question,)
            continue
        other = "no" if question.answer == "yes" else "yes"
        if waiting.get((question.kind, other)):
            yield (waiting[question.kind, other].pop(), question)
        else:
            waiting.setdefault((question.kind, question.answer), []).append(question)
