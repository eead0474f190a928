"""Ctrl-C on a real terminal and SIGTERM, at several moments: seconds, one line, nothing left behind, nothing lost."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.storage.dataset import Dataset
from tests.flows.terminal import Terminal, strip_escapes
from tests.patience import PATIENCE_S

SECONDS = 45
"""Far above what it takes; it took minutes where a server had to be given up. A machine that does much else is
slow in all: there it may be twice what the run took to come so far."""
KEPT = ": what is finished is kept; run the same command again to go on"


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> dict[str, str]:
    """The environment of a user who has configured no Prefect server."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return environment | {"HOME": str(tmp_path_factory.mktemp("home")), "TERM": "xterm-256color"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("moment", "by", "advice"),
    [
        ("as it starts", (), ""),
        ("in the first stage", (), KEPT),
        ("in a later stage", (), KEPT),
        ("as its server starts", ("--prefect",), ""),
        ("in the first stage", ("--prefect",), KEPT),
    ],
)
def test_ctrl_c_ends_a_run_on_a_terminal_in_one_line(moment, by, advice, alone, tmp_path, write_recipe):
    target, began = tmp_path / "data", time.monotonic()
    terminal = Terminal("run", write_recipe(tmp_path), *by, environment=alone)
    moments = {
        "as it starts": lambda: heeds_sigterm(terminal.pid),
        "as its server starts": lambda: any("uvicorn" in words for words in list_commands(terminal.pid)),
        "in the first stage": lambda: len(list_staged(target)) >= 1,
        "in a later stage": lambda: len(list_staged(target)) >= 7,
    }
    terminal.watch_until(moments[moment], 280)
    children = psutil.Process(terminal.pid).children(recursive=True)
    written, pressed = len(terminal.shown), time.monotonic()
    terminal.press("\x03")
    assert terminal.wait() == 130
    assert time.monotonic() - pressed < max(SECONDS, 2 * (pressed - began))
    lines = [line for line in strip_escapes(terminal.shown[written:]).replace("\r", "\n").splitlines() if line.strip()]
    assert lines[-1] == f"interrupted{advice}"
    assert not any(word in terminal.shown for word in ("Traceback", "Error", "failed")), terminal.shown
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert not alive, alive


def test_a_second_ctrl_c_does_not_wait_for_the_row_under_way(alone, tmp_path, write_recipe):
    target = tmp_path / "data"
    terminal = Terminal("run", write_recipe(tmp_path), environment=alone)
    terminal.watch_until(lambda: len(list_staged(target)) >= 1)
    children = psutil.Process(terminal.pid).children(recursive=True)
    terminal.press("\x03\x03")
    assert terminal.wait() == 130
    assert "Traceback" not in terminal.shown and "failed" not in terminal.shown
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert not alive, alive


@pytest.mark.slow
def test_sigterm_ends_a_run_and_the_next_one_makes_the_same_bytes(alone, tmp_path, write_recipe):
    run_plainly(write_recipe(tmp_path, "calm"), here=True)
    recipe, target = write_recipe(tmp_path), tmp_path / "data"
    terminal = Terminal("run", recipe, environment=alone)
    terminal.watch_until(lambda: len(list_staged(target)) >= 3)
    children = psutil.Process(terminal.pid).children(recursive=True)
    os.kill(terminal.pid, signal.SIGTERM)
    assert terminal.wait() == 143
    assert strip_escapes(terminal.shown).splitlines()[-1] == f"terminated{KEPT}"
    assert "failed" not in terminal.shown, "what was told to end has not failed"
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert not alive, alive
    assert Terminal("run", recipe, "--workers", 1, environment=alone).wait() == 0
    made = [
        {file.path: file.sha256 for file in Dataset(str(path)).active_files()} for path in (target, tmp_path / "calm")
    ]
    assert made[0] == made[1]


def list_staged(dataset) -> list[str]:
    return [str(path) for path in (dataset / "work").rglob("*.json")]


def list_commands(pid: int) -> list[list[str]]:
    found = []
    for child in psutil.Process(pid).children(recursive=True):
        try:
            found.append(child.cmdline())
        except psutil.NoSuchProcess:
            continue
    return found


def heeds_sigterm(pid: int) -> bool:
    """Whether the process has a handler for SIGTERM, which Python does not set of itself."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(status["SigCgt"], 16) & 1 << signal.SIGTERM - 1)
