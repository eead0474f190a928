"""The proof's own machinery, on tables and models of seconds."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.proof.__main__ import Asked, prove
from benchmarks.proof.figures import FOUND, HARD, UNSEEN, tell_setting
from benchmarks.proof.intervals import bound_over_seeds
from benchmarks.proof.power import COSTS, BudgetError, Cost, plan, read_budget
from benchmarks.proof.reporting import START, Findings, write_findings
from benchmarks.proof.running import (
    Bench,
    Workshop,
    choose_settings,
    go_on,
    pack,
    pretrain,
    run_setting,
    score_start,
)
from benchmarks.proof.suites import NODES, SUITES, Data, Order, Setting, Start, Suite, write_charts
from counterfoil.storage.dataset import Dataset
from tests.tasks.training import tiny

TINY = Suite(
    "tiny",
    "Does a tiny thing learn?",
    (Data("tiny", "geometry", {"source": "procedural"}, 90),),
    (
        Setting("clip", "tiny", "clip", ()),
        Setting("negclip", "tiny", "negclip", ("geometry.caption",)),
    ),
    "clip",
    ("tiny",),
    {**tiny.choose(steps=40, warmup=4).model_dump(exclude_unset=True), "stem": "convolutions"},
    (Order("texts help", ("clip", "negclip")),),
    Start(Data("tiny", "geometry", {"source": "procedural"}, 90), {"steps": 60, "learning_rate": 3e-3}),
)
ROLES = {"geometry.caption": "negative", "geometry.image": "negative", "geometry.mirror": "positive"}


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Workshop:
    """A workshop whose dataset is there; a fifth of it is held out."""
    folder = tmp_path_factory.mktemp("proof")
    anchors = [replace(each, split="test" if i % 5 == 0 else "train") for i, each in enumerate(tiny.make_anchors(90))]
    tiny.publish(str(folder / "data" / "tiny"), anchors, tiny.make_contrasts(anchors, beside=False))
    made = Workshop(folder, 0.5, lambda _: None)
    # As if `counterfoil run` had made it.
    recipe = made.describe(TINY.data[0])
    (folder / "data" / "tiny" / "proof.txt").write_text(recipe, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def runs(shop) -> dict[str, dict[int, dict]]:
    """Both settings with one seed, at half the steps."""
    manifest, folder = pack(shop, TINY, TINY.data[0], ROLES)
    benches = {"tiny": Bench("tiny", str(shop.dataset(TINY.data[0])))}
    return {
        setting.name: {0: run_setting(shop, choose_settings(TINY, setting, 0, shop.scale), manifest, folder, benches)}
        for setting in TINY.settings
    }


@pytest.fixture(scope="module")
def start(shop) -> Path:
    """The folder of the start's run."""
    return pretrain(shop, TINY)


@pytest.fixture(scope="module")
def benches(shop) -> dict[str, Bench]:
    return {"tiny": Bench("tiny", str(shop.dataset(TINY.data[0])))}


def test_the_start_is_trained_under_clip_once_and_then_found(shop, start, monkeypatch):
    logged = [json.loads(line) for line in (start / "log.jsonl").read_text().splitlines()]
    terms = {name for line in logged for name in line if name.startswith("term_")}
    assert terms == {"term_clip"}
    assert max(line["step"] for line in logged) == 30
    monkeypatch.setattr("benchmarks.proof.running.train", lambda *_: pytest.fail("trained again"))
    assert pretrain(shop, TINY) == start


def test_settings_go_on_from_the_start_with_its_tokenizer_and_its_stem_of_convolutions(shop, start, benches):
    suite = go_on(TINY, start)
    manifest, packed = pack(shop, suite, suite.data[0], ROLES)
    assert manifest.model == str(start / "model")
    # A rate of nearly nothing: the model is the start's as long as every weight of it was read.
    still = Setting("still", "tiny", "negclip", ("geometry.caption",), {"learning_rate": 1e-12, "weight_decay": 0.0})
    settings = choose_settings(suite, still, 0, shop.scale)
    run = run_setting(shop, settings, manifest, packed, benches)
    begun = score_start(start, settings, manifest, packed, benches)
    assert run["scores"] == begun["scores"]
    assert run["learnt"] == begun["learnt"]


def test_what_is_learnt_of_training_rows_is_told_by_family(runs):
    for own in runs.values():
        assert set(own[0]["learnt"]) == {"geometry.caption", "geometry.image"}
        assert all(0 <= share <= 1 for share in own[0]["learnt"].values())


