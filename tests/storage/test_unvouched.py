"""Contrasts that nobody vouches for are read, exported and scored with no others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import storage_cases as cases

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.export import export
from counterfoil.storage.joining import Join
from counterfoil.storage.rows import Contrast, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.evaluation.dataset import read_rows_of

FAMILY = "geometry.caption"


def grade(contrast: Contrast) -> Contrast:
    """Of three contrasts the first is proved, the second of before there were grades, the last unjudged."""
    return replace(contrast, grade=("proved", None, "unjudged")[contrast.rank])


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    made = Dataset(str(tmp_path_factory.mktemp("unvouched") / "night"))
    staged = StagedShards(made.store.url, None)
    anchors = cases.make_anchors("one", 0)
    contrasts = [grade(each) for each in cases.make_contrasts(anchors, FAMILY)]
    tables = {
        "anchors/domain=geometry": to_table(anchors, "anchors"),
        f"contrasts/family={FAMILY}": to_table(contrasts, "contrasts"),
    }
    keys = {}
    for name, table in tables.items():
        keys[name] = [fingerprint(name)]
        staged.write(keys[name][0], {name: table}, {"accepted": {FAMILY: len(contrasts)}})
    made.publish(keys, metadata={"recipe": {"seed": 7}})
    return made


def test_training_reads_them_only_where_they_are_asked_for(dataset: Dataset) -> None:
    for options, ranks in (({}, [0, 1]), ({"without": ()}, [0, 1, 2])):
        join = Join(dataset.snapshot(), [FAMILY], least={("negative", "text"): len(ranks)}, **options)  # type: ignore[arg-type]
        read = [each for block in join.blocks for each in join.read(block, ["caption"], ["text"])]
        assert len(read) == 4
        assert all([row["rank"] for row in each.contrasts] == ranks for each in read)


@pytest.mark.parametrize("form", ["hf", "triplets"])
def test_exports_hold_them_only_where_they_are_asked_for(form: str, dataset: Dataset, tmp_path: Path) -> None:
    for name, options in (("all", {"grades": ("proved", "unjudged")}), ("vouched", {})):
        export(dataset, tmp_path / name, form, **options)  # type: ignore[arg-type]
        texts = str([pq.read_table(path).to_pylist() for path in (tmp_path / name).rglob("*.parquet")])
        assert "negative 1" in texts
        assert ("negative 2" in texts) == (name == "all")


def test_a_model_is_not_scored_on_them(dataset: Dataset) -> None:
    rows = read_rows_of(str(dataset.store.url), None).contrasts(FAMILY, "negative", "text")
    assert {each.rank for own in rows.values() for each in own} == {0, 1}
