"""CPU time of flowchart.image, step by step: its preparation, and its rows, made, verified and staged.

    python -m benchmarks.charts --charts FILE [--anchors 60] [--whole]

The stage's own functions run here, as a worker runs them that has never seen the anchors: the preparation (what edits
are chosen over all anchors), then the rows. CPU seconds are those of this process and of the renderer's. Each step's
share is its own: what it calls, where that is a step, is that one's. The last line is a digest of the rows' bytes.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import time
from dataclasses import asdict, replace
from functools import _lru_cache_wrapper
from typing import Any

from benchmarks.pairs import Clock
from benchmarks.sandbox import read_cpu
from counterfoil.renderers.memory import keep_freed_memory
from counterfoil.renderers.mermaid.client import MermaidWorker
from counterfoil.storage.rows import Anchor, Contrast, content_id, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.tasks.contract import choosing_offers
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts
from counterfoil.tasks.flowchart import checks
from counterfoil.tasks.flowchart.drawing import pictures, rendering
from counterfoil.tasks.flowchart.edits import pool
from counterfoil.tasks.flowchart.families import image
from counterfoil.tasks.packages import spare_pandas

FAMILY = "flowchart.image"
STEPS: dict[str, tuple[Any, ...]] = {
    "edits offered": (image, "list_edits"),
    "answers settled": (pool, "settle_answers"),
    "profiles": (image, "profile_picture"),
    "chosen over all anchors": (choosing_offers, "choose"),
    "habits, made": (pool, "list_broken"),
    "habits, verified": (checks, "list_broken"),
    "SVG read": (pictures, "read_vector"),
    "anchor's SVG read": (checks, "read_anchor"),
    "labels looked for": (pictures, "_check_labels"),
    "waiting for the renderer": (MermaidWorker, "_ask"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--charts", required=True, help="real charts")
    parser.add_argument("--anchors", type=int, default=60, help="granules, of as many charts as there are")
    parser.add_argument("--profile", help="write a cProfile of this process here instead of counting steps")
    parser.add_argument("--whole", action="store_true", help="count no steps: asking for the time of each costs some")
    options = parser.parse_args()
    domain = load_domain("flowchart")
    keep_freed_memory()
    spare_pandas()
    settings = domain.settings_type(source=f"charts:{options.charts}")
    context: Context[Any] = Context(settings, 7, None)  # type: ignore[arg-type]
    anchors = cut(domain, context, options.anchors)
    clock = Clock()
    if not options.profile and not options.whole:
        for step, place in STEPS.items():
            clock.watch(step, *place)
    family = domain.families[FAMILY]
    assert family.prepare is not None
    profile = cProfile.Profile()
    if options.profile:
        profile.enable()
    used = Used(clock)
    ready = prepare_here(family.prepare, [anchors], context)
    used.report("preparation", len(anchors), "anchors")
    forget()
    used = Used(clock)
    made = [row for anchor in anchors for row in make_contrasts((family,), anchor, ready)]
    kept = [row for row in made if isinstance(row, Contrast)]
    to_table(kept, "contrasts")
    used.report("rows", len(kept), "accepted rows")
    if options.profile:
        profile.disable()
        profile.dump_stats(options.profile)
    plain = [asdict(replace(row, provenance=replace(row.provenance, code_version=""))) for row in kept]
    print(f"{len(made) - len(kept)} rejects; digest of the rows:", fingerprint(plain)[:16])


def cut(domain: Any, context: Context[Any], count: int) -> list[Anchor]:
    """Granules of as many charts as there are, drawn by the hashes of their ids."""
    rows = list(domain.read(context.settings, context.seed, None))
    found: list[Anchor] = []
    for row in rows[:: max(1, len(rows) // count)]:
        made = [each for each in make_anchors(domain, row, context) if isinstance(each, Anchor)]
        found += sorted(made, key=lambda each: content_id("drawn", each.anchor_id))[: -(-count // len(rows))]
    return found[:count]


def forget() -> None:
    """Empty the memos: a stage's worker has not seen what another stage's had."""
    for name in ("draw_chart", "paint", "parse"):
        memo: _lru_cache_wrapper[Any] = getattr(rendering, name)
        memo.cache_clear()


class Used:
    """CPU time since it was made, of this process and of the renderer's."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        worker = rendering.get_mermaid()
        worker.parse("flowchart TD\nA --> B")
        assert worker.pid is not None
        self.tree = [worker.pid]
        clock.restart()
        self.own, self.both = time.process_time(), read_cpu(self.tree)

    def report(self, name: str, count: int, things: str) -> None:
        """Print what was used by ``count`` things."""
        own, both = time.process_time() - self.own, read_cpu(self.tree) - self.both
        print(
            f"{name}: {count / both:.1f} {things} a CPU second ({count} in {both:.2f} s), load {os.getloadavg()[0]:.1f}"
        )
        print(f"  {'renderer process':34} {(both - own) / count * 1e3:6.2f} ms")
        print(f"  {'this process':34} {own / count * 1e3:6.2f} ms")
        for step, spent in self.clock.spent.most_common():
            print(f"    {step:32} {spent / count * 1e3:6.2f} ms, {self.clock.calls[step] / count:5.2f} calls")


if __name__ == "__main__":
    main()
