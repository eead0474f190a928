"""Other wordings of near misses, and of the texts that they were made of, as they are packed.

Where only true texts come in other words, the words tell: a made wording is true, a near miss keeps its caption's. So
both sides are put in other words alike, by the domain, which says that each means what it did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from counterfoil.storage.joining import Joined
from counterfoil.storage.rows import Anchor
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.training.errors import TrainingError


@dataclass
class Rewording:
    """Adds to each negative text at most ``most`` of both."""

    most: int
    sources: Mapping[str, Mapping[str, Any]]
    """Domain to its recipe's settings; what is left out is the domain's own."""
    seed: int
    _domains: dict[str, tuple[Domain[Any], Context[Any]]] = field(default_factory=dict)

    def add_to(self, row: Joined) -> Joined:
        """The row whose negative texts have ``same`` and ``reworded`` (`tasks.training.packing.manifest.ROWS`).

        Raises:
            TrainingError: the domain puts nothing in other words.
        """
        contrasts: list[Mapping[str, Any]] = []
        put: dict[str, Sequence[str]] = {}
        for each in row.contrasts:
            if each["role"] == "negative" and each["modality"] == "text":
                domain, context = self._open(each["family"].partition(".")[0])
                assert domain.reword is not None
                said = tuple(row.anchor.get("captions") or ())
                anchor = Anchor(
                    row.anchor["anchor_id"], domain.name, "", "", "train", caption=row.anchor["caption"], captions=said
                )
                of = each.get("of", row.anchor["caption"])
                if of not in put:
                    put[of] = domain.reword(of, anchor, context)
                other = domain.reword(each["text"], anchor, context)
                each = {**each, "same": list(put[of][: self.most]), "reworded": list(other[: self.most])}
            contrasts.append(each)
        return replace(row, contrasts=contrasts)

    def _open(self, name: str) -> tuple[Domain[Any], Context[Any]]:
        if name not in self._domains:
            domain = load_domain(name)
            if domain.reword is None:
                raise TrainingError(f"training.reworded: the domain {name} puts no text in other words: set it to 0")
            kind = next(iter(domain.sources))
            settings = domain.settings_type(**{"source": f"{kind}:1", **self.sources.get(name, {})})
            self._domains[name] = domain, Context(settings, self.seed, MemoRenderer())
        return self._domains[name]
