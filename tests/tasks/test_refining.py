"""Refinement as stages: what is staged, reused and published, on a domain of whole numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Contrast, Reject
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.tasks.audit.survey import survey
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine import registry
from counterfoil.tasks.engine.jobs import DomainRun
from counterfoil.tasks.engine.refine import count_wanted
from counterfoil.tasks.engine.registry import group_families
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.runner import run_job
from tests.tasks.test_shards import pipeline
from tests.tasks.toy_domain import DOMAIN, ToySettings, make_neighbours

SETTINGS = {"source": "count:13"}  # thirteen and seventeen end a row and a run


@pytest.fixture(autouse=True)
def _toy(monkeypatch):
    monkeypatch.setitem(registry.DOMAIN_MODULES, "toy", "tests.tasks.toy_domain")
    monkeypatch.setattr("counterfoil.tasks.engine.refine.FEWEST_BLOCKS", 5)
    registry.load_domain.cache_clear()
    yield
    registry.load_domain.cache_clear()


def run(folder, shard_size: int = 4, refine: bool = True, **more):
    """Make, see, choose and sift toy.near with toy.far; the run, its results and the pipeline."""
    settings = SETTINGS | more
    work = pipeline(folder, settings=settings, shard_size=shard_size, refine=refine)
    context = Context(settings=ToySettings(**settings), seed=7, renderer=MemoRenderer())
    state = DomainRun("toy")
    made = [run_job(job, context, work.staged) for job in work.anchor_jobs("toy", None, state)]
    work.merge_anchors("toy", made, state)
    jobs = work.contrast_jobs("toy", group_families(DOMAIN, ["toy.near"])[0], state)
    results = [run_job(job, context, work.staged) for job in jobs]
    refining = work.refine_jobs(jobs)
    if refining is not None:
        for job in [*refining.seen, refining.chosen, *refining.sifted]:
            results.append(run_job(job, context, work.staged))
    work.finish_contrasts(refining.sifted if refining else jobs, state)
    return state, results, work


def read(state, work, family: str) -> tuple[list[Contrast], list[Reject]]:
    shards = [work.staged.find(key) for key in state.contrasts[family]]
    contrasts = [row for shard in shards for row in from_table(shard.read(f"contrasts/family={family}"), "contrasts")]
    key = f"rejects/family={family}"
    return contrasts, [row for shard in shards if key in shard.files for row in from_table(shard.read(key), "rejects")]


def test_opposites_are_told_by_their_sign_and_their_partners_go_with_them(tmp_path):
    plain, _, work = run(tmp_path / "plain", refine=False)
    before, _ = read(plain, work, "toy.far")
    state, results, work = run(tmp_path / "refined")
    far, refused = read(state, work, "toy.far")
    told = [row.contrast for row in refused if any(reason.startswith("tell: ") for reason in row.reasons)]
    assert len(far) + len(told) == len(before)
    assert len(told) > len(before) / 2
    assert {row.contrast_id for row in [*far, *told]} == {row.contrast_id for row in before}
    near, _ = read(state, work, "toy.near")
    assert {(row.anchor_id, row.rank) for row in near} == {(row.anchor_id, row.rank) for row in far}
    sifted = [result for result in results if result.stage.endswith(".sifted")]
    assert sum(result.accepted["toy.far"] for result in sifted) == len(far)
    assert sum(result.rejected["toy.far"].get("tell", 0) for result in sifted) == len(told)


def test_a_second_run_reuses_every_stage(tmp_path):
    run(tmp_path)
    _, results, _ = run(tmp_path)
    assert all(result.reused for result in results)


def test_shards_do_not_change_what_stays(tmp_path):
    kept = []
    for size in (2, 5, 100):
        state, _, work = run(tmp_path / str(size), shard_size=size)
        kept.append({row.contrast_id for family in ("toy.near", "toy.far") for row in read(state, work, family)[0]})
    assert kept[0] == kept[1] == kept[2]


def test_without_refinement_there_are_no_such_jobs(tmp_path):
    state, _, work = run(tmp_path, refine=False)
    assert work.refine_jobs(work.contrast_jobs("toy", group_families(DOMAIN, ["toy.near"])[0], state)) is None


def find_failures(folder, state):
    """What `verify` finds before it looks at single rows."""
    dataset = Dataset(str(folder))
    dataset.publish(state.list_partitions(True))
    return survey(dataset.snapshot()).failures


def test_verify_takes_gaps_in_ranks_only_where_refinement_made_them(tmp_path):
    state, _, work = run(tmp_path)
    far, refused = read(state, work, "toy.far")
    gaps = [row for row in far if row.rank > 0]
    assert gaps
    assert find_failures(tmp_path, state) == []
    key, others = "rejects/family=toy.far", [replace(row, reasons=("not_visible: at all",)) for row in refused]
    work.staged.write("ab" * 32, {key: to_table(others, "rejects")})
    Dataset(str(tmp_path)).publish({key: ["ab" * 32]})
    failures = survey(Dataset(str(tmp_path)).snapshot()).failures
    assert failures and all(failure.reasons[0].startswith("ranks: ") for failure in failures)


def test_of_more_than_are_wanted_as_many_stay_and_the_spare_ones_are_rejects(tmp_path):
    state, results, work = run(tmp_path, refine=False, negatives=2, spare=2)
    near, refused = read(state, work, "toy.near")
    far, _ = read(state, work, "toy.far")
    counts = Counter(row.anchor_id for row in near)
    assert set(counts.values()) == {2}
    assert {(row.anchor_id, row.rank) for row in near} == {(row.anchor_id, row.rank) for row in far}
    spare = [
        row for row in refused if row.reasons == ("tell: spare: blind judges recognise the others of its anchor less",)
    ]
    assert len(spare) == 2 * len(counts)
    assert not [row for row in refused if row.reasons[0].startswith("shortfall")]
    seen = [result for result in results if result.stage.endswith(".seen")]
    assert seen
    assert find_failures(tmp_path, state) == []


def test_shards_do_not_change_which_rows_are_spare(tmp_path):
    kept = []
    for size in (2, 100):
        state, _, work = run(tmp_path / str(size), shard_size=size, refine=False, negatives=2, spare=2)
        kept.append({row.contrast_id for row in read(state, work, "toy.near")[0]})
    assert kept[0] == kept[1]


def test_spare_rows_are_chosen_block_by_block(tmp_path, monkeypatch):
    whole, _, work = run(tmp_path / "whole", refine=False, negatives=2, spare=2)
    anchors = {row.anchor_id for row in read(whole, work, "toy.near")[0]}
    monkeypatch.setattr("counterfoil.tasks.engine.refine.BLOCK", 12)
    kept = []
    for size in (2, 100):
        state, _, work = run(tmp_path / str(size), shard_size=size, refine=False, negatives=2, spare=2)
        near, _ = read(state, work, "toy.near")
        assert Counter(row.anchor_id for row in near) == Counter(dict.fromkeys(anchors, 2))
        kept.append({row.contrast_id for row in near})
    assert kept[0] == kept[1]


def test_what_a_model_writes_is_never_spare():
    written = replace(DOMAIN.families["toy.near"], make_llm=make_neighbours)
    settings = ToySettings(spare=2)
    assert count_wanted([written], settings, {"kind": "procedural"}) == settings.negatives
    assert count_wanted([written], settings, {"kind": "openai"}) is None
