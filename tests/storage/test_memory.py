"""Memory stays where it is however many rows there are: publishing, scanning and exporting in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import storage_cases as cases

from counterfoil.storage.rows import Image, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards

SHARDS, ROWS, PICTURE = 24, 128, 60_000
CONTENT = SHARDS * ROWS * PICTURE

MEASURE = """
import json, resource, sys
import datasets.features, PIL.Image
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.export import export

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

url, out, keys = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
before = peak()
Dataset(url).publish({"anchors/domain=geometry": keys})
published = peak()
rows = sum(batch.num_rows for batch in Dataset(url).scan("anchors"))
scanned = peak()
export(url, out)
print(json.dumps([rows, published - before, scanned - before, peak() - before]))
"""


@pytest.fixture(scope="module")
def staged_keys(tmp_path_factory):
    url = str(tmp_path_factory.mktemp("memory") / "data")
    staged = StagedShards(url)
    keys = []
    picture = bytes(range(256)) * (PICTURE // 256)
    for shard in range(SHARDS):
        rows = [replace(row, image=Image(picture, row.image.path)) for row in cases.make_anchors("big", shard, ROWS)]
        keys.append(fingerprint("big", shard))
        staged.write(keys[-1], {"anchors/domain=geometry": to_table(rows, "anchors")})
    return url, keys


def test_publishing_scanning_and_exporting_hold_a_small_part_of_the_data(staged_keys, tmp_path):
    url, keys = staged_keys
    root = Path(__file__).parents[2]
    run = subprocess.run(
        [sys.executable, "-c", MEASURE, url, str(tmp_path / "out"), json.dumps(keys)],
        capture_output=True,
        text=True,
        cwd=root,
        check=True,
    )
    rows, publishing, scanning, exporting = json.loads(run.stdout.splitlines()[-1])
    assert rows == SHARDS * ROWS
    assert publishing < CONTENT / 3
    assert scanning < CONTENT / 3
    assert exporting < CONTENT / 2
