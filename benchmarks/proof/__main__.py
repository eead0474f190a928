"""`python -m benchmarks.proof SUITE...`: see the package's docstring."""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.proof.power import COSTS, BudgetError, plan, read_budget
from benchmarks.proof.reporting import START, Findings, write_findings
from benchmarks.proof.running import (
    Bench,
    Say,
    Workshop,
    choose_settings,
    find_run,
    go_on,
    is_finished,
    pack,
    pretrain,
    run_setting,
    score_blind,
    score_start,
)
from benchmarks.proof.suites import SUITES, Data, Suite
from counterfoil.storage.dataset import Dataset


@dataclass(frozen=True)
class Asked:
    """What of a suite is trained or told."""

    seeds: Sequence[int]
    only: Sequence[str] = ()
    """Settings by name; none: all."""
    blind: bool = True
    from_scratch: bool = False
    report: bool = False
    """Tell what is finished, and train nothing."""


def prove(suite: Suite, shop: Workshop, asked: Asked) -> None:
    """Make, pack, train, score; what was found is written at the end, for all settings and seeds that are there."""
    start = None if suite.start is None or asked.from_scratch else pretrain(shop, suite)
    suite = suite if start is None else go_on(suite, start)
    chosen = [setting for setting in suite.settings if not asked.only or setting.name in asked.only]
    wanted = {*(setting.data for setting in chosen), *suite.scored_on}
    datasets = {data.name: data for data in suite.data if data.name in wanted}
    for data in datasets.values():
        shop.make(data)
    benches = {name: Bench(name, str(shop.dataset(datasets[name]))) for name in suite.scored_on}
    counts = {name: count_rows(shop, data) for name, data in datasets.items()}
    packs = {
        name: pack(shop, suite, data, {family: own["role"] for family, own in counts[name]["families"].items()})
        for name, data in datasets.items()
        if name in {setting.data for setting in chosen}
    }
    steps = choose_settings(suite, suite.settings[0], 0, shop.scale).steps or 0
    found = Findings(suite, shop.scale, steps, counts, {})
    if start is not None:
        settings = choose_settings(suite, chosen[0], 0, shop.scale)
        found.runs[START] = dict.fromkeys(asked.seeds, score_start(start, settings, *packs[chosen[0].data], benches))
    # Seeds come first: whatever stops the work, settings stand beside each other with as many seeds.
    for seed in asked.seeds:
        for setting in chosen:
            manifest, folder = packs[setting.data]
            settings = choose_settings(suite, setting, seed, shop.scale)
            if asked.report and not is_finished(find_run(shop, settings, manifest)):
                continue
            began = time.perf_counter()
            run = run_setting(shop, settings, manifest, folder, benches)
            found.runs.setdefault(setting.name, {})[seed] = run
            shop.say(
                f"{suite.name}: {setting.name}, seed {seed}: {run['seconds']:.0f} CPU s of training, "
                f"{time.perf_counter() - began:.0f} s now"
            )
    if asked.blind:
        found.blind = {name: score_blind(shop, bench) for name, bench in benches.items()}
    write_findings(found, shop.folder)


def count_rows(shop: Workshop, data: Data) -> dict[str, Any]:
    """Anchors by split; and each family's role, rows, and rows of the test split."""
    snapshot = Dataset(str(shop.dataset(data))).snapshot()
    split = {row.anchor_id: row.split for row in snapshot.anchors()}
    families = {}
    for family in snapshot.partitions("contrasts"):
        rows = list(snapshot.contrasts(family))
        tested = sum(split[row.anchor_id] == "test" for row in rows)
        families[family] = {"role": rows[0].role, "rows": len(rows), "test": tested}
    return {"anchors": dict(Counter(split.values())), "families": families}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.proof", description=__doc__)
    parser.add_argument("suites", nargs="+", choices=[*SUITES, "all"])
    parser.add_argument("--to", type=Path, default=Path("proofs"), help="folder of datasets, runs and findings")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies source rows and steps")
    parser.add_argument("--budget", default="", help="CPU time a suite, such as 90m or 2h, that chooses the scale")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--only", nargs="+", default=[], help="settings to train, by name")
    parser.add_argument("--threads", type=int, default=1, help="threads of torch")
    parser.add_argument("--from-scratch", action="store_true", help="begin at random weights, not at the suite's start")
    parser.add_argument("--report", action="store_true", help="tell what is finished; train no setting")
    parser.add_argument("--no-blind", action="store_true", help="leave out the blind baselines")
    given = parser.parse_args()
    import torch

    torch.set_num_threads(given.threads)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    say = lambda line: print(line, flush=True)  # noqa: E731
    asked = Asked(given.seeds, given.only, not given.no_blind, given.from_scratch, given.report)
    names = list(SUITES) if "all" in given.suites else given.suites
    scales = dict.fromkeys(names, given.scale)
    if given.budget:
        try:
            seconds = read_budget(given.budget)
            scales = {name: _choose_scale(SUITES[name], seconds, asked, say) for name in names}
        except BudgetError as error:
            parser.error(str(error))
    for name in names:
        prove(SUITES[name], Workshop(given.to.resolve(), scales[name], say), asked)


def _choose_scale(suite: Suite, seconds: float, asked: Asked, say: Say) -> float:
    """The scale for so many CPU seconds; says what the suite can tell apart then."""
    settings = len(asked.only) or len(suite.settings)
    found = plan(suite, COSTS[suite.name], seconds, len(asked.seeds), settings)
    say(
        f"{suite.name}: scale {found.scale}, some {found.seconds / 60:.0f} CPU minutes for {settings} settings with "
        f"{len(asked.seeds)} seeds; a gain of {found.difference:.1f} points among hard negatives is told apart "
        "four times out of five"
    )
    return found.scale


if __name__ == "__main__":
    main()
