"""Which anchors say the same: those of a domain with an equal picture or equal facts share one ``group``.

Two anchors of one group are no negatives of each other, so that a batch or a mined list must not set them so. A group
is named by the facts of its members, the least of their hashes, and by the picture where an anchor has no facts: the
name does not depend on shards or order, and further anchors change it only where they join groups that were apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa

from counterfoil.storage.rows import Anchor, content_id
from counterfoil.storage.uniting import Sets

TIES = "ties"
"""The staged rows that `join_groups` reads; they never reach a table."""
_SCHEMA = pa.schema([("anchor_id", pa.string()), ("group", pa.string()), ("picture", pa.string())])


def name_group(anchor: Anchor) -> Anchor:
    """The anchor with the name of its own group, as it is before others are seen."""
    if anchor.facts:
        said = sorted({(fact.predicate, fact.arguments, fact.value or "") for fact in anchor.facts})
        return replace(anchor, group=content_id("group", anchor.domain, "facts", said))
    shown = hash_picture(anchor) or anchor.anchor_id
    return replace(anchor, group=content_id("group", anchor.domain, "picture", shown))


def hash_picture(anchor: Anchor) -> str | None:
    """A hash of the picture's bytes; None where there is no picture."""
    return content_id(anchor.image.bytes) if anchor.image is not None else None


def tabulate_ties(anchors: Sequence[Anchor]) -> pa.Table:
    """What ties each anchor to others: the name of its own group, and its picture."""
    rows = [{"anchor_id": a.anchor_id, "group": a.group, "picture": hash_picture(a)} for a in anchors]
    return pa.Table.from_pylist(rows, _SCHEMA)


def join_groups(ties: Iterable[tuple[str, str | None]]) -> Mapping[str, str]:
    """Groups that share a picture become one, under the least of their names: the names that change, old to new.

    >>> join_groups([("b", "p"), ("c", None), ("a", "q"), ("b", "q"), ("d", "r")])
    {'b': 'a'}
    """
    sets: Sets[str] = Sets()
    shown: dict[str, str] = {}
    for group, picture in ties:
        one = sets.find(group)
        if picture is not None:
            other = sets.find(shown.setdefault(picture, group))
            sets.unite(min(one, other), max(one, other))
    return {group: sets.find(group) for group in sets.parents if sets.find(group) != group}
