"""`counterfoil overlap`: figures, the page, and the cleaned copy of a dataset that still verifies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from counterfoil.flows.cli import app
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.audit.verify import verify_dataset
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts

RUNNER = CliRunner()
SETTINGS = {"source": "procedural:2", "retrieval_negatives": 2}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A small dataset of flowcharts, published as a run would."""
    domain = load_domain("flowchart")
    settings = domain.settings_type.model_validate(SETTINGS)
    context: Context[Any] = Context(settings, 7, None)  # type: ignore[arg-type]
    rows = [row for source in domain.read(settings, 7, None) for row in make_anchors(domain, source, context)]
    anchors = [row for row in rows if isinstance(row, Anchor)]
    family = domain.families["flowchart.retrieval"]
    assert family.prepare is not None
    ready = prepare_here(family.prepare, [anchors], context)
    made = [row for anchor in anchors for row in make_contrasts([family], anchor, ready)]
    contrasts = [row for row in made if isinstance(row, Contrast)]
    url = str(tmp_path_factory.mktemp("data") / "made")
    tables = {"anchors/domain=flowchart": to_table(anchors, "anchors")}
    tables["contrasts/family=flowchart.retrieval"] = to_table(contrasts, "contrasts")
    StagedShards(url).write("0" * 64, tables)
    recipe = {"dataset": {"seed": 7}, "flowchart": settings.model_dump(mode="json")}
    Dataset(url).publish({key: ["0" * 64] for key in tables}, metadata={"recipe": recipe})
    return url


def run(*arguments: str) -> Any:
    return RUNNER.invoke(app, ["overlap", *arguments])


def write_test(folder: Path, made: str) -> tuple[Path, str]:
    anchor = next(Dataset(made).snapshot().anchors())
    path = folder / "test.txt"
    path.write_text(f"{anchor.caption}\nA dog sits on the grass.\n", encoding="utf-8")
    return path, anchor.anchor_id


def test_the_page_shows_the_nearest_pairs(made: str, tmp_path: Path) -> None:
    test, anchor_id = write_test(tmp_path, made)
    page = tmp_path / "page.html"
    result = run(made, str(test), "--page", str(page), "--no-separation")
    assert result.exit_code == 0, result.output
    assert "nearer than" in result.output
    html = page.read_text(encoding="utf-8")
    assert anchor_id in html and "1.0000" in html
    assert "data:image/png;base64," in html
    assert "https://" not in html and "<script" not in html


def test_the_cleaned_copy_lacks_the_near_anchors_and_verifies(made: str, tmp_path: Path) -> None:
    test, anchor_id = write_test(tmp_path, made)
    copy = str(tmp_path / "copy")
    arguments = (made, str(test), "--drop", "0.995", "--to", copy, "--page", str(tmp_path / "p.html"), "--json")
    result = run(*arguments, "--no-separation")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    before, after = Dataset(made).snapshot(), Dataset(copy).snapshot()
    gone = {row.anchor_id for row in before.anchors()} - {row.anchor_id for row in after.anchors()}
    assert anchor_id in gone and told["left_out"] == len(gone)
    assert not any(row.anchor_id in gone for row in after.contrasts())
    assert not verify_dataset(copy, workers=1).failures
    assert run(*arguments).exit_code == 2


def test_a_cleaned_family_counts_its_ranks_anew(made: str, tmp_path: Path) -> None:
    row = next(row for row in Dataset(made).snapshot().contrasts() if row.rank == 0)
    test, copy = tmp_path / "test.jsonl", str(tmp_path / "copy")
    test.write_text(json.dumps({"caption": row.text}) + "\n", encoding="utf-8")
    page = str(tmp_path / "p.html")
    name = f"{made}#flowchart.retrieval"
    result = run(name, str(test), "--drop", "0.995", "--to", copy, "--page", page, "--no-separation")
    assert result.exit_code == 0, result.output
    after = Dataset(copy).snapshot()
    assert row.text not in {each.text for each in after.contrasts()}
    assert len(list(after.anchors())) == len(list(Dataset(made).snapshot().anchors()))
    assert not verify_dataset(copy, workers=1).failures


def test_a_file_is_cleaned_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("AB = 8 in triangle ABC\nA dog sits.\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text("A dog sits.\nA cat sleeps.\n", encoding="utf-8")
    page = str(tmp_path / "p.html")
    result = run(str(tmp_path / "train.txt"), str(tmp_path / "test.txt"), "--drop", "0.99", "--page", page)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "train-cleaned.txt").read_text(encoding="utf-8") == "AB = 8 in triangle ABC\n"


def test_a_part_that_is_not_there_is_told(made: str) -> None:
    result = run(f"{made}#geometry", made)
    assert result.exit_code == 2
    assert "after # stands one of: flowchart, flowchart.retrieval" in result.output + result.stderr
