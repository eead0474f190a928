"""An anchor opened for editing: its captions clause by clause, and the scene behind its picture."""

from __future__ import annotations

from counterfoil.storage.rows import Anchor
from counterfoil.tasks.geometry.captions.read import ClaimError, ParsedCaption, parse_caption
from counterfoil.tasks.geometry.figure.scene import Scene, SceneError


class OpeningError(Exception):
    """The anchor has no caption or scene that can be edited; the message is a reject's reason."""


def open_anchor(anchor: Anchor) -> tuple[tuple[ParsedCaption, ...], Scene]:
    """Each of the anchor's captions, the one with the most clauses first, and its scene.

    Raises:
        OpeningError: one of them cannot be read.
    """
    try:
        captions = dict.fromkeys((anchor.caption or "", *anchor.captions))
        readings = sorted(map(parse_caption, captions), key=lambda reading: -len(reading.clauses))
        return tuple(readings), Scene.from_facts(anchor.facts)
    except ClaimError as error:
        raise OpeningError(f"caption: {error}") from error
    except SceneError as error:
        raise OpeningError(f"scene: {error}") from error
