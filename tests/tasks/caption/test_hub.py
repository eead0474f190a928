"""A source on the Hugging Face Hub, as a server on loopback speaks for it."""

from __future__ import annotations

import hashlib
import json

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.caption.sources.hub import fetch_dataset
from counterfoil.tasks.contract.domain import SourceError
from tests.tasks.caption.test_sources import read

ROWS = "\n".join(json.dumps({"captions": [each]}) for each in ("A dog runs on a beach.", "Two cats sleep."))
COMMIT = "a" * 40


@pytest.fixture
def hub(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch, tmp_path) -> HTTPServer:
    """A Hub with one dataset, a file of which is no data; its cache is a folder of the test's own."""
    from huggingface_hub import constants

    endpoint = httpserver.url_for("").rstrip("/")
    monkeypatch.setattr(constants, "ENDPOINT", endpoint)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", endpoint + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    listed = {"id": "lab/captions", "sha": COMMIT, "siblings": [{"rfilename": "rows.jsonl"}, {"rfilename": "run.py"}]}
    httpserver.expect_request("/api/datasets/lab/captions/revision/main").respond_with_json(listed)
    tree = [{"type": "file", "path": each, "size": len(ROWS), "oid": "b" * 40} for each in ("rows.jsonl", "run.py")]
    httpserver.expect_request(f"/api/datasets/lab/captions/tree/{COMMIT}").respond_with_json(tree)

    def give(request: Request) -> Response:
        # The size of a HEAD comes from this header: the server counts the bytes of its empty body.
        head = {
            "ETag": f'"{hashlib.sha1(ROWS.encode()).hexdigest()}"',
            "X-Repo-Commit": COMMIT,
            "X-Linked-Size": str(len(ROWS)),
        }
        return Response(b"" if request.method == "HEAD" else ROWS.encode(), headers=head)

    httpserver.expect_request(f"/datasets/lab/captions/resolve/{COMMIT}/rows.jsonl").respond_with_handler(give)
    fetch_dataset.cache_clear()
    return httpserver


def test_a_dataset_of_the_hub_is_fetched_and_read_and_no_code_of_it(hub: HTTPServer) -> None:
    rows = read("hub:lab/captions")
    assert [row.caption for row in rows if isinstance(row, Anchor)] == ["A dog runs on a beach.", "Two cats sleep."]
    assert all(row.source == "hub" for row in rows)
    assert not any("run.py" in request.path for request, _ in hub.log)


@pytest.mark.usefixtures("hub")
def test_a_dataset_that_is_not_there_is_one_clear_error() -> None:
    with pytest.raises(SourceError, match=r"hub:lab/nothing: cannot be fetched: .*Give OWNER/NAME"):
        read("hub:lab/nothing")
