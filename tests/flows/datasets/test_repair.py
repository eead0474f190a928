"""`repair` makes the damaged shards again, byte for byte, and no other; what it cannot make it leaves as it is."""

from __future__ import annotations

import shutil

import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.flows.datasets.repairing import find_recipes, repair_dataset
from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.engine.losing import LossError
from counterfoil.tasks.engine.observing import Observer

RECIPE = """
[dataset]
path = "{path}"
workers = 1
shard_size = 1
[theorem]
source = "{source}"
families = {families}
"""


class Heard(Observer):
    def __init__(self) -> None:
        self.lines: list[str] = []

    def finish(self, _: str, *lines: str) -> None:
        self.lines += lines


@pytest.fixture(scope="module", autouse=True)
def small_packs():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("counterfoil.storage.packing.TOGETHER", 4)
        yield


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Six shards, of which four lie in packs; one family by a recipe of its own."""
    folder = tmp_path_factory.mktemp("repaired")
    for families in ('["rephrase"]', '["negative"]'):
        (folder / "r.toml").write_text(RECIPE.format(path=folder / "data", source="procedural:6", families=families))
        run_plainly(folder / "r.toml", here=True)
    return folder / "data"


@pytest.fixture
def data(made, tmp_path):
    shutil.copytree(made, tmp_path / "data")
    return tmp_path / "data"


def damage(data, table, pick):
    file = pick(Dataset(str(data)).snapshot().files(table), key=lambda file: file.rows)
    path = data / file.path
    whole = path.read_bytes()
    path.write_bytes(whole[:300] + bytes([whole[300] ^ 1]) + whole[301:])
    return path, whole


def test_packs_and_single_files_come_back_byte_for_byte(data):
    before = Dataset(str(data)).versions()
    damaged = [damage(data, "anchors", max), damage(data, "contrasts", max), damage(data, "contrasts", min)]
    heard = Heard()
    done = repair_dataset(str(data), heard)
    assert sorted(done.files) == sorted(str(path.relative_to(data)) for path, _ in damaged) and not done.left
    assert all(path.read_bytes() == whole for path, whole in damaged)
    assert Dataset(str(data)).versions() == before
    assert any("/6 shards reused" in line for line in heard.lines), heard.lines


def test_only_the_shards_that_are_damaged_are_made(data):
    path, whole = damage(data, "contrasts", min)
    heard = Heard()
    assert repair_dataset(str(data), heard).files == (str(path.relative_to(data)),)
    assert path.read_bytes() == whole
    assert sum("5/6 shards reused" in line for line in heard.lines) == 1, heard.lines


def test_a_whole_dataset_is_left_alone(data):
    heard = Heard()
    done = repair_dataset(str(data), heard)
    assert not done.files and not done.left and not heard.lines


def test_a_recipe_that_makes_other_rows_now_replaces_nothing(data, monkeypatch):
    path, _ = damage(data, "anchors", max)
    broken = path.read_bytes()

    def other_seed(dataset, domain, keys):
        return [
            each.model_copy(update={"dataset": each.dataset.model_copy(update={"seed": 5})})
            for each in find_recipes(dataset, domain, keys)
        ]

    monkeypatch.setattr("counterfoil.flows.datasets.repairing.find_recipes", other_seed)
    before = Dataset(str(data)).versions()
    with pytest.raises(LossError, match="Nothing was replaced"):
        repair_dataset(str(data), Observer())
    assert Dataset(str(data)).versions() == before and path.read_bytes() == broken
