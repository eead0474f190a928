"""A copy of a dataset with one lie in each of some rows, all that is derived of bytes made anew."""

from __future__ import annotations

import os
import random
import shutil
import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

import numpy as np

from benchmarks.lies.foreign import is_foreign
from benchmarks.lies.kinds import Kind, Row, list_kinds
from benchmarks.lies.renaming import Renamer, to_arrow
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.owners import describe_owner
from counterfoil.storage.parquet import encode_table, hash_bytes
from counterfoil.storage.pictures import open_picture
from counterfoil.storage.publish import Intent, TableFile, carry_out, domain_of
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.schemas import ID_COLUMN, PARTITION_COLUMN, TABLES, TableName, add_digests
from counterfoil.storage.staged import split_key
from counterfoil.tasks.mining.retrieval import RETRIEVED

_BESIDE = ("table", "anchor", "other", "sibling", "cousin", "also", "place")
_SHOWN = ("text", "image", "code")
FAINT = 2
"""Grey levels: a picture that differs by no more is not seen to differ."""


@dataclass(frozen=True)
class Lie:
    """One changed row: its kind, and every name under which a failure may tell of it."""

    domain: str
    kind: str
    table: str
    names: frozenset[str]
    small: bool
    foreign: bool
    """Its source alone could tell (`benchmarks.lies.foreign`): counted apart as well."""
    changed: tuple[str, ...]
    """The columns that differ."""


@dataclass
class Planted:
    """What was planted, and the ids of the honest rows by domain and table."""

    lies: list[Lie] = field(default_factory=list)
    honest: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    followers: set[str] = field(default_factory=set)
    """Contrasts of anchors that lie: neither lies nor honest."""


@dataclass(frozen=True)
class _Place:
    table: TableName
    file: TableFile
    number: int


def plant_lies(dataset: Path, folder: Path, per_domain: int, seed: int, domains: Sequence[str]) -> Planted:
    """Copy the dataset into ``folder`` and change rows there. No anchor has a lie beside one in a contrast of its own.

    Raises:
        SystemExit: there is no dataset, or the folder is there already.
    """
    if not Dataset(str(dataset)).exists():
        raise SystemExit(f"{dataset} is no dataset in a local folder")
    copy_dataset(dataset, folder)
    copy = Dataset(str(folder))
    snapshot = copy.snapshot()
    planted = Planted()
    want: dict[str, tuple[TableFile, ...]] = {}
    for domain in domains:
        rng = random.Random(f"{seed}:{domain}")
        found = _Plan(snapshot, domain, rng, per_domain)
        planted.lies += found.lies
        planted.honest[domain] = found.honest
        planted.followers |= found.followers
        want |= found.write(folder)
    files = [file for table in TABLES for file in snapshot.files(table)]
    # What is of other domains is left out of the copy: it would be verified for nothing.
    want |= {file.key: () for file in files if domain_of(file.key) not in domains}
    intent = Intent(uuid.uuid4().hex, describe_owner(), copy.versions(), want, {}, ())
    carry_out(copy.store, intent)
    return planted


def copy_dataset(dataset: Path, folder: Path) -> None:
    """The tables alone: logs as they are, Parquet files as links, which nothing writes to."""
    if folder.exists():
        raise SystemExit(f"{folder} is there already: name another folder")
    for table in TABLES:
        shutil.copytree(dataset / table, folder / table, copy_function=_copy_file)


def _copy_file(source: str, target: str) -> str:
    if source.endswith(".parquet") and "_delta_log" not in source:
        try:
            os.link(source, target)
            return target
        except OSError:
            pass  # another disk: copied
    return shutil.copy2(source, target)


