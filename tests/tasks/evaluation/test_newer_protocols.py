"""The newer benchmarks in their authors' formats: each is read, scored strictly, and refused with what to fetch."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.published import export_published
from counterfoil.storage.rows import Anchor, Contrast, Image
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.evaluation.benchmark import Options
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.evaluate import MODEL, Entry, evaluate
from counterfoil.tasks.evaluation.protocols import foils, load_benchmark, squares
from tests.tasks.evaluation import folders
from tests.tasks.evaluation.scorers import Given, at

COLUMNS = {
    "bivlc": ("type", "caption", "negative_caption", "image", "negative_image"),
    "colorswap": ("image_source", "caption_1", "caption_2", "image_1", "image_2"),
    "vismin": ("category", "text_0", "text_1", "image_0", "image_1"),
}


def write_csv(path: Path, rows: list[dict[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def write(name: str, folder: Path) -> Path:
    """One item in the authors' format: its captions are "true" and "false", its pictures 0 and 1."""
    shown = [folders.draw(folder / "images" / f"{side}.jpg", side) for side in range(2)]
    if name in COLUMNS:
        part, *texts, one, two = COLUMNS[name]
        stored = [{"bytes": each.read_bytes(), "path": None} for each in shown]
        row = {part: "kind", texts[0]: "true", texts[1]: "false", one: stored[0], two: stored[1], "further": 1}
        (folder / "data").mkdir()
        pq.write_table(pa.Table.from_pylist([row]), folder / "data" / "test-00000-of-00001.parquet")
    elif name == "cola":
        row = ["https://place/0.jpg", "true", "https://place/1.jpg", "false"]
        folders.write(folder / "data" / "COLA_multiobjects_matching_benchmark.json", [row])
    elif name == "cococounterfactuals":
        row = {"id": 1, "caption_0": "true", "caption_1": "false", "image_0": "0", "image_1": "1"}
        folders.write(folder / "data" / "examples.jsonl", [row])
    elif name == "ccneg":
        import torch

        row = {"json": {"caption": "true"}, "sop_data": {"negative-prompt": "fal,se"}}
        torch.save({"image_paths": ["/there/images/0.jpg"], "annotations": [row]}, folder / "ccneg_preprocessed.pt")
    elif name == "negbench":
        row = {"image_path": "0.jpg", "correct_answer": "2", "caption_0": "false", "caption_1": "false too"}
        row |= {"caption_2": "true", "caption_3": "false, too", "correct_answer_template": "hybrid"}
        write_csv(folder / "images" / "COCO_val_mcq_llama3.1_rephrased.csv", [row])
    elif name == "whatsup":
        row = {"image_path": "data/images/0.jpg", "caption_options": ["true", "false", "false too", "false, too"]}
        folders.write(folder / "controlled_images_dataset.json", [row])
        folders.draw(folder / "images" / "COCO_val2014_000000000042.jpg", 0)
        folders.write(folder / "coco_qa_one_obj.json", [[42, "true", "false"]])
    elif name == "svo":
        row = {"sentence": "true", "pos_triplet": "a,b,c", "neg_triplet": "a,d,c", "pos_url": "", "neg_url": ""}
        row |= {"pos_image_id": "0", "neg_image_id": "1", "subj_neg": "False", "verb_neg": "True", "obj_neg": "False"}
        write_csv(folder / "svo_probes.csv", [row])
    elif name == "colorfoil":
        row = {"image_url": "http://images.cocodataset.org/val2017/0.jpg", "caption": "true", "foil": "false"}
        folders.write(folder / "colorfoil.json", [row])
    else:
        row = {"filename": "0.jpg", "short": "true", "half_truth": "false", "kind": "relation"}
        folders.write(folder / "half_truths.jsonl", [row])
    return folder


def load(name: str, folder: Path):
    return load_benchmark(f"{name}:{folder}", Options())


def score(benchmark, texts: dict[str, int], pictures: tuple[int, int]):
    first = benchmark.material.pictures[0].read()
    encoder = Given({name: at(angle) for name, angle in texts.items()}, lambda image: at(pictures[int(image != first)]))
    sheet = evaluate(benchmark, [Entry(encoder, MODEL)], blind=False)
    return [{each.name: each.value for each in table.rows[0].figures} for table in sheet.tables]


ANGLES = {"false too": 80, "false, too": 85}


