"""Views of one statement as they are packed: positives of each other, and each with the near misses made of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
        if not views:
            return row
        kinds = {name: self.find_kind(name) for name in views}
        own = next((name for name, text in views.items() if text == caption), None)
        contrasts: list[Mapping[str, Any]] = []
        for each in row.contrasts:
            made_of = self._find_view(each["family"]) if each["role"] == "negative" else ""
            of = {"of": views[made_of], "view": kinds[made_of]} if made_of in views and made_of != own else {}
            contrasts.append({**each, **of})
        empty = {"image": None, "concreteness": None, "modality": "text", "role": VIEW, "family": ""}
        further = [
            {**empty, "kind": kinds[name], "text": text, "view": kinds[name]}
            for name, text in views.items()
            if name != own and text != caption
        ]
        anchor = {**row.anchor, "view": -1 if own is None else kinds[own]}
        return Joined(anchor, [*further, *contrasts])

    def _find_view(self, family: str) -> str:
        if family not in self._made_of:
            self._made_of[family] = load_family(family)[1].view
        return self._made_of[family]
