"""What is wrong before a run starts anything: one line, exit code 2, and nothing is made."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.storage.dataset import Dataset

NOBODY = "http://127.0.0.1:9/api"


FIGURES = """
[dataset]
path = "{path}"
workers = 1
[geometry]
source = "procedural:2"
families = ["rule"]
spare = 0
procedural = {{ constructions = [1, 1], steps = [1, 3] }}
"""


def check_refused(done: subprocess.CompletedProcess[str], *parts: str) -> None:
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stderr.removeprefix("starting ...\n").count("\n") == 1, done.stderr
    for part in parts:
        assert part in done.stderr


def test_a_prefect_server_that_is_not_there_is_told_with_its_address(counterfoil, write_recipe, tmp_path):
    done = counterfoil("run", write_recipe(tmp_path), check=False, PREFECT_API_URL=NOBODY)
    check_refused(done, NOBODY, "Connection refused", "correct PREFECT_API_URL (it ends in /api)")


@pytest.mark.parametrize(
    ("status", "said"),
    [(404, "there is no Prefect API"), (401, "set PREFECT_API_KEY"), (500, "its database is locked, full or gone")],
)
def test_a_server_that_will_not_do_is_told_with_the_reason(
    counterfoil, write_recipe, tmp_path, httpserver, status, said
):
    httpserver.expect_request(re.compile("/api/.*")).respond_with_data("no", status=status)
    url = httpserver.url_for("/api")
    check_refused(counterfoil("run", write_recipe(tmp_path), check=False, PREFECT_API_URL=url), url, said)


@pytest.mark.slow
def test_a_locked_prefect_database_is_told(counterfoil, prefect_server, write_recipe, tmp_path):
    database = Path(prefect_server["PREFECT_HOME"]) / "prefect.db"
    with closing(sqlite3.connect(database, timeout=30, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = counterfoil(
            "run", write_recipe(tmp_path), check=False, **prefect_server, PREFECT_API_REQUEST_TIMEOUT="4"
        )
        other.execute("ROLLBACK")
    check_refused(done, prefect_server["PREFECT_API_URL"], "did not write within 4 s", "database is locked")


@pytest.mark.slow
@pytest.mark.parametrize("by", [(), ("--prefect",)])
def test_a_run_needs_no_home(counterfoil, write_recipe, tmp_path, by):
    done = counterfoil("run", write_recipe(tmp_path), "--limit", 1, "--workers", 1, *by, HOME="/proc/none")
    assert "/proc/none" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("path", ["/proc/none/data", "{recipe}/data"])
def test_a_dataset_that_cannot_be_written_is_told(counterfoil, write_recipe, tmp_path, path):
    recipe = write_recipe(tmp_path)
    place = path.format(recipe=recipe)
    check_refused(counterfoil("run", recipe, "--set", f"dataset.path={place}", check=False), place)


def test_an_object_store_that_does_not_answer_is_told(counterfoil, write_recipe, tmp_path):
    given = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    done = counterfoil("run", write_recipe(tmp_path), "--set", "dataset.path=s3://none/data", check=False, **given)
    check_refused(done, "http://127.0.0.1:9")


def test_a_locked_response_store_is_told(counterfoil, write_recipe, tmp_path):
    store = tmp_path / "answers.sqlite"
    author = [f"author.store={store}", "author.kind=openai", "author.model=gpt-4o"]
    sets = [word for each in author for word in ("--set", each)]
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = counterfoil("run", write_recipe(tmp_path), *sets, check=False, OPENAI_API_KEY="sk-test")
        other.execute("ROLLBACK")
    check_refused(done, f"response store sqlite:///{store}", "database is locked")


def test_a_response_store_that_cannot_be_reached_is_told(counterfoil, write_recipe, tmp_path):
    pytest.importorskip("psycopg", reason="Postgres is an extra")
    author = ["author.store=postgresql+psycopg://me:secret@127.0.0.1:9/x", "author.kind=openai", "author.model=gpt-4o"]
    sets = [word for each in author for word in ("--set", each)]
    done = counterfoil("run", write_recipe(tmp_path), *sets, check=False, OPENAI_API_KEY="sk-test")
    check_refused(done, "127.0.0.1", "me@")
    assert "secret" not in done.stderr


def test_words_without_a_model_to_draw_them_are_refused_and_plan_warns(counterfoil, write_recipe, tmp_path):
    problems = tmp_path / "problems.jsonl"
    problems.write_text('{"id": "p1", "question": "In triangle ABC, AB = 5. Find AB.", "answer": "5"}\n')
    arguments = (write_recipe(tmp_path), "--set", f"geometry.source=problems:{problems}")
    said = f"geometry.source = problems:{problems} is only words, which a language model must draw: set [author] kind"
    check_refused(counterfoil("run", *arguments, check=False), said)
    assert not (tmp_path / "data").exists()
    assert f"no anchor would come of it: {said}" in counterfoil("plan", *arguments).stdout


def test_a_source_of_which_nothing_comes_ends_with_the_first_reasons(counterfoil, write_recipe, tmp_path):
    recipe, data = write_recipe(tmp_path), tmp_path / "data"
    bad = ["--set", f"geometry.source=geometry3k:{tmp_path / 'bad.jsonl'}", "--workers", "1"]
    statements = {key: ["Shape(A)"] for key in ("construction_cdl", "text_cdl", "image_cdl")}
    row = {"text_en": "?", "answer": "1", "goal_cdl": "Value(x)", "point_positions": {}} | statements
    (tmp_path / "bad.jsonl").write_text("".join(json.dumps(row | {"problem_id": f"p{i}"}) + "\n" for i in range(3)))
    done = counterfoil("run", recipe, *bad, check=False)
    assert done.returncode == 2
    assert f"no anchor came of the 3 rows of geometry.source = geometry3k:{tmp_path / 'bad.jsonl'}" in done.stderr
    assert re.search(r"3 x [a-z_]+: ", done.stderr) and "(row p0)" in done.stderr and "Traceback" not in done.stderr
    assert not Dataset(str(data)).snapshot().partitions("anchors")
    rejects = list(Dataset(str(data)).rejects("geometry.anchor"))
    assert len(rejects) == 3
    for name in ("p1", rejects[1].reject_id[:10]):
        told = counterfoil("explain", data, name).stdout
        assert rejects[1].reject_id in told and rejects[1].reasons[0] in told


def test_a_dataset_keeps_its_anchors_when_a_later_run_makes_none(counterfoil, tmp_path):
    recipe, data = tmp_path / "r.toml", tmp_path / "data"
    recipe.write_text(FIGURES.format(path=data))
    run_plainly(recipe, here=True)
    before = Dataset(str(data)).versions()
    (tmp_path / "bad.jsonl").write_text('{"problem_id": "x"}\n')
    bad = ["--set", f"geometry.source=geometry3k:{tmp_path / 'bad.jsonl'}", "--workers", "1"]
    done = counterfoil("run", recipe, *bad, check=False)
    assert done.returncode == 3 and "take away" in done.stderr
    assert Dataset(str(data)).versions() == before
    # Also who lets rows go does not mean a source that cannot be read.
    assert counterfoil("run", recipe, *bad, "--replace", check=False).returncode == 2
    assert Dataset(str(data)).versions() == before
