"""The stages of a refinement: rows are seen shard by shard, the telling ones chosen over all, and each shard sifted.

First the spare ones go, of families that make more than is wanted (`tasks.tells.spare`); then, where the recipe asks
for it, what judges still tell (`counterfoil.tasks.tells.refine`).

Choosing needs all rows of a family, so it is one job over what the first stage saw; the pictures themselves are read
only shard by shard. A sifted shard holds the contrasts that stay, and the others among its rejects, ranks as they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.rows import Anchor, Contrast, Reject, fingerprint
from counterfoil.storage.schemas import from_table, to_table
from counterfoil.storage.spilling import SpilledRows
from counterfoil.storage.staged import StagedShard
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.contract.quotas import Quota
from counterfoil.tasks.contract.settings import DomainSettings
from counterfoil.tasks.engine.stopping import check_stop
from counterfoil.tasks.tells.compare import (
    FEWEST_BLOCKS,
    PICTURE,
    Shown,
    compare,
    find_world,
    list_keys,
    name_row,
    show_anchor,
    show_beside,
    show_contrast,
)
from counterfoil.tasks.tells.judges import judge_ngrams, judge_numbers
from counterfoil.tasks.tells.pictures import see_picture
from counterfoil.tasks.tells.refine import TELL, Side, choose_dropped
from counterfoil.tasks.tells.spare import choose_first, choose_spare, measure_likelihoods
from counterfoil.tasks.tells.wording import list_ngrams, measure_text

VERSION = 11
"""Bump when refinement would choose other rows."""
SEEN, CHOSEN = "seen", "chosen"
SPARE = f"{TELL}: spare: blind judges recognise the others of its anchor less"
BLOCK = 50_000
"""Rows, anchors' own texts among them, from which spare ones are chosen together: some half a gigabyte."""
_DIGITS = 6
_SEEN_SCHEMA = pa.schema(
    [
        ("anchor_id", pa.string()),
        ("row_id", pa.string()),
        ("family", pa.string()),
        ("modality", pa.string()),
        ("kind", pa.string()),
        ("rank", pa.int64()),
        ("text", pa.string()),
        ("numbers", pa.list_(pa.float64())),
        ("keys", pa.list_(pa.string())),
        ("changes", pa.list_(pa.string())),
        ("world", pa.string()),
    ]
)
_CHOSEN_SCHEMA = pa.schema([("row_id", pa.string()), ("reason", pa.string())])


def count_wanted(group: Sequence[Family[Any]], settings: DomainSettings, author: Mapping[str, Any]) -> int | None:
    """How many contrasts of each anchor stay in families that are made together; None where none is spare."""
    by_model = author.get("kind", "procedural") != "procedural" and group[0].make_llm is not None
    spare = any(family.spare(settings) for family in group)
    return group[0].count(settings) if spare and not by_model else None


def list_fluency(group: Sequence[Family[Any]], settings: DomainSettings) -> tuple[str, ...]:
    """The language models that have a say in which spare texts stay."""
    return tuple(group[0].fluency(settings))


def list_quotas(group: Sequence[Family[Any]], settings: DomainSettings) -> tuple[Quota, ...]:
    """What shares of what changes the contrasts keep that stay."""
    return tuple(group[0].quotas(settings))


def fingerprint_seen(families: Sequence[str], contrasts: str, pictures: bool) -> str:
    """Fingerprint of what judges see of the staged ``contrasts`` and their anchors."""
    return fingerprint("seen", VERSION, list(families), contrasts, pictures)


def fingerprint_chosen(
    seed: int,
    seen: Sequence[str],
    wanted: int | None,
    refine: bool,
    quotas: Sequence[Quota] = (),
    fluency: Sequence[str] = (),
) -> str:
    """Fingerprint of the rows that are dropped, chosen over all that was ``seen``."""
    listed = [asdict(quota) for quota in quotas]
    return fingerprint("chosen", VERSION, seed, list(seen), wanted, refine, listed, *([[*fluency]] if fluency else []))


def fingerprint_sifted(contrasts: str, chosen: str) -> str:
    """Fingerprint of the staged ``contrasts`` without what was ``chosen``."""
    return fingerprint("sifted", VERSION, contrasts, chosen)


