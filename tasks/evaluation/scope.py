"""Which tasks of a benchmark are tried: those whose pictures are there, by the models that can do them.

A task that shows a picture which is not there is refused whole, for a score without it would be of another benchmark;
tasks of texts alone need no pictures and are scored. What is refused is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from counterfoil.tasks.encoders.base import Encoder
from counterfoil.tasks.evaluation.benchmark import Benchmark, MissingPicturesError, Task, list_nodes_of
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import is_picture
from counterfoil.tasks.evaluation.tasks import Choices, Retrieval


def leave_out_missing(benchmark: Benchmark, *, blind: bool) -> tuple[Benchmark, MissingPicturesError | None]:
    """The benchmark without tasks whose pictures are not there, and what is missing.

    Args:
        benchmark: as it was read.
        blind: no model is tried, and only the candidates of choices are looked at.

    Raises:
        MissingPicturesError: no task is left.
    """
    missing: dict[str, None] = {}
    total: set[int] = set()
    kept: list[Task] = []
    refused: list[str] = []
    for task in benchmark.tasks:
        nodes = task.candidate if blind and isinstance(task, Choices) else list_nodes_of(task)
        shown = np.unique(nodes[is_picture(nodes)] // 2).tolist()
        absent = benchmark.material.list_missing(shown)
        if absent:
            missing.update(dict.fromkeys(absent))
            total.update(shown)
            refused.append(task.name or "items")
        else:
            kept.append(task)
    if not missing:
        return benchmark, None
    error = MissingPicturesError(benchmark.name, list(missing), len(total))
    if not kept:
        raise error
    note = f"{', '.join(refused)}: not scored, {len(missing):,} of {len(total):,} pictures are not there"
    return replace(benchmark, tasks=tuple(kept), notes=(*benchmark.notes, note)), error


def can_do(encoder: Encoder, task: Task) -> bool:
    """Whether an encoder encodes what a task shows and can compare it."""
    return _explain_refusal(encoder, task) is None


def leave_out_undoable(benchmark: Benchmark, encoders: Sequence[Encoder]) -> Benchmark:
    """The benchmark without tasks that none of the ``encoders`` can do, with a note for each encoder that some ask too
    much of. Without encoders it stays as it is.

    Raises:
        EvaluationError: an encoder can do none of them.
    """
    notes = []
    for encoder in encoders:
        refusals = {task.name: why for task in benchmark.tasks if (why := _explain_refusal(encoder, task))}
        if refusals and len(refusals) == len(benchmark.tasks):
            raise EvaluationError(f"model {encoder.name!r} {next(iter(refusals.values()))}")
        notes += [f"{name or 'items'}: not scored, {encoder.name} {why}" for name, why in refusals.items()]
    tasks = tuple(task for task in benchmark.tasks if not encoders or any(can_do(each, task) for each in encoders))
    return replace(benchmark, tasks=tasks, notes=(*benchmark.notes, *notes))


def name_task(benchmark: Benchmark, node: int) -> str:
    """The first task that shows a node, and what it shows there, for a message."""
    task = next(task for task in benchmark.tasks if node in list_nodes_of(task))
    if is_picture(np.array([node]))[0]:
        shown = f"picture {benchmark.material.pictures[node // 2].name}"
    else:
        shown = f"text {benchmark.material.texts[node // 2][:60]!r}"
    return f"{benchmark.name}{f', {task.name}' if task.name else ''}: {shown}"


def _explain_refusal(encoder: Encoder, task: Task) -> str | None:
    """Why an encoder cannot do a task; None where it can."""
    pictured = is_picture(list_nodes_of(task))
    for modality, needed in (("image", pictured.any()), ("text", (~pictured).any())):
        if needed and modality not in encoder.modalities:
            return (
                f"encodes no {modality}s, which the benchmark shows: give a model of two towers, such as CLIP or SigLIP"
            )
    if not encoder.joint and _is_across(task):
        return "cannot compare texts with pictures: give a model of two towers, such as CLIP"
    return None


def _is_across(task: Task) -> bool:
    """Whether texts are compared with pictures."""
    if not isinstance(task, Choices | Retrieval):
        return False
    found = task.candidate if isinstance(task, Choices) else task.documents
    return bool(len(np.unique(np.concatenate([is_picture(task.query), is_picture(found)]))) > 1)
