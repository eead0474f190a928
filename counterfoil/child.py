"""A call in a child process, as a run needs one: worker processes are
spawned without importing the caller's script again, and signals are heeded as the command line heeds them."""

from __future__ import annotations

import importlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

END_S = 15.0
"""How long an interrupted child has to stage what it has."""


class RunError(Exception):
    """A run or check could not be made. The message says what is wrong, where, and what to do."""


def call_in_child(module: str, function: str, *arguments: Any) -> Any:
    """Call a function of a module in a child process and return what it returned.

    Raises:
        RunError: the function raised an error that the caller can act on, or the child died.
    """
    with tempfile.TemporaryDirectory(prefix="counterfoil-") as folder:
        answer = Path(folder) / "answer"
        child = subprocess.Popen(
            [sys.executable, "-m", "counterfoil.child", str(os.getpid()), str(answer)], stdin=subprocess.PIPE
        )
        try:
            child.communicate(pickle.dumps((module, function, arguments)))
        except BaseException:
            _end(child)
            raise
        if not answer.exists():
            raise RunError(f"the process that ran it ended with {child.returncode}: what it wrote above says why")
        raised, value = pickle.loads(answer.read_bytes())
    if raised:
        raise RunError(value)
    return value


def _end(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGTERM)
    try:
        child.wait(END_S)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def answer_call(parent: int, answer: Path) -> None:
    """In the child: read the call, make it, and write what came of it whole or not at all."""
    from counterfoil.flows.process.home import ensure_home
    from counterfoil.flows.process.signals import Interrupted, heed_signals, leave
    from counterfoil.flows.showing.errors import word_actionable
    from counterfoil.tasks.engine.workers import tie_to_parent
    from counterfoil.tasks.showing.logs import show_logs
    from counterfoil.tasks.showing.secrets import hide_in_text
    from counterfoil.tasks.showing.terminal import escape_traceback

    heed_signals()
    sys.excepthook = escape_traceback
    show_logs()
    tie_to_parent(parent)
    ensure_home()
    module, function, arguments = pickle.loads(sys.stdin.buffer.read())
    try:
        came = (False, getattr(importlib.import_module(module), function)(*arguments))
    except Interrupted as interrupted:
        leave(interrupted.code)
    except Exception as error:
        message = word_actionable(error)
        if message is None:
            raise
        came = (True, hide_in_text(message))
    part = answer.with_suffix(".part")
    part.write_bytes(pickle.dumps(came))
    part.rename(answer)


if __name__ == "__main__":
    answer_call(int(sys.argv[1]), Path(sys.argv[2]))
