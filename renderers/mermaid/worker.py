"""The child process that handles untrusted charts: ``python -m counterfoil.renderers.mermaid.worker``.

It loads the engines, says that it is ready, and answers requests from its standard input on its standard output, under
limits on memory, CPU time, file size and core files that it sets on itself. A frame is a tag byte, a 4-byte
little-endian length and the body.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import struct
import sys
from typing import BinaryIO

FRAME = struct.Struct("<cI")
MAX_FRAME = 64 * 1024 * 1024


def read_frame(stream: BinaryIO) -> tuple[bytes, bytes] | None:
    """The next (tag, body), or None at the end of the stream."""
    head = stream.read(FRAME.size)
    if len(head) < FRAME.size:
        return None
    tag, length = FRAME.unpack(head)
    if length > MAX_FRAME:
        return None
    body = stream.read(length)
    return (tag, body) if len(body) == length else None


def write_frame(stream: BinaryIO, tag: bytes, body: bytes) -> None:
    """Write one frame and flush it."""
    stream.write(FRAME.pack(tag, len(body)) + body)
    stream.flush()


def limit_process(memory_bytes: int) -> None:
    """Set the limits that hold for the process's whole life: no core file, no written file, bounded memory."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))


def allow_cpu(seconds: int) -> None:
    """Let the process use ``seconds`` more of CPU time before the kernel ends it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(usage.ru_utime + usage.ru_stime) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def serve(requests: BinaryIO, replies: BinaryIO, cpu_seconds: int) -> None:
    """Answer frames until the parent closes the pipe."""
    from counterfoil.renderers.mermaid.protocol import Look, MermaidError
    from counterfoil.renderers.mermaid.studio import Studio

    studio = Studio()
    studio.warm_up()
    write_frame(replies, b"R", b"")
    while (frame := read_frame(requests)) is not None:
        allow_cpu(cpu_seconds)
        request = json.loads(frame[1])
        try:
            if request["verb"] == "parse":
                write_frame(replies, b"J", json.dumps(studio.parse(request["code"], request["both"])).encode())
            elif request["verb"] == "draw":
                svg = studio.draw(request["code"], Look(request["style"], request["face"]))
                write_frame(replies, b"S", svg.encode())
            elif request["verb"] == "letter":
                write_frame(replies, b"B", studio.letter(request["svg"], request["size"]))
            else:
                write_frame(replies, b"B", studio.paint(request["svg"], request["size"]))
        except MermaidError as error:
            body = {
                "code": error.code,
                "message": error.message,
                "line": error.line,
                "column": error.column,
                "caret": error.caret,
            }
            write_frame(replies, b"E", json.dumps(body).encode())
        except MemoryError:
            write_frame(
                replies, b"E", json.dumps({"code": "memory", "message": "the chart took too much memory"}).encode()
            )
        except Exception as error:  # noqa: BLE001  the boundary: whatever a hostile chart provokes becomes a refusal
            message = f"{type(error).__name__}: {str(error)[:300]}"
            write_frame(replies, b"E", json.dumps({"code": "engine", "message": message}).encode())


def main() -> None:
    memory_bytes, cpu_seconds = int(sys.argv[1]), int(sys.argv[2])
    for each in (signal.SIGINT, signal.SIGTERM):
        # Who tells a whole run to end tells its parent too, which closes the pipe when it is done: to die before would
        # make a reject of the chart at hand.
        signal.signal(each, signal.SIG_IGN)
    replies = os.fdopen(os.dup(1), "wb")
    # A library that prints must not break the frames.
    os.dup2(2, 1)
    limit_process(memory_bytes)
    with contextlib.suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin.buffer, replies, cpu_seconds)


if __name__ == "__main__":
    main()
