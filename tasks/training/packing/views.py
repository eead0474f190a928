"""Views of one statement as they are packed: positives of each other, and each with the near misses made of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from counterfoil.storage.joining import Joined
from counterfoil.tasks.engine.registry import load_family

VIEW = "view"
"""The role of a view among a row's contrasts."""


@dataclass
class Views:
    """The names of views, as they are met in the order of the rows; families' kinds stand before theirs."""

    families: Sequence[str]
    names: list[str] = field(default_factory=list)
    _made_of: dict[str, str] = field(default_factory=dict)

    def find_kind(self, name: str) -> int:
        """The kind of a view, by its name."""
        if name not in self.names:
            self.names.append(name)
        return len(self.families) + self.names.index(name)

    def add_to(self, row: Joined) -> Joined:
        """The row with its views among its contrasts, except the one that is its caption.

        The anchor's ``view`` and each contrast's are kinds, as `tasks.training.packing.manifest.ROWS` has them, and a
        negative text has beside it, as ``of``, the text that it was made of.
        """
        caption = row.anchor["caption"]
        views = {view["name"]: view["text"] for view in row.anchor["views"] or ()}
        captions = list(dict.fromkeys((caption, *(row.anchor["captions"] or ())))) if not views else []
        if len(captions) > 1:
            return self._add_captions(row, captions)
        if not views:
            return row
        kinds = {name: self.find_kind(name) for name in views}
        own = next((name for name, text in views.items() if text == caption), None)
        contrasts: list[Mapping[str, Any]] = []
        for each in row.contrasts:
            made_of = self._find_view(each["family"]) if each["role"] == "negative" else ""
            of = {"of": views[made_of], "view": kinds[made_of]} if made_of in views and made_of != own else {}
            contrasts.append({**each, **of})
        further = [_make_view(kinds[name], text) for name, text in views.items() if name != own and text != caption]
        anchor = {**row.anchor, "view": -1 if own is None else kinds[own]}
        return Joined(anchor, [*further, *contrasts])

    def _add_captions(self, row: Joined, captions: Sequence[str]) -> Joined:
        """The row of a picture that has several captions: each is a view, and a text was made of the nearest one."""
        kinds = [self.find_kind(f"caption {place}") for place in range(1, len(captions) + 1)]
        contrasts: list[Mapping[str, Any]] = []
        for each in row.contrasts:
            place = find_nearest(each["text"], captions) if each["text"] is not None else 0
            of = {"of": captions[place]} if each["role"] == "negative" and place else {}
            contrasts.append({**each, "view": kinds[place], **of})
        further = [_make_view(kind, text) for kind, text in zip(kinds[1:], captions[1:], strict=True)]
        return Joined({**row.anchor, "view": kinds[0]}, [*further, *contrasts])

    def _find_view(self, family: str) -> str:
        if family not in self._made_of:
            self._made_of[family] = load_family(family)[1].view
        return self._made_of[family]


def find_nearest(text: str, captions: Sequence[str]) -> int:
    """The place of the caption that a text was made of: the one whose words, and their order, are most alike.

    >>> find_nearest("On a mat, a cat sleeps", ["A dog barks", "A cat sleeps on a mat"])
    1
    """
    words = _split(text)

    def rate(caption: str) -> tuple[float, float]:
        own = _split(caption)
        shared = 2 * sum((Counter(words) & Counter(own)).values()) / max(len(words) + len(own), 1)
        return shared + SequenceMatcher(None, words, own, autojunk=False).ratio(), shared

    return max(range(len(captions)), key=lambda place: rate(captions[place]))


def _split(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _make_view(kind: int, text: str) -> dict[str, Any]:
    """A view as it stands among a row's contrasts."""
    return {
        **{"image": None, "concreteness": None, "modality": "text", "role": VIEW, "family": ""},
        **{"kind": kind, "text": text, "view": kind},
    }
