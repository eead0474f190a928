"""What tests of the caption domain share: it needs the extra that parses captions."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.registry import group_families, load_domain
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts

SEED = 7


class Made:
    """Anchors of a source, and what families made of them."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.domain = load_domain("caption")
        self.settings = self.domain.settings_type.model_validate(settings)
        self.context: Context[Any] = Context(self.settings, SEED, None)  # type: ignore[arg-type]
        rows = list(self.domain.read(self.settings, SEED, None))
        self.refused = [row for row in rows if isinstance(row, Reject)]
        made = [
            each for row in rows if isinstance(row, SourceRow) for each in make_anchors(self.domain, row, self.context)
        ]
        self.refused += [row for row in made if isinstance(row, Reject)]
        self.anchors = {row.anchor_id: row for row in made if isinstance(row, Anchor)}

    def prepare(self) -> Context[Any]:
        prepared = self.domain.families["caption.concrete"].prepare
        assert prepared is not None
        return prepare_here(prepared, [list(self.anchors.values())], self.context)

    def make(self, family: str, ready: Context[Any], most: int | None = None) -> tuple[list[Contrast], list[Reject]]:
        """The family's rows of the first ``most`` anchors, or of all."""
        group = group_families(self.domain, [family])[0]
        anchors = [*self.anchors.values()][:most]
        rows = [row for anchor in anchors for row in make_contrasts(group, anchor, ready)]
        return [r for r in rows if isinstance(r, Contrast)], [r for r in rows if isinstance(r, Reject)]


@pytest.fixture(scope="session")
def scenes() -> tuple[Made, Context[Any]]:
    """Forty scenes and the plan over them."""
    pytest.importorskip("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")
    made = Made({"source": "procedural:40", "captions": 3, "top": 5})
    return made, made.prepare()
