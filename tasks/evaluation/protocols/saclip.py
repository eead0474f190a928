"""SaCLIP's tables on a dataset of flowcharts (sections 4.1 and 4.4).

Table 1: image to text and text to image over the test set, R@1, R@5, R@10 and MRR within the ten retrieved. Table 2:
each picture among its own caption and six hard-negative captions, each caption among its own picture and eight
hard-negative pictures, fixed once and for all; R@1, R@3 and MRR within the three retrieved. (In the paper's Table 2 all
three are one number for picture queries, in every row: an evaluator's fault most likely. Ours differ.)

The negatives are the first six and eight by rank of the families of the domain, in the order of their names.
"""

from __future__ import annotations

from collections.abc import Sequence

from storage.rows import Contrast, Modality
from tasks.evaluation.among import ask_among
from tasks.evaluation.benchmark import Benchmark, Options, Task
from tasks.evaluation.dataset import Rows, list_overall, read_rows_of
from tasks.evaluation.errors import EvaluationError
from tasks.evaluation.material import Material
from tasks.evaluation.outcomes import FigureSpec, pool
from tasks.evaluation.tasks import HIT

DOMAIN = "flowchart"
CAPTIONS, PICTURES = 6, 8


def load(place: str, options: Options) -> Benchmark:
    """The flowcharts of the dataset's test split.

    Raises:
        EvaluationError: there is no dataset, or it has no flowcharts.
    """
    rows = read_rows_of(place, options.split)
    anchors = [anchor for anchor in rows.anchors if anchor.domain == DOMAIN]
    if not anchors:
        raise EvaluationError(f"saclip: {place} has no flowcharts, but {', '.join(rows.domains)}")
    material = Material()
    tasks: list[Task] = [*list_overall(DOMAIN, anchors, material, mrr="MRR@10")]
    notes = list(rows.notes)
    sides: tuple[tuple[Modality, int], ...] = (("text", CAPTIONS), ("image", PICTURES))
    for modality, count in sides:
        negatives = gather(rows, DOMAIN, modality, count)
        name = "hard negatives"
        found = ask_among(name, anchors, negatives, modality, material, _list_figures([name]))
        if found is not None:
            tasks.append(found)
            fewer = sum(len(own) < count for own in negatives.values())
            notes += [f"{fewer:,} flowcharts have fewer than {count} hard negatives ({modality})"] if fewer else []
        else:
            notes.append(f"no hard negatives ({modality})")
    return Benchmark(
        "saclip",
        "SaCLIP, Tables 1 and 2",
        f"Over all: MRR within the top 10. Among {CAPTIONS} fixed captions or {PICTURES} pictures: within the top 3.",
        material,
        tuple(tasks),
        rows.files,
        tuple(notes),
    )


def gather(rows: Rows, domain: str, modality: Modality, count: int) -> dict[str, list[Contrast]]:
    """The first ``count`` hard negatives of each anchor, by rank and then by family."""
    found: dict[str, list[Contrast]] = {}
    for family in rows.list_families(domain):
        for anchor_id, contrasts in rows.contrasts(family, "negative", modality).items():
            found.setdefault(anchor_id, []).extend(contrasts)
    return {
        anchor_id: sorted(found[anchor_id], key=lambda each: (each.rank, each.family))[:count]
        for anchor_id in sorted(found)
    }


def _list_figures(parts: Sequence[str]) -> list[FigureSpec]:
    return [pool("R@1", HIT, parts), pool("R@3", "R@3", parts), pool("MRR@3", "MRR@3", parts)]
