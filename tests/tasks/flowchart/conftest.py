"""A few charts, opened once: the renderer's worker is started once per process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.engine import rows as engine_rows
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.flowchart.domain import DOMAIN
from counterfoil.tasks.flowchart.drawing.rendering import get_mermaid
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from tests.shared import SHARED

CODE = """flowchart TD
    A([Start]) --> B[/"Moisten the stain"/]
    B --> C{"Is it gone?"}
    C -->|Yes| D["Dry it"]
    C -->|No| B
    D --> E([End])
"""


@pytest.fixture(scope="session")
def mermaid():
    return get_mermaid()


@pytest.fixture(scope="session")
def context() -> Context:
    return Context(FlowchartSettings(source="procedural:50"), 7, None)  # type: ignore[arg-type]  # flowcharts run no scripts


def make_anchors(code: str, context: Context, split: str = "train") -> list[Anchor]:
    made = engine_rows.make_anchors(DOMAIN, SourceRow("charts", "one", split, {"code": code}), context)
    assert not [row for row in made if isinstance(row, Reject)], made
    return [row for row in made if isinstance(row, Anchor)]


def make_contrasts(
    name: str, anchor: Anchor, context: Context, beside: Sequence[Anchor] = ()
) -> list[Contrast | Reject]:
    """The family's rows of one anchor, its preparation made of that anchor and those beside it."""
    family = DOMAIN.families[name]
    ready = prepare_here(family.prepare, [[anchor, *beside]], context) if family.prepare else context
    return engine_rows.make_contrasts((family,), anchor, ready)


@pytest.fixture(scope="session")
def anchors(context) -> list[Anchor]:
    return make_anchors(CODE, context)


@pytest.fixture(scope="session")
def contrasts(anchors, context) -> dict[str, list[tuple[Anchor, Contrast]]]:
    """Accepted rows of every family, with their anchors."""
    found: dict[str, list[tuple[Anchor, Contrast]]] = {}
    for name in DOMAIN.families:
        for anchor in anchors:
            rows = make_contrasts(name, anchor, context, [each for each in anchors if each != anchor])
            found.setdefault(name, []).extend((anchor, row) for row in rows if isinstance(row, Contrast))
    return found


@pytest.fixture(scope="session")
def shared() -> Iterator[Path]:
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no shared data at {SHARED}; set COUNTERFOIL_SHARED to its folder")
    yield SHARED
