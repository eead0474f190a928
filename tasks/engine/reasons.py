"""What the reason codes of rejects mean, in words.

A domain keeps a file ``reasons.toml`` in its package: its codes, each with one sentence. What every domain has in
common stands beside this module. A code without a sentence is no error: the details behind it are sentences.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from tasks.engine.registry import DOMAIN_MODULES

FILE = "reasons.toml"


def explain_reason(code: str, domain: str) -> str:
    """One sentence on what a reason code of ``domain`` means; empty where none is written.

    >>> explain_reason("duplicate", "geometry")
    'The anchor already has this very contrast.'
    """
    return load_reasons(domain).get(code, "")


@cache
def load_reasons(domain: str) -> Mapping[str, str]:
    """Code to sentence: what all domains share, and ``domain``'s own, which comes first."""
    found = _read("tasks.engine")
    if domain in DOMAIN_MODULES:
        found |= _read(DOMAIN_MODULES[domain].rpartition(".")[0])
    return found


def _read(package: str) -> dict[str, str]:
    path = files(package).joinpath(FILE)
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