def test_the_start_stands_before_its_settings_and_what_was_learnt_beside(shop, start, benches, runs, tmp_path):
    suite = go_on(TINY, start)
    manifest, packed = pack(shop, suite, suite.data[0], ROLES)
    settings = choose_settings(suite, suite.settings[0], 0, shop.scale)
    begun = {START: {0: score_start(start, settings, manifest, packed, benches)}, **runs}
    found = Findings(TINY, 0.5, 20, {"tiny": {"anchors": {"train": 72, "test": 18}, "families": {}}}, {}, begun)
    write_findings(found, tmp_path)
    page = (tmp_path / "tiny.md").read_text()
    assert page.index(f"| {START} |") < page.index("| clip |") < page.index("| negclip |")
    learnt = page[page.index("| training rows |") :].splitlines()
    assert [line.split(" | ")[0] for line in learnt[2:5]] == [f"| {START}", "| clip", "| negclip"]
    assert "| less clip |" in page
    assert f"| {START} | 1 |" in page


def test_runs_of_a_suite_differ_in_objective_families_and_seed_alone():
    told = [choose_settings(TINY, setting, 1, 0.5).model_dump() for setting in TINY.settings]
    apart = {key for key in told[0] if told[0][key] != told[1][key]}
    assert apart == {"objective", "learn_from", "negative_texts", "negative_images"}
    assert {each["steps"] for each in told} == {20}


def test_a_finished_run_is_read_and_not_trained_again(shop, runs, monkeypatch):
    manifest, folder = pack(shop, TINY, TINY.data[0], ROLES)
    monkeypatch.setattr("benchmarks.proof.running.train", lambda *_: pytest.fail("trained again"))
    benches = {"tiny": Bench("tiny", str(shop.dataset(TINY.data[0])))}
    settings = choose_settings(TINY, TINY.settings[1], 0, shop.scale)
    assert run_setting(shop, settings, manifest, folder, benches) == runs["negclip"][0]


def test_a_finished_run_is_scored_on_a_further_dataset_without_training(shop, runs, monkeypatch):
    manifest, folder = pack(shop, TINY, TINY.data[0], ROLES)
    monkeypatch.setattr("benchmarks.proof.running.train", lambda *_: pytest.fail("trained again"))
    anchors = [replace(each, split="test" if i % 3 == 0 else "train") for i, each in enumerate(tiny.make_anchors(30))]
    further = str(shop.folder / "data" / "further")
    tiny.publish(further, anchors, tiny.make_contrasts(anchors, beside=False))
    benches = {"tiny": Bench("tiny", str(shop.dataset(TINY.data[0]))), "further": Bench("further", further)}
    settings = choose_settings(TINY, TINY.settings[1], 0, shop.scale)
    run = run_setting(shop, settings, manifest, folder, benches)
    assert run["scores"]["tiny"] == runs["negclip"][0]["scores"]["tiny"]
    assert len(run["scores"]["further"]["geometry.caption: image to text"]["items"]) == 10


@pytest.mark.usefixtures("runs")
def test_a_report_tells_what_is_finished_and_trains_nothing(shop, monkeypatch):
    monkeypatch.setattr("benchmarks.proof.running.train", lambda *_: pytest.fail("trained"))
    suite = replace(TINY, settings=(*TINY.settings, Setting("never", "tiny", "cement", ("geometry.caption",))))
    prove(suite, shop, Asked((0, 1), blind=False, from_scratch=True, report=True))
    told = json.loads((shop.folder / "tiny.json").read_text())
    assert told["seeds"] == {"clip": [0], "negclip": [0]}


def test_held_out_rows_alone_are_scored(shop, runs):
    held = {
        row.anchor_id for row in Dataset(str(shop.dataset(TINY.data[0]))).snapshot().anchors() if row.split == "test"
    }
    kept = runs["clip"][0]["scores"]["tiny"]["geometry.caption: image to text"]
    assert set(kept["items"]) == held


def test_findings_are_written_with_gains_blind_and_orders(runs, tmp_path):
    blind = {
        "tiny": {"geometry.caption: image to text": {"figure": "Hit@1", "system": "x", "value": 0.5, "chance": 0.3}}
    }
    found = Findings(TINY, 0.5, 20, {"tiny": {"anchors": {"train": 72, "test": 18}, "families": {}}}, blind, runs)
    write_findings(found, tmp_path)
    told = json.loads((tmp_path / "tiny.json").read_text())
    assert told["figures"]["tiny"]["clip"][HARD]["gain"] == 0
    assert told["figures"]["tiny"]["negclip"][HARD]["items"] == 36
    assert [step["to"] for step in told["orders"][0]["steps"]] == ["negclip"]
    page = (tmp_path / "tiny.md").read_text()
    assert "50.0 (x; chance 30.0)" in page
    assert "clip → negclip" in page
    assert (tmp_path / "tiny-tiny.png").stat().st_size > 5000


