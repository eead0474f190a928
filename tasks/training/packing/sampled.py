"""Families that are sampled in training: what they need of all anchors, beside what is packed."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from counterfoil.storage.joining import Join
from counterfoil.storage.rows import Anchor
from counterfoil.storage.schemas import SCHEMAS
from counterfoil.storage.store import Store
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.prepare import Preparation
from counterfoil.tasks.engine.registry import load_family
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.packing.gather import Choice, dump_anchor, load_anchor


def describe_sampled(
    choice: Choice, sources: Mapping[str, Mapping[str, Any]], seed: int
) -> dict[str, Mapping[str, Any]]:
    """The sampled families, each with its domain's settings and the seed of the run that made it.

    Raises:
        TrainingError: one cannot be made on the fly, or ``sources`` does not say how.
    """
    described: dict[str, Mapping[str, Any]] = {}
    for name in choice.sampled:
        domain, family = load_family(name)
        if family.sample is None:
            able = [each.name for each in domain.families.values() if each.sample is not None] or ["none"]
            raise TrainingError(
                f"training.sample: {name} cannot be made on the fly; of {domain.name} {', '.join(able)} can"
            )
        if domain.name not in sources:
            raise TrainingError(
                f"training.sample: how {name} is made stands in the recipe's section [{domain.name}]: it is not given"
            )
        described[name] = {"settings": dict(sources[domain.name]), "seed": seed}
    return described


def list_versions(choice: Choice) -> list[tuple[str, int, int]]:
    """What decides the sampled families' draws besides the settings."""
    families = [load_family(name)[1] for name in choice.sampled]
    return [(each.name, each.version, each.sample_prepare.version if each.sample_prepare else 0) for each in families]


def prepare_sampled(described: Mapping[str, Mapping[str, Any]], join: Join, store: Store) -> None:
    """Make what the sampled families need of all anchors that are packed, and keep it beside these."""
    for name, made in described.items():
        domain, family = load_family(name)
        preparation = family.sample_prepare
        if preparation is None or preparation.gather is None:
            continue
        context = Context(
            domain.settings_type.model_validate(dict(made["settings"])), int(made["seed"]), MemoRenderer()
        )
        parts = [_Part(join, number, domain.name, preparation, context) for number in range(len(join.blocks))]
        held = io.BytesIO()
        pq.write_table(preparation.gather(parts, context), held, compression="zstd")
        store.write(_name(name), held.getvalue())


def read_sampled(store: Store, name: str) -> pa.Table:
    """What was prepared for the family ``name``.

    Raises:
        TrainingError: it is not there.
    """
    try:
        return pq.read_table(io.BytesIO(store.read(_name(name))))
    except FileNotFoundError as error:
        raise TrainingError(f"{store.url} has nothing to sample {name} from: pack again") from error


def _name(family: str) -> str:
    return f"sampled/{family}.parquet"


@dataclass(frozen=True)
class _Part:
    """The part of one block of anchors, made when it is read: all of them at once would not fit in memory."""

    join: Join
    number: int
    domain: str
    preparation: Preparation[Any, Any]
    context: Context[Any]

    def read(self, columns: Sequence[str] | None = None) -> pa.Table:
        table = self.preparation.make(self.number, list(self._list_anchors()), self.context)
        return table if columns is None else table.select(list(columns))

    def _list_anchors(self) -> Iterator[Anchor]:
        names = [name for name in SCHEMAS["anchors"].names if name not in ("image", "vector")]
        for row in self.join.read(self.join.blocks[self.number], names, []):
            if row.anchor["domain"] == self.domain:
                yield load_anchor(dump_anchor(row.anchor, names))
