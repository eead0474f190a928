"""The check by looking: a model that sees is asked whether picture and caption agree, blind to which row is which.

The model sees one picture and one caption, never an id, a role or another row. Pairs that should agree (a picture with
its own caption) and pairs that should not (a negative's picture with the anchor's caption, or the reverse) are asked
alike; how often it agrees with our own verdict is what the report shows. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tasks.llm.author import Answer, Ask, Author
from tasks.llm.errors import AnswerRejected

PROMPT = "geometry.look"


@dataclass(frozen=True)
class Pair:
    """A picture and a caption, and whether our own checks say that they agree."""

    row_id: str
    family: str
    picture: bytes
    caption: str
    agrees: bool


@dataclass(frozen=True)
class Look:
    """What the model said of one pair. ``agrees`` is None where its answer was rejected."""

    row_id: str
    family: str
    expected: bool
    agrees: bool | None
    disagreement: str
    cost_usd: float | None


@dataclass(frozen=True)
class Agreement:
    """How the model's looking compares with our verdicts, for one family."""

    family: str
    pairs: int
    answered: int
    agreed: int
    """Pairs on which the model and we say the same."""
    missed: int
    """Pairs that we say differ and the model says agree."""
    doubted: int
    """Pairs that we say agree and the model says differ."""
    cost_usd: float | None

    @property
    def share(self) -> float | None:
        """Agreed over answered; None if nothing was answered."""
        return self.agreed / self.answered if self.answered else None


def look_at(author: Author, pairs: Sequence[Pair]) -> list[Look]:
    """Ask the model that sees about each pair, on its family's account; a stored answer is not asked again.

    Raises:
        AuthorError: the model cannot be asked, or the budget is spent.
    """
    asks = [Ask(PROMPT, {"caption": pair.caption}, pair.family, (pair.picture,)) for pair in pairs]
    return [_read(pair, answer) for pair, answer in zip(pairs, author.ask_many(asks), strict=True)]


def _read(pair: Pair, answer: Answer | AnswerRejected) -> Look:
    if isinstance(answer, AnswerRejected):
        return Look(pair.row_id, pair.family, pair.agrees, None, answer.reason, answer.provenance.cost_usd)
    said = answer.data
    return Look(
        pair.row_id, pair.family, pair.agrees, said["agrees"], said["disagreement"] or "", answer.cost_usd
    )  # fmt: skip


def compare_looks(looks: Iterable[Look]) -> list[Agreement]:
    """Agreement by family."""
    by_family: dict[str, list[Look]] = {}
    for look in looks:
        by_family.setdefault(look.family, []).append(look)
    return [_count(family, each) for family, each in sorted(by_family.items())]


def _count(family: str, looks: Sequence[Look]) -> Agreement:
    answered = [look for look in looks if look.agrees is not None]
    costs = [look.cost_usd for look in looks]
    return Agreement(
        family=family,
        pairs=len(looks),
        answered=len(answered),
        agreed=sum(look.agrees == look.expected for look in answered),
        missed=sum(bool(look.agrees) and not look.expected for look in answered),
        doubted=sum(not look.agrees and look.expected for look in answered),
        cost_usd=None if any(cost is None for cost in costs) else round(sum(cost or 0.0 for cost in costs), 9),
    )
