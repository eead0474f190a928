"""`import counterfoil`: what the documents show, and what its readers find."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import counterfoil
from counterfoil.storage.dataset import Dataset
from tests.patience import PATIENCE_S
from tests.storage import storage_cases as cases

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    """A dataset that was published twice."""
    url = str(tmp_path_factory.mktemp("python") / "night")
    for tag in ("one", "two"):
        Dataset(url).publish(cases.stage_run(url, tag), metadata={"recipe": {"seed": 7}})
    return url


def list_snippets(document: str) -> str:
    text = (ROOT / document).read_text(encoding="utf-8")
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))


@pytest.mark.slow
def test_the_snippets_of_the_python_page_run_from_top_to_bottom(tmp_path):
    script = tmp_path / "page.py"
    script.write_text(list_snippets("docs/python.md"))
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "'geometry.rule': 8" in done.stdout
    assert "torch.Size([2, 2, 3, 224, 224])" in done.stdout


def test_the_readmes_snippet_runs_on_such_a_dataset(folder):
    # The fixture has no geometry.rule, so the snippet reads the family of captions that it has.
    script = list_snippets("README.md").replace("data/demo", folder).replace("geometry.rule", "geometry.caption")
    assert "counterfoil.Triplets" in script
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "geometry.image" in done.stdout


def test_a_table_is_the_same_rows_in_every_library(folder):
    rules = counterfoil.open(folder).contrasts.select(["anchor_id", "text", "rank"], family="geometry.caption")
    texts = rules.arrow()["text"].to_pylist()
    assert len(rules) == len(texts) == 36
    assert rules.pandas()["text"].tolist() == texts
    assert rules.polars()["text"].to_list() == texts
    assert sorted(row[0] for row in rules.duckdb().query("c", "select text from c").fetchall()) == sorted(texts)
    assert [row.text for row in rules.rows()] == texts
    assert rules.duckdb().columns == ["anchor_id", "text", "rank"]


def test_a_condition_holds_in_every_way_of_reading(folder):
    import pyarrow.dataset as pads

    first = counterfoil.open(folder).contrasts.select(where=pads.field("rank") == 0).select(family="geometry.image")
    assert len(first) == first.arrow().num_rows == len(first.pandas()) == len(list(first.rows())) == 12
    assert first.duckdb().query("c", "select count(*), max(rank) from c").fetchall() == [(12, 0)]


def test_an_older_version_stays_readable_by_its_number(folder):
    new = counterfoil.open(folder)
    old = counterfoil.open(folder, versions={"anchors": new.versions["anchors"] - 1})
    assert {row.source for row in new.anchors.rows()} == {"two"}
    assert {row.source for row in old.anchors.rows()} == {"one"}
    assert [commit.version for commit in new.history() if commit.table == "anchors"] == [2, 1, 0]


def test_what_others_publish_does_not_change_an_open_dataset(tmp_path):
    url = str(tmp_path / "night")
    stored = Dataset(url)
    stored.publish(cases.stage_run(url, "one"))
    data = counterfoil.open(url)
    stored.publish(cases.stage_run(url, "two"))
    assert {row.source for row in data.anchors.rows()} == {"one"}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda url: counterfoil.open(url + "x"), "holds no dataset: make one"),
        (
            lambda url: counterfoil.open(url, versions={"anchors": 9}),
            "no version 9 of anchors: its versions are 0 to 2",
        ),
        (lambda url: counterfoil.open(url, versions={"rows": 1}), "no table rows: the tables are anchors, contrasts"),
        (lambda url: counterfoil.open(url).anchors.select(["text"]), "anchors has no column text; it has anchor_id"),
        (
            lambda url: counterfoil.open(url).anchors.select(family="geometry.rule"),
            "not divided by family but by domain",
        ),
        (
            lambda url: counterfoil.open(url).contrasts.select(family="geometry.x"),
            "has no geometry.x: it has geometry.c",
        ),
    ],
)
def test_a_wrong_question_is_answered_with_what_there_is(folder, wrong, told):
    with pytest.raises(counterfoil.StorageError, match=re.escape(told)):
        wrong(folder)


def test_a_library_that_is_missing_is_named_with_its_extra(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(
        counterfoil.MissingPackageError, match=r"Table\.polars\(\) needs the package polars, .*counterfoil\[frames\]"
    ):
        counterfoil.open(folder).anchors.polars()


def test_the_package_is_imported_without_torch_and_says_what_needs_it():
    script = (
        "import sys; sys.modules['torch'] = None\n"
        "import counterfoil\n"
        "try:\n    counterfoil.Triplets\n"
        "except counterfoil.MissingPackageError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert (
        done.stdout
        == "counterfoil.Triplets needs the package torch, which is not installed: pip install 'counterfoil[torch]'\n"
    )


def test_the_import_loads_neither_torch_nor_prefect_nor_matplotlib():
    script = (
        "import sys, counterfoil; print([n for n in ('torch', 'prefect', 'scipy', 'matplotlib') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("times", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_short_readers_that_stop_early_end_with_0(folder, times):
    script = (
        "import sys, counterfoil\n"
        "data = counterfoil.open(sys.argv[1])\n"
        "next(iter(data.contrasts.batches(4)))\n"
        "data.contrasts.duckdb().limit(1).fetchall()\n"
        "next(iter(data.anchors.dataset().to_batches()))\n"
    )
    for _ in range(times):
        done = subprocess.run([sys.executable, "-c", script, folder], cwd=ROOT, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


def test_a_wrong_recipe_raises_what_the_command_would_print():
    with pytest.raises(counterfoil.RunError, match=r"geometry\.sauce: unknown key"):
        counterfoil.run({"dataset": {"path": "x"}, "geometry": {"sauce": "procedural:1"}}, quiet=True)
    with pytest.raises(counterfoil.RunError, match="holds no dataset"):
        counterfoil.verify("no/such/place")
    with pytest.raises(counterfoil.RunError, match="a recipe takes text, numbers"):
        counterfoil.run({"dataset": {"path": None}})


def test_a_recipe_of_dictionaries_reads_back_as_it_was_written():
    import tomllib

    from counterfoil.making import write_recipe

    recipe = {
        "dataset": {"path": 'a "b"\\ \t\x7f\u2028', "seed": 7},
        "author": {"temperature": 1e-07, "options": {"a b": [1, 2.5, True], "c": {"d": "é"}}},
    }
    assert tomllib.loads(write_recipe(recipe)) == recipe
