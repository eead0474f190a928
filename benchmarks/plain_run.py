"""The stages of a recipe called directly, without Prefect: what orchestration is measured against.

python -m benchmarks.plain_run RECIPE
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from flows.planning.recipe import load_recipe
from storage.dataset import Dataset, Published
from tasks.engine.jobs import DomainRun, Pipeline
from tasks.engine.process import close_here, run_here
from tasks.engine.registry import group_families, load_domain
from tasks.engine.shards import ShardResult, StageJob, settle
from tasks.engine.workers import WorkerPool


def run_plainly(recipe: Path | str, here: bool = False) -> Published:
    """Make and publish what ``recipe`` describes, on its own number of workers, or in this process alone."""
    checked = load_recipe(recipe)
    dataset = Dataset(checked.dataset.path)
    began = dataset.begin()
    work = Pipeline(
        checked.dataset.path,
        {name: checked.settings(name) for name in checked.domains},
        checked.author.model_dump(mode="json"),
        checked.author.identity(),
        seed=checked.dataset.seed,
        shard_size=checked.dataset.shard_size,
    )
    replacements: dict[str, list[str]] = {}
    with _open_runner(checked.dataset.workers, here) as run_all:
        for name in checked.domains:
            run = DomainRun(name)
            work.merge_anchors(name, run_all(work.anchor_jobs(name, None, run)), run)
            for group in group_families(load_domain(name), checked.families(name)):
                prepared = ""
                if parts := work.part_jobs(name, group, run):
                    run_all(parts)
                    prepared = run_all([work.gather_job(parts)])[0].fingerprint
                jobs = work.contrast_jobs(name, group, run, prepared)
                work.finish_contrasts(settle(jobs, run_all(jobs)), run)
            replacements |= run.list_partitions(anchors=True)
    return dataset.publish(replacements, metadata={"recipe": checked.dump()}, expect=began)


@contextmanager
def _open_runner(workers: int, here: bool) -> Iterator[Callable[[Iterable[StageJob]], list[ShardResult]]]:
    if here:
        yield lambda jobs: [run_here(job) for job in jobs]
        close_here()
        return
    with WorkerPool(workers) as pool, ThreadPoolExecutor(pool.workers + 1) as threads:
        yield lambda jobs: list(threads.map(pool.run, list(jobs)))


if __name__ == "__main__":
    print(run_plainly(sys.argv[1], "--here" in sys.argv).rows)
