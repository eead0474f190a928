"""Which jobs a recipe needs, in which order: what a run is made of.

`Pipeline` turns a recipe's section into jobs, follows one stage's shards to the next stage's jobs, and gathers the
finished shards for one publish. It runs nothing itself, so the same jobs run in a loop, on Ray, or under Prefect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from typing import Any

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.rows import Reject, fingerprint
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.engine.fingerprints import (
    RUNNER_VERSION,
    fingerprint_anchors,
    fingerprint_contrasts,
    fingerprint_gate,
    fingerprint_part,
    fingerprint_prepared,
)
from counterfoil.tasks.engine.history import find_code_version
from counterfoil.tasks.engine.merging import AnchorShard, merge_shards
from counterfoil.tasks.engine.prepare import find_preparation
from counterfoil.tasks.engine.recall import note_shards, recall_shards
from counterfoil.tasks.engine.refine import (
    count_wanted,
    fingerprint_chosen,
    fingerprint_seen,
    fingerprint_sifted,
    list_fluency,
    list_quotas,
)
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.shards import Kind, ShardResult, StageJob, Totals
from counterfoil.tasks.engine.sources import SourceShard, stage_sources
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.looks.stage import fingerprint_looks, sum_looks


@dataclass
class DomainRun:
    """What one domain's part of a run has made so far, in shard order."""

    domain: str
    sources: list[SourceShard] = field(default_factory=list)
    anchors: list[AnchorShard] = field(default_factory=list)
    contrasts: dict[str, list[str]] = field(default_factory=dict)
    """Family to the fingerprints of its finished shards."""
    looks: dict[str, dict[str, int]] = field(default_factory=dict)
    """Family to how the model that looks agrees with us (`counterfoil.tasks.looks.stage`)."""

    def list_partitions(self, anchors: bool) -> dict[str, list[str]]:
        """Fingerprints of the shards of each partition that this run replaces; without ``anchors``, its families'."""
        partitions: dict[str, list[str]] = {}
        if anchors:
            partitions[f"anchors/domain={self.domain}"] = [shard.fingerprint for shard in self.anchors]
            rejects = [shard.fingerprint for shard in self.sources] + [shard.made_by for shard in self.anchors]
            partitions[f"rejects/family={self.domain}.anchor"] = rejects
        for family, shards in self.contrasts.items():
            partitions[f"contrasts/family={family}"] = shards
            partitions[f"rejects/family={family}"] = shards
        return partitions


@dataclass(frozen=True)
class Refining:
    """The jobs of a refinement, to be run one list after the other."""

    seen: list[StageJob]
    chosen: StageJob
    sifted: list[StageJob]
    """They stand for the jobs whose contrasts they sift."""


