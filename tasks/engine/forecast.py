"""What the rest of a stage will cost, told once enough of its rows were asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from counterfoil.tasks.llm.yields import ENOUGH, Yield


@dataclass
class Forecast:
    """Of one stage: ``left`` is how many of its rows are still to be made, ``families`` are those that it makes."""

    families: Sequence[str]
    left: int
    read: Callable[[], Sequence[Yield]]
    say: Callable[[str], None]
    _before: dict[tuple[str, str], Yield] = field(default_factory=dict)
    _done: int = 0
    _told: bool = False

    def __post_init__(self) -> None:
        self._before = {(each.family, each.edition): each for each in self.read()}

    def advance(self, rows: int) -> None:
        """So many rows more are made."""
        self._done += rows
        self.left -= rows
        if self._told or self._done < ENOUGH:
            return
        for each in self.read():
            before = self._before.get((each.family, each.edition))
            since = each - before if before is not None else each
            if each.family in self.families and since.rows:
                self._told = True
                self.say(tell_yield(since, max(0, self.left)))


def tell_yield(found: Yield, left: int) -> str:
    """What came of a family's rows, and what ``left`` rows more will cost at that yield.

    >>> told, rest = tell_yield(Yield("a.b", (), "m", 20, 80, 40, 20, 24000, 8000, 0.14, 0), 100).split("; ")
    >>> told
    'a.b: 20 source rows gave 80 accepted rows (400 tokens and 0.00175 USD each) and 40 rejects'
    >>> rest
    '100 source rows more will cost about 0.7 USD'
    """
    each = ""
    if found.tokens_per_row is not None:
        usd = f" and {found.usd_per_row:.4g} USD" if found.usd_per_row is not None else ""
        each = f" ({found.tokens_per_row:,.0f} tokens{usd} each)"
    told = (
        f"{found.family}: {found.rows:,} source rows gave {found.accepted:,} accepted rows{each} and "
        f"{found.rejected:,} rejects{found.why}"
    )
    if found.unknown:
        return f"{told}; what {left:,} source rows more will cost is unknown"
    return f"{told}; {left:,} source rows more will cost about {found.cost_usd / found.rows * left:.4g} USD"
