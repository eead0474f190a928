"""Every paper's recipe whole, small: made, packed, trained row by row, scored, and a table without an empty cell."""

from __future__ import annotations

import json
import math

import pytest

from counterfoil.flows.learning.reproducing import list_rows, read_papers, reproduce_paper
from tests.tasks.encoders.tiny import save_sentences

SCENES = ("caption.source=procedural:120", "caption.size=96")
SMALL: dict[str, tuple[str, ...]] = {
    "mathleap": ("theorem.source=procedural:60", "training.max_tokens=32"),
    "ahnpl": SCENES,
    "concrete-jungle": SCENES,
    "saclip": (
        "flowchart.source=procedural:8",
        "flowchart.size=96",
        "flowchart.smallest_text=3",
        "flowchart.image_negatives=2",
    ),
    "mmclip": ("geometry.source=procedural:40", "geometry.negatives=3", "geometry.template_bank=20"),
}
SHORT = ("training.steps=2", "training.batch_size=8", "training.evaluate_rows=16", "training.holdout=0.1")


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_papers_way_is_walked_to_a_table_without_an_empty_cell(counterfoil, name, tmp_path):
    def make(recipe: str, overrides: list[str]) -> None:
        counterfoil("run", recipe, "--yes", *(part for key in overrides for part in ("--set", key)))

    small = [*SMALL[name], *SHORT]
    if name == "mathleap":
        small.append(f"training.model={json.dumps(save_sentences(tmp_path / 'sentences'))}")
    paper = read_papers()[name]
    made = reproduce_paper(paper, tmp_path, 0.02, small, make)
    assert list(made.rows) == [*(row.name for row in paper.rows), "strongest blind baseline", "chance"]
    for row in paper.rows:
        for cell in made.rows[row.name]:
            from_scratch = row.untuned and name != "mathleap"
            assert cell.why.startswith("a model from scratch") if from_scratch else 0 <= cell.value <= 100, row
    for cells in made.rows.values():
        for cell in cells:
            assert not math.isnan(cell.printed) or cell.why_printed
            assert not math.isnan(cell.value) or cell.why
    written = [*(text for row in list_rows(made) for text in row), (tmp_path / "results.json").read_text()]
    assert not any("nan" in text.lower() for text in written)
    assert all(text and text != "–" for text in written)
    for log in tmp_path.glob("models/*/log.jsonl"):
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert all(line["loss"] is not None for line in lines if line["kind"] == "train")
