"""How long a publish takes on an object store, beside the least that the store itself takes for so many files.

    python -m benchmarks.publishing --shards 2000

Stages shards of four rows on S3 (moto, in a process of its own, on loopback): each has a file of anchors, and two of
contrasts and two of rejects. Prints the seconds and the requests of the first publish, of finding all shards again, of
the same publish again, and of half a family; and of the floor, which is so many files of the same bytes put, copied or
read, 32 at once, and no more.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import s3fs

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from tests.serving import run_s3
from tests.storage import storage_cases as cases

AT_ONCE = 32


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


class Counted:
    """Times what is done, and counts the requests that the server, this process's child, logged meanwhile."""

    def __init__(self, log: Path) -> None:
        self.log = log
        (self.server,) = psutil.Process().children()

    def serve(self) -> float:
        """The server's CPU seconds so far."""
        spent = self.server.cpu_times()
        return float(spent.user + spent.system)

    def count(self) -> int:
        return len(re.findall(r'" \d{3} -', self.log.read_text(errors="replace")))

    def measure(self, what: str, files: int, work: Callable[[], object]) -> None:
        """Print how long ``work`` on so many files took, and its requests."""
        before, began, busy, served = self.count(), time.monotonic(), time.process_time(), self.serve()
        work()
        spent, own, servers = time.monotonic() - began, time.process_time() - busy, self.serve() - served
        requests = self.count() - before
        print(
            f"{what}: {files:,} files, {spent:.1f} s ({1000 * spent / files:.1f} ms a file), {requests:,} requests "
            f"({requests / files:.2f} a file, {1000 * spent / max(requests, 1):.2f} ms each), {own:.1f} s of CPU here, "
            f"{servers:.1f} s the server's",
            flush=True,
        )


def run_floor(counted: Counted, files: int, content: bytes) -> None:
    """Put, copy and read so many files, and do nothing else."""
    store = s3fs.S3FileSystem(endpoint_url=os.environ["AWS_ENDPOINT_URL"], use_listings_cache=False)

    def each(work: Callable[[int], Any]) -> Callable[[], object]:
        def run() -> None:
            with ThreadPoolExecutor(AT_ONCE) as pool:
                list(pool.map(work, range(files)))

        return run

    def copy(number: int) -> None:
        source = {"Bucket": "floor", "Key": f"put/{number}"}
        store.call_s3("copy_object", Bucket="floor", Key=f"copy/{number}", CopySource=source)

    store.mkdir("floor")
    counted.measure("floor, put", files, each(lambda number: store.pipe_file(f"floor/put/{number}", content)))
    counted.measure("floor, copy", files, each(copy))
    counted.measure("floor, read", files, each(lambda number: store.cat_file(f"floor/put/{number}")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=500)
    parser.add_argument("--floor", action=argparse.BooleanOptionalAction, default=True, help="measure the floor too")
    options = parser.parse_args()
    shards = options.shards
    log = Path(tempfile.mkstemp(suffix=".log")[1])
    with run_s3("night", log) as given:
        os.environ |= given
        url, counted = "s3://night/data", Counted(log)
        keys: list[tuple[str, str]] = []

        def stage() -> None:
            with ThreadPoolExecutor(8) as pool:
                keys.extend(pool.map(lambda number: stage_shard(url, "one", number), range(shards)))

        counted.measure("staging", 5 * shards, stage)
        anchors, contrasts = ([each[side] for each in keys] for side in (0, 1))
        whole = {"anchors/domain=geometry": anchors}
        whole |= {f"contrasts/family={family}": contrasts for family in cases.FAMILIES}
        counted.measure("first publish", 5 * shards, lambda: Dataset(url).publish(whole))
        print(f"{len(Dataset(url).active_files())} files in the tables", flush=True)
        found = [key for pair in keys for key in pair]
        counted.measure("shards found again", 5 * shards, lambda: list(StagedShards(url).find_all(found)))
        counted.measure("the same again", 5 * shards, lambda: Dataset(url).publish(whole))
        family = f"contrasts/family={cases.FAMILIES[0]}"
        half = {family: contrasts[: shards // 2]}
        counted.measure("half of a family", len(half[family]) * 2, lambda: Dataset(url).publish(half))
        if options.floor:
            run_floor(counted, 5 * shards, bytes(12_000))


if __name__ == "__main__":
    main()
