"""A command for so many seconds at most, after which it ends with all that it started.

    python3 .ci/bounded.py SECONDS COMMAND...

It exits as the command does, or with 124 where the time was up. The command is interrupted first and killed a minute
later. What it left running is killed in both cases: its session tells what it started.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

TIME_IS_UP = 124
GRACE_S = 60.0


def list_session(leader: int) -> list[int]:
    """The processes of a session that run still."""
    found = []
    for each in Path("/proc").glob("[0-9]*/stat"):
        with suppress(FileNotFoundError, ProcessLookupError):
            # After the name, which may hold spaces: state, parent, group, session.
            state, _, _, session = each.read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state != "Z":
                found.append(int(each.parent.name))
    return found


def end_session(leader: int) -> None:
    """Kill what is left of a session, and what that started in the meantime; a minute later, leave what cannot be."""
    until = time.monotonic() + GRACE_S
    while (left := list_session(leader)) and time.monotonic() < until:
        for each in left:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGKILL)
        time.sleep(0.05)


def run(seconds: float, command: list[str]) -> int:
    """The command's exit status, or `TIME_IS_UP`."""
    process = subprocess.Popen(command, start_new_session=True)
    try:
        status = process.wait(seconds)
        return status if status >= 0 else 128 - status
    except subprocess.TimeoutExpired:
        print(f"{' '.join(command)}: not done after {seconds:g} s, so it is ended with all that it started", flush=True)
        os.killpg(process.pid, signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
        return TIME_IS_UP
    finally:
        end_session(process.pid)
        process.poll()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(run(float(sys.argv[1]), sys.argv[2:]))
