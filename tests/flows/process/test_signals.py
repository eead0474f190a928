"""How a command ends that was told to."""

from __future__ import annotations

import subprocess
import sys

from tests.patience import PATIENCE_S


def test_a_command_that_leaves_has_the_last_word():
    """Semaphores of queues that are left to Python's resource tracker would make it warn after our line."""
    code = (
        "import multiprocessing; from counterfoil.flows.process.signals import leave; "
        "queue = multiprocessing.get_context('spawn').Queue(); print('ended', flush=True); leave(130)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "ended\n", "")


WAITING = """
import os, signal, threading
from counterfoil.flows.process import signals

signals.LAST_S = 1.0
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
    ended = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "told\n", "interrupted\n")


DROPPED = """
import _imp, os, signal, sys, threading, weakref
from counterfoil.flows.process.signals import Interrupted, heed_signals

class Module: pass

def drop(reference):
    _imp.acquire_lock()
    os.kill(os.getpid(), signal.SIGINT)

sys.unraisablehook = lambda dropped: print("dropped", flush=True)
heed_signals()
module = Module()
reference = weakref.ref(module, drop)
try:
    del module
    importing = threading.Thread(target=lambda: __import__("colorsys"), daemon=True)
    importing.start()
    importing.join()
except Interrupted:
    print("told", flush=True)
    os._exit(130)
"""


def test_what_python_drops_in_a_callback_under_the_import_lock_is_raised_again():
    """As at the end of an import: who joins a thread that imports would wait for ever."""
    ended = subprocess.run([sys.executable, "-c", DROPPED], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "dropped\ntold\n", "")


CLEANING = """
import os, signal, time
from counterfoil.flows.process import signals

signals.AGAIN_S = 0.05
signals.heed_signals()
try:
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        time.sleep(0.5)
        try:
            raise OSError
        except OSError:
            time.sleep(0.5)
        print("cleaned", flush=True)
except signals.Terminated:
    signals.heed_signals()
time.sleep(0.5)
print("went on", flush=True)
"""


def test_who_cleans_up_is_not_told_again_nor_who_has_heard():
    ended = subprocess.run([sys.executable, "-c", CLEANING], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "cleaned\nwent on\n", "")


FAILING = """
import os, signal, sys
from counterfoil.flows import __main__ as command
from counterfoil.flows import cli
from counterfoil.flows.process.signals import run_watched
from counterfoil.tasks.engine.stopping import stopped_by

def fail():
    raise AttributeError("half shut")

def interrupt():
    with stopped_by(fail), stopped_by(lambda: print("stopped", flush=True)):
        os.kill(os.getpid(), signal.SIGINT)
        signal.pause()

cli.app, cli.keep_asked = (lambda: run_watched(interrupt)), (lambda words: None)
command.main()
"""


def test_an_error_while_a_command_ends_hides_neither_the_interrupt_nor_itself():
    ended = subprocess.run([sys.executable, "-c", FAILING], capture_output=True, text=True, timeout=PATIENCE_S)
    assert (ended.returncode, ended.stdout) == (130, "stopped\n")
    assert "AttributeError: half shut" in ended.stderr
    assert ended.stderr.splitlines()[-1] == "interrupted: what is finished is kept; run the same command again to go on"
