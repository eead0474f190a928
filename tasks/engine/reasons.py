"""What the reason codes of rejects mean, in words.

A domain keeps a file ``reasons.toml`` in its package: its codes, each with one sentence. What every domain has in
common stands beside this module. A code without a sentence is no error: the details behind it are sentences.
"""

from __future__ import annotations

import logging
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from counterfoil.tasks.engine.registry import find_domain, find_modules

FILE = "reasons.toml"

log = logging.getLogger("counterfoil.guests")


def explain_reason(code: str, domain: str) -> str:
    """One sentence on what a reason code of ``domain`` means; empty where none is written.

    >>> explain_reason("duplicate", "geometry")
    'The anchor already has the same contrast.'
    """
    return load_reasons(domain).get(code, "")


@cache
def load_reasons(domain: str) -> Mapping[str, str]:
    """Code to sentence: what all domains share, and ``domain``'s own, which comes first."""
    found = _read(files("counterfoil.tasks.engine"))
    find_domain(domain)
    for module in find_modules(domain):
        if module in sys.modules:
            found |= _read_beside(module)
    return found


def _read_beside(module: str) -> dict[str, str]:
    """The sentences in the folder of an imported ``module``; none, and a warning, where they cannot be read."""
    try:
        return _read(Path(sys.modules[module].__file__ or "").parent)
    except (OSError, ValueError) as error:
        log.warning("%s beside %s cannot be read: %s", FILE, module, error)
        return {}


def _read(folder: Traversable) -> dict[str, str]:
    path = folder.joinpath(FILE)
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
