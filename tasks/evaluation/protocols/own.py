"""Our own datasets as an evaluation set: over all of the test split, and among the hard negatives of each family.

What stands in the tables is all that is asked for, so every domain is read alike. Pictures and captions: image to text
and text to image, equal captions collapsed, anchors of one ``group`` answering for each other. Hard negatives: an
anchor's picture (or, where the domain has none, its statement) against what shows the anchor and the family's
contrasts of it, all at once: Hit@1, the share of contrasts beaten, R@3 and MRR; and the share beaten by what they
change (number, shape, relation ...), where rows say it. A negative picture with a caption of its own and its anchor are
two pictures and two captions, which are asked for each other both ways, as BiVLC does. A statement without a picture
asks for its other sayings (views and hard positives) instead.

Only rows whose split is ``test`` count where there are any: a model that trained on the rest would be asked what it
has seen.
"""

from __future__ import annotations

import itertools

from counterfoil.storage.rows import Modality
from counterfoil.tasks.evaluation.among import ask_among, ask_both_ways, ask_by_change
from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, Task
from counterfoil.tasks.evaluation.dataset import Rows, list_overall, read_rows_of
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.statements import (
    ask_among_statements,
    ask_overall,
    ask_statements_by_change,
    list_directions,
    list_sayings,
)


def load(place: str, options: Options) -> Benchmark:
    """The dataset's test split, or where it has none all of it.

    Raises:
        EvaluationError: there is no dataset, no such split, or nothing to compare.
    """
    rows = read_rows_of(place, options.split)
    material = Material()
    tasks: list[Task] = []
    for domain in rows.domains:
        tasks += _list_tasks(domain, rows, material, options.instruction)
    if not tasks:
        raise EvaluationError(f"{place}: its anchors have neither pictures with captions nor contrasts to compare")
    return Benchmark(
        "own",
        f"Counterfoil dataset {place.rstrip('/').rpartition('/')[2]}",
        "Over all: rank among all captions or pictures of the split, equal ones collapsed. Among hard negatives: "
        "strictly higher than every contrast of the family.",
        material,
        tuple(tasks),
        rows.files,
        rows.notes,
    )


def _list_tasks(domain: str, rows: Rows, material: Material, instruction: str) -> list[Task]:
    anchors = [anchor for anchor in rows.anchors if anchor.domain == domain]
    tasks: list[Task | None] = [*list_overall(domain, anchors, material)]
    families = rows.list_families(domain)
    if any(anchor.image is not None for anchor in anchors):
        modalities: tuple[Modality, ...] = ("text", "image")
        for family, modality in itertools.product(families, modalities):
            negatives = rows.contrasts(family, "negative", modality)
            tasks.append(ask_among(family, anchors, negatives, modality, material))
            tasks.append(ask_by_change(family, anchors, negatives, modality, material))
        for family in families:
            tasks += ask_both_ways(family, anchors, rows.contrasts(family, "negative", "image"), material)
    else:
        sayings = list_sayings(domain, anchors, rows)
        for name, asking, texts in list_directions(anchors, sayings):
            tasks.append(ask_overall(f"{domain}: {name}", anchors, asking, texts, material, instruction))
        for family in families:
            tasks.append(ask_among_statements(family, anchors, sayings, rows, material, instruction))
            tasks.append(ask_statements_by_change(family, anchors, sayings, rows, material, instruction))
    return [task for task in tasks if task is not None]
