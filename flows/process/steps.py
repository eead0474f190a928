"""How far the work of this process is: what is being done, how much of it is done, and of how much.

A flow is called by Prefect, with the parameters of its form. Who started it from a terminal and wants to see it move
says so here before.
"""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]

_watching: Progress = lambda *_: None  # noqa: E731 - nobody watches


def watch_progress(progress: Progress) -> None:
    """Let the flows of this process tell ``progress`` how far they are."""
    global _watching
    _watching = progress


def find_progress() -> Progress:
    """Whom to tell; where nobody asked, no one."""
    return _watching
