"""An anchor opened for editing: its caption clause by clause, and the scene behind its picture."""

from __future__ import annotations

from storage.rows import Anchor
from tasks.geometry.captions.read import ClaimError, ParsedCaption, parse_caption
from tasks.geometry.figure.scene import Scene, SceneError


class OpeningError(Exception):
    """The anchor has no caption or scene that can be edited; the message is a reject's reason."""


def open_anchor(anchor: Anchor) -> tuple[ParsedCaption, Scene]:
    """The anchor's caption and scene.

    Raises:
        OpeningError: one of them cannot be read.
    """
    try:
        return parse_caption(anchor.caption or ""), Scene.from_facts(anchor.facts)
    except ClaimError as error:
        raise OpeningError(f"caption: {error}") from error
    except SceneError as error:
        raise OpeningError(f"scene: {error}") from error
