"""`counterfoil audit`, `check` and `clean` on a dataset of a Hub, as a server on loopback speaks for it, and on folders
that `datasets` made."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from tests.needing import skip_without

skip_without("datasets")

COMMIT = "a" * 40
NAME = "lab/triplets"
TRIPLETS = [
    {"anchor": f"A dog on mat {n}.", "positive": f"A dog lies on mat {n}.", "negative": f"No dog is on mat {n}."}
    for n in range(24)
]
CARD = """---
configs:
- config_name: pair
  data_files: pair/*
- config_name: triplet
  data_files: triplet/*
---
"""


def write_lines(rows: list[dict[str, str]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def files() -> dict[str, bytes]:
    """What the Hub's dataset holds; a test may change it before it asks."""
    pairs = [{"sentence1": "A dog.", "sentence2": "A cat."}]
    return {
        "README.md": CARD.encode(),
        "pair/train.jsonl": write_lines(pairs),
        "triplet/train.jsonl": write_lines(TRIPLETS),
        "run.py": b"raise SystemExit('code of the hub ran')",
    }


@pytest.fixture
def hub(httpserver: HTTPServer, files: dict[str, bytes]) -> HTTPServer:
    def tell(_: Request) -> Response:
        siblings = [{"rfilename": each} for each in files]
        return Response(json.dumps({"id": NAME, "sha": COMMIT, "private": False, "tags": [], "siblings": siblings}))

    def list_tree(request: Request) -> Response:
        inside = request.path.partition(f"/tree/{COMMIT}")[2].strip("/")
        behind = [each.removeprefix(f"{inside}/" if inside else "") for each in files if each.startswith(inside)]
        rows = []
        for each in dict.fromkeys(each.partition("/")[0] for each in behind):
            path = f"{inside}/{each}".strip("/")
            held = files.get(path)
            size = {"size": 0} if held is None else {"size": len(held)}
            rows.append({"type": "directory" if held is None else "file", "path": path, "oid": "b" * 40, **size})
        return Response(json.dumps(rows))

    def give(request: Request) -> Response:
        held = files.get(request.path.partition("/resolve/")[2].partition("/")[2])
        if held is None:
            return Response("", 404, headers={"X-Error-Code": "EntryNotFound"})
        head = {
            "ETag": f'"{hashlib.sha1(held).hexdigest()}"',
            "X-Repo-Commit": COMMIT,
            "X-Linked-Size": str(len(held)),
        }
        return Response(b"" if request.method == "HEAD" else held, headers=head)

    api = f"/api/datasets/{NAME}"
    httpserver.expect_request(re.compile(f"{api}(/revision/.*)?$")).respond_with_handler(tell)
    httpserver.expect_request(re.compile(f"{api}/tree/.*")).respond_with_handler(list_tree)
    httpserver.expect_request(re.compile(f"/datasets/{NAME}/resolve/.*")).respond_with_handler(give)
    nothing = Response("", 404, headers={"X-Error-Code": "RepoNotFound"})
    httpserver.expect_request(re.compile("/.*lab/nothing.*")).respond_with_response(nothing)
    return httpserver


Call = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def ask(counterfoil: Call, hub: HTTPServer, tmp_path: Path) -> Call:
    def call(*words: object) -> subprocess.CompletedProcess[str]:
        place = {"HF_ENDPOINT": hub.url_for("").rstrip("/"), "HF_HOME": str(tmp_path / "hf")}
        return counterfoil(*words, check=False, **place)

    return call


def test_a_dataset_of_the_hub_is_audited_checked_and_cleaned(ask: Call, hub: HTTPServer, tmp_path: Path) -> None:
    from datasets import load_from_disk

    target = f"hub:{NAME}/triplet"
    audited = ask("audit", target)
    assert audited.returncode == 0, audited.stderr
    assert "rows: 24, 24 read" in audited.stdout and "other half" in audited.stdout
    assert "proved: 24 of 24" in ask("check", target).stdout
    done = ask("clean", target, "--to", tmp_path / "clean")
    assert done.returncode == 0, done.stderr
    assert len(load_from_disk(str(tmp_path / "clean"))["train"]) == 24
    assert not any(each.path.endswith("run.py") for each, _ in hub.log)


@pytest.mark.slow
def test_a_dataset_without_configurations_needs_none(ask: Call, files: dict[str, bytes]) -> None:
    held = files["triplet/train.jsonl"]
    files.clear()
    files.update({"train.jsonl": held, "test.jsonl": held})
    done = ask("check", f"hub:{NAME}")
    assert "rows: 48 of 2 files, 48 read" in done.stdout, done.stderr


def test_what_the_hub_does_not_give_is_said_with_what_to_write(ask: Call) -> None:
    unnamed = ask("audit", f"hub:{NAME}")
    assert unnamed.returncode == 2
    assert "'pair', 'triplet'" in unnamed.stderr and "hub:OWNER/NAME/CONFIGURATION" in unnamed.stderr
    missing = ask("check", "hub:lab/nothing")
    assert missing.returncode == 2 and "the hub gives no such dataset" in missing.stderr
    assert "Traceback" not in unnamed.stderr + missing.stderr


@pytest.mark.slow
def test_folders_that_datasets_saved_and_cached_are_read(counterfoil: Call, tmp_path: Path) -> None:
    from datasets import Dataset, DatasetDict, load_dataset

    rows = Dataset.from_list(TRIPLETS)
    DatasetDict({"train": rows, "test": rows}).save_to_disk(str(tmp_path / "saved"))
    (tmp_path / "rows.jsonl").write_bytes(write_lines(TRIPLETS))
    cached = load_dataset("json", data_files=str(tmp_path / "rows.jsonl"), cache_dir=str(tmp_path / "cache"))
    cached["train"].map(lambda row: {"negative": row["negative"].replace("No", "no")})
    (held,) = {Path(each["filename"]).parent for each in cached["train"].cache_files}
    assert "proved: 48 of 48" in counterfoil("check", tmp_path / "saved").stdout
    assert "proved: 24 of 24" in counterfoil("check", held).stdout
