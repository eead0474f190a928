"""`counterfoil verify`: every row of every table checked again, from the stored bytes alone.

Each row goes through its domain's verifier, which re-renders code, measures drawings and parses texts; the tables'
own promises (ids, ranks, references) are checked beside them (`tasks.audit.survey`). Nothing of the run that made the
rows is used but its settings. What cannot be read or checked is told, by file or row, and the others are checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from random import SystemRandom
from typing import Any

from pydantic import ValidationError

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.logs import has_table
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.storage.schemas import TABLES
from counterfoil.storage.store import Store
from counterfoil.tasks.audit.counting import find_miscounted
from counterfoil.tasks.audit.derived import (
    Origin,
    find_origin,
    find_unsaid,
    judge_anchor_fields,
    judge_contrast_fields,
)
from counterfoil.tasks.audit.hashes import check_hashes
from counterfoil.tasks.audit.mined import Mined, Own, find_disordered, find_strange, list_mined, own_anchor
from counterfoil.tasks.audit.places import read_places
from counterfoil.tasks.audit.regrown import Regrower
from counterfoil.tasks.audit.rejected import find_misrejected
from counterfoil.tasks.audit.survey import Chunk, Failure, Rows, survey, survey_logs, word_error
from counterfoil.tasks.audit.ties import Tie, find_torn, tie_anchor
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.verdict import Verdict
from counterfoil.tasks.engine.deadline import OvertimeError, limited_time
from counterfoil.tasks.engine.history import find_run
from counterfoil.tasks.engine.offers import judge_contrast, judge_row, judge_verdict
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import reason_code
from counterfoil.tasks.engine.workers import WorkerDiedError, WorkerPool
from counterfoil.tasks.packages import explained

ROWS = "rows"
"""The name of the bar."""
_DRAWING = SystemRandom()
"""No seed: whoever changes rows must not know which are looked at."""


@dataclass
class Verification:
    """What was checked and what failed."""

    rows: int = 0
    failures: list[Failure] = field(default_factory=list)
    by_code: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Task:
    """A chunk for a worker, with what the verifiers need of the run that made it."""

    url: str
    versions: Mapping[str, int]
    settings: Mapping[str, Any]
    seed: int
    origin: Origin
    chunk: Chunk
    older: frozenset[str] = frozenset()
    """Paths of the files that lack a column: there null says nothing."""
    digests: bool = False


@dataclass
class Checked:
    """What came of a chunk."""

    failures: list[Failure] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    owns: list[Own] = field(default_factory=list)
    mined: list[Mined] = field(default_factory=list)

    def add(self, other: Checked) -> None:
        """What of another's is weighed when all is known."""
        self.ties += other.ties
        self.owns += other.owns
        self.mined += other.mined


def verify_dataset(
    url: str,
    *,
    workers: int = 0,
    hashes: bool = False,
    rows: bool = True,
    sample: float = 1.0,
    on_start: Callable[[str, int], None] = lambda *_: None,
    on_rows: Callable[[str, int], None] = lambda *_: None,
) -> Verification:
    """Check all rows, in parallel. ``on_start`` hears how many there are, ``on_rows`` how many were checked since.

    With ``hashes`` the files' bytes are looked at first, and the rows' digests with them; without ``rows`` the bytes
    alone are. Of a ``sample`` each chunk of anchors, with their contrasts, is drawn with this chance, anew each time.

    Raises:
        StorageError: the dataset's logs cannot be read, or no run made it.
        MissingPackageError: a verifier needs a package that is not installed.
    """
    dataset = Dataset(url)
    if not any(has_table(dataset.store, table) for table in TABLES):
        raise StorageError(f"{url} holds no dataset: make one with `counterfoil run RECIPE`")
    snapshot = dataset.snapshot()
    result = Verification()
    unfinished = dataset.unfinished()
    if unfinished:
        result.failures.append(Failure("dataset", url, (f"unfinished: {unfinished}",)))
    if hashes:
        torn, whole = survey_logs(snapshot)
        if not rows:
            result.failures += torn
            result.rows = whole.count_rows()
            on_start(ROWS, result.rows)
        result.failures += check_hashes(dataset, whole, (lambda _: None) if rows else partial(on_rows, ROWS))
    if not rows:
        return _sum_up(result)
    return _verify_rows(dataset, snapshot, result, workers, hashes, sample, on_start, on_rows)


