"""A real Postgres on loopback for one test session."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def run_postgres(driver: str = "psycopg", password: str = "") -> Iterator[str]:
    """Start a server in a folder of its own and yield its SQLAlchemy URL; skips where it or the driver is missing.

    With a ``password`` it asks for it; the URL does not hold it.
    """
    missing = [name for name in ("initdb", "pg_ctl") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no Postgres here: {', '.join(missing)} not found")
    pytest.importorskip(driver, reason=f"no Postgres driver {driver}: pip install 'counterfoil[postgres]'")
    # Postgres refuses to run as root.
    become = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    if become:
        shutil.chown(folder, "postgres", "postgres")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data, options = folder / "data", f"-h 127.0.0.1 -p {port} -k {folder} -F"
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    asked = ["-A", "trust"]
    if password:
        (folder / "password").write_text(password)
        asked = ["-A", "scram-sha-256", f"--pwfile={folder / 'password'}"]
    subprocess.run([*become, "initdb", "-D", data, "-U", "tester", *asked, "-N"], **quiet)
    subprocess.run([*become, "pg_ctl", "-D", data, "-o", options, "-l", folder / "log", "-w", "start"], **quiet)
    try:
        yield f"postgresql+{driver}://tester@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*become, "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], **quiet)
        shutil.rmtree(folder, ignore_errors=True)
