"""Arrays of a picture's size are made in memory that was used before."""

from __future__ import annotations

import subprocess
import sys

COUNT = """
import resource, sys
import numpy as np
from counterfoil.renderers.memory import keep_freed_memory

assert not sys.argv[1:] or keep_freed_memory()
sheets = [np.ones(600_000, np.uint8) for _ in range(8)]
del sheets
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    sheets = [np.ones(600_000, np.uint8) for _ in range(8)]
    del sheets
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def count_faults(*arguments: str) -> int:
    done = subprocess.run([sys.executable, "-c", COUNT, *arguments], capture_output=True, text=True, check=True)
    return int(done.stdout)


def test_a_process_that_keeps_freed_memory_takes_few_page_faults():
    assert count_faults("keep") < 1000 < count_faults()


RARELY = """
import gc
from counterfoil.renderers.memory import collect_rarely

class Node:
    pass

def tie():
    for _ in range(100_000):
        node = Node()
        node.itself = node

tie()
before = sum(each["collections"] for each in gc.get_stats())
tie()
usual = sum(each["collections"] for each in gc.get_stats()) - before
collect_rarely()
before = sum(each["collections"] for each in gc.get_stats())
tie()
rare = sum(each["collections"] for each in gc.get_stats()) - before
assert 0 < rare * 10 < usual, (rare, usual)
assert gc.get_freeze_count() > 0
"""


def test_a_worker_collects_rarely_and_still_collects():
    subprocess.run([sys.executable, "-c", RARELY], check=True)


QUIET = """
import novasvg
from counterfoil.renderers.memory import collect_rarely

class Holder:
    pass

held = Holder()
held.itself, held.matrix = held, novasvg.Matrix()
collect_rarely()
"""


def test_what_was_there_before_is_let_go_at_the_end():
    """Extensions built by nanobind write a page about what they find still there."""
    done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, text=True, check=True)
    assert done.stderr == ""
