"""Our own datasets as an evaluation set: over all of the test split, and among the hard negatives of each family.

What stands in the tables is all that is asked for, so every domain is read alike. Pictures and captions: image to text
and text to image, equal captions collapsed, anchors of one ``group`` answering for each other. Hard negatives: an
anchor's picture (or, where the domain has none, its statement) against what shows the anchor and the family's
contrasts of it, all at once: Hit@1, the share of contrasts beaten, R@3 and MRR.

Only rows whose split is ``test`` count where there are any: a model that trained on the rest would be asked what it
has seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from storage.dataset import Dataset
from storage.reading import Snapshot
from storage.rows import Anchor, Contrast, fingerprint
from tasks.evaluation.benchmark import Benchmark, DataFile, Options, Task
from tasks.evaluation.errors import EvaluationError
from tasks.evaluation.material import Material, Picture
from tasks.evaluation.outcomes import FigureSpec, pool
from tasks.evaluation.pairs import list_recalls, retrieve_pairs
from tasks.evaluation.tasks import HIT, MRR, PAIRS, ChoiceMaker, Choices, Retrieval
from tasks.tells.compare import CAPTION, CAPTIONS, CONTRAST, Shown, find_beside, show_anchor, show_contrast

TEST = "test"


@dataclass(frozen=True)
class Rows:
    """The anchors that are asked about, and what was read."""

    anchors: tuple[Anchor, ...]
    """In the order of their ids."""
    snapshot: Snapshot
    files: tuple[DataFile, ...]
    notes: tuple[str, ...]

    def contrasts(self, family: str, role: str | None = None) -> dict[str, list[Contrast]]:
        """Anchor to its contrasts of a family, by rank."""
        wanted = {anchor.anchor_id for anchor in self.anchors}
        found: dict[str, list[Contrast]] = {}
        for contrast in self.snapshot.contrasts(family):
            if contrast.anchor_id in wanted and role in (None, contrast.role):
                found.setdefault(contrast.anchor_id, []).append(contrast)
        return {
            anchor_id: sorted(found[anchor_id], key=lambda each: (each.rank, each.contrast_id))
            for anchor_id in sorted(found)
        }


def load(place: str, options: Options) -> Benchmark:
    """The dataset's test split, or where it has none all of it.

    Raises:
        EvaluationError: there is no dataset, no such split, or nothing to compare.
    """
    rows = read_rows_of(place, options.split)
    material = Material()
    tasks: list[Task] = []
    for domain in sorted({anchor.domain for anchor in rows.anchors}):
        anchors = [anchor for anchor in rows.anchors if anchor.domain == domain]
        tasks += list_overall(domain, anchors, material)
        tasks += _list_families(domain, anchors, rows, material, options.instruction)
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


def read_rows_of(place: str, split: str | None) -> Rows:
    """The anchors of a split, by default of test where there is one.

    Raises:
        EvaluationError: there is no dataset, or none of its anchors is of the split.
    """
    dataset = Dataset(place)
    if not dataset.exists():
        raise EvaluationError(f"{place} holds no dataset: make one with `counterfoil run RECIPE`")
    snapshot = dataset.snapshot()
    counted = Counter(
        name for batch in snapshot.scan("anchors", ["split"], batch_size=8192) for name in batch["split"].to_pylist()
    )
    if split is not None and not counted[split]:
        raise EvaluationError(f"{place} has no anchors of split {split!r}: it has {', '.join(sorted(counted))}")
    chosen = split or (TEST if counted[TEST] else None)
    anchors = [anchor for anchor in snapshot.anchors() if chosen in (None, anchor.split)]
    if not anchors:
        raise EvaluationError(f"{place} has no anchors")
    told = ", ".join(f"{count:,} {name}" for name, count in sorted(counted.items()))
    notes = (
        [f"{len(anchors):,} anchors of split {chosen} (the dataset has {told})"]
        if chosen
        else [f"no split is called test: all anchors count ({told}), also those that a model may have trained on"]
    )
    files = [DataFile(file.path, fingerprint(file.path)) for table in ("anchors", "contrasts") for file in snapshot.files(table)]  # type: ignore[arg-type]
    return Rows(tuple(sorted(anchors, key=lambda each: each.anchor_id)), snapshot, tuple(files), tuple(notes))


def list_overall(domain: str, anchors: Sequence[Anchor], material: Material, mrr: str = MRR) -> list[Retrieval]:
    """Retrieval over all pictures and captions of a domain, both ways; nothing where it has no pictures."""
    shown = [anchor for anchor in anchors if anchor.image is not None and anchor.caption]
    if len(shown) < 2:
        return []
    images = np.array([material.add_picture(take_picture(anchor)) for anchor in shown], dtype=np.int64)
    texts, owners = [], []
    for number, anchor in enumerate(shown):
        for text in dict.fromkeys([anchor.caption or "", *anchor.captions]):
            texts.append(material.add_text(text))
            owners.append(number)
    names = [anchor.anchor_id for anchor in shown]
    groups = [anchor.group or anchor.anchor_id for anchor in shown]
    found = retrieve_pairs(images, np.array(texts), np.array(owners), names, groups, mrr)
    return [_rename(task, f"{domain}: {task.name}") for task in found]


def _rename(task: Retrieval, name: str) -> Retrieval:
    from dataclasses import replace

    return replace(task, name=name)


def take_picture(anchor: Anchor) -> Picture:
    """The anchor's picture."""
    assert anchor.image is not None
    return Picture(anchor.anchor_id, content=anchor.image.bytes)


