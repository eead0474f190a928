"""The parent's side of the worker: one child process, replaced when it dies or takes too long."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any

from counterfoil.renderers.mermaid.protocol import Look, MermaidError
from counterfoil.renderers.mermaid.worker import FRAME, MAX_FRAME

MEMORY_BYTES = 1024**3
CPU_SECONDS = 10
WALL_SECONDS = 20.0
START_SECONDS = 120.0
MAX_REQUESTS = 50_000
"""A worker is replaced after so many requests, so that no slow leak of a native engine can add up."""


class MermaidWorker:
    """A `counterfoil.renderers.mermaid.Mermaid` whose work is done in a child process under limits.

    Starts the child on first use. A chart that exhausts memory, CPU or wall time raises `MermaidError` with the code
    memory, killed or timeout, and the next chart gets a fresh child. Threads take turns; a forked copy starts its own
    child.
    """

    def __init__(
        self, memory_bytes: int = MEMORY_BYTES, cpu_seconds: int = CPU_SECONDS, wall_seconds: float = WALL_SECONDS
    ):
        self._limits = (memory_bytes, cpu_seconds, wall_seconds)
        self._child: subprocess.Popen[bytes] | None = None
        self._owner = os.getpid()
        self._turn = threading.Lock()
        self._served = 0
        self._finalizer: weakref.finalize[Any, Any] | None = None

    def parse(self, code: str, both: bool = True) -> dict[str, Any]:
        """See `Mermaid.parse`."""
        return json.loads(self._ask({"verb": "parse", "code": _text(code), "both": both})[1])

    def draw(self, code: str, look: Look) -> str:
        """See `Mermaid.draw`."""
        return self._ask({"verb": "draw", "code": _text(code), "style": look.style, "face": look.face})[1].decode()

    def paint(self, svg: str, size: int) -> bytes:
        """See `Mermaid.paint`."""
        return self._ask({"verb": "paint", "svg": _text(svg), "size": size})[1]

    def letter(self, svg: str, size: int) -> bytes:
        """See `Mermaid.letter`."""
        return self._ask({"verb": "letter", "svg": _text(svg), "size": size})[1]

    @property
    def pid(self) -> int | None:
        """The child's process id, once it runs."""
        return self._child.pid if self._child else None

    def close(self) -> None:
        """End the child."""
        if self._finalizer is not None:
            self._finalizer()
        self._child = None

    def _ask(self, request: dict[str, Any]) -> tuple[bytes, bytes]:
        if self._owner != os.getpid():
            # A forked copy must not talk on its parent's pipes, nor wait for a thread that it has not.
            self._child, self._finalizer, self._owner, self._turn = None, None, os.getpid(), threading.Lock()
        with self._turn:
            return self._ask_alone(request)

    def _ask_alone(self, request: dict[str, Any]) -> tuple[bytes, bytes]:
        child = self._ready()
        deadline = time.monotonic() + self._limits[2]
        body = json.dumps(request).encode()
        try:
            assert child.stdin is not None
            child.stdin.write(FRAME.pack(b"Q", len(body)) + body)
            child.stdin.flush()
            tag, reply = self._receive(child, deadline)
        except (BrokenPipeError, EOFError):
            raise self._bury(child) from None
        except TimeoutError:
            self.close()
            raise MermaidError("timeout", f"the chart took over {self._limits[2]:g} s") from None
        self._served += 1
        if tag == b"E":
            error = json.loads(reply)
            if error["code"] == "memory":
                self.close()
            raise MermaidError(
                error["code"], error["message"], error.get("line"), error.get("column"), error.get("caret", "")
            )
        return tag, reply

    def _ready(self) -> subprocess.Popen[bytes]:
        if self._child is not None and self._served >= MAX_REQUESTS:
            self.close()
        if self._child is None or self._child.poll() is not None:
            self._child = self._start()
            self._served = 0
            self._finalizer = weakref.finalize(self, _end, self._child)
            try:
                self._receive(self._child, time.monotonic() + START_SECONDS)
            except (EOFError, TimeoutError) as error:
                status = self._child.poll()
                self.close()
                raise MermaidError("killed", f"the renderer's process does not start (status {status})") from error
        return self._child

    def _start(self) -> subprocess.Popen[bytes]:
        root = Path(__file__).absolute().parents[3]
        keep = {k: v for k, v in os.environ.items() if k in ("PATH", "LD_LIBRARY_PATH", "LANG", "SYSTEMROOT")}
        memory, cpu, _ = self._limits
        return subprocess.Popen(
            [sys.executable, "-m", "counterfoil.renderers.mermaid.worker", str(memory), str(cpu)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**keep, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
            cwd="/",
            # A group of its own: Ctrl-C while it starts is not for it either.
            process_group=0,
        )

    def _receive(self, child: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bytes]:
        assert child.stdout is not None
        descriptor = child.stdout.fileno()
        tag, length = FRAME.unpack(_read_exactly(descriptor, FRAME.size, deadline))
        if length > MAX_FRAME:
            raise EOFError
        return tag, _read_exactly(descriptor, length, deadline)

    def _bury(self, child: subprocess.Popen[bytes]) -> MermaidError:
        try:
            status = child.wait(timeout=2)
        except subprocess.TimeoutExpired:
            status = None
        self.close()
        if status == -24:
            return MermaidError("timeout", f"the chart took over {self._limits[1]} s of CPU time")
        return MermaidError("killed", f"the renderer died on this chart (status {status})")


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise MermaidError("refused", "the text holds half a surrogate pair: save it as UTF-8 text") from error
    return value


def _read_exactly(descriptor: int, count: int, deadline: float) -> bytes:
    chunks = []
    while count:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError
        chunk = os.read(descriptor, min(count, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        count -= len(chunk)
    return b"".join(chunks)


def _end(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    child.wait()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            try:
                stream.close()
            except BrokenPipeError:
                continue
