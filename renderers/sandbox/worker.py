"""The trusted side of one worker: starts it, hands it one script at a time, reads the result, replaces it."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import shutil
import socket
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

from counterfoil.renderers.lasting import call_in_lasting_thread
from counterfoil.renderers.sandbox import command as commands
from counterfoil.renderers.sandbox import policy
from counterfoil.renderers.sandbox.limits import Limits, SandboxError
from counterfoil.renderers.sandbox.protocol import (
    ERROR_BYTES,
    HEADER_BYTES,
    JOB,
    Header,
    Layout,
    pack_scripts,
    read_header,
    unroll_ring,
)

T = TypeVar("T")

START_SECONDS = 120
GRACE_SECONDS = 5.0
"""How long after the script's own limit a worker may stay silent before it counts as lost."""
WARM_ROUNDS = 3
"""Of three figures each: the interpreter specialises a function after eight calls."""
TOGETHER = 16
"""Scripts that one child may run at most."""
WIPED_BYTES = 20 << 20
"""A result memory with more than this in it is given back; sixteen pictures of 512 x 512 pixels fit."""
ZEROS = bytes(WIPED_BYTES)


@dataclass(frozen=True, slots=True)
class Level:
    """A named strength of isolation: which layers it is made of."""

    name: str
    layers: tuple[str, ...]

    @property
    def has_namespaces(self) -> bool:
        """Whether bubblewrap is part of it; only then is there a scratch folder that scripts can write to."""
        return "bubblewrap" in self.layers


LEVELS = {
    "L3": Level("L3", ("bubblewrap", "landlock", "seccomp", "rlimits")),
    "L2": Level("L2", ("landlock", "seccomp", "rlimits")),
    "L1": Level("L1", ("seccomp", "rlimits")),
    "L0": Level("L0", ()),
}


class WorkerLostError(RuntimeError):
    """The worker died or fell silent; whoever asked decides whether to try again on a new one."""


class Ending(NamedTuple):
    """What the worker reports of a script's process: the wait status, and what it used."""

    status: int
    timed_out: bool
    wall_s: float
    cpu_s: float
    faults: int
    crowded: bool = False
    """Whether it made too many files."""
    refused: bool = False
    """Whether a layer of the sandbox could not be applied, so that the script was not run."""


class RawResult(NamedTuple):
    """A finished script's memory, cut into its parts and bounded, but not yet believed.

    ``pixels`` lie in a buffer of the worker's and last until its next result is read.
    """

    ending: Ending
    header: Header | None
    log: bytes
    error: bytes
    record: bytes
    pixels: memoryview


