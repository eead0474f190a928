"""What a benchmark shows: its texts and pictures, each once, under one numbering.

A text or picture that stands in several items has one number, is encoded once, and scores the same wherever it stands.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

import numpy as np

from counterfoil.storage.pictures import explain_unreadable
from counterfoil.tasks.evaluation.errors import EvaluationError


@dataclass(frozen=True)
class Picture:
    """An encoded picture in a file or at hand; with a ``box``, what it cuts out."""

    name: str
    path: Path | None = None
    content: bytes | None = None
    box: tuple[int, int, int, int] | None = None
    """Left, upper, width and height in pixels."""

    def read(self) -> bytes:
        """The encoded bytes; a cut-out is PNG, so that nothing is lost.

        Raises:
            EvaluationError: the file is no picture, or the box is outside it.
        """
        from PIL import Image as Pillow

        content = self.content
        if content is None:
            assert self.path is not None
            content = self.path.read_bytes()
        if self.box is None:
            return content
        left, upper, width, height = self.box
        try:
            with Pillow.open(BytesIO(content)) as opened:
                cut = opened.convert("RGB").crop((left, upper, left + width, upper + height))
        except OSError as error:
            told = f"{self.path or self.name}: no picture that can be read: {explain_unreadable(error)}"
            raise EvaluationError(told) from error
        if width < 1 or height < 1:
            raise EvaluationError(f"{self.name}: its box is {width} x {height} pixels")
        sink = BytesIO()
        cut.save(sink, "PNG")
        return sink.getvalue()


@dataclass
class Material:
    """Texts and pictures as they are met. Text ``i`` is node ``2 i``, picture ``i`` node ``2 i + 1``."""

    texts: list[str] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    _text_at: dict[str, int] = field(default_factory=dict)
    _picture_at: dict[object, int] = field(default_factory=dict)

    def add_text(self, text: str) -> int:
        """The node of a text."""
        place = self._text_at.setdefault(text, len(self.texts))
        if place == len(self.texts):
            self.texts.append(text)
        return 2 * place

    def add_picture(self, picture: Picture) -> int:
        """The node of a picture: the same one for the same file and box, or for the same bytes."""
        content = picture.content
        key: object = (hashlib.sha256(content).hexdigest() if content is not None else str(picture.path), picture.box)
        place = self._picture_at.setdefault(key, len(self.pictures))
        if place == len(self.pictures):
            self.pictures.append(picture)
        return 2 * place + 1

    def list_missing(self, places: Iterable[int]) -> list[str]:
        """Names of the pictures at these places whose files are not there."""
        pictures = (self.pictures[place] for place in places)
        return [each.name for each in pictures if each.path is not None and not each.path.is_file()]

    def text_of(self, node: int) -> str:
        """The text at a node."""
        return self.texts[node // 2]


def is_picture(nodes: np.ndarray) -> np.ndarray:
    """Which nodes are pictures."""
    return np.asarray(nodes % 2 == 1)
