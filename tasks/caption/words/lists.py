"""The lists of ``lists.toml``: which words are states, measures, frames, and which forms are irregular."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

_LISTS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("lists.toml").read_text(encoding="utf-8"))

STATES = frozenset(_LISTS["states"])
MEASURES = frozenset(_LISTS["measures"])
PICTURES = frozenset(_LISTS["pictures"])
FRAMES = frozenset(_LISTS["frames"]) | PICTURES
PATTERNS = frozenset(_LISTS["patterns"])
GENDERED = frozenset(_LISTS["gendered"])
PRONOUNS = frozenset(_LISTS["pronouns"])
AMBIGUOUS = frozenset(_LISTS["ambiguous"])
MASS = frozenset(_LISTS["mass"])
VAGUE = frozenset(_LISTS["vague"])
LIGHT = frozenset(_LISTS["light"])
SAME = frozenset(_LISTS["same"])
PLURALS: Mapping[str, str] = MappingProxyType({pair.split(":")[0]: pair.split(":")[1] for pair in _LISTS["plurals"]})
PAST: Mapping[str, tuple[str, str]] = MappingProxyType(
    {base: (past, participle) for base, past, participle in (triple.split(":") for triple in _LISTS["past"])}
)
