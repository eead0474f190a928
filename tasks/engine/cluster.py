"""A Ray cluster's workers: they run stage jobs as `counterfoil.tasks.engine.workers` does on one machine.

Each shard is one Ray task, so that Ray places it, moves it from a node that dies and uses a node that joins. The run is
one Ray job: its worker processes live as long as it does and keep what they opened (sandbox, author, models) from stage
to stage. Nodes need this package, the dataset's place and the author's keys; they need no Prefect.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from counterfoil.tasks.encoders import HASHED
from counterfoil.tasks.engine.deadline import heed_overtime
from counterfoil.tasks.engine.prepare import find_preparation
from counterfoil.tasks.engine.process import probe_here, run_here
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.shards import ShardResult, StageJob
from counterfoil.tasks.engine.stopping import heed_cancel
from counterfoil.tasks.engine.workers import WorkerDiedError

ADDRESS = "RAY_ADDRESS"
RETRIES = 2
"""How often Ray runs a shard anew whose worker or node died."""
COUNT_EVERY_S = 2.0
OBJECTS_BYTES = 100 << 20
"""Memory for what passes between processes on a cluster that is started here: references and counts."""
RAY_PREFIX = "ray::"
T = TypeVar("T")
Returned = TypeVar("Returned")


class RayMissingError(Exception):
    """Ray is not installed, or its cluster cannot be reached. The message says which and what to do."""


class RayPool:
    """Runs jobs on the cluster at RAY_ADDRESS, or on one of this machine's that ends with the run."""

    def __init__(self, on_progress: Callable[[str, int], None] = lambda *_: None, workers: int = 0) -> None:
        """``workers`` bounds the CPUs of a cluster that is started here; 0: all cores.

        Raises:
            RayMissingError: Ray cannot be had.
        """
        self._on_progress = on_progress
        self._ray = _import_ray()
        self._begun = not self._ray.is_initialized()
        if self._begun:
            _connect(self._ray, workers)
        self._lock = threading.Lock()
        self._counted: tuple[float, dict[str, float]] = (-COUNT_EVERY_S, {})
        self._waiting: set[Any] = set()
        self._closed = False
        self._remote = self._ray.remote(max_retries=RETRIES, num_cpus=1)(_call_on_node)

    @property
    def workers(self) -> int:
        """CPUs of the cluster as it is now; nodes that joined count."""
        return max(1, int(self._count().get("CPU", 1)))

    def run(self, job: StageJob) -> ShardResult:
        """Run ``job`` somewhere in the cluster and wait for it.

        Raises:
            WorkerDiedError: its workers or nodes died, time and again.
            Exception: what `counterfoil.tasks.engine.runner.run_job` raised.
        """
        gpus = 1 if wants_gpu(job) and self._count().get("GPU", 0) >= 1 else 0
        # The author's limits are of the recipe: all of the cluster's processes share them.
        shared = replace(job, workers=self.workers)
        result = self.call(run_here, shared, f"{job.stage}, shard {job.index}", gpus)
        self._on_progress(job.stage, result.rows_in)
        return result

    def probe(self, sandbox: str | None) -> str:
        """Open the sandbox on one of the nodes and return its level.

        Raises:
            counterfoil.renderers.sandbox.SandboxError: the level cannot be had, or no level can.
        """
        return self.call(probe_here, sandbox, "opening the sandbox")

    def stop(self, grace_s: float) -> None:
        """Let each worker stop after the row under way and stage what its shard has; after ``grace_s`` end them all."""
        self._closed = True
        with self._lock:
            waiting = [*self._waiting]
        for reference in waiting:
            self._ray.cancel(reference)  # heard between two rows: `heed_cancel`
        if waiting:
            self._ray.wait(waiting, num_returns=len(waiting), timeout=grace_s)
        self._shut_down()

    def close(self, wait: bool = True) -> None:
        """Leave the cluster, and end it if it was started here; with ``wait=False`` whatever it is doing."""
        if not wait:
            self._closed = True
        self._shut_down()

    def _shut_down(self) -> None:
        if self._begun and self._ray.is_initialized():
            self._ray.shutdown()

    def call(self, function: Callable[[T], Returned], argument: T, what: str, gpus: int = 0) -> Returned:
        """Call ``function`` of a module somewhere in the cluster and wait; ``what`` names the work in errors.

        Raises:
            WorkerDiedError: its workers or nodes died, time and again.
            Exception: what the function raised.
        """
        from ray.exceptions import RayError, RayTaskError

        reference = self._remote.options(name=f"{RAY_PREFIX}{what}", num_gpus=gpus).remote(
            function, argument, str(Path.cwd())
        )
        with self._lock:
            self._waiting.add(reference)
        try:
            returned: Returned = self._ray.get(reference)
            return returned
        except RayTaskError as error:
            raise error.cause if isinstance(error.cause, Exception) else error from None
        except RayError as error:
            said = str(error).strip().splitlines() or [""]
            how = "the workers were ended during" if self._closed else f"{type(error).__name__} ({said[0]}) on"
            raise WorkerDiedError(
                f"{how} {what}; if a node ran out of memory lower dataset.shard_size, and run again "
                "(finished shards are kept)"
            ) from error
        finally:
            with self._lock:
                self._waiting.discard(reference)

    def _count(self) -> dict[str, float]:
        with self._lock:
            counted_at, found = self._counted
            if time.monotonic() - counted_at >= COUNT_EVERY_S:
                found = self._ray.cluster_resources()
                self._counted = (time.monotonic(), found)
            return found


def wants_gpu(job: StageJob) -> bool:
    """Whether the job runs a network that its settings name, and that a GPU makes faster."""
    domain = load_domain(job.domain)
    if job.kind in ("part", "gather"):
        preparation = find_preparation(domain, job.families)
        keys = preparation.networks if preparation is not None else ()
    elif job.kind == "contrasts":
        keys = tuple(key for name in job.families for key in domain.families[name].networks)
    else:
        keys = ()
    return any(job.settings.get(key) not in (None, "", HASHED) for key in keys)


def _call_on_node(function: Callable[[T], Returned], argument: T, folder: str) -> Returned:
    """In a worker: relative paths of the recipe are of the run's folder, where this node has it too."""
    heed_cancel()
    heed_overtime()
    if Path(folder).is_dir():
        os.chdir(folder)
    return function(argument)


def _import_ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # Nobody's notice that a later Ray will treat a variable otherwise is worth a line in every run.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        import ray
    except ImportError as error:
        raise RayMissingError(
            f'runner = "ray" needs Ray ({error}): pip install \'counterfoil[ray]\', or runner = "processes"'
        ) from None
    return ray


def _connect(ray: Any, workers: int) -> None:
    """Join the cluster at RAY_ADDRESS, or start one on this machine; nothing of either on our terminal."""
    address = os.environ.get(ADDRESS)
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
    try:
        if address:
            ray.init(address=address, **quiet)
        else:
            ray.init(
                num_cpus=workers or os.cpu_count(),
                include_dashboard=False,
                object_store_memory=OBJECTS_BYTES,
                **quiet,
            )
    except (ConnectionError, RuntimeError, ValueError) as error:
        said = str(error).strip().splitlines() or [""]
        raise RayMissingError(
            f"no Ray cluster at {ADDRESS}={address} ({said[0]}): correct it, or unset it to start one here"
        ) from error
