"""Stages as runs of their own: a stage that failed is retried by itself, and the run that it is part of goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.offers import Offered, list_deployments
from storage.dataset import Dataset
from tasks.engine.registry import DOMAIN_MODULES, load_domain
from tests.flows.asking import ask_server
from tests.tasks.llm import draughtsman
from tests.tasks.llm.server import Fault, Server

RECIPE = """
[dataset]
path = "data"
shard_size = 3
workers = 1
[author]
kind = "openai"
model = "gpt-4o"
base_url = "{url}"
retries = 0
[geometry]
source = "problems:problems.jsonl"
families = ["rule"]
negatives = 1
[flowchart]
source = "procedural:1"
families = ["flip"]
"""
FINAL = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}


@pytest.fixture(scope="module")
def model() -> Iterator[Server]:
    with Server(draughtsman.answer) as running:
        yield running


@pytest.fixture
def api(prefect_server) -> Callable[..., Any]:
    def ask(path: str, body: object = None) -> Any:
        return ask_server(prefect_server["PREFECT_API_URL"] + path, body)

    return ask


@pytest.fixture
def served(prefect_server, model, tmp_path) -> Iterator[Path]:
    """A folder with a recipe, whose deployments are served from there."""
    draughtsman.write_problems(tmp_path / "problems.jsonl")
    (tmp_path / "night.toml").write_text(RECIPE.format(url=model.openai_url))
    command = [sys.executable, "-m", "flows", "serve", "--recipe", "night.toml", "--dataset", "data"]
    root = str(Path(__file__).parents[2])
    environment = prefect_server | {"OPENAI_API_KEY": "sk-test", "PYTHONPATH": root, "PREFECT_LOGGING_LEVEL": "INFO"}
    with (tmp_path / "serve.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    yield tmp_path
    server.terminate()
    try:
        server.wait(timeout=60)
    finally:
        os.killpg(server.pid, signal.SIGKILL) if server.poll() is None else None


@pytest.mark.timeout(1200)
def test_a_retried_stage_lets_its_run_go_on_and_makes_no_second_set(served, api, model):
    deployment = await_deployment(api, "counterfoil/make-night@serve")
    parent = api(f"/deployments/{deployment['id']}/create_flow_run", {"state": {"type": "SCHEDULED"}})["id"]
    await_run(api, parent, lambda runs: runs.get("geometry.anchors") == "COMPLETED")
    model.chance = [(1.0, Fault(status=404, text="no such model"))]
    runs = await_run(api, parent, lambda runs: runs["parent"] in FINAL)
    assert runs == {
        "parent": "FAILED",
        "geometry.anchors": "COMPLETED",
        "geometry.rule": "FAILED",
        "flowchart.anchors": "COMPLETED",
        "flowchart.flip": "COMPLETED",
    }
    assert not Dataset(str(served / "data")).exists()
    model.chance = []
    failed = next(run for run in list_stages(api, parent) if run["name"] == "geometry.rule")
    retry = {"state": {"type": "SCHEDULED", "name": "AwaitingRetry"}}
    assert api(f"/flow_runs/{failed['id']}/set_state", retry)["status"] == "ACCEPT"
    runs = await_run(api, parent, lambda runs: runs["parent"] in FINAL - {"FAILED"})
    assert set(runs.values()) == {"COMPLETED"} and len(runs) == 5
    again = {run["name"] for run in list_stages(api, parent) if run["run_count"] > 1}
    assert again == {"geometry.rule"}
    opened = {run["name"]: "sandbox: level" in read_log(api, run["id"]) for run in list_stages(api, parent)}
    assert opened == {name: name.startswith("geometry") for name in opened}, "charts run no scripts"
    counts = Dataset(str(served / "data")).counts()
    assert counts.contrasts["geometry.rule"] and counts.contrasts["flowchart.flip"]


def test_every_stage_is_offered_with_descriptions_and_choices():
    served = [*list_deployments(Offered(("night.toml", "week.toml"), "data", served_as="serve"))]
    offered = {f"{each.flow_name}/{each.name}": each for each in served}
    assert len(offered) == len(served)
    assert set(offered) == {f"{name}@serve" for name in list_wanted("night", "week")}
    form = offered["counterfoil regenerate/regenerate@serve"]._parameter_openapi_schema.properties
    assert form["family"]["enum"] == [name for domain in DOMAIN_MODULES for name in load_domain(domain).families]
    assert offered["counterfoil train/train@serve"]._parameter_openapi_schema.properties["recipe"]["enum"] == [
        "night.toml",
        "week.toml",
    ]
    assert all(field["description"] for each in offered.values() for field in list_fields(each))


def test_the_file_for_work_pools_offers_the_same_stages():
    listed = yaml.safe_load(Path("prefect.yaml").read_text())
    flows = {"make_dataset": "counterfoil", "regenerate_family": "counterfoil regenerate"}
    flows |= {"make_anchors": "anchors", "make_family": "family"}
    flows |= {"train_model": "counterfoil train", "tune_model": "counterfoil sft"}
    flows |= {"tune_stage": "sft stage", "ablate_towers": "counterfoil ablate"}
    names = [f"{flows[each['entrypoint'].rpartition('.')[2]]}/{each['name']}" for each in listed["deployments"]]
    queues = {each["name"] for each in listed["deployments"] if each["work_pool"].get("work_queue_name") == "gpu"}
    assert queues == {"train", "sft", "sft.adapter", "sft.tuning", "ablate"}
    assert Counter(names) == Counter(list_wanted("demo"))
    assert listed["pull"] == []


def list_wanted(*recipes: str) -> set[str]:
    wanted = {"counterfoil regenerate/regenerate", "counterfoil train/train", "counterfoil sft/sft"}
    wanted |= {"sft stage/sft.adapter", "sft stage/sft.tuning", "counterfoil ablate/ablate"}
    wanted |= {f"counterfoil/make-{recipe}" for recipe in recipes} | {f"anchors/{name}" for name in DOMAIN_MODULES}
    return wanted | {f"family/{name}" for domain in DOMAIN_MODULES for name in load_domain(domain).families}


def list_fields(deployment: Any) -> list[dict[str, Any]]:
    return list(deployment._parameter_openapi_schema.properties.values())


def await_deployment(api: Callable[..., Any], name: str) -> dict[str, Any]:
    return await_that(lambda: find(api("/deployments/filter", {}), name.rpartition("/")[2]))


def find(deployments: list[dict[str, Any]], name: str) -> dict[str, Any] | None:
    return next((each for each in deployments if each["name"] == name and each["status"] == "READY"), None)


def list_stages(api: Callable[..., Any], parent: str) -> list[dict[str, Any]]:
    runs = api("/flow_runs/filter", {"flow_runs": {"parent_flow_run_id": {"any_": [parent]}}, "limit": 200})
    return sorted(runs, key=lambda run: run["created"])


def read_log(api: Callable[..., Any], run: str) -> str:
    lines = api("/logs/filter", {"logs": {"flow_run_id": {"any_": [run]}}, "limit": 200})
    return "\n".join(line["message"] for line in lines)


def await_run(api: Callable[..., Any], parent: str, condition: Callable[[dict[str, str]], bool]) -> dict[str, str]:
    """The states of the run and of its stages, by name, once the condition holds."""

    def look() -> dict[str, str] | None:
        states = {run["name"]: run["state_type"] for run in list_stages(api, parent)}
        states["parent"] = api(f"/flow_runs/{parent}")["state_type"]
        return states if condition(states) else None

    return await_that(look)


def await_that(look: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 560
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.5)
    raise AssertionError("it did not come about")
