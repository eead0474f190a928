"""`counterfoil push` against an endpoint on loopback that speaks the Hub's API for datasets."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from typer.testing import CliRunner
from werkzeug import Request, Response

from counterfoil.flows.cli import app
from counterfoil.storage.dataset import Dataset
from tests.storage import storage_cases as cases

RECIPE = {"recipe": {"dataset": {"title": "Night", "licence": "cc-by-4.0"}}}


@pytest.fixture
def hub(httpserver: HTTPServer) -> tuple[HTTPServer, dict[str, bytes], list[dict]]:
    """The server, the files that were committed, and the bodies of the calls that make and check."""
    files: dict[str, bytes] = {}
    asked: list[dict] = []

    def note(request: Request) -> Response:
        asked.append(request.get_json())
        return Response(json.dumps({"url": "https://huggingface.co/datasets/ada/night", "name": "ada/night"}), 200)

    def choose(request: Request) -> Response:
        names = [each["path"] for each in request.get_json()["files"]]
        chosen = [{"path": name, "uploadMode": "regular", "shouldIgnore": False, "oid": None} for name in names]
        return Response(json.dumps({"files": chosen}), 200)

    def commit(request: Request) -> Response:
        for line in request.get_data().splitlines():
            entry = json.loads(line)
            if entry["key"] == "file":
                files[entry["value"]["path"]] = base64.b64decode(entry["value"]["content"])
        told = {
            "commitUrl": "https://huggingface.co/datasets/ada/night/commit/abc",
            "commitOid": "abc",
            "hookOutput": "",
        }
        return Response(json.dumps(told), 200)

    for path in ("/api/repos/create", "/api/validate-yaml"):
        httpserver.expect_request(path, method="POST").respond_with_handler(note)
    httpserver.expect_request("/api/datasets/ada/night/preupload/main").respond_with_handler(choose)
    httpserver.expect_request("/api/datasets/ada/night/commit/main").respond_with_handler(commit)
    httpserver.expect_request("/api/datasets/ada/night/revision/main").respond_with_json(
        {"id": "ada/night", "sha": "0"}
    )
    httpserver.expect_request("/api/datasets/ada/night").respond_with_json({"id": "ada/night", "sha": "0"})
    return httpserver, files, asked


@pytest.fixture
def night(tmp_path) -> str:
    url = str(tmp_path / "night")
    Dataset(url).publish(cases.stage_run(url, "one", 1), metadata=RECIPE)
    return url


@pytest.fixture
def push(counterfoil) -> Callable[..., subprocess.CompletedProcess[str]]:
    def call(night: str, endpoint: str, *options: str, token: str = "hf_test") -> subprocess.CompletedProcess[str]:
        place = {"HF_ENDPOINT": endpoint, "HF_TOKEN": token, "HF_HOME": f"{night}-hf"}
        done: subprocess.CompletedProcess[str] = counterfoil("push", night, *options, check=False, **place)
        return done

    return call


def test_push_makes_the_repository_checks_the_card_and_uploads_the_export(push, hub, night):
    server, files, asked = hub
    done = push(night, server.url_for("").rstrip("/"), "ada/night", "--no-private")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "https://huggingface.co/datasets/ada/night/commit/abc" in done.stdout
    made, checked, *_ = asked
    assert (made["organization"], made["name"], made["type"], made["visibility"]) == (
        "ada",
        "night",
        "dataset",
        "public",
    )
    assert checked["repoType"] == "dataset"
    assert "\nlicense: cc-by-4.0\n" in checked["content"]
    expected = {"README.md", "croissant.json", "anchors/geometry/train-00000.parquet", "samples/geometry-anchor.png"}
    assert expected <= set(files)
    assert files["anchors/geometry/train-00000.parquet"].startswith(b"PAR1")


def test_push_of_triplets_uploads_them(push, hub, night):
    server, files, _ = hub
    done = push(night, server.url_for("").rstrip("/"), "ada/night", "--format", "triplets", "--json")
    assert done.returncode == 0
    assert "triplets/geometry/train-00000.parquet" in files
    assert json.loads(done.stdout)["url"].endswith("/commit/abc")


def test_what_is_written_is_told_for_programs(night, tmp_path):
    def tell(*words: object) -> dict:
        done = CliRunner().invoke(app, [*map(str, words), "--json"], prog_name="counterfoil")
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    exported = tell("export", night, "--to", tmp_path / "out")
    assert exported["rows"]["anchors"] and Path(exported["folder"], "README.md").is_file()
    assert Path(tell("report", night)["report"]).is_file()


def test_what_the_hub_refuses_is_told_in_one_message(push, httpserver, night):
    httpserver.expect_request("/api/repos/create").respond_with_json({"error": "Invalid username or password."}, 401)
    done = push(night, httpserver.url_for("").rstrip("/"), "ada/night")
    assert done.returncode == 2
    assert "refuses ada/night" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("repo", "token", "told"),
    [("night", "x", "is no repository: give OWNER/NAME"), ("ada/night", "", "there is no token")],
)
def test_push_tells_what_is_missing_before_it_exports(push, night, repo, token, told):
    done = push(night, "http://127.0.0.1:9", repo, token=token)
    assert done.returncode == 2
    assert told in done.stderr
