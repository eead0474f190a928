"""Every way of searching finds the same rows: those of the whole matrix of products."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from counterfoil.tasks.mining import index
from counterfoil.tasks.mining.errors import MiningError
from counterfoil.tasks.mining.index import Way, choose_way, search
from counterfoil.tasks.mining.neighbours import BLOCK, NOBODY, Gathering, Neighbours, measure_recall, pack, settle


def make_rows(count: int, width: int = 32, seed: int = 0) -> np.ndarray:
    """Rows in clusters, as texts are: within a cluster all are near."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((max(count // 20, 1), width))
    rows = centres[rng.integers(0, len(centres), count)] + 0.7 * rng.standard_normal((count, width))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def find_naively(queries: np.ndarray, rows: np.ndarray, k: int, itself: bool) -> np.ndarray:
    scores = queries.astype(np.float64) @ rows.astype(np.float64).T
    if itself:
        np.fill_diagonal(scores, -2)
    return np.argsort(-scores, axis=1, kind="stable")[:, :k]


@cache
def list_rows() -> np.ndarray:
    return make_rows(BLOCK + 600)


@cache
def list_true() -> np.ndarray:
    return find_naively(list_rows(), list_rows(), 20, itself=True)


WAYS: tuple[Way, ...] = ("plain", "flat")


def require(way: Way) -> None:
    if way in ("flat", "ivf"):
        pytest.importorskip("faiss", reason="pip install 'counterfoil[cpu]'")


@pytest.mark.parametrize("way", WAYS)
def test_self_mining_is_the_whole_product(way: Way) -> None:
    require(way)
    found = search(list_rows(), list_rows(), 20, itself=True, way=way).neighbours
    assert measure_recall(found, Neighbours(list_true(), list_true())) > 0.9999
    assert not (found.rows == np.arange(len(list_rows()))[:, None]).any()


@pytest.mark.parametrize("way", WAYS)
def test_queries_find_the_rows_of_the_whole_product(way: Way) -> None:
    require(way)
    queries = make_rows(300, seed=1)
    found = search(queries, list_rows(), 20, way=way).neighbours
    true = find_naively(queries, list_rows(), 20, itself=False)
    assert measure_recall(found, Neighbours(true, true)) > 0.9999
    exact = np.einsum("ij,ikj->ik", queries, list_rows()[found.rows])
    assert np.allclose(found.scores, exact, atol=1e-6)
    assert (np.diff(found.scores, axis=1) <= 0).all()


@pytest.mark.parametrize("way", (*WAYS, "ivf"))
def test_rows_of_half_precision_in_a_file_are_found_as_those_in_memory(way: Way, tmp_path: Path) -> None:
    require(way)
    kept = np.lib.format.open_memmap(tmp_path / "rows.npy", "w+", np.float16, list_rows().shape)
    kept[:] = list_rows()
    queries = make_rows(300, seed=1)
    found, same = (search(queries, rows, 20, way=way).neighbours for rows in (kept, kept.astype(np.float32)))
    assert np.array_equal(found.rows, same.rows)


@pytest.mark.parametrize("way", WAYS)
def test_equal_rows_come_in_their_order(way: Way) -> None:
    require(way)
    rows = np.repeat(make_rows(60), 3, axis=0)
    found = search(rows, rows, 2, itself=True, way=way).neighbours
    first = np.arange(0, len(rows), 3)
    assert np.array_equal(found.rows[first], np.stack([first + 1, first + 2], axis=1))
    assert np.array_equal(found.rows[first + 1], np.stack([first, first + 2], axis=1))


@pytest.mark.parametrize("way", WAYS)
def test_where_there_are_fewer_than_k_nobody_fills_the_rest(way: Way) -> None:
    require(way)
    rows = make_rows(5)
    found = search(rows, rows, 8, itself=True, way=way).neighbours
    assert found.count().tolist() == [4] * 5
    assert (found.rows[:, 4:] == NOBODY).all()


@pytest.mark.parametrize("way", WAYS)
def test_rows_that_share_nothing_are_found_too(way: Way) -> None:
    """Hashed texts have many cosines of exactly 0, and some under it."""
    require(way)
    rows = np.zeros((900, 32), np.float32)
    rows[np.arange(900), np.arange(900) % 32] = np.where(np.arange(900) % 3, 1, -1)
    found = search(rows, rows, 40, itself=True, way=way).neighbours
    scores = rows @ rows.T
    np.fill_diagonal(scores, -2)
    assert np.allclose(found.scores, -np.sort(-scores, axis=1)[:, :40], atol=1e-6)


def test_rows_may_lie_on_a_disk(tmp_path: Path) -> None:
    np.save(tmp_path / "rows.npy", list_rows())
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    queries = make_rows(50, seed=2)
    for way in WAYS:
        require(way)
        there, here = (search(queries, rows, 9, way=way).neighbours for rows in (mapped, list_rows()))
        assert np.array_equal(there.rows, here.rows)


