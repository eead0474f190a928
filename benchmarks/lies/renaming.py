"""What follows of a changed row is made anew, as a careful forger does: ids, names of files, groups, splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import pyarrow as pa

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import Anchor, contrast_id
from counterfoil.storage.schemas import SCHEMAS, TableName, from_table
from counterfoil.tasks.audit.ties import tie_anchor
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.history import find_run
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.mining.retrieval import read_other

Row = dict[str, Any]

_TIES = ("anchor_id", "group", "split", "source_id")


class Renamer:
    """Names rows of one domain after what they hold, by the settings of the run that made them."""

    def __init__(self, snapshot: Snapshot, domain: str) -> None:
        self.domain = load_domain(domain)
        recipe: Mapping[str, Any] = find_run(Dataset(snapshot.store.url), domain)["recipe"]
        settings = self.domain.settings_type.model_validate(dict(recipe[domain]))
        self.context = Context(
            settings=settings, seed=recipe["dataset"]["seed"], renderer=MemoRenderer(), bounds=self.domain.bounds
        )

    def name_anew(self, row: Row, changed: Row) -> Row:
        """A changed row under the id that it has by its content, unless its id, group or split is the lie."""
        if row["table"] == "anchors":
            return self._name_anchor(row, changed)
        if changed["contrast_id"] != row["contrast_id"]:
            return changed
        (contrast,) = from_table(to_arrow("contrasts", [changed]), "contrasts")
        return {**changed, "contrast_id": contrast_id(contrast)}

    def _name_anchor(self, row: Row, changed: Row) -> Row:
        if any(row[name] != changed[name] for name in _TIES if name != "source_id"):
            return changed
        before, after = (from_table(to_arrow("anchors", [each]), "anchors")[0] for each in (row, changed))
        named = self._name(after)
        if named is None:
            return changed
        moved = self._tie(before, after)
        image = changed["image"]
        if image is not None and image["path"] == (row["image"] or {}).get("path"):
            image = {**image, "path": f"{named}.{image['path'].rpartition('.')[2]}"}
        return {**changed, **moved, "anchor_id": named, "image": image, "anew": named != row["anchor_id"]}

    def _name(self, anchor: Anchor) -> str | None:
        try:
            return self.domain.name_anchor(anchor, self.context)
        except (LookupError, ValueError):
            return None  # it is no row of the domain any more

    def _tie(self, before: Anchor, after: Anchor) -> Row:
        """The group and split that are due, of an anchor that shares its group with none."""
        try:
            old, new = (tie_anchor(each, self.domain, self.context) for each in (before, after))
        except (LookupError, ValueError):
            return {}
        if old is None or new is None or before.group != old.own:
            return {}
        return {"group": new.own, "split": new.drawn or after.split}

    def follow(self, row: Row, old: str, new: str) -> Row | None:
        """A contrast of an anchor that is called otherwise now, or that was found at it; None of any other."""
        if old != row["anchor_id"] and all(each["replacement"] != old for each in row["edits"]):
            return None
        (contrast,) = from_table(to_arrow("contrasts", [row]), "contrasts")
        if old not in (contrast.anchor_id, read_other(contrast)):
            return None
        edits = tuple(replace(each, replacement=new) if each.replacement == old else each for each in contrast.edits)
        owner = new if contrast.anchor_id == old else contrast.anchor_id
        moved = replace(contrast, anchor_id=owner, edits=edits, contrast_id="")
        told = {"anchor_id": owner, "edits": [asdict(each) for each in edits], "contrast_id": contrast_id(moved)}
        return {**row, **told}


def to_arrow(table: TableName, rows: Sequence[Row]) -> pa.Table:
    """Stored rows as an Arrow table with all columns."""
    schema = SCHEMAS[table]
    return pa.Table.from_pylist([{name: row[name] for name in schema.names} for row in rows], schema=schema)