def _verify_rows(
    dataset: Dataset,
    snapshot: Snapshot,
    result: Verification,
    workers: int,
    digests: bool,
    sample: float,
    on_start: Callable[[str, int], None],
    on_rows: Callable[[str, int], None],
) -> Verification:
    url = dataset.store.url
    found = survey(snapshot)
    result.failures += found.failures
    domains = list(dict.fromkeys(each.domain for each in found.chunks))
    runs = {name: find_run(dataset, name, found.readable)["recipe"] for name in domains}
    for name, recipe in runs.items():
        runs[name] = {**recipe, name: _read_settings(name, recipe[name], result.failures)}
    origins = {name: find_origin(dataset, name, found.readable) for name in domains}
    result.failures += find_miscounted(snapshot, found, runs, origins)
    result.failures += find_misrejected(snapshot, found, origins, digests=digests)
    tasks = [
        Task(
            url,
            snapshot.versions,
            runs[each.domain][each.domain],
            runs[each.domain]["dataset"]["seed"],
            origins[each.domain],
            each,
            frozenset(found.older),
            digests,
        )
        for each in found.chunks
        if sample >= 1 or _DRAWING.random() < sample
    ]
    whole = not found.unread and len(tasks) == len(found.chunks)
    result.rows = found.rejects + sum(task.chunk.count for task in tasks)
    on_start(ROWS, result.rows)
    on_rows(ROWS, found.rejects)
    every = Checked()
    with WorkerPool(workers) as pool, ThreadPoolExecutor(pool.workers + 1) as threads:
        for task, checked in zip(tasks, threads.map(lambda task: _check(pool, task), tasks), strict=True):
            result.failures += checked.failures
            every.add(checked)
            on_rows(ROWS, task.chunk.count)
    refused = {each.row_id for each in result.failures if each.table == "anchors"}
    result.failures += find_torn(every.ties, refused, whole=whole)
    result.failures += find_strange(every.owns, every.mined, refused, whole=whole)
    return _sum_up(result)


def _read_settings(name: str, section: Mapping[str, Any], failures: list[Failure]) -> Mapping[str, Any]:
    """A domain's section of the recipe without what this version does not know of it, which is told."""
    section = dict(section)
    try:
        load_domain(name).settings_type.model_validate(section)
    except ValidationError as error:
        unknown = sorted({str(each["loc"][0]) for each in error.errors() if each["loc"]} & section.keys())
        told = f"{', '.join(unknown)}: an older version made it, and its rows are checked without what this says"
        failures.append(Failure("dataset", f"recipe, section {name}", (f"recipe: this version has no such {told}",)))
        return {key: value for key, value in section.items() if key not in unknown}
    return section


def _sum_up(result: Verification) -> Verification:
    result.failures.sort(key=lambda each: (each.table, each.row_id))
    result.by_code.update(reason_code(reason) for each in result.failures for reason in each.reasons)
    return result


def _check(pool: WorkerPool, task: Task) -> Checked:
    """A chunk in a worker. One that ends its workers is cut until the anchor is found that does."""
    try:
        return pool.call(verify_chunk, task, "checking rows")
    except WorkerDiedError as error:
        parts = _cut(task.chunk)
        if len(parts) == 1:
            rows = task.chunk.anchors[0]
            where = f"{rows.file.path}, row {rows.first}"
            return Checked([Failure("anchors", where, (f"cannot_check: it or a contrast of it ended {error}",))])
        whole = Checked()
        for part in parts:
            one = _check(pool, replace(task, chunk=part))
            whole.failures += one.failures
            whole.add(one)
        return whole


def _cut(chunk: Chunk) -> list[Chunk]:
    """The anchors of a chunk apart, each with the contrasts of all: a worker takes those that are its anchors'."""
    return [
        Chunk(chunk.domain, [Rows("anchors", rows.file, rows.first + i, 1)], chunk.contrasts)
        for rows in chunk.anchors
        for i in range(rows.count)
    ]


