"""The worked examples of the flowchart prompts are charts that are taken."""

from __future__ import annotations

import re

import pytest

from counterfoil.prompts import load_prompt
from counterfoil.tasks.flowchart.sources.synthesis import try_chart

FROM_TEXT, REPAIR = (load_prompt(f"flowchart.{name}").task for name in ("from_text", "repair"))


@pytest.mark.parametrize(("which", "nodes", "direction"), [(0, 7, "TD"), (1, 6, "LR")])
def test_written_example_is_a_chart(which: int, nodes: int, direction: str) -> None:
    code = re.findall(r"```mermaid\n(.*?)```", FROM_TEXT, re.DOTALL)[-2:][which]
    tried = try_chart(code)
    assert tried.result is not None, tried.problem
    assert len(tried.result.nodes) == nodes and code.startswith(f"flowchart {direction}\n")


@pytest.mark.parametrize("which", [0, 1])
def test_repaired_line_is_what_was_wrong(which: int) -> None:
    bad, good = re.findall(r"`([AB][(\[][^`]+)`", REPAIR)[2 * which : 2 * which + 2]
    assert try_chart(f"flowchart TD\n{bad}\n").result is None
    assert try_chart(f"flowchart TD\n{good}\n").result is not None
