"""Small datasets for the storage tests, and what child processes run on them."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable
from io import BytesIO
from typing import Any

from deltalake import DeltaTable
from PIL import Image as Pillow

import counterfoil.storage.packing
import counterfoil.storage.publish
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, Edit, Fact, Image, Provenance, Reject, content_id, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.storage.store import Store

FAMILIES = ("geometry.caption", "geometry.image")


def draw_png(number: int, size: tuple[int, int] = (24, 16)) -> bytes:
    """A tiny picture that differs by ``number``."""
    sink = BytesIO()
    Pillow.new("RGB", size, (number % 256, number // 256 % 256, 200)).save(sink, "PNG")
    return sink.getvalue()


def make_anchors(tag: str, shard: int, count: int = 4, domain: str = "geometry") -> list[Anchor]:
    """Anchors whose ``source`` is the tag, so that a reader can tell which run a row is of."""
    return [
        Anchor(
            content_id(tag, domain, shard, i),
            domain,
            tag,
            f"{shard}-{i}",
            ("train", "val")[i % 2],
            image=Image(draw_png(shard * 100 + i), f"{tag}-{shard}-{i}.png"),
            caption=f"Triangle {tag} {shard} {i}",
            facts=(Fact("length", ("A", "B"), str(i)),),
        )
        for i in range(count)
    ]


def make_contrasts(anchors: list[Anchor], family: str, count: int = 3) -> list[Contrast]:
    """``count`` negatives for each anchor; the text begins with the anchor's tag."""
    image = family.endswith("image")
    return [
        Contrast(
            anchor.anchor_id,
            family,
            "negative",
            "image" if image else "text",
            text=f"{anchor.source} negative {rank}",
            image=Image(draw_png(rank + 7), f"n{rank}.png") if image else None,
            edits=(Edit("label", "A", f"B{rank}"),),
            provenance=Provenance(seed=rank),
        ).accept(rank, ("differs",))
        for anchor in anchors
        for rank in range(count)
    ]


def make_reject(family: str, anchor: Anchor) -> Reject:
    contrast = make_contrasts([anchor], family, 1)[0]
    return Reject(family, ("not_visible: 0.5 degrees",), anchor.source, anchor.source_id, anchor.anchor_id, contrast)


def stage_run(url: str, tag: str, shards: int = 3, options: dict[str, Any] | None = None) -> dict[str, list[str]]:
    """Stage what is not staged of a run with this tag, and return its replacements."""
    staged = StagedShards(url, options)
    replacements: dict[str, list[str]] = {"anchors/domain=geometry": []}
    for shard in range(shards):
        anchors = make_anchors(tag, shard)
        key = fingerprint("anchors", tag, shard)
        if staged.find(key) is None:
            staged.write(key, {"anchors/domain=geometry": to_table(anchors, "anchors")}, {"rows_in": len(anchors)})
        replacements["anchors/domain=geometry"].append(key)
        made = fingerprint("contrasts", tag, shard)
        if staged.find(made) is None:
            tables = {f"contrasts/family={f}": to_table(make_contrasts(anchors, f), "contrasts") for f in FAMILIES}
            tables |= {f"rejects/family={f}": to_table([make_reject(f, anchors[0])], "rejects") for f in FAMILIES}
            staged.write(made, tables, {"accepted": dict.fromkeys(FAMILIES, 12)})
        for family in FAMILIES:
            replacements.setdefault(f"contrasts/family={family}", []).append(made)
    return replacements


def run_whole(url: str, tags: tuple[str, ...], shards: int, started: Any = None) -> None:
    """Stage and publish one run after another, as a child process."""
    if started is not None:
        started.set()
    for tag in tags:
        dataset = Dataset(url)
        began = dataset.begin()
        dataset.publish(stage_run(url, tag, shards), metadata={"recipe": tag}, expect=began)


def publish_and_die(url: str, tag: str, step: int, after: bool, shards: int = 3, together: int | None = None) -> None:
    """Publish a run, and be killed before (or after) its ``step``-th change of the disk."""
    counterfoil.storage.packing.TOGETHER = together or counterfoil.storage.packing.TOGETHER
    replacements = stage_run(url, tag, shards)
    calls = itertools.count(1)

    def die_at(real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*args: Any) -> Any:
            call = next(calls)
            if call == step and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = real(*args)
            if call == step and after:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return wrapped

    for name in ("write", "upload", "create", "move", "remove", "_copy_object", "_remove_objects"):
        setattr(Store, name, die_at(getattr(Store, name)))
    counterfoil.storage.publish._commit = die_at(counterfoil.storage.publish._commit)
    Dataset(url).publish(replacements, metadata={"recipe": tag})


def describe(url: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """All that must not depend on what happened on the way: the rows and the active files' checksums."""
    dataset = Dataset(url, options)
    snapshot = dataset.snapshot()
    return {
        "anchors": list(snapshot.anchors()),
        "contrasts": list(snapshot.contrasts()),
        "rejects": list(snapshot.rejects()),
        "files": [(file.path, file.sha256) for file in dataset.active_files()],
    }


def find_mixture(dataset: Dataset, families: tuple[str, ...] = FAMILIES, shards: int = 3) -> str | None:
    """What a reader sees that is neither of one run nor of the other, or None."""
    snapshot = dataset.snapshot()
    anchors = {anchor.anchor_id: anchor.source for anchor in snapshot.anchors()}
    tags = set(anchors.values())
    if len(tags) > 1:
        return f"anchors of {sorted(tags)}"
    if anchors and len(anchors) != shards * 4:
        return f"{len(anchors)} anchors"
    for family in families:
        rows = list(snapshot.contrasts(family))
        seen = {str(row.text).partition(" ")[0] for row in rows}
        if seen != tags or len(rows) != len(anchors) * 3:
            return f"{len(rows)} rows of {family} of {sorted(seen)} beside anchors of {sorted(tags)}"
        if {row.anchor_id for row in rows} - set(anchors):
            return f"{family} refers to anchors that are absent"
    return None


def find_dangling_heads(url: str) -> str | None:
    """The same for a reader of the tables' heads that knows nothing of intents: a contrast without its anchor."""

    for _ in range(100):
        tables = {name: DeltaTable(f"{url}/{name}") for name in ("contrasts", "anchors")}
        if DeltaTable(f"{url}/contrasts").version() != tables["contrasts"].version():
            continue
        ids = {
            name: set(table.to_pyarrow_dataset().to_table(columns=["anchor_id"])["anchor_id"].to_pylist())
            for name, table in tables.items()
        }
        return "contrasts without anchors" if ids["contrasts"] - ids["anchors"] else None
    return "the heads never stood still"
