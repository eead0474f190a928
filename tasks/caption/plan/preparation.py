"""The preparation ``caption.plan``: what is exchanged in which caption, decided over all of the run.

Its parts parse the captions of a shard of anchors. Its last step counts how the source uses words, finds which words
can become which, balances types and exchanges, and writes for each anchor and family what its maker tries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import pyarrow as pa

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.caption.concreteness import Ratings, is_expression
from counterfoil.tasks.caption.plan.planner import IMAGINED, Corpus, Planner, Proposal
from counterfoil.tasks.caption.plan.slots import Slot, find_slots, pack, unpack
from counterfoil.tasks.caption.plan.usage import Usage
from counterfoil.tasks.caption.scenes.language.write import write_captions
from counterfoil.tasks.caption.scenes.sample import sample_scene
from counterfoil.tasks.caption.settings import PLAN_KEYS, CaptionSettings
from counterfoil.tasks.caption.words.lexicon import open_lexicon
from counterfoil.tasks.caption.words.parse import parse
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.prepare import Part, Preparation, Prepared

Kind = Literal["concrete", "asked", "mask", "swap"]
ENOUGH = 400
"""Scenes whose captions show well enough which word goes where."""

_SLOT = pa.struct(
    [("first", pa.int32()), ("last", pa.int32())]
    + [(name, pa.string()) for name in ("type", "lemma", "part", "tag", "left", "right", "count")]
    + [("listed", pa.bool_()), ("several", pa.bool_())]
)
_PART = pa.schema([("anchor_id", pa.string()), ("captions", pa.list_(pa.list_(_SLOT)))])
_PROPOSAL = pa.struct(
    [("caption", pa.int32()), ("slot", _SLOT), ("lemma", pa.string()), ("rating", pa.float64()), ("other", _SLOT)]
)
_PLAN = pa.schema([("anchor_id", pa.string()), ("kind", pa.string()), ("proposals", pa.list_(_PROPOSAL))])


class Proposals:
    """The proposals of all anchors, read-only."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        names = zip(table["anchor_id"].to_pylist(), table["kind"].to_pylist(), strict=True)
        self._rows = {pair: row for row, pair in enumerate(names)}

    def get(self, anchor_id: str, kind: Kind) -> list[Proposal]:
        """What is tried for an anchor, in order."""
        row = self._rows.get((anchor_id, kind))
        if row is None:
            return []
        return [
            Proposal(
                each["caption"],
                unpack(each["slot"]),
                each["lemma"],
                each["rating"],
                unpack(each["other"]) if each["other"] else None,
            )
            for each in self._table["proposals"][row].as_py()
        ]


def make_part(number: int, anchors: Sequence[Anchor], context: Context[CaptionSettings]) -> pa.Table:
    """The slots of all captions of the anchors; of one that is said twice none the second time."""
    del number
    settings = context.settings
    lexicon, ratings = open_lexicon(settings.wordnet), Ratings(settings.norms, visual=False)
    texts = [caption for anchor in anchors for caption in anchor.captions]
    slots = (find_slots(s, lambda words: is_expression(words, ratings, lexicon)) for s in parse(texts, settings.parser))
    rows = []
    for anchor in anchors:
        found = [list(pack(next(slots))) for _ in anchor.captions]
        captions = [
            each if anchor.captions.index(text) == i else []
            for i, (text, each) in enumerate(zip(anchor.captions, found, strict=True))
        ]
        rows.append({"anchor_id": anchor.anchor_id, "captions": captions})
    return pa.Table.from_pylist(rows, _PART)


def gather(parts: Sequence[Part], context: Context[CaptionSettings]) -> pa.Table:
    """The proposals of every anchor and kind, in the order of the anchors' ids."""
    corpus = dict(sorted(_read(parts)))
    corpus |= _imagine(len(corpus), context)
    usage = Usage()
    for captions in corpus.values():
        usage.add(captions)
    planner = Planner(corpus, usage, context)
    rows = [
        {"anchor_id": anchor, "kind": kind, "proposals": [_pack(proposal) for proposal in proposals]}
        for kind, planned in (
            ("concrete", planner.plan_concrete()),
            ("asked", planner.plan_asked()),
            ("mask", planner.plan_mask()),
            ("swap", planner.plan_swap()),
        )
        for anchor, proposals in planned.items()
        if not anchor.startswith(IMAGINED)
    ]
    return pa.Table.from_pylist(rows, _PLAN)


def _imagine(count: int, context: Context[CaptionSettings]) -> Corpus:
    """Captions of further scenes, where the run's own are too few to show how scenes are spoken of."""
    settings = context.settings
    if not settings.source.startswith("procedural:"):
        return {}
    lexicon, ratings = open_lexicon(settings.wordnet), Ratings(settings.norms, visual=False)
    written = []
    for i in range(max(0, ENOUGH - count)):
        scene = sample_scene(generator(context.seed, "caption.imagined", i))
        written.append(write_captions(scene, generator(context.seed, "caption.imagined.words", i), 2))
    parsed = parse((caption for captions in written for caption in captions), settings.parser)
    slots = (find_slots(s, lambda words: is_expression(words, ratings, lexicon)) for s in parsed)
    return {f"{IMAGINED}{i:04d}": [next(slots) for _ in captions] for i, captions in enumerate(written)}


def _read(parts: Sequence[Part]) -> Iterator[tuple[str, list[list[Slot]]]]:
    for part in parts:
        for row in part.read().to_pylist():
            yield row["anchor_id"], [[unpack(slot) for slot in slots] for slots in row["captions"]]


def _pack(proposal: Proposal) -> dict[str, Any]:
    slots = [proposal.slot, *([proposal.other] if proposal.other else [])]
    packed = list(pack(slots))
    other = packed[1] if proposal.other else None
    return {
        "caption": proposal.caption,
        "slot": packed[0],
        "lemma": proposal.lemma,
        "rating": proposal.rating,
        "other": other,
    }


def _open(prepared: Prepared, context: Context[CaptionSettings]) -> Proposals:
    del context
    assert prepared.gathered is not None
    return Proposals(prepared.gathered)


PLAN: Preparation[CaptionSettings, Proposals] = Preparation(
    name="caption.plan", make=make_part, open=_open, gather=gather, uses=(*PLAN_KEYS, "source"), version=13
)
