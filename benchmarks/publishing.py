"""How long a publish takes on an object store.

    python -m benchmarks.publishing --shards 500

Stages shards of four rows on S3 (moto, in a process of its own, on loopback): each has a file of anchors, and two of
contrasts and two of rejects. Prints the seconds of the first publish, of the same again, and of one family again.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import s3fs

from storage.dataset import Dataset
from storage.rows import fingerprint
from storage.schemas import to_table
from storage.staged import StagedShards
from tests.storage import storage_cases as cases

SERVE = (
    "import sys; from moto.server import ThreadedMotoServer;"
    "server = ThreadedMotoServer(ip_address='127.0.0.1', port=0, verbose=False); server.start();"
    "print(*server.get_host_and_port(), flush=True); sys.stdin.read()"
)


def stage_shard(url: str, tag: str, number: int) -> tuple[str, str]:
    """Stage one shard of anchors and one of contrasts; their fingerprints."""
    staged = StagedShards(url)
    anchors = cases.make_anchors(tag, number)
    keys = fingerprint("anchors", tag, number), fingerprint("contrasts", tag, number)
    staged.write(keys[0], {"anchors/domain=geometry": to_table(anchors, "anchors")})
    tables = {f"contrasts/family={f}": to_table(cases.make_contrasts(anchors, f), "contrasts") for f in cases.FAMILIES}
    tables |= {f"rejects/family={f}": to_table([cases.make_reject(f, anchors[0])], "rejects") for f in cases.FAMILIES}
    staged.write(keys[1], tables)
    return keys


def measure(what: str, files: int, work: Callable[[], object]) -> None:
    """Print how long ``work`` on so many files took."""
    began = time.monotonic()
    work()
    spent = time.monotonic() - began
    print(f"{what}: {files:,} files, {spent:.1f} s, {1000 * spent / files:.1f} ms a file", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=500)
    shards = parser.parse_args().shards
    with subprocess.Popen(
        [sys.executable, "-c", SERVE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdout is not None
        host, port = server.stdout.readline().split()
        os.environ |= {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": "testing",
            "AWS_REGION": "us-east-1",
            "AWS_DEFAULT_REGION": "us-east-1",
        }
        s3fs.S3FileSystem(endpoint_url=os.environ["AWS_ENDPOINT_URL"]).mkdir("night")
        url = "s3://night/data"
        with ThreadPoolExecutor(8) as pool:
            keys = list(pool.map(lambda number: stage_shard(url, "one", number), range(shards)))
        anchors, contrasts = ([each[side] for each in keys] for side in (0, 1))
        whole = {"anchors/domain=geometry": anchors}
        whole |= {f"contrasts/family={family}": contrasts for family in cases.FAMILIES}
        measure("first publish", 5 * shards, lambda: Dataset(url).publish(whole))
        measure("the same again", 5 * shards, lambda: Dataset(url).publish(whole))
        family = f"contrasts/family={cases.FAMILIES[0]}"
        half = {family: contrasts[: shards // 2]}
        measure("half of a family", len(half[family]) * 2, lambda: Dataset(url).publish(half))
        server.kill()


if __name__ == "__main__":
    main()
