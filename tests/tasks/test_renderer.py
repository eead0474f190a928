"""The renderer that remembers: what is asked for together comes whole, however little is remembered."""

from __future__ import annotations

import pytest

from counterfoil.tasks.engine import renderer as remembering
from counterfoil.tasks.engine.renderer import MemoRenderer


def draw(length: int) -> str:
    lines = ["import matplotlib.pyplot as plt", "fig, ax = plt.subplots()", f"ax.plot([0, {length}], [0, 1])"]
    return "\n".join([*lines, "ax.set_xlim(0, 9)", "ax.axis('off')", ""])


def test_what_is_remembered_comes_with_what_is_new_though_the_new_pushes_it_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(remembering, "REMEMBERED", 2)
    renderer = MemoRenderer()
    try:
        old, other = (renderer.render(draw(length)) for length in (1, 2))
        asked = [draw(length) for length in (1, 3, 4, 1)]
        given = renderer.render_together(asked)
        assert given[0] is given[3] is old
        assert len({each.png for each in [*given, other]}) == 4
        assert renderer.rendered == 4
    finally:
        renderer.close()
