"""Stages as runs of their own: a stage that failed is retried by itself, and the run that it is part of goes on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from counterfoil.flows.nights.offers import Offered, find_domains, list_deployments
from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, load_domain
from tests.flows.served import FINAL, await_run, list_stages, read_log, retry, serve_recipe, start
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


@pytest.fixture(scope="module")
def model() -> Iterator[Server]:
    with Server(draughtsman.answer) as running:
        yield running


@pytest.fixture
def served(prefect_server, model, tmp_path) -> Iterator[Path]:
    """A folder with a recipe, whose deployments are served from there."""
    draughtsman.write_problems(tmp_path / "problems.jsonl")
    (tmp_path / "night.toml").write_text(RECIPE.format(url=model.openai_url))
    with serve_recipe(tmp_path, prefect_server | {"OPENAI_API_KEY": "sk-test"}):
        yield tmp_path


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_retried_stage_lets_its_run_go_on_and_makes_no_second_set(served, api, model):
    parent = start(api, "counterfoil/make-night@serve")
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
    retry(api, failed["id"])
    runs = await_run(api, parent, lambda runs: runs["parent"] in FINAL - {"FAILED"})
    assert set(runs.values()) == {"COMPLETED"} and len(runs) == 5
    again = {run["name"] for run in list_stages(api, parent) if run["run_count"] > 1}
    assert again == {"geometry.rule"}
    opened = {run["name"]: "sandbox: level" in read_log(api, run["id"]) for run in list_stages(api, parent)}
    assert opened == {name: name.startswith("geometry") for name in opened}, "charts run no scripts"
    counts = Dataset(str(served / "data")).counts()
    assert counts.contrasts["geometry.rule"] and counts.contrasts["flowchart.flip"]
    check_barren(api, served)


def check_barren(api: Any, served: Path) -> None:
    """Rows of which no anchor comes are kept as rejects where the stages are runs of their own too."""
    (served / "bad.jsonl").write_text('{"problem_id": "x"}\n')
    overrides = ["geometry.source=geometry3k:bad.jsonl", "dataset.path=barren"]
    night = api("/deployments/name/counterfoil/make-night@serve")["id"]
    wanted = {"state": {"type": "SCHEDULED"}, "parameters": {"overrides": overrides}}
    parent = api(f"/deployments/{night}/create_flow_run", wanted)["id"]
    runs = await_run(api, parent, lambda runs: runs["parent"] in FINAL)
    assert (runs["parent"], runs["geometry.anchors"], runs["flowchart.flip"]) == ("FAILED", "FAILED", "COMPLETED")
    kept = Dataset(str(served / "barren"))
    assert [row.source_id for row in kept.rejects("geometry.anchor")] == ["line-1"]
    assert not kept.snapshot().partitions("anchors")
    assert "`counterfoil explain barren ROW`" in api(f"/flow_runs/{parent}")["state"]["message"]


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


def test_stages_are_offered_of_the_domains_that_the_recipes_have(tmp_path):
    night, week = tmp_path / "night.toml", tmp_path / "week.toml"
    night.write_text('[dataset]\npath = "x"\n[flowchart]\nsource = "procedural:4"\n[training]\n')
    domains = find_domains([str(night)])
    assert domains == ("flowchart",)
    charts = {f"flowchart/{name}" for name in ("flowchart", *load_domain("flowchart").families)}
    offered = list_deployments(Offered((str(night),), "data", domains=domains))
    assert {f"flowchart/{each.name}" for each in offered if each.flow_name in ("anchors", "family")} == charts
    assert find_domains(["night.toml"], str(tmp_path)) == domains
    assert find_domains([str(night), str(week)]) == (), "a recipe that only workers have may be of any domain"


def test_the_file_for_work_pools_offers_the_same_stages():
    listed = yaml.safe_load(Path("prefect.yaml").read_text())
    flows = {"make_dataset": "counterfoil", "regenerate_family": "counterfoil regenerate"}
    flows |= {"make_anchors": "anchors", "make_family": "family"}
    flows |= {"train_model": "counterfoil train", "tune_model": "counterfoil sft"}
    flows |= {"tune_stage": "sft stage", "ablate_towers": "counterfoil ablate"}
    flows |= {"evaluate_models": "counterfoil evaluate", "run_pipeline": "counterfoil pipeline"}
    names = [f"{flows[each['entrypoint'].rpartition('.')[2]]}/{each['name']}" for each in listed["deployments"]]
    queues = {each["name"] for each in listed["deployments"] if each["work_pool"].get("work_queue_name") == "gpu"}
    assert queues == {"train", "sft", "sft.adapter", "sft.tuning", "ablate", "evaluate"}
    assert Counter(names) == Counter(list_wanted("demo"))
    assert listed["pull"] == []


def list_wanted(*recipes: str) -> set[str]:
    wanted = {"counterfoil regenerate/regenerate", "counterfoil train/train", "counterfoil sft/sft"}
    wanted |= {"sft stage/sft.adapter", "sft stage/sft.tuning", "counterfoil ablate/ablate"}
    wanted |= {f"counterfoil pipeline/pipeline-{recipe}" for recipe in recipes} | {"counterfoil evaluate/evaluate"}
    wanted |= {f"counterfoil/make-{recipe}" for recipe in recipes} | {f"anchors/{name}" for name in DOMAIN_MODULES}
    return wanted | {f"family/{name}" for domain in DOMAIN_MODULES for name in load_domain(domain).families}


def list_fields(deployment: Any) -> list[dict[str, Any]]:
    return list(deployment._parameter_openapi_schema.properties.values())
