"""What a run would make and cost, from a few rows of its source that are really made, in a folder that is thrown away.

The rows are chosen at random while the source is counted, each is a shard of its own, and shards are run by the run's
own stages until a few seconds of CPU time are spent. The sums are then multiplied: they are estimates.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psutil
import pyarrow as pa

from counterfoil.storage.parquet import encode_table
from counterfoil.storage.rows import Reject
from counterfoil.storage.schemas import PARTITION_COLUMN
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.engine.jobs import DomainRun, Pipeline
from counterfoil.tasks.engine.process import close_here, run_here
from counterfoil.tasks.engine.registry import group_families, load_domain
from counterfoil.tasks.engine.shards import StageJob, settle

ROWS = 16
"""Source rows of a sample, at most."""
ANCHORS_S, FAMILY_S = 3.0, 1.5
"""CPU seconds after which no further shard of a sample is begun: of anchors, and of each group of families."""


@dataclass(frozen=True)
class Estimate:
    """What is to be expected of a domain's anchors or of a family; None for what a sample cannot tell."""

    name: str
    rows: int | None
    cpu_s: float | None
    bytes: int | None
    note: str = ""


def count_and_choose(rows: Iterable[SourceRow | Reject], seed: int) -> tuple[int, list[SourceRow]]:
    """How many rows can be read, and some of them, each as likely as any other (Vitter's algorithm R)."""
    chosen: list[SourceRow] = []
    draw, count = random.Random(seed), 0
    for row in rows:
        if not isinstance(row, SourceRow):
            continue
        count += 1
        if len(chosen) < ROWS:
            chosen.append(row)
        elif (place := draw.randrange(count)) < ROWS:
            chosen[place] = row
    draw.shuffle(chosen)
    return count, chosen


def estimate_domain(
    name: str,
    settings: Mapping[str, Any],
    families: Sequence[str],
    rows: int,
    chosen: Sequence[SourceRow],
    *,
    seed: int,
    author: Mapping[str, Any],
    sandbox: str | None = None,
    refine: bool = False,
) -> list[Estimate]:
    """The anchors, then each family, of a procedural author's run over ``rows`` rows like those ``chosen``.

    Raises:
        counterfoil.renderers.sandbox.SandboxError: no sandbox is available.
    """
    if not chosen:
        return []
    with tempfile.TemporaryDirectory(prefix="counterfoil-plan-") as folder:
        work = Pipeline(
            folder, {name: settings}, author, author, seed=seed, shard_size=1, refine=refine, sandbox=sandbox
        )
        try:
            return list(_estimate(work, name, families, rows, chosen))
        finally:
            close_here()


def _estimate(
    work: Pipeline, name: str, families: Sequence[str], rows: int, chosen: Sequence[SourceRow]
) -> Iterator[Estimate]:
    run, domain = DomainRun(name), load_domain(name)
    anchors = _Tally(work)
    jobs = list(work.anchor_jobs(name, None, run, chosen))
    anchors.run(jobs, ANCHORS_S)
    work.merge_anchors(name, anchors.results, run)
    run.anchors = [shard for shard in run.anchors if shard.rows]
    made = sum(shard.rows for shard in run.anchors)
    share = rows / len(anchors.results)
    whole = round(made * share)
    yield anchors.tell(name, share, {f"anchors/domain={name}": whole})
    if not made:
        return
    model = domain.settings_type.model_validate(dict(work.sections[name]))
    for group in group_families(domain, [*families]):
        yield from _estimate_group(work, name, group, run, whole, model)


