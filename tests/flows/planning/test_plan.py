"""`plan` says what a run would make and take, from rows that are really made."""

from __future__ import annotations

import json
import time

import pytest
from typer.testing import CliRunner

from benchmarks.plain_run import run_plainly
from counterfoil.flows.cli import app
from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine.sampling import ROWS, count_and_choose

RECIPE = """
[dataset]
path = "{path}"
workers = 1
[{domain}]
source = "procedural:{count}"
families = {families}
"""


def plan(folder, domain: str, count: int, families: list[str]):
    recipe = folder / "r.toml"
    recipe.write_text(RECIPE.format(path=folder / "data", domain=domain, count=count, families=json.dumps(families)))
    done = CliRunner().invoke(app, ["plan", str(recipe), "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert told["source_rows"] == {domain: count}
    return recipe, {each["name"]: each for each in told["estimates"]}


def test_an_estimate_of_rows_that_are_all_sampled_is_what_the_run_makes(tmp_path):
    recipe, told = plan(tmp_path, "flowchart", 2, ["flip", "codeswap"])
    assert not (tmp_path / "data").exists()
    run_plainly(recipe, here=True)
    dataset = Dataset(str(tmp_path / "data"))
    counts = dataset.counts()
    assert told["flowchart"]["rows"] == counts.anchors["flowchart"]
    assert told["flowchart.flip"]["rows"] == counts.contrasts["flowchart.flip"]
    for name, table in (("flowchart", "anchors"), ("flowchart.flip", "contrasts")):
        size = sum(file.size for file in dataset.snapshot().files(table, name))
        assert 0.5 * size < told[name]["bytes"] < 2 * size
        assert told[name]["cpu_s"] > 0


@pytest.mark.parametrize(
    ("domain", "families", "imagined"),
    [
        ("geometry", ["rule"], 400),
        ("caption", ["swap"], 40),
        pytest.param("caption", ["swap"], 400, marks=pytest.mark.slow),
        ("theorem", ["negative", "rephrase"], 400),
    ],
)
def test_every_domain_is_estimated_in_bounded_time(tmp_path, monkeypatch, domain, families, imagined):
    monkeypatch.setattr("counterfoil.tasks.caption.plan.preparation.ENOUGH", imagined)
    began = time.process_time()
    _, told = plan(tmp_path, domain, 3 * ROWS, families)
    assert time.process_time() - began < 60
    assert 1.5 * ROWS < told[domain]["rows"] <= 3 * ROWS and told[domain]["cpu_s"] > 0 and told[domain]["bytes"] > 0
    assert set(told) == {domain, *(f"{domain}.{kind}" for kind in families)}
    assert all(each["rows"] is None or each["rows"] > 0 for each in told.values())


def test_the_sample_is_of_the_whole_source_and_the_same_each_time():
    rows = [SourceRow("s", str(i), "", {}) for i in range(1000)]
    count, chosen = count_and_choose(rows, 7)
    assert (count, len(chosen)) == (1000, ROWS)
    assert chosen == count_and_choose(rows, 7)[1] != count_and_choose(rows, 8)[1]
    assert max(int(row.source_id) for row in chosen) > 300
