"""Worker processes on one machine: they run stage jobs, report progress, and never outlive the run.

Workers are not forked from the run, which has threads. On Linux they are forked from a process of its own that has
imported the domains (`tasks.engine.forking`), so that this is done once and not by each of them; elsewhere they are
spawned. They ask the kernel to end them when that process dies, as it does when the run dies, so that ``kill -9`` of a
run leaves no work behind; a worker's courier (`tasks.llm.courier`) alone waits for the answers that are on the wire.
"""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from types import TracebackType
from typing import Any, TypeVar

from counterfoil.renderers.lasting import call_in_lasting_thread
from counterfoil.renderers.memory import COLLECTED
from counterfoil.tasks.engine.deadline import heed_overtime
from counterfoil.tasks.engine.forking import SERVER, end_with_parent
from counterfoil.tasks.engine.process import probe_here, run_here
from counterfoil.tasks.engine.registry import DOMAIN_MODULES
from counterfoil.tasks.engine.shards import ShardResult, StageJob
from counterfoil.tasks.engine.stopping import heed_stop
from counterfoil.tasks.packages import spare_pandas
from counterfoil.tasks.showing.logs import show_logs

_SILENT = "ignore:resource_tracker"
T = TypeVar("T")
Returned = TypeVar("Returned")


class WorkerDiedError(Exception):
    """A worker process died on a job (often out of memory), and again when the job was tried once more."""

    fatal = True


def _quieten_tracker() -> None:
    """Python's process that clears up after processes that were ended warns of what is gone already. It outlives a run
    that Ctrl-C ends, and the run's own last line would not be the last."""
    if _SILENT not in sys.warnoptions:
        sys.warnoptions.append(_SILENT)


