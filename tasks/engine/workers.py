"""Worker processes on one machine: they run stage jobs, report progress, and never outlive the run.

Workers are spawned, not forked (the parent has threads and secrets), and ask the kernel to end them when the parent
dies, so that ``kill -9`` of a run leaves nothing behind.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import queue
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from renderers.lasting import call_in_lasting_thread
from storage.staged import StagedShards
from tasks.contract.context import Context
from tasks.engine.registry import load_domain
from tasks.engine.renderer import MemoRenderer
from tasks.engine.runner import Progress, ShardResult, StageJob, run_job
from tasks.llm import open_author
from tasks.llm.settings import AuthorSettings

PR_SET_PDEATHSIG = 1
T = TypeVar("T")
Returned = TypeVar("Returned")


class WorkerDiedError(Exception):
    """A worker process died on a job (often out of memory), and again when the job was tried once more."""

    fatal = True


class WorkerPool:
    """Runs jobs in ``workers`` processes. A worker that dies is replaced and its jobs are tried once more."""

    def __init__(self, workers: int, on_progress: Callable[[str, int], None] = lambda *_: None) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._spawn = multiprocessing.get_context("spawn")
        self._ticks: Any = self._spawn.Queue()
        self._lock = threading.Lock()
        self._on_progress = on_progress
        self._executor = self._start()
        self._drain = threading.Thread(target=self._forward_ticks, daemon=True, name="progress")
        self._drain.start()

    def run(self, job: StageJob) -> ShardResult:
        """Run ``job`` in a worker and wait for it.

        Raises:
            WorkerDiedError: the worker died twice.
            Exception: what `tasks.engine.runner.run_job` raised.
        """
        return self._call(_run_in_worker, job, f"{job.stage}, shard {job.index}")

    def probe(self, sandbox: str | None) -> str:
        """Open the sandbox in a worker, which keeps it for the jobs to come, and return its level.

        Raises:
            WorkerDiedError: the worker died twice.
            renderers.sandbox.SandboxError: the level cannot be had, or no level can.
        """
        return self._call(probe_here, sandbox, "opening the sandbox")

    def close(self, wait: bool = True) -> None:
        """End the workers; with ``wait=False`` at once, whatever they are doing."""
        if wait:
            self._executor.shutdown(cancel_futures=True)
        else:
            end_at_once(self._executor)
        self._ticks.put(None)
        self._drain.join(timeout=5)
        self._ticks.close()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close(wait=kind is None)

    def _call(self, function: Callable[[T], Returned], argument: T, what: str) -> Returned:
        for attempt in (1, 2):
            executor = self._executor
            try:
                return self._submit(executor, function, argument).result()
            except BrokenProcessPool as error:
                self._replace(executor)
                if attempt == 2:
                    raise WorkerDiedError(
                        f"a worker died twice on {what}; most often it ran out of memory: "
                        "lower dataset.workers or dataset.shard_size and run again (finished shards are kept)"
                    ) from error
        raise AssertionError("unreachable")

    def _submit(
        self, executor: ProcessPoolExecutor, function: Callable[[T], Returned], argument: T
    ) -> Future[Returned]:
        # Submitting starts processes: those of a stage's own thread would be killed when the stage is through.
        try:
            return call_in_lasting_thread(executor.submit, function, argument)
        except BrokenProcessPool:
            self._replace(executor)
            return call_in_lasting_thread(self._executor.submit, function, argument)

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.workers, mp_context=self._spawn, initializer=_start_worker, initargs=(self._ticks, os.getpid())
        )

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._executor is broken:
                broken.shutdown(wait=False)
                self._executor = self._start()

    def _forward_ticks(self) -> None:
        while (tick := self._ticks.get()) is not None:
            self._on_progress(*tick)


# --------------------------------------------------------------------------------------------- in the worker

_ticks: Any = None
_contexts: dict[str, tuple[Context, StagedShards]] = {}
_renderers: dict[str | None, MemoRenderer] = {}


def _start_worker(ticks: Any, parent: int) -> None:
    global _ticks
    _ticks = ticks
    tie_to_parent(parent)


def end_at_once(executor: ProcessPoolExecutor) -> None:
    """Forget the executor's jobs and end its processes, whatever they are doing."""
    processes = list((executor._processes or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()


def tie_to_parent(parent: int) -> None:
    """Leave Ctrl-C to the process ``parent``, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # SIGKILL, not SIGTERM: the sandbox below dies with this process (bubblewrap --die-with-parent).
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)


def _run_in_worker(job: StageJob) -> ShardResult:
    def tick(rows: int) -> None:
        if _ticks is not None:
            try:
                _ticks.put_nowait((job.stage, rows))
            except queue.Full:
                return  # progress is a courtesy; the next tick tells more

    return run_here(job, tick)


def run_here(job: StageJob, progress: Progress = lambda _: None) -> ShardResult:
    """Run ``job`` in this process, keeping its renderer, author and staged store for the next one."""
    author = f"{bool(job.contrasts)}\0{sorted(job.author.items())}"
    key = f"{job.dataset}\0{job.domain}\0{sorted(job.settings.items())}\0{author}\0{job.seed}"
    if key not in _contexts:
        _contexts[key] = (open_context(job), StagedShards(job.dataset))
    context, staged = _contexts[key]
    return run_job(job, context, staged, progress)


def probe_here(sandbox: str | None) -> str:
    """Open this process's sandbox at the level ``sandbox`` (None: the strongest that works) and return its level.

    Raises:
        renderers.sandbox.SandboxError: it cannot be had.
    """
    return _find_renderer(sandbox).level


def _find_renderer(sandbox: str | None) -> MemoRenderer:
    """This process's renderer: one for all domains, since starting one takes longer than a hundred pictures."""
    return _renderers.setdefault(sandbox, MemoRenderer(sandbox))


def close_here() -> None:
    """Close what `run_here` and `probe_here` keep open in this process."""
    for context, _ in _contexts.values():
        if context.llm is not None:
            context.llm.close()
    for renderer in _renderers.values():
        renderer.close()
    _contexts.clear()
    _renderers.clear()


def find_work_folder(dataset: str) -> Path:
    """Where this machine keeps what belongs to ``dataset`` and is no shard: answers of authors, indices."""
    return Path(dataset) / "work" if "://" not in dataset else Path(tempfile.gettempdir()) / "counterfoil"


def open_context(job: StageJob) -> Context:
    """The context for a job: validated settings, the sandbox (opened at first use) and the author."""
    domain = load_domain(job.domain)
    settings = domain.settings_type.model_validate(dict(job.settings))
    work = find_work_folder(job.dataset)
    author = AuthorSettings.model_validate(dict(job.author))
    asked = author.for_looking() if job.contrasts else author
    llm = None
    if asked is not None and asked.kind != "procedural":
        llm = open_author(asked, work=work, workers=job.workers, scope=job.dataset)
    renderer = _find_renderer(job.sandbox)
    return Context(settings=settings, seed=job.seed, renderer=renderer, llm=llm, scratch={"work_dir": work})
