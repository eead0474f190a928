"""What a dataset is called where its path will not do: one name for life, however its path is written.

It lies in the work folder, where no reader of the tables sees it. What is kept elsewhere about a dataset (what its
author has cost) is kept under it: `data/night` of two teams are two datasets, and `data/night` and `./data/night` one.
"""

from __future__ import annotations

import os
import re
import uuid

from counterfoil.storage.errors import StorageError
from counterfoil.storage.store import Store, explain_os_error

IDENTITY_PATH = "work/identity"
_FORM = re.compile(r"[0-9a-f]{32}")


def find_identity(store: Store) -> str:
    """The dataset's identity, 32 hexadecimal digits; "" where it has none yet.

    Raises:
        StorageError: what lies there is no identity.
    """
    try:
        found = store.read(IDENTITY_PATH).decode(errors="replace").strip()
    except FileNotFoundError:
        return ""
    if not _FORM.fullmatch(found):
        raise StorageError(f"{store.url}/{IDENTITY_PATH} holds no identity: remove it, and the next run makes another")
    return found


def make_identity(store: Store) -> str:
    """The dataset's identity, made at random where it has none. Of several that make one at once, one's stays."""
    while not (found := find_identity(store)):
        _create(store, uuid.uuid4().hex.encode())
    return found


def share_identity(store: Store, identity: str) -> None:
    """Let a dataset be called as another is, so that both count what they spend as one; a name that it has stays."""
    if not find_identity(store):
        _create(store, identity.encode())


def _create(store: Store, content: bytes) -> None:
    """Write the file whole, or leave another's."""
    if store.folder is None:
        store.create(IDENTITY_PATH, content)
        return
    target = store.folder / IDENTITY_PATH
    part = target.with_name(f"identity.{os.getpid()}.{content.decode()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        try:
            os.link(part, target)
        except FileExistsError:
            pass
        finally:
            part.unlink()
    except OSError as error:
        raise explain_os_error(error, "writing", str(target)) from error
