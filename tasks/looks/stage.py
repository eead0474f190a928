"""The check by looking as a stage: a model that sees compares some of a family's rows with their anchors.

Of each shard and family the rows with the least hashes are taken. Each is turned into one pair of a picture and a
caption, with even chance a pair that should agree or one that should not, and the model is told nothing else. What it
says is staged by itself, enters no row, and is summed up beside the run's counts.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from counterfoil.storage.rows import Anchor, Contrast, content_id, fingerprint
from counterfoil.storage.schemas import from_table
from counterfoil.storage.staged import StagedShard
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.llm.errors import NOT_ASKED
from counterfoil.tasks.looks.ask import PROMPT, Look, Pair, compare_looks, look_at

VERSION = 1
"""Bump when this module changes what is asked."""

SCHEMA = pa.schema(
    [
        ("row_id", pa.string()),
        ("family", pa.string()),
        ("expected", pa.bool_()),
        ("agrees", pa.bool_()),
        ("disagreement", pa.string()),
    ]
)
COUNTS = ("pairs", "answered", "agreed", "missed", "doubted")


def fingerprint_looks(families: Sequence[str], look: Mapping[str, Any], seed: int, contrasts: str) -> str:
    """Fingerprint of what the model ``look`` says of the staged ``contrasts``."""
    from counterfoil.prompts import load_prompt

    return fingerprint("looks", VERSION, list(families), dict(look), load_prompt(PROMPT).sha256, seed, contrasts)


def choose_pairs(contrasts: Sequence[Contrast], anchors: Mapping[str, Anchor], rows: int, seed: int) -> list[Pair]:
    """At most ``rows`` pairs, one per contrast; rows without a picture or caption to compare are not asked about."""
    pairs = filter(None, (_pair(contrast, anchors[contrast.anchor_id], seed) for contrast in contrasts))
    return heapq.nsmallest(rows, pairs, key=lambda pair: content_id("look", seed, pair.row_id))


def _pair(contrast: Contrast, anchor: Anchor, seed: int) -> Pair | None:
    picture, caption, agrees = anchor.image, anchor.caption, True
    own = contrast.text if contrast.modality == "image" else None
    if contrast.role == "positive" or generator(seed, "look", contrast.contrast_id).integers(2):
        agrees = contrast.role == "positive"
        picture, caption = (contrast.image, caption) if contrast.modality == "image" else (picture, contrast.text)
    elif own:
        picture, caption = contrast.image, own
    if picture is None or not caption:
        return None
    return Pair(contrast.contrast_id, contrast.family, picture.bytes, caption, agrees)


def run_looks(
    group: Sequence[Family[Any]], upstream: StagedShard, contrasts: StagedShard, rows: int, context: Context[Any]
) -> tuple[dict[str, pa.Table], dict[str, Any]]:
    """Ask about the rows of one shard of each of ``group``'s families that has a prompt for it.

    Raises:
        AuthorError: the model cannot be asked, or the budget is spent.
    """
    stored = from_table(upstream.read(f"anchors/domain={group[0].name.partition('.')[0]}"), "anchors")
    anchors = {anchor.anchor_id: anchor for anchor in stored}
    pairs: list[Pair] = []
    for family in group:
        made = from_table(contrasts.read(f"contrasts/family={family.name}"), "contrasts")
        pairs += choose_pairs(made, anchors, rows, context.seed) if family.looked_at else []
    assert context.llm is not None
    looks = look_at(context.llm, pairs)
    table = pa.Table.from_pylist([{name: getattr(look, name) for name in SCHEMA.names} for look in looks], SCHEMA)
    meta: dict[str, Any] = {"rows_in": len(anchors), "accepted": {}, "rejected": {}, "looks": _count(looks)}
    unasked = [look.row_id for look in looks if look.agrees is None and look.disagreement.startswith(f"{NOT_ASKED}:")]
    return {"looks": table}, meta | ({"unasked": unasked} if unasked else {})


def _count(looks: Iterable[Look]) -> dict[str, dict[str, int]]:
    return {each.family: {name: getattr(each, name) for name in COUNTS} for each in compare_looks(looks)}


def sum_looks(counted: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    """The counts of several shards together, by family."""
    sums: dict[str, Counter[str]] = {}
    for shard in counted:
        for family, counts in shard.items():
            sums.setdefault(family, Counter()).update(counts)
    return {family: {name: sums[family][name] for name in COUNTS} for family in sorted(sums)}
