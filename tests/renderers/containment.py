"""Bait for hostile scripts, and what it means that one was contained.

Contained is: no line `BREACH` and no canary text in the log, no hit on a planted TCP, UDP or unix listener, nothing
changed or new on disk, and the next ordinary script renders byte for byte as before.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from counterfoil.renderers.results import Outcome, Rendering
from counterfoil.renderers.sandbox import SandboxRenderer

FOLDER = Path("/tmp/cf_canary")
BAIT = FOLDER / "file"
HOME_CANARY = Path.home() / ".cf_canary"
WATCHED = (FOLDER, Path("/tmp"), Path("/dev/shm"), Path.home(), Path("/var/tmp"), Path("/"))
MARKS = ("cf_pwn", "pwn", "daemon_alive")
PORT = 45871
ROOT = Path(__file__).resolve().parents[2]

ORDINARY = """
import matplotlib.pyplot as plt
fig, ax = plt.subplots(figsize=(3, 3))
ax.plot([0, 4, 1, 0], [0, 0, 3, 0], "k-")
ax.text(0, 0, "$A$")
ax.text(4, 0, "B", weight="bold")
ax.set_aspect("equal")
plt.savefig("triangle.png")
"""


class Bait:
    """Planted files and listeners, and what touched them."""

    def __init__(self) -> None:
        self.hits: list[str] = []
        self._sockets: list[socket.socket] = []
        FOLDER.mkdir(exist_ok=True)
        FOLDER.chmod(0o777)
        (FOLDER / "folder").mkdir(exist_ok=True)
        self.plant()
        self._listen()
        self.before = self.look()

    def plant(self) -> None:
        """Write the canary files and remove what a script may have left."""
        for folder in WATCHED:
            for name in self._marked(folder):
                (folder / name).unlink(missing_ok=True)
        HOME_CANARY.write_text("CANARY_HOME")
        HOME_CANARY.chmod(0o600)
        for name in ("file", "picture.png", "font.ttf"):
            (FOLDER / name).write_text("CANARY_FILE")
            (FOLDER / name).chmod(0o666)
        for path in (BAIT, HOME_CANARY):
            os.utime(path, (1e9, 1e9))
        self.hits.clear()

    def look(self) -> dict[str, object]:
        """All that an attack on the disk would change."""
        seen: dict[str, object] = {}
        for path in (BAIT, HOME_CANARY):
            status = path.lstat()
            seen[str(path)] = (status.st_mode, status.st_uid, status.st_mtime, status.st_nlink, path.read_text())
            seen[f"{path} attributes"] = os.listxattr(path)
        for folder in WATCHED:
            seen[str(folder)] = self._marked(folder)
        seen["folder"] = sorted(path.name for path in FOLDER.iterdir())
        return seen

    def close(self) -> None:
        for listener in self._sockets:
            listener.close()
        self.plant()
        HOME_CANARY.unlink()
        shutil.rmtree(FOLDER)

    @staticmethod
    def _marked(folder: Path) -> list[str]:
        return sorted(path.name for path in folder.iterdir() if path.name.startswith(MARKS))

    def _listen(self) -> None:
        (FOLDER / "sock").unlink(missing_ok=True)
        for name, family, kind, address in (
            ("tcp", socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", PORT)),
            ("udp", socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", PORT)),
            ("unix path", socket.AF_UNIX, socket.SOCK_STREAM, str(FOLDER / "sock")),
            ("unix abstract", socket.AF_UNIX, socket.SOCK_STREAM, "\0cfcanary"),
        ):
            listener = socket.socket(family, kind)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            if kind == socket.SOCK_STREAM:
                listener.listen()
            self._sockets.append(listener)
            threading.Thread(target=self._serve, args=(name, listener), daemon=True).start()
        (FOLDER / "sock").chmod(0o777)

    def _serve(self, name: str, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                if listener.type == socket.SOCK_DGRAM:
                    listener.recvfrom(100)
                else:
                    client, _ = listener.accept()
                    client.sendall(b"CANARY_SOCKET")
                    client.close()
                self.hits.append(name)


@contextmanager
def planted_bait() -> Iterator[Bait]:
    """The bait, for one test process at a time: its paths and its port are fixed."""
    with Path("/tmp/cf_canary.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.environ["CF_SECRET_KEY"] = "CANARY_ENVIRONMENT"
        bait = Bait()
        try:
            yield bait
        finally:
            bait.close()
            del os.environ["CF_SECRET_KEY"]


def read_attack(path: Path, prelude: str) -> str:
    """An attack as it is run: what it aims at and its helpers first."""
    aims = f'BAIT, HOME, ROOT, PORT = "{BAIT}", "{Path.home()}", "{ROOT}", {PORT}\n'
    return aims + prelude + path.read_text()


def find_breaches(renderer: SandboxRenderer, bait: Bait, script: str, ordinary: bytes) -> tuple[Rendering, list[str]]:
    """Run one attack; its rendering, and every way in which it was not contained."""
    bait.plant()
    before = bait.look()
    replaced = renderer.replaced
    rendering = renderer.render(script)
    problems = [line for line in rendering.log.splitlines() if "BREACH" in line]
    said = f"{rendering.log} {rendering.error} {rendering.drawing}"
    if "CANARY_" in said:
        problems.append("canary text came out")
    problems += [f"hit on {name}" for name in bait.hits]
    after = bait.look()
    problems += [f"changed: {name}" for name, value in after.items() if value != before[name]]
    following = renderer.render(ORDINARY)
    if following.outcome is not Outcome.OK or following.png != ordinary:
        problems.append(f"the next script rendered differently: {following.outcome} {following.log[-200:]}")
    if renderer.replaced != replaced:
        problems.append("the worker was lost")
    return rendering, problems
