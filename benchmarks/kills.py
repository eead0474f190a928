"""What a run that is killed again and again pays twice: kill -9 at random moments, then count what reached the server.

Whole runs (source to publish, two workers, the real sandbox, the real SDKs) against a loopback server that answers as
a scripted model. A repeat is a request that was answered in full and arrived again; what was on the wire when a
process died was answered to nobody, and is told apart by whether the server had sent the answer before the kill.

    python -m benchmarks.kills [--provider openai] [--batch] [--kills 20] [--problems 40]
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from tests.tasks.llm import draughtsman
from tests.tasks.llm.conftest import KEYS, MODELS
from tests.tasks.llm.server import Arrived, Server

RECIPE = """
[dataset]
path = "{folder}/data"
shard_size = 8
workers = 2
[author]
kind = "{kind}"
model = "{model}"
base_url = "{url}"
batch = {batch}
batch_poll_s = 0.2
batch_quiet_s = 0.5
concurrency = 32
[geometry]
source = "problems:{problems}"
families = ["caption", "image", "rule"]
negatives = 2
"""


def run_killed(folder: Path, server: Server, recipe: Path, kills: int, seed: int) -> list[float]:
    """Kill the run ``kills`` times, each after a random number of answers, then let it finish; the kills' times."""
    rng, times = random.Random(seed), []
    command = [sys.executable, "-m", "benchmarks.plain_run", str(recipe)]
    log = (folder / "runs.log").open("w")
    for _ in range(kills):
        run = subprocess.Popen(command, stdout=log, stderr=log)
        target = count_answered(server) + rng.randrange(1, 14)
        while run.poll() is None and count_answered(server) < target:
            time.sleep(0.002)
        time.sleep(rng.random() * 0.5)
        if run.poll() is not None:
            break
        times.append(time.monotonic())
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        time.sleep(0.5)
    subprocess.run(command, stdout=log, stderr=log, check=True)
    return times


def count_answered(server: Server) -> int:
    """Requests answered so far."""
    return sum(each.answered for each in server.log)


def describe(server: Server, kills: list[float]) -> str:
    """Requests, distinct requests and repeats; of these, how long before the kill each had been answered."""
    answers: dict[str, list[Arrived]] = defaultdict(list)
    for each in server.log:
        if each.answered:
            answers[each.digest].append(each)
    total = sum(map(len, answers.values()))
    repeated = [each for asked in answers.values() for each in asked[:-1]]
    cut = [each for each in repeated if any(each.came_at < kill < (each.answered_at or 0.0) for kill in kills)]
    ages = []
    for each in repeated:
        if each not in cut:
            ages.append(
                min(
                    (kill - (each.answered_at or 0.0) for kill in kills if kill >= (each.answered_at or 0.0)),
                    default=-1.0,
                )
            )
    return (
        f"{len(kills)} kills, {total} requests answered, {len(answers)} distinct; {len(repeated)} repeats: {len(cut)} "
        f"were on the wire at the kill, {len(ages)} had been answered (seconds before it: "
        f"{', '.join(f'{age:.3f}' for age in sorted(ages)) or 'none'})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--provider", choices=sorted(MODELS), default="openai")
    parser.add_argument("--batch", action="store_true")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--problems", type=int, default=40)
    parser.add_argument("--delay", type=float, default=0.3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ |= KEYS
    with tempfile.TemporaryDirectory() as name, Server(draughtsman.answer, options.delay) as server:
        folder = Path(name)
        url = server.anthropic_url if options.provider == "anthropic" else server.openai_url
        problems = draughtsman.write_problems(folder / "p.jsonl", draughtsman.learn_triangles(options.problems))
        recipe = folder / "recipe.toml"
        recipe.write_text(
            RECIPE.format(
                folder=folder,
                kind=options.provider,
                model=MODELS[options.provider],
                url=url,
                batch=str(options.batch).lower(),
                problems=problems,
            )
        )
        kills = run_killed(folder, server, recipe, options.kills, options.seed)
        batches = f", {len(server.batches)} batches" if options.batch else ""
        print(f"{options.provider}{batches}: {describe(server, kills)}")


if __name__ == "__main__":
    main()
