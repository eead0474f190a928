"""The command line in a process of its own that need not import it anew: a warm process forks one for each call.

python -m tests.flows.warm FD
"""

from __future__ import annotations

import array
import atexit
import importlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE_S
from tests.warm_workers import keep_warm


class WarmCommand:
    """Runs ``counterfoil`` with words and an environment, as `subprocess.run` of it would, without its imports."""

    def __init__(self, environment: dict[str, str]) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "tests.flows.warm", str(theirs.fileno())]
            self._process = subprocess.Popen(command, env=environment, pass_fds=[theirs.fileno()])
        self._socket = ours
        self._socket.settimeout(PATIENCE_S)

    def run(self, *words: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        """Call it from this process's folder; what it printed as text."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            asked = json.dumps({"words": words, "environment": environment, "folder": str(Path.cwd())}).encode()
            files = array.array("i", [out.fileno(), err.fileno()])
            self._socket.sendmsg([len(asked).to_bytes(4, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
            self._socket.sendall(asked)
            code = int(_receive(self._socket, 8).decode())
            said = [_read(file) for file in (out, err)]
        return subprocess.CompletedProcess(["counterfoil", *words], code, *said)

    def close(self) -> None:
        """End it."""
        self._socket.close()
        self._process.wait(PATIENCE_S)


def _read(file: Any) -> str:
    file.seek(0)
    return str(file.read().decode())


def _receive(connection: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        part = connection.recv(size - len(got))
        if not part:
            raise EOFError
        got += part
    return got


def _serve(connection: socket.socket) -> None:
    """Fork for each call, until the asking side is closed."""
    while True:
        begin, given, _, _ = socket.recv_fds(connection, 4, 2)
        if not begin:
            return
        asked = json.loads(_receive(connection, int.from_bytes(begin, "big")))
        child = os.fork()
        if not child:
            connection.close()
            _become(asked["words"], asked["environment"], asked["folder"], given)
        for each in given:
            os.close(each)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.sendall(f"{code:8d}".encode())


def _become(words: list[str], environment: dict[str, str], folder: str, files: list[int]) -> None:
    """Be ``python -m counterfoil WORDS``; never returns."""
    import counterfoil.__main__ as program

    for number, file in enumerate(files, start=1):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = ["counterfoil", *words]
    sys.path[:0] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.modules["__main__"] = program  # what worker processes import first
    forkserver._forkserver.ensure_running = lambda: None  # the warm process's own, which this fork cannot wait for
    _end(_tell_code(program.main))


def _tell_code(main: Callable[[], None]) -> int:
    """The exit code of a program, as the interpreter would have it."""
    try:
        main()
    except SystemExit as ending:
        if not isinstance(ending.code, int | None):
            print(ending.code, file=sys.stderr)
            return 1
        return ending.code or 0
    except BaseException as error:  # noqa: BLE001 - told, and the code is that of the interpreter
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def _end(code: int) -> None:
    """Exit as the interpreter does, but let what the warm process imported lie: to take it apart is half a second."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def _prepare() -> None:
    """Import what commands need, and begin the process that their workers are forked from."""
    import counterfoil.flows.cli
    import counterfoil.flows.making.plain
    import counterfoil.flows.showing.progress  # noqa: F401
    from counterfoil.tasks.engine.registry import DOMAIN_MODULES, load_domain

    for name in DOMAIN_MODULES:
        load_domain(name)
    importlib.import_module("tests.warmed")  # last: garbage is looked for among none of these
    keep_warm()
    forkserver.ensure_running()


if __name__ == "__main__":
    _prepare()
    _serve(socket.socket(fileno=int(sys.argv[1])))
