"""Statements without pictures: each asks for what says the same, among all others and among its hard negatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from storage.rows import Anchor
from tasks.evaluation.among import list_figures
from tasks.evaluation.dataset import Rows, name_block
from tasks.evaluation.material import Material
from tasks.evaluation.pairs import list_recalls
from tasks.evaluation.tasks import ChoiceMaker, Choices, Retrieval

Sayings = Mapping[str, Mapping[str, Sequence[str]]]
"""How statements are said otherwise: a view or a family of positives, to anchor, to texts."""


def list_sayings(domain: str, anchors: Sequence[Anchor], rows: Rows) -> dict[str, dict[str, list[str]]]:
    """What says the same as each anchor's caption: its views, and its contrasts of families of positives."""
    found: dict[str, dict[str, list[str]]] = {}
    for anchor in anchors:
        for view in anchor.views:
            if view.text != anchor.caption:
                found.setdefault(view.name, {}).setdefault(anchor.anchor_id, []).append(view.text)
    for family in rows.list_families(domain):
        for anchor_id, contrasts in rows.contrasts(family, "positive", "text").items():
            texts = [each.text for each in contrasts if each.text]
            found.setdefault(family, {}).setdefault(anchor_id, []).extend(texts)
    return {name: found[name] for name in sorted(found)}


def ask_overall(
    name: str, anchors: Sequence[Anchor], texts: Mapping[str, Sequence[str]], material: Material, instruction: str
) -> Retrieval | None:
    """Each statement asks for its own saying among those of all statements; anchors of one group answer alike."""
    asked = [anchor for anchor in anchors if anchor.caption and texts.get(anchor.anchor_id)]
    if len(asked) < 2:
        return None
    of_group: dict[str, set[int]] = {}
    for anchor in asked:
        nodes = {material.add_text(text) for text in texts[anchor.anchor_id]}
        of_group.setdefault(name_block(anchor), set()).update(nodes)
    documents = np.array(sorted(set().union(*of_group.values())), dtype=np.int64)
    right = {group: np.searchsorted(documents, np.array(sorted(own))) for group, own in of_group.items()}
    blocks = tuple(name_block(anchor) for anchor in asked)
    return Retrieval(
        name,
        tuple(anchor.anchor_id for anchor in asked),
        ("",) * len(asked),
        blocks,
        tuple(list_recalls([""])),
        np.array([material.add_text(instruction + (anchor.caption or "")) for anchor in asked], dtype=np.int64),
        documents,
        tuple(right[group] for group in blocks),
    )


def ask_among_statements(
    family: str, anchors: Sequence[Anchor], sayings: Sayings, rows: Rows, material: Material, instruction: str
) -> Choices | None:
    """Each statement: is its first other saying nearer than all of its hard negatives of the family?"""
    negatives = rows.contrasts(family, "negative", "text")
    maker = ChoiceMaker()
    for anchor in anchors:
        right = next((own[anchor.anchor_id][0] for own in sayings.values() if own.get(anchor.anchor_id)), None)
        wrong = [each.text for each in negatives.get(anchor.anchor_id, ()) if each.text]
        if right and wrong and anchor.caption:
            asked = material.add_text(instruction + anchor.caption)
            question = (asked, [material.add_text(right)], [material.add_text(text) for text in wrong])
            maker.add(anchor.anchor_id, family, name_block(anchor), [question])
    return maker.finish(f"{family}: statement to text", list_figures([family])) if maker.items else None
