"""A place for what libraries keep in the user's home, where there is no home that can be written (containers, cron)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def ensure_home() -> None:
    """Point Prefect, matplotlib and our own cache to a folder of the user's among the temporary ones, if need be."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - pathlib raises where there is none
    if home.is_dir() and os.access(home, os.W_OK):
        return
    folder = _make_private()
    for name, kind in (("PREFECT_HOME", "prefect"), ("MPLCONFIGDIR", "matplotlib"), ("XDG_CACHE_HOME", "cache")):
        os.environ.setdefault(name, str(folder / kind))


def _make_private() -> Path:
    """The same folder each time, as caches are worth keeping; another one if somebody else has made that."""
    folder = Path(tempfile.gettempdir()) / f"counterfoil-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    made = folder.lstat()
    if made.st_uid == os.getuid() and not made.st_mode & 0o077 and not folder.is_symlink():
        return folder
    return Path(tempfile.mkdtemp(prefix="counterfoil-"))
