"""Two runs at once on one dataset: readers see one of them whole, and who loses is told."""

from __future__ import annotations

import threading
import time

import pytest
import storage_cases as cases

from counterfoil.storage.dataset import ConflictError, Dataset
from counterfoil.storage.locks import hold_publish_lock
from counterfoil.storage.publish import Intent, TableFile, carry_out, create_tables, list_files, open_table
from counterfoil.storage.store import Store
from tests.patience import PATIENCE_S
from tests.warm_workers import fork_with


def publish_often(url, tag, rounds, start, outcomes):
    replacements = [cases.stage_run(url, f"{tag}{i}", 3) for i in range(rounds)]
    start.wait(PATIENCE_S)
    for each in replacements:
        try:
            Dataset(url).publish(each, wait_s=200)
            outcomes.put("published")
        except ConflictError as error:
            outcomes.put(str(error))
    outcomes.put(None)


@pytest.mark.parametrize("rounds", [2, pytest.param(15, marks=pytest.mark.slow)])
def test_two_publishers_never_mix_at_any_moment(rounds, tmp_path):
    url = str(tmp_path / "data")
    Dataset(url).publish(cases.stage_run(url, "start"))
    context = fork_with("storage_cases", "counterfoil.storage.dataset")
    start, outcomes = context.Event(), context.Queue()
    runs = [
        context.Process(target=publish_often, args=(url, tag, rounds, start, outcomes)) for tag in ("left", "right")
    ]
    for run in runs:
        run.start()

    found, looks, stop = [], [0], threading.Event()

    def read_on():
        while not stop.is_set():
            for problem in (cases.find_mixture(Dataset(url)), cases.find_dangling_heads(url)):
                if problem:
                    found.append(problem)
            looks[0] += 1

    reader = threading.Thread(target=read_on)
    reader.start()
    start.set()
    told = []
    while told.count(None) < 2:
        told.append(outcomes.get(timeout=PATIENCE_S))
    for run in runs:
        run.join(PATIENCE_S)
        assert run.exitcode == 0
    stop.set()
    reader.join(PATIENCE_S)

    assert found == []
    assert looks[0] > rounds
    assert told.count("published") == 2 * rounds
    ended = {anchor.source for anchor in Dataset(url).anchors()}
    assert ended in ({f"left{rounds - 1}"}, {f"right{rounds - 1}"})


def test_who_holds_the_dataset_is_named(tmp_path):
    url = str(tmp_path / "data")
    replacements = cases.stage_run(url, "one")
    with (
        hold_publish_lock(Store(url)),
        pytest.raises(ConflictError, match=r"being published to by process \d+ on .*run it again"),
    ):
        Dataset(url).publish(replacements, wait_s=0.1)
    assert not Dataset(url).exists()
    assert Dataset(url).publish(replacements).changed


def test_a_run_that_began_before_another_published_the_same_is_refused(tmp_path):
    url = str(tmp_path / "data")
    dataset = Dataset(url)
    began = dataset.begin()
    mine, other = cases.stage_run(url, "mine"), cases.stage_run(url, "other")
    dataset.publish(other, expect=began)
    seen = cases.describe(url)

    with pytest.raises(ConflictError, match=r"another run replaced anchors/domain=geometry .* since this one began"):
        dataset.publish(mine, expect=began)

    assert cases.describe(url) == seen
    dataset.publish(mine, expect=dataset.begin())
    assert cases.find_mixture(dataset) is None


def test_two_runs_that_make_the_same_both_succeed(tmp_path):
    url = str(tmp_path / "data")
    dataset = Dataset(url)
    began = dataset.begin()
    assert dataset.publish(cases.stage_run(url, "one"), expect=began).changed
    again = dataset.publish(cases.stage_run(url, "one"), expect=began)
    assert not again.changed
    assert again.versions == dataset.versions()


def test_runs_of_different_families_both_succeed(tmp_path):
    url = str(tmp_path / "data")
    dataset = Dataset(url)
    replacements = cases.stage_run(url, "one")
    dataset.publish({"anchors/domain=geometry": replacements["anchors/domain=geometry"]})
    began = dataset.begin()
    for family in cases.FAMILIES:
        key = f"contrasts/family={family}"
        assert dataset.publish({key: replacements[key]}, expect=began).changed
    assert cases.find_mixture(dataset) is None


def test_contrasts_of_anchors_that_another_run_replaced_are_refused(tmp_path):
    url = str(tmp_path / "data")
    dataset = Dataset(url)
    one, two = cases.stage_run(url, "one"), cases.stage_run(url, "two")
    dataset.publish(one)
    dataset.publish(two)
    family = "contrasts/family=geometry.image"
    with pytest.raises(
        ConflictError, match=r"12 anchors that contrasts/family=geometry\.image refers to .*Run it again"
    ):
        dataset.publish({family: one[family]})
    assert {anchor.source for anchor in dataset.anchors()} == {"two"}
    assert cases.find_mixture(dataset) is None


def test_a_commit_that_this_one_did_not_know_of_is_a_conflict(tmp_path, monkeypatch):
    """What stands between two writers on an object store when a lease ran out."""
    url = str(tmp_path / "data")
    store = Store(url)
    create_tables(store)
    stale = open_table(store, "anchors")
    dataset = Dataset(url)
    dataset.publish(cases.stage_run(url, "one"))
    file = list_files(open_table(store, "anchors"))[0]
    monkeypatch.setattr("counterfoil.storage.publish.open_table", lambda *_: stale)
    want = {"anchors/domain=geometry": (TableFile(file.path, file.size, file.rows),)}
    with pytest.raises(ConflictError, match="another run committed to"):
        carry_out(store, Intent("x", {}, dataset.versions(), want))


def test_a_waiting_publisher_goes_on_when_the_other_is_done(tmp_path):
    url = str(tmp_path / "data")
    replacements = cases.stage_run(url, "one")
    holding, done = threading.Event(), threading.Event()

    def hold():
        with hold_publish_lock(Store(url)):
            holding.set()
            time.sleep(0.3)
            done.set()

    other = threading.Thread(target=hold)
    other.start()
    assert holding.wait(PATIENCE_S)
    assert Dataset(url).publish(replacements, wait_s=200).changed
    assert done.is_set()
    other.join()
