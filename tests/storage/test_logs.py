"""A table's log that was cut anywhere: a run mends it, or it and every reader name the file and what to do."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
from pathlib import Path

import pytest
import storage_cases as cases
from deltalake import DeltaTable

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.logs import find_torn_logs
from counterfoil.storage.schemas import TABLES

CUTS = {
    "empty": lambda content: content[:0],
    "half a line": lambda content: content[: len(content.splitlines()[0]) // 2],
    "half its lines": lambda content: content[: content.rindex(b"\n", 0, -1) + 20],
    "no end": lambda content: content.rstrip()[:-1],
    "gone": None,
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    url = str(tmp_path_factory.mktemp("logs") / "data")
    for tag in ("old", "new"):
        Dataset(url).publish(cases.stage_run(url, tag, 1))
    return url


@pytest.fixture(params=[(table, cut) for table in TABLES for cut in CUTS], ids=" ".join)
def cut_at(request, whole, tmp_path):
    """Cuts the commit of that place (0: the first, -1: the newest); the dataset and the commit's path."""

    def cut(place: int) -> tuple[str, str]:
        table, name = request.param
        url = str(tmp_path / "data")
        shutil.copytree(whole, url)
        path = sorted((Path(url) / table / "_delta_log").glob("*.json"))[place]
        if CUTS[name] is None:
            path.unlink()
        else:
            path.write_bytes(CUTS[name](path.read_bytes()))
        return url, str(path.relative_to(url))

    return cut


def check_told(url: str, path: str, remedy: str) -> None:
    """Whoever reads the table is told, and who reads the others is not."""
    dataset = Dataset(url)
    for table in TABLES:
        if path.startswith(table):
            with pytest.raises(StorageError, match=f"{path}.*{remedy}"):
                list(dataset.scan(table))
        else:
            assert sum(batch.num_rows for batch in dataset.scan(table)) > 0
    with pytest.raises(StorageError, match=f"{path}.*{remedy}"):
        dataset.vacuum(0, keep=1)


def test_a_torn_newest_commit_is_told_and_the_next_run_mends_it(cut_at, whole):
    url, path = cut_at(-1)
    check_told(url, path, "[Rr]un the recipe again")

    began = Dataset(url).begin()
    Dataset(url).publish(cases.stage_run(url, "new", 1), expect=began)

    assert cases.describe(url) == cases.describe(whole)
    assert not any(find_torn_logs(Dataset(url).store, table) for table in TABLES)
    assert Dataset(url).restore(1).changed
    Dataset(url).vacuum(0, keep=1)


@pytest.mark.parametrize("place", [0, 1])
def test_a_torn_commit_that_others_build_on_stops_the_run_and_is_mended_as_told(cut_at, whole, place):
    url, path = cut_at(place)
    check_told(url, path, "bring it back from a copy")
    with pytest.raises(StorageError, match=path):
        Dataset(url).begin()
    with pytest.raises(StorageError, match=path):
        Dataset(url).publish(cases.stage_run(url, "new", 1))

    shutil.move(f"{url}/{path.partition('/')[0]}/_delta_log", f"{url}/away")
    began = Dataset(url).begin()
    Dataset(url).publish(cases.stage_run(url, "new", 1), expect=began)

    assert cases.describe(url) == cases.describe(whole)


def test_a_publish_that_lost_the_end_of_its_last_commit_is_finished(whole, tmp_path):
    url = str(tmp_path / "data")
    Dataset(url).publish(cases.stage_run(url, "old", 1))
    # Files move (1 anchor, 2 contrast, 2 reject files), the intent is written, contrasts are withdrawn, anchors come.
    process = multiprocessing.get_context("spawn").Process(target=cases.publish_and_die, args=(url, "new", 8, True, 1))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    newest = max((tmp_path / "data" / "anchors" / "_delta_log").glob("*.json"))
    assert newest.name.endswith("2.json")
    newest.write_bytes(b"")
    Dataset(url).begin()
    assert cases.describe(url) == cases.describe(whole)


def test_a_table_with_a_checkpoint_needs_no_commit_of_before_it(whole, tmp_path):
    url = str(tmp_path / "data")
    shutil.copytree(whole, url)
    DeltaTable(f"{url}/anchors").create_checkpoint()
    logs = sorted((tmp_path / "data" / "anchors" / "_delta_log").glob("*.json"))
    logs[1].unlink()
    logs[0].write_bytes(b"")
    assert cases.describe(url) == cases.describe(whole)
    assert list(find_torn_logs(Dataset(url).store, "anchors")) == [f"anchors/_delta_log/{logs[0].name}"]
    Dataset(url).begin()
