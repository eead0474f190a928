"""Where composites come from: halves of our own, or the anchors of a dataset that was made before, two and two."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, cast

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.rows import Anchor, Image, Reject, content_id
from counterfoil.tasks.composite.halves import Halves, read_half, read_settings, write_half
from counterfoil.tasks.composite.settings import CompositeSettings
from counterfoil.tasks.contract.context import Context, generator
from counterfoil.tasks.contract.domain import SourceError, SourceRow

PROCEDURAL, DATASET = "procedural", "dataset"
MOST_WAITING = 64
"""Anchors of one domain and split that wait for another of another source row."""


def find_seed(seed: int) -> int:
    """The seed of halves of our own: not the run's, so that no composite shows what the run has as a single anchor.

    >>> find_seed(7) == find_seed(8)
    False
    """
    return int(generator(seed, "composite.halves").integers(2**31))


def read_own(halves: Halves, target: str, settings: CompositeSettings, seed: int, limit: int | None) -> Iterator[Any]:
    """So many composites, of each domain in turn; a row has the source rows of both its halves."""
    count = int(target) if limit is None else min(int(target), limit)
    kinds = settings.halves
    readers = {}
    for at, name in enumerate(kinds):
        domain = halves.load(name)
        wanted = 2 * len(range(at, count, len(kinds)))
        source = domain.sources[PROCEDURAL]
        read = source.read(str(wanted), read_settings(domain, settings), find_seed(seed), None) if wanted else iter(())
        readers[name] = (row for row in read if isinstance(row, SourceRow))
    for at in range(count):
        name = kinds[at % len(kinds)]
        pair = [row for row in (next(readers[name], None) for _ in (0, 1)) if row is not None]
        if len(pair) == 2:
            rows = [{"source_id": row.source_id, "payload": dict(row.payload)} for row in pair]
            yield SourceRow(PROCEDURAL, f"composite-{seed}-{at:06d}", "", {"domain": name, "rows": rows})


def make_halves(halves: Halves, row: SourceRow, context: Context[CompositeSettings]) -> list[Anchor | Reject]:
    """One verified anchor of each of the two rows, or why there is none."""
    domain = halves.load(row.payload["domain"])
    own = halves.open(domain, context, find_seed(context.seed))
    found = []
    for each in row.payload["rows"]:
        source = SourceRow(PROCEDURAL, each["source_id"], "", each["payload"])
        found.append(_choose(domain, source, own))
    return found


def _choose(domain: Any, row: SourceRow, own: Context[Any]) -> Anchor | Reject:
    """An anchor of a row that has many, drawn by chance, of those that are sound."""
    made = list(domain.sources[PROCEDURAL].make_anchors(row, own))
    rng = own.rng("composite.half", row.source_id)
    last: Anchor | Reject | None = None
    for place in rng.permutation(len(made)):
        last = made[int(place)]
        if not isinstance(last, Anchor):
            continue
        last = replace(last, provenance=replace(last.provenance, seed=own.seed))
        verdict = domain.verify_anchor(last, own)
        if verdict.passed:
            return last
        last = Reject(f"{domain.name}.anchor", verdict.reasons, row.source, row.source_id)
    return last or Reject(f"{domain.name}.anchor", ("no_half: the row has no anchor",), row.source, row.source_id)


def read_dataset(
    halves: Halves, target: str, settings: CompositeSettings, seed: int, limit: int | None
) -> Iterator[Any]:
    """The anchors of a dataset, two and two of one domain and split, of different source rows.

    Raises:
        SourceError: there is no dataset.
    """
    del seed
    dataset = Dataset(target)
    if not dataset.exists():
        raise SourceError(f"{target} holds no dataset: make one first (counterfoil run RECIPE)")
    made = 0
    for name in settings.halves:
        domain, waiting = halves.load(name), dict[str, list[Anchor]]()
        try:
            for anchor in dataset.anchors(name):
                if anchor.image is None or not anchor.caption:
                    continue
                others = waiting.setdefault(anchor.split, [])
                at = _find_partner(domain, anchor, others, settings, wait=len(others) < MOST_WAITING)
                if at is None:
                    del others[: max(0, len(others) - MOST_WAITING + 1)]
                    others.append(anchor)
                    continue
                if limit is not None and made >= limit:
                    return
                made += 1
                yield _pair(others.pop(at), anchor)
            for others in waiting.values():
                for one, other in zip(others[::2], others[1::2], strict=False):
                    if one.source_id != other.source_id and (limit is None or made < limit):
                        made += 1
                        yield _pair(one, other)
        except StorageError as error:
            raise SourceError(f"{target}: {error}") from error


def _find_partner(
    domain: Any, anchor: Anchor, others: Sequence[Anchor], settings: CompositeSettings, wait: bool
) -> int | None:
    """The place of the first that is of another source row; of photographs, of which a word may change places with one
    of this one's caption; and of any where too many ``wait``."""
    apart = [i for i, each in enumerate(others) if each.source_id != anchor.source_id]
    if domain.judges(anchor) or not apart:
        return next(iter(apart), None)
    own = _list_exchanges(domain, anchor, settings)
    mutual = (at for at in apart if any((b, a) in own for a, b in _list_exchanges(domain, others[at], settings)))
    return next(mutual, None if wait else apart[0])


def _list_exchanges(domain: Any, anchor: Anchor, settings: CompositeSettings) -> set[tuple[str, str]]:
    # A table's words: nothing is rendered.
    context: Any = Context(read_settings(domain, settings), 0, cast(Any, None))
    listed = domain.wording.list_edits(anchor.caption or "", anchor, context)
    return {(edit.target, edit.replacement) for edit in listed}


def _pair(one: Anchor, other: Anchor) -> SourceRow:
    halves = [
        {"half": write_half(each), "picture": b64encode(each.image.bytes if each.image else b"").decode()}
        for each in (one, other)
    ]
    return SourceRow(DATASET, name_pair(one, other), one.split, {"domain": one.domain, "halves": halves})


def name_pair(one: Anchor, other: Anchor) -> str:
    """What the source row of two anchors of a dataset is called."""
    return f"composite-{content_id(one.anchor_id, other.anchor_id)[:16]}"


def take_halves(row: SourceRow) -> list[Anchor | Reject]:
    """The two anchors of a dataset, as they were stored."""
    return [
        replace(read_half(each["half"]), image=Image(b64decode(each["picture"]), "")) for each in row.payload["halves"]
    ]
