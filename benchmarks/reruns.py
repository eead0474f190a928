"""What it takes to find that nothing is to be done, and to show `--help`, beside peers of this environment.

    python -m benchmarks.reruns [--recipe recipes/demo.toml] [--times 5]

Makes the recipe's dataset in a fresh folder (or in ``--dataset``, if that is there), then runs it again: plainly, and
on a Prefect server of its own. Peers of `--help` are the commands of other packages that are installed. Prints the
least wall and CPU seconds, children included, of several tries of each, one after the other.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

PEERS = ("hf", "prefect", "ray", "accelerate", "torchrun")


def measure(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Wall and CPU seconds of a command, with those of its children that it waited for."""
    began = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return time.perf_counter() - began, used.ru_utime + used.ru_stime


def find_peers() -> list[str]:
    """The commands of other packages beside this Python."""
    there = [Path(sys.executable).with_name(name) for name in PEERS]
    return [str(each) for each in there if each.exists()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", default="recipes/demo.toml")
    parser.add_argument("--dataset", help="one that the recipe has made; left out: it is made")
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed package is compiled
    with tempfile.TemporaryDirectory() as folder:
        environment = kept | {"PREFECT_PROFILES_PATH": "/nowhere", "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        run = [sys.executable, "-m", "counterfoil", "run", options.recipe]
        run += ["--set", f"dataset.path={options.dataset or f'{folder}/data'}"]
        wall, cpu = measure(run, environment)
        print(f"{'made, or found':<24} {wall:7.2f} s wall {cpu:7.2f} s CPU", flush=True)
        commands = {
            "run again": run,
            "run again, --prefect": [*run, "--prefect"],
            "counterfoil --help": [sys.executable, "-m", "counterfoil", "--help"],
            **{f"{Path(peer).name} --help": [peer, "--help"] for peer in find_peers()},
        }
        for name, command in commands.items():
            measure(command, environment)  # compiled, and in the page cache
            tries = [measure(command, environment) for _ in range(options.times)]
            wall, cpu = min(each[0] for each in tries), min(each[1] for each in tries)
            print(f"{name:<24} {wall:7.2f} s wall {cpu:7.2f} s CPU", flush=True)


if __name__ == "__main__":
    main()
