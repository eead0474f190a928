"""Preparations: which of an anchor's offers are made, chosen over the whole corpus so that none of them gives itself
away (`counterfoil.tasks.contract.choosing`): for contrasts that are dear to make and cheap to know beforehand.

A part measures what each offer to its anchors changes; the last step chooses among them, some thousand anchors at a
time, each thousand in balance by itself: memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from counterfoil.storage.rows import Anchor
from counterfoil.storage.spilling import SpilledRows
from counterfoil.tasks.contract.choosing import Bounds, Change, Edits, Limit, choose
from counterfoil.tasks.contract.context import Context, S
from counterfoil.tasks.contract.prepare import Part, Preparation, Prepared

_INTEGERS = pa.list_(pa.int64())
_PART = pa.schema(
    [
        ("anchor_id", pa.string()),
        ("features", pa.list_(_INTEGERS)),
        ("amounts", pa.list_(_INTEGERS)),
        ("sames", _INTEGERS),
        ("form", pa.string()),
        ("forms", pa.list_(pa.string())),
        ("kept", pa.list_(pa.string())),
    ]
)
_PLAN = pa.schema(
    [("anchor_id", pa.string()), ("places", pa.list_(pa.int32())), ("kept", pa.list_(pa.string()))],
)

BLOCK = 5000
"""Anchors that are brought into balance together: some 300 MB of offers."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A contrast that may be made of an anchor."""

    change: Change
    """What it shows more or less of than its anchor."""
    same: Hashable
    """Of offers with the same, one at most is made."""
    form: str = ""
    """What sort of thing it shows: none is oftener in a set than sets of such anchors can have it; "" for no sort."""
    kept: str = ""
    """What its maker wants to know of it again; left out where the maker makes its offers anew."""


@dataclass(frozen=True, slots=True)
class Offers:
    """All that an anchor is offered, always in one order, and the anchor's own form."""

    offers: Sequence[Offer]
    form: str = ""


class Plan:
    """What was chosen of the offers to all anchors, read-only."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._rows = {anchor_id: row for row, anchor_id in enumerate(table["anchor_id"].to_pylist())}

    def list_places(self, anchor_id: str) -> list[int]:
        """The positions of what was chosen among the anchor's offers, in order."""
        return self._read("places", anchor_id)

    def list_kept(self, anchor_id: str) -> list[str]:
        """What was kept of them (`Offer.kept`)."""
        return self._read("kept", anchor_id)

    def _read(self, column: str, anchor_id: str) -> list[Any]:
        row = self._rows.get(anchor_id)
        return [] if row is None else list(self._table[column][row].as_py())


def prepare_plan(
    name: str,
    list_offers: Callable[[Anchor, Context[S]], Offers],
    count: str,
    uses: tuple[str, ...],
    *,
    bounds: Bounds | None = None,
    times: int = 1,
    trim: Callable[[list[list[str]], Context[S]], list[list[str]]] | None = None,
    trim_uses: tuple[str, ...] = (),
    version: int = 1,
    survey: Callable[[Sequence[Anchor]], object] | None = None,
) -> Preparation[S, Plan]:
    """The preparation of one family. ``count`` is the key of the settings that says how many contrasts are made, empty
    where one offer is taken, and ``times`` as many are chosen; ``uses`` are the keys that decide what is offered. What
    ``survey`` says of a part's anchors is among what ``list_offers`` finds prepared, by ``name``. ``trim`` leaves out
    some of what was kept of each anchor's choice, by the keys ``trim_uses``: a quota over all."""

    def make(number: int, anchors: Sequence[Anchor], context: Context[S]) -> pa.Table:
        del number
        if survey is not None:
            context = replace(context, prepared={**context.prepared, name: survey(anchors)})
        rows = []
        for anchor in anchors:
            found = list_offers(anchor, context)
            names: dict[Hashable, int] = {}
            rows.append(
                {
                    "anchor_id": anchor.anchor_id,
                    "features": [each.change.features for each in found.offers],
                    "amounts": [each.change.amounts for each in found.offers],
                    "sames": [names.setdefault(each.same, len(names)) for each in found.offers],
                    "form": found.form,
                    "forms": [each.form for each in found.offers],
                    "kept": [each.kept for each in found.offers],
                }
            )
        return pa.Table.from_pylist(rows, _PART)

    def gather(parts: Sequence[Part], context: Context[S]) -> pa.Table:
        chosen = [_PLAN.empty_table()]
        with SpilledRows(held_rows=BLOCK) as rows:
            for part in parts:
                rows.add(part.read())
            for anchors in rows.blocks(BLOCK):
                block = anchors.sort_by("anchor_id").combine_chunks()
                most = times * getattr(context.settings, count) if count else times
                places = choose(_read_edits(block), most, bounds=bounds or Bounds())
                kept = [[said[i] for i in own] for said, own in zip(block["kept"].to_pylist(), places, strict=True)]
                kept = trim(kept, context) if trim else kept
                chosen.append(pa.table([block["anchor_id"].to_pylist(), places, kept], schema=_PLAN))
        return pa.concat_tables(chosen)

    counted = (count,) if count else ()
    return Preparation(
        name=name, make=make, open=_open, gather=gather, uses=uses, gather_uses=(*counted, *trim_uses), version=version
    )


def _open(prepared: Prepared, context: Context[S]) -> Plan:
    del context
    assert prepared.gathered is not None
    return Plan(prepared.gathered)


def _read_edits(block: pa.Table) -> list[Edits]:
    """What the anchors' offers change, without a Python object for each number."""
    features, amounts = (block[name].combine_chunks() for name in ("features", "amounts"))
    anchors, edits = features.offsets.to_numpy(), features.values.offsets.to_numpy()
    numbers, by = (lists.values.values.to_numpy() for lists in (features, amounts))
    found = []
    for begin, end, limits in zip(anchors[:-1], anchors[1:], _limit(block), strict=True):
        ends = edits[begin : end + 1].astype(np.int64)
        of_anchor = slice(ends[0], ends[-1])
        found.append(Edits(numbers[of_anchor], by[of_anchor], ends - ends[0], limits))
    return found


def _limit(block: pa.Table) -> Iterator[tuple[Limit, ...]]:
    """What no set may show oftener: one and the same, than once, since its anchor's is there once; a form, than the
    sets of anchors of that form can, since else the odd one out is the anchor."""
    own: dict[str, list[int]] = {}
    rows = block.select(["sames", "form", "forms"]).to_pylist()
    for row in rows:
        alike = {same for same, form in zip(row["sames"], row["forms"], strict=True) if form == row["form"]}
        own.setdefault(row["form"], []).append(1 + len(alike))
    usual = {form: round(sum(counts) / len(counts)) for form, counts in own.items()}
    for row in rows:
        once = Limit(np.array(row["sames"], np.int64), np.ones(len(row["sames"]), np.int64))
        names = sorted(set(row["forms"]))
        most = [max(usual.get(name, 1) - (name == row["form"]), 1) if name else _MANY for name in names]
        yield once, Limit(np.array([names.index(form) for form in row["forms"]], np.int64), np.array(most, np.int64))


_MANY = 2**31
