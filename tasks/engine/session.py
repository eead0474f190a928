"""One run of one recipe: its jobs, its workers, who hears of it, and what was made so far."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any
from uuid import uuid4

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.identity import find_identity
from counterfoil.storage.store import Store
from counterfoil.tasks.engine.dealing import Deal, Pool, deal
from counterfoil.tasks.engine.forecast import Forecast
from counterfoil.tasks.engine.history import find_last_run
from counterfoil.tasks.engine.jobs import DomainRun, Pipeline
from counterfoil.tasks.engine.observing import HeldBack, Observer
from counterfoil.tasks.engine.process import find_answers_folder
from counterfoil.tasks.engine.recipe import MakingRecipe
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.runner import describe_shard
from counterfoil.tasks.engine.shards import ShardResult, StageJob, Totals
from counterfoil.tasks.engine.stopping import stopped_by
from counterfoil.tasks.engine.workers import WorkerPool
from counterfoil.tasks.llm import check_author
from counterfoil.tasks.llm.errors import AuthorError
from counterfoil.tasks.llm.store.spending import read_spending, read_yields

GRACE_S = 5.0
"""How long workers have to end the row under way and to stage what they have, once the run was told to end."""
TOLD = 3
"""Causes of a stage's failure that are told."""


class StageFailedError(Exception):
    """Shards of a stage failed. What finished is staged; running the recipe again does only the rest."""

    def __init__(self, where: str, causes: Sequence[str], barren: str = "") -> None:
        self.where = where
        """The stage, and how many of its shards failed."""
        self.causes = tuple(dict.fromkeys(causes))[:TOLD]
        """Why, each cause once."""
        self.barren = barren
        """The domain of which all rows were judged and none became an anchor; "" where shards failed."""
        super().__init__("\n".join([f"{where} failed", *self.causes]))


class MissingError(Exception):
    """A shard of a stage is missing, and nothing was to be made."""


