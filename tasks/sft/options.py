"""The options of a multiple choice: four, of which the text alone cannot tell the right one.

Wrong options are the anchor's own other answers, where it has enough of them: each is the right answer to a question
that might as well have been asked. Else they are answers to such questions about other anchors. There an answer that
is given often is likelier to be right, so a question is kept with the probability

    min over the options w of J(w) / J(right),    J(x) = c(x) q(the others | x),

where c(x) counts how often x is the answer and q is the probability of drawing these others beside it. Of the questions
kept with one set of options each option is then right equally often: a reader of questions is left with one in four.
The letter of the right option follows from the question's own id, whatever else is asked.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np

from counterfoil.storage.rows import content_id
from counterfoil.tasks.contract.domain import Question

OPTIONS = 4
_OFTEN = 20
"""So many questions must begin alike for their answers to be counted apart from their kind's."""
_OPENING = 3
"""Words by which questions begin alike: things that are on something are others than those to the left of it."""


@dataclass(frozen=True)
class Options:
    """A right option and the wrong ones, in no order."""

    right: str
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class TooFew:
    """There are not as many answers to choose from."""


@dataclass(frozen=True)
class Thinned:
    """Left out, as its answer is likelier than its other options."""


@dataclass(frozen=True)
class Answers:
    """How often each answer is given to the questions of a dataset's domain, by kind and opening, and by kind."""

    by_opening: Mapping[tuple[str, str], Counter[str]] = field(default_factory=dict)
    by_kind: Mapping[str, Counter[str]] = field(default_factory=dict)

    @classmethod
    def count(cls, questions: Iterable[Question]) -> Answers:
        """Count the answers of questions; those with yes and no are no choice."""
        by_opening: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        by_kind: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for question in questions:
            by_kind[question.kind][question.answer] += 1
            by_opening[question.kind, _open(question)][question.answer] += 1
        often = {opening: counts for opening, counts in by_opening.items() if counts.total() >= _OFTEN}
        return cls(often, dict(by_kind))

    def list_like(self, question: Question) -> Counter[str]:
        """The answers to questions that begin like this one, or to its kind; none where hardly any comes twice.

        Labels and names that stand in one picture alone would tell by their subject which of them belong together.
        """
        alike = self.by_opening.get((question.kind, _open(question)))
        counts = alike or self.by_kind.get(question.kind) or Counter()
        return counts if counts.total() >= 2 * len(counts) else Counter()


def _open(question: Question) -> str:
    return " ".join(question.text.split()[:_OPENING])


def order_options(question_id: str, right: str, wrong: Sequence[str]) -> tuple[tuple[str, ...], int]:
    """The options in their order, and the place of the right one: uniform over ids, the same in every dataset and run.

    The wrong ones are put in no order of theirs: among numbers that rise, the one that breaks the rise would be right.

    >>> order_options("a", "4", ("3", "5", "6"))
    (('6', '5', '3', '4'), 3)
    """
    at = int(content_id("option", question_id)[:15], 16) % (len(wrong) + 1)
    mixed = sorted(wrong, key=lambda each: content_id("option", question_id, each))
    return (*mixed[:at], right, *mixed[at:]), at


def choose_options(
    question: Question, own: Sequence[Question], answers: Answers, rng: np.random.Generator
) -> Options | TooFew | Thinned:
    """Three wrong options for a question; ``own`` are the anchor's questions."""
    right = question.answer
    others = {each.answer for each in own if each.kind == question.kind} - {right}
    beside = sorted(each for each in others if _may_stand(each, question))
    if len(beside) >= OPTIONS - 1:
        drawn = rng.permutation(len(beside))[: OPTIONS - 1]
        return Options(right, tuple(beside[i] for i in drawn))
    counts = answers.list_like(question)
    known = Counter({each: n for each, n in counts.items() if each == right or _may_stand(each, question)})
    if right not in known or len(known) < OPTIONS:
        return TooFew()
    rule = _Window(known) if all(map(_is_number, known)) else _Drawn(known)
    wrong = rule.draw(right, rng)
    together = (right, *wrong)
    weights = [known[x] * rule.weigh(x, [each for each in together if each != x]) for x in together]
    if rng.random() * weights[0] >= min(weights):
        return Thinned()
    return Options(right, wrong)


def _may_stand(option: str, question: Question) -> bool:
    """What the question itself names is hardly its answer: such an option would tell that it is wrong."""
    return option.casefold() != question.answer.casefold() and option not in question.text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


class _Window:
    """Numbers: four that follow one another among all answers, so that they are near."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.values = sorted(counts, key=lambda each: (float(each), each))

    def _list_starts(self, value: str) -> range:
        at = self.values.index(value)
        return range(max(0, at - OPTIONS + 1), min(at, len(self.values) - OPTIONS) + 1)

    def draw(self, right: str, rng: np.random.Generator) -> tuple[str, ...]:
        starts = self._list_starts(right)
        first = starts[int(rng.integers(len(starts)))]
        return tuple(each for each in self.values[first : first + OPTIONS] if each != right)

    def weigh(self, right: str, others: Sequence[str]) -> float:  # noqa: ARG002 - every window is as likely
        return 1 / len(self._list_starts(right))


class _Drawn:
    """Words: drawn one after another as often as they are answers."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = dict(sorted(counts.items()))
        self.total = sum(self.counts.values())

    def draw(self, right: str, rng: np.random.Generator) -> tuple[str, ...]:
        names = [each for each in self.counts if each != right]
        shares = np.array([self.counts[each] for each in names], dtype=np.float64)
        drawn = rng.choice(len(names), OPTIONS - 1, replace=False, p=shares / shares.sum())
        return tuple(names[i] for i in drawn)

    def weigh(self, right: str, others: Sequence[str]) -> float:
        return sum(self._follow(right, order) for order in permutations(others))

    def _follow(self, right: str, order: Sequence[str]) -> float:
        left, chance = self.total - self.counts[right], 1.0
        for each in order:
            chance *= self.counts[each] / left
            left -= self.counts[each]
        return chance
