"""What solving for coordinates costs of a geometry pair: the searches of pairs, recorded once and run again alone.

    python -m benchmarks.solving record PROBLEMS searches.pickle [--limit 30]
    python -m benchmarks.solving replay searches.pickle [--rounds 3]

``record`` makes anchors and pairs of negative caption and picture as `benchmarks.pairs` does, counts the CPU seconds of
this process and its sandbox, and keeps what every search was given. ``replay`` runs these searches alone and says what
they take of a pair (the least of several rounds), how many find a figure, and a digest of the figures; run in two
checkouts it compares two solvers side by side.
"""

from __future__ import annotations

import argparse
import pickle
import time
from pathlib import Path
from typing import Any

from benchmarks.pairs import FAMILIES, count_wanted
from benchmarks.sandbox import find_tree, read_cpu
from counterfoil.storage.rows import Anchor, Contrast, fingerprint
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.registry import group_families, load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts
from counterfoil.tasks.geometry.edits import redraw
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.solve import solve
from counterfoil.tasks.geometry.figure.upright import stand_upright

SEARCHES = {"solve": solve, "stand_upright": stand_upright}
NEGATIVES = 10


def record(problems: Path, to: Path, limit: int) -> None:
    """Make pairs of the first ``limit`` problems and write what their searches were given, with the CPU seconds."""
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
    for name, plain in SEARCHES.items():

        def keep(*arguments: Any, name: str = name, plain: Any = plain, **options: Any) -> Any:
            calls.append((name, arguments, options))
            return plain(*arguments, **options)

        setattr(redraw, name, keep)
    domain, renderer = load_domain("geometry"), MemoRenderer()
    settings = domain.settings_type(source=f"geometry3k:{problems}", negatives=NEGATIVES, spare=0.4)
    context: Context[Any] = Context(settings, 7, renderer)
    group = next(iter(group_families(domain, FAMILIES)))
    rows = [made for row in domain.read(settings, 7, limit) for made in make_anchors(domain, row, context)]
    anchors = [row for row in rows if isinstance(row, Anchor)]
    sandbox: Any = renderer._open()
    tree = find_tree(sandbox.worker_pid)[:2]
    calls.clear()
    spent = time.process_time() + read_cpu(tree)
    contrasts = [row for anchor in anchors for row in make_contrasts(group, anchor, context)]
    spent = time.process_time() + read_cpu(tree) - spent
    renderer.close()
    pairs = count_wanted([row for row in contrasts if isinstance(row, Contrast)], NEGATIVES)
    to.write_bytes(pickle.dumps((pairs, spent, calls)))
    print(f"{pairs} pairs of {len(anchors)} anchors, {spent:.1f} CPU s, {len(calls)} searches")


def replay(source: Path, rounds: int) -> None:
    """Run the recorded searches again and print what they cost and find."""
    pairs, spent, calls = pickle.loads(source.read_bytes())
    best = float("inf")
    for _ in range(rounds):
        since = time.process_time()
        found = [SEARCHES[name](*arguments, **options) for name, arguments, options in calls]
        best = min(best, time.process_time() - since)
    scenes = [each if isinstance(each, Scene) else each.scene for each in found]
    solved = sum(isinstance(each, Scene) or each.solved for each in found)
    places = [(dict(scene.rounded().points), dict(scene.rounded().circles)) for scene in scenes]
    print(f"{len(calls)} searches, {solved} find a figure: {best:.2f} CPU s, {best / pairs * 1e3:.2f} ms a pair")
    print(f"{best / spent:.1%} of the {spent / pairs * 1e3:.1f} ms that a pair took when they were recorded")
    print("digest of the figures:", fingerprint([repr(each) for each in places])[:16])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(dest="step", required=True)
    recording = steps.add_parser("record")
    recording.add_argument("problems", type=Path)
    recording.add_argument("searches", type=Path)
    recording.add_argument("--limit", type=int, default=30)
    replaying = steps.add_parser("replay")
    replaying.add_argument("searches", type=Path)
    replaying.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.step == "record":
        record(options.problems, options.searches, options.limit)
    else:
        replay(options.searches, options.rounds)


if __name__ == "__main__":
    main()
