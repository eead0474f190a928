"""A signature over all bytes of a dataset's tables, by whoever holds a key: Ed25519 (RFC 8032), beside the tables.

What is signed is a Merkle root a table over its files' names, sizes, rows and SHA-256, all read from the bytes as they
lie there, and what each publish said of itself: recipe, seed, counts. So whoever can write to the dataset, log and
records too, cannot change a row, nor what it is checked by, and keep the signature.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.roots import merkle_root
from counterfoil.storage.rows import fingerprint
from counterfoil.storage.schemas import TABLES

SIGNATURE_PATH = "signature.json"
_STATE = re.compile(r"[0-9a-f]{16,64}")
_HOW = "`openssl genpkey -algorithm ed25519 -out key.pem` makes one, `openssl pkey -in key.pem -pubout` its public half"


def read_private_key(path: Path) -> Ed25519PrivateKey:
    """The key in a PEM file without a password.

    Raises:
        StorageError: there is no such key.
    """
    try:
        key = load_pem_private_key(_read(path), None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise StorageError(f"{path} holds no private key in PEM without a password: {_HOW}") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise StorageError(f"{path} holds a key of another kind than Ed25519: {_HOW}")
    return key


def read_public_key(path: Path) -> Ed25519PublicKey:
    """The public key in a PEM file.

    Raises:
        StorageError: there is no such key.
    """
    try:
        key = load_pem_public_key(_read(path))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise StorageError(f"{path} holds no public key in PEM: {_HOW}") from error
    if not isinstance(key, Ed25519PublicKey):
        raise StorageError(f"{path} holds a key of another kind than Ed25519: {_HOW}")
    return key


def sign_dataset(dataset: Dataset, key: Ed25519PrivateKey) -> None:
    """Sign the tables as readers see them now; the signature before is replaced."""
    tables = describe_tables(dataset)
    said = {"tables": tables, "signature": key.sign(_encode(tables)).hex()}
    dataset.store.write(SIGNATURE_PATH, json.dumps(said, indent=1, sort_keys=True).encode() + b"\n")


def find_unsigned(dataset: Dataset, key: Ed25519PublicKey) -> str | None:
    """Why the tables are not those that the holder of ``key`` signed; None where they are."""
    try:
        said = json.loads(dataset.store.read(SIGNATURE_PATH))
        signed, signature = said["tables"], bytes.fromhex(said["signature"])
        key.verify(signature, _encode(signed))
    except FileNotFoundError:
        return "unsigned: nobody has signed it (`verify --sign KEY` does)"
    except (ValueError, KeyError, TypeError):
        return f"wrong_signature: {SIGNATURE_PATH} cannot be read"
    except InvalidSignature:
        return "wrong_signature: it was signed by another key or an older version, or the signature was changed"
    try:
        found = describe_tables(dataset)
    except FileNotFoundError:
        return "wrong_signature: files of its tables are gone"
    others = [table for table in TABLES if _get(signed, table, "root") != found[table]["root"]]
    if others:
        return f"wrong_signature: {', '.join(others)} has other bytes than were signed"
    others = [table for table in TABLES if signed.get(table) != found[table]]
    if others:
        return f"wrong_signature: the log of {', '.join(others)} says something else of its publishes than was signed"
    return None


def digest_state(dataset: Dataset) -> str:
    """What stands for all bytes of the tables and for all that their publishes said, as 64 hex digits."""
    return hashlib.sha256(_encode(describe_tables(dataset))).hexdigest()


def find_unexpected(dataset: Dataset, state: str) -> str | None:
    """Why the tables are not in the ``state`` that was told elsewhere (its first 16 digits or more); None where they
    are. An older version that was put back, with its own signature, is in another.

    Raises:
        StorageError: ``state`` is no such digits.
    """
    if not _STATE.fullmatch(state):
        raise StorageError(f"{state!r} is no state of a dataset: give the 16 to 64 hex digits that `verify` printed")
    try:
        found = digest_state(dataset)
    except FileNotFoundError:
        return "wrong_state: files of its tables are gone"
    return None if found.startswith(state) else f"wrong_state: it is in the state {found[:16]}, and not in {state[:16]}"


def _get(signed: Any, table: str, name: str) -> Any:
    return signed.get(table, {}).get(name)


def describe_tables(dataset: Dataset) -> dict[str, Any]:
    """Of each table its rows and root, from the bytes of its files; its newest publish, and a hash of what all of them
    said of themselves."""
    files = dataset.active_files()
    commits = [commit for commit in dataset.history() if commit.step != "vacuum"]
    return {
        table: {
            "rows": sum(file.rows for file in files if file.table == table),
            "root": merkle_root(
                f"{file.path}\n{file.size}\n{file.rows}\n{file.sha256}".encode()
                for file in files
                if file.table == table
            ),
            "version": max((each.version for each in commits if each.table == table), default=-1),
            "runs": fingerprint(
                sorted(
                    (each.version, each.step, each.root, fingerprint(each.metadata))
                    for each in commits
                    if each.table == table
                )
            ),
        }
        for table in TABLES
    }


def _encode(tables: Any) -> bytes:
    return b"counterfoil dataset 2\n" + json.dumps(tables, sort_keys=True, separators=(",", ":")).encode()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise StorageError(f"cannot read the key {path}: {error.strerror}") from error
