"""Statements of our own as anchors with their contrasts, made once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.rows import make_contrasts
from counterfoil.tasks.theorem.anchors import make_anchors
from counterfoil.tasks.theorem.domain import DOMAIN
from counterfoil.tasks.theorem.settings import TheoremSettings


@pytest.fixture(scope="session")
def context() -> Context[TheoremSettings]:
    """Default settings, seed 7."""
    return Context(TheoremSettings(source="procedural:40"), 7, None)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def anchors(context: Context[TheoremSettings]) -> list[Anchor]:
    """Forty statements of our own."""
    rows = [row for row in DOMAIN.read(context.settings, 7, None) if isinstance(row, SourceRow)]
    made = [each for row in rows for each in make_anchors(row, context)]
    return [each for each in made if isinstance(each, Anchor)]


@pytest.fixture(scope="session")
def contrasts(anchors: list[Anchor], context: Context[TheoremSettings]) -> dict[str, list[Contrast]]:
    """The accepted contrasts of the first twelve statements, by family."""
    return make_all(anchors[:12], context)


def make_all(anchors: list[Anchor], context: Context[TheoremSettings]) -> dict[str, list[Contrast]]:
    """The accepted contrasts of statements, by family."""
    found: dict[str, list[Contrast]] = {}
    for family in DOMAIN.families.values():
        ready = prepare_here(family.prepare, [anchors], context) if family.prepare else context
        rows = [row for anchor in anchors for row in make_contrasts((family,), anchor, ready)]
        found[family.name] = [row for row in rows if isinstance(row, Contrast)]
    return found


@pytest.fixture(scope="session")
def make_anchor(context: Context[TheoremSettings]) -> Callable[..., Anchor]:
    """An anchor of an informal statement, a Lean one, or both."""

    def make(informal: str = "", formal: str = "") -> Anchor:
        payload = {"informal": informal, "formal": formal, "type": "", "answer": "", "name": "t"}
        (anchor,) = make_anchors(SourceRow("pairs", "t", "", payload), context)
        assert isinstance(anchor, Anchor), anchor
        return anchor

    return make
