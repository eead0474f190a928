"""The tables' Delta logs: how far they go, and whether every commit that a reader needs is there and whole.

A commit appears whole or not at all, but a disk may lose what it had taken: a power failure leaves the newest empty, or
without its end, or takes it away. delta-rs reads an empty commit as one that changed nothing, so rows would be gone in
silence; every commit has a ``commitInfo``, which is looked for here. That a table lost its newest commit is told by the
other tables': a publish's commits name the versions that all have after it.

A torn newest commit can be set aside: the table is then as it was before, and the recipe run again publishes what it
held. An older one cannot, as later ones build on it.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from counterfoil.storage.errors import StorageError
from counterfoil.storage.schemas import TABLES
from counterfoil.storage.store import Store

INTENT_PATH = "work/publish.json"
"""The redo log of a publish that is under way or died (`counterfoil.storage.publish.Intent`)."""
_TORN = "work/torn"
_JUDGED = 256
_judged: dict[bytes, tuple[dict[str, Any], str]] = {}
"""What commits say, by the digest of their bytes: a run asks of the same ones several times."""
_COMMIT = re.compile(r"\d{20}\.json")
_CHECKPOINT = re.compile(r"\d{20}\.checkpoint\..*parquet")


def head_version(store: Store, table: str) -> int:
    """The table's newest version, from the names in its log alone; -1 where there is no table."""
    return max(_list_numbers(store, table, _COMMIT), default=-1)


def has_table(store: Store, table: str) -> bool:
    """Whether the table was made."""
    return head_version(store, table) >= 0


def find_torn_logs(store: Store, table: str, version: int | None = None) -> dict[str, str]:
    """The commits of a table's log that are cut, damaged or gone, by path, with what is wrong.

    Of its whole log; where ``version`` is given, of what a reader of that version needs, from a checkpoint on.
    """
    commits = _list_numbers(store, table, _COMMIT)
    last = max(commits, default=-1) if version is None else version
    first = 1 + max((n for n in _list_numbers(store, table, _CHECKPOINT) if n <= last), default=-1)
    paths = [_name(table, n) for n in sorted(commits) if version is None or first <= n <= last]
    torn = dict(zip(paths, store.map(lambda path: _read_commit(store, path)[1], paths), strict=True))
    torn |= {_name(table, n): "it is gone" for n in range(first, last + 1) if n not in commits}
    return {path: why for path, why in sorted(torn.items()) if why}


def check_log(store: Store, table: str, version: int) -> None:
    """That a reader of this version of a table (-1: it reads none) sees all that was published.

    Raises:
        StorageError: a commit that it needs is torn or gone.
    """
    if version < 0:
        return
    if lost := find_lost(store).get(table):
        raise StorageError(lost)
    if torn := find_torn_logs(store, table, version):
        raise explain_torn(store, table, *max(torn.items()))


def find_lost(store: Store) -> dict[str, str]:
    """The tables whose newest commit is gone, as the last publish's other commits tell, each with what to do."""
    newest = [_read_commit(store, _name(table, head_version(store, table)))[0] for table in TABLES]
    told = max(newest, key=lambda commit: commit.get("timestamp", 0)).get("versions") or {}
    if store.size(INTENT_PATH) is not None:  # Asked after what it tells was read: that publish is not at its end.
        return {}
    return {
        table: f"{_name(table, told[table])} of {store.url} is gone: the newest commits of the other tables, made by "
        f"the same publish, tell of it. Run the recipe again: it publishes anew what {table} lost"
        for table in TABLES
        if head_version(store, table) < told.get(table, -1)
    }


def mend_logs(store: Store) -> list[str]:
    """Under the publish lock: set torn newest commits aside; what was found and done.

    Raises:
        StorageError: a commit is torn that later ones build on.
    """
    messages = []
    for table in TABLES:
        while (head := head_version(store, table)) >= 0 and (why := _read_commit(store, _name(table, head))[1]):
            for name in store.list_names(f"{table}/_delta_log"):
                if name.startswith(f"{head:020d}.") or name == "_last_checkpoint":
                    store.move(f"{table}/_delta_log/{name}", f"{_TORN}/{table}-{name}")
            messages.append(
                f"{_name(table, head)}: {why}. It was set aside, in {_TORN}: {table} is as it was before that commit, "
                "and the whole recipe publishes what it held"
            )
        if torn := find_torn_logs(store, table, head):
            raise explain_torn(store, table, *max(torn.items()))
    return messages + list(find_lost(store).values())


def is_torn(store: Store) -> bool:
    """Whether a commit that a table's readers need is torn, or gone."""
    return bool(find_lost(store)) or any(find_torn_logs(store, table, head_version(store, table)) for table in TABLES)


def explain_torn(store: Store, table: str, path: str, why: str) -> StorageError:
    """The error of a reader that finds a commit torn: which, and what to do."""
    if path == _name(table, head_version(store, table)):
        remedy = "It is the newest: run the recipe again, which sets it aside and publishes what it held"
    else:
        remedy = (
            "Later commits build on it: bring it back from a copy of the dataset. Without one, move "
            f"{store.url.rstrip('/')}/{table}/_delta_log away and run the recipe again: it makes the table anew of "
            "finished shards, without its versions of before"
        )
    return StorageError(f"cannot read {table} of {store.url}: {path} of its log: {why}. {remedy}")


def _read_commit(store: Store, path: str) -> tuple[dict[str, Any], str]:
    """What a commit tells of itself (empty where it is not there), and what is wrong with it ('' where nothing is)."""
    try:
        content = store.read(path)
    except FileNotFoundError:
        return {}, "it is gone"
    digest = hashlib.sha256(content).digest()
    if digest not in _judged:
        if len(_judged) >= _JUDGED:
            _judged.clear()
        _judged[digest] = _judge_commit(content)
    return _judged[digest]


def _judge_commit(content: bytes) -> tuple[dict[str, Any], str]:
    try:
        actions = [json.loads(line) for line in content.splitlines()]
    except (ValueError, RecursionError) as error:
        return {}, f"it is cut or damaged ({type(error).__name__})"
    told = [action["commitInfo"] for action in actions if isinstance(action, dict) and "commitInfo" in action]
    return (told[0], "") if told and isinstance(told[0], dict) else ({}, "it is empty, or cut before its end")


def _list_numbers(store: Store, table: str, pattern: re.Pattern[str]) -> set[int]:
    return {int(name[:20]) for name in store.list_names(f"{table}/_delta_log") if pattern.fullmatch(name)}


def _name(table: str, number: int) -> str:
    return f"{table}/_delta_log/{number:020d}.json"
