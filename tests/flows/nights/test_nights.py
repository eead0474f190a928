"""Nights in a work pool on Postgres: a schedule fires, a worker is killed, its run is Crashed, the next is made."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

from counterfoil.flows.making.limits import LimitError, parse_limits
from counterfoil.flows.making.names import name_like
from counterfoil.flows.nights.offers import Offered, OfferError, schedule
from counterfoil.flows.nights.watching import AUTOMATION
from counterfoil.flows.planning.recipe import RecipeError, load_unchanged
from counterfoil.storage.dataset import Dataset
from tests.flows.asking import ask_server
from tests.flows.conftest import NIGHTLY
from tests.flows.served import await_that
from tests.serving import run_prefect_server
from tests.tasks.llm.postgres import run_postgres

ROOT = str(Path(__file__).parents[3])
EVERY_TWENTY_SECONDS, NEVER = "* * * * * */20", "0 0 29 2 *"
SILENCE_S = 45
PATIENCE_S = 280
ASKS_S = 60
"""Within so many seconds a worker that is started has asked for what is due, on a busy machine."""


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[dict[str, str]]:
    """A Prefect server on Postgres."""
    with run_postgres("asyncpg") as url:
        database = {"PREFECT_API_DATABASE_CONNECTION_URL": url}
        with run_prefect_server(tmp_path_factory.mktemp("nights"), database) as environment:
            yield environment | {"PYTHONPATH": ROOT, "PREFECT_WORKER_QUERY_SECONDS": "2"}


@pytest.fixture
def ask(server) -> Callable[..., Any]:
    def ask(path: str, body: object = None) -> Any:
        return ask_server(server["PREFECT_API_URL"] + path, body)

    return ask


def deploy(server: dict[str, str], folder: Path, *more: str) -> str:
    """What was said."""
    command = [sys.executable, "-m", "counterfoil", "deploy", "--recipe", "night.toml", "--recipe", "week.toml"]
    command += ["--folder", str(folder), *more]
    done = subprocess.run(command, cwd=folder, env=server, capture_output=True, text=True, timeout=560)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def deployed(server, tmp_path_factory) -> None:
    """Both recipes' deployments are there, whoever made them."""
    deploy(server, tmp_path_factory.mktemp("deployed"))


@contextmanager
def working(server: dict[str, str], folder: Path) -> Iterator[psutil.Process]:
    """A worker of the pool; all of its processes are killed at the end."""
    command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", "counterfoil"]
    with (folder / "worker.log").open("ab") as log:
        worker = subprocess.Popen(command, cwd=folder, env=server, stdout=log, stderr=log, start_new_session=True)
    try:
        yield psutil.Process(worker.pid)
    finally:
        kill_host(psutil.Process(worker.pid))
        worker.wait()


def kill_host(worker: psutil.Process) -> None:
    """What a power cut does to the worker's host: every process of it is gone at once."""
    with suppress(psutil.NoSuchProcess):
        for process in [worker, *worker.children(recursive=True)]:
            with suppress(psutil.NoSuchProcess):
                os.kill(process.pid, signal.SIGKILL)


def list_nights(ask: Callable[..., Any], deployment: str) -> list[dict[str, Any]]:
    """The runs that the schedule made, oldest first."""
    wanted = {"deployments": {"name": {"any_": [deployment]}}, "sort": "EXPECTED_START_TIME_ASC", "limit": 200}
    return [run for run in ask("/flow_runs/filter", wanted) if run["auto_scheduled"]]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_missed_night_is_begun_late_and_one_whose_worker_is_killed_ends_as_crashed_and_the_next_is_made(
    server, ask, tmp_path
):
    for name in ("night", "week"):
        (tmp_path / f"{name}.toml").write_text(NIGHTLY.format(path=tmp_path / name))
    times = ["--cron", EVERY_TWENTY_SECONDS, "--cron", NEVER, "--silence", str(SILENCE_S), "--at-most", "openai=2"]
    deploy(server, tmp_path, *times)

    def find(state: str, runs: Callable[[], list[dict[str, Any]]]) -> dict[str, Any] | None:
        return next((run for run in runs() if run["state_type"] == state), None)

    def nights() -> list[dict[str, Any]]:
        return list_nights(ask, "make-night")

    await_that(lambda: next((run for run in nights() if run["state_name"] == "Late"), None), PATIENCE_S)
    began = datetime.now(UTC)
    with working(server, tmp_path) as worker:
        killed = await_that(lambda: find("RUNNING", nights), PATIENCE_S)
        # Of those that were missed, or are due as the worker asks for runs, any may be begun first.
        assert datetime.fromisoformat(killed["expected_start_time"]) < began + timedelta(seconds=ASKS_S)
        stages = {"flow_runs": {"parent_flow_run_id": {"any_": [killed["id"]]}}}
        stage = await_that(lambda: find("RUNNING", lambda: ask("/flow_runs/filter", stages)), PATIENCE_S)
        kill_host(worker)
    assert not Dataset(str(tmp_path / "night")).exists()
    with working(server, tmp_path):
        made = await_that(lambda: find("COMPLETED", nights), 500)
    assert made["id"] != killed["id"]
    for run in (killed, stage):
        state = await_that(lambda run=run: find("CRASHED", lambda: [ask(f"/flow_runs/{run['id']}")]), PATIENCE_S)[
            "state"
        ]
        assert (state["name"], "No heartbeat" in state["message"]) == ("Crashed", True)
    assert Dataset(str(tmp_path / "night")).counts().contrasts["flowchart.flip"]
    assert not list_nights(ask, "make-week") and not (tmp_path / "week").exists()