@dataclass
class Session:
    """One run of one recipe in this process."""

    recipe: MakingRecipe
    pipeline: Pipeline
    observer: Observer
    began: Mapping[str, int]
    """The tables' versions as the run began: a publish by another run since then is a conflict."""
    domains: Sequence[str]
    """The domains of which it makes anything."""
    deal: Deal = deal
    """How missing shards reach the workers."""
    runs: dict[str, DomainRun] = field(default_factory=dict)
    totals: dict[str, Totals] = field(default_factory=dict)
    jobs: dict[str, list[StageJob]] = field(default_factory=dict)
    """The jobs of a domain's anchors, once its source was read."""
    probed: str = ""
    """The sandbox's level, once a worker opened it."""
    finding: bool = False
    """Whether nothing is to be made now: a shard that is missing is an error."""
    took_s: float = 0.0
    """CPU seconds that its shards took, those that were made before among them."""
    gate: Mapping[str, Any] = field(default_factory=dict)
    """What blind judges found of its negatives, once they were asked."""
    forecasts: dict[str, Forecast] = field(default_factory=dict)
    """By stage, what tells what its rows cost."""
    stopping: bool = False
    """Whether the run was told to end: shards that are not made then have not failed."""
    abandoned: bool = False
    """Whether nobody waits any more for what is being made."""
    _lock: RLock = field(default_factory=RLock)

    def order(self, domains: Iterable[str]) -> None:
        """Name what is made in the order of ``domains``, whichever of them was made first."""
        for domain in domains:
            self.run_of(domain)
        places = {domain: place for place, domain in enumerate(self.runs)}
        self.totals = dict(
            sorted(self.totals.items(), key=lambda each: places.get(each[0].partition(".")[0], len(places)))
        )

    def run_of(self, domain: str) -> DomainRun:
        return self.runs.setdefault(domain, DomainRun(domain))

    def list_anchor_jobs(self, domain: str, limit: int | None) -> list[StageJob]:
        """The jobs of a domain's anchors; its source is read once.

        Raises:
            counterfoil.tasks.contract.domain.SourceError: it cannot be read.
        """
        if domain not in self.jobs:
            run = self.run_of(domain)
            run.sources.clear()
            self.jobs[domain] = list(
                self.pipeline.anchor_jobs(domain, limit, run, tell=lambda text: self.observer.say(f"{domain}: {text}"))
            )
        return self.jobs[domain]

    def run(self, stage: str, jobs: Sequence[StageJob], rows: int = 0) -> tuple[Totals, list[ShardResult]]:
        """Find what is staged of a stage's jobs, and let the workers make the rest; counts, and what was made.

        ``rows`` says that an author is asked about so many: what they come to and will cost is told underway.

        Of a result without counts is kept what the next stage needs: its number and its fingerprint.

        Raises:
            StageFailedError: shards failed, and the others are staged.
            counterfoil.renderers.sandbox.SandboxError: there is none, and scripts are to be run.
        """
        totals = self.totals[stage] = Totals()
        results: list[ShardResult] = []
        errors: list[str] = []
        missing: deque[StageJob] = deque()

        def note(job: StageJob, result: ShardResult, waited_s: float = 0.0) -> None:
            totals.add(result)
            with self._lock:
                self.took_s += result.took_s
            results.append(result.strip_counts())
            self.observer.shard(job, result, waited_s)

        for job, shard in zip(jobs, self.pipeline.staged.find_all(job.fingerprint for job in jobs), strict=True):
            if shard is None:
                missing.append(job)
            else:
                note(job, describe_shard(job, shard, reused=True))
        self.observer.advance(stage, totals.rows_in)
        if missing and self.finding:
            raise MissingError(stage)
        if missing:
            self._open_sandbox()
            self._foresee(stage, missing, rows - totals.rows_in)
        for job, outcome, waited_s in self.deal(self._find_pool(), stage, missing, len(jobs)) if missing else ():
            if isinstance(outcome, ShardResult):
                note(job, outcome, waited_s)
            else:
                # An author's message is made to be read alone; others need their kind.
                author = isinstance(outcome, AuthorError)
                errors.append(str(outcome) if author else f"{type(outcome).__name__}: {outcome}")
        if errors:
            raise StageFailedError(f"{stage} ({len(errors)} of {len(jobs)} shards)", errors)
        return totals, results

    @cached_property
    def pool(self) -> Pool:
        """This machine's worker processes, or a Ray cluster's, from when a shard is missing.

        Raises:
            counterfoil.tasks.engine.cluster.RayMissingError: Ray cannot be had.
        """

        def advance(stage: str, rows: int) -> None:
            self.observer.advance(stage, rows)
            if stage in self.forecasts:
                self.forecasts[stage].advance(rows)

        if self.recipe.dataset.runner == "ray":
            from counterfoil.tasks.engine.cluster import RayPool

            return RayPool(advance, self.pipeline.workers)
        return WorkerPool(self.pipeline.workers, advance, self.domains)

    def _find_pool(self) -> Pool:
        """`pool`, of which several domains that need it at once begin one.

        Raises:
            MissingError: the run was abandoned.
        """
        with self._lock:
            if self.abandoned:
                raise MissingError("abandoned")
            return self.pool

    @cached_property
    def last(self) -> Mapping[str, Any]:
        """What the newest run before this one said of itself; empty where none has published."""
        dataset = Dataset(self.recipe.dataset.path)
        return find_last_run(dataset) if dataset.exists() else {}

    def _foresee(self, stage: str, missing: Sequence[StageJob], rows: int) -> None:
        """Have it told what a stage's rows cost, where a language model writes them."""
        author, path = self.recipe.author, self.recipe.dataset.path
        if author.kind != "procedural" and rows > 0:
            families = missing[0].families or (f"{missing[0].domain}.anchor",)
            work, scope = find_answers_folder(path), find_identity(Store(path))
            self.forecasts[stage] = Forecast(
                families, rows, lambda: read_yields(author, work, scope), lambda line: self.observer.say(line)
            )

    @property
    def sandbox_level(self) -> str:
        """The sandbox's level: where this run opened none, as all is made, that of the run which made it."""
        return self.probed or (str(self.last.get("sandbox_level", "")) if self._runs_scripts() else "")

    def _open_sandbox(self) -> None:
        """Before the first shard: a run that will need a sandbox and has none fails at once."""
        with self._lock:
            if not self.probed and self._runs_scripts():
                self.probed = self._find_pool().probe(self.recipe.dataset.sandbox)
                self.observer.say(f"sandbox: level {self.probed}")

    def _runs_scripts(self) -> bool:
        return any(load_domain(name).runs_scripts for name in self.domains)

    @contextmanager
    def heard_by(self, observer: Observer, deal: Deal) -> Iterator[None]:
        """In the block ``observer`` hears of the run, and ``deal`` brings missing shards to the workers."""
        before = self.observer, self.deal
        self.observer, self.deal = observer, deal
        try:
            yield
        finally:
            self.observer, self.deal = before

    def silently(self) -> AbstractContextManager[None]:
        """Go through stages that other runs have shown and staged, for what they came to."""
        return self.heard_by(Observer(), deal)

    def finds(self, stage: Callable[..., object], *given: object) -> bool:
        """Go through a stage of which all is staged; whether it is. Of one that has more to do nothing is shown."""
        heard, held = self.observer, HeldBack()
        self.observer, self.finding = held, True
        try:
            stage(self, *given)
        except (MissingError, StageFailedError):
            return False
        finally:
            self.observer, self.finding = heard, False
        held.tell(heard)
        return True

    def stop(self) -> None:
        """Let the workers stage what they have, and end them."""
        self.stopping = True
        if "pool" in self.__dict__:
            self.pool.stop(GRACE_S)

    def abandon(self) -> None:
        """End the workers, whatever they are doing; nobody is told of stages that fail by it."""
        with self._lock:
            self.abandoned = True
            if "pool" in self.__dict__:
                self.pool.close(wait=False)

    def close(self, done: bool) -> None:
        """End the workers; where the run is not ``done`` whatever they are doing."""
        if "pool" in self.__dict__:
            self.pool.close(wait=done)
        self.observer.end(done)