def see_rows(
    anchors: Sequence[Anchor],
    contrasts: Sequence[Contrast],
    progress: Callable[[int], None] = lambda _: None,
    *,
    pictures: bool = True,
) -> pa.Table:
    """What one shard's anchors and negatives show: texts, and what is measured of pictures where these are asked for.

    Raises:
        counterfoil.tasks.engine.stopping.StoppedError: the run was told to stop.
    """
    against: dict[str, list[Contrast]] = {}
    for contrast in contrasts:
        if contrast.role == "negative":
            against.setdefault(contrast.anchor_id, []).append(contrast)
    rows: list[dict[str, Any]] = []
    for anchor in anchors:
        check_stop()
        own = against.get(anchor.anchor_id, [])
        for modality in sorted({each.modality for each in own}):
            keys = list_keys(anchor)
            rows += [_describe_shown(each, "", modality, keys, pictures) for each in show_anchor(anchor, modality)]
        # What a row itself says it is judged with, in the anchor's place.
        rows += [_describe_shown(shown, "", each.modality, [], pictures) for each in own for shown in show_beside(each)]
        rows += [
            _describe_shown(shown, each.family, each.modality, [], pictures)
            | {"changes": [*(each.changes or ())], "world": find_world(each)}
            for each in own
            for shown in show_contrast(each)
        ]
        progress(1)
    return pa.Table.from_pylist(rows, _SEEN_SCHEMA)


def _describe_shown(shown: Shown, family: str, modality: str, keys: Sequence[str], pictures: bool) -> dict[str, Any]:
    numbers = see_picture(shown.picture).numbers.round(_DIGITS).tolist() if shown.picture and pictures else None
    return {
        "anchor_id": shown.anchor_id,
        "row_id": shown.row_id,
        "family": family,
        "modality": modality,
        "kind": shown.kind,
        "rank": shown.rank,
        "text": shown.text,
        "numbers": numbers,
        "keys": keys,
    }


def choose_rows(
    seen: Iterable[pa.Table],
    seed: int,
    *,
    wanted: int | None = None,
    refine: bool = True,
    quotas: Sequence[Quota] = (),
    fluency: Sequence[str] = (),
) -> pa.Table:
    """Which contrasts go, over all shards of families that are made together, and why each goes.

    Beyond ``wanted`` of an anchor those that tell most; with ``refine`` also what judges still tell of the rest.
    """
    tables = list(seen) if refine else seen
    chosen: dict[str, str] = {}
    if wanted is not None:
        with SpilledRows(held_rows=BLOCK) as held:
            for table in tables:
                held.add(table)
            for block in held.blocks(BLOCK):
                chosen |= _list_spare(block.to_pylist(), wanted, seed, quotas, fluency)
    rows = [row for table in tables for row in table.to_pylist()] if refine else []
    keys = {row["anchor_id"]: row["keys"] for row in rows if row["keys"]}
    sides = []
    for family, modality in _list_sides(rows) if refine else ():
        shown = [_read(row) for row in rows if row["modality"] == modality and row["family"] in ("", family)]
        kept = [each for each in shown if name_row(each) not in chosen]
        side = _find_side(family, kept, keys, seed)
        sides += [side] if side is not None else []
    chosen |= choose_dropped(sides)
    return pa.Table.from_pylist(
        [{"row_id": row_id, "reason": chosen[row_id]} for row_id in sorted(chosen)], _CHOSEN_SCHEMA
    )


