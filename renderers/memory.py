"""Freed memory kept for what is asked for next.

A picture's arrays are a few hundred kilobytes each. The C library gives so large a piece back to the system as soon as
it is freed, and the next one takes a page fault for every 4 KiB: on a virtual machine more time than the work on it.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import sys
from functools import cache

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
COLLECTED = (20_000, 20, 50)
"""New objects, and younger collections, between two collections of a generation: thirty times as many as by default."""
LARGEST_PIECE = 16 << 20
MOST_KEPT = 64 << 20


def keep_freed_memory() -> bool:
    """Let this process keep up to `MOST_KEPT` bytes that it freed, in pieces of up to `LARGEST_PIECE`; whether the C
    library can do so (glibc's can)."""
    if sys.platform != "linux":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except AttributeError:
        return False
    return bool(mallopt(M_MMAP_THRESHOLD, LARGEST_PIECE) and mallopt(M_TRIM_THRESHOLD, MOST_KEPT))


def freeze_memory() -> None:
    """Let this process look for objects that hold each other rarely, and never among those that are there now: modules
    and tables, which stay."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECTED)


@cache
def collect_rarely() -> None:
    """`freeze_memory`, once, until the process exits. By default the search took a tenth of a worker's time."""
    freeze_memory()
    # Extensions count at exit what of theirs is still there, and complain of it.
    atexit.register(gc.unfreeze)
