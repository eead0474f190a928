"""A process of its own that asks and keeps answers, so that a worker's work and its death cost none of them.

A worker measures pictures in many threads; an answer that came in would wait for its turn among them, and one that
was still on the wire when the worker was killed would be lost, though it is paid. The courier does nothing but ask.
When its worker is gone (the pipe ends, however that came) it sends nothing more, waits for what is on the wire, keeps
it and ends, in no more time than one attempt may take (``timeout_s``). The next run finds its claims and waits for the
same answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import logging.handlers
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from counterfoil.tasks.llm.errors import AuthorUnavailable
from counterfoil.tasks.llm.exchange import Request
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.llm.store.tables import Asked, Stored
from counterfoil.tasks.llm.yields import Made

LENGTH = struct.Struct("!Q")
OPENED, RECORD = -1, -2
"""Numbers of messages that answer no request: ready (or why not), and a record of the log."""

log = logging.getLogger("counterfoil.llm")


@dataclass(frozen=True)
class Errand:
    """What a courier is started with."""

    settings: AuthorSettings
    location: str
    workers: int
    scope: str
    seats: int


class Courier:
    """A `Line` through a process of its own."""

    def __init__(self, errand: Errand) -> None:
        self._errand = errand
        self._numbers = itertools.count()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._ended: AuthorUnavailable | None = None

    async def open(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            # A session of its own: Ctrl-C is for the run, which then tells the courier by closing.
            self._process = subprocess.Popen(
                [sys.executable, "-m", "counterfoil.tasks.llm.courier", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self._reader, self._writer = await asyncio.open_connection(sock=ours)
        self._listener = asyncio.create_task(self._listen())
        opened = self._wait_for(OPENED)
        await _write(self._writer, self._errand)
        await opened

    async def obtain(self, request: Request, asked: Asked) -> Stored:
        if self._ended is not None:
            raise self._ended
        number = next(self._numbers)
        answered = self._wait_for(number)
        await _write(self._writer, (number, request, asked))
        return await answered

    async def expect(self, calls: int) -> None:
        if self._errand.settings.batch:
            await _write(self._writer, calls)

    async def note(self, made: Made) -> None:
        if self._ended is None:
            await _write(self._writer, made)

    async def close(self) -> None:
        """Leave: the courier ends by itself, once what is on the wire is kept."""
        self._writer.close()
        self._listener.cancel()
        self._end(AuthorUnavailable("the author is closed"))

    def _wait_for(self, number: int) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        return future

    async def _listen(self) -> None:
        try:
            while True:
                number, outcome = await _read(self._reader)
                if number == RECORD:
                    log.handle(outcome)
                    continue
                future = self._waiting.pop(number)
                if future.done():
                    continue
                if isinstance(outcome, BaseException):
                    future.set_exception(outcome)
                else:
                    future.set_result(outcome)
        except (asyncio.IncompleteReadError, ConnectionError):
            code = await asyncio.to_thread(self._process.wait)
            said = f"the process that asks the author ended unexpectedly (exit code {code}): run again"
            self._end(AuthorUnavailable(said))

    def _end(self, why: AuthorUnavailable) -> None:
        """Tell everyone who waits, and who asks later, why there is no answer."""
        self._ended = why
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(why)


async def _read(reader: asyncio.StreamReader) -> Any:
    (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
    return pickle.loads(await reader.readexactly(length))


async def _write(writer: asyncio.StreamWriter, message: Any) -> None:
    data = pickle.dumps(message)
    writer.write(LENGTH.pack(len(data)) + data)
    await writer.drain()


async def _serve(descriptor: int) -> None:
    from counterfoil.tasks.llm.correspondent import Correspondent

    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=descriptor))
    errand: Errand = await _read(reader)
    tell = _Teller(writer)
    logging.getLogger().addHandler(_Forward(tell))
    correspondent = Correspondent(
        errand.settings, errand.location, workers=errand.workers, scope=errand.scope, seats=errand.seats
    )
    try:
        await correspondent.open()
    except Exception as error:  # noqa: BLE001 - it is the worker's to raise
        tell(OPENED, error)
        await tell.flush()
        return
    tell(OPENED, None)
    tasks: set[asyncio.Task[None]] = set()

    async def obtain(number: int, request: Request, asked: Asked) -> None:
        try:
            tell(number, await correspondent.obtain(request, asked))
        except Exception as error:  # noqa: BLE001 - it is the worker's to raise
            tell(number, error)

    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while True:
            message = await _read(reader)
            if isinstance(message, int):
                await correspondent.expect(message)
            elif isinstance(message, Made):
                await correspondent.note(message)
            else:
                task = asyncio.create_task(obtain(*message))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
    await correspondent.drain()
    await correspondent.close()


class _Teller:
    """Writes to the worker; to one that is gone, nothing."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def __call__(self, number: int, outcome: Any) -> None:
        if not self._writer.is_closing():
            data = pickle.dumps((number, outcome))
            self._writer.write(LENGTH.pack(len(data)) + data)

    async def flush(self) -> None:
        with contextlib.suppress(ConnectionError):
            await self._writer.drain()
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()


class _Forward(logging.handlers.QueueHandler):
    """Hands records of the log to the worker, whose log it is."""

    def __init__(self, tell: _Teller) -> None:
        super().__init__(None)  # type: ignore[arg-type]
        self._tell, self._loop = tell, asyncio.get_running_loop()

    def enqueue(self, record: logging.LogRecord) -> None:
        self._loop.call_soon_threadsafe(self._tell, RECORD, record)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Under the name by which the worker knows what it sends.
    from counterfoil.tasks.llm import courier

    asyncio.run(courier._serve(int(sys.argv[1])))
