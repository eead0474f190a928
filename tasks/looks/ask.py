"""The check by looking: a model that sees is asked whether picture and caption agree, blind to which row is which.

The model sees one picture and one caption, never an id, a role or another row. Pairs that should agree (a picture with
its own caption) and pairs that should not (a negative's picture with the anchor's caption, or the reverse) are asked
alike; how often it agrees with our own verdict is what the report shows. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from counterfoil.tasks.llm.asking import Answer, Ask
from counterfoil.tasks.llm.errors import AnswerRejected
from counterfoil.tasks.looks.agreement import Agreement

if TYPE_CHECKING:
    from counterfoil.tasks.llm.author import Author

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


def look_at(author: Author, pairs: Sequence[Pair]) -> list[Look]:
    """Ask the model that sees about each pair, on its family's account; a stored answer is not asked again.

    Raises:
        AuthorError: the model cannot be asked, or the budget is spent.
    """
    asks = [Ask(PROMPT, {"caption": pair.caption}, pair.family, (pair.picture,)) for pair in pairs]
    return [_read(pair, answer) for pair, answer in zip(pairs, author.ask_many(asks), strict=True)]


def _read(pair: Pair, answer: Answer | AnswerRejected) -> Look:
    if isinstance(answer, AnswerRejected):
        return Look(pair.row_id, pair.family, pair.agrees, None, answer.reason)
    said = answer.data
    return Look(pair.row_id, pair.family, pair.agrees, said["agrees"], said["disagreement"] or "")


def compare_looks(looks: Iterable[Look]) -> list[Agreement]:
    """Agreement by family."""
    by_family: dict[str, list[Look]] = {}
    for look in looks:
        by_family.setdefault(look.family, []).append(look)
    return [_count(family, each) for family, each in sorted(by_family.items())]


def _count(family: str, looks: Sequence[Look]) -> Agreement:
    answered = [look for look in looks if look.agrees is not None]
    return Agreement(
        family=family,
        pairs=len(looks),
        answered=len(answered),
        agreed=sum(look.agrees == look.expected for look in answered),
        missed=sum(bool(look.agrees) and not look.expected for look in answered),
        doubted=sum(not look.agrees and look.expected for look in answered),
    )
