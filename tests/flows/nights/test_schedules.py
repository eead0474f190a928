"""A schedule fires: a deployment that is served makes its dataset when the clock says so, with nobody's hand."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from counterfoil.storage.dataset import Dataset
from tests.flows.asking import ask_server
from tests.flows.conftest import NIGHTLY

EVERY_TEN_SECONDS = "* * * * * */10"


@pytest.mark.slow
def test_a_schedule_fires_and_makes_the_dataset(prefect_server, tmp_path):
    recipe = tmp_path / "nightly.toml"
    recipe.write_text(NIGHTLY.format(path=tmp_path / "nightly"))
    command = [sys.executable, "-m", "counterfoil", "serve", "--recipe", str(recipe), "--cron", EVERY_TEN_SECONDS]
    with (tmp_path / "serve.log").open("wb") as log:
        server = subprocess.Popen(command, env=prefect_server, stdout=log, stderr=log)
    try:
        finished = wait_for_scheduled_run(prefect_server, server)
    finally:
        server.terminate()
        code = server.wait(timeout=60)
    assert code == 143
    assert finished["state_type"] == "COMPLETED", (tmp_path / "serve.log").read_text()
    assert Dataset(str(tmp_path / "nightly")).counts().contrasts["flowchart.flip"]


def wait_for_scheduled_run(environment: dict[str, str], server: subprocess.Popen[bytes]) -> dict[str, str]:
    """The first run that the scheduler made and that came to an end."""
    deadline = time.monotonic() + 480
    while time.monotonic() < deadline:
        assert server.poll() is None, "the server of the deployments ended"
        wanted = {"flow_runs": {"state": {"type": {"any_": ["COMPLETED", "FAILED", "CRASHED"]}}}}
        for run in ask_server(f"{environment['PREFECT_API_URL']}/flow_runs/filter", wanted):
            if run["auto_scheduled"]:
                return run
        time.sleep(0.5)
    raise AssertionError("no scheduled run within eight minutes")


def test_no_module_beside_the_flows_hides_one_of_pythons_own():
    """Prefect puts the folder of a flow's file on the search path of its runs, and so of their workers."""
    beside = {path.stem for path in Path("flows").rglob("*")} - {"__init__", "__main__"}
    assert not beside & sys.stdlib_module_names
