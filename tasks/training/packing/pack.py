"""Packing: a dataset's anchors and contrasts to shards that a loader reads fast."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from counterfoil.storage.errors import StorageError
from counterfoil.storage.joining import Join, Joined
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import find_beside, fingerprint
from counterfoil.storage.schemas import SCHEMAS
from counterfoil.storage.store import Store
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.packing.gather import (
    Choice,
    Place,
    choose_families,
    dump_anchor,
    open_join,
    open_snapshot,
    place_anchors,
)
from counterfoil.tasks.training.packing.manifest import SCHEMA_VERSION, TOKENIZER, Manifest, Shard, find_manifest
from counterfoil.tasks.training.packing.measure import Measured, measure_texts
from counterfoil.tasks.training.packing.pictures import pack_picture
from counterfoil.tasks.training.packing.rewording import Rewording
from counterfoil.tasks.training.packing.sampled import describe_sampled, list_versions, prepare_sampled
from counterfoil.tasks.training.packing.views import VIEW, Views
from counterfoil.tasks.training.packing.write import Buckets, write_shards
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.tokens import Tokens, load_tokens, train_tokenizer

_TOKENIZER_TEXTS = 200_000
"""Texts of the training split that a tokenizer is trained on, at most."""
_CONTRAST_COLUMNS = ("text", "image", "concreteness", "edits")
_KEYS = (
    *("model", "towers", "resolution", "vocabulary", "context", "max_tokens", "families", "positives", "sample"),
    "grades",
    "reworded",
    *("encoding", "shard_rows", "group_rows", "holdout", "seed"),
)
"""The settings that decide what is packed."""

Progress = Callable[[str, int, int], None]


def pack_dataset(
    dataset: str,
    to: str,
    settings: TrainingSettings,
    *,
    sources: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 0,
    workers: int = 2,
    progress: Progress = lambda *_: None,
) -> Manifest:
    """Pack a dataset for ``settings`` into the folder or URL ``to``; what is packed so already is not packed again.

    Args:
        sources: domain to its recipe settings, which families that are sampled in training need.
        seed: the recipe's seed, for the same.
        workers: threads that resize and encode pictures.
        progress: told of (stage, done since, total).

    Raises:
        TrainingError: what is asked for is not in the dataset, or a picture cannot be read.
    """
    snapshot = open_snapshot(dataset)
    choice = choose_families(snapshot, settings)
    key = _fingerprint(snapshot, choice, settings)
    done = find_manifest(to)
    if done is not None and done.fingerprint == key:
        return done
    sampled = describe_sampled(choice, sources or {}, seed)
    join = open_join(snapshot, choice, settings)
    places = place_anchors(join, settings)
    store = Store(to)
    prepare_sampled(sampled, join, store)
    tokens = _find_tokens(join, places, settings, store)
    measured, told, there = Measured(), Counter[str](), Counter[str]()
    views = Views(choice.all) if settings.towers == "texts" else None
    rewording = Rewording(settings.reworded, sources or {}, seed) if views and settings.reworded else None
    buckets = Buckets()
    try:
        seen: set[bytes] = set()
        with ThreadPoolExecutor(max(1, workers)) as pool:
            total = len(join)
            for rows in _read(join, choice, views):
                kept = [_measure_rows(row, choice, views, rewording, tokens, measured) for row in rows]
                packed = pool.map(lambda row: _pack_row(row, choice, settings), kept)
                fresh = [_place(row, places) for row in packed if _is_new(row, seen)]
                told["duplicates"] += len(rows) - len(fresh)
                for _, row in fresh:
                    _count(row, len(choice.all), there, told)
                buckets.add(fresh)
                progress("pack", len(rows), total)
        shards: dict[str, list[Shard]] = {}
        for split, shard in write_shards(buckets, store, settings.group_rows, settings.seed):
            shards.setdefault(split, []).append(shard)
            told["different_pictures"] += shard.pictures
            progress("write", 1, len(buckets.parts))
    finally:
        buckets.close()
    manifest = Manifest(
        fingerprint=key,
        dataset=dataset,
        versions=dict(snapshot.versions),
        resolution=settings.resolution,
        encoding=settings.encoding,
        families=choice.all,
        views=tuple(views.names) if views else (),
        model=settings.model,
        limit=tokens.limit,
        tokens=tokens.digest,
        splits={split: tuple(found) for split, found in shards.items()},
        there=dict(there),
        told={**told, **measured.tell(), "left_out": dict(join.left_out), "grades": dict(join.passed_over)},
        sampled=sampled,
    )
    manifest.write(store)
    return manifest


def open_tokens(manifest: Manifest, url: str, settings: TrainingSettings) -> Tokens:
    """The tokenizer that the shards at ``url`` were measured with.

    Raises:
        TrainingError: the settings name another model than the one that they were packed for.
    """
    if settings.model != manifest.model:
        raise TrainingError(
            f"{url} was packed for {manifest.model}, and training.model is {settings.model}: texts were measured with "
            "the other's tokenizer. Pack again"
        )
    store = Store(url)
    if settings.model != "scratch":
        return load_tokens(settings.model, None if settings.towers == "pictures" else manifest.limit)
    if store.folder is not None:
        return load_tokens(store.folder / TOKENIZER, manifest.limit)
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for path in store.list(TOKENIZER):
            (Path(folder) / Path(path).name).write_bytes(store.read(path))
        return load_tokens(folder, manifest.limit)


def _fingerprint(snapshot: Snapshot, choice: Choice, settings: TrainingSettings) -> str:
    files = [
        file.path
        for table, partitions in (("anchors", _list_domains(choice)), ("contrasts", choice.all))
        for partition in partitions
        for file in snapshot.files(table, partition)  # type: ignore[arg-type]
    ]
    kept = {key: getattr(settings, key) for key in _KEYS}
    return fingerprint("pack", SCHEMA_VERSION, files, kept, *list_versions(choice))


def _list_domains(choice: Choice) -> list[str]:
    return sorted({family.partition(".")[0] for family in choice.all})


def _find_tokens(join: Join, places: Mapping[str, Place], settings: TrainingSettings, store: Store) -> Tokens:
    if settings.towers == "texts" and settings.model != "scratch":
        from counterfoil.tasks.training.towers import open_towers

        return open_towers(settings.model_copy(update={"lora_rank": 0, "freeze": []})).tokens
    if settings.model != "scratch":
        return load_tokens(settings.model)
    tokens = train_tokenizer(_list_texts(join, places), settings.vocabulary, settings.context)
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        tokens.tokenizer.save_pretrained(folder)
        for path in sorted(Path(folder).iterdir()):
            store.write(f"{TOKENIZER}/{path.name}", path.read_bytes())
    return tokens


def _list_texts(join: Join, places: Mapping[str, Place]) -> Iterator[str]:
    count = 0
    for block in join.blocks:
        for row in join.read(block, ["caption"], ["text"]):
            if places[row.anchor["anchor_id"]].split != "train":
                continue
            for text in (row.anchor["caption"], *(each["text"] for each in row.contrasts)):
                if text is not None:
                    count += 1
                    yield text
        if count >= _TOKENIZER_TEXTS:
            return


def _read(join: Join, choice: Choice, views: Views | None) -> Iterator[list[Joined]]:
    columns = (
        list(SCHEMAS["anchors"].names)
        if choice.sampled
        else ["image", "caption", *(["views", "captions"] if views else ())]
    )
    for block in join.blocks:
        yield list(join.read(block, columns, _CONTRAST_COLUMNS))


def _measure_rows(
    row: Joined,
    choice: Choice,
    views: Views | None,
    rewording: Rewording | None,
    tokens: Tokens,
    measured: Measured,
) -> Joined:
    """The row with the contrasts (and views) that are packed."""
    packed = Joined(row.anchor, [each for each in row.contrasts if each["family"] in choice.packed])
    found = measure_texts(views.add_to(packed) if views else packed, tokens, measured)
    return rewording.add_to(found) if rewording else found


def _pack_row(row: Joined, choice: Choice, settings: TrainingSettings) -> dict[str, Any]:
    """The row as it is parked, with its pictures at the training resolution."""
    anchor_id = row.anchor["anchor_id"]
    pictures: list[bytes] = []

    def add(image: Mapping[str, Any] | None, what: str) -> int:
        if image is None or settings.towers == "texts":
            return -1
        try:
            pictures.append(pack_picture(image["bytes"], settings.resolution, settings.encoding))
        except StorageError as error:
            raise TrainingError(f"anchor {anchor_id}: {what}: {error}") from error
        return len(pictures) - 1

    image = add(row.anchor.get("image"), "its picture")
    contrasts = [
        {
            "kind": each["kind"] if each["role"] == VIEW else choice.all.index(each["family"]),
            "positive": each["role"] != "negative",
            "text": each["text"],
            "view": each.get("view", -1),
            "image": add(each["image"], f"a picture of {each['family']}") if each["modality"] == "image" else -1,
            "concreteness": _require_finite(each["concreteness"], anchor_id, each),
            "beside": find_beside(each.get("edits")),
            "same": each.get("same"),
            "reworded": each.get("reworded"),
        }
        for each in row.contrasts
        if each["modality"] == "text" or settings.towers == "pictures"
    ]
    return {
        "anchor_id": anchor_id,
        "group": 0,
        "caption": row.anchor["caption"],
        "view": row.anchor.get("view", -1),
        "image": image,
        "contrasts": [each for each in contrasts if each["image"] >= 0 or each["text"] is not None],
        "anchor": dump_anchor(row.anchor, SCHEMAS["anchors"].names) if choice.sampled else None,
        "pictures": pictures,
    }


def _require_finite(rating: float | None, anchor_id: str, row: Mapping[str, Any]) -> float | None:
    if rating is not None and not math.isfinite(rating):
        raise TrainingError(
            f"anchor {anchor_id}: the concreteness of {row['family']}, rank {row['rank']}, is {rating}, no finite "
            "number: make the family anew with `counterfoil regenerate`"
        )
    return rating


def _place(row: dict[str, Any], places: Mapping[str, Place]) -> tuple[Place, dict[str, Any]]:
    place = places[row["anchor_id"]]
    return place, {**row, "group": place.group}


def _is_new(row: Mapping[str, Any], seen: set[bytes]) -> bool:
    """Whether no anchor before has the same picture, caption and views."""
    shown = row["pictures"][row["image"]] if row["image"] >= 0 else b""
    texts = [row["caption"], *(each["text"] for each in row["contrasts"] if each["positive"] and each["view"] >= 0)]
    digest = hashlib.sha256("\0".join(texts).encode() + b"\0" + shown).digest()
    if digest in seen:
        return False
    seen.add(digest)
    return True


def _count(row: Mapping[str, Any], families: int, there: Counter[str], told: Counter[str]) -> None:
    told["anchors"] += 1
    told["pictures"] += len(row["pictures"])
    for each in row["contrasts"]:
        pictured = each["image"] >= 0
        if each["positive"] and each["kind"] >= families:
            there["views"] += 1
        elif each["positive"]:
            there["positives"] += 1
            there["positive_texts"] += not pictured
        elif pictured:
            there["images"] += 1
            there["linked"] += each["text"] is not None
        else:
            there["texts"] += 1
            there["beside"] += each["beside"] is not None
