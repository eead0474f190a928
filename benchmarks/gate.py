"""What the gate costs: its CPU seconds beside the run's, for a recipe made from nothing.

python -m benchmarks.gate recipes/demo.toml
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.engine.history import find_last_run


def main(recipe: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "data")
        command = [sys.executable, "-m", "counterfoil", "run", recipe, "--set", f"dataset.path={path}"]
        subprocess.run(command, check=True, capture_output=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        dataset, run_s = Dataset(path), used.ru_utime + used.ru_stime
        families = find_last_run(dataset)["gate"]["families"]
        shards = {name: dataset.staged.peek(each["rows"]) for name, each in families.items()}
        for name, shard in shards.items():
            told = f"{shard.meta['cpu_s']:.2f} s, {shard.meta['rows_in']} anchors" if shard else "left out"
            print(f"{name}: {families[name]['verdict']}, {told}")
        gate_s = sum(shard.meta["cpu_s"] for shard in shards.values() if shard)
        print(f"gate {gate_s:.1f} of {run_s:.1f} CPU s: {100 * gate_s / run_s:.1f} %")


if __name__ == "__main__":
    main(*sys.argv[1:])
