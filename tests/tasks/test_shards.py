"""The stage runner: what it accepts, rejects, reuses and refuses, on a domain of whole numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counterfoil.storage.errors import StorageError
from counterfoil.storage.rows import Anchor, Contrast, Provenance, Reject, content_id
from counterfoil.storage.schemas import from_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine import recall, registry
from counterfoil.tasks.engine.fingerprints import fingerprint_contrasts
from counterfoil.tasks.engine.jobs import DomainRun, Pipeline
from counterfoil.tasks.engine.prepare import open_prepared, prepare_here
from counterfoil.tasks.engine.registry import group_families
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_contrasts, reason_code
from counterfoil.tasks.engine.runner import run_job
from counterfoil.tasks.engine.shards import settle
from tests.tasks import toy_domain
from tests.tasks.toy_domain import DOMAIN, AuthorDownError, ToySettings


@pytest.fixture(autouse=True)
def _toy(monkeypatch):
    monkeypatch.setitem(registry.DOMAIN_MODULES, "toy", "tests.tasks.toy_domain")
    registry.load_domain.cache_clear()
    yield
    registry.load_domain.cache_clear()


@pytest.fixture
def context():
    return Context(settings=ToySettings(), seed=7, renderer=MemoRenderer())


def anchor(number: int) -> Anchor:
    return Anchor(content_id("toy", number), "toy", "count", str(number), "train", caption=str(number))


def neighbours():
    return group_families(DOMAIN, ["toy.near"])[0]


def pipeline(path, **changes) -> Pipeline:
    section = ToySettings(**changes.pop("settings", {})).model_dump()
    options = {"seed": 7, "shard_size": 4} | changes
    return Pipeline(str(path), {"toy": section}, {"kind": "procedural"}, {"kind": "procedural"}, **options)


def run_all(work: Pipeline, context: Context, limit=None):
    run = DomainRun("toy")
    results = [run_job(job, context, work.staged) for job in work.anchor_jobs("toy", limit, run)]
    work.merge_anchors("toy", results, run)
    for group in group_families(DOMAIN, list(DOMAIN.families)):
        jobs, ready = prepare(work, group, run, context)
        made = [run_job(job, ready, work.staged) for job in jobs]
        work.finish_contrasts(settle(jobs, made), run)
        results += made
    return run, results


def prepare(work: Pipeline, group, run: DomainRun, context: Context):
    """The jobs of a group of families, and the context with what they need of the whole corpus."""
    parts = work.part_jobs("toy", group, run)
    if not parts:
        return work.contrast_jobs("toy", group, run), context
    for job in parts:
        run_job(job, context, work.staged)
    last = work.gather_job(parts)
    run_job(last, context, work.staged)
    ready = open_prepared(group[0].prepare, last.fingerprint, work.staged, context)
    return work.contrast_jobs("toy", group, run, last.fingerprint), ready


def test_families_with_one_maker_are_one_group():
    assert [[f.name for f in group] for group in group_families(DOMAIN, ["toy.far", "toy.word"])] == [
        ["toy.near", "toy.far"],
        ["toy.word"],
    ]


def test_a_pair_stands_or_falls_together_and_is_ranked_in_order(context):
    made = make_contrasts(neighbours(), anchor(3), context)
    near = [row for row in made if isinstance(row, Contrast) and row.family == "toy.near"]
    far = [row for row in made if isinstance(row, Contrast) and row.family == "toy.far"]
    assert [row.text for row in near] == ["4", "6", "7"]
    assert [row.text for row in far] == ["-4", "-6", "-7"]
    assert [row.rank for row in near] == [0, 1, 2]
    rejects = [row for row in made if isinstance(row, Reject)]
    assert {(row.family, reason_code(row.reasons[0])) for row in rejects} == {
        ("toy.near", "no_multiple_of_five"),
        ("toy.far", "partner"),
    }


def test_a_shortfall_is_told_with_its_reasons_and_never_filled(context):
    made = make_contrasts(group_families(DOMAIN, ["toy.word"])[0], anchor(3), context)
    assert sum(isinstance(row, Contrast) for row in made) == 2
    assert made[-1].reasons == ("shortfall: 1 of 3 missing after 1 unformed",)


def test_a_bug_on_one_row_is_kept_as_a_reject(context, caplog):
    made = make_contrasts(neighbours(), anchor(13), context)
    assert made[0].reasons[0].startswith("internal_error: ZeroDivisionError: thirteen (toy_domain.py:")
    assert "unexpected error" in caplog.text


def test_an_error_of_the_run_is_not_swallowed_with_the_row(context):
    with pytest.raises(AuthorDownError):
        make_contrasts(neighbours(), anchor(17), context)


def test_shard_with_rows_that_were_not_asked_is_made_again_and_what_follows_from_it(tmp_path, context, monkeypatch):
    """The provider refuses the word of one number, and later answers it: the end is that of a calm run."""
    refused = [True]
    make_words = DOMAIN.families["toy.word"].make

    def make(anchor, context):
        if refused[0] and anchor.caption == "3":
            refusal = Provenance(request_sha256="a" * 64)
            yield Reject("toy.word", ("llm_request: 400: no",), anchor_id=anchor.anchor_id, provenance=refusal)
            return
        yield from make_words(anchor, context)

    calm, _ = run_all(pipeline(tmp_path / "calm"), context)
    monkeypatch.setitem(DOMAIN.families, "toy.word", replace(DOMAIN.families["toy.word"], make=make))
    first, made = run_all(pipeline(tmp_path / "data"), context)
    again, remade = run_all(pipeline(tmp_path / "data"), context)
    assert again.contrasts == first.contrasts != calm.contrasts
    words = [result for result in remade if result.stage == "toy.word"]
    assert [result.reused for result in words] == [False, True, True]
    assert words[0].rejected["toy.word"]["llm_request"] == 1
    assert all(result.reused for result in remade if result.stage != "toy.word")
    refused[0] = False
    last, _ = run_all(pipeline(tmp_path / "data"), context)
    assert last.contrasts == calm.contrasts
    assert made


def test_a_finished_shard_is_reused_and_its_counts_are_kept(tmp_path, context):
    work = pipeline(tmp_path)
    _, first = run_all(work, context)
    _, second = run_all(pipeline(tmp_path), context)
    assert not any(result.reused for result in first)
    assert all(result.reused for result in second)
    assert [result.accepted for result in first] == [result.accepted for result in second]
    assert [result.rejected for result in first] == [result.rejected for result in second]


def test_an_anchor_that_several_rows_give_is_kept_once(tmp_path, context):
    work = pipeline(tmp_path)
    run, _ = run_all(work, context)
    ids = [
        row.anchor_id
        for shard in run.anchors
        for row in from_table(work.staged.find(shard.fingerprint).read("anchors/domain=toy"), "anchors")
    ]
    assert len(ids) == len(set(ids))
    assert {content_id("toy", value) for value in (0, 1, 2, 3, 4, 5, 6, 8, 9)} == set(ids)
    assert sum(shard.merged for shard in run.anchors) > 0


def test_anchors_that_fail_and_rows_that_cannot_be_read_are_rejects(tmp_path, context):
    work = pipeline(tmp_path)
    run, _ = run_all(work, context)
    kept = []
    for key in [shard.fingerprint for shard in run.sources] + [shard.made_by for shard in run.anchors]:
        shard = work.staged.find(key)
        if "rejects/family=toy.anchor" in shard.files:
            kept += from_table(shard.read("rejects/family=toy.anchor"), "rejects")
    assert sorted(row.reasons[0] for row in kept) == ["not_seven: seven is not allowed", "unreadable: eight"]


def test_rows_that_a_source_made_up_are_made_up_again_only_where_code_changes_or_a_shard_is_gone(tmp_path, monkeypatch):
    counted: list[int] = []

    def count(target, *_):
        counted.append(int(target))
        return (SourceRow("count", str(number), "train", {"number": number}) for number in range(int(target)))

    def list_keys(settings=(), **changes) -> list[str]:
        work = pipeline(tmp_path, settings=dict(settings), **changes)
        return [job.fingerprint for job in work.anchor_jobs("toy", None, DomainRun("toy"))]

    source = replace(DOMAIN.sources["count"], read=count)
    monkeypatch.setattr(toy_domain, "DOMAIN", replace(DOMAIN, sources={"count": source}))
    first = list_keys()
    assert list_keys() == first and counted == [10]
    assert list_keys({"source": "count:11"})[:2] == first[:2] and counted == [10, 11]
    shard = pipeline(tmp_path).staged.find(
        next(iter(pipeline(tmp_path).anchor_jobs("toy", None, DomainRun("toy")))).upstream[0]
    )
    pipeline(tmp_path).staged.remove(shard)
    assert list_keys() == first and counted == [10, 11, 10]
    monkeypatch.setattr(recall, "_list_stamps", lambda folder: [(folder, 1, 1)])
    assert list_keys() == first and counted == [10, 11, 10, 10]


def test_a_knob_that_cannot_change_content_changes_no_fingerprint():
    same = {"kind": "procedural"}
    base = ToySettings().model_dump()
    word = group_families(DOMAIN, ["toy.word"])[0]
    reference = fingerprint_contrasts(word, base, same, 7, "up")
    assert fingerprint_contrasts(word, base | {"step": 2, "source": "count:99"}, same, 7, "up") == reference
    assert fingerprint_contrasts(word, base | {"negatives": 4}, same, 7, "up") != reference
    assert fingerprint_contrasts(word, base, same, 8, "up") != reference
    assert fingerprint_contrasts(word, base, same, 7, "other") != reference


def test_workers_and_order_do_not_change_the_bytes(tmp_path, context):
    run_all(pipeline(tmp_path / "a"), context)
    work = pipeline(tmp_path / "b", workers=2)
    run = DomainRun("toy")
    jobs = list(work.anchor_jobs("toy", None, run))
    results = [run_job(job, context, work.staged) for job in reversed(jobs)]
    work.merge_anchors("toy", results, run)
    for group in reversed(group_families(DOMAIN, list(DOMAIN.families))):
        jobs, ready = prepare(work, group, run, context)
        for job in reversed(jobs):
            run_job(job, ready, work.staged)
    files = {path.name: path.read_bytes() for path in (tmp_path / "a").rglob("*.parquet")}
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "b").rglob("*.parquet")}
    assert files


def test_a_job_whose_input_is_gone_says_so(tmp_path, context):
    work = pipeline(tmp_path)
    run = DomainRun("toy")
    job = next(iter(work.anchor_jobs("toy", 3, run)))
    with pytest.raises(StorageError, match=r"toy\.anchors, shard 0: its input .* is not staged"):
        run_job(job, context, StagedShards(str(tmp_path / "elsewhere")))


def test_progress_counts_every_input_row_once(tmp_path, context):
    work = pipeline(tmp_path)
    run = DomainRun("toy")
    jobs = list(work.anchor_jobs("toy", None, run))
    for _ in range(2):  # made, then reused
        ticks: list[int] = []
        for job in jobs:
            run_job(job, context, work.staged, ticks.append)
        assert sum(ticks) == sum(shard.rows for shard in run.sources) == 9


def test_what_is_prepared_does_not_depend_on_the_shards(tmp_path, context):
    told = []
    for size in (2, 4, 10):
        work = pipeline(tmp_path / str(size), shard_size=size)
        run, _ = run_all(work, context)
        rows = [
            row.text
            for key in run.contrasts["toy.rest"]
            for row in from_table(work.staged.find(key).read("contrasts/family=toy.rest"), "contrasts")
        ]
        told.append(sorted(rows))
    assert told[0] == told[1] == told[2] == sorted(f"{n} to go" for n in (0, 1, 3, 4, 5, 6, 7, 8, 9))


def test_more_anchors_make_a_preparation_again_and_keep_its_finished_parts(tmp_path, context):
    group = group_families(DOMAIN, ["toy.rest"])[0]
    keys = []
    for limit in (4, 8):
        run, _ = run_all(work := pipeline(tmp_path), context, limit)
        parts = work.part_jobs("toy", group, run)
        keys.append(([job.fingerprint for job in parts], work.gather_job(parts).fingerprint))
    assert keys[1][0][: len(keys[0][0])] == keys[0][0]
    assert keys[1][1] != keys[0][1]
    again = run_job(work.gather_job(parts), context, work.staged)
    assert again.reused


def test_a_family_that_was_not_prepared_says_so(context):
    made = make_contrasts(group_families(DOMAIN, ["toy.rest"])[0], anchor(3), context)
    assert "toy.largest was not prepared" in made[0].reasons[0]


def test_a_preparation_in_memory_is_the_staged_one(context):
    ready = prepare_here(DOMAIN.families["toy.rest"].prepare, [[anchor(3)], [anchor(9), anchor(4)]], context)
    (made,) = make_contrasts(group_families(DOMAIN, ["toy.rest"])[0], anchor(3), ready)
    assert made.text == "6 to go"


def test_a_reject_keeps_the_checks_that_passed(context):
    made = make_contrasts(neighbours(), anchor(3), context)
    failed = next(row for row in made if isinstance(row, Reject) and row.family == "toy.near")
    assert failed.contrast.checks == ("is_number",)


def test_the_runner_stamps_seed_and_code_version(context):
    stamped = replace(context, seed=11, code_version="1.2.3+abc")
    for row in make_contrasts(neighbours(), anchor(3), stamped):
        assert (row.provenance.seed, row.provenance.code_version) == (11, "1.2.3+abc")


def test_the_toy_domain_is_the_registered_one():
    assert registry.load_domain("toy") is toy_domain.DOMAIN
