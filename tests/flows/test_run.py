"""Runs as a user starts them: what is made, reused, replaced, refused, interrupted and shown in Prefect."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil
import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.flows.showing.labels import make_key
from counterfoil.storage.dataset import Dataset
from tests.patience import PATIENCE_S

CHARTS = """
[dataset]
path = "{path}"
seed = {seed}
shard_size = 3
workers = 1
[flowchart]
source = "procedural:1"
families = ["flip", "code"]
"""
FAMILIES = {
    "geometry.caption",
    "geometry.image",
    "geometry.rule",
    "flowchart.flip",
    "flowchart.code",
    "flowchart.codeswap",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory, counterfoil, write_recipe):
    """One finished run where nothing can import Prefect: its recipe, folder and output."""
    folder = tmp_path_factory.mktemp("made")
    recipe = write_recipe(folder)
    (folder / "without").mkdir()
    (folder / "without" / "prefect.py").write_text("raise SystemExit('prefect was imported')")
    return recipe, folder / "data", counterfoil("run", recipe, PYTHONPATH=str(folder / "without"))


@pytest.fixture(scope="module")
def made_by_prefect(tmp_path_factory, counterfoil, prefect_server, write_recipe):
    """The same under Prefect's server: its recipe and folder."""
    folder = tmp_path_factory.mktemp("served")
    recipe = write_recipe(folder)
    counterfoil("run", recipe, **prefect_server)
    return recipe, folder / "data"


def files_of(dataset) -> dict[str, str]:
    return {file.path: file.sha256 for file in Dataset(str(dataset)).active_files()}


def test_a_run_needs_no_prefect_makes_every_family_and_says_where(made):
    _, dataset, done = made
    counts = Dataset(str(dataset)).counts()
    assert set(counts.contrasts) == FAMILIES
    assert counts.anchors["geometry"] == 4
    assert counts.contrasts["geometry.caption"] == counts.contrasts["geometry.image"] == 8
    assert f"dataset: {dataset}" in done.stdout
    assert "sandbox: level L" in done.stderr
    assert "geometry: 4 anchors of 4 rows; " in done.stderr
    assert len(done.stdout.splitlines() + done.stderr.splitlines()) <= 25


def test_a_second_run_reuses_every_shard_and_commits_nothing(made, counterfoil):
    recipe, dataset, _ = made
    before = files_of(dataset), Dataset(str(dataset)).versions()
    done = counterfoil("run", recipe)
    reused = re.findall(r"^\w+: .*; (\d+) of (\d+) shards reused; ", done.stderr, re.M)
    assert len(reused) == 2
    assert all(one == all_of_it for one, all_of_it in reused)
    assert (files_of(dataset), Dataset(str(dataset)).versions()) == before


@pytest.mark.slow
def test_a_run_under_a_server_makes_the_same_bytes_and_each_goes_on_where_the_other_ended(
    made, made_by_prefect, counterfoil, prefect_server, write_recipe, tmp_path
):
    assert files_of(made_by_prefect[1]) == files_of(made[1])
    for name, first, then in (("served", {}, prefect_server), ("plainly", prefect_server, {})):
        recipe, dataset = write_recipe(tmp_path, name), tmp_path / name
        counterfoil("run", recipe, "--set", 'geometry.families=["rule"]', **first)
        before = {path: path.stat().st_mtime_ns for path in (dataset / "work").rglob("*.json")}
        said = counterfoil("run", recipe, **then).stderr
        after = {path: path.stat().st_mtime_ns for path in (dataset / "work").rglob("*.json")}
        assert len(before) >= 10 and before.items() <= after.items()
        assert said.count(" shards reused; ") == 2
        assert files_of(dataset) == files_of(made[1])


@pytest.mark.slow
def test_the_same_run_again_under_a_server_leaves_nothing_there_and_one_that_fails_shows(
    made_by_prefect, counterfoil, prefect_server
):
    what = ("flow_runs/filter", "task_runs/filter", "artifacts/filter")
    before = [{each["id"] for each in ask(prefect_server, each)} for each in what]

    def find_new() -> list[list[tuple[str, str]]]:
        return [
            [(each.get("name"), each.get("state_type")) for each in ask(prefect_server, name) if each["id"] not in ids]
            for name, ids in zip(what, before, strict=True)
        ]

    counterfoil("run", made_by_prefect[0], **prefect_server)
    assert find_new() == [[], [], []]
    less = "geometry.source=procedural:1"
    assert counterfoil("run", made_by_prefect[0], "--set", less, check=False, **prefect_server).returncode
    assert find_new() == [[(f"make {made_by_prefect[0]}", "FAILED")], [], []]


