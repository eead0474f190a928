"""What the flows of one process share: the recipe's pipeline, the workers, and what was made so far.

Prefect parameters carry names and fingerprints; the objects behind them live here, so that a flow run stays small on
the server and a subflow that is retried finds its stage's finished shards on disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import TYPE_CHECKING
from uuid import UUID

from flows.planning.recipe import Recipe
from flows.process.signals import stopped_by
from flows.showing.observing import choose_observers
from flows.showing.progress import LoggingObserver, Observer
from storage.dataset import Dataset
from storage.identity import find_identity
from storage.store import Store
from tasks.engine.jobs import DomainRun, Pipeline
from tasks.engine.process import find_answers_folder
from tasks.engine.shards import StageJob, Totals
from tasks.engine.workers import WorkerPool
from tasks.llm import check_author
from tasks.llm.store.spending import read_spending

if TYPE_CHECKING:
    from tasks.engine.cluster import RayPool

GRACE_S = 5.0
"""How long workers have to end the row under way and to stage what they have, once the run was told to end."""
TELL_S = 3.0
"""How long the server has to hear of it."""


@dataclass
class Session:
    """One run of one recipe in this process."""

    recipe: Recipe
    pipeline: Pipeline
    pool: WorkerPool | RayPool
    observer: Observer
    began: Mapping[str, int]
    """The tables' versions as the run began: a publish by another run since then is a conflict."""
    flow_run_id: UUID
    """The run as Prefect's server knows it."""
    runs: dict[str, DomainRun] = field(default_factory=dict)
    totals: dict[str, Totals] = field(default_factory=dict)
    sandbox_level: str = ""
    shown: bool = True
    """Whether stages show themselves in Prefect and to the observer."""
    jobs: dict[str, list[StageJob]] = field(default_factory=dict)
    """The jobs of a domain's anchors, once its source was read."""
    stopping: bool = False
    """Whether the run was told to end: shards that are not made then have not failed."""

    def run_of(self, domain: str) -> DomainRun:
        return self.runs.setdefault(domain, DomainRun(domain))

    def list_anchor_jobs(self, domain: str, limit: int | None) -> list[StageJob]:
        """The jobs of a domain's anchors; its source is read once.

        Raises:
            tasks.contract.domain.SourceError: it cannot be read.
        """
        if domain not in self.jobs:
            run = self.run_of(domain)
            run.sources.clear()
            self.jobs[domain] = list(self.pipeline.anchor_jobs(domain, limit, run))
        return self.jobs[domain]

    @contextmanager
    def silently(self) -> Iterator[None]:
        """Go through stages that other runs have shown and staged, for what they came to."""
        observer, self.observer, self.shown = self.observer, Observer(), False
        try:
            yield
        finally:
            self.observer, self.shown = observer, True

    def stop(self) -> None:
        """Let the workers stage what they have, and end them."""
        self.stopping = True
        self.pool.stop(GRACE_S)

    @contextmanager
    def heeding_end(self) -> Iterator[None]:
        """Let the workers end too where the flow is ended from outside, as by Cancel in Prefect's UI."""
        try:
            yield
        except Exception:
            raise
        except BaseException:
            self.stop()
            raise

    def cancel(self) -> None:
        """`stop`, and let the server show the run as cancelled. For a thread that is not the flow's own."""
        teller = Thread(target=_tell_cancelled, args=(self.flow_run_id,), daemon=True)
        teller.start()
        self.stop()
        teller.join(TELL_S)


_current: Session | None = None


def current_session() -> Session:
    """The session that `open_session` opened.

    Raises:
        RuntimeError: a stage was called without a recipe, outside `make_dataset` or `regenerate_family`.
    """
    if _current is None:
        raise RuntimeError("a stage by itself needs a recipe: give make_anchors or make_family one")
    return _current


_observer: Observer | None = None


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
    from prefect.runtime import flow_run

    global _current
    check_author(recipe.author)
    began = Dataset(recipe.dataset.path).begin()
    workers = recipe.dataset.workers or os.cpu_count() or 1
    observer = choose_observers(_observer or LoggingObserver())
    pool = open_pool(recipe, workers, observer)
    pipeline = Pipeline(
        recipe.dataset.path,
        {name: recipe.settings(name) for name in recipe.domains},
        recipe.author.model_dump(mode="json"),
        recipe.author.identity(),
        seed=recipe.dataset.seed,
        shard_size=recipe.dataset.shard_size,
        refine=recipe.audit.refine,
        sandbox=recipe.dataset.sandbox,
        workers=workers,
        run=flow_run.id,
    )
    observer.begin(flow_run.id, flow_run.name, recipe.dataset.path)
    if recipe.author.kind != "procedural":
        path = recipe.dataset.path
        observer.watch_spending(
            lambda: read_spending(recipe.author, find_answers_folder(path), find_identity(Store(path)))
        )
    _current = session = Session(recipe, pipeline, pool, observer, began, UUID(flow_run.id))
    done = False
    try:
        with stopped_by(session.cancel):
            yield session
        done = True
    finally:
        pool.close(wait=done)
        observer.end(done)
        _current = None


def open_pool(recipe: Recipe, workers: int, observer: Observer) -> WorkerPool | RayPool:
    """This machine's worker processes, or a Ray cluster's."""
    if recipe.dataset.runner == "ray":
        from tasks.engine.cluster import RayPool

        return RayPool(observer.advance, workers)
    return WorkerPool(workers, observer.advance)


def _tell_cancelled(flow_run_id: UUID) -> None:
    """The server's own clean-up then ends the stages and shards below the run."""
    import httpx
    from prefect.client.orchestration import get_client
    from prefect.exceptions import PrefectException
    from prefect.states import Cancelled

    with suppress(httpx.HTTPError, PrefectException), get_client(sync_client=True) as client:
        client.set_flow_run_state(flow_run_id, Cancelled(message="interrupted in the terminal"), force=True)
