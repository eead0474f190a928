"""The end of a run: everything that is staged becomes visible at once, or what failed is told."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from counterfoil.storage.dataset import Dataset, Published
from counterfoil.storage.identity import find_identity
from counterfoil.storage.store import Store
from counterfoil.tasks.engine.gate import gate_run
from counterfoil.tasks.engine.history import find_code_version
from counterfoil.tasks.engine.losing import Guard, describe_inputs, forget_sources, tell_kept
from counterfoil.tasks.engine.nothing import keep_rejects
from counterfoil.tasks.engine.process import find_answers_folder
from counterfoil.tasks.engine.session import Session, StageFailedError
from counterfoil.tasks.engine.shards import Totals
from counterfoil.tasks.llm.errors import NOT_ASKED
from counterfoil.tasks.llm.store.spending import read_spending, read_yields


class RunFailedError(Exception):
    """Stages of a run failed. What finished is staged; running the recipe again does only the rest."""


@dataclass
class RunSummary:
    """What a finished run made: counts per stage, what was published, and the sandbox level it ran under."""

    totals: dict[str, Totals]
    published: Published
    sandbox_level: str
    gate: Mapping[str, Any] = field(default_factory=dict)
    """What blind judges found of its negatives (`counterfoil.tasks.tells.gate.describe_gate`)."""


def publish(session: Session, anchors: bool, guard: Guard) -> Published:
    """Make everything that is staged visible to readers, one commit per table.

    Raises:
        LossError: published rows would go, and nobody said that they may.
    """
    dataset = Dataset(session.recipe.dataset.path)
    replacements: dict[str, list[str]] = {}
    for run in session.runs.values():
        replacements |= run.list_partitions(anchors)
    metadata = describe_run(session) | {"made_of": session.last.get("made_of", {}) | describe_inputs(session)}
    published = dataset.publish(replacements, metadata=metadata, expect=session.began, guard=guard)
    if not published.changed and dataset.exists() and _is_news(metadata, session.last):
        published = replace(published, versions=dataset.note(metadata))
    return published


def finish_run(
    session: Session,
    failed: Sequence[StageFailedError],
    guard: Guard,
    anchors: bool,
    publish: Callable[[Session, bool, Guard], Published] = publish,
) -> RunSummary:
    """Publish what the stages have staged; without ``anchors`` the families alone.

    Raises:
        RunFailedError: some failed; the tables are as they were.
        LossError: published rows would go, and nobody said that they may; the tables are as they were.
        GateError: negatives give themselves away, and the recipe says to fail; the tables are as they were.
    """
    if failed:
        advice = ""
        if barren := [each.barren for each in failed if each.barren]:
            advice = keep_rejects(session, barren, describe_run(session))
        raise RunFailedError("\n".join(filter(None, [_describe_failures(failed, bool(advice)), advice])))
    session.gate = gate_run(session)
    published = publish(session, anchors, guard)
    for line in published.messages:
        session.observer.say(line)
    if anchors and (kept := tell_kept(session)):
        session.observer.say(kept)
    unasked = count_unasked(session)
    if unasked:
        session.observer.say(
            f"{sum(unasked.values())} rows wait for answers that the author's provider refused: run again to ask again"
        )
    return RunSummary(session.totals, published, session.sandbox_level, session.gate)


def _describe_failures(failed: Sequence[StageFailedError], rejects_shown: bool) -> str:
    """Each cause once, with the stages that it stopped (a spent budget stops many), and what is left of the run."""
    by_cause: dict[str, list[str]] = {}
    for each in failed:
        for cause in each.causes:
            by_cause.setdefault(cause, []).append(each.where)
    lines = [f"{cause}\n  in {', '.join(places)}" for cause, places in by_cause.items()]
    published = "the rejects alone were published" if rejects_shown else "nothing was published"
    kept = f"{published}: anchors and contrasts are as they were, and finished shards are kept for the next run"
    return "\n".join([*lines, kept])


def describe_run(session: Session) -> dict[str, Any]:
    """What the commit says of the run. Spending and looks are the dataset's so far, not this run's alone."""
    path = session.recipe.dataset.path
    store = (session.recipe.author, find_answers_folder(path), find_identity(Store(path)))
    made = {family for run in session.runs.values() for family in run.contrasts}
    before = session.last.get("looks", {})
    looks = {family: counts for family, counts in before.items() if family not in made}
    for run in session.runs.values():
        looks |= run.looks
    return {
        "recipe": session.recipe.dump(),
        "sandbox_level": session.sandbox_level,
        "code_version": find_code_version(),
        "code_versions": list_versions(session),
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "counts": {stage: dict(totals.accepted) for stage, totals in session.totals.items() if totals.accepted},
        "spending": [asdict(each) for each in read_spending(*store)],
        "yields": [asdict(each) for each in read_yields(*store)],
        "looks": dict(sorted(looks.items())),
        "gate": session.gate or session.last.get("gate", {}),
        "unasked": count_unasked(session),
    }


def list_versions(session: Session) -> list[str]:
    """Of the code that made the shards of this run and of those before; "" where it is not known of all."""
    before = session.last.get("code_versions", [""] if session.last else [])
    return sorted({*before, *(version for totals in session.totals.values() for version in totals.versions)})


def count_unasked(session: Session) -> dict[str, int]:
    """Rows that wait for answers that the author's provider refused, by domain."""
    waiting: Counter[str] = Counter()
    for totals in session.totals.values():
        for family, codes in totals.rejected.items():
            waiting[family.partition(".")[0]] += codes[NOT_ASKED]
    return dict(+waiting)


def _is_news(metadata: Mapping[str, Any], last: Mapping[str, Any]) -> bool:
    """Whether a run that changed no row has more to say than the last one: it looked, paid for more, or made the same
    of other inputs, or judges it otherwise."""
    return (
        metadata["spending"] != last.get("spending", [])
        or metadata["looks"] != last.get("looks", {})
        or metadata["gate"] != last.get("gate", {})
        or forget_sources(metadata["made_of"]) != forget_sources(last.get("made_of", {}))
    )
