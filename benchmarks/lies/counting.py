"""Which planted lies a verification caught, and which honest rows it refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from benchmarks.lies.planting import Lie, Planted
from counterfoil.tasks.audit.review.intervals import wilson_interval
from counterfoil.tasks.audit.survey import Failure
from counterfoil.tasks.audit.verify import Verification


@dataclass
class Outcome:
    """What came of one run over all lies."""

    caught: list[tuple[Lie, tuple[str, ...]]] = field(default_factory=list)
    """Each with the reasons that name it."""
    missed: list[Lie] = field(default_factory=list)
    honest: dict[str, int] = field(default_factory=dict)
    """Domain to honest rows."""
    refused: dict[str, list[Failure]] = field(default_factory=dict)
    """Domain to failures that name an honest row."""
    elsewhere: list[Failure] = field(default_factory=list)
    """Failures that name no row of a domain that was looked at, such as one of the whole dataset."""
    rows: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """All figures as plain data."""
        lies = [*((lie, True) for lie, _ in self.caught), *((lie, False) for lie in self.missed)]
        return {
            "rows": self.rows,
            "cpu_seconds": round(self.cpu_seconds, 1),
            "seconds": round(self.seconds, 1),
            "domains": {
                domain: {
                    "visible": _share(
                        [(lie, ok) for lie, ok in lies if lie.domain == domain and not lie.small and not lie.foreign]
                    ),
                    "small": _share([(lie, ok) for lie, ok in lies if lie.domain == domain and lie.small]),
                    "foreign": _share(
                        [(lie, ok) for lie, ok in lies if lie.domain == domain and lie.foreign and not lie.small]
                    ),
                    "kinds": {
                        kind: _share([(lie, ok) for lie, ok in lies if (lie.domain, lie.kind) == (domain, kind)])
                        for kind in sorted({lie.kind for lie, _ in lies if lie.domain == domain})
                    },
                    "honest": self.honest[domain],
                    "refused": len({each.row_id for each in self.refused[domain]}),
                    "refused_for": [asdict(each) for each in self.refused[domain]],
                }
                for domain in self.honest
            },
            "elsewhere": [asdict(each) for each in self.elsewhere],
        }


def count_outcomes(planted: Planted, verification: Verification, cpu_seconds: float, seconds: float) -> Outcome:
    """Lies caught and missed, and honest rows refused."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for failure in verification.failures:
        reasons.setdefault((failure.table, failure.row_id), []).extend(failure.reasons)
    outcome = Outcome(rows=verification.rows, cpu_seconds=cpu_seconds, seconds=seconds)
    for lie in planted.lies:
        told = [reason for name in sorted(lie.names) for reason in reasons.get((lie.table, name), ())]
        if told:
            outcome.caught.append((lie, tuple(told)))
        else:
            outcome.missed.append(lie)
    owner = {
        (table, row_id): domain
        for domain, tables in planted.honest.items()
        for table, ids in tables.items()
        for row_id in ids
    }
    outcome.honest = {domain: sum(map(len, tables.values())) for domain, tables in planted.honest.items()}
    outcome.refused = {domain: [] for domain in planted.honest}
    followers = planted.followers | {name for lie in planted.lies for name in lie.names}
    for failure in verification.failures:
        if (domain := owner.get((failure.table, failure.row_id))) is not None:
            outcome.refused[domain].append(failure)
        elif failure.row_id not in followers:
            outcome.elsewhere.append(failure)
    return outcome


def show_outcomes(outcome: Outcome, *, each: bool = False) -> str:
    """A table a domain, and what was refused of honest rows."""
    found = outcome.to_json()
    lines = []
    for domain, figures in found["domains"].items():
        lines += ["", f"| {domain} | planted | caught | share |", "| --- | ---: | ---: | ---: |"]
        lines += [_word(kind, figures["kinds"][kind]) for kind in figures["kinds"]]
        lines += [_word("**all that a reader sees**", figures["visible"])]
        lines += [_word("under 2 pixels or 2 grey levels", figures["small"])] if figures["small"]["planted"] else []
        lines += (
            [_word("what its source alone could tell", figures["foreign"])] if figures["foreign"]["planted"] else []
        )
        lines += ["", f"Honest rows refused: {figures['refused']} of {figures['honest']:,}"]
        lines += _show_failures(outcome.refused[domain])
    if outcome.elsewhere:
        lines += ["", "Failures that name no row:", *_show_failures(outcome.elsewhere)]
    if each:
        lines += ["", "Not caught:"]
        lines += [f"  {lie.domain}: {lie.kind}: {_name(lie)} ({', '.join(lie.changed)})" for lie in outcome.missed]
    lines += ["", f"{found['rows']:,} rows verified in {found['cpu_seconds']} CPU s, {found['seconds']} s by the clock"]
    return "\n".join(lines)


def _show_failures(failures: Sequence[Failure], most: int = 10) -> list[str]:
    shown = [f"  {each.table} {each.row_id}: {'; '.join(each.reasons)[:200]}" for each in failures[:most]]
    return shown + ([f"  and {len(failures) - most} more"] if len(failures) > most else [])


def _share(lies: Iterable[tuple[Lie, bool]]) -> dict[str, Any]:
    counted = Counter(ok for _, ok in lies)
    planted, caught = counted.total(), counted[True]
    low, high = wilson_interval(caught, planted)
    return {"planted": planted, "caught": caught, "low": round(low, 4), "high": round(high, 4)}


def _word(name: str, share: dict[str, Any]) -> str:
    percent = 100 * share["caught"] / max(1, share["planted"])
    bounds = f"{100 * share['low']:.1f} to {100 * share['high']:.1f}"
    return f"| {name} | {share['planted']} | {share['caught']} | {percent:.1f} % ({bounds}) |"


def _name(lie: Lie) -> str:
    return f"{lie.table} {', '.join(sorted(lie.names))}"
