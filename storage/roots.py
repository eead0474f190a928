"""What stands for all bytes of a table version: a Merkle root over its files, kept in the metadata of its commit.

A file that holds one shard is called after the SHA-256 of its bytes, and one that holds many after the names of those
that it was made of, with its own SHA-256 in its record. So the names, sizes and rows of a version's files stand for its
content, and their root (RFC 6962: leaves and nodes are hashed apart) says in one line which rows there are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Protocol


class Listed(Protocol):
    """A file as a table's log lists it."""

    @property
    def path(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def rows(self) -> int: ...


def root_of(files: Iterable[Listed]) -> str:
    """The root of a table version with these files, as 64 hex digits; the order in which they come is all one."""
    return merkle_root(f"{file.path}\n{file.size}\n{file.rows}".encode() for file in sorted(files, key=_path))


def _path(file: Listed) -> str:
    return file.path


def merkle_root(leaves: Iterable[bytes]) -> str:
    """The Merkle tree hash of RFC 6962, section 2.1, as hex digits.

    >>> merkle_root([])[:16], merkle_root([b""])[:16]
    ('e3b0c44298fc1c14', '6e340b9cffb37a98')
    """
    level = [hashlib.sha256(b"\0" + leaf).digest() for leaf in leaves]
    if not level:
        return hashlib.sha256().hexdigest()
    while len(level) > 1:
        # The last of an odd number goes up as it is, which is how the RFC's split at a power of two comes out.
        pairs = [level[at : at + 2] for at in range(0, len(level), 2)]
        level = [hashlib.sha256(b"\1" + b"".join(pair)).digest() if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0].hex()
