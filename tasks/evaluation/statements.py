"""Statements without pictures: each asks for what says the same, among all others and among its hard negatives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.evaluation.among import list_beaten, list_figures, split_by_change
from counterfoil.tasks.evaluation.dataset import Rows, name_block
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.pairs import list_recalls
from counterfoil.tasks.evaluation.tasks import ChoiceMaker, Choices, Retrieval

Texts = Mapping[str, Sequence[str]]
"""Anchor to texts."""
Sayings = Mapping[str, Texts]
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


STATEMENT = "statement"
"""How an anchor's caption is called where it asks or is asked for."""


def list_directions(anchors: Sequence[Anchor], sayings: Sayings) -> Iterator[tuple[str, dict[str, str], Texts]]:
    """Name, what asks and what is asked for: statements for every other saying of theirs.

    Where they have three views or more, every view also asks for each other: with an informal statement, its Lean
    signature and its Lean type these are the six directions of MELD Tables 6 to 11.
    """
    views = {view.name for anchor in anchors for view in anchor.views}
    captions = {anchor.anchor_id: [anchor.caption] for anchor in anchors if anchor.caption}
    found: dict[str, Texts] = {STATEMENT: captions, **sayings}
    viewed = [STATEMENT, *(name for name in sayings if name in views)]
    pairs = [(STATEMENT, name) for name in sayings]
    if len(viewed) > 2:
        pairs += [pair for pair in itertools.permutations(viewed, 2) if pair not in pairs]
    for one, other in pairs:
        first = {anchor_id: texts[0] for anchor_id, texts in found[one].items() if texts}
        yield f"{one} to {other}", first, found[other]


def ask_overall(
    name: str,
    anchors: Sequence[Anchor],
    asking: Mapping[str, str],
    texts: Texts,
    material: Material,
    instruction: str,
) -> Retrieval | None:
    """What each anchor asks with, for its own saying among those of all; anchors of one group answer alike."""
    asked = [anchor for anchor in anchors if asking.get(anchor.anchor_id) and texts.get(anchor.anchor_id)]
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
        np.array([material.add_text(instruction + asking[anchor.anchor_id]) for anchor in asked], dtype=np.int64),
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
        question = _ask(anchor, negatives.get(anchor.anchor_id, ()), sayings, material, instruction)
        if question:
            maker.add(anchor.anchor_id, family, name_block(anchor), [question])
    return maker.finish(f"{family}: statement to text", list_figures([family])) if maker.items else None


def ask_statements_by_change(
    family: str, anchors: Sequence[Anchor], sayings: Sayings, rows: Rows, material: Material, instruction: str
) -> Choices | None:
    """`counterfoil.tasks.evaluation.among.ask_by_change` for statements."""
    own = {anchor.anchor_id: anchor for anchor in anchors}
    maker = ChoiceMaker()
    for anchor_id, kind, contrasts in split_by_change(rows.contrasts(family, "negative", "text")):
        anchor = own.get(anchor_id)
        question = anchor and _ask(anchor, contrasts, sayings, material, instruction)
        if anchor and question:
            maker.add(f"{anchor_id} {kind}", kind, name_block(anchor), [question])
    return maker.finish(f"{family}: statement to text, by what changes", list_beaten(maker)) if maker.items else None


def _ask(
    anchor: Anchor, contrasts: Sequence[Contrast], sayings: Sayings, material: Material, instruction: str
) -> tuple[int, list[int], list[int]] | None:
    right = next((own[anchor.anchor_id][0] for own in sayings.values() if own.get(anchor.anchor_id)), None)
    wrong = [each.text for each in contrasts if each.text]
    if not right or not wrong or not anchor.caption:
        return None
    asked = material.add_text(instruction + anchor.caption)
    return asked, [material.add_text(right)], [material.add_text(text) for text in wrong]
