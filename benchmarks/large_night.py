"""A night of 100,000 anchors of all four domains, really made on one machine, with what goes wrong in a night.

    python -m benchmarks.large_night --to FOLDER [--anchors 100000] [--steps 300]

Cheap families of every domain are made by `counterfoil run`, which is killed (``kill -9``) three times, the last time
while it publishes, and once runs out of disk on a small file system (an ext4 image, mounted by root; without root this
is left out and said). Then: a run with nothing to do, `verify` by hashes of all and of a sample by rows, `report`,
`pack` and training that reads from the packs. A tenth of the night goes to S3 (moto on loopback) which stops
answering for a while. What is finished stands in FOLDER/done.json: a command that was killed goes on.

Prints wall and CPU seconds by part, and of the night memory (proportional set sizes of all processes) by stage.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from benchmarks.dataset import TreeWatch
from counterfoil.storage.dataset import Dataset
from tests.serving import run_s3

RECIPE = """[dataset]
path = {path}
seed = 7
workers = 2
shard_size = {shard}

[author]
kind = "procedural"

[flowchart]
source = "procedural:{charts}"
families = ["flip"]

[theorem]
source = "procedural:{statements}"
families = ["rephrase"]

[caption]
source = "procedural:{scenes}"
families = ["halftruth"]

[geometry]
source = "procedural:{figures}"
families = ["negation"]

[training]
path = {models}
families = ["caption.halftruth", "geometry.negation"]
positives = ["flowchart.flip"]
resolution = 64
patch = 8
width = 64
layers = 2
heads = 2
projection = 64
vocabulary = 1000
objective = "negclip"
negative_texts = 1
batch_size = 64
steps = {steps}
checkpoint_every = 100
"""
SHARES = {"charts": 0.105, "statements": 0.03, "scenes": 0.02, "figures": 0.005}
"""Source rows an anchor of the night; a chart gives about nine anchors."""
KILLS = (0.2, 0.2)
"""A run is killed once it has made such a share of the shards; the third kill waits for the publish."""
DISK_GB, FREE_BYTES = 30, 5_000
"""The night's file system, and how much of it is free for an anchor while the disk fills up: less than half of what
one takes.
"""


@dataclass
class Part:
    """What one command took, and what it said."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    code: int
    curve: dict[str, list[float]] = field(default_factory=dict)
    said: str = ""


def run(command: list[str], log: Path, watch: Callable[[subprocess.Popen[bytes], Path], None] | None = None) -> Part:
    """Run one of the product's commands to its end, or until ``watch`` ends it; its log lines name the stages."""
    began = time.monotonic()
    with log.open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "counterfoil", "--log-format", "json", *command],
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        tree = TreeWatch(process.pid)
        tree.start()
        if watch is not None:
            threading.Thread(target=watch, args=(process, log), daemon=True).start()
        code = process.wait()
        tree.join(timeout=5)
    _end_group(process.pid)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    peak = max((size for _, size in tree.samples), default=0.0)
    curve = _tell_memory(tree.samples, lines)
    plain = [line for line in lines if line and not line.startswith("{")]
    return Part(time.monotonic() - began, sum(tree.cpu.values()), peak, code, curve, "\n".join(plain[-4:]))


