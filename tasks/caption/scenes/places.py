"""The places where scenes play: ``places.toml``, which says what each key means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import cast

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.caption.scenes.graph import Place, Weather


@dataclass(frozen=True, slots=True)
class Ground:
    """How a place looks, and what may be there. Colours are ``#rrggbb``."""

    share: float
    weathers: tuple[Weather, ...]
    near: str
    far: str
    behind: str
    hill: str
    strewn: str
    flat: bool
    like: str


def _read(path: Path) -> dict[Place, Ground]:
    return {
        cast(Place, name): Ground(
            row["share"],
            tuple(row["weathers"]),
            row["ground"][0],
            row["ground"][1],
            row.get("behind", ""),
            row.get("hill", "#7f9bb0"),
            row.get("strewn", ""),
            row.get("flat", False),
            row.get("like", ""),
        )
        for name, row in read_toml(path).items()
    }


GROUNDS: Mapping[Place, Ground] = MappingProxyType(_read(Path(__file__).with_name("places.toml")))


def list_likes(places: frozenset[str]) -> frozenset[str]:
    """These places, and those that hold what they hold."""
    return places | {name for name, ground in GROUNDS.items() if ground.like in places}
