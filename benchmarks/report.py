"""What a report weighs, what it takes to write, and how far its links land from their goals.

    python -m benchmarks.report DATASET [--anchors 4000]

Copies the dataset's anchors and contrasts under other ids until there are so many, and reports on all of them. Prints
seconds, bytes of the page and of its parts, and, where Chromium is installed, the pixels by which each link of the
contents and a link to an anchor in the middle miss their places, in a window of 1,280 and of 400 pixels.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import content_id
from counterfoil.storage.schemas import TableName, to_table
from counterfoil.tasks.engine.history import find_run
from counterfoil.tasks.report import write_report
from tests.tasks.report.browser import Browser, find_chromium

SETTLE_MS = 2_500


def multiply(source: Dataset, goal: Dataset, anchors: int) -> None:
    """Fill ``goal`` with copies of ``source``'s anchors, each with all of its contrasts."""
    snapshot = source.snapshot()
    times = -(-anchors // snapshot.count_rows("anchors"))
    shards: dict[str, list[str]] = {}

    def stage(table: TableName, key: str, rows: Sequence[Any], copy: Callable[[Any, int], Any]) -> None:
        for number in range(times):
            fingerprint = content_id(key, number) * 2
            goal.staged.write(fingerprint, {key: to_table([copy(row, number) for row in rows], table)}, {})
            shards.setdefault(key, []).append(fingerprint)

    for domain in snapshot.partitions("anchors"):
        stage("anchors", f"anchors/domain={domain}", list(snapshot.anchors(domain)), _copy_anchor)
    for family in snapshot.partitions("contrasts"):
        stage("contrasts", f"contrasts/family={family}", list(snapshot.contrasts(family)), _copy_contrast)
    goal.publish(shards, metadata=dict(find_run(source)))


def _copy_anchor(row: Any, number: int) -> Any:
    return replace(row, anchor_id=content_id(row.anchor_id, number))


def _copy_contrast(row: Any, number: int) -> Any:
    return replace(row, anchor_id=content_id(row.anchor_id, number), contrast_id=content_id(row.contrast_id, number))


def weigh(page: Path) -> None:
    """Print what a report's files weigh."""
    parts = sorted(path.stat().st_size for path in page.parent.rglob("*.js"))
    total = page.stat().st_size + sum(parts)
    print(f"page {page.stat().st_size:,} bytes, {len(parts)} parts of {sum(parts):,} bytes, in all {total:,}")
    if parts:
        print(f"a part: {parts[len(parts) // 2]:,} bytes in the median, {parts[-1]:,} at most")


def measure_landings(page: Path, folder: Path) -> None:
    """Print by how many pixels links miss their goals; 0 where the page ends before the goal can reach the top."""
    with Browser(folder / "profile") as browser:
        for width in (1280, 400):
            browser.open(page.as_uri(), width=width)
            goals = {goal: f"document.querySelector('{goal}')" for goal in _list_contents(browser)}
            browser.evaluate("(all => all[all.length >> 1].scrollIntoView())(document.querySelectorAll('.batch'))")
            browser.wait_for("document.querySelectorAll('.ticket').length > 0")
            link = browser.evaluate("(all => all[all.length >> 1].hash)(document.querySelectorAll('.ticket .here'))")
            missed = []
            for goal, element in goals.items():
                browser.evaluate(f"document.querySelector('.contents a[href=\"{goal}\"]').click()")
                missed.append((goal, _measure(browser, element)))
            browser.open(page.as_uri() + link, width=width)
            anchor = link.removeprefix("#").replace("=", "-")
            missed.append(("an anchor", _measure(browser, f"document.getElementById('{anchor}')")))
            print(f"{width} pixels wide: " + ", ".join(f"{goal} {off:g}" for goal, off in missed))


def _list_contents(browser: Browser) -> list[str]:
    return list(browser.evaluate("[...document.querySelectorAll('.contents a')].map(e => e.hash)"))


def _measure(browser: Browser, element: str) -> float:
    browser.evaluate(f"new Promise(done => setTimeout(done, {SETTLE_MS}))")
    script = (
        f"(() => {{ const e = {element}, end = document.documentElement.scrollHeight - innerHeight;"
        "const off = e.getBoundingClientRect().top - parseFloat(getComputedStyle(e).scrollMarginTop);"
        "return off > 0 && end - scrollY < 2 ? 0 : Math.round(10 * Math.abs(off)) / 10; })()"
    )
    return float(browser.evaluate(script))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset")
    parser.add_argument("--anchors", type=int, default=4000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        goal = Dataset(str(Path(folder) / "set"))
        multiply(Dataset(given.dataset), goal, given.anchors)
        snapshot = goal.snapshot()
        print(f"{snapshot.count_rows('anchors'):,} anchors, {snapshot.count_rows('contrasts'):,} contrasts")
        page = Path(folder) / "report" / "report.html"
        wall, cpu = time.perf_counter(), time.process_time()
        write_report(str(Path(folder) / "set"), page, sample=0)
        print(f"written in {time.perf_counter() - wall:.0f} s, {time.process_time() - cpu:.0f} s of CPU")
        weigh(page)
        if find_chromium() is not None:
            measure_landings(page, Path(folder))


if __name__ == "__main__":
    main()
