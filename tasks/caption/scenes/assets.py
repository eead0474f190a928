"""Drawings as data: ``art/NAME.svg`` is what is painted for the noun NAME, and ``art/parts.svg`` what several have.

Shapes are strokes of `tasks.caption.scenes.brush.Brush`, by name: SVG's ``path``, ``circle``, ``ellipse``, ``rect`` and
``polygon``, and our ``blob``, ``cloud``, ``limb``, ``curve`` and ``shine``. They stand in groups: ``g`` moves what is
in it to ``x``, ``y`` and makes it ``size`` as large; ``both`` paints it twice, mirrored to the left and then as it is.

- ``when="happy sad"``: painted if the thing looks one of these ways (its colour, its pattern or ``plain``, its posture,
  its mood, or ``holding``); ``unless="happy sad"``: if it looks none of them.
- ``<g id="NAME">`` at the top is a part: painted where ``<use href="#NAME"/>`` stands, with the other attributes of
  ``use`` in place of ``{attribute}``. The part ``front`` is painted after what is in the thing.
- ``skeleton="beast"`` or ``"person"``: heads, tails and proportions are here; what moves with the posture is code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

from counterfoil.tasks.caption.scenes.brush import Brush
from counterfoil.tasks.caption.scenes.graph import Mood, Pattern, Posture
from counterfoil.tasks.caption.scenes.palette import COLOURS

Painter = Callable[[Brush], None]
ART = Path(__file__).with_name("art")
SHAPES = ("path", "circle", "ellipse", "rect", "polygon", "blob", "cloud", "limb", "curve", "shine")
WORDS = frozenset({*COLOURS, *get_args(Pattern), *get_args(Posture), *get_args(Mood), "holding"})
_SIGNATURES = {shape: inspect.signature(getattr(Brush, shape)) for shape in SHAPES}
_NAMESPACE = "{http://www.w3.org/2000/svg}"


class AssetError(ValueError):
    """An asset that cannot be painted; the message names the file, the element and what is wrong with it."""


@dataclass(frozen=True, eq=False)
class Asset:
    """What a file says: the attributes of its root, the parts that have a name, and what is painted besides."""

    name: str
    traits: Mapping[str, str]
    parts: Mapping[str, ElementTree.Element]
    body: ElementTree.Element

    def paint(self, brush: Brush, part: str | None = None, **values: str) -> None:
        """Paint the body, or a part with ``values`` in place of its ``{names}``.

        Raises:
            AssetError: the asset has no such part or cannot be painted.
        """
        _compile_part(self, part, tuple(values.items()))(brush)


@cache
def read_asset(name: str, folder: Path = ART) -> Asset:
    """The asset of a noun.

    Raises:
        AssetError: there is no such file, or it is not SVG.
    """
    try:
        root = ElementTree.parse(folder / f"{name}.svg").getroot()
    except (OSError, ElementTree.ParseError) as error:
        raise AssetError(f"{folder / name}.svg: {error}") from error
    body = ElementTree.Element(_NAMESPACE + "g")
    body.extend(each for each in root if "id" not in each.attrib)
    return Asset(name, root.attrib, {each.attrib["id"]: each for each in root if "id" in each.attrib}, body)


def has_skeleton(noun: str, skeleton: str) -> bool:
    return read_asset(noun).traits.get("skeleton") == skeleton


@lru_cache(maxsize=1024)
def _compile_part(asset: Asset, part: str | None, values: tuple[tuple[str, str], ...]) -> Painter:
    return _compile(asset, _find_part(asset, part) if part else asset.body, dict(values))


def _find_part(asset: Asset, part: str) -> ElementTree.Element:
    found = asset.parts.get(part, read_asset("parts").parts.get(part))
    if found is None:
        raise AssetError(f"art/{asset.name}.svg: there is no part {part!r}")
    return found


def _compile(asset: Asset, element: ElementTree.Element, values: Mapping[str, str]) -> Painter:
    """The element as a function of the brush, with ``values`` in place of ``{names}``."""
    tag = element.tag.removeprefix(_NAMESPACE)
    try:
        attributes = {name: text.format_map(values) for name, text in element.attrib.items() if name != "id"}
        when, unless = (frozenset(attributes.pop(name, "").split()) for name in ("when", "unless"))
        if unknown := (when | unless) - WORDS:
            raise ValueError(f"nothing looks {', '.join(sorted(unknown))}")
        if tag in SHAPES:
            painter = _compile_shape(tag, attributes)
        elif tag == "use":
            part = _find_part(asset, attributes.pop("href").removeprefix("#"))
            place = _take_place(attributes)
            painter = partial(_paint_group, [_compile(asset, part, {**values, **attributes})], place, False)
        elif tag in ("g", "both"):
            place = _take_place(attributes)
            if attributes:
                raise ValueError(f"it takes no {', '.join(attributes)}")
            painter = partial(_paint_group, [_compile(asset, each, values) for each in element], place, tag == "both")
        else:
            raise ValueError("there is no such shape")
    except AssetError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise AssetError(f"art/{asset.name}.svg: <{tag} {dict(element.attrib)}>: {error}") from error
    return partial(_paint_when, painter, when, unless) if when or unless else painter


def _compile_shape(tag: str, attributes: Mapping[str, str]) -> Painter:
    parameters = _SIGNATURES[tag].parameters
    texts = {name.replace("-", "_"): text for name, text in attributes.items()}
    _SIGNATURES[tag].bind(None, **texts)
    read: dict[str, Callable[[str], Any]] = {"float": float, "int": int}
    values = {name: read.get(parameters[name].annotation, str)(text) for name, text in texts.items()}
    return partial(_paint_shape, getattr(Brush, tag), values)


def _take_place(attributes: dict[str, str]) -> tuple[float, float, float] | None:
    """Where a group's (0, 0) is and how long its 1; None where that is as around it."""
    if attributes.keys().isdisjoint(("x", "y", "size")):
        return None
    return float(attributes.pop("x", 0)), float(attributes.pop("y", 0)), float(attributes.pop("size", 1))


def _paint_shape(stroke: Callable[..., None], values: Mapping[str, Any], brush: Brush) -> None:
    stroke(brush, **values)


def _paint_group(painters: list[Painter], place: tuple[float, float, float] | None, both: bool, brush: Brush) -> None:
    placed = brush.at(*place) if place else brush
    for side in placed.halves() if both else (placed,):
        for paint in painters:
            paint(side)


def _paint_when(painter: Painter, when: frozenset[str], unless: frozenset[str], brush: Brush) -> None:
    if unless.isdisjoint(brush.looks) and not (when and when.isdisjoint(brush.looks)):
        painter(brush)
