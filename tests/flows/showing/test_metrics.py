"""A run's counters: what they count, and where they are left."""

from __future__ import annotations

import socket
import urllib.request

import pytest

from counterfoil.flows.showing.metrics import MetricsError, MetricsObserver
from counterfoil.tasks.engine.shards import ShardResult, StageJob
from counterfoil.tasks.llm.store.tables import Spending
from tests.patience import PATIENCE_S

JOB = StageJob("contrasts", "data", "geometry", "geometry.image", {}, {}, 7, "ab" * 32, 0, families=("geometry.image",))
MADE = ShardResult(
    "geometry.image",
    0,
    "ab" * 32,
    4,
    {"geometry.image": 9},
    {"geometry.image": {"duplicate": 2}},
    wall_s=1.5,
    cpu_s=1.0,
    pictures=12,
    kills=3,
)


def read(folder) -> dict[str, float]:
    (file,) = folder.iterdir()
    lines = (line for line in file.read_text().splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_a_file_counts_what_was_made_and_not_what_was_found_made(tmp_path):
    observer = MetricsObserver(str(tmp_path))
    observer.begin("id", "make night.toml", "data/night")
    observer.shard(JOB, MADE, 0.25)
    observer.shard(JOB, ShardResult("geometry.image", 1, "cd" * 32, 4, {"geometry.image": 8}, {}, reused=True), 0.0)
    observer.end(True)
    found = read(tmp_path)
    assert found['counterfoil_rows_accepted_total{dataset="data/night",family="geometry.image"}'] == 9
    assert (
        found['counterfoil_rows_rejected_total{dataset="data/night",family="geometry.image",reason="duplicate"}'] == 2
    )
    assert found['counterfoil_shards_total{dataset="data/night",reused="true",stage="geometry.image"}'] == 1
    assert found['counterfoil_sandbox_kills_total{dataset="data/night",stage="geometry.image"}'] == 3
    assert found['counterfoil_shard_queue_seconds_sum{dataset="data/night",stage="geometry.image"}'] == 0.25
    assert found['counterfoil_last_success_timestamp_seconds{dataset="data/night"}'] > 1.7e9


def test_the_next_run_of_the_same_name_writes_the_same_file(tmp_path):
    for _ in range(2):
        observer = MetricsObserver(str(tmp_path))
        observer.begin("another id", "make night.toml", "data/night")
        observer.end(False)
    assert "counterfoil_last_success_timestamp_seconds" not in "".join(read(tmp_path))


def test_what_was_asked_is_summed_over_prompts(tmp_path):
    observer = MetricsObserver(str(tmp_path))
    observer.begin("id", "make night.toml", "s3://key:secret@bucket/night")
    spent = [Spending("geometry.rule", prompt, "openai", "gpt", 3, 10, 20, 0, 0, 0.5, 0, 0) for prompt in ("a", "b")]
    observer.watch_spending(lambda: spent)
    observer.end(True)
    found = read(tmp_path)
    of = 'dataset="s3://key@bucket/night",family="geometry.rule",model="gpt",provider="openai"'
    of_input = of.replace(",model", ',kind="input",model')
    assert found[f"counterfoil_requests_total{{{of}}}"] == 6
    assert found[f"counterfoil_cost_usd_total{{{of}}}"] == 1.0
    assert {name.partition("{")[0] for name in found if "kind=" in name} == {"counterfoil_tokens_total"}
    assert [value for name, value in found.items() if 'kind="input"' in name] == [20], of_input


def test_a_port_is_scraped():
    with socket.create_server(("127.0.0.1", 0)) as free:
        place = f"127.0.0.1:{free.getsockname()[1]}"
    observer = MetricsObserver(place)
    observer.begin("id", "make night.toml", "data/night")
    observer.shard(JOB, MADE, 0.0)
    with urllib.request.urlopen(f"http://{place}/metrics", timeout=PATIENCE_S) as answer:
        assert b"counterfoil_pictures_total" in answer.read()
    with pytest.raises(MetricsError, match="two runs of one machine need two"):
        MetricsObserver(place)


def test_a_folder_that_is_not_there_is_told():
    with pytest.raises(MetricsError, match="no folder and no HOST:PORT"):
        MetricsObserver("/nowhere/at/all")
