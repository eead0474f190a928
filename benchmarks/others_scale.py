"""Contrasts of others in large files: CPU and memory of `counterfoil audit`, and `check` that is killed and goes on.

    python -m benchmarks.others_scale COCO.jsonl --rows 25000 100000     # an audit of each size, with its memory
    python -m benchmarks.others_scale COCO.jsonl --rows 3000 --kills 8   # kill -9, then the same command again

Rows are NegCLIP-style swaps of the captions, numbered so that each is an anchor of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.dataset import TreeWatch
from benchmarks.others import change, read_captions, swap_words

_PROGRAM = [str(Path(sys.executable).with_name("counterfoil"))]


def write_many(pictures: list[list[str]], count: int, path: Path) -> None:
    rows = list(change(pictures, swap_words))
    with path.open("w", encoding="utf-8") as file:
        for n in range(count):
            row = rows[n % len(rows)]
            numbered = {name: f"{row[name]} ({n // len(rows)})" for name in ("anchor", "negative")}
            file.write(json.dumps(numbered) + "\n")


def time_audit(path: Path, count: int) -> None:
    """CPU seconds, the most memory, and the memory at every tenth of the time."""
    with subprocess.Popen([*_PROGRAM, "audit", str(path), "--json"], stdout=subprocess.DEVNULL) as process:
        watch = TreeWatch(process.pid)
        watch.start()
        if process.wait():
            raise SystemExit(f"the audit of {path} failed")
        watch.join()
    memory = [round(size) for _, size in watch.samples if size]
    curve = [memory[len(memory) * n // 10] for n in range(10)] if len(memory) >= 10 else memory
    most = max(memory, default=0)
    print(f"audit of {count:,} triplets: {sum(watch.cpu.values()):.0f} CPU s, {most} MB at most; at each tenth {curve}")


def kill_check(path: Path, kills: int, folder: Path) -> None:
    """Whether findings after kills are those of a run that nothing stopped, and what was found twice."""
    whole, cut = folder / "whole.jsonl", folder / "cut.jsonl"
    check = [*_PROGRAM, "check", str(path), "--to"]
    subprocess.run([*check, str(whole)], check=True, stdout=subprocess.DEVNULL)
    rng, done = random.Random(0), 0
    lines = whole.read_bytes().count(b"\n")
    for _ in range(kills):
        with subprocess.Popen([*check, str(cut)], stdout=subprocess.DEVNULL) as process:
            target = done + rng.randrange(1, max(2, lines // kills))
            while process.poll() is None and done < target:
                time.sleep(0.05)
                done = cut.read_bytes().count(b"\n") if cut.exists() else 0
            process.send_signal(signal.SIGKILL)
    subprocess.run([*check, str(cut)], check=True, stdout=subprocess.DEVNULL)
    same = whole.read_bytes() == cut.read_bytes()
    print(
        f"check of {lines - 1:,} killed {kills} times, and gone on with: {'the same' if same else 'NOT THE SAME'} bytes"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions", type=Path)
    parser.add_argument("--rows", type=int, nargs="+", default=[25_000, 100_000])
    parser.add_argument("--kills", type=int, default=0, help="instead: kill a check so often")
    chosen = parser.parse_args()
    pictures = read_captions(chosen.captions, 1000)
    with tempfile.TemporaryDirectory() as folder:
        for count in chosen.rows:
            path = Path(folder) / f"{count}.jsonl"
            write_many(pictures, count, path)
            if chosen.kills:
                kill_check(path, chosen.kills, Path(folder))
            else:
                time_audit(path, count)


if __name__ == "__main__":
    main()