def test_one_worker_makes_the_same_bytes(made, write_recipe, tmp_path):
    recipe = write_recipe(tmp_path, "one")
    whole = recipe.read_text().replace("workers = 2", "workers = 1")
    recipe.write_text(whole.partition("[geometry]")[0] + "[flowchart]" + whole.partition("[flowchart]")[2])
    run_plainly(recipe)
    assert files_of(tmp_path / "one").items() < files_of(made[1]).items()


def test_every_row_verifies_from_the_stored_bytes(made, counterfoil):
    _, dataset, _ = made
    assert ", 0 failed" in counterfoil("verify", dataset).stdout


def test_regenerating_replaces_one_family_and_touches_no_other(made, counterfoil, tmp_path):
    _, dataset, _ = made
    shutil.copytree(dataset, tmp_path / "again")
    before = files_of(tmp_path / "again")
    counterfoil("regenerate", "geometry.rule", "--dataset", tmp_path / "again", "--set", "geometry.negatives=3")
    after = files_of(tmp_path / "again")
    assert Dataset(str(tmp_path / "again")).counts().contrasts["geometry.rule"] == 12
    changed = set(before.items()) ^ set(after.items())
    assert changed
    assert all("geometry.rule" in path for path, _ in changed)


def test_explain_tells_a_contrast_and_its_anchor(made, counterfoil):
    _, dataset, _ = made
    row = next(iter(Dataset(str(dataset)).contrasts("geometry.image")))
    text = counterfoil("explain", dataset, row.contrast_id[:12]).stdout
    for part in (
        row.contrast_id,
        row.anchor_id,
        row.checks[0],
        row.edits[0].kind,
        "proved: ",
        "code_version",
        "savefig",
    ):
        assert part in text


def test_the_report_and_the_export_are_written(made, counterfoil, tmp_path):
    _, dataset, _ = made
    counterfoil("report", dataset, "--to", tmp_path / "report.html")
    assert "geometry.image" in (tmp_path / "report.html").read_text()
    counterfoil("export", dataset, "--to", tmp_path / "hf")
    assert "negative caption" in (tmp_path / "hf" / "README.md").read_text()


