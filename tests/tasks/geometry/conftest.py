"""What the geometry tests share: one sandbox for the session, and contexts that use it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.geometry.settings import GeometrySettings


@pytest.fixture(scope="session")
def renderer() -> Iterator[MemoRenderer]:
    """The sandbox, opened at first use."""
    opened = MemoRenderer()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def context(renderer: MemoRenderer) -> Context:
    """A context with ten negatives per anchor, none of them spare, and a small template bank."""
    settings = GeometrySettings(source="procedural:1", template_bank=24, spare=0)
    return Context(settings=settings, seed=7, renderer=renderer)