class Pipeline:
    """The jobs of one recipe on one dataset."""

    def __init__(
        self,
        dataset: str,
        sections: Mapping[str, Mapping[str, Any]],
        author: Mapping[str, Any],
        identity: Mapping[str, Any],
        *,
        seed: int,
        shard_size: int | None,
        refine: bool = False,
        sandbox: str | None = None,
        workers: int = 1,
        run: str = "",
    ) -> None:
        """``author`` is the whole [author] section for the workers, ``identity`` what of it decides content; without
        ``shard_size`` each domain's own counts."""
        self.dataset = dataset
        self.sections = sections
        self.author = author
        self.identity = identity
        self.seed = seed
        self.shard_size = shard_size
        self.refine = refine
        self.sandbox = sandbox
        self.workers = workers
        self.run = run
        self.staged = StagedShards(dataset)

    def anchor_jobs(
        self,
        name: str,
        limit: int | None,
        run: DomainRun,
        given: Iterable[SourceRow | Reject] | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> Iterable[StageJob]:
        """Stage the sources of a domain, or the rows ``given`` for them, and yield one job for each shard of them.
        ``tell`` hears what the source's reader remarks.

        Raises:
            counterfoil.tasks.contract.domain.SourceError: the source cannot be read.
        """
        domain = load_domain(name)
        section = self.sections[name]
        settings = domain.settings_type.model_validate(dict(section))
        size = self.shard_size or domain.shard_size
        for shard in stage_sources(domain, settings, self.seed, limit, size, self.staged, given, tell):
            run.sources.append(shard)
            key = fingerprint_anchors(domain, section, self.identity, self.seed, shard.fingerprint)
            yield self._job("anchors", name, f"{name}.anchors", key, shard.index, (shard.fingerprint,))

    def finish_anchors(
        self, name: str, results: Sequence[ShardResult], totals: Totals, run: DomainRun
    ) -> tuple[str, int]:
        """Merge the finished shards and complete ``totals``; what became of the source, in words, and how many merged.

        Rows that could not be read are counted beside those that became no anchor.
        """
        for source in run.sources:
            totals.add_rejected(source.rejected)
        unread = sum(sum(codes.values()) for source in run.sources for codes in source.rejected.values())
        told = load_domain(name).describe_yield(
            totals.rows_in + unread, totals.accepted[name], totals.rejected.get(f"{name}.anchor", {})
        )
        self.merge_anchors(name, results, run)
        merged = sum(shard.merged for shard in run.anchors)
        totals.accepted[name] -= merged
        return told, merged

    def merge_anchors(self, name: str, results: Sequence[ShardResult], run: DomainRun) -> None:
        """`counterfoil.tasks.engine.merging.merge_shards` of what the anchors stage made, unless that is noted."""
        made = [each.fingerprint for each in sorted(results, key=lambda each: each.index)]
        key = fingerprint("merged", RUNNER_VERSION, name, made)
        merged = [AnchorShard(*each) for each in recall_shards(self.staged, key) or ()]
        if not merged or not all(
            self.staged.find_all(each.fingerprint for each in merged if each.made_by != each.fingerprint)
        ):
            merged = [*merge_shards(self.staged, name, results)]
            note_shards(self.staged, key, [astuple(each) for each in merged])
        run.anchors.extend(merged)

    def published_anchors(self, name: str, run: DomainRun) -> None:
        """Take the anchors that the dataset has, for `regenerate`.

        Raises:
            StorageError: the dataset has no anchors of this domain.
        """
        for key, rows in Dataset(self.dataset).shards("anchors", name):
            run.anchors.append(AnchorShard(key, key, rows))
        if not run.anchors:
            raise StorageError(f"{self.dataset} has no {name} anchors: make them with `counterfoil run` first")

    def part_jobs(self, name: str, group: Sequence[Family[Any]], run: DomainRun) -> list[StageJob]:
        """A job for each part of what ``group`` needs of the whole corpus; none where it needs nothing."""
        names = tuple(family.name for family in group)
        preparation = find_preparation(load_domain(name), names)
        if preparation is None:
            return []
        section = self.sections[name]
        settings = load_domain(name).settings_type.model_validate(dict(section))
        rows = sum(shard.rows for shard in run.anchors)
        shards = [""] * (preparation.count_parts(settings, rows) if preparation.count_parts else 0)
        if preparation.count_parts is None or preparation.reads_anchors:
            shards += [shard.fingerprint for shard in run.anchors]
        return [
            self._job(
                "part",
                name,
                preparation.name,
                fingerprint_part(preparation, section, self.seed, index, shard),
                index,
                (shard,) if shard else (),
                families=names,
            )
            for index, shard in enumerate(shards)
        ]

    def gather_job(self, parts: Sequence[StageJob]) -> StageJob:
        """The last step of a preparation, over its finished ``parts``."""
        first = parts[0]
        preparation = find_preparation(load_domain(first.domain), first.families)
        assert preparation is not None
        keys = tuple(job.fingerprint for job in parts)
        key = fingerprint_prepared(preparation, self.sections[first.domain], self.seed, keys)
        return self._job("gather", first.domain, f"{preparation.name}.gather", key, 0, keys, families=first.families)

    def contrast_jobs(
        self, name: str, group: Sequence[Family[Any]], run: DomainRun, prepared: str = ""
    ) -> list[StageJob]:
        """One job for each shard of anchors, for families that share a maker."""
        section = self.sections[name]
        names = tuple(family.name for family in group)
        return [
            self._job(
                "contrasts",
                name,
                "+".join(names),
                fingerprint_contrasts(group, section, self.identity, self.seed, shard.fingerprint, prepared),
                index,
                (shard.fingerprint,),
                families=names,
                prepared=prepared,
            )
            for index, shard in enumerate(run.anchors)
        ]

    def refine_jobs(self, jobs: Sequence[StageJob]) -> Refining | None:
        """What drops the telling negatives of the finished ``jobs``, spare ones first.

        None where the recipe asks for no refinement and nothing is spare, and for positives.
        """
        domain = load_domain(jobs[0].domain) if jobs else None
        group = [domain.families[name] for name in jobs[0].families] if domain else []
        if domain is None or all(family.role != "negative" for family in group):
            return None
        settings = domain.settings_type.model_validate(dict(jobs[0].settings))
        wanted = count_wanted(group, settings, self.author)
        if wanted is None and not self.refine:
            return None
        seen = [
            replace(
                job,
                kind="seen",
                stage=f"{job.stage}.seen",
                contrasts=job.fingerprint,
                prepared="",
                refine=self.refine,
                fingerprint=fingerprint_seen(job.families, job.fingerprint, self.refine),
            )
            for job in jobs
        ]
        keys = tuple(job.fingerprint for job in seen)
        first = jobs[0]
        key = fingerprint_chosen(
            self.seed, keys, wanted, self.refine, list_quotas(group, settings), list_fluency(group, settings)
        )
        chosen = self._job("chosen", first.domain, f"{first.stage}.chosen", key, 0, keys, families=first.families)
        chosen = replace(chosen, refine=self.refine)
        sifted = [
            replace(
                job,
                kind="sifted",
                stage=f"{job.stage}.sifted",
                contrasts=job.fingerprint,
                chosen=key,
                prepared="",
                fingerprint=fingerprint_sifted(job.fingerprint, key),
            )
            for job in jobs
        ]
        return Refining(seen, chosen, sifted)

    def finish_contrasts(self, jobs: Sequence[StageJob], run: DomainRun) -> None:
        """Note the finished shards of a group of families for the publish."""
        for name in jobs[0].families if jobs else ():
            run.contrasts[name] = [job.fingerprint for job in sorted(jobs, key=lambda each: each.index)]

    def look_jobs(self, jobs: Sequence[StageJob]) -> list[StageJob]:
        """A job for each finished job of contrasts that a model looks at; none where the recipe names no such model."""
        look = AuthorSettings.model_validate(dict(self.author)).identify_look()
        families = load_domain(jobs[0].domain).families if jobs else {}
        if look is None or not any(families[name].looked_at for job in jobs[:1] for name in job.families):
            return []
        return [
            replace(
                job,
                kind="looks",
                stage=f"{job.stage}.look",
                contrasts=job.fingerprint,
                fingerprint=fingerprint_looks(job.families, look, self.seed, job.fingerprint),
            )
            for job in jobs
        ]

    def finish_looks(self, jobs: Sequence[StageJob], run: DomainRun) -> dict[str, dict[str, int]]:
        """Sum up what was said of the finished ``jobs``, by family."""
        shards = [self.staged.peek(job.fingerprint) for job in jobs]
        summed = sum_looks(shard.meta["looks"] for shard in shards if shard is not None)
        run.looks |= summed
        return summed

    def gate_job(self, family: str, run: DomainRun, language_model: str = "") -> StageJob:
        """The job that lets blind judges see a family of finished contrasts, a language model among them if named."""
        anchors, made = tuple(shard.fingerprint for shard in run.anchors), tuple(run.contrasts[family])
        key = fingerprint_gate(family, anchors, made, language_model)
        job = self._job("gate", run.domain, "gate", key, 0, anchors, families=(family,))
        return replace(job, gated=made, language_model=language_model)

    def _job(
        self,
        kind: Kind,
        name: str,
        stage: str,
        key: str,
        index: int,
        upstream: tuple[str, ...],
        *,
        families: tuple[str, ...] = (),
        prepared: str = "",
    ) -> StageJob:
        return StageJob(
            kind=kind,
            dataset=self.dataset,
            domain=name,
            stage=stage,
            settings=self.sections[name],
            author=self.author,
            seed=self.seed,
            fingerprint=key,
            index=index,
            upstream=upstream,
            families=families,
            prepared=prepared,
            sandbox=self.sandbox,
            workers=self.workers,
            run=self.run,
            code_version=find_code_version(),
        )
