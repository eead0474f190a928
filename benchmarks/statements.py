"""Rows of the families that judge one text against another, and of composites, a CPU second: made and verified.

    python -m benchmarks.statements [--anchors 12]

Anchors are made first and not counted. The spare rows are made and verified too, so that some can be chosen; the choice
is not counted. Yield: the anchors' wanted rows that there are, or more, before the choice.
"""

from __future__ import annotations

import argparse
import time
from itertools import islice
from typing import Any

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts

KINDS = {
    **dict.fromkeys(("geometry", "flowchart", "caption"), ("unit", "halftruth", "negation")),
    "composite": ("exchange", "order", "sentences"),
}


def measure(name: str, most: int) -> None:
    domain = load_domain(name)
    settings = domain.settings_type.model_validate({**domain.example, "source": f"procedural:{2 * most}"})
    context: Context[Any] = Context(settings, 11, MemoRenderer(), bounds=domain.bounds)
    rows = (row for row in domain.read(settings, 11, None) if isinstance(row, SourceRow))
    made = (each for row in rows for each in make_anchors(domain, row, context) if isinstance(each, Anchor))
    anchors = list(islice(made, most))
    for kind in KINDS[name]:
        family = domain.families[f"{name}.{kind}"]
        wanted = family.count(settings)
        began, kept, full = time.process_time(), 0, 0
        for anchor in anchors:
            found = sum(isinstance(each, Contrast) for each in make_contrasts([family], anchor, context))
            kept += found
            full += min(found, wanted) if wanted else found
        spent = time.process_time() - began
        share = f"{full} of {wanted * len(anchors)}" if wanted else f"{full}"
        print(
            f"{family.name}: {len(anchors)} anchors, {share} wanted, {kept} made, {kept / spent:.1f} a CPU second",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--anchors", type=int, default=12)
    given = parser.parse_args()
    for name in KINDS:
        measure(name, given.anchors)


if __name__ == "__main__":
    main()
