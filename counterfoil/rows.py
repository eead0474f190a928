"""Which anchors are triplets, and where they are read: in a dataset's tables, or in packed shards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from counterfoil import tables
from counterfoil.storage.dataset import Dataset as Stored
from counterfoil.storage.errors import StorageError
from counterfoil.storage.joining import Join
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.order import Run
from counterfoil.tasks.training.packing.manifest import Manifest, read_manifest
from counterfoil.tasks.training.reading import PackedRows, TableRows, Tally


@dataclass(frozen=True)
class Chosen:
    """The anchors that have what is asked for."""

    source: PackedRows | TableRows
    families: tuple[str, ...]
    kinds: frozenset[int]
    """Their places in what the source calls a contrast's kind."""
    runs: Sequence[Run]
    left_out: Mapping[str, int]
    there: str
    """Splits and families that could be asked for."""

    def explain(self) -> str:
        """Why there are not more."""
        why = ", ".join(f"{count} {reason}" for reason, count in self.left_out.items())
        return f"left out are {why or 'none'}. {self.there}"


def choose_rows(
    path: str,
    families: Sequence[str] | None,
    n: int | None,
    split: str | None,
    versions: Mapping[str, int] | None,
    options: Mapping[str, Any] | None,
) -> Chosen:
    """The anchors of ``split`` with ``n`` negatives of each kind that ``families`` make.

    Raises:
        StorageError: no such dataset, shards, family or split.
        ValueError: packed shards have no ``versions``.
    """
    if not Stored(path, options).exists():
        try:
            manifest = read_manifest(path, options)
        except TrainingError as error:
            raise StorageError(
                f"{path} holds neither a dataset nor packed shards: make one with counterfoil.run(RECIPE) ({error})"
            ) from error
        if versions is not None:
            raise ValueError(
                f"versions are of a dataset's tables, and {path} holds packed shards of {manifest.dataset}"
            )
        try:
            return _choose_packed(path, manifest, families, n, split, options)
        except TrainingError as error:
            raise StorageError(str(error)) from error
    return _choose_tables(path, families, n, split, versions, options)


def _choose_tables(
    path: str,
    families: Sequence[str] | None,
    n: int | None,
    split: str | None,
    versions: Mapping[str, int] | None,
    options: Mapping[str, Any] | None,
) -> Chosen:
    dataset = tables.open(path, versions=versions, options=options)
    kinds = _find_kinds(dataset, families)
    names = tuple(sorted(kinds))
    least = {("negative", modality): n for found in kinds.values() for modality in found} if n is not None else {}
    splits = None if split is None else [split]
    join = Join(dataset.snapshot, names, splits=splits, least=least, pictured=True, captioned=True)
    source = TableRows(join)
    splits_there = sorted({name or "''" for found in dataset.counts().splits.values() for name in found})
    there = f"Its splits are {', '.join(splits_there)}; its families {', '.join(dataset.families)}"
    return Chosen(source, names, frozenset(range(len(names))), source.runs, join.left_out, there)


def _find_kinds(dataset: tables.Dataset, families: Sequence[str] | None) -> dict[str, set[str]]:
    """Family to the modalities of its negatives.

    Raises:
        StorageError: the dataset has no such family, or its contrasts are positives.
    """
    kinds: dict[str, set[str]] = {}
    for family in families if families is not None else dataset.families:
        table = dataset.contrasts.select(["role", "modality"], family=family)
        found = {(row["role"], row["modality"]) for batch in table.batches(8192) for row in batch.to_pylist()}
        negatives = {modality for role, modality in found if role == "negative"}
        if negatives:
            kinds[family] = negatives
        elif families is not None:
            raise _refuse_positives(family)
    if not kinds:
        raise StorageError(f"{dataset.path} has no family of negatives: it has {', '.join(dataset.families) or 'none'}")
    return kinds


def _refuse_positives(family: str) -> StorageError:
    return StorageError(f"{family} makes hard positives: Triplets takes families of negatives")


def _choose_packed(
    url: str,
    manifest: Manifest,
    families: Sequence[str] | None,
    n: int | None,
    split: str | None,
    options: Mapping[str, Any] | None,
) -> Chosen:
    there = f"Its splits are {', '.join(manifest.splits)}; its families {', '.join(manifest.families)}"
    for family in families or ():
        if family not in manifest.families:
            raise StorageError(f"{url} has no {family}: it has {', '.join(manifest.families)}")
    splits = manifest.splits if split is None else {split: manifest.splits.get(split, ())}
    shards = [shard for found in splits.values() for shard in found]
    source = PackedRows(url, manifest, shards, options)
    tallies = {
        (number, group): source.tally(number, group)
        for number, shard in enumerate(shards)
        for group in range(len(shard.groups))
    }
    made = {sort for rows in tallies.values() for row in rows for sort in row.negatives}
    making = {manifest.families[kind] for kind, _ in made}
    for family in families or ():
        if shards and family not in making:
            raise _refuse_positives(family)
    names = tuple(sorted(making if families is None else families))
    kinds = frozenset(manifest.families.index(name) for name in names)
    asked = {shown for kind, shown in made if kind in kinds}
    left_out = Counter[str]()
    others = sum(map(manifest.count, manifest.splits)) - sum(shard.rows for shard in shards)
    if others:
        left_out["of another split"] = others
    runs: list[Run] = []
    for (number, group), rows in tallies.items():
        lacks = [_find_lack(row, kinds, asked, n) for row in rows]
        left_out.update(each for each in lacks if each is not None)
        taken = [place for place, lack in enumerate(lacks) if lack is None]
        if taken:
            runs.append(Run(number, group, np.array(taken)))
    return Chosen(source, names, kinds, runs, left_out, there)


def _find_lack(row: Tally, kinds: frozenset[int], asked: set[bool], n: int | None) -> str | None:
    """Why an anchor is left out, in the words of `counterfoil.storage.joining`; None where it has what is asked for."""
    if not row.pictured:
        return "without a picture"
    counts = Counter[bool]()
    for (kind, shown), count in row.negatives.items():
        counts[shown] += count if kind in kinds else 0
    if not counts.total():
        return "without a contrast"
    short = [shown for shown in sorted(asked) if n is not None and counts[shown] < n]
    return f"with fewer than {n} negative {'images' if short[0] else 'texts'}" if short else None