def _list_families(
    domain: str, anchors: Sequence[Anchor], rows: Rows, material: Material, instruction: str
) -> list[Task]:
    tasks: list[Task] = []
    positives: list[tuple[str, dict[str, list[Contrast]]]] = []
    for family in rows.snapshot.partitions("contrasts"):
        if family.partition(".")[0] == domain:
            negatives = rows.contrasts(family, "negative")
            for modality in ("text", "image"):
                own = _keep(negatives, modality)
                made = ask_among(family, anchors, own, modality, material)
                tasks += [made] if made is not None else []
            found = _keep(rows.contrasts(family, "positive"), "text")
            positives += [(family, found)] if found else []
    if not any(anchor.image for anchor in anchors):
        for family, found in positives:
            tasks += [_ask_statements(family, anchors, found, material, instruction)]
    return tasks


def _keep(found: dict[str, list[Contrast]], modality: str) -> dict[str, list[Contrast]]:
    kept = {anchor_id: [each for each in own if each.modality == modality] for anchor_id, own in found.items()}
    return {anchor_id: own for anchor_id, own in kept.items() if own}


def list_figures(parts: Sequence[str]) -> list[FigureSpec]:
    """What is told of an anchor among its hard negatives."""
    return [
        pool("Hit@1", HIT, parts),
        pool("beaten", PAIRS, parts),
        pool("R@3", "R@3", parts),
        pool(MRR, MRR, parts),
    ]


def ask_among(
    family: str,
    anchors: Iterable[Anchor],
    negatives: dict[str, list[Contrast]],
    modality: str,
    material: Material,
    figures: Sequence[FigureSpec] | None = None,
) -> Choices | None:
    """Each anchor among its own contrasts of one modality; None where none can be asked about.

    Texts are asked for by the picture, pictures by the caption. What of the anchor the texts stand beside (caption or
    code) is found by looking, as the audit does.
    """
    own = {anchor.anchor_id: anchor for anchor in anchors if anchor.image is not None}
    beside = _find_beside(own, negatives, modality)
    maker = ChoiceMaker()
    for anchor_id, contrasts in negatives.items():
        anchor = own.get(anchor_id)
        if anchor is None or (modality == "image" and not anchor.caption):
            continue
        picture = material.add_picture(take_picture(anchor))
        if modality == "image":
            asked = material.add_text(anchor.caption or "")
            wrong = [
                material.add_picture(Picture(each.contrast_id, content=each.image.bytes))
                for each in contrasts
                if each.image is not None
            ]
            questions = [(asked, [picture], wrong)]
        else:
            text = anchor.code if beside == "code" else anchor.caption
            if not text:
                continue
            wrong = [material.add_text(each.text) for each in contrasts if each.text]
            questions = [(picture, [material.add_text(text)], wrong)]
        if wrong:
            maker.add(anchor_id, family, anchor.group or f"{anchor.source}/{anchor.source_id}", questions)
    if not maker.items:
        return None
    side = "text to image" if modality == "image" else "image to text"
    return maker.finish(f"{family}: {side}", figures if figures is not None else list_figures([family]))


def _find_beside(own: dict[str, Anchor], negatives: dict[str, list[Contrast]], modality: str) -> str:
    if modality == "image":
        return CAPTION
    kinds: dict[str, dict[str, list[Shown]]] = {}
    against: dict[str, list[Shown]] = {}
    for anchor_id, contrasts in negatives.items():
        if anchor_id in own:
            for shown in show_anchor(own[anchor_id], "text"):
                kinds.setdefault(anchor_id, {}).setdefault(shown.kind, []).append(shown)
            against[anchor_id] = [shown for each in contrasts for shown in show_contrast(each) if shown.kind == CONTRAST]
    found = find_beside(kinds, against) if against else CAPTION
    return CAPTION if found == CAPTIONS else found


def _ask_statements(
    family: str,
    anchors: Sequence[Anchor],
    positives: dict[str, list[Contrast]],
    material: Material,
    instruction: str,
) -> Retrieval:
    """A statement asks for its own rewording among those of all statements."""
    texts: list[int] = []
    owners: dict[int, set[str]] = {}
    for anchor in anchors:
        for each in positives.get(anchor.anchor_id, ()):
            node = material.add_text(each.text or "")
            texts.append(node)
            owners.setdefault(node, set()).add(anchor.group or anchor.anchor_id)
    documents = np.unique(np.array(texts, dtype=np.int64))
    asked = [anchor for anchor in anchors if anchor.caption and anchor.anchor_id in positives]
    right = {
        group: np.array([place for place, node in enumerate(documents.tolist()) if group in owners[node]])
        for group in {anchor.group or anchor.anchor_id for anchor in asked}
    }
    return Retrieval(
        f"{family}: statement to rewording",
        tuple(anchor.anchor_id for anchor in asked),
        ("",) * len(asked),
        tuple(anchor.group or anchor.anchor_id for anchor in asked),
        tuple(list_recalls([""])),
        np.array([material.add_text(instruction + (anchor.caption or "")) for anchor in asked], dtype=np.int64),
        documents,
        tuple(right[anchor.group or anchor.anchor_id] for anchor in asked),
    )
