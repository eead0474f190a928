"""What one process keeps from job to job: its sandbox, its author, what was prepared, the staged store."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from counterfoil.renderers.memory import collect_rarely, keep_freed_memory
from counterfoil.storage.identity import make_identity
from counterfoil.storage.staged import StagedShards
from counterfoil.storage.store import Store
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.prepare import find_preparation, open_prepared
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.resuming import Progress
from counterfoil.tasks.engine.runner import run_job
from counterfoil.tasks.engine.shards import ShardResult, StageJob
from counterfoil.tasks.llm import open_author
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.showing.logs import logging_of

_contexts: dict[str, Context[Any]] = {}
_shared: dict[str, int] = {}
"""Context to how many processes its author shares the recipe's limits with."""
_staged: dict[str, StagedShards] = {}
_renderers: dict[str | None, MemoRenderer] = {}


def run_here(job: StageJob, progress: Progress = lambda _: None) -> ShardResult:
    """Run ``job`` in this process, keeping what it opens for the next one."""
    staged = _staged.setdefault(job.dataset, StagedShards(job.dataset))
    with logging_of(run=job.run, dataset=job.dataset, stage=job.stage, families=[*job.families], shard=job.index):
        return run_job(job, _find_context(job, staged), staged, progress)


def _find_context(job: StageJob, staged: StagedShards) -> Context[Any]:
    author = f"{job.kind == 'looks'}\0{sorted(job.author.items())}"
    key = f"{job.dataset}\0{job.domain}\0{sorted(job.settings.items())}\0{author}\0{job.seed}"
    if key in _contexts and _contexts[key].llm is not None and _shared.get(key) != job.workers:
        _forget(key)  # a cluster grew or shrank: the author's limits are shared anew
    if key not in _contexts:
        _shared[key] = job.workers
        _contexts[key] = open_context(job)
    if not job.prepared:
        return _contexts[key]
    ready = f"{key}\0{job.prepared}"
    if ready not in _contexts:
        preparation = find_preparation(load_domain(job.domain), job.families)
        assert preparation is not None
        _contexts[ready] = open_prepared(preparation, job.prepared, staged, _contexts[key])
    return _contexts[ready]


def _forget(key: str) -> None:
    """Close a context's author, and forget the contexts that ask it."""
    author = _contexts[key].llm
    if author is not None:
        author.close()
    for each in [each for each in _contexts if each == key or each.startswith(f"{key}\0")]:
        del _contexts[each]


def probe_here(sandbox: str | None) -> str:
    """Open this process's sandbox at the level ``sandbox`` (None: the strongest that works) and return its level.

    Raises:
        counterfoil.renderers.sandbox.SandboxError: it cannot be had.
    """
    return _find_renderer(sandbox).level


def _find_renderer(sandbox: str | None) -> MemoRenderer:
    """This process's renderer: one for all domains, since starting one takes longer than a hundred pictures."""
    return _renderers.setdefault(sandbox, MemoRenderer(sandbox))


def close_here() -> None:
    """Close what `run_here` and `probe_here` keep open in this process."""
    for context in _contexts.values():
        if context.llm is not None:
            context.llm.close()
    for renderer in _renderers.values():
        renderer.close()
    _contexts.clear()
    _shared.clear()
    _staged.clear()
    _renderers.clear()


def find_work_folder(dataset: str) -> Path:
    """Where this machine keeps what belongs to ``dataset`` and can be made again, as indices can."""
    return Path(dataset) / "work" if "://" not in dataset else Path(tempfile.gettempdir()) / "counterfoil"


def find_answers_folder(dataset: str) -> Path | None:
    """The folder beside ``dataset`` where an author's answers last; None where it lies in an object store."""
    return find_work_folder(dataset) if "://" not in dataset else None


def open_context(job: StageJob) -> Context[Any]:
    """The context for a job: validated settings, the sandbox (opened at first use) and the author."""
    keep_freed_memory()
    domain = load_domain(job.domain)
    settings = domain.settings_type.model_validate(dict(job.settings))
    author = AuthorSettings.model_validate(dict(job.author))
    asked = author.for_looking() if job.kind == "looks" else author
    llm = None
    if asked is not None and asked.kind != "procedural":
        work, scope = find_answers_folder(job.dataset), make_identity(Store(job.dataset))
        llm = open_author(asked, work=work, workers=job.workers, scope=scope, apart=True)
    renderer = _find_renderer(job.sandbox)
    collect_rarely()
    return Context(settings, job.seed, renderer, llm, bounds=domain.bounds, code_version=job.code_version)
