"""The worked examples of the flowchart prompts are charts that are taken."""

from __future__ import annotations

import re

from prompts import load_prompt
from tasks.flowchart.sources.synthesis import try_chart

FROM_TEXT, REPAIR = (load_prompt(f"flowchart.{name}").task for name in ("from_text", "repair"))


def test_written_example_is_a_chart() -> None:
    code = re.findall(r"```mermaid\n(.*?)```", FROM_TEXT, re.DOTALL)[-1]
    tried = try_chart(code)
    assert tried.result is not None, tried.problem
    assert len(tried.result.nodes) == 7


def test_repaired_line_is_what_was_wrong() -> None:
    bad, good = re.findall(r"`(A\(\[[^`]+)`", REPAIR)
    assert try_chart(f"flowchart TD\n{bad}\n").result is None
    assert try_chart(f"flowchart TD\n{good}\n").result is not None