def verify_chunk(task: Task) -> Checked:
    """Check the rows of one chunk; runs in a worker process."""
    domain = load_domain(task.chunk.domain)
    context, regrower = _open_context(task, domain)
    snapshot = Snapshot(Store(task.url), task.versions)
    checked = Checked()
    anchors: dict[str, Anchor] = {}
    lone: set[str] = set()
    for rows in task.chunk.anchors:
        for _, row in read_places(snapshot, [rows], checked.failures, digests=task.digests):
            if row.anchor_id:  # One without is told by the survey, by its place.
                anchors[row.anchor_id] = row
                lone |= {row.anchor_id} if row.group is None and rows.file.path not in task.older else set()
    contrasts: dict[str, list[Contrast]] = {}
    older: set[str] = set()
    for rows in task.chunk.contrasts:
        for _, row in read_places(snapshot, [rows], checked.failures, digests=task.digests):
            contrasts.setdefault(row.anchor_id, []).append(row)
            older |= {row.contrast_id} if rows.file.path in task.older else set()
    for anchor_id, anchor in anchors.items():
        verdict = _judge(verify_anchor, domain, anchor, task.origin, regrower, context)
        ungrouped = ("no_value: the row has no group",) if anchor_id in lone else ()
        if reasons := (*verdict.reasons, *ungrouped):
            checked.failures.append(Failure("anchors", anchor_id, reasons))
        try:
            if (tie := tie_anchor(anchor, domain, context, regrower.grow(anchor))) is not None:
                checked.ties.append(tie)
            checked.owns.append(own_anchor(anchor))
        except (TypeError, ValueError, LookupError, AttributeError):
            if verdict.passed:  # else it lacks what would tie it to others, and is refused by itself
                raise
        checked.mined += list_mined(contrasts.get(anchor_id, ()))
        for row in sorted(contrasts.get(anchor_id, ()), key=lambda each: (each.family, each.rank)):
            verdict = _judge(verify_contrast, domain, row, anchor, task.origin, context)
            unsaid = find_unsaid(row, verdict) if verdict.passed and row.contrast_id not in older else ()
            if reasons := (*verdict.reasons, *unsaid):
                checked.failures.append(Failure("contrasts", row.contrast_id, reasons))
        checked.failures += _find_repeated(contrasts.get(anchor_id, ()))
        checked.failures += find_disordered(contrasts.get(anchor_id, ()))
    return checked


def _find_repeated(rows: Iterable[Contrast]) -> Iterator[Failure]:
    """Contrasts of one anchor that show what another of their family shows: which was copied, nobody can tell."""
    alike: dict[Hashable, list[str]] = {}
    for row in rows:
        alike.setdefault((row.family, row.text, row.image and row.image.bytes, row.code), []).append(row.contrast_id)
    for ids in alike.values():
        for own in ids if len(ids) > 1 else ():
            other = next((each for each in ids if each != own), own)
            yield Failure("contrasts", own, (f"repeated: it shows what {other} shows",))


def _judge(verify: Callable[..., Verdict], *given: Any) -> Verdict:
    """The verdict; a row on which a verifier trips, as on a picture that is none, cannot be checked.

    Raises:
        Exception: what is about the machine and not about the row, as a sandbox or a package that cannot be had.
    """
    context: Context[Any] = given[-1]
    try:
        with limited_time(context.bounds.seconds):
            return judge_verdict(verify(*given))
    except OvertimeError as error:
        context.renderer.close()
        return Verdict(reasons=(f"cannot_check: its checks take more than {error}",))
    except ImportError:
        with explained():
            raise
    except Exception as error:
        if getattr(error, "fatal", False):
            raise
        return Verdict(reasons=(f"cannot_check: {word_error(error)}",))


def verify_contrast(
    domain: Domain[Any], contrast: Contrast, anchor: Anchor, origin: Origin, context: Context[Any]
) -> Verdict:
    """One contrast by its family's verifier, and what it says of itself."""
    family = domain.families.get(contrast.family)
    if family is None:
        return Verdict(reasons=(f"unknown_family: {contrast.family}",))
    verdict = judge_contrast(family, contrast, anchor, context)
    reasons = judge_contrast_fields(contrast, family, anchor, verdict, origin)
    return replace(verdict, reasons=(*reasons, *verdict.reasons))


def verify_anchor(
    domain: Domain[Any], anchor: Anchor, origin: Origin, regrower: Regrower, context: Context[Any]
) -> Verdict:
    """One anchor by its domain's verifier, what it says of itself, and what its row makes."""
    reasons = [*judge_anchor_fields(anchor, domain, context, origin), *regrower.find_difference(anchor)]
    verdict = judge_row(domain.verify_anchor, anchor, context)
    return replace(verdict, reasons=(*reasons, *verdict.reasons))


_contexts: dict[str, tuple[Context[Any], Regrower]] = {}


def _open_context(task: Task, domain: Domain[Any]) -> tuple[Context[Any], Regrower]:
    key = f"{domain.name}\0{task.seed}\0{task.settings}"
    if key not in _contexts:
        settings = domain.settings_type.model_validate(dict(task.settings))
        context = Context(settings=settings, seed=task.seed, renderer=MemoRenderer(), bounds=domain.bounds)
        _contexts[key] = context, Regrower(domain, context)
    return _contexts[key]
