"""Contrasts in the files that others' code reads: the columns and keys that their loaders ask for."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
import storage_cases as cases

from counterfoil.storage.dataset import Dataset, StorageError
from counterfoil.storage.published import export_published
from counterfoil.storage.rows import BESIDE, Contrast, Edit
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards


def make_unit(anchor, rank: int) -> Contrast:
    true, false = f"{anchor.caption} is red.", f"{anchor.caption} is blue {rank}."
    edits = (Edit("attribute", "red", f"blue {rank}"), Edit(BESIDE, true, false))
    made = Contrast(anchor.anchor_id, "geometry.unit", "negative", "text", text=false, edits=edits)
    return made.accept(rank, ("differs",))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Dataset:
    """Anchors of two splits with negative pictures, units (two foils of one statement) and false captions."""
    made = Dataset(str(tmp_path_factory.mktemp("published") / "night"))
    anchors = cases.make_anchors("one", 0)
    rows = {
        "geometry.image": cases.make_contrasts(anchors, "geometry.image", 2),
        "geometry.rule": cases.make_contrasts(anchors, "geometry.rule", 1),
        "geometry.unit": [make_unit(anchor, rank) for anchor in anchors for rank in range(2)],
    }
    tables = {"anchors/domain=geometry": to_table(anchors, "anchors")}
    tables |= {f"contrasts/family={family}": to_table(each, "contrasts") for family, each in rows.items()}
    StagedShards(made.store.url).write("ab" * 8, tables)
    made.publish({key: ["ab" * 8] for key in tables}, metadata={"recipe": {"seed": 7}})
    return made


def test_a_row_holds_two_pictures_and_two_captions(dataset, tmp_path):
    written = export_published(dataset, tmp_path / "to", "bivlc")
    assert written.rows == {"rows": 8}
    table = pq.read_table(tmp_path / "to" / "data" / "val-00000.parquet")
    assert {"image", "caption", "negative_caption", "negative_image", "type", "subtype"} <= {*table.column_names}
    first = table.to_pylist()[0]
    assert first["image"]["bytes"] != first["negative_image"]["bytes"]
    assert first["caption"].startswith("Triangle")
    assert first["negative_caption"] == "one negative 0"
    assert first["subtype"] == "geometry.image"
    assert "features" in table.schema.metadata[b"huggingface"].decode()


def test_a_sample_holds_its_statements_with_their_foils(dataset, tmp_path):
    written = export_published(dataset, tmp_path / "to", "csclip")
    assert written.rows == {"rows": 4}
    samples = json.loads((tmp_path / "to" / "val.json").read_text())
    assert len(samples) == 2
    for sample in samples:
        (true,) = sample["entities"]
        assert [each["negative"] for each in sample["negative_entities"][true]] == [
            true.replace("red.", f"blue {rank}.") for rank in range(2)
        ]
        assert sample["swap_negatives"] == [{"swap_type": "geometry.rule", "negative": "one negative 0"}]
        assert sample["image_path"].startswith("images/val/")
        assert (tmp_path / "to" / sample["image_path"]).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("format", "grades", "told"),
    [
        ("bivlc", ["refuted"], "no contrast can be written as bivlc: it takes negative pictures with a caption"),
        ("bivlc", ["sure"], "there is no grade 'sure'"),
        ("hf", None, "there is no format 'hf': use bivlc, csclip"),
    ],
)
def test_what_cannot_be_written_is_told_and_leaves_nothing(dataset, tmp_path, format, grades, told):
    with pytest.raises(StorageError, match=told):
        export_published(dataset, tmp_path / "to", format, grades=grades)
    assert not (tmp_path / "to").exists()
