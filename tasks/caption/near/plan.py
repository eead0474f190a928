"""Which near misses a run makes, chosen over all of its captions before any is made.

A part lists the near misses of its pictures and what each changes. The last step counts the run's captions, learns of
their halves how a judge's preference is foretold, and chooses, a thousand pictures at a time, each block in balance by
itself: memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from counterfoil.storage.rows import Anchor, Edit
from counterfoil.storage.spilling import SpilledRows
from counterfoil.tasks.caption.checks import is_scene
from counterfoil.tasks.caption.near.balance import Balance, Sample, find_balance, name_kind, thin
from counterfoil.tasks.caption.near.choose import KINDS, Aim, Pool, choose_near
from counterfoil.tasks.caption.near.flows import measure_flow
from counterfoil.tasks.caption.near.miss import Miss
from counterfoil.tasks.caption.near.misses import list_misses
from counterfoil.tasks.caption.near.ties import Ties, list_said, list_ties
from counterfoil.tasks.caption.near.usual import Beside, Usual, find_change, read_words
from counterfoil.tasks.caption.settings import WORD_KEYS, CaptionSettings
from counterfoil.tasks.caption.words.parse import parse_one
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.prepare import Part, Preparation, Prepared
from counterfoil.tasks.contract.wording import list_captions

ENOUGH = 30_000
"""Captions that are counted at most: those of the pictures with the lowest hash."""
BLOCK = 1000
"""Pictures that are brought into balance together: some 300,000 near misses, 200 MB."""
_JUDGED = 200
"""Pictures of which near misses are judged by the others' captions."""
_SAMPLED = 12
"""Near misses of a kind and caption that are judged."""
_ASKED = 5
"""Near misses of a kind and caption that a language model is asked of."""
_ODD = ("replace_obj", "add_obj")
_PART = pa.schema(
    [
        ("anchor_id", pa.string()),
        ("captions", pa.list_(pa.string())),
        ("caption", pa.list_(pa.int32())),
        ("kind", pa.list_(pa.int8())),
        ("text", pa.list_(pa.string())),
        ("place", pa.list_(pa.list_(pa.int16()))),
        ("edit", pa.list_(pa.list_(pa.string()))),
        ("features", pa.list_(pa.list_(pa.uint32()))),
        ("amounts", pa.list_(pa.list_(pa.int16()))),
        ("ties", pa.list_(pa.list_(pa.string()))),
        ("said", pa.list_(pa.list_(pa.string()))),
    ]
)
"""A picture's captions and near misses; `near.ties` of the noun that gives way, and of all nouns of each caption."""
_PLAN = pa.schema(
    [
        ("anchor_id", pa.string()),
        ("caption", pa.list_(pa.int32())),
        ("kind", pa.list_(pa.int8())),
        ("text", pa.list_(pa.string())),
        ("edit", pa.list_(pa.list_(pa.string()))),
    ]
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A near miss that is made, or may be."""

    caption: int
    kind: str
    """`near.balance.name_kind` of it."""
    text: str
    edit: Edit


class Plan:
    """What was chosen of all pictures' near misses, read-only."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._rows = {anchor_id: row for row, anchor_id in enumerate(table["anchor_id"].to_pylist())}

    def list_chosen(self, anchor_id: str) -> list[Chosen]:
        """Those of one picture, by its captions in order."""
        if anchor_id not in self._rows:
            return []
        row = self._table.slice(self._rows[anchor_id], 1).to_pylist()[0]
        columns = row["caption"], row["kind"], row["text"], row["edit"]
        return [Chosen(at, KINDS[kind], text, Edit(*edit)) for at, kind, text, edit in zip(*columns, strict=True)]


def _make_part(number: int, anchors: Sequence[Anchor], context: Context[CaptionSettings]) -> pa.Table:
    del number
    rows = [_list_row(anchor, context.settings) for anchor in anchors if not is_scene(anchor)]
    return pa.Table.from_pylist(rows, _PART)


def _list_row(anchor: Anchor, settings: CaptionSettings) -> dict[str, object]:
    captions = list_captions(anchor)
    words = [read_words(caption) for caption in captions]
    sentences = [parse_one(caption, settings.parser) for caption in captions]
    ties: dict[tuple[int, int], list[str]] = {}
    groups: dict[tuple[int, int], list[Miss]] = {}
    for miss in list_misses(anchor, settings):
        groups.setdefault((miss.caption, KINDS.index(name_kind(miss))), []).append(miss)
    kept = [(place, own[i]) for place, own in sorted(groups.items()) for i in thin(range(len(own)))]
    for place in {(miss.caption, miss.noun) for _, miss in kept}:
        ties[place] = [*list_ties(sentences[place[0]], place[1])] if place[1] >= 0 else []
    changes = [measure_flow(words[miss.caption], read_words(miss.text)) for _, miss in kept]
    return {
        "anchor_id": anchor.anchor_id,
        "captions": captions,
        "caption": [caption for (caption, _), _ in kept],
        "kind": [kind for (_, kind), _ in kept],
        "text": [miss.text for _, miss in kept],
        "place": [find_change(words[miss.caption], read_words(miss.text))[:2] for _, miss in kept],
        "edit": [[miss.edit.kind, miss.edit.target, miss.edit.replacement] for _, miss in kept],
        "features": [features for features, _ in changes],
        "amounts": [amounts for _, amounts in changes],
        "ties": [ties[miss.caption, miss.noun] for _, miss in kept],
        "said": [[*list_said(sentence)] for sentence in sentences],
    }


class _Judges:
    """The run's own captions, and what each half of its pictures says of the other's."""

    def __init__(self, pictures: Sequence[tuple[str, Sequence[str]]], wordnet: str | None) -> None:
        """``pictures``: ids and captions."""
        self._half = {anchor_id: i % 2 for i, (anchor_id, _) in enumerate(pictures)}
        texts = [[text for _, own in pictures[half::2] for text in own] for half in (0, 1)]
        self._all = Usual([*texts[0], *texts[1]], wordnet)
        self._halves = [Usual(own, wordnet) for own in texts]
        self._others = [half.begin(()) for half in self._halves]

    def begin(self, anchor_id: str, captions: Sequence[str], *, half: bool = False) -> Beside:
        """What the run says beside these captions, or their half of it."""
        own = self._half.get(anchor_id)
        known = self._halves[own] if half and own is not None else self._all
        return known.begin(captions if own is not None else ())

    def prefers(self, anchor_id: str, caption: str, near: str) -> bool:
        """Whether the other half finds the caption likelier."""
        other = self._others[1 - self._half.get(anchor_id, 0)]
        return other.compare(read_words(caption), read_words(near)) < 0


def _gather(parts: Sequence[Part], context: Context[CaptionSettings]) -> pa.Table:
    settings = context.settings
    found = [row for part in parts for row in part.read(["anchor_id", "captions", "said"]).to_pylist()]
    found.sort(key=lambda row: (crc32("\n".join(row["captions"]).encode()), row["anchor_id"]))
    ends = np.cumsum([len(row["captions"]) for row in found])
    counted = [
        (row["anchor_id"], row["captions"]) for row, end in zip(found, ends.tolist(), strict=True) if end <= ENOUGH
    ]
    judges = _Judges(counted, settings.wordnet)
    ties = Ties((own for row in found[: len(counted)] for own in row["said"]), settings.wordnet)
    plan = [_PLAN.empty_table()]
    judged = {anchor_id for anchor_id, _ in counted[:_JUDGED]} if settings.preferred < 1 else set()
    with SpilledRows(held_rows=BLOCK) as rows:
        sampled = []
        for part in parts:
            table = part.read()
            rows.add(table)
            sampled.append(
                table.filter(pa.array([each in judged for each in table["anchor_id"].to_pylist()], pa.bool_()))
            )
        samples = [sample for table in sampled for sample in _judge(table, judges)]
        balance = find_balance(samples)
        for block in rows.blocks(BLOCK):
            plan.append(_choose(block.sort_by("anchor_id").combine_chunks(), judges, ties, balance, context))
    return pa.concat_tables(plan)


def _judge(table: pa.Table, judges: _Judges) -> Iterator[Sample]:
    """Near misses, each half's seen by its own model and judged by the other's."""
    for row in table.select(["anchor_id", "captions", "caption", "kind", "text"]).to_pylist():
        anchor_id, captions = row["anchor_id"], row["captions"]
        beside = judges.begin(anchor_id, captions, half=True)
        words = [read_words(caption) for caption in captions]
        groups: dict[tuple[int, int], list[str]] = {}
        for caption, kind, text in zip(row["caption"], row["kind"], row["text"], strict=True):
            groups.setdefault((caption, kind), []).append(text)
        for (caption, kind), texts in groups.items():
            for text in (texts[i] for i in thin(range(len(texts)), _SAMPLED)):
                seen = beside.see(words[caption], read_words(text))
                yield Sample(KINDS[kind], seen, judges.prefers(anchor_id, captions[caption], text))


def _choose(
    block: pa.Table, judges: _Judges, ties: Ties, balance: Balance, context: Context[CaptionSettings]
) -> pa.Table:
    """The plan of some pictures."""
    settings = context.settings
    rows = block.select(["anchor_id", "captions", "caption", "kind", "text", "place", "edit", "ties"]).to_pylist()
    found = [*_list_offers(rows, judges, ties, balance)]
    offers = [each for own in found for each in own]
    pool = Pool(
        [*pairwise(np.cumsum([0, *map(len, found)]).tolist())],
        np.array([rows[each.row]["kind"][each.place] for each in offers], np.int64),
        np.array([each.share for each in offers]),
        np.array([rows[each.row]["place"][each.place] for each in offers], np.int64).reshape(-1, 2),
        *_read_flows(block, np.array([each.of_all for each in offers], np.int64)),
    )

    def told(place: int) -> bool:
        own, i = rows[offers[place].row], offers[place].place
        return judges.prefers(own["anchor_id"], own["captions"][own["caption"][i]], own["text"][i])

    aim = Aim(settings.each, settings.preferred, settings.balanced, settings.even)
    rng = generator(context.seed, "caption.plan", rows[0]["anchor_id"] if rows else "")
    chosen = choose_near(pool, aim, told, rng, _ASKED if settings.fluency else 0)
    made: list[list[int]] = [[] for _ in rows]
    for each in (offers[place] for own in chosen for place in own):
        made[each.row].append(each.place)
    return pa.Table.from_pylist(
        [
            {
                "anchor_id": row["anchor_id"],
                **{name: [row[name][i] for i in own] for name in ("caption", "kind", "text", "edit")},
            }
            for row, own in zip(rows, made, strict=True)
        ],
        _PLAN,
    )


@dataclass(frozen=True, slots=True)
class _Offer:
    """A near miss that may be made: the row of its picture, its place there and among all of the block."""

    row: int
    place: int
    of_all: int
    share: float
    """How likely a judge prefers the caption."""


def _list_offers(
    rows: Sequence[dict[str, Any]], judges: _Judges, ties: Ties, balance: Balance
) -> Iterator[list[_Offer]]:
    """Those of each caption that has any."""
    before = 0
    for number, row in enumerate(rows):
        beside = judges.begin(row["anchor_id"], row["captions"])
        words = [read_words(caption) for caption in row["captions"]]
        found: list[list[_Offer]] = [[] for _ in words]
        for i, (caption, kind, text) in enumerate(zip(row["caption"], row["kind"], row["text"], strict=True)):
            old, new, name = words[caption], read_words(text), KINDS[kind]
            if name in _ODD and beside.is_odd(old, new, name == "add_obj"):
                continue
            if row["ties"][i] and ties.is_odd(row["ties"][i], row["edit"][i][2]):
                continue
            found[caption].append(_Offer(number, i, before + i, balance.foretell(name, beside.see(old, new))))
        before += len(row["text"])
        yield from filter(None, found)


def _read_flows(block: pa.Table, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the near misses at these places of all change: features numbered from 0, amounts, and where each ends."""
    features, amounts = (block[name].combine_chunks().values for name in ("features", "amounts"))
    at = features.offsets.to_numpy().astype(np.int64)
    entries = np.concatenate([np.zeros(0, np.int64), *(np.arange(at[i], at[i + 1]) for i in places.tolist())])
    _, numbers = np.unique(features.values.to_numpy()[entries], return_inverse=True)
    ends = np.cumsum([0, *(at[places + 1] - at[places]).tolist()])
    return numbers, amounts.values.to_numpy()[entries].astype(np.int64), ends


def _open(prepared: Prepared, context: Context[CaptionSettings]) -> Plan:
    del context
    assert prepared.gathered is not None
    return Plan(prepared.gathered)


PLAN: Preparation[CaptionSettings, Plan] = Preparation(
    name="caption.near_plan",
    version=6,
    make=_make_part,
    open=_open,
    gather=_gather,
    uses=("source", *WORD_KEYS),
    gather_uses=("balanced", "each", "even", "fluency", "preferred"),
)
