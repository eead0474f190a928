"""The nouns that scenes know: how each is drawn, how large it is, and what it can do to others (``nouns.toml``).

Every noun is rated 4.4 or more of 5 for concreteness by Brysbaert et al. (2014). Lengths are in the units of the
drawing (see `tasks.caption.scenes.brush`); ``scale`` turns them into pixels of a 336 px picture. Sizes are a picture
book's: an elephant is larger than a mouse, and a mouse can still be seen.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from tasks.caption.scenes.art import buildings, creatures, food, furniture, objects, plants, vehicles
from tasks.caption.scenes.art.beasts import BUILDS, draw_beast
from tasks.caption.scenes.art.face import Look
from tasks.caption.scenes.art.people import FIGURES, draw_person
from tasks.caption.scenes.brush import Brush
from tasks.caption.scenes.graph import Posture

Drawer = Callable[[Brush, Look], None]
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


@dataclass(frozen=True, slots=True)
class Noun:
    """One noun.

    Attributes:
        front: painted after what is inside.
        places: where it stands by itself.
        covers: things can hide behind it.
        grip: how a person holds it; None: not at all.
        hangs: it hangs on the wall of a room.
        hurries: it can move quickly or slowly.
        band: from which share of its height to which a person looks for its colour: a flower's petals, a boy's shirt.
    """

    name: str
    plural: str
    kind: Kind
    scale: float
    draw: Drawer
    front: Drawer | None
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
_ART = (buildings, creatures, food, furniture, objects, plants, vehicles)


def _read(path: Path) -> dict[str, Noun]:
    entries = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: _build(name, entry) for name, entry in entries.items()}


def _build(name: str, entry: Mapping[str, Any]) -> Noun:
    draw, front = _find_art(name)
    traits = set(entry.get("traits", ()))
    if unknown := traits - set(_TRAITS):
        raise ValueError(f"nouns.toml, {name}: no such trait: {', '.join(unknown)}")
    low, high = entry.get("band", (0.0, 1.0))
    return Noun(
        name=name,
        plural=entry.get("plural", name + "s"),
        kind=entry["kind"],
        scale=entry["scale"],
        draw=draw,
        front=front,
        colours=tuple(entry["colours"]),
        postures=tuple(entry.get("postures", ())),
        places=frozenset(entry["places"]),
        grip=entry.get("grip"),
        top=Top(*entry["top"]) if "top" in entry else None,
        hollow=Hollow(*entry["hollow"]) if "hollow" in entry else None,
        shelter=Shelter(*entry["shelter"]) if "shelter" in entry else None,
        band=(low, high),
        **{trait: trait in traits for trait in _TRAITS},
    )


def _find_art(name: str) -> tuple[Drawer, Drawer | None]:
    """The drawer of the noun and, of what is hollow, of its front."""
    if name in BUILDS:
        return partial(draw_beast, build=BUILDS[name]), None
    if name in FIGURES:
        return partial(draw_person, figure=FIGURES[name]), None
    module = next(module for module in _ART if hasattr(module, f"draw_{name}"))
    return getattr(module, f"draw_{name}"), getattr(module, f"draw_{name}_front", None)


NOUNS: Mapping[str, Noun] = MappingProxyType(_read(Path(__file__).with_name("nouns.toml")))