class _Plan:
    """The lies of one domain: which rows, of which kinds, and the files that hold them."""

    def __init__(self, snapshot: Snapshot, domain: str, rng: random.Random, most: int) -> None:
        self.snapshot, self.domain, self.rng = snapshot, domain, rng
        self.lies: list[Lie] = []
        self.changes: dict[str, dict[int, Row]] = defaultdict(dict)
        self.files: dict[str, tuple[TableName, TableFile]] = {}
        self._tables: dict[str, list[Row]] = {}
        self.beside: set[str] = set()
        self.renamer = Renamer(snapshot, domain)
        anchors = self._list_places("anchors")
        self.anchors = anchors
        contrasts = self._list_places("contrasts")
        self.sets: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.owned: dict[str, list[_Place]] = defaultdict(list)
        for key, place in contrasts.items():
            anchor_id, _, row_id = key.partition("/")
            self.sets[anchor_id, place.file.key].append(row_id)
            self.owned[anchor_id].append(place)
        owners = sorted(anchors)
        rng.shuffle(owners)
        lying = set(owners[: len(owners) // 2])
        others = sorted(key for key in contrasts if key.partition("/")[0] not in lying)
        rng.shuffle(others)
        turns = zip_longest([anchors[each] for each in owners if each in lying], [contrasts[each] for each in others])
        self._choose([place for turn in turns for place in turn if place is not None], most, lying)
        touched = {name for lie in self.lies for name in lie.names}
        touched |= self.beside
        owners_of = {key.partition("/")[2]: key.partition("/")[0] for key in contrasts}
        self.followers = {key for key, owner in owners_of.items() if owner in touched and key not in touched}
        self.followers |= self.beside
        self.honest = {
            "anchors": set(anchors) - touched,
            "contrasts": set(owners_of) - touched - self.followers,
        }

    def _list_places(self, table: TableName) -> dict[str, _Place]:
        """Where each row lies: an anchor by its id, a contrast by its anchor's and its own."""
        places = {}
        for file in self.snapshot.files(table):
            if domain_of(file.key) != self.domain:
                continue
            columns = ["anchor_id", *([ID_COLUMN[table]] if table == "contrasts" else [])]
            number = 0
            for batch in self.snapshot.scan_files(table, [file], columns):
                for row in batch.to_pylist():
                    places["/".join(row.values())] = _Place(table, file, number)
                    number += 1
        return places

    def _choose(self, chosen: Sequence[_Place], most: int, lying: set[str]) -> None:
        """One lie a row, the kinds of which there are fewest first."""
        kinds = list_kinds(self.domain)
        used: Counter[str] = Counter()
        told: set[str] = set()
        for place in chosen:
            if len(self.lies) >= most:
                return
            row = self._get(place)
            found_at = {each["replacement"] for each in row.get("edits") or () if each["kind"] == RETRIEVED}
            if row[ID_COLUMN[place.table]] in self.beside | told or found_at & lying:
                continue  # what differs of an anchor that lies is laid to that one
            given = {**row, "table": place.table, **self._list_beside(place, row, told)}
            order = sorted(kinds, key=lambda name: (used[name], self.rng.random()))
            for name in order:
                changed = self._lie(kinds[name], given)
                if changed is not None:
                    used[name] += 1
                    self._note(name, place, row, changed)
                    told |= self.lies[-1].names
                    break

    def _list_beside(self, place: _Place, row: Row, told: set[str]) -> dict[str, Row | None]:
        """Rows that a lie may borrow from: another of the file, one of the same set, one of the anchor's other sets."""
        rows = self._read(place.table, place.file)
        other = rows[self.rng.randrange(len(rows))]
        owned = self.owned[row["anchor_id"]] if place.table == "contrasts" else []
        free = [each for each in owned if self._get(each)["contrast_id"] not in told | self.beside | {_id(row)}]
        siblings = [each for each in free if each.file.key == place.file.key]
        cousins = [each for each in free if each.file.key != place.file.key]
        found = {name: self.rng.choice(some) if some else None for name, some in (("s", siblings), ("c", cousins))}
        return {
            "anchor": self._get(self.anchors[row["anchor_id"]]) if place.table == "contrasts" else None,
            "other": other if other is not row else None,
            "sibling": {**self._get(found["s"]), "place": found["s"]} if found["s"] else None,
            "cousin": {**self._get(found["c"]), "place": found["c"]} if found["c"] else None,
        }

    def _get(self, place: _Place) -> Row:
        return self._read(place.table, place.file)[place.number]

    def _lie(self, kind: Kind, given: Row) -> Row | None:
        changed = kind({**given}, self.rng)
        if changed is None or changed.get("gone") or changed.get("twice"):
            return changed
        same = all(changed[key] == value for key, value in given.items() if key not in _BESIDE)
        return None if same else self.renamer.name_anew(given, changed)

    def _read(self, table: TableName, file: TableFile) -> list[Row]:
        if file.path not in self._tables:
            self._tables[file.path] = self.snapshot.read_rows(table, file, 0, file.rows).to_pylist()
            self.files[file.path] = (table, file)
        return self._tables[file.path]

    def _note(self, kind: str, place: _Place, row: Row, changed: Row) -> None:
        column = ID_COLUMN[place.table]
        names = {row[column], changed.get(column), f"{place.file.path}, row {place.number}"}
        if (also := changed.get("also")) is not None:
            kept = self._get(also["place"])
            also = self.renamer.name_anew({**kept, "table": "contrasts"}, also)
            names |= {also["contrast_id"], kept["contrast_id"]}
            self._change(also["place"], also)
        elif place.table == "contrasts" and any(
            changed.get(name) != row[name] or changed.get("gone") for name in ("anchor_id", "rank")
        ):
            # A gap shows at the rows beside it, and of the last rank in the counts of its family or anchor.
            names |= {row["anchor_id"], changed["anchor_id"], place.file.key}
            sets = {(changed["anchor_id"], place.file.key), (row["anchor_id"], place.file.key)}
            beside = {each for key in sets for each in self.sets.get(key, ())}
            names |= beside
            self.beside |= beside
        if any(each["kind"] == RETRIEVED for each in row.get("edits") or ()):
            # Of two neighbours that disagree nobody knows which one lies.
            self.beside |= set(self.sets[row["anchor_id"], place.file.key])
        if place.table == "anchors" and row["anchor_id"] != changed["anchor_id"] and not changed.get("anew"):
            mined = (self._get(each) for places in self.owned.values() for each in places)
            self.beside |= {
                _id(each) for each in mined if row["anchor_id"] in {e["replacement"] for e in each["edits"]}
            }
        if changed.get("anew"):
            self._follow(row["anchor_id"], changed["anchor_id"])
        if (copied := changed.get("sibling")) is not None and all(changed[name] == copied[name] for name in _SHOWN):
            self.beside.add(copied[column])
        small = bool(changed.get("small")) or is_faint(row, changed)
        columns = tuple(name for name in row if changed.get(name) != row[name])
        foreign = is_foreign({**row, "table": place.table}, changed)
        told = frozenset(name for name in names if name)
        self.lies.append(Lie(self.domain, kind, place.table, told, small, foreign, columns))
        self._change(place, changed)

    def _change(self, place: _Place, changed: Row) -> None:
        self.changes[place.file.path][place.number] = changed

    def _follow(self, old: str, new: str) -> None:
        """An anchor's contrasts, and what was found at it for others, name it as it is called now."""
        for places in self.owned.values():
            for place in places:
                row = self.changes[place.file.path].get(place.number) or self._get(place)
                renamed = self.renamer.follow(row, old, new)
                if renamed is not None:
                    self._change(place, renamed)
                    self.beside |= {_id(row), _id(renamed)}
                    self.lies = [
                        replace(lie, names=lie.names | {_id(renamed)}) if _id(row) in lie.names else lie
                        for lie in self.lies
                    ]

    def write(self, folder: Path) -> Mapping[str, tuple[TableFile, ...]]:
        """The changed files in the copy, and what each of their partitions shall hold."""
        held: dict[str, list[Row]] = {}
        for path, changes in self.changes.items():
            rows = [changes.get(number, row) for number, row in enumerate(self._tables[path])]
            held[path] = [
                each for row in rows if not row.get("gone") for each in [row] * (2 if row.get("twice") else 1)
            ]
        for path, (table, file) in self.files.items():
            for row in [each for each in held.get(path, ()) if each[PARTITION_COLUMN[table]] != split_key(file.key)[1]]:
                held[path].remove(row)
                home = next(p for p in held if split_key(self.files[p][1].key)[1] == row[PARTITION_COLUMN[table]])
                held[home].append(row)
        written: dict[str, TableFile] = {}
        for path, rows in held.items():
            table, file = self.files[path]
            content = encode_rows(table, rows)
            name = f"{file.key}/{hash_bytes(path.encode())}-{hash_bytes(content)[:16]}.parquet"
            (folder / name).write_bytes(content)
            written[path] = TableFile(name, len(content), len(rows))
        keys = {self.files[path][1].key: self.files[path][0] for path in written}
        return {
            key: tuple(written.get(file.path, file) for file in self.snapshot.files(table, split_key(key)[1]))
            for key, table in keys.items()
        }


def _id(row: Row) -> str:
    return str(row.get("contrast_id") or row["anchor_id"])


def encode_rows(table: TableName, rows: Sequence[Row]) -> bytes:
    """A table's file of these rows, each with the digest that it has now."""
    return encode_table(add_digests(to_arrow(table, rows)).drop_columns([PARTITION_COLUMN[table]]))


def is_faint(row: Row, changed: Row) -> bool:
    """Whether pictures alone differ, and by no more than a reader sees."""
    if any(changed.get(name) != value for name, value in row.items() if name not in ("image", "contrast_id", "digest")):
        return False
    try:
        before, after = (
            np.asarray(open_picture(each["image"]["bytes"]).convert("RGB"), int) for each in (row, changed)
        )
    except (OSError, ValueError, TypeError):
        return False  # what is no picture any more is seen to differ
    if before.shape != after.shape:
        return False
    return 0 < int(np.abs(before - after).max()) <= FAINT