@pytest.mark.parametrize("name", squares.SETS)
def test_of_two_pictures_and_two_captions_all_four_questions_are_asked_strictly(tmp_path, name):
    benchmark = load(name, write(name, tmp_path))
    title = squares.SETS[name].title
    told = [score(benchmark, {"true": a, "false": b}, (c, d)) for a, b, c, d in ((0, 90, 10, 80), (10, 14, 0, 30))]
    assert [[each[title] for each in found] for found in told] == [[1, 1, 1], [1, 0, 0]]
    assert [task.chance for task in benchmark.tasks] == [1 / 4, 1 / 4, 1 / 6]
    tied = score(benchmark, {"true": 9, "false": 9}, (0, 90))
    assert [each[title] for each in tied] == [0, 0, 0]


@pytest.mark.parametrize("name", foils.SETS)
def test_what_is_true_must_score_higher_than_all_else(tmp_path, name):
    benchmark = load(name, write(name, tmp_path))
    title = foils.SETS[name].title
    assert score(benchmark, {"true": 5, "false": 60, **ANGLES}, (0, 90))[0][title] == 1
    wrong = {"true": 60, "false": 5, **ANGLES} if name != "svo" else {"true": 80}
    assert score(benchmark, wrong, (0, 90))[0][title] == 0
    tied = {"true": 45, "false": 45, **ANGLES}
    assert score(benchmark, tied, (0, 90))[0][title] == 0


def test_parts_are_told_by_themselves(tmp_path):
    found = score(load("negbench", write("negbench", tmp_path)), {"true": 5, "false": 60, **ANGLES}, (0, 90))
    assert found[0] == {"NegBench, multiple choice": 1, "hybrid": 1}
    assert load("negbench", tmp_path).tasks[0].chance == 1 / 4
    (tmp_path / "svo").mkdir()
    assert score(load("svo", write("svo", tmp_path / "svo")), {"true": 5}, (0, 90))[0]["verb"] == 1


@pytest.mark.parametrize("name", [*squares.SETS, *foils.SETS])
def test_what_is_not_there_is_refused_with_what_to_fetch(tmp_path, name):
    about = {**squares.SETS, **foils.SETS}[name]
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(EvaluationError) as told:
            load(name, folder)
        assert about.fetch in str(told.value)


def test_a_file_in_another_format_is_told_by_file_row_and_field(tmp_path):
    folders.write(tmp_path / "half_truths.jsonl", [{"filename": "0.jpg", "short": "true"}])
    with pytest.raises(EvaluationError, match=r"half_truths.jsonl, 1: half_truth: missing; it has filename"):
        load("halftruth", tmp_path)
    folders.write(tmp_path / "COLA_multiobjects_matching_benchmark.json", [["0.jpg", "true"]])
    with pytest.raises(EvaluationError, match=r"benchmark.json, 0: not \[picture, caption, picture, caption\]"):
        load("cola", tmp_path)
    (tmp_path / "ccneg_preprocessed.pt").write_bytes(b"none")
    with pytest.raises(EvaluationError, match=r"is no file of CC-Neg"):
        load("ccneg", tmp_path)


def test_what_is_exported_as_bivlc_is_asked_as_bivlc(tmp_path):
    shown = [folders.draw(tmp_path / "drawn" / f"{side}.jpg", side).read_bytes() for side in range(2)]
    anchor = Anchor("ab" * 16, "geometry", "one", "1", "test", image=Image(shown[0], "0.jpg"), caption="true")
    contrast = Contrast(
        anchor.anchor_id, "geometry.image", "negative", "image", text="false", image=Image(shown[1], "1.jpg")
    )
    dataset = Dataset(str(tmp_path / "made"))
    tables = {
        "anchors/domain=geometry": to_table([anchor], "anchors"),
        "contrasts/family=geometry.image": to_table([contrast.accept(0, ("differs",))], "contrasts"),
    }
    StagedShards(dataset.store.url).write("ab" * 8, tables)
    dataset.publish({key: ["ab" * 8] for key in tables}, metadata={"recipe": {"seed": 7}})
    export_published(dataset, tmp_path / "to", "bivlc")
    told = score(load("bivlc", tmp_path / "to"), {"true": 0, "false": 90}, (10, 80))
    assert [each["BiVLC"] for each in told] == [1, 1, 1]
