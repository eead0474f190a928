"""A run's own Prefect server: it goes when the run does."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from counterfoil.flows.process.server import open_server
from tests.patience import PATIENCE_S

# `Popen.poll` takes a lock; where Ctrl-C comes just then, its handler raises and nobody gives the lock back.
LOCKED = """
import subprocess
from counterfoil.flows.process.server import open_server
from counterfoil.flows.process.signals import Interrupted


class Locked(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self._waitpid_lock.acquire()


subprocess.Popen = Locked
try:
    with open_server():
        raise Interrupted
except Interrupted:
    print("ended")
"""


@pytest.mark.slow
def test_an_interrupted_run_ends_where_the_signal_left_the_lock_of_its_server_taken(tmp_path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    environment["HOME"] = str(tmp_path)
    command = [sys.executable, "-c", LOCKED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (done.stdout, done.returncode) == ("ended\n", 0), done.stderr


def ask(url: str, **headers: str) -> tuple[int, dict[str, str]]:
    request = urllib.request.Request(url, data=b"{}", headers={"Content-Type": "application/json"} | headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, {name.lower(): value for name, value in answer.headers.items()}
    except urllib.error.HTTPError as error:
        return error.code, {name.lower(): value for name, value in error.headers.items()}


@pytest.mark.slow
def test_the_own_server_answers_the_run_alone(monkeypatch):
    for name in [name for name in os.environ if name.startswith("PREFECT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PREFECT_PROFILES_PATH", "/nowhere")
    secrets = []
    with open_server():
        url, secret = os.environ["PREFECT_API_URL"], os.environ["PREFECT_API_AUTH_STRING"]
        secrets.append(secret)
        ours = {"Authorization": f"Basic {base64.b64encode(secret.encode()).decode()}"}
        assert ask(f"{url}/flows/filter")[0] == 401
        assert ask(f"{url}/flows/filter", Authorization="Basic OnRlc3Q=")[0] == 401
        status, headers = ask(f"{url}/flows/filter", Origin="http://elsewhere.example", **ours)
        assert status == 200 and "access-control-allow-origin" not in headers
        servers = [each for each in psutil.Process().children(recursive=True) if "uvicorn" in each.cmdline()]
        opened = [each for server in servers for each in server.net_connections()]
        listening = {each.laddr.ip for each in opened if each.status == "LISTEN"}
        assert listening == {"127.0.0.1"}
        assert not any(secret in " ".join(each.cmdline()) for each in servers)
    assert "PREFECT_API_AUTH_STRING" not in os.environ and len(secrets[0]) > 30


@pytest.mark.parametrize("document", ["docs/nightly.md", "docker-compose.yml"])
def test_a_server_that_others_share_is_documented_with_a_secret(document):
    text = (Path(__file__).resolve().parents[3] / document).read_text()
    assert "PREFECT_SERVER_API_AUTH_STRING" in text and "PREFECT_API_AUTH_STRING" in text
    assert "PREFECT_SERVER_CORS_ALLOWED_ORIGINS" in text