class Worker:
    """One warm process at one level. Not thread-safe: one script at a time."""

    def __init__(self, level: Level, limits: Limits) -> None:
        self.level = level
        self.limits = limits
        self.layout = Layout(limits.log, limits.record, limits.max_pixels * 4)
        self._settings: str | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the worker)
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None
        self._pixels = bytearray()
        self._memory: int | None = None
        """A result memory that an earlier script has left and that was wiped since: taking new pages takes longer."""
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The process id of the worker's outermost process."""
        if self._process is None:
            raise SandboxError("the worker is closed")
        return self._process.pid

    def restart(self) -> None:
        """Replace the process by a new one."""
        self._stop()
        self._start()

    def close(self) -> None:
        """End the worker and remove what it left."""
        self._stop()
        self._errors.close()

    def run(self, scripts: Sequence[bytes], judge: Callable[[RawResult], T]) -> list[T]:
        """What ``judge`` says of each script's result; all run in one child, until one does not finish.

        Raises `WorkerLostError` where the worker itself died or fell silent.
        """
        source = _make_memory("scripts", pack_scripts(scripts))
        try:
            memory, self._memory = self._memory, None
            if memory is None:
                memory = _make_memory("result", None, self.layout.size * TOGETHER)
            try:
                ending = self._ask(len(scripts), source, memory)
                judged = [judge(self._read(memory, index, ending)) for index in range(len(scripts))]
                if _wipe_memory(memory):
                    self._memory, memory = memory, None
                return judged
            finally:
                if memory is not None:
                    os.close(memory)
        finally:
            os.close(source)

    def _ask(self, count: int, source: int, memory: int) -> Ending:
        if self._socket is None:
            raise WorkerLostError("the worker is closed")
        descriptors = array.array("i", [source, memory])
        try:
            self._socket.sendmsg([JOB.pack(b"J", count)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
            answer = self._socket.recv(4096)
        except TimeoutError:
            raise WorkerLostError(f"the worker was silent for {self._socket.gettimeout()} s") from None
        except OSError as error:
            raise WorkerLostError(f"the worker is gone: {error}") from None
        if not answer:
            raise WorkerLostError("the worker died")
        return Ending(**json.loads(answer))

    def _read(self, memory: int, index: int, ending: Ending) -> RawResult:
        """Cut one script's part into its own. The process is dead and reaped: nothing changes any more."""
        layout, start = self.layout, index * self.layout.size
        header = read_header(os.pread(memory, HEADER_BYTES, start))
        if header is None:
            return RawResult(ending, None, b"", b"", b"", memoryview(b""))
        log = b""
        if header.log_total:
            log = unroll_ring(os.pread(memory, layout.log_bytes, start + HEADER_BYTES), header.log_total)
        error = os.pread(memory, min(header.error_bytes, ERROR_BYTES), start + layout.error)
        record = os.pread(memory, min(header.record_bytes, layout.record_bytes), start + layout.record)
        size = header.width * header.height * 4
        return RawResult(ending, header, log, error, record, self._read_pixels(memory, start, size))

    def _read_pixels(self, memory: int, start: int, size: int) -> memoryview:
        """The pixels, in a buffer that the next script's overwrite: a new one each time would cost new pages."""
        if size > self.layout.pixel_bytes:
            return memoryview(b"")
        if len(self._pixels) < size:
            self._pixels = bytearray(size)
        view = memoryview(self._pixels)[:size]
        return view[: os.preadv(memory, [view], start + self.layout.pixels)]

    def _start(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = ours
        with theirs:
            descriptor = theirs.fileno()
            command, environment, user = self._build_command(descriptor)
            self._errors.seek(0)
            self._errors.truncate()
            try:
                self._process = call_in_lasting_thread(
                    _start_process, command, environment, descriptor, self._errors, user
                )
            except OSError as error:
                raise SandboxError(f"{self.level.name}: {command[0]} could not be started: {error}") from error
        self._await_ready(ours)
        ours.settimeout(self.limits.wall_s + GRACE_SECONDS)

    def _await_ready(self, ours: socket.socket) -> None:
        ours.settimeout(START_SECONDS)
        try:
            answer = ours.recv(4096)
        except OSError as error:
            answer = b""
            reason = str(error)
        else:
            reason = "it ended"
        if not answer:
            self._stop()
            self._errors.seek(0)
            said = self._errors.read()[-2000:].decode("utf-8", "replace").strip()
            raise SandboxError(f"{self.level.name}: the worker did not start ({reason}): {said or 'it said nothing'}")
        told = json.loads(answer)
        if not told["ready"]:
            self._stop()
            raise SandboxError(f"{self.level.name}: {told['reason']}; `counterfoil doctor` shows what works here")

    def _build_command(self, descriptor: int) -> tuple[list[str], dict[str, str], int | None]:
        contained = self.level.has_namespaces
        runtime = self._find_runtime()
        writable = [commands.SCRATCH, commands.DATA] if contained else []
        code = commands.CODE_INSIDE if contained else str(commands.CODE)
        filtering = "seccomp" in self.level.layers
        bpf = policy.compile_filter(scratch=contained, opening=self.level.name != "L1") if filtering else b""
        config = {
            "limits": self.limits.as_dict(),
            "layout": {
                "log_bytes": self.layout.log_bytes,
                "record_bytes": self.layout.record_bytes,
                "pixel_bytes": self.layout.pixel_bytes,
            },
            "layers": self.level.layers,
            "bpf": bpf.hex(),
            "readable": runtime.readable,
            "writable": writable,
            "data_folder": commands.DATA,
            "code": code,
            "folder": commands.SCRATCH if contained else "/",
            "processes": 0 if contained else _count_tasks(os.geteuid() if runtime.user is None else runtime.user),
            "rounds": WARM_ROUNDS,
        }
        program = commands.build_python(runtime, json.dumps(config), descriptor, code)
        if contained:
            return [*commands.build_bwrap(runtime, self.limits.scratch), *program], {}, runtime.user
        self._settings = tempfile.mkdtemp(prefix="counterfoil-settings-")
        if runtime.user is not None:
            os.chown(self._settings, runtime.user, runtime.user)
        return program, commands.build_environment(self._settings, "/nonexistent"), runtime.user

    def _find_runtime(self) -> commands.Runtime:
        if self.level.name == "L0":
            return commands.find_runtime(stay_root=True)
        try:
            return commands.find_runtime()
        except SandboxError as error:
            if not self.level.has_namespaces:
                raise
            # Inside bubblewrap's own user and mount namespaces root has no power over files outside the binds.
            warnings.warn(
                f"{self.level.name}: workers run as root in a user namespace of their own, not as nobody: {error}",
                stacklevel=2,
            )
            return commands.find_runtime(stay_root=True)

    def _stop(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            self._process.wait()
            self._process = None
        if self._memory is not None:
            os.close(self._memory)
            self._memory = None
        if self._settings is not None:
            shutil.rmtree(self._settings, ignore_errors=True)
            self._settings = None


def _start_process(
    command: list[str], environment: dict[str, str], descriptor: int, errors: IO[bytes], user: int | None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env=environment,
        pass_fds=[descriptor],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        cwd="/",
        **commands.as_user(user),
    )


def _make_memory(name: str, content: bytes | None, size: int = 0) -> int:
    """A sealed memfd: one with ``content`` can never change, an empty one of ``size`` never shrink or grow."""
    descriptor = os.memfd_create(name, os.MFD_ALLOW_SEALING | os.MFD_CLOEXEC)
    seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
    try:
        if content is not None:
            view = memoryview(content)
            while view:
                view = view[os.write(descriptor, view) :]
            seals |= fcntl.F_SEAL_WRITE
        else:
            os.ftruncate(descriptor, size)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _wipe_memory(descriptor: int) -> bool:
    """Overwrite all that was written to a result memory with zeros; False where it holds too much to be worth it."""
    if os.fstat(descriptor).st_blocks * 512 > WIPED_BYTES:
        return False
    end = 0
    while True:
        try:
            start = os.lseek(descriptor, end, os.SEEK_DATA)
        except OSError:  # ENXIO: nothing more is written
            return True
        end = os.lseek(descriptor, start, os.SEEK_HOLE)
        os.pwrite(descriptor, memoryview(ZEROS)[: end - start], start)


def _count_tasks(user: int) -> int:
    """How many threads the user runs now: its process limit counts them all."""
    count = 0
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if folder.stat().st_uid == user:
                    count += sum(1 for _ in (folder / "task").iterdir())
    return count
