"""How a command ends that was told to."""

from __future__ import annotations

import subprocess
import sys


def test_a_command_that_leaves_has_the_last_word():
    """Semaphores of queues that are left to Python's resource tracker would make it warn after our line."""
    code = (
        "import multiprocessing; from flows.signals import leave; "
        "queue = multiprocessing.get_context('spawn').Queue(); print('ended', flush=True); leave(130)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "ended\n", "")


SWALLOWED = """
import os, signal, threading
from flows import signals

signals.LAST_S = 1
signals.heed_signals()
try:
    os.kill(os.getpid(), signal.SIGINT)
except signals.Interrupted:
    print("told", flush=True)
held = threading.Lock()
held.acquire()
held.acquire()
"""


def test_a_command_that_was_told_to_end_ends_though_it_waits_for_ever():
    ended = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "told\n", "interrupted\n")