def _estimate_group(
    work: Pipeline, name: str, group: Sequence[Family[Any]], run: DomainRun, anchors: int, model: Any
) -> Iterator[Estimate]:
    """The families that share a maker; what they need of the whole corpus is made of the sample, if it is soon made."""
    parts = work.part_jobs(name, group, run)
    prepared, once = "", _Tally(work)
    if parts:
        once.run(parts, FAMILY_S)
        counted = sum(not job.upstream for job in parts)
        if len(once.results) < len(parts):
            cpu_s = once.cpu_s * len(parts) / len(once.results)
            note = f"up to this many; the CPU time is of the {len(parts)} parts that are prepared first"
            for number, family in enumerate(group):
                most = family.count(model)
                most = None if most is None else most * anchors
                yield Estimate(family.name, most, None if number else cpu_s, None, note)
            return
        last = work.gather_job(parts)
        once.run([last], FAMILY_S)
        prepared = last.fingerprint
        grows = anchors / max(1, sum(shard.rows for shard in run.anchors))
        once.cpu_s *= 1 if counted == len(parts) else grows
    tally = _Tally(work)
    jobs = work.contrast_jobs(name, group, run, prepared)
    tally.run(jobs, FAMILY_S)
    used = sum(shard.rows for shard in run.anchors[: len(tally.results)])
    finished = settle(jobs[: len(tally.results)], tally.results)
    refining = work.refine_jobs(finished)
    if refining is not None:
        tally.sift([*refining.seen, refining.chosen], refining.sifted)
    share = anchors / max(1, used)
    for number, family in enumerate(group):
        key = f"contrasts/family={family.name}"
        told = tally.tell(family.name, share, {key: round(tally.accepted(family.name) * share)}, once.cpu_s)
        corpus = parts and any(job.upstream for job in parts)
        note = "chosen over the whole corpus: a sample has fewer to choose from" if corpus else ""
        # Families that are made together cost together: the first has it all.
        yield Estimate(told.name, told.rows, told.cpu_s if number == 0 else None, told.bytes, note)


class _Tally:
    """Jobs that were run, what they took and made."""

    def __init__(self, work: Pipeline) -> None:
        self.work = work
        self.results: list[Any] = []
        self.cpu_s = self.first_s = 0.0

    def run(self, jobs: Sequence[StageJob], most_s: float) -> None:
        """Run jobs until ``most_s`` CPU seconds are spent; one at least."""
        spent = 0.0
        for job in jobs:
            if self.results and spent >= most_s:
                return
            with _timed() as took:
                self.results.append(run_here(job))
            spent += took[0]
            self.cpu_s += took[0]
            self.first_s = self.first_s or took[0]

    def sift(self, before: Sequence[StageJob], jobs: Sequence[StageJob]) -> None:
        """Run what chooses among the finished rows; what it leaves are the rows."""
        with _timed() as took:
            for job in before:
                run_here(job)
            self.results = [run_here(job) for job in jobs]
        self.cpu_s += took[0]

    def accepted(self, family: str) -> int:
        return sum(result.accepted.get(family, 0) for result in self.results)

    def tell(self, name: str, share: float, rows: Mapping[str, int], once_s: float = 0.0) -> Estimate:
        """``share`` times the sample: its rows are ``rows`` by partition. The first shard also opens what all use, so
        its time is left out where there are others."""
        count = len(self.results)
        steady = (self.cpu_s - self.first_s) * count / (count - 1) if count > 1 else self.cpu_s
        size = sum(self._measure(key) for key in rows)
        return Estimate(name, sum(rows.values()), steady * share + once_s, round(size * share))

    def _measure(self, key: str) -> int:
        """Bytes of the rows under ``key`` as one Parquet file."""
        shards = [self.work.staged.find(result.fingerprint) for result in self.results]
        tables = [shard.read(key) for shard in shards if shard is not None and shard.rows(key)]
        column = PARTITION_COLUMN[key.partition("/")[0]]
        return len(encode_table(pa.concat_tables(tables).drop_columns([column]))) if tables else 0


@contextmanager
def _timed() -> Iterator[list[float]]:
    """CPU seconds of this process and those below it, the sandbox's and the renderers'."""
    took, before = [0.0], _sum_cpu()
    yield took
    took[0] = max(0.0, _sum_cpu() - before)


def _sum_cpu() -> float:
    own = psutil.Process()
    total = 0.0
    for process in [own, *own.children(recursive=True)]:
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue  # it ended as we looked
        total += times.user + times.system
    return total + float(own.cpu_times().children_user + own.cpu_times().children_system)
