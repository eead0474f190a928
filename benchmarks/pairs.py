"""CPU time of geometry's pairs of negative caption and picture, step by step, in one process.

    python -m benchmarks.pairs PROBLEMS [--limit 65] [--negatives 10] [--spare 0.4] [--whole]

The stage's own functions run here on Geometry3K problems: anchors first, not counted, then pairs, as a worker that has
never seen the anchors makes them. CPU seconds are those of this process and of its sandbox. Each step's share is its
own: the time of a step that another one calls is that one's. The last line is a digest of the rows' bytes.
"""

from __future__ import annotations

import argparse
import cProfile
import functools
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from benchmarks.sandbox import find_tree, read_cpu
from counterfoil.renderers import direct
from counterfoil.renderers.memory import collect_rarely, keep_freed_memory
from counterfoil.renderers.sandbox import renderer as sandbox_renderer
from counterfoil.renderers.sandbox import worker as sandbox_worker
from counterfoil.storage.rows import Anchor, Contrast, Reject, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.registry import group_families, load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts
from counterfoil.tasks.geometry import checks, figures
from counterfoil.tasks.geometry.families import perturb
from counterfoil.tasks.geometry.measuring import measure

FAMILIES = ["geometry.caption", "geometry.image"]
STEPS: dict[str, tuple[Any, ...]] = {
    "captions and figures proposed": (perturb, "propose_world"),
    "layout": (perturb, "lay_out"),
    "drawn without scripts": (direct, "draw_sheet"),
    "laid out again": (checks, "is_relaid"),
    "sandbox, this side: waiting": (sandbox_worker.Worker, "_ask"),
    "sandbox, this side: memory": (sandbox_worker.Worker, "run"),
    "record read": (sandbox_renderer, "parse_drawing"),
    "PNG": (sandbox_renderer, "encode_png"),
    "measured": (figures, "measure_drawing"),
    "drawing rules": (figures, "find_picture_problem"),
    "judge of pixels": (figures, "find_mismatch"),
    "marks read": (measure, "read_marks"),
    "legible": (checks, "find_illegible"),
    "pixels compared": (checks, "count_changed"),
    "captions read": (checks, "parse_claims"),
    "captions judged": (checks, "find_false"),
}


class Clock:
    """CPU time of this process by step: a step's own time, what it calls apart."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self._stack = ["the rest: checks, rows, staging"]
        self._since = time.process_time()

    def watch(self, step: str, owner: Any, name: str) -> None:
        """Count the time of ``owner.name`` for ``step``; of a generator, the time of each of its steps."""
        plain: Callable[..., Any] = getattr(owner, name)

        @functools.wraps(plain)
        def timed(*arguments: Any, **options: Any) -> Any:
            self.calls[step] += 1
            self._enter(step)
            try:
                made = plain(*arguments, **options)
            finally:
                self._leave()
            return self._follow(step, made) if step.startswith("captions and figures") else made

        setattr(owner, name, timed)

    def _follow(self, step: str, steps: Any) -> Any:
        while True:
            self._enter(step)
            try:
                value = next(steps)
            except StopIteration:
                return
            finally:
                self._leave()
            yield value

    def _enter(self, step: str) -> None:
        self._count()
        self._stack.append(step)

    def _leave(self) -> None:
        self._count()
        self._stack.pop()

    def _count(self) -> None:
        now = time.process_time()
        self.spent[self._stack[-1]] += now - self._since
        self._since = now

    def restart(self) -> None:
        """Forget what was counted."""
        self.spent.clear()
        self.calls.clear()
        self._since = time.process_time()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--negatives", type=int, default=10)
    parser.add_argument("--spare", type=float, default=0.4)
    parser.add_argument("--profile", help="write a cProfile of this process here instead of counting steps")
    parser.add_argument("--whole", action="store_true", help="count no steps: asking for the time of each costs some")
    options = parser.parse_args()
    domain = load_domain("geometry")
    keep_freed_memory()
    collect_rarely()
    source = f"geometry3k:{options.problems}"
    settings = domain.settings_type(source=source, negatives=options.negatives, spare=options.spare)
    clock = Clock()
    if not options.profile and not options.whole:
        for step, place in STEPS.items():
            clock.watch(step, *place)
    renderer = MemoRenderer()
    context: Context[Any] = Context(settings, 7, renderer)
    group = next(iter(group_families(domain, FAMILIES)))
    rows = list(domain.read(settings, 7, options.limit))
    made = [anchor for row in rows for anchor in make_anchors(domain, row, context)]
    anchors = [anchor for anchor in made if isinstance(anchor, Anchor)]
    figures._known.clear()
    renderer._known.clear()
    renderer.rendered = 0
    sandbox: Any = renderer._open()
    tree = find_tree(sandbox.worker_pid)[:2]
    profile = cProfile.Profile() if options.profile else None
    # The first table imports what tables need, once for a process.
    to_table(anchors, "anchors")
    clock.restart()
    wall, own, both = time.perf_counter(), time.process_time(), read_cpu(tree)
    if profile:
        profile.enable()
    contrasts = [row for anchor in anchors for row in make_contrasts(group, anchor, context)]
    kept = [row for row in contrasts if isinstance(row, Contrast)]
    to_table(kept, "contrasts")
    if profile:
        profile.disable()
        profile.dump_stats(options.profile)
    own = time.process_time() - own
    both = read_cpu(tree) - both
    wall = time.perf_counter() - wall
    renderer.close()
    wanted = count_wanted(kept, options.negatives)
    print(f"{wanted / both:.1f} pairs of the {options.negatives} wanted a CPU second, {wanted} of them")
    report(clock, contrasts, kept, renderer.rendered, own, both - own, wall)


def count_wanted(kept: list[Contrast], negatives: int) -> int:
    """Pairs that stay once the spare ones have gone."""
    made = Counter(row.anchor_id for row in kept if row.family == FAMILIES[1])
    return sum(min(count, negatives) for count in made.values())


def report(
    clock: Clock, rows: list[Contrast | Reject], kept: list[Contrast], drawn: int, own: float, child: float, wall: float
) -> None:
    """Print the table."""
    pairs = sum(row.family == FAMILIES[1] for row in kept)
    lost = Counter(row.reasons[0].partition(":")[0] for row in rows if isinstance(row, Reject))
    print(f"{pairs} pairs, {drawn} pictures drawn, load {os.getloadavg()[0]:.1f}, {wall:.1f} s by the clock")
    print(f"{pairs / (own + child):.1f} pairs a CPU second; {(own + child) / pairs * 1e3:.1f} ms of CPU a pair:")
    print(f"  {'sandbox process':34} {child / pairs * 1e3:6.2f} ms")
    print(f"  {'this process':34} {own / pairs * 1e3:6.2f} ms")
    for step, spent in clock.spent.most_common():
        print(f"    {step:32} {spent / pairs * 1e3:6.2f} ms, {clock.calls[step] / pairs:5.2f} calls")
    print("rejects by their first reason:", dict(lost.most_common(12)))
    plain = [asdict(replace(row, provenance=replace(row.provenance, code_version=""))) for row in kept]
    print("digest of the rows:", fingerprint(plain)[:16])


if __name__ == "__main__":
    main()
