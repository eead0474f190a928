"""The server asked by its REST API alone: headers, errors, and a server that restarts."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from counterfoil.flows.process import api
from counterfoil.flows.process.quiet import read_setting


@pytest.fixture
def server(monkeypatch) -> Iterator[Any]:
    """Answers by the list ``answers`` (status, body), the last for good, and notes what came."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            got.append((self.path, {**self.headers}, self.rfile.read(length)))
            status, body = answers.pop(0) if len(answers) > 1 else answers[0]
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    got: list[tuple[str, dict[str, str], bytes]] = []
    answers: list[tuple[int, str]] = [(200, '{"id": "7"}')]
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{listening.server_port}/api")
        monkeypatch.setenv("PREFECT_PROFILES_PATH", "/nowhere")
        monkeypatch.setattr(api.time, "sleep", lambda seconds: waited.append(seconds))
        waited: list[float] = []
        listening.got, listening.answers, listening.waited = got, answers, waited  # type: ignore[attr-defined]
        yield listening
        listening.shutdown()


@pytest.mark.parametrize(
    ("setting", "value", "header"),
    [
        ("PREFECT_API_KEY", "pnu_1", ("Authorization", "Bearer pnu_1")),
        ("PREFECT_API_AUTH_STRING", "me:secret", ("Authorization", "Basic bWU6c2VjcmV0")),
        ("PREFECT_CLIENT_CUSTOM_HEADERS", '{"X-Team": "a"}', ("X-Team", "a")),
    ],
)
def test_prefects_own_settings_decide_the_headers(server, monkeypatch, setting, value, header):
    monkeypatch.setenv(setting, value)
    assert api.ask("POST", "/flows/", {"name": "a"}) == {"id": "7"}
    path, headers, body = server.got[0]
    assert (path, json.loads(body)) == ("/api/flows/", {"name": "a"})
    assert headers[header[0]] == header[1]


def test_a_server_that_is_busy_is_asked_again_and_one_that_refuses_is_not(server):
    server.answers[:] = [(503, ""), (429, ""), (200, "[1]")]
    assert api.ask("POST", "/x") == [1]
    assert server.waited == [2, 4]
    server.answers[:] = [(409, "taken"), (200, "[1]")]
    with pytest.raises(api.RefusedError, match="409: taken"):
        api.ask("POST", "/x")


def test_a_server_that_guards_against_other_pages_gets_its_token(server):
    server.answers[:] = [(403, "Missing CSRF token"), (200, '{"token": "t"}'), (200, "")]
    assert api.ask("POST", "/x") is None
    assert [path for path, _, _ in server.got][::2] == ["/api/x", "/api/x"]
    assert server.got[1][0].startswith("/api/csrf-token?client=")
    sent = {name.lower(): value for name, value in server.got[2][1].items()}
    assert sent["prefect-csrf-token"] == "t" and sent["prefect-csrf-client"] in server.got[1][0]


def test_a_server_that_stays_away_ends_the_run_in_one_line(monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:9/api")
    monkeypatch.setenv("PREFECT_CLIENT_MAX_RETRIES", "1")
    waited: list[float] = []
    monkeypatch.setattr(api.time, "sleep", waited.append)
    with pytest.raises(api.ServerError, match=r"at http://127.0.0.1:9/api failed during the run \(Connection") as told:
        api.ask("POST", "/x")
    assert waited == [2] and "\n" not in str(told.value)


def test_a_setting_of_the_active_profile_holds_where_the_environment_has_none(monkeypatch, tmp_path):
    profiles = tmp_path / "profiles.toml"
    profiles.write_text(
        'active = "a"\n[profiles.a]\nPREFECT_API_KEY = "of a"\n[profiles.b]\nPREFECT_API_KEY = "of b"\n'
    )
    monkeypatch.setenv("PREFECT_PROFILES_PATH", str(profiles))
    monkeypatch.delenv("PREFECT_API_KEY", raising=False)
    monkeypatch.delenv("PREFECT_PROFILE", raising=False)
    assert read_setting("PREFECT_API_KEY") == "of a"
    monkeypatch.setenv("PREFECT_PROFILE", "b")
    assert read_setting("PREFECT_API_KEY") == "of b"
    monkeypatch.setenv("PREFECT_API_KEY", "mine")
    assert read_setting("PREFECT_API_KEY") == "mine"
    assert read_setting("PREFECT_API_URL_OF_NOBODY") == ""