def _list_sides(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    return sorted({(row["family"], row["modality"]) for row in rows if row["family"]})


def _list_spare(
    rows: Sequence[Mapping[str, Any]], wanted: int, seed: int, quotas: Sequence[Quota], fluency: Sequence[str]
) -> dict[str, str]:
    """Row id of each contrast that is not wanted, to its reason.

    Chosen by the texts of the first family that has some; by rank alone where none has. What was made together goes
    together.
    """
    places: dict[tuple[str, int], list[str]] = {}
    for row in sorted((row for row in rows if row["family"]), key=lambda row: str(row["family"])):
        places.setdefault((row["anchor_id"], row["rank"]), []).append(row["row_id"])
    place_of = {row_id: place for place, ids in places.items() for row_id in ids}
    spare = _choose_texts(rows, wanted, seed, quotas, fluency)
    if spare is None:
        ranks: dict[str, list[tuple[int, str]]] = {}
        for (anchor_id, rank), ids in places.items():
            ranks.setdefault(anchor_id, []).append((rank, ids[0]))
        spare = choose_first(ranks, wanted)
    return {row_id: SPARE for each in spare for row_id in places[place_of[each]]}


def _choose_texts(
    rows: Sequence[Mapping[str, Any]], wanted: int, seed: int, quotas: Sequence[Quota], fluency: Sequence[str]
) -> set[str] | None:
    keys = {row["anchor_id"]: row["keys"] for row in rows if row["keys"]}
    for family, modality in _list_sides(rows):
        if modality == "text":
            shown = [_read(row) for row in rows if row["modality"] == modality and row["family"] in ("", family)]
            comparison = compare(shown, keys, seed)
            changes = {row["row_id"]: row["changes"] or () for row in rows if row["family"] == family}
            if comparison is None:
                return None
            likely = [measure_likelihoods(name, comparison) for name in fluency]
            worlds = {row["row_id"]: row["world"] or "" for row in rows if row["family"] == family}
            return choose_spare(comparison, wanted, changes, quotas, likely, worlds)
    return None


def _read(row: Mapping[str, Any]) -> Shown:
    numbers = np.array(row["numbers"]) if row["numbers"] is not None else None
    return Shown(row["anchor_id"], row["row_id"], row["kind"], row["rank"], row["text"], numbers=numbers)


def _find_side(family: str, shown: Sequence[Shown], keys: Mapping[str, Sequence[str]], seed: int) -> Side | None:
    """A family's negatives and their judges; None where there are too few source rows to learn from."""
    comparison = compare(shown, keys, seed)
    if comparison is None or len(np.unique(comparison.items.blocks)) < FEWEST_BLOCKS:
        return None
    if comparison.beside == PICTURE:
        numbers = np.stack([row.numbers for row in comparison.rows if row.numbers is not None])
        return Side(family, comparison, (judge_numbers(numbers),))
    texts = [row.text for row in comparison.rows]
    words = judge_ngrams([list_ngrams(text) for text in texts])
    return Side(family, comparison, (words, judge_numbers(np.stack([measure_text(text) for text in texts]))))


@dataclass(frozen=True)
class Sifted:
    """A shard without its telling rows: its tables, and how many rows of each family are there and went."""

    tables: Mapping[str, pa.Table]
    accepted: Mapping[str, int]
    dropped: Mapping[str, int]


def sift_shard(families: Sequence[str], contrasts: StagedShard, anchors: pa.Table, chosen: pa.Table) -> Sifted:
    """Take the chosen rows out of the shard's contrasts and put them among its rejects.

    ``anchors`` are their columns anchor_id, source and source_id.
    """
    reasons = dict(zip(chosen["row_id"].to_pylist(), chosen["reason"].to_pylist(), strict=True))
    sources = {row["anchor_id"]: row for row in anchors.to_pylist()}
    tables: dict[str, pa.Table] = {}
    accepted: dict[str, int] = {}
    dropped: Counter[str] = Counter()
    for family in families:
        key, refused = f"contrasts/family={family}", f"rejects/family={family}"
        table = contrasts.read(key)
        # Typed, as a shard may have no row of the family.
        stays = pa.array([row_id not in reasons for row_id in table["contrast_id"].to_pylist()], pa.bool_())
        tables[key] = table.filter(stays)
        accepted[family] = len(tables[key])
        gone = from_table(table.filter(pc.invert(stays)), "contrasts")
        rejects = [_reject(each, reasons[each.contrast_id], sources[each.anchor_id]) for each in gone]
        dropped[family] = len(rejects)
        before = [contrasts.read(refused)] if refused in contrasts.files else []
        if before or rejects:
            tables[refused] = pa.concat_tables([*before, to_table(rejects, "rejects")])
    return Sifted(tables, accepted, dropped)


def _reject(contrast: Contrast, reason: str, source: Mapping[str, str]) -> Reject:
    return Reject(
        contrast.family,
        (reason,),
        source=source["source"],
        source_id=source["source_id"],
        anchor_id=contrast.anchor_id,
        contrast=contrast,
        provenance=contrast.provenance,
    )
