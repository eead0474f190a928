"""The process inside the sandbox: warm, it forks one confined child per script and reports how that ended.

Run as ``python -s -S -P -B -c "..." CONFIG FD`` by `worker`. Scripts that belong together (our own author's, of one
anchor) run one after another in one child; all others have a child each. The next child is forked, waiting, before its
script arrives. It takes the script itself from the control socket, confines itself, and runs it; this process only
waits, kills and cleans. It never reads anything that a script wrote.
"""

from __future__ import annotations

import array
import contextlib
import gc
import io
import json
import mmap
import os
import secrets
import select
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from counterfoil.renderers.memory import keep_freed_memory
from counterfoil.renderers.sandbox import canvas, policy
from counterfoil.renderers.sandbox.protocol import ERROR_BYTES, HEADER_BYTES, JOB, End, Header, Layout, unpack_scripts
from counterfoil.renderers.sandbox.recorder import record_figure
from counterfoil.renderers.sandbox.shaping import share_layouts

CONTROL = 3
MEMORY = CONTROL
"""The control socket gives way to the result memory once the job is there."""
REFUSED = b"N"
"""What a child writes that could not confine itself."""
NO_MORE_JOBS = 77
SCRIPT_NAME = "script.py"
MADV_POPULATE_WRITE = 23
LOOK_MS = 100
"""How often a running script's scratch folders are looked at, and its time."""


class Result:
    """The child's side of the result memory."""

    def __init__(self, memory: mmap.mmap, layout: Layout, limits: dict[str, Any]) -> None:
        self.memory = memory
        self.layout = layout
        self.limits = limits
        self.header = Header()
        self.saved = False
        self.write_header()

    def write_header(self) -> None:
        """Publish the header as it stands."""
        packed = self.header.pack()
        self.memory[: len(packed)] = packed

    def log(self, data: bytes) -> None:
        """Append to the log; its oldest bytes give way."""
        ring = self.layout.log_bytes
        position = self.header.log_total
        self.header.log_total += len(data)
        if len(data) > ring:
            position += len(data) - ring
            data = data[-ring:]
        start = position % ring
        head = data[: ring - start]
        self.memory[HEADER_BYTES + start : HEADER_BYTES + start + len(head)] = head
        if tail := data[len(head) :]:
            self.memory[HEADER_BYTES : HEADER_BYTES + len(tail)] = tail
        self.write_header()
        if self.header.log_total > self.limits["output"]:
            self.finish(End.OUTPUT_LIMIT)

    def keep_picture(self, drawn: Any, shown: bool) -> None:
        """Take the pixels and the record of a figure just drawn; a shown one only while none was saved."""
        if shown and self.saved:
            return
        pixels: memoryview = memoryview(drawn.buffer_rgba())
        height, width = drawn.buffer_rgba().shape[:2]
        start = self.layout.pixels
        with contextlib.suppress(OSError, ValueError):
            # One call instead of a page fault for every 4 KiB; before Linux 5.14 there is none, and nothing is lost.
            self.memory.madvise(MADV_POPULATE_WRITE, start, pixels.nbytes)
        self.memory[start : start + pixels.nbytes] = pixels.cast("B")
        self._keep_record(json.dumps(record_figure(drawn.figure, drawn.renderer)).encode())
        self.header.width, self.header.height = width, height
        self.header.pictures += 1
        self.saved = self.saved or not shown

    def _keep_record(self, record: bytes) -> None:
        if len(record) > self.layout.record_bytes:
            raise canvas.PictureTooLargeError(f"the drawing's record takes {len(record)} bytes")
        self.memory[self.layout.record : self.layout.record + len(record)] = record
        self.header.record_bytes = len(record)

    def keep_error(self, error: BaseException) -> None:
        """Leave the exception for a repair prompt, and its traceback in the log."""
        import traceback

        line: int | None = None
        if isinstance(error, SyntaxError) and error.filename == SCRIPT_NAME:
            line = error.lineno
        else:
            frames = [n for f, n in traceback.walk_tb(error.__traceback__) if f.f_code.co_filename == SCRIPT_NAME]
            line = frames[-1] if frames else None
        content = {"line": line, "type": type(error).__name__[:200], "message": _describe_error(error)}
        data = json.dumps(content).encode()[:ERROR_BYTES]
        self.memory[self.layout.error : self.layout.error + len(data)] = data
        self.header.error_bytes = len(data)
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != SCRIPT_NAME:
            trace = trace.tb_next
        lines = traceback.format_exception(type(error), error, trace)
        self.log("".join(lines)[-8000:].encode("utf-8", "replace"))

    def publish(self, end: End) -> None:
        """Say how the script ended."""
        self.header.end = end
        self.write_header()

    def finish(self, end: End) -> NoReturn:
        """Publish how the script ended and leave, running nothing more of it."""
        self.publish(end)
        os._exit(0)


