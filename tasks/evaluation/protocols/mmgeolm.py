"""MMGeoLM's four Hit@1 sets (appendix, Figure 15) on a dataset of geometry: 500 anchors each, fixed negatives.

Random: captions of other figures. Retrieval: ``geometry.retrieval``'s captions. Rule: ``geometry.rule``'s. These three
are asked for by the picture; image: the caption asks for its picture among ``geometry.image``'s. Ten negatives to an
anchor, as in training; which anchors and which random captions is decided by hashes of their ids, so that every model
gets the same. The paper's own four files are not published.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.storage.rows import Anchor, Contrast, Modality, content_id
from counterfoil.tasks.evaluation.among import ask_among, list_figures
from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, Task
from counterfoil.tasks.evaluation.dataset import name_block, read_rows_of
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material

DOMAIN = "geometry"
SIZE, NEGATIVES = 500, 10
RANDOM = "random"
SETS: tuple[tuple[str, str, Modality], ...] = (
    ("retrieval", "geometry.retrieval", "text"),
    ("rule", "geometry.rule", "text"),
    ("image", "geometry.image", "image"),
)


def load(place: str, options: Options) -> Benchmark:
    """The sets that the dataset's test split has rows for.

    Raises:
        EvaluationError: there is no dataset, or it has no figures.
    """
    rows = read_rows_of(place, options.split)
    anchors = [each for each in rows.anchors if each.domain == DOMAIN and each.image is not None and each.caption]
    if not anchors:
        raise EvaluationError(f"mmgeolm: {place} has no figures of geometry, but {', '.join(rows.domains)}")
    anchors = sorted(anchors, key=lambda each: content_id("mmgeolm", each.anchor_id))
    material = Material()
    notes = list(rows.notes)
    tasks: list[Task] = []
    found = ask_among(RANDOM, anchors[:SIZE], draw_random(anchors), "text", material, list_figures([RANDOM]))
    tasks += [found] if found is not None else []
    for name, family, modality in SETS:
        having = rows.contrasts(family, "negative", modality)
        chosen = [each for each in anchors if each.anchor_id in having][:SIZE]
        own = {each.anchor_id: having[each.anchor_id][:NEGATIVES] for each in chosen}
        made = ask_among(name, chosen, own, modality, material, list_figures([name]))
        if made is None:
            notes.append(f"absent: {name} (the dataset has no rows of {family})")
        else:
            tasks.append(made)
    notes += [
        f"{task.name}: {len(task.items)} anchors, the paper's {SIZE}" for task in tasks if len(task.items) != SIZE
    ]
    return Benchmark(
        "mmgeolm",
        "MMGeoLM, four Hit@1 sets",
        f"Strictly higher than {NEGATIVES} fixed negatives, of {SIZE} anchors in each set.",
        material,
        tuple(tasks),
        rows.files,
        tuple(notes),
    )


def draw_random(anchors: Sequence[Anchor]) -> dict[str, list[Contrast]]:
    """For each anchor, captions of other figures, as negatives: those next in the order of hashes."""
    drawn: dict[str, list[Contrast]] = {}
    for place, anchor in enumerate(anchors):
        found: dict[str, Contrast] = {}
        for step in range(1, len(anchors)):
            other = anchors[(place + step) % len(anchors)]
            if other.caption and other.caption != anchor.caption and name_block(other) != name_block(anchor):
                text = other.caption
                found.setdefault(text, Contrast(anchor.anchor_id, RANDOM, "negative", "text", text, rank=len(found)))
            if len(found) == NEGATIVES:
                break
        if found:
            drawn[anchor.anchor_id] = list(found.values())
    return drawn