def _end_group(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def read_events(lines: list[str]) -> Iterator[dict[str, Any]]:
    """The lines of a log that are JSON."""
    for line in lines:
        if line.startswith("{") and line.endswith("}"):
            yield json.loads(line)


def _tell_memory(samples: list[tuple[float, float]], lines: list[str]) -> dict[str, list[float]]:
    """Of each stage the memory in its first, second and last third, MB; stages that overlap share their samples."""
    from datetime import datetime

    begins: dict[str, float] = {}
    ends: dict[str, float] = {}
    first = None
    for event in read_events(lines):
        at = datetime.fromisoformat(event["time"]).timestamp()
        first = at if first is None else first
        if stage := event.get("stage"):
            begins.setdefault(stage, at - first)
            ends[stage] = at - first
    found = {}
    for stage, begin in begins.items():
        own = [size for when, size in samples if begin <= when <= ends[stage]]
        third = len(own) // 3
        if third:
            parts = own[:third], own[third : 2 * third], own[-third:]
            found[stage] = [round(max(part), 1) for part in parts]
    return found


def count_shards(log: Path) -> int:
    """Shards that a run has made, by its log."""
    return log.read_text(encoding="utf-8", errors="replace").count('"message": "shard made"')


def kill_after(shards: int) -> Callable[[subprocess.Popen[bytes], Path], None]:
    """Kill a run and all below it after so many shards."""

    def watch(process: subprocess.Popen[bytes], log: Path) -> None:
        while process.poll() is None and count_shards(log) < shards:
            time.sleep(0.2)
        _end_group(process.pid)

    return watch


def kill_publishing(data: Path) -> Callable[[subprocess.Popen[bytes], Path], None]:
    """Kill a run as soon as a table's files appear that no version of its log names."""

    def watch(process: subprocess.Popen[bytes], _log: Path) -> None:
        while process.poll() is None and not any((data / "anchors").rglob("*.parquet")):
            time.sleep(0.02)
        _end_group(process.pid)

    return watch


@contextmanager
def mount_small(image: Path, at: Path) -> Iterator[bool]:
    """A file system of its own for the night; False where nothing can be mounted."""
    at.mkdir(parents=True, exist_ok=True)
    mounted = os.path.ismount(at)
    if os.geteuid() == 0 and not mounted:
        if not image.exists():
            with image.open("wb") as file:
                file.truncate(DISK_GB << 30)
            subprocess.run(["mkfs.ext4", "-q", "-F", "-m", "0", str(image)], check=True)
        mounted = subprocess.run(["mount", "-o", "loop", str(image), str(at)], check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", str(at)], check=False)


def run_full(disk: Path, free: int, work: Callable[[], Part]) -> Part:
    """Do the work while a file leaves so many bytes of the disk."""
    ballast = disk / "ballast"
    space = os.statvfs(disk)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, space.f_bavail * space.f_frsize - free)
    try:
        return work()
    finally:
        ballast.unlink()


@contextmanager
def pause_server(log: Path, seconds: float) -> Iterator[dict[str, str]]:
    """S3 on loopback that stops answering for a while, once the run's first shard is there."""
    with run_s3("night", log) as variables:
        port = variables["AWS_ENDPOINT_URL"].rpartition(":")[2]
        server = next(each for each in psutil.Process().children() if any(arg == port for arg in each.cmdline()))

        def pause() -> None:
            while b"PUT" not in log.read_bytes():
                time.sleep(0.2)
            time.sleep(5)
            server.suspend()
            time.sleep(seconds)
            server.resume()

        threading.Thread(target=pause, daemon=True).start()
        yield variables


class Ledger:
    """The parts that are done, in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def do(self, name: str, work: Callable[[], Part]) -> Part:
        """Do a part, unless it was done; say what it took."""
        if name not in self.done:
            self.done[name] = vars(work())
            self.path.write_text(json.dumps(self.done, indent=1) + "\n", encoding="utf-8")
        part = Part(**self.done[name])
        print(
            f"{name}: exit {part.code}, {part.wall_s:,.0f} s, {part.cpu_s:,.0f} CPU s, at most {part.peak_mb:,.0f} MB",
            flush=True,
        )
        for line in part.said.splitlines():
            print(f"    {line}")
        return part


def write_recipe(path: Path, data: str, models: Path, anchors: int, shard: int, steps: int) -> int:
    """Write a night's recipe; how many shards it has, about."""
    rows = {name: max(4, round(share * anchors)) for name, share in SHARES.items()}
    text = RECIPE.format(path=json.dumps(data), models=json.dumps(str(models)), shard=shard, steps=steps, **rows)
    path.write_text(text, encoding="utf-8")
    return sum(2 * -(-count // shard) for count in rows.values())


def main() -> None:
    """Make the night, part after part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--anchors", type=int, default=100_000)
    parser.add_argument("--shard", type=int, default=64)
    parser.add_argument("--steps", type=int, default=300, help="steps of training from the packs")
    parser.add_argument("--sample", type=float, default=0.02, help="share of the anchors that verify looks at")
    given = parser.parse_args()
    folder = given.to.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(folder / "done.json")
    disk = folder / "disk"
    with mount_small(folder / "disk.img", disk) as mounted:
        data, recipe = disk / "data", folder / "night.toml"
        shards = write_recipe(recipe, str(data), folder / "models", given.anchors, given.shard, given.steps)

        def night(watch: Callable[[subprocess.Popen[bytes], Path], None] | None = None) -> Part:
            return run(["run", str(recipe), "--yes"], folder / f"run-{len(ledger.done)}.log", watch)

        if mounted:
            ledger.do("a run on a disk that fills up", lambda: run_full(disk, FREE_BYTES * given.anchors, night))
        else:
            print("disk full: left out, nothing can be mounted here")
        for number, share in enumerate(KILLS):
            ledger.do(f"kill -9, {number + 1}", lambda at=share: night(kill_after(int(at * shards))))  # type: ignore[misc]
        ledger.do("kill -9, while publishing", lambda: night(kill_publishing(data)))
        ledger.do("the night", night)
        for part in (
            "a run on a disk that fills up",
            "kill -9, 1",
            "kill -9, 2",
            "kill -9, while publishing",
            "the night",
        ):
            for stage, sizes in ledger.done.get(part, {}).get("curve", {}).items():
                print(f"    {part}, {stage}: {' '.join(f'{size:,.0f}' for size in sizes)} MB")
        ledger.do("a run with nothing to do", night)
        for name, command in {
            "verify, hashes": ["verify", str(data), "--hashes"],
            "verify, a sample": ["verify", str(data), "--no-hashes", "--sample", str(given.sample)],
            "report": ["report", str(data)],
            "pack": ["pack", str(recipe)],
            "train": ["train", str(recipe)],
        }.items():
            ledger.do(name, lambda of=command: run(of, folder / "part.log"))  # type: ignore[misc]
        counts = Dataset(str(data)).counts()
        files = list(Dataset(str(data)).active_files())
        size = sum(file.size for file in files) / 2**20
        print(f"{sum(counts.anchors.values()):,} anchors, {sum(counts.contrasts.values()):,} contrasts")
        print(f"{len(files):,} files, {size:,.0f} MB; {len(Dataset(str(data)).history())} publishes")
    if "S3 that stops answering" not in ledger.done:
        with tempfile.TemporaryDirectory() as logs, pause_server(Path(logs) / "s3.log", 60) as variables:
            os.environ.update(variables)
            far = folder / "s3.toml"
            write_recipe(far, "s3://night/data", folder / "far", given.anchors // 10, given.shard, given.steps)
            ledger.do("S3 that stops answering", lambda: run(["run", str(far), "--yes"], folder / "s3-run.log"))
            ledger.do(
                "S3, verified by hashes", lambda: run(["verify", "s3://night/data", "--hashes"], folder / "part.log")
            )


if __name__ == "__main__":
    main()