@pytest.mark.slow
def test_the_server_knows_the_subflows_the_shards_and_the_artifacts(made_by_prefect, prefect_server):
    recipe, dataset = made_by_prefect
    runs = ask(prefect_server, "flow_runs/filter")
    flows = {run["name"] for run in runs}
    assert {"geometry.anchors", "flowchart.anchors", "geometry.rule", "flowchart.flip"} <= flows
    tasks = {run["name"] for run in ask(prefect_server, "task_runs/filter")}
    assert {"geometry.anchors[0000]", "geometry.anchors[0001]", "geometry.rule[0000]"} <= tasks
    artifacts = {(each["key"], each["type"]) for each in ask(prefect_server, "artifacts/filter")}
    stages = [("geometry.rule", "counts", "table")]
    stages += [("geometry.image", "samples", "image"), ("geometry.rule", "samples", "table")]
    assert {(make_key(str(dataset), stage, what), kind) for stage, what, kind in stages} <= artifacts
    tags = {f"dataset:{dataset}", f"recipe:{recipe.stem}"}
    assert {run["name"] for run in runs if tags <= {*run["tags"]}} >= {f"make {recipe}", "geometry.rule"}
    assert {run["name"] for run in runs if "family:geometry.rule" in run["tags"]} == {"geometry.rule"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "{recipe}", "--set", "geometry.negative=3"), "did you mean 'negatives'?"),
        (("run", "{recipe}", "--set", "geometry.source=geometry3k:/no/such/file.jsonl"), "/no/such/file.jsonl"),
        (("run", "/no/such/recipe.toml"), "no recipe at /no/such/recipe.toml"),
        (("regenerate", "geometry.rules", "--dataset", "{dataset}"), "no family is called 'geometry.rules'"),
        (("regenerate", "geometry.rule", "--dataset", "/no/such/dataset"), "make it with `counterfoil run RECIPE`"),
        (("explain", "{dataset}", "ffffffffffff"), "ffffffffffff"),
        (("verify", "/no/such/dataset"), "/no/such/dataset"),
    ],
)
def test_an_error_is_one_clear_message_and_exit_code_2(made, counterfoil, arguments, message):
    recipe, dataset, _ = made
    done = counterfoil(*(str(each).format(recipe=recipe, dataset=dataset) for each in arguments), check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("served", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_ctrl_c_ends_the_workers_and_the_next_run_goes_on(made, plain, request, write_recipe, tmp_path, served):
    environment = request.getfixturevalue("prefect_server") if served else plain
    # The server may show a run so late that the signal finds it done: another is then interrupted.
    for name in ("interrupted", "once-more", "and-again"):
        recipe, target = write_recipe(tmp_path, name), tmp_path / name
        states = interrupt(environment, recipe, target, tmp_path / "said", served)
        if states != ["COMPLETED"]:
            break
    assert states == ["CANCELLED"] * served
    run_plainly(recipe, here=True)
    assert files_of(target) == files_of(made[1])


def interrupt(environment, recipe, target, said, served: bool) -> list[str]:
    """Interrupt a run underway, which leaves no process; what the server says of it."""
    run = start(environment, "run", recipe, said=said)
    shown = lambda: [r for r in ask(environment, "flow_runs/filter") if str(recipe) in str(r["parameters"])]  # noqa: E731
    # A run is on the server once a stage has begun, which is after the first files are there.
    wait_until(lambda: len(list((target / "work").rglob("*.json"))) >= 3 and (not served or shown()), run)
    children = psutil.Process(run.pid).children(recursive=True)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=PATIENCE_S) == 130, said.read_text()
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert not alive, alive
    # The server ends the stages below a cancelled run by itself, in its own time.
    return [each["state_type"] for each in (shown() if served else [])]


@pytest.mark.slow
def test_kill_9_of_the_command_leaves_no_process_and_loses_nothing(made, plain, write_recipe, tmp_path):
    recipe, target = write_recipe(tmp_path, "killed"), tmp_path / "killed"
    for staged in (2, 6, 10):
        run = start(plain, "run", recipe)
        wait_until(lambda n=staged: len(list((target / "work").rglob("*.json"))) >= n, run)
        children = psutil.Process(run.pid).children(recursive=True)
        os.kill(run.pid, signal.SIGKILL)
        run.wait(timeout=PATIENCE_S)
        _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
        assert not alive, alive
    run_plainly(recipe, here=True)
    assert files_of(target) == files_of(made[1])


@pytest.mark.slow
def test_kill_9_ends_the_own_server_too(plain, tmp_path, write_recipe):
    target = tmp_path / "set"
    run = start(plain, "run", write_recipe(tmp_path, "alone", 1), "--set", f"dataset.path={target}", "--prefect")
    wait_until(lambda: len(list((target / "work").rglob("*.json"))) >= 2, run)
    children = psutil.Process(run.pid).children(recursive=True)
    assert any("uvicorn" in child.cmdline() for child in children)
    run.kill()
    run.wait(timeout=PATIENCE_S)
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert not alive, alive


@pytest.mark.slow
def test_two_runs_at_once_on_one_dataset_never_mix(plain, counterfoil, tmp_path):
    target = tmp_path / "shared"
    runs = []
    for seed in (1, 2):
        recipe = tmp_path / f"seed{seed}.toml"
        recipe.write_text(CHARTS.format(path=tmp_path / f"seed{seed}", seed=seed))
        run_plainly(recipe, here=True)
        runs.append(start(plain, "run", recipe, "--set", f"dataset.path={target}"))
    codes = [run.wait(timeout=PATIENCE_S) for run in runs]
    assert set(codes) <= {0, 2, 3}  # one may begin when the other has published: it would take its rows away
    assert 0 in codes
    alone = [files_of(tmp_path / f"seed{seed}") for seed in (1, 2)]
    assert files_of(target) in alone
    assert ", 0 failed" in counterfoil("verify", target).stdout


def start(environment, *arguments, said: Path = Path(os.devnull)) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "counterfoil", *map(str, arguments)]
    # A shell's background job, such as a whole test run, hands down an ignored SIGINT.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    with said.open("wb") as output:
        return subprocess.Popen(command, env=environment, preexec_fn=heed, stdout=output, stderr=output)


def wait_until(condition, run) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert run.poll() is None, f"the run ended early with {run.returncode}"
        assert time.monotonic() < deadline, "the run made no progress"
        time.sleep(0.02)


def ask(environment, what: str) -> list[dict]:
    request = urllib.request.Request(
        f"{environment['PREFECT_API_URL']}/{what}",
        data=json.dumps({"limit": 200}).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)
