"""A dataset's identity: one for life, whatever its path is written as and whoever makes it first."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from counterfoil.storage.errors import StorageError
from counterfoil.storage.identity import IDENTITY_PATH, find_identity, make_identity
from counterfoil.storage.store import Store


def test_a_dataset_has_one_identity_however_its_path_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert find_identity(Store("night")) == ""
    made = make_identity(Store("night"))
    assert made == make_identity(Store("./night")) == find_identity(Store(str(tmp_path / "night")))
    assert made != make_identity(Store(str(tmp_path / "elsewhere" / "night")))


def test_of_many_that_make_it_at_once_all_get_the_same(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        made = set(pool.map(lambda _: make_identity(Store(str(tmp_path))), range(64)))
    assert len(made) == 1
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["identity"]


def test_what_is_no_identity_is_refused(tmp_path):
    make_identity(Store(str(tmp_path)))
    (tmp_path / IDENTITY_PATH).write_text("night")
    with pytest.raises(StorageError, match="remove it"):
        find_identity(Store(str(tmp_path)))
