"""A command on a terminal of its own: a pty, whose Ctrl-C goes to every process in the foreground."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable

from tests.patience import PATIENCE_S

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A command running on a pty. ``shown`` is what it wrote so far, with the escape sequences."""

    def __init__(self, *arguments: object, environment: dict[str, str], columns: int = 60) -> None:
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.execve(sys.executable, [sys.executable, "-m", "counterfoil", *map(str, arguments)], environment)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.shown = ""
        self.ended = False

    def watch_until(self, condition: Callable[[], bool], timeout_s: float = PATIENCE_S) -> None:
        """Read what is written until the condition holds; an error if the command ends before."""
        deadline = time.monotonic() + timeout_s
        while not condition():
            assert not self._read(), f"the command ended early: {self.shown[-2000:]}"
            assert time.monotonic() < deadline, f"the command made no progress: {self.shown[-2000:]}"

    def press(self, key: str) -> None:
        os.write(self.fd, key.encode())

    def wait(self, timeout_s: float = PATIENCE_S) -> int:
        """Read to the end; the exit code, negative for a signal."""
        deadline = time.monotonic() + timeout_s
        while not self._read():
            if time.monotonic() > deadline:
                os.kill(self.pid, signal.SIGKILL)
                raise AssertionError(f"the command did not end: {self.shown[-2000:]}")
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)

    def _read(self) -> bool:
        """Read what there is; whether the command has ended."""
        if select.select([self.fd], [], [], 0.02)[0]:
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:  # the last process has closed its side
                data = b""
            self.ended = not data
            self.shown += data.decode(errors="replace")
        return self.ended


def strip_escapes(shown: str) -> str:
    """The text without colours and cursor movements."""
    return ESCAPES.sub("", shown)
