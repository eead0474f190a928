"""What is packed of a dataset: its anchors with the chosen families, and which shard each goes to."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.grades import OPEN
from counterfoil.storage.joining import Join
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import Anchor, Fact, Provenance, View, fingerprint
from counterfoil.storage.uniting import Sets
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.settings import TrainingSettings

VAL = "val"


@dataclass(frozen=True)
class Place:
    """Where an anchor goes."""

    split: str
    shard: int
    group: int


@dataclass(frozen=True)
class Choice:
    """The families of a run: those whose contrasts are packed, and those that are sampled in training."""

    negatives: tuple[str, ...]
    positives: tuple[str, ...]
    sampled: tuple[str, ...]

    @property
    def packed(self) -> tuple[str, ...]:
        """Families that are read from the table."""
        return tuple(name for name in (*self.negatives, *self.positives) if name not in self.sampled)

    @property
    def all(self) -> tuple[str, ...]:
        """All families; a contrast's kind is its family's place here."""
        return tuple(dict.fromkeys((*self.negatives, *self.positives, *self.sampled)))


def open_snapshot(url: str) -> Snapshot:
    """The dataset's tables as they are now.

    Raises:
        TrainingError: there is no dataset.
    """
    dataset = Dataset(url)
    if not dataset.exists():
        raise TrainingError(f"{url} holds no dataset: make one with `counterfoil run RECIPE`")
    return dataset.snapshot()


def choose_families(snapshot: Snapshot, settings: TrainingSettings) -> Choice:
    """The families that ``settings`` name; all families of negatives where they name none.

    Raises:
        TrainingError: one is not in the dataset, or is of the other role.
    """
    there = snapshot.partitions("contrasts")
    roles = {family: _find_roles(snapshot, family) for family in there}
    asked = [*settings.families, *settings.positives, *settings.sample]
    missing = [family for family in asked if family not in there]
    if missing:
        raise TrainingError(
            f"{snapshot.store.url} has no contrasts of {', '.join(missing)}; it has {', '.join(there) or 'none'}"
        )
    negatives = settings.families or [family for family in there if "negative" in roles[family]]
    for family in negatives:
        if "negative" not in roles[family]:
            raise TrainingError(f"{family} has no negatives: name it in training.positives, not in training.families")
    for family in settings.positives:
        if "positive" not in roles[family]:
            raise TrainingError(f"{family} has no positives: name it in training.families, not in training.positives")
    if not negatives and not settings.positives:
        raise TrainingError(f"{snapshot.store.url} has no family of negatives: it has {', '.join(there) or 'none'}")
    return Choice(tuple(negatives), tuple(settings.positives), tuple(settings.sample))


def _find_roles(snapshot: Snapshot, family: str) -> set[str]:
    """All roles that a family's rows have: the last row may be the first of its role."""
    batches = snapshot.scan("contrasts", ["role"], partition=family, batch_size=65536)
    return {role for batch in batches for role in pc.unique(batch["role"]).to_pylist()}


def open_join(snapshot: Snapshot, choice: Choice, settings: TrainingSettings) -> Join:
    """The anchors that have contrasts of the chosen families.

    Raises:
        TrainingError: there is none.
    """
    try:
        join = Join(
            snapshot,
            choice.all,
            pictured=settings.towers == "pictures",
            captioned=True,
            viewed=settings.towers == "texts",
            without=[grade for grade in OPEN if grade not in settings.grades],
        )
    except StorageError as error:
        raise TrainingError(str(error)) from error
    if not len(join):
        why = ", ".join(f"{count} {reason}" for reason, count in join.left_out.items()) or "there is none"
        raise TrainingError(f"{snapshot.store.url} has no anchor with contrasts of {', '.join(choice.all)}: {why}")
    return join


def place_anchors(join: Join, settings: TrainingSettings) -> dict[str, Place]:
    """Anchor id to its place: split, shard, and the number of its group.

    Where the dataset has no split ``val``, a share of the training anchors is held out, whole source rows and whole
    groups together. A group is never cut between shards, so that no two processes can meet it in one step.
    """
    facts: dict[str, tuple[str, str, str]] = {}
    for block in join.blocks:
        for row in join.read(block, ["source", "source_id", "split", "group"], []):
            anchor = row.anchor
            group = anchor["group"] or anchor["anchor_id"]
            facts[anchor["anchor_id"]] = (anchor["split"], f"{anchor['source']}\0{anchor['source_id']}", group)
    splits = {anchor_id: split for anchor_id, (split, _, _) in facts.items()}
    if settings.holdout and VAL not in splits.values():
        splits |= dict.fromkeys(_hold_out(facts, settings), VAL)
    places: dict[str, Place] = {}
    for split in sorted(set(splits.values())):
        groups: dict[str, list[str]] = {}
        for anchor_id, (_, _, group) in facts.items():
            if splits[anchor_id] == split:
                groups.setdefault(group, []).append(anchor_id)
        names = sorted(groups)
        order = np.random.default_rng([settings.seed, _number(split)]).permutation(len(names))
        total, count = sum(map(len, groups.values())), 0
        # Of nearly one size: an epoch is as long as the stream with the fewest anchors.
        shards = math.ceil(total / settings.shard_rows)
        for place in order:
            for anchor_id in groups[names[place]]:
                places[anchor_id] = Place(split, count * shards // total, _number(names[place]))
            count += len(groups[names[place]])
    return places


def _hold_out(facts: dict[str, tuple[str, str, str]], settings: TrainingSettings) -> Iterator[str]:
    """The training anchors whose source row's (and groups') number falls under the share."""
    sets: Sets[str] = Sets()
    for _, source, group in facts.values():
        one, other = sets.find(f"s\0{source}"), sets.find(f"g\0{group}")
        sets.unite(min(one, other), max(one, other))
    for anchor_id, (split, source, _) in facts.items():
        share = int(fingerprint("holdout", settings.seed, sets.find(f"s\0{source}"))[:15], 16) / 16**15
        if split == "train" and share < settings.holdout:
            yield anchor_id


def _number(name: str) -> int:
    """63 bits of the hash of a name."""
    return int(fingerprint(name)[:16], 16) >> 1


def dump_anchor(row: Any, columns: Sequence[str]) -> str:
    """An anchor's columns, without its picture and digest, as JSON."""
    return json.dumps({name: row[name] for name in columns if name not in ("image", "digest")}, ensure_ascii=False)


def load_anchor(text: str) -> Anchor:
    """The anchor that `dump_anchor` wrote; its picture is absent."""
    found = json.loads(text)
    facts = tuple(Fact(f["predicate"], tuple(f["arguments"]), f["value"]) for f in found.pop("facts") or ())
    views = tuple(View(**view) for view in found.pop("views", None) or ())
    provenance = Provenance(**(found.pop("provenance", None) or asdict(Provenance())))
    return replace(
        Anchor(**{**found, "captions": tuple(found.get("captions") or ())}),
        facts=facts,
        views=views,
        provenance=provenance,
    )