def _describe_error(error: BaseException) -> str:
    """The exception's message. Asking for it runs the script's own code, which may fail too."""
    try:
        return (error.msg if isinstance(error, SyntaxError) else str(error))[:1000]
    except BaseException as another:  # noqa: BLE001 (whatever the script raises is its result)
        return f"(its message cannot be had: {type(another).__name__})"


class Log(io.RawIOBase):
    """The script's stdout and stderr."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        copy = bytes(data)
        self._result.log(copy)
        return len(copy)


class Confinement:
    """The layers that the child puts on itself, prepared here as far as possible."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.limits: dict[str, Any] = config["limits"]
        self.layers = frozenset(config["layers"])
        self.filter = policy.SeccompFilter(bytes.fromhex(config["bpf"])) if "seccomp" in self.layers else None
        self.rules = None
        if "landlock" in self.layers:
            self.rules = policy.build_ruleset(config["readable"], config["writable"])
        self.processes = int(config["processes"])
        self.address_space = 0

    def restrict(self) -> None:
        """Put the layers on this process under which it can still take its script: limits and Landlock.

        Raises OSError where the kernel refuses one.
        """
        if "rlimits" in self.layers:
            policy.limit_resources(self.limits, self.address_space, self.processes)
        if self.rules is not None:
            self.rules.restrict()
            self.rules.close()

    def seal(self) -> None:
        """Put on the last layer, the filter of system calls. Raises OSError where the kernel refuses it."""
        if self.filter is not None:
            self.filter.load()


