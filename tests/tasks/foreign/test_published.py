"""Files with all fields that their authors publish: ARO, VALSE, Winoground, MTEB's reranking, NegCLIP, each audited,
checked and cleaned."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil.tasks.foreign.audit import audit_foreign
from counterfoil.tasks.foreign.check import check_foreign
from counterfoil.tasks.foreign.clean import clean_foreign
from counterfoil.tasks.foreign.groups import open_foreign
from tests.tasks.foreign.test_reading import write

THINGS = ("dog", "cat", "horse", "man", "woman", "bird", "boy", "girl", "cow", "sheep", "bear", "child")
PAIRS = [(f"The {a} is on the {b}.", f"The {b} is on the {a}.") for a in THINGS[:6] for b in THINGS[6:10]]
BOX = {"bbox_x": 84, "bbox_y": 10, "bbox_w": 400, "bbox_h": 300, "height": 480, "width": 640}
VALSE = {
    "dataset": "visual7w",
    "original_split": "test",
    "dataset_idx": "v7w_2",
    "linguistic_phenomena": "existence",
    "classes": "a dog",
    "classes_foil": "no dog",
    "mturk": {"foil": 0, "caption": 3, "other": 0},
}
WINOGROUND = {"secondary_tag": "", "num_main_preds": 1, "collapsed_tag": "Relation"}
FILES: dict[str, Any] = {
    "visual_genome_relation.json": [
        {"image_id": f"23{n}", **BOX, "relation_name": "on", "true_caption": a, "false_caption": b}
        for n, (a, b) in enumerate(PAIRS)
    ],
    "visual_genome_attribution.json": [
        {"image_path": f"23{n}.jpg", **BOX, "attributes": ["red", "old"], "true_caption": a, "false_caption": b}
        for n, (a, b) in enumerate(PAIRS)
    ],
    "existence.json": {
        f"existence_visual7w_{n}": {**VALSE, "image_file": f"v7w_{n}.jpg", "caption": a, "foil": b}
        for n, (a, b) in enumerate(PAIRS)
    },
    "examples.jsonl": [
        {
            "id": n,
            "image_0": f"ex_{n}_img_0",
            "image_1": f"ex_{n}_img_1",
            "caption_0": a,
            "caption_1": b,
            "tag": "Noun",
            **WINOGROUND,
        }
        for n, (a, b) in enumerate(PAIRS)
    ],
    # As the hub gives it: pictures are structs.
    "test-00000-of-00001.parquet": [
        {
            "id": n,
            "image_0": {"bytes": b"", "path": f"ex_{n}_img_0.png"},
            "image_1": {"bytes": b"", "path": f"ex_{n}_img_1.png"},
            "caption_0": a,
            "caption_1": b,
            "tag": "Noun",
            **WINOGROUND,
        }
        for n, (a, b) in enumerate(PAIRS)
    ],
    "test.jsonl.gz": [{"query": a, "positive": [a.replace("The", "the")], "negative": [b]} for a, b in PAIRS],
    "train_neg_clip.tsv": [
        {"title": a, "filepath": f"COCO_{n}.jpg", "neg_caption": str([b]), "neg_image": str([n, n + 1])}
        for n, (a, b) in enumerate(PAIRS)
    ],
}


@pytest.mark.parametrize("name", FILES)
def test_what_authors_publish_is_audited_checked_and_cleaned(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in FILES[name]).encode()))
    else:
        write(path, FILES[name])
    (audit,) = [each for each in audit_foreign(open_foreign(str(path))) if each.beside == "anchor"]
    assert audit.anchors == len(PAIRS) and audit.strongest and audit.modality == "text"
    found = list(check_foreign(open_foreign(str(path))))
    assert [(each.anchor, each.negative, each.standing) for each in found] == [(a, b, "proved") for a, b in PAIRS]
    to = tmp_path / "clean" / name
    assert clean_foreign(open_foreign(str(path)), to).rows == len(PAIRS)
    again = list(open_foreign(str(to)).read())
    assert [(each.anchor, each.negatives[0].text) for each in again] == PAIRS
