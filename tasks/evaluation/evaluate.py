"""Trying systems on benchmarks: models, the zero-shot models beside them, blind baselines and chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from counterfoil.tasks.encoders.base import Encoder
from counterfoil.tasks.evaluation.benchmark import Benchmark, DataFile, Task, list_nodes_of
from counterfoil.tasks.evaluation.blind import list_blind
from counterfoil.tasks.evaluation.layout import Plane, place_texts
from counterfoil.tasks.evaluation.model import BrokenVectorError, Model, Progress
from counterfoil.tasks.evaluation.outcomes import Figure, Outcomes, make_figures
from counterfoil.tasks.evaluation.scope import can_do, leave_out_missing, leave_out_undoable, name_task
from counterfoil.tasks.evaluation.tasks import System

MODEL, ZERO_SHOT, BLIND, CHANCE, GAIN = "model", "zero-shot", "blind", "chance", "gain"


@dataclass(frozen=True)
class Entry:
    """An encoder under evaluation."""

    encoder: Encoder
    kind: str
    """`MODEL` or `ZERO_SHOT`."""


@dataclass(frozen=True)
class Row:
    """The figures of one system on one task."""

    system: str
    kind: str
    figures: tuple[Figure, ...]
    outcomes: Outcomes | None = None
    """What it reached on each item; None for chance and for gains."""


@dataclass(frozen=True)
class TaskTable:
    """All systems on one task."""

    task: str
    items: int
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Sheet:
    """The score sheet of one benchmark."""

    benchmark: str
    title: str
    protocol: str
    tables: tuple[TaskTable, ...]
    files: tuple[DataFile, ...]
    data_sha256: str
    """Of every text, picture and question that was shown."""
    systems: tuple[tuple[str, str], ...]
    """Each model with the hash of its weights, tokenizer and preprocessing."""
    notes: tuple[str, ...]
    plane: Plane | None = None


def evaluate(
    benchmark: Benchmark,
    entries: Sequence[Entry],
    *,
    blind: bool = True,
    pixels: bool = False,
    progress: Progress = lambda *_: None,
) -> Sheet:
    """Try every system on every task of a benchmark; ``blind`` baselines too, and with ``pixels`` the slowest of them.

    Raises:
        MissingPicturesError: pictures that are looked at are not there.
        EvaluationError: a model can do none of the tasks, or gives vectors that are not finite.
    """
    benchmark, _ = leave_out_missing(benchmark, blind=not entries)
    benchmark = leave_out_undoable(benchmark, [each.encoder for each in entries])
    models = [_encode(benchmark, each, progress) for each in entries]
    others = list(list_blind(benchmark.material, pixels=pixels)) if blind else []
    tables = tuple(
        _fill(
            task,
            [model for model, each in zip(models, entries, strict=True) if can_do(each.encoder, task)],
            others,
            progress,
        )
        for task in benchmark.tasks
    )
    return Sheet(
        benchmark.name,
        benchmark.title,
        benchmark.protocol,
        tables,
        benchmark.files,
        benchmark.hash_data(pictures=bool(entries)),
        tuple((each.encoder.name, each.encoder.identity) for each in entries),
        benchmark.notes,
        place_texts(benchmark.layout, models[0]) if benchmark.layout is not None and models else None,
    )


def _encode(benchmark: Benchmark, entry: Entry, progress: Progress) -> Model:
    """The model on what it is shown by the tasks that it can do."""
    shown = [list_nodes_of(task) for task in benchmark.tasks if can_do(entry.encoder, task)]
    try:
        return Model(entry.encoder, benchmark.material, np.unique(np.concatenate(shown)), entry.kind, progress)
    except BrokenVectorError as error:
        where = f", first for {name_task(benchmark, int(error.nodes[0]))}"
        raise BrokenVectorError(error.model, error.nodes, error.total, where) from error


def _fill(task: Task, models: Sequence[Model], others: Sequence[System], progress: Progress) -> TaskTable:
    rows: list[Row] = []
    systems: list[System] = [*models, *others]
    for system in systems:
        outcomes = task.judge(system)
        if outcomes is not None:
            rows.append(Row(system.name, system.kind, make_figures(outcomes, task.figures), outcomes))
        progress(f"{task.name or 'items'}: systems", 1, len(models) + len(others))
    rows += list(_list_gains(task, rows))
    order = (MODEL, ZERO_SHOT, GAIN, BLIND)
    rows.sort(key=lambda row: order.index(row.kind))
    guessed = make_figures(task.guess(), task.figures, intervals=False)
    return TaskTable(task.name, len(task.items), (*rows, Row("chance", CHANCE, guessed)))


def _list_gains(task: Task, rows: Sequence[Row]) -> list[Row]:
    """How much each model is ahead of each zero-shot model, item by item: the interval is of the paired difference."""
    gains = []
    for first in rows:
        for second in rows:
            if first.kind == MODEL and second.kind == ZERO_SHOT and first.outcomes and second.outcomes:
                apart = replace(
                    first.outcomes,
                    values=first.outcomes.values - second.outcomes.values,
                    right=np.full_like(first.outcomes.right, np.nan),
                    wrong=np.full_like(first.outcomes.wrong, np.nan),
                )
                name = f"{first.system} over {second.system}"
                gains.append(Row(name, GAIN, make_figures(apart, task.figures, gains=True)))
    return gains