def make_scores(hits: list[float], other: list[float]) -> dict:
    names, blocks = [f"a{i}" for i in range(len(hits))], [f"b{i}" for i in range(len(hits))]
    ranked = {"R@1": hits, "R@5": hits, "R@10": hits, "MRR": hits}
    return {
        "d.one: image to text": {"items": names, "blocks": blocks, "values": {"hit": hits, "pairs": hits}},
        "d.two: text to image": {"items": names, "blocks": blocks, "values": {"hit": other, "pairs": other}},
        "d: image to text": {"items": names, "blocks": blocks, "values": ranked},
    }


def test_figures_are_means_over_seeds_with_the_gain_of_the_same_seeds():
    base = [make_scores([0, 0, 1, 1], [0, 0, 0, 0]), make_scores([0, 1, 1, 1], [0, 0, 0, 0])]
    mine = [make_scores([1, 1, 1, 1], [0, 0, 1, 1]), make_scores([1, 1, 1, 1], [1, 1, 0, 0])]
    told = tell_setting(mine, base, ["d.one"])
    assert told[HARD].value == pytest.approx(0.75)
    assert told[HARD].gain == pytest.approx(0.75 - 0.3125)
    assert told[UNSEEN].value == pytest.approx(0.5)
    assert told[UNSEEN].seeds == (0.5, 0.5)
    assert told[FOUND].gain == pytest.approx(0.375)


def test_an_interval_knows_rows_and_seeds():
    rows = [([0, 1, 2, 3], 1.0)]
    same = np.array([[0.5] * 4, [0.5] * 4])
    assert bound_over_seeds(same, "abcd", rows) == (0.5, 0.5)
    # Items agree, three seeds do not: Student's of two degrees of freedom, 0.5 -+ 4.303 * 0.1 / 3 ** 0.5.
    apart = np.array([[0.4] * 4, [0.5] * 4, [0.6] * 4])
    assert bound_over_seeds(apart, "abcd", rows) == pytest.approx((0.25159, 0.74841), abs=1e-5)
    # Two items of one source row are no more than one.
    lone = np.array([[0.0, 1.0, 0.0, 1.0]])
    single, paired = bound_over_seeds(lone, "abcd", rows), bound_over_seeds(lone, "abab", rows)
    assert paired[1] - paired[0] > single[1] - single[0]


def test_every_setting_learns_from_families_of_its_dataset():
    for suite in SUITES.values():
        made = {data.name: {f"{data.domain}.{name}" for name in data.section["families"]} for data in suite.data}
        for setting in suite.settings:
            assert set(setting.learn_from) <= made[setting.data]
            choose_settings(suite, setting, 0, 1.0)
        assert suite.base in {setting.name for setting in suite.settings}
        assert {name for order in suite.orders for name in order.settings} <= {each.name for each in suite.settings}


def test_small_charts_are_read_and_each_is_there_once(tmp_path):
    write_charts(tmp_path / "charts.jsonl", 200, 7)
    codes = [json.loads(line)["code"] for line in (tmp_path / "charts.jsonl").read_text().splitlines()]
    assert len(set(codes)) == 200
    assert len(NODES) == len({node[0] for node in NODES})
    assert all(code.count("-->") == 2 for code in codes)


def test_a_budget_chooses_the_scale_and_tells_what_can_be_told_apart():
    cost = Cost(made=100, start=50, setting=10, half=2.0, seeds=4)
    found = plan(TINY, cost, read_budget("7m"), seeds=2, settings=3)
    # 100 + 50 + 10 * 3 * 2 seconds at scale 1; twice the rows with half the seeds are as wide as before.
    assert (found.scale, found.seconds) == (2.0, 420.0)
    assert found.difference == pytest.approx(2.86)
    assert COSTS.keys() == SUITES.keys()


@pytest.mark.parametrize(("given", "message"), [
    ("7", "needs a number with s, m or h"),
    ("0h", "needs a number with s, m or h"),
    ("20s", "takes 0.3 CPU minutes at the smallest scale"),
])  # fmt: skip
def test_a_budget_that_holds_nothing_is_refused(given, message):
    with pytest.raises(BudgetError, match=message):
        plan(TINY, Cost(made=100, start=50, setting=10, half=2.0, seeds=4), read_budget(given), seeds=2, settings=3)