@contextmanager
def open_session(
    recipe: MakingRecipe,
    observer: Observer,
    name: str,
    run_id: str = "",
    *,
    domains: Sequence[str] = (),
    deal: Deal = deal,
) -> Iterator[Session]:
    """Begin a run of ``recipe``, called ``name``; its workers are ended at once if the block fails.

    Args:
        observer: hears of it.
        run_id: as logs name the run; left out: a new one.
        domains: of which it makes anything; left out: all.
        deal: how missing shards reach the workers.
    """
    check_author(recipe.author)
    path = recipe.dataset.path
    began = Dataset(path).begin()
    run_id = run_id or str(uuid4())
    workers = recipe.dataset.workers or os.cpu_count() or 1
    pipeline = Pipeline(
        path,
        {name: recipe.settings(name) for name in recipe.domains},
        recipe.author.model_dump(mode="json"),
        recipe.author.identity(),
        seed=recipe.dataset.seed,
        shard_size=recipe.dataset.shard_size,
        refine=recipe.audit.refine,
        sandbox=recipe.dataset.sandbox,
        workers=workers,
        run=run_id,
    )
    observer.begin(run_id, name, path)
    if recipe.author.kind != "procedural":
        observer.watch_spending(
            lambda: read_spending(recipe.author, find_answers_folder(path), find_identity(Store(path)))
        )
    session = Session(recipe, pipeline, observer, began, domains or [*recipe.domains], deal)
    done = False
    try:
        with stopped_by(session.stop):
            yield session
        done = True
    finally:
        session.close(done)
