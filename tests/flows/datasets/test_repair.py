"""`repair` makes the damaged shards again, byte for byte, and no other; what it cannot make it leaves as it is."""

from __future__ import annotations

import shutil

import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.flows.datasets.repairing import find_recipes, repair_dataset
from counterfoil.storage import publish
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.tasks.audit.verify import verify_dataset
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


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """Versions by six runs, with a checkpoint every other one, and the shards in single files."""
    folder = tmp_path_factory.mktemp("long")
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(publish._CONFIGURATION, "delta.checkpointInterval", "2")
        patched.setattr("counterfoil.storage.packing.TOGETHER", 1000)
        for seed in (1, 2, 3):
            for families in ('["rephrase"]', '["negative"]'):
                recipe = RECIPE.format(path=folder / "data", source="procedural:3", families=families)
                (folder / "r.toml").write_text(recipe.replace("workers", f"seed = {seed}\nreplace = true\nworkers"))
                run_plainly(folder / "r.toml", here=True)
    return folder / "data"


def flip(path, at):
    whole = path.read_bytes()
    path.unlink()
    path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    return whole


def exchange(data, one, other):
    """Each of two files has the other's bytes."""
    paths = [data / each.path for each in (one, other)]
    whole = [path.read_bytes() for path in paths]
    for path, content in zip(paths, whole[::-1], strict=True):
        path.unlink()
        path.write_bytes(content)
    return dict(zip(paths, whole, strict=True))


def list_by_rows(data, table):
    return sorted(Dataset(str(data)).snapshot().files(table), key=lambda file: (file.rows, file.path))


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


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(("contrasts", 0), ("contrasts", 1), id="two shards"),
        pytest.param(("contrasts", 0), ("contrasts", -1), id="a shard and a pack", marks=pytest.mark.slow),
        pytest.param(("anchors", 0), ("contrasts", -1), id="files of two tables", marks=pytest.mark.slow),
    ],
)
def test_files_that_have_each_other_s_bytes_come_back(data, one, other):
    before = Dataset(str(data)).versions()
    files = [list_by_rows(data, table)[at] for table, at in (one, other)]
    assert files[0].path != files[1].path
    whole = exchange(data, *files)
    done = repair_dataset(str(data), Observer())
    assert sorted(done.files) == sorted(file.path for file in files) and not done.left
    assert all(path.read_bytes() == content for path, content in whole.items())
    assert Dataset(str(data)).versions() == before and not verify_dataset(str(data), workers=1, hashes=True).failures


def test_all_shards_of_a_family_in_a_circle_come_back(data):
    files = list_by_rows(data, "contrasts")
    whole = {data / file.path: (data / file.path).read_bytes() for file in files}
    for (path, _), content in zip(whole.items(), [*whole.values()][1:] + [*whole.values()][:1], strict=True):
        path.unlink()
        path.write_bytes(content)
    done = repair_dataset(str(data), Observer())
    assert len(done.files) == len(files) and not done.left
    assert all(path.read_bytes() == content for path, content in whole.items())


@pytest.mark.slow
def test_behind_a_long_log_with_checkpoints_what_is_damaged_comes_back(long, tmp_path):
    shutil.copytree(long, tmp_path / "data")
    data = tmp_path / "data"
    before = Dataset(str(data)).versions()
    assert min(before["anchors"], before["contrasts"]) >= 2 and list(data.glob("*/_delta_log/*.checkpoint.parquet"))
    anchors, contrasts = list_by_rows(data, "anchors"), list_by_rows(data, "contrasts")
    whole = exchange(data, contrasts[0], contrasts[-1])
    whole[data / anchors[0].path] = flip(data / anchors[0].path, 300)
    done = repair_dataset(str(data), Observer())
    assert sorted(done.files) == sorted(str(path.relative_to(data)) for path in whole) and not done.left
    assert all(path.read_bytes() == content for path, content in whole.items())
    assert Dataset(str(data)).versions() == before


CHECKPOINT, COMMIT = "*.checkpoint.parquet", "*.json"
AT = {
    "middle of a checkpoint": (CHECKPOINT, lambda whole: len(whole) // 2),
    "first brace": (COMMIT, lambda whole: whole.index(b"{")),
    "an escape": (COMMIT, lambda whole: whole.index(b"\\") + 1),
    "a name's quote": (COMMIT, lambda whole: whole.index(b'"timestamp"')),
    "a colon": (COMMIT, lambda whole: whole.index(b'"timestamp":') + 11),
    "last brace": (COMMIT, lambda whole: whole.rindex(b"}")),
}


@pytest.mark.parametrize("where", AT)
def test_what_is_damaged_of_a_log_is_left_and_told_and_files_come_back(long, tmp_path, where):
    shutil.copytree(long, tmp_path / "data")
    data = tmp_path / "data"
    pattern, find = AT[where]
    log = sorted((data / "contrasts" / "_delta_log").glob(pattern))[0]
    flip(log, find(log.read_bytes()))
    file = list_by_rows(data, "anchors")[0]
    content = flip(data / file.path, 300)
    done = repair_dataset(str(data), Observer())
    assert (data / file.path).read_bytes() == content
    assert {each.row_id for each in done.left} == {str(log.relative_to(data))}


def test_the_history_of_a_damaged_log_names_the_commit(long, tmp_path):
    shutil.copytree(long, tmp_path / "data")
    log = tmp_path / "data/contrasts/_delta_log/00000000000000000000.json"
    flip(log, log.read_bytes().index(b"\\") + 1)
    with pytest.raises(StorageError, match=r"contrasts/_delta_log/0{20}\.json of its log: it is cut or damaged"):
        Dataset(str(tmp_path / "data")).history()


@pytest.mark.slow
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
