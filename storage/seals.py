"""What the tables' logs were when they were written: a hash of each of their files, noted beside the tables.

A table's rows are named by their hash, and the names of its files by the root in its commit. That leaves the commit
itself, in which a flipped bit may change a schema, a recipe or a count and still be read. So each publish notes the
SHA-256 of every file of the logs that was not noted before. A publish that dies before that leaves commits without a
note, which the next one makes; a note stays as it is while its file is there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from counterfoil.storage.schemas import TABLES
from counterfoil.storage.store import Store

SEAL_PATH = "seal.json"
_ENDINGS = (".json", ".parquet")


def seal_logs(store: Store) -> None:
    """Note the hashes of the logs' files that have no note, and forget those of files that went away."""
    there, noted = _list_logs(store), _read(store)
    fresh = [path for path in there if path not in noted]
    if fresh or len(noted) > len(there):
        hashes = dict(zip(fresh, store.map(lambda path: _hash(store, path), fresh), strict=True))
        kept = {path: noted.get(path) or hashes[path] for path in there}
        store.write(SEAL_PATH, json.dumps(kept, indent=0, sort_keys=True).encode() + b"\n")


def find_unsealed(store: Store) -> Iterator[tuple[str, str]]:
    """The files of the logs that are not as they were noted, by path, and why."""
    try:
        noted = json.loads(store.read(SEAL_PATH))
        if not isinstance(noted, dict):
            raise ValueError("no notes are in it")
    except FileNotFoundError:
        yield SEAL_PATH, "no_seal: nothing tells what the logs' bytes were; the next publish notes it"
        return
    except ValueError as error:
        yield SEAL_PATH, f"damaged: {error}; remove it, and the next publish writes it anew"
        return
    there = set(_list_logs(store))
    for path in sorted(noted.keys() - there):
        yield path, "gone: a publish noted its hash"
    for path in sorted(there & noted.keys()):
        found = _hash(store, path)
        if found != noted[path]:
            yield path, f"wrong_hash: its bytes have the SHA-256 {found[:16]}, and not {str(noted[path])[:16]} as noted"


def _read(store: Store) -> dict[str, str]:
    try:
        noted = json.loads(store.read(SEAL_PATH))
    except (FileNotFoundError, ValueError):
        return {}
    return noted if isinstance(noted, dict) else {}


def _list_logs(store: Store) -> list[str]:
    """Commits and checkpoints; ``_last_checkpoint`` is a hint, which is written anew."""
    return [
        f"{table}/_delta_log/{name}"
        for table in TABLES
        for name in store.list_names(f"{table}/_delta_log")
        if name[:20].isdigit() and name.endswith(_ENDINGS)
    ]


def _hash(store: Store, path: str) -> str:
    return hashlib.sha256(store.read(path)).hexdigest()
