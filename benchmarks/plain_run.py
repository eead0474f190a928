"""A run in one process, without worker processes: for tests that compare bytes, and for profiles.

python -m benchmarks.plain_run RECIPE [--here]
"""

from __future__ import annotations

import sys
from pathlib import Path

from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.storage.dataset import Published
from counterfoil.tasks.engine.losing import guard_run
from counterfoil.tasks.engine.night import Calls, begin_making, make_dataset, make_stages
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.process import close_here, probe_here, run_here
from counterfoil.tasks.engine.publishing import finish_run
from counterfoil.tasks.engine.session import open_session
from counterfoil.tasks.engine.shards import ShardResult, StageJob


class HerePool:
    """This process in place of workers."""

    workers = 1

    def run(self, job: StageJob) -> ShardResult:
        return run_here(job)

    def probe(self, sandbox: str | None) -> str:
        return probe_here(sandbox)

    def stop(self, grace_s: float) -> None:
        """Nothing is under way beside us."""

    def close(self, wait: bool = True) -> None:  # noqa: ARG002 - the form of a pool
        close_here()


def run_plainly(recipe: Path | str, here: bool = False) -> Published:
    """Make and publish what ``recipe`` describes, on its own number of workers, or in this process alone."""
    checked = load_recipe(recipe)
    if not here:
        return make_dataset(checked, Observer(), "plain").published
    with open_session(checked, Observer(), "here") as session:
        session.pool = HerePool()
        begin_making(session, None)
        failed = make_stages(session, None, Calls(side_by_side=False))
        return finish_run(session, failed, guard_run(session), anchors=True).published


if __name__ == "__main__":
    print(run_plainly(sys.argv[1], "--here" in sys.argv).rows)
