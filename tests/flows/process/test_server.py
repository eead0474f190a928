"""A run's own Prefect server: it goes when the run does."""

from __future__ import annotations

import os
import subprocess
import sys

# `Popen.poll` takes a lock; where Ctrl-C comes just then, its handler raises and nobody gives the lock back.
LOCKED = """
import subprocess
from flows.process.server import open_server
from flows.process.signals import Interrupted


class Locked(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._waitpid_lock.acquire()


subprocess.Popen = Locked
try:
    with open_server():
        raise Interrupted
except Interrupted:
    print("ended")
"""


def test_an_interrupted_run_ends_where_the_signal_left_the_lock_of_its_server_taken(tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    environment["HOME"] = str(tmp_path)
    command = [sys.executable, "-c", LOCKED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("ended\n", 0), done.stderr
