"""SaCLIP's tables on a dataset of flowcharts (sections 4.1 and 4.4).

Table 1: image to text and text to image over the test set, R@1, R@5, R@10 and MRR within the ten retrieved. Table 2:
each picture among its own caption and six hard-negative captions, each caption among its own picture and eight
hard-negative pictures, fixed once and for all; R@1, R@3 and MRR within the three retrieved. (In the paper's Table 2 all
three are one number for picture queries, in every row: an evaluator's fault most likely. Ours differ.)

The negatives are the first by rank of `flowchart.caption` and `flowchart.image`. `flowchart.codeswap` gives code:
a model would tell them from a caption at a glance, so that they have no place beside one.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.storage.rows import Modality
from counterfoil.tasks.evaluation.among import ask_among
from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, Task
from counterfoil.tasks.evaluation.dataset import list_overall, read_rows_of
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.outcomes import FigureSpec, pool
from counterfoil.tasks.evaluation.tasks import HIT

DOMAIN = "flowchart"
CAPTIONS, PICTURES = 6, 8
_SIDES: tuple[tuple[Modality, str, int], ...] = (
    ("text", "flowchart.caption", CAPTIONS),
    ("image", "flowchart.image", PICTURES),
)


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
    for modality, family, count in _SIDES:
        having = rows.contrasts(family, "negative", modality)
        negatives = {anchor_id: own[:count] for anchor_id, own in having.items()}
        name = "hard negatives"
        found = ask_among(name, anchors, negatives, modality, material, _list_figures([name]))
        if found is not None:
            tasks.append(found)
            fewer = sum(len(own) < count for own in negatives.values())
            notes += [f"{fewer:,} flowcharts have fewer than {count} hard negatives ({modality})"] if fewer else []
        else:
            notes.append(f"absent: hard negatives of {family}")
    return Benchmark(
        "saclip",
        "SaCLIP, Tables 1 and 2",
        f"Over all: MRR within the top 10. Among {CAPTIONS} fixed captions or {PICTURES} pictures: within the top 3.",
        material,
        tuple(tasks),
        rows.files,
        tuple(notes),
    )


def _list_figures(parts: Sequence[str]) -> list[FigureSpec]:
    return [pool("R@1", HIT, parts), pool("R@3", "R@3", parts), pool("MRR@3", "MRR@3", parts)]
