"""What the flows of one process share: the recipe's pipeline, the workers, and what was made so far.

Prefect parameters carry names and fingerprints; the objects behind them live here, so that a flow run stays small on
the server and a subflow that is retried finds its stage's finished shards on disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from flows.progress import Observer
from flows.recipe import Recipe
from storage.dataset import Dataset
from tasks.engine.jobs import DomainRun, Pipeline
from tasks.engine.shards import Totals
from tasks.engine.workers import WorkerPool
from tasks.llm import check_author


@dataclass
class Session:
    """One run of one recipe in this process."""

    recipe: Recipe
    pipeline: Pipeline
    pool: WorkerPool | None
    """None on Ray: a task run is then the worker."""
    observer: Observer
    began: Mapping[str, int]
    """The tables' versions as the run began: a publish by another run since then is a conflict."""
    runs: dict[str, DomainRun] = field(default_factory=dict)
    totals: dict[str, Totals] = field(default_factory=dict)
    sandbox_level: str = ""

    def run_of(self, domain: str) -> DomainRun:
        return self.runs.setdefault(domain, DomainRun(domain))


_current: Session | None = None


def current_session() -> Session:
    """The session that `open_session` opened.

    Raises:
        RuntimeError: a subflow was called outside `make_dataset` or `regenerate_family`.
    """
    if _current is None:
        raise RuntimeError("call make_dataset or regenerate_family: a stage's subflow cannot run by itself")
    return _current


def find_pool() -> WorkerPool | None:
    """This process's workers; None in a remote task runner's process."""
    return _current.pool if _current is not None else None


_observer = Observer()


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Let ``observer`` hear of the runs inside the block."""
    global _observer
    _observer, before = observer, _observer
    try:
        yield
    finally:
        _observer = before


@contextmanager
def open_session(recipe: Recipe) -> Iterator[Session]:
    """Open the workers for ``recipe``; they are ended at once if the block fails."""
    global _current
    check_author(recipe.author)
    began = Dataset(recipe.dataset.path).begin()
    workers = recipe.dataset.workers or os.cpu_count() or 1
    ray = recipe.dataset.runner == "ray"
    pool = None if ray else WorkerPool(workers, _observer.advance)
    pipeline = Pipeline(
        recipe.dataset.path,
        {name: recipe.settings(name) for name in recipe.domains},
        recipe.author.model_dump(mode="json"),
        recipe.author.identity(),
        seed=recipe.dataset.seed,
        shard_size=recipe.dataset.shard_size,
        sandbox=recipe.dataset.sandbox,
        workers=workers,
    )
    _current = Session(recipe, pipeline, pool, _observer, began)
    done = False
    try:
        yield _current
        done = True
    finally:
        if pool is not None:
            pool.close(wait=done)
        _current = None
