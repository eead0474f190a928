"""How the shards of a stage are dealt out to task runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from flows.dealing import MOST, choose_size

READ = """
from prefect.settings import get_current_settings
server = get_current_settings().server
vacuum = server.services.db_vacuum
print(server.events.retention_period.days, *sorted(vacuum.enabled_vacuum_types), vacuum.retention_period.days)
"""


def deal(shards: int, workers: int) -> list[int]:
    sizes = []
    while shards:
        sizes.append(choose_size(shards, workers))
        shards -= sizes[-1]
    return sizes


def test_a_small_stage_has_a_task_run_for_each_shard():
    assert deal(7, 2) == [1] * 7


def test_a_long_stage_has_few_task_runs_and_ends_with_single_shards():
    sizes = deal(10_000, 2)
    assert len(sizes) < 200
    assert max(sizes) == MOST
    assert sizes[-4:] == [1] * 4


def test_every_worker_of_a_large_cluster_gets_several_task_runs():
    assert len(deal(10_000, 256)) > 4 * 256


def test_what_the_documentation_sets_to_trim_the_server_is_what_prefect_reads():
    text = (Path(__file__).parents[2] / "docs" / "running.md").read_text()
    settings = dict(re.findall(r"export (PREFECT_SERVER_\w+)=(\S+)", text))
    done = subprocess.run(
        [sys.executable, "-c", READ], env=os.environ | settings, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["2", "events", "flow_runs", "orphans", "30"]
