"""The nouns that scenes know: how large each is, and what it can do to others: ``nouns.toml``, a line for each.

How it is drawn is its asset, ``art/NAME.svg`` (see `tasks.caption.scenes.assets`): adding a thing is the file and the
line. ``python -m counterfoil.tasks.caption.scenes.gallery`` shows them all.

Every noun is rated 4.4 or more of 5 for concreteness by Brysbaert et al. (2014). Lengths are in the units of the
drawing; ``scale`` turns them into pixels of a 336 px picture. Sizes are a picture book's: an elephant is larger than a
mouse, and a mouse can still be seen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from counterfoil.tasks.caption.scenes.graph import Posture
from counterfoil.tasks.caption.scenes.places import list_likes
from counterfoil.tasks.caption.words.forms import pluralise

Kind = Literal["animal", "person", "vehicle", "building", "furniture", "plant", "object", "food"]
Grip = Literal["hand", "string", "pole"]


@dataclass(frozen=True, slots=True)
class Top:
    """A surface that bears others: ``y`` of it, its half width around ``x``, the tallest thing (pixels) it bears."""

    y: float
    half: float
    tallest: float
    x: float


@dataclass(frozen=True, slots=True)
class Hollow:
    """An opening that holds others: ``y`` of the rim, its half width, how deep things sink, the tallest (pixels)."""

    y: float
    half: float
    depth: float
    tallest: float


@dataclass(frozen=True, slots=True)
class Shelter:
    """Room beneath: ``y`` of the ceiling, from ``x0`` to ``x1``."""

    y: float
    x0: float
    x1: float


@dataclass(frozen=True, slots=True, eq=False)
class Noun:
    """One noun, equal to itself alone: there is one object of each.

    Attributes:
        also: other names of it, and ``also_plural`` for several.
        places: where it stands by itself.
        covers: things can hide behind it.
        grip: how a person holds it; None: not at all.
        hangs: it hangs on the wall of a room.
        hurries: it can move quickly or slowly.
        band: from which share of its height to which a person looks for its colour: a flower's petals, a boy's shirt.
    """

    name: str
    plural: str
    also: tuple[str, ...]
    also_plural: tuple[str, ...]
    kind: Kind
    scale: float
    colours: tuple[str, ...]
    postures: tuple[Posture, ...]
    places: frozenset[str]
    patterned: bool
    moods: bool
    covers: bool
    flies: bool
    hangs: bool
    hurries: bool
    grip: Grip | None
    top: Top | None
    hollow: Hollow | None
    shelter: Shelter | None
    band: tuple[float, float]


_TRAITS = ("patterned", "moods", "covers", "flies", "hangs", "hurries")


def _read(path: Path) -> dict[str, Noun]:
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: _build(name, entry) for name, entry in entries.items()}


def _build(name: str, entry: Mapping[str, Any]) -> Noun:
    traits = set(entry.get("traits", ()))
    if unknown := traits - set(_TRAITS):
        raise ValueError(f"nouns.toml, {name}: no such trait: {', '.join(unknown)}")
    low, high = entry.get("band", (0.0, 1.0))
    return Noun(
        name=name,
        plural=entry.get("plural", name + "s"),
        also=tuple(entry.get("also", ())),
        also_plural=tuple(map(pluralise, entry.get("also", ()))),
        kind=entry["kind"],
        scale=entry["scale"],
        colours=tuple(entry["colours"]),
        postures=tuple(entry.get("postures", ())),
        places=list_likes(frozenset(entry["places"])),
        grip=entry.get("grip"),
        top=Top(*entry["top"]) if "top" in entry else None,
        hollow=Hollow(*entry["hollow"]) if "hollow" in entry else None,
        shelter=Shelter(*entry["shelter"]) if "shelter" in entry else None,
        band=(low, high),
        **{trait: trait in traits for trait in _TRAITS},
    )


NOUNS: Mapping[str, Noun] = MappingProxyType(_read(Path(__file__).with_name("nouns.toml")))
