"""Every reason that the engine, an author or a domain may give for throwing a row away is explained in words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterfoil.renderers.results import Outcome
from counterfoil.tasks.engine.reasons import explain_reason, load_reasons
from counterfoil.tasks.engine.registry import DOMAIN_MODULES

ROOT = Path(__file__).parents[2]
WRITTEN_OUT = re.compile(r"([a-z][a-z_]+): ")


def list_nodes(folder: Path) -> Iterator[ast.AST]:
    for path in folder.rglob("*.py"):
        yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def find_checks(folder: Path) -> Iterator[str]:
    """The names of the checks that verifiers require: one that fails is a reason that begins with its name."""
    for node in list_nodes(folder):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "require":
            name = node.args[0]
            yield from [str(name.value)] if isinstance(name, ast.Constant) else []


def find_written_out(folder: Path) -> Iterator[str]:
    """The codes of reasons written as ``"code: details"`` where something is refused."""
    for node in list_nodes(folder):
        if isinstance(node, ast.Raise | ast.Yield | ast.Return) or (
            isinstance(node, ast.Assign) and "reason" in ast.unparse(node.targets[0])
        ):
            for each in ast.walk(node):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    found = WRITTEN_OUT.match(each.value)
                    if found:
                        yield found[1]


def find_first_arguments(folder: Path, function: str) -> Iterator[str]:
    for node in list_nodes(folder):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function:
            yield from [str(each.value) for each in node.args[:1] if isinstance(each, ast.Constant)]


@pytest.mark.parametrize("domain", DOMAIN_MODULES)
def test_every_reason_of_a_domain_is_explained(domain: str) -> None:
    """If this fails, write a sentence for the code into the domain's ``reasons.toml``."""
    codes = {*find_checks(ROOT / "tasks" / domain), *find_written_out(ROOT / "tasks" / domain)}
    assert len(codes) > 5
    assert sorted(code for code in codes if not explain_reason(code, domain)) == []


def test_every_reason_of_the_authors_and_the_sandbox_is_explained() -> None:
    codes = set(find_first_arguments(ROOT / "tasks" / "llm", "Violation"))
    codes |= {f"script_{outcome.value}" for outcome in Outcome if outcome is not Outcome.OK}
    assert {"llm_schema", "script_timeout"} <= codes
    assert sorted(code for code in codes if not explain_reason(code, "geometry")) == []


def test_every_fault_of_the_chart_engine_is_explained() -> None:
    codes = set(find_first_arguments(ROOT / "renderers" / "mermaid", "MermaidError"))
    assert {"undrawable", "too_large"} <= codes
    assert sorted(code for code in codes if not explain_reason(code, "flowchart")) == []


@pytest.mark.parametrize("domain", [*DOMAIN_MODULES, "a domain without a file"])
def test_an_explanation_is_one_sentence_or_two(domain: str) -> None:
    for code, sentence in load_reasons(domain).items():
        assert re.fullmatch(r"[a-z][a-z_]*", code)
        assert sentence[0].isupper() and sentence.endswith(".") and 20 < len(sentence) < 140, code


def test_a_code_that_nobody_explained_is_left_to_its_details() -> None:
    assert explain_reason("no_such_code", "geometry") == ""
