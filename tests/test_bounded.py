"""What CI bounds in time exits as it would by itself, and leaves nothing running."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TIME_IS_UP = 124
BOUNDED = Path(__file__).parents[1] / ".ci" / "bounded.py"


def run(seconds: str, script: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BOUNDED), seconds, "bash", "-c", script]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize(("script", "status"), [("exit 0", 0), ("exit 2", 2), ("kill -9 $$", 137)])
def test_exits_as_the_command_does(script: str, status: int) -> None:
    assert run("600", script).returncode == status


@pytest.mark.parametrize(
    ("seconds", "end", "status"),
    [("600", "exit 3", 3), ("1", "trap 'exit 1' INT; sleep 600 & wait", 124)],
    ids=["left behind", "time is up"],
)
def test_a_group_of_its_own_that_hears_no_signal_is_ended(tmp_path: Path, seconds: str, end: str, status: int) -> None:
    told = tmp_path / "pid"
    child = f"trap '' INT TERM; echo $BASHPID > {told}; exec sleep 600"
    done = run(seconds, f"set -m; ({child}) & while [ ! -s {told} ]; do sleep 0.01; done; {end}")
    assert done.returncode == status
    assert ("not done after 1 s" in done.stdout) == (status == TIME_IS_UP)
    assert told.exists() or status == TIME_IS_UP, "on a busy machine the time may be up before the child is there"
    assert not (told.exists() and lives(told.read_text().strip()))


def lives(pid: str) -> bool:
    """Whoever takes its parent's place may read its end later: until then it is there, and dead."""
    try:
        state = Path(f"/proc/{pid or 'none'}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
