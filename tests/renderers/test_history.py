"""What a script can ask does not tell how many ran before it, what the host runs, or hold what others wait for."""

from __future__ import annotations

import fcntl
from pathlib import Path

import matplotlib
import pytest

from counterfoil.renderers.results import Outcome
from counterfoil.renderers.sandbox import Limits, open_renderer

NUMBERS = """
import os, threading
seen = []
thread = threading.Thread(target=lambda: seen.append(threading.get_native_id()))
thread.start(); thread.join()
print(os.getpid(), os.getppid(), os.getpgrp(), os.getpgid(0), os.getsid(0), threading.get_native_id(), *seen)
"""
OTHERS = """
import os, ctypes
libc = ctypes.CDLL(None, use_errno=True)
told = set()
for number in range(1, 400):
    for ask in (os.getpgid, os.getsid, os.sched_getscheduler, os.sched_getparam, os.sched_getaffinity):
        try:
            told.add(str(ask(number)))
        except OSError as error:
            told.add(error.strerror)
    told.add(str(libc.syscall(274, number, 0, 0)))
print(sorted(told))
"""
LOCKS = """
import fcntl, matplotlib, os
file = open(matplotlib.__file__)
for lock in (lambda: fcntl.flock(file, fcntl.LOCK_SH), lambda: fcntl.lockf(file, fcntl.LOCK_SH)):
    try:
        lock(); print("BREACH: locked")
    except OSError:
        print("held")
import time; time.sleep(0.5)
"""
FILES = """
import os
for number in range(10**9):
    folder = f"/scratch/{number}"
    os.mkdir(folder)
    for inner in range(500):
        os.close(os.open(f"{folder}/{inner}", os.O_CREAT | os.O_WRONLY))
"""


@pytest.fixture(scope="module", params=["L3", "L2"])
def renderer(request):
    with open_renderer(request.param) as opened:
        yield opened


def test_process_and_thread_numbers_are_the_same_for_every_script(renderer):
    assert {renderer.render(NUMBERS).log.splitlines()[0] for _ in range(3)} == {"0 0 0 0 0 0 0"}


def test_a_script_cannot_tell_which_processes_there_are(renderer):
    (line, *_) = renderer.render(OTHERS).log.splitlines()
    assert line == "['-1', '0', 'Operation not permitted']"


def test_a_script_can_lock_no_file_of_the_hosts(renderer):
    assert renderer.render(LOCKS).log.splitlines()[:2] == ["held", "held"]
    with Path(matplotlib.__file__).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_files_without_content_are_bounded_and_the_next_script_runs_at_once():
    with open_renderer("L3", limits=Limits(files=1000)) as opened:
        rendering = opened.render(FILES)
        assert (rendering.outcome, rendering.log.splitlines()[-1]) == (Outcome.KILLED, "made more than 1000 files")
        assert opened.render("import os; print(os.listdir('/scratch'))").log.startswith("[]")
        assert opened.replaced == 0
