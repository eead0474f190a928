"""How many honest rows `counterfoil verify` refuses, and what it costs a row.

    python -m benchmarks.honest DATASET ... [--json FILE]

Each dataset is verified by one worker without hashes, as made by the code of now: what fails is refused for nothing.
CPU seconds are those of this process and its worker, its start and imports among them.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.lies.__main__ import count_cpu_seconds
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.schemas import TABLES
from counterfoil.tasks.audit.verify import verify_dataset


def measure(url: str) -> dict[str, Any]:
    """The rows of a dataset by table, the failures of a verification and its CPU seconds."""
    snapshot = Dataset(url).snapshot()
    rows = {table: sum(file.rows for file in snapshot.files(table)) for table in TABLES}
    before = count_cpu_seconds()
    result = verify_dataset(url, workers=1)
    spent = count_cpu_seconds() - before
    checked = rows["anchors"] + rows["contrasts"]
    return {
        **rows,
        "refused": len({each.row_id for each in result.failures}),
        "reasons": dict(result.by_code),
        "cpu_seconds": round(spent, 1),
        "ms_a_row": round(1000 * spent / max(1, checked), 1),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.honest", description=__doc__.splitlines()[0])
    parser.add_argument("datasets", nargs="+")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    args = parser.parse_args(arguments)
    found = {Path(url).name: measure(url) for url in args.datasets}
    print(json.dumps(found, indent=1))
    if args.json is not None:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
