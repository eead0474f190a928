"""The index behind a domain's family ``retrieval``, as a preparation: vectors by shard, then neighbours over all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any

import pyarrow as pa

from counterfoil.tasks.contract.context import Context, S
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.prepare import Part, Preparation, Prepared
from counterfoil.tasks.encoders import Modality
from counterfoil.tasks.mining.gather import find_offers
from counterfoil.tasks.mining.parts import SHOWN, make_part

_HELD = 8
"""Parts that a process keeps in memory."""


@dataclass(frozen=True)
class Neighbour:
    """One candidate: whose row it is, how near it is by which rank, and what it is measured by."""

    modality: Modality
    part: int
    row: int
    rank: int
    """Among the anchor's neighbours, 0 the nearest."""
    score: float
    """Cosine with the anchor, to six decimals."""
    nearest: float
    """The greater of it and that of the candidate's `caption`: of a picture that is like the anchor's no caption is
    surely false."""
    said: int
    """Which of the candidate's captions: 0 its `caption`, n its n-th other one."""
    positive: float
    """The cosine of the anchor's furthest positive."""


@dataclass(frozen=True)
class Found:
    """What a candidate shows."""

    anchor_id: str
    caption: str | None
    code: str | None
    vector: str | None
    image: bytes | None


class Index:
    """What each anchor is offered, and what is behind the offers."""

    def __init__(self, parts: Sequence[Part], offers: pa.Table, identity: str) -> None:
        self.identity = identity
        """Of the encoder that made the vectors."""
        self._parts, self._offers = parts, offers
        self._places: dict[str, list[int]] = {}
        for place, anchor_id in enumerate(offers["anchor_id"].to_pylist()):
            self._places.setdefault(anchor_id, []).append(place)
        self._read: OrderedDict[int, list[dict[str, Any]]] = OrderedDict()

    def list_offers(self, anchor_id: str) -> list[Neighbour]:
        """The candidates of an anchor in order of preference; where texts and pictures are found, in turns."""
        kinds = []
        for place in self._places.get(anchor_id, ()):
            row = self._offers.slice(place, 1).to_pylist()[0]
            if row["flaw"] is not None:
                continue
            told = ("part", "row", "rank", "score", "nearest", "said")
            kinds.append(
                [
                    Neighbour(row["modality"], **{name: row[name][i] for name in told}, positive=row["furthest"])
                    for i in range(len(row["rank"]))
                ]
            )
        return [each for turn in zip_longest(*kinds) for each in turn if each is not None]

    def find_flaw(self, anchor_id: str) -> str | None:
        """Why an anchor is left out, where its vectors cannot be compared."""
        flaws = (self._offers["flaw"][place].as_py() for place in self._places.get(anchor_id, ()))
        return next((each for each in flaws if each is not None), None)

    def get(self, offer: Neighbour) -> Found:
        """What is offered."""
        if offer.part not in self._read:
            self._read[offer.part] = self._parts[offer.part].read([name for name, _ in SHOWN]).to_pylist()
            if len(self._read) > _HELD:
                self._read.popitem(last=False)
        row = self._read[offer.part][offer.row]
        picture = row["image"]["bytes"] if row["image"] is not None else None
        caption = row["captions"][offer.said - 1] if offer.said else row["caption"]
        return Found(row["anchor_id"], caption, row["code"], row["vector"], picture)


def open_index(prepared: Prepared, context: Context[S]) -> Index:
    """The offers, and the parts behind them."""
    del context
    assert prepared.gathered is not None
    identity = (prepared.gathered.schema.metadata or {}).get(b"encoder", b"").decode()
    return Index(prepared.parts, prepared.gathered, identity)


def make_preparation(domain: Domain[Any]) -> Preparation[Any, Index]:
    """The index of a domain's anchors."""
    return Preparation(
        f"{domain.name}.retrieval_index",
        make=partial(make_part, domain.judges),
        open=open_index,
        gather=find_offers,
        uses=("retrieval_model", "retrieval_find", "retrieval_query", "retrieval_texts"),
        networks=("retrieval_model",),
        gather_uses=(
            "retrieval_negatives",
            "retrieval_choose",
            "retrieval_ranks",
            "retrieval_a",
            "retrieval_b",
            "retrieval_even",
            "retrieval_same_row",
            "retrieval_relative",
            "retrieval_absolute",
            "retrieval_most",
        ),
        version=6,
    )