class WorkerPool:
    """Runs jobs in ``workers`` processes. A worker that dies is replaced and its jobs are tried once more."""

    def __init__(
        self,
        workers: int,
        on_progress: Callable[[str, int], None] = lambda *_: None,
        domains: Sequence[str] = (),
    ) -> None:
        """``domains``: whose rows the workers will make, as far as that is known."""
        self.workers = workers or os.cpu_count() or 1
        _quieten_tracker()
        self._forked = sys.platform == "linux"
        self._context = multiprocessing.get_context("forkserver" if self._forked else "spawn")
        self._context.set_forkserver_preload(list_imported(domains))
        if self._forked:
            atexit.unregister(_end_server)
            atexit.register(_end_server)
        self._ticks: Any = self._context.Queue()
        self._lock = threading.RLock()  # no worker starts, nor is an executor shut down, but by who holds it
        self._free = threading.Semaphore(self.workers)
        self._closed = self._ended = False
        self._on_progress = on_progress
        self._executor = self._start()
        self._drain = threading.Thread(target=self._forward_ticks, daemon=True, name="progress")
        self._drain.start()

    def run(self, job: StageJob) -> ShardResult:
        """Run ``job`` in a worker and wait for it, and before until one is free: a worker that dies takes those jobs
        along that were handed to the others, but none that wait.

        Raises:
            WorkerDiedError: the worker died twice.
            Exception: what `counterfoil.tasks.engine.runner.run_job` raised.
        """
        with self._free:
            return self.call(_run_in_worker, job, f"{job.stage}, shard {job.index}")

    def probe(self, sandbox: str | None) -> str:
        """Open the sandbox in a worker, which keeps it for the jobs to come, and return its level.

        Raises:
            WorkerDiedError: the worker died twice.
            counterfoil.renderers.sandbox.SandboxError: the level cannot be had, or no level can.
        """
        return self.call(probe_here, sandbox, "opening the sandbox")

    def map(self, function: Callable[[T], Returned], arguments: Iterable[T], what: str) -> Generator[Returned]:
        """Call ``function`` for each argument, in as many workers, and yield in order. Who stops reading closes it.

        Raises:
            WorkerDiedError: a worker died twice on one of them.
            Exception: what the function raised; the workers are then ended at once.
        """
        with ThreadPoolExecutor(self.workers + 1) as threads:
            futures = [threads.submit(self.call, function, argument, what) for argument in arguments]
            try:
                for future in futures:
                    yield future.result()
            except BaseException:
                # The threads wait for the workers: these go first.
                threads.shutdown(wait=False, cancel_futures=True)
                self.close(wait=False)
                raise

    def stop(self, grace_s: float) -> None:
        """Let each worker stop after the row under way and stage what its shard has; after ``grace_s`` end them all.

        May be called from any thread while `run` waits in others, which then raises what the worker or its end raised.
        """
        with self._lock:
            self._closed = True
            processes = list((self._executor._processes or {}).values())
            manager = self._executor._executor_manager_thread
            for process in processes:
                process.terminate()  # heard between two rows: `heed_stop`
            self._executor.shutdown(wait=False, cancel_futures=True)
        deadline = time.monotonic() + grace_s
        for process in processes:
            process.join(max(0.0, deadline - time.monotonic()))
            process.kill()
        _await_manager(manager)

    def close(self, wait: bool = True) -> None:
        """End the workers; with ``wait=False`` at once, whatever they are doing. May be called again."""
        if wait:
            self._closed = True
            self._executor.shutdown(cancel_futures=True)
        else:
            with self._lock:
                self._closed = True
                manager = self._executor._executor_manager_thread
                _end_at_once(self._executor)
            _await_manager(manager)
        if self._ended:
            return
        self._ended = True
        self._ticks.put(None)
        self._drain.join(timeout=5)
        self._ticks.close()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close(wait=kind is None)

    def call(self, function: Callable[[T], Returned], argument: T, what: str) -> Returned:
        """Call ``function`` of a module in a worker and wait; ``what`` names the work in errors.

        Raises:
            WorkerDiedError: the worker died twice.
            Exception: what the function raised.
        """
        for attempt in (1, 2):
            executor = self._executor
            try:
                return self._submit(executor, function, argument, what).result()
            except BrokenProcessPool as error:
                if self._closed:
                    raise WorkerDiedError(f"the workers were ended during {what}") from error
                self._replace(executor)
                if attempt == 2:
                    raise WorkerDiedError(
                        f"a worker died twice on {what}; most often it ran out of memory: "
                        "lower dataset.workers or dataset.shard_size and run again (finished shards are kept); "
                        "where lines above name one row's code, it hung there, and that code needs mending"
                    ) from error
        raise AssertionError("unreachable")

    def _submit(
        self, executor: ProcessPoolExecutor, function: Callable[[T], Returned], argument: T, what: str
    ) -> Future[Returned]:
        def submit() -> Future[Returned]:
            with self._lock:
                if self._closed:  # a worker that starts now finds nobody when it has
                    raise WorkerDiedError(f"the workers were ended before {what}")
                return self._executor.submit(function, argument)

        # Submitting starts processes: those of a stage's own thread would be killed when the stage is through.
        try:
            return call_in_lasting_thread(submit)
        except BrokenProcessPool:
            self._replace(executor)
            return call_in_lasting_thread(submit)

    def _start(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(
            self.workers,
            mp_context=self._context,
            initializer=_start_worker,
            initargs=(self._ticks, dict(os.environ), 0 if self._forked else os.getpid()),
        )

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        with self._lock:
            if self._executor is broken:
                broken.shutdown(wait=False)
                self._executor = self._start()

    def _forward_ticks(self) -> None:
        while (tick := self._ticks.get()) is not None:
            self._on_progress(*tick)


def _end_server() -> None:
    """End the process that workers were forked from and wait for it, so that who times this one sees their CPU, too.

    Nothing public does so; it would end by itself once this process is gone, and its time with it.
    """
    from multiprocessing import forkserver

    with suppress(ChildProcessError):  # a fork of the process that began it has no such child
        forkserver._forkserver._stop()  # type: ignore[attr-defined]


def list_imported(domains: Sequence[str]) -> list[str]:
    """The modules that workers of these domains need: those of our own domains, and what each warms up by, if it does.
    Another package's domain is imported by the workers, as nobody knows what it starts."""
    modules = [DOMAIN_MODULES[name] for name in domains if name in DOMAIN_MODULES]
    warm = [f"{module.rpartition('.')[0]}.warm" for module in modules]
    return ["counterfoil.tasks.engine.forking", __name__, *modules, *warm]


_ticks: Any = None
"""In a worker: where it reports progress."""


def _start_worker(ticks: Any, environment: Mapping[str, str], parent: int) -> None:
    global _ticks
    _ticks = ticks
    tie_to_parent(parent or SERVER or os.getppid())
    os.environ.clear()
    os.environ.update(environment)  # the run's, which may have another than when the first workers began
    gc.freeze()
    gc.set_threshold(*COLLECTED)  # what a job imports first stays, as it all does
    gc.enable()
    show_logs()
    heed_stop()
    spare_pandas()
    heed_overtime()


def _run_in_worker(job: StageJob) -> ShardResult:
    def tick(rows: int) -> None:
        if _ticks is not None:
            try:
                _ticks.put_nowait((job.stage, rows))
            except queue.Full:
                return  # progress is a courtesy; the next tick tells more

    return run_here(job, tick)


def _end_at_once(executor: ProcessPoolExecutor) -> None:
    """Forget the executor's jobs and end its processes, whatever they are doing."""
    processes = list((executor._processes or {}).values())
    executor.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()


def _await_manager(manager: Any) -> None:
    """Wait for the thread of an executor whose processes were killed: the interpreter, as it ends, would wake it by a
    pipe that it is just closing."""
    if manager is not None:
        manager.join(timeout=5)


def tie_to_parent(parent: int) -> None:
    """Leave Ctrl-C to the process ``parent``, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    if sys.platform == "linux" and os.getppid() != parent:
        os._exit(1)