@pytest.mark.slow
def test_a_relative_path_needs_a_folder_of_the_workers(server, tmp_path):
    command = [sys.executable, "-m", "counterfoil", "deploy", "--recipe", "night.toml"]
    done = subprocess.run(command, cwd=tmp_path, env=server, capture_output=True, text=True, timeout=560)
    assert done.returncode == 2 and "night.toml is relative" in done.stderr


@pytest.mark.slow
def test_deploying_again_changes_nothing_and_leaves_no_path_of_this_machine(server, ask, tmp_path):
    assert "keeps leases in its memory" in deploy(server, tmp_path)
    first = {each["name"]: each for each in ask("/deployments/filter", {"limit": 200})}
    watch = ask("/automations/filter", {"automations": {"name": {"any_": [AUTOMATION]}}})
    deploy(server, tmp_path, "--at-most", "gpu=1", "--on-gpu", "caption.edit")
    second = {each["name"]: each for each in ask("/deployments/filter", {"limit": 200})}
    assert {name: each["id"] for name, each in first.items()} == {name: each["id"] for name, each in second.items()}
    assert len(watch) == 1 and ask("/automations/count", {}) == 2
    on_gpu = {name for name, each in second.items() if each["work_queue_name"] == "gpu"}
    assert (
        on_gpu == {name for name, each in second.items() if "gpu" in each["tags"]} >= {"train", "sft", "caption.edit"}
    )
    assert not any(each["schedules"] for each in second.values()), "no --cron: no schedule"
    assert not any(each["pull_steps"] for each in second.values())
    kept = json.dumps([[each["path"], each["entrypoint"], each["parameters"]] for each in second.values()])
    assert str(tmp_path) not in kept and ROOT not in kept
    assert second["make-week"]["parameters"] == {"recipe": "week.toml"}
    assert ask("/v2/concurrency_limits/counterfoil-gpu")["limit"] == 1


@pytest.mark.slow
@pytest.mark.usefixtures("deployed")
@pytest.mark.parametrize(
    "parameters",
    [
        {"recipe": "other.toml"},
        {"overrides": ["geometri.negatives=5"]},
        {"overrides": ["geometry.negatives"]},
        {"limit": "many"},
    ],
)
def test_the_server_refuses_parameters_that_do_not_fit_the_form(ask, parameters):
    made = ask("/deployments/name/counterfoil/make-night")
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask(f"/deployments/{made['id']}/create_flow_run", {"parameters": parameters})
    assert refused.value.code == 409


def test_stages_are_those_of_the_same_pool_or_service():
    assert name_like("make-night", "family/geometry.rule") == "family/geometry.rule"
    assert name_like("make-night@studio", "family/geometry.rule") == "family/geometry.rule@studio"


@pytest.mark.parametrize(
    ("cron", "said"),
    [
        ("0 0 30 2 *", "no such time ever comes"),
        ("0 0 31 4,6,9,11 *", "no such time ever comes"),
        ("every night", "--cron 'every night' in UTC"),
    ],
)
def test_a_schedule_that_never_fires_is_refused(cron, said):
    with pytest.raises(OfferError, match=said) as refused:
        schedule(cron, "UTC")
    assert "\n" not in str(refused.value)
    assert schedule(NEVER, "UTC")["schedule"].cron == NEVER


@pytest.mark.parametrize(
    ("recipes", "crons", "served_as", "said"),
    [
        (("a/night.toml", "b/night.toml"), (), "", "two recipes are called 'night'"),
        (("a.toml", "b.toml", "c.toml"), ("1 * * * *", "2 * * * *"), "", "2 times --cron for 3 recipes"),
        (("a.toml",), (), "my host", "letters, digits"),
    ],
)
def test_what_cannot_be_offered_is_said(recipes, crons, served_as, said):
    with pytest.raises(OfferError, match=said):
        Offered(recipes, "data", crons, "UTC", served_as)


def test_a_limit_of_an_unknown_kind_is_refused():
    with pytest.raises(LimitError, match="gpu, openai"):
        parse_limits(["tpu=1"])


def test_a_stage_refuses_a_recipe_that_was_changed_since_its_run_began(tmp_path):
    recipe = tmp_path / "night.toml"
    recipe.write_text(NIGHTLY.format(path="night"))
    began = load_unchanged(recipe, (), None).text_sha256
    assert load_unchanged(recipe, (), began).text_sha256 == began
    recipe.write_text(NIGHTLY.format(path="elsewhere"))
    with pytest.raises(RecipeError, match="start a new run"):
        load_unchanged(recipe, (), began)
