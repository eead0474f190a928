"""How many lies `counterfoil verify` catches, by domain and kind, and how many honest rows it refuses.

    python -m benchmarks.lies DATASET [--per-domain 500] [--seed 0] [--domain theorem] [--keep]

The dataset (a local folder) is copied and some of its rows are changed, each by one kind of lie of its domain (`KINDS`
of the modules beside this one). Files and ids are made anew for what they hold, so that what is counted is what the
checks of meaning see. A lie is caught where a failure names its row. Lies of under 2 pixels or 2 grey levels, which a
reader would not see, are counted apart. An honest row is one that was not changed and whose anchor was not; it is
refused where a failure names it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.lies.counting import Outcome, count_outcomes, show_outcomes
from benchmarks.lies.kinds import MODULES
from benchmarks.lies.planting import plant_lies
from counterfoil.storage.card import LIES_PATH
from counterfoil.tasks.audit.verify import verify_dataset


def measure(dataset: Path, folder: Path, per_domain: int, seed: int, domains: tuple[str, ...], workers: int) -> Outcome:
    """Plant lies in a copy of the dataset in ``folder``, verify it, and count."""
    planted = plant_lies(dataset, folder, per_domain, seed, domains)
    began, before = time.monotonic(), count_cpu_seconds()
    verification = verify_dataset(str(folder), workers=workers)
    return count_outcomes(planted, verification, count_cpu_seconds() - before, time.monotonic() - began)


def count_cpu_seconds() -> float:
    """CPU seconds of this process and of the children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lies", description=__doc__.splitlines()[0])
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--per-domain", type=int, default=500, help="lies planted in each domain, at most")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--domain", action="append", choices=sorted(MODULES), help="this domain alone; repeatable")
    parser.add_argument("--workers", type=int, default=0, help="worker processes; 0: one per core")
    parser.add_argument("--work", type=Path, help="folder that the copy is made and kept in; left out: a temporary one")
    parser.add_argument("--show", action="store_true", help="print what each lie that was not caught changed")
    parser.add_argument("--keep", action="store_true", help="keep the figures in the dataset, for its card")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    args = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="lies-") as temporary:
        folder = (args.work or Path(temporary)) / "dataset"
        outcome = measure(args.dataset, folder, args.per_domain, args.seed, tuple(args.domain or MODULES), args.workers)
    print(show_outcomes(outcome, each=args.show))
    for path in filter(None, (args.json, args.dataset / LIES_PATH if args.keep else None)):
        path.write_text(json.dumps(outcome.to_json(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
