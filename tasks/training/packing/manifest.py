"""What a folder of packed shards says of itself. It is written last: shards without one are not finished."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from counterfoil.storage.plain import parse_json
from counterfoil.storage.store import Store
from counterfoil.tasks.training.errors import TrainingError

SCHEMA_VERSION = 3
MANIFEST = "manifest.json"
TOKENIZER = "tokenizer"
"""Folder of a tokenizer that was trained on the data."""

ROWS = pa.schema(
    [
        ("anchor_id", pa.string()),
        ("group", pa.int64()),
        ("caption", pa.string()),
        ("view", pa.int16()),
        ("image", pa.int32()),
        (
            "contrasts",
            pa.list_(
                pa.struct(
                    [
                        ("kind", pa.int16()),
                        ("positive", pa.bool_()),
                        ("text", pa.string()),
                        ("view", pa.int16()),
                        ("image", pa.int32()),
                        ("concreteness", pa.float32()),
                        ("beside", pa.string()),
                        ("same", pa.list_(pa.string())),
                        ("reworded", pa.list_(pa.string())),
                    ]
                )
            ),
        ),
        ("anchor", pa.string()),
    ]
)
"""One row an anchor. A contrast's ``kind`` is the place of its family; further views are among an anchor's positives,
with kinds that follow the families' (`Manifest.views`). ``view`` of the anchor is the kind of its caption among its
views, of a text the kind of the view that it was made of; -1 where there is none. ``beside`` is the true text that a
negative text stands beside, where its edits name one; ``same`` the text that it was made of in other words, and
``reworded`` itself in other words, where `training.reworded` asks for them. ``image`` is the place of a picture in the
same row group of the shard's pictures, -1 for none; ``anchor`` is the anchor's own row as JSON, where contrasts are
sampled of it."""
PICTURES = pa.schema([("bytes", pa.binary())])


@dataclass(frozen=True)
class Shard:
    """A shard: two Parquet files with as many row groups each, ``NAME.rows.parquet`` and ``NAME.pictures.parquet``."""

    name: str
    groups: tuple[int, ...]
    """Anchors in each row group."""
    pictures: int
    sha256: tuple[str, str]
    """Of the rows' and the pictures' file."""

    @property
    def rows(self) -> int:
        """Anchors in the shard."""
        return sum(self.groups)

    @property
    def rows_path(self) -> str:
        """The file of its anchors."""
        return f"{self.name}.rows.parquet"

    @property
    def pictures_path(self) -> str:
        """The file of their pictures."""
        return f"{self.name}.pictures.parquet"


@dataclass(frozen=True)
class Manifest:
    """What was packed, and from what."""

    fingerprint: str
    dataset: str
    versions: Mapping[str, int]
    """Table of the dataset to the version that was read."""
    resolution: int
    encoding: str
    families: tuple[str, ...]
    """The families whose contrasts are there; a contrast's ``kind`` is its family's place."""
    model: str
    limit: int
    """Tokens of a text that the model reads."""
    tokens: str
    """Digest of the tokenizer that the texts were measured with."""
    splits: Mapping[str, tuple[Shard, ...]]
    there: Mapping[str, int]
    """How many contrasts of each sort there are: texts, images, linked, positives, positive_texts, beside."""
    told: Mapping[str, Any]
    """Counts for the user: left out, dropped, over the limit, pictures and how many of them differ."""
    views: tuple[str, ...] = ()
    """The names of anchors' views that are packed; the kind of a view is its place here, after the families'."""
    sampled: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Families that are sampled in training, each with its domain's settings and the seed of the run that made it."""
    schema: int = SCHEMA_VERSION

    def write(self, store: Store) -> None:
        """Write it beside its shards."""
        store.write(MANIFEST, (json.dumps(asdict(self), indent=1, sort_keys=True) + "\n").encode())

    @property
    def kinds(self) -> tuple[str, ...]:
        """What each kind is: a family, or a view."""
        return (*self.families, *self.views)

    def count(self, split: str) -> int:
        """Anchors of a split."""
        return sum(shard.rows for shard in self.splits.get(split, ()))


def find_manifest(url: str) -> Manifest | None:
    """The manifest at ``url``; None where none is, or one of another schema."""
    try:
        return read_manifest(url)
    except TrainingError:
        return None


def read_manifest(url: str, options: Mapping[str, Any] | None = None) -> Manifest:
    """The manifest of the shards at ``url``; ``options`` go to fsspec.

    Raises:
        TrainingError: there is none, or it is of another schema.
    """
    try:
        found = parse_json(Store(url, options or {}).read(MANIFEST))
    except FileNotFoundError as error:
        raise TrainingError(f"{url} holds no packed shards: make them with `counterfoil pack RECIPE`") from error
    except ValueError as error:
        raise TrainingError(f"{url}/{MANIFEST} is not whole ({error}): pack again") from error
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA_VERSION:
        raise TrainingError(
            f"{url} holds shards of schema {schema}, and this version reads {SCHEMA_VERSION}: pack again"
        )
    try:
        splits = {
            split: tuple(
                Shard(s["name"], tuple(s["groups"]), s["pictures"], (s["sha256"][0], s["sha256"][1])) for s in each
            )
            for split, each in found["splits"].items()
        }
        return Manifest(
            **{**found, "splits": splits, **{name: tuple(found.get(name, ())) for name in ("families", "views")}}
        )
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        raise TrainingError(f"{url}/{MANIFEST} is no manifest of packed shards ({error}): pack again") from error


def list_shards(manifest: Manifest, split: str) -> Sequence[Shard]:
    """The shards of a split.

    Raises:
        TrainingError: it has none.
    """
    shards = manifest.splits.get(split, ())
    if not shards:
        there = ", ".join(f"{name} ({manifest.count(name)})" for name in manifest.splits) or "none"
        raise TrainingError(f"no anchor of split {split!r} was packed: there are {there}")
    return shards
