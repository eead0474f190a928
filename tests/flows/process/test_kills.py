"""kill -9 at random moments, eight times over: the finished dataset is the undisturbed one, byte for byte."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.plain_run import run_plainly
from counterfoil.storage.dataset import Dataset

KILLS = 8
RECIPE = """
[dataset]
path = "{path}"
seed = 11
shard_size = 2
workers = 2
[geometry]
source = "procedural:8"
families = ["caption", "image", "rule"]
negatives = 2
spare = 0
[flowchart]
source = "procedural:4"
families = ["flip", "code", "caption"]
"""


def read_all(path: Path) -> tuple[dict[str, str], list[object]]:
    dataset = Dataset(str(path))
    rows = [*dataset.anchors(), *dataset.contrasts(), *dataset.rejects()]
    return {file.path: file.sha256 for file in dataset.active_files()}, rows


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_kills_do_not_change_a_byte(tmp_path):
    for name in ("calm", "rough"):
        (tmp_path / f"{name}.toml").write_text(RECIPE.format(path=tmp_path / name))
    run_plainly(tmp_path / "calm.toml", here=True)
    rng = random.Random(20)
    killed = 0
    while killed < KILLS:
        before = len(list_staged(tmp_path / "rough"))
        run = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.plain_run", str(tmp_path / "rough.toml"), "--here"],
            stdout=subprocess.DEVNULL,
        )
        more = rng.randrange(4)
        while run.poll() is None and len(list_staged(tmp_path / "rough")) < before + more:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.4))
        if run.poll() is None:
            os.kill(run.pid, signal.SIGKILL)
            killed += 1
        elif run.returncode == 0:
            forget_some(tmp_path / "rough", rng)
        assert run.wait() in (0, -signal.SIGKILL)
    run_plainly(tmp_path / "rough.toml", here=True)
    assert read_all(tmp_path / "rough") == read_all(tmp_path / "calm")


def list_staged(path: Path) -> list[Path]:
    return sorted((path / "work").rglob("*.json"))


def forget_some(path: Path, rng: random.Random) -> None:
    """Take a third of the finished shards away, so that there is work to kill again."""
    manifests = list_staged(path)
    for manifest in rng.sample(manifests, len(manifests) // 3):
        manifest.unlink()