def test_cells_tell_their_recall_which_is_true() -> None:
    require("ivf")
    rows, told = make_rows(6000), list[str]()
    searched = search(rows, rows, 10, itself=True, way="ivf", tell=told.append)
    true = search(rows, rows, 10, itself=True, way="plain").neighbours
    assert searched.recall is not None and searched.recall >= 0.95
    assert measure_recall(searched.neighbours, true) == pytest.approx(searched.recall, abs=0.03)
    assert "recall 0.9" in told[0] or "recall 1.0" in told[0]


def test_size_decides_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_has_gpu", lambda: False)
    monkeypatch.setattr(index, "find_spec", bool)
    assert [choose_way(n, n) for n in (1000, 20_000, 10**6, 10**7)] == ["plain", "flat", "flat", "ivf"]
    monkeypatch.setattr(index, "_has_gpu", lambda: True)
    assert choose_way(10_000_000, 10_000_000) == "gpu"


def test_too_many_rows_are_refused() -> None:
    many = np.lib.stride_tricks.as_strided(np.ones(2, np.float32), (1 << 28, 2), (0, 4))
    with pytest.raises(MiningError, match="too many for one index"):
        search(list_rows()[:1, :2], many, 5)


def test_candidates_come_sorted_by_score_and_row_and_no_more_are_held_than_wanted() -> None:
    gathering = Gathering(2, 3)
    for start in range(0, 300, 30):
        rows = np.arange(start, start + 30)
        gathering.add(pack(rows % 2, rows, np.full(30, 0.5) + (rows > 295) * 0.25))
    kept = gathering.take()
    assert sum(map(len, kept)) <= 48
    found = Neighbours.empty(2, 3)
    settle(found, 0, kept)
    assert found.rows.tolist() == [[296, 298, 0], [297, 299, 1]]
    assert np.allclose(found.scores, [[0.75, 0.75, 0.5]] * 2)


FLAWS = {7: np.nan, 300: np.inf, 901: -np.inf, 2100: 0.0}
"""Rows with one number that is not finite, or of zeros."""


def spoil(rows: np.ndarray) -> np.ndarray:
    spoilt = rows.copy()
    for row, number in FLAWS.items():
        spoilt[row, 3] = number
        if number == 0:
            spoilt[row] = 0
    return spoilt


@pytest.mark.parametrize("way", (*WAYS, "ivf"))
@pytest.mark.parametrize("where", ["memory", "disk"])
def test_a_row_that_cannot_be_compared_costs_no_other_query_a_neighbour(way: Way, where: str, tmp_path: Path) -> None:
    require(way)
    queries, rows = make_rows(300, seed=1), spoil(list_rows())
    sound = np.setdiff1d(np.arange(len(list_rows())), list(FLAWS))
    if where == "disk":
        np.save(tmp_path / "rows.npy", rows)
        rows = np.load(tmp_path / "rows.npy", mmap_mode="r")
    found = search(queries, rows, 20, way=way)
    expected = search(queries, list_rows()[sound], 20, way=way)
    assert np.array_equal(found.neighbours.rows, sound[expected.neighbours.rows])
    assert np.array_equal(found.neighbours.scores, expected.neighbours.scores)
    assert set(found.left_out[1]) == set(FLAWS) and not found.left_out[0]
    assert "4 of the rows left out: all of its numbers are 0 1, numbers are not finite 3 (rows 7, 300, 901, 2100)" in (
        found.describe()
    )


@pytest.mark.parametrize("way", WAYS)
def test_queries_that_cannot_be_compared_have_no_neighbours_and_are_named(way: Way) -> None:
    require(way)
    rows = spoil(list_rows())
    sound = np.setdiff1d(np.arange(len(list_rows())), list(FLAWS))
    found = search(rows, rows, 20, itself=True, way=way)
    assert (found.neighbours.rows[list(FLAWS)] == NOBODY).all()
    true = sound[find_naively(list_rows()[sound], list_rows()[sound], 20, itself=True)]
    assert measure_recall(Neighbours(found.neighbours.rows[sound], true), Neighbours(true, true)) > 0.9999
    asked = search(rows[:10], list_rows(), 3, way=way)
    assert asked.left_out == ({7: "1 of its 32 numbers are not finite"}, {})
    assert (asked.neighbours.rows[7] == NOBODY).all() and (asked.neighbours.rows[:7] >= 0).all()


def test_vectors_of_another_width_are_refused_by_what_they_are() -> None:
    with pytest.raises(MiningError, match=r"the queries: .*shape \(3, 31\), where rows of 32 numbers are needed"):
        search(list_rows()[:3, :31], list_rows(), 2)
    with pytest.raises(MiningError, match=r"the rows: an array of object"):
        search(list_rows()[:3], list_rows().astype(object), 2)