def main() -> None:
    """Warm up, say "ready", and serve until the other side closes the socket."""
    config = json.loads(sys.argv[1])
    handed = int(sys.argv[2])
    if handed != CONTROL:
        os.dup2(handed, CONTROL)
        os.close(handed)
    sys.argv = [SCRIPT_NAME]
    policy.set_process_option(policy.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() == 1 and os.getpid() != 1:
        os._exit(1)
    limits = config["limits"]
    sys.path[:] = [p for p in sys.path if p != config["code"]]
    try:
        confinement = Confinement(config)
    except OSError as error:
        refuse_to_start(f"Landlock cannot be had ({error.strerror}): it needs Linux 5.13 with lsm=landlock")
    prepare_matplotlib(limits, config["rounds"])
    confinement.address_space = _address_space()
    os.chdir(config["folder"])
    # Not dumpable: no ptrace of this process, no reading of its memory by a process of the same user.
    policy.set_process_option(policy.PR_SET_DUMPABLE, 0)
    if os.getpid() != 1:
        policy.set_process_option(policy.PR_SET_CHILD_SUBREAPER, 1)
    if not config["writable"]:
        canvas.accept_data_folder(config["data_folder"])
    objects = gc.get_objects()
    canvas.settle()
    policy.collapse_pages(map(id, objects))
    del objects
    with socket.socket(fileno=CONTROL) as control:
        control.send(json.dumps({"ready": True, "uid": os.getuid(), "rss": _resident()}).encode())
        Server(config, control, confinement).serve()


def refuse_to_start(reason: str) -> NoReturn:
    """Tell the other side why there will be no worker."""
    with socket.socket(fileno=CONTROL) as control:
        control.send(json.dumps({"ready": False, "reason": reason}).encode())
    os._exit(1)


RESULT: Result | None = None


def prepare_matplotlib(limits: dict[str, Any], rounds: int) -> None:
    """Import, patch and warm matplotlib."""

    def keep(drawn: Any, shown: bool) -> None:
        if RESULT is not None:
            RESULT.keep_picture(drawn, shown)
        else:
            record_figure(drawn.figure, drawn.renderer)

    keep_freed_memory()
    canvas.keep_bundled_fonts()
    canvas.hold_fonts_in_memory()
    canvas.preimport()
    canvas.share_mathtext_parser()
    canvas.remember_layouts()
    share_layouts()
    canvas.limit_canvas(limits["max_side"], limits["max_pixels"])
    canvas.skip_idle_draws()
    canvas.stay_on_agg()
    canvas.share_canvases()
    canvas.capture_pictures(keep)
    canvas.warm_up(rounds)


class Server:
    """Forks, waits, kills, cleans and answers: one script at a time."""

    def __init__(self, config: dict[str, Any], control: socket.socket, confinement: Confinement) -> None:
        self.config = config
        self.control = control
        self.confinement = confinement
        self.limits = config["limits"]
        self.scratch: list[str] = config["writable"]
        self.first = os.getpid() == 1
        self.null = os.open("/dev/null", os.O_RDWR)
        self.started, self.start = os.pipe()

    def serve(self) -> None:
        """Answer jobs until the socket is closed."""
        while True:
            child = policy.fork_plainly()
            if child == 0:
                self._be_child()
            if not self._watch(child):
                return

    def _watch(self, child: int) -> bool:
        """Follow one child from its script's arrival to its end, and answer. False when there are no more jobs."""
        handle = os.pidfd_open(child)
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.register(self.started, select.POLLIN)
        began = timed_out = False
        ready = {descriptor for descriptor, _ in poll.poll()}
        if self.started in ready:
            os.read(self.started, 1)
            began = True
        poll.unregister(self.started)
        start = time.perf_counter()
        crowded = False
        if began:
            timed_out, crowded = self._await_end(child, poll, start)
        _, status, usage = os.wait4(child, 0)
        os.close(handle)
        self._kill_strays()
        refused = self._read_refusal()
        clean = self._wipe()
        if not began:
            return not (os.WIFEXITED(status) and os.WEXITSTATUS(status) == NO_MORE_JOBS)
        answer = {
            "status": status,
            "timed_out": timed_out,
            "crowded": crowded,
            "wall_s": time.perf_counter() - start,
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "faults": usage.ru_minflt,
            "refused": refused,
        }
        self.control.send(json.dumps(answer).encode())
        return clean

    def _await_end(self, child: int, poll: select.poll, start: float) -> tuple[bool, bool]:
        """Wait for the child's end, or end it: whether its time was up, and whether it made too many files.

        A tmpfs is bounded in bytes, and an empty file takes none of them but a kilobyte of the kernel's memory.
        """
        while not poll.poll(LOOK_MS):
            if time.perf_counter() - start >= self.limits["wall_s"]:
                os.kill(child, signal.SIGKILL)
                return True, False
            if any(count_files(folder) > self.limits["files"] for folder in self.scratch):
                os.kill(child, signal.SIGKILL)
                return False, True
        return False, False

    def _read_refusal(self) -> bool:
        """Whether the child could not confine itself; it said so, or not, before any of the script ran."""
        poll = select.poll()
        poll.register(self.started, select.POLLIN)
        said = b""
        while poll.poll(0):
            said += os.read(self.started, 1)
        return REFUSED in said

    def _wipe(self) -> bool:
        """Empty the scratch folders. False where that fails: this process then ends and a new one takes over."""
        try:
            for folder in self.scratch:
                empty_folder(folder)
        except OSError:
            return False
        return True

    def _kill_strays(self) -> None:
        """End whatever a script left running. None can be: this guards against a hole in the filter."""
        if self.first:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        while True:
            try:
                stray, _ = os.waitpid(-1, 0 if self.first else os.WNOHANG)
            except ChildProcessError:
                return
            if stray == 0:
                # A stray that this process did not start by itself: only a new worker is clean again.
                os._exit(1)

    def _be_child(self) -> NoReturn:
        """The forked child: confine itself, wait for a script, run it, never return.

        What can be done before the script is there is done before: nobody waits for it then.
        """
        try:
            policy.reset_signals()
            refused = None
            try:
                self.confinement.restrict()
            except OSError as error:
                refused = error
            sources, memory = self._take_job()
            self._close_descriptors(memory)
            parts = Parts(Layout(**self.config["layout"]), self.limits, len(sources), self.start)
            result = parts.open_next()
            try:
                if refused is not None:
                    raise refused
                self.confinement.seal()
            except OSError as error:
                result.log(f"not confined: {error}\n".encode())
                os.write(self.start, REFUSED)
                result.finish(End.NOT_CONFINED)
            # From here on nothing that this process says of its confinement is believed.
            os.close(self.start)
            run_scripts(sources, result, parts)
        finally:
            os._exit(99)

    def _take_job(self) -> tuple[list[bytes], int]:
        data, ancillary, _, _ = self.control.recvmsg(16, socket.CMSG_SPACE(2 * 4))
        if len(data) != JOB.size:
            os._exit(NO_MORE_JOBS)
        os.write(self.start, b"S")
        descriptors = array.array("i")
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors.frombytes(content[:8])
        packed, memory = descriptors
        return unpack_scripts(os.pread(packed, os.fstat(packed).st_size, 0), JOB.unpack(data)[1]), memory

    def _close_descriptors(self, memory: int) -> None:
        """Leave /dev/null as 0, 1 and 2, and the result memory; `Parts` closes the rest."""
        for descriptor in (0, 1, 2):
            os.dup2(self.null, descriptor)
        self.control.detach()
        os.dup2(memory, MEMORY)


class Parts:
    """The result memory, one script's part after another."""

    def __init__(self, layout: Layout, limits: dict[str, Any], count: int, told: int) -> None:
        """``told`` is the pipe on which a refusal is told: the one descriptor that is left open here."""
        self._layout, self._limits, self._count, self._told = layout, limits, count, told
        self._opened = 0

    def open_next(self) -> Result:
        """The next script's part. The memory's own descriptor is closed with the last; a map's copy of it at once."""
        size = self._layout.size
        result = Result(mmap.mmap(MEMORY, size, offset=self._opened * size), self._layout, self._limits)
        self._opened += 1
        os.closerange(MEMORY if self._opened == self._count else MEMORY + 1, self._told)
        os.closerange(self._told + 1, 1024)
        return result


def run_scripts(sources: list[bytes], result: Result, parts: Parts) -> NoReturn:
    """Run the scripts in turn, until one does not finish; whoever asked runs the rest anew, each in its own child."""
    settings: dict[Any, Any] = dict(canvas.matplotlib.rcParams) if len(sources) > 1 else {}
    for source in sources[:-1]:
        end = run_script(source, result)
        if end is not End.FINISHED:
            result.finish(end)
        result.publish(end)
        result = parts.open_next()
        canvas.reset(settings)
    result.finish(run_script(sources[-1], result))


def run_script(source: bytes, result: Result) -> End:
    """Run the script as ``__main__``; how it ended."""
    global RESULT
    RESULT = result
    out: Any = io.TextIOWrapper(Log(result), encoding="utf-8", errors="replace", write_through=True)
    sys.stdout = sys.__stdout__ = sys.stderr = sys.__stderr__ = out  # type: ignore[misc]
    nothing: Any = io.StringIO()
    sys.stdin = sys.__stdin__ = nothing  # type: ignore[misc]
    names = {"__name__": "__main__", "__builtins__": __builtins__, "__file__": SCRIPT_NAME}
    end = End.FINISHED
    try:
        exec(compile(source, SCRIPT_NAME, "exec", dont_inherit=True), names)
        if result.header.pictures == 0:
            canvas.plt.show()
    except SystemExit as error:
        if error.code not in (None, 0):
            end = End.EXIT
            result.log(f"SystemExit: {error.code}\n".encode("utf-8", "replace"))
        elif result.header.pictures == 0:
            end = _show_last(result)
    except MemoryError:
        end = End.MEMORY
    except canvas.PictureTooLargeError as error:
        result.log(f"picture too large: {error}\n".encode())
        end = End.TOO_LARGE
    except BaseException as error:  # noqa: BLE001 (whatever the script raises is its result)
        end = End.EXCEPTION
        result.keep_error(error)
    return end


def _show_last(result: Result) -> End:
    """Catch the open figure of a script that ended with ``sys.exit(0)``."""
    try:
        canvas.plt.show()
    except canvas.PictureTooLargeError:
        return End.TOO_LARGE
    except BaseException as error:  # noqa: BLE001 (as above)
        result.keep_error(error)
        return End.EXCEPTION
    return End.FINISHED


def count_files(folder: str) -> int:
    """Files and folders on the file system that ``folder`` is the top of."""
    status = os.statvfs(folder)
    return status.f_files - status.f_ffree


def empty_folder(folder: str) -> None:
    """Remove all below ``folder``, however deep and whatever its modes. Raises OSError where that fails.

    Inner folders are first moved up to the top, so that no path gets long and nothing recurses.
    """
    prefix, count = f"{folder}/{secrets.token_hex(8)}-", 0
    while True:
        top = list(os.scandir(folder))
        inner = [entry.path for entry in top if entry.is_dir(follow_symlinks=False)]
        for entry in top:
            if not entry.is_dir(follow_symlinks=False):
                Path(entry.path).unlink()
        if not inner:
            return
        for path in inner:
            # A script may make a folder that nobody may open; its owner may still change that.
            Path(path).chmod(0o700)
            for entry in list(os.scandir(path)):
                if entry.is_dir(follow_symlinks=False):
                    Path(entry.path).chmod(0o700)
                    Path(entry.path).rename(f"{prefix}{count}")
                    count += 1
                else:
                    Path(entry.path).unlink()
            Path(path).rmdir()


def _address_space() -> int:
    """Bytes that this process maps. Where /proc is not there to tell, found by lowering the limit until it binds."""
    import resource

    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[0]) * mmap.PAGESIZE
    before = resource.getrlimit(resource.RLIMIT_AS)
    low, high = 0, 1 << 40
    while high - low > 4 << 20:
        middle = (low + high) // 2
        resource.setrlimit(resource.RLIMIT_AS, (middle, before[1]))
        try:
            mmap.mmap(-1, 1 << 20).close()
            high = middle
        except OSError:
            low = middle
    resource.setrlimit(resource.RLIMIT_AS, before)
    return high


def _resident() -> int:
    import resource

    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
