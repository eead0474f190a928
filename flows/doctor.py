"""`counterfoil doctor`: what works on this machine, and how to get what does not."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True)
class Finding:
    """One line of the examination. ``needed`` marks what a run cannot do without."""

    part: str
    works: bool
    detail: str
    needed: bool = False


OPTIONAL = (
    ("torch", "training", "pip install 'counterfoil[train]'"),
    ("sentence_transformers", "text embeddings", "pip install 'counterfoil[train]'"),
    ("diffusers", "edited photographs", "pip install 'counterfoil[edit]'"),
    ("sklearn", "counterfoil evaluate", "pip install 'counterfoil[audit]'"),
    ("spacy", "captions of photographs", "pip install 'counterfoil[text]'"),
    ("s3fs", "datasets on s3://", "pip install 'counterfoil[s3]'"),
    ("ray", 'runner = "ray"', "pip install 'counterfoil[ray]'"),
    ("vllm", "in-process vLLM author", "an environment of its own: pip install vllm"),
)

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "VLLM_API_KEY")


def examine() -> list[Finding]:
    """What works here, part by part."""
    return [*_examine_python(), *_examine_sandbox(), *_examine_fonts(), *_examine_optional(), *_examine_keys()]


def print_findings(findings: Sequence[Finding], out: Console) -> None:
    """Print the findings as a table."""
    table = Table("part", "", "")
    for each in findings:
        mark = "[green]ok[/]" if each.works else ("[red]missing[/]" if each.needed else "[yellow]no[/]")
        table.add_row(each.part, mark, escape(each.detail))
    out.print(table)


def _examine_python() -> list[Finding]:
    good = sys.version_info >= (3, 11)
    cores = os.cpu_count() or 1
    return [
        Finding("Python", good, f"{platform.python_version()} (3.11 or later)", needed=True),
        Finding("machine", True, f"{platform.system()} {platform.machine()}, {cores} cores"),
    ]


def _examine_sandbox() -> list[Finding]:
    from counterfoil.renderers.sandbox import SandboxError, open_renderer, probe_levels

    findings = [
        Finding(f"sandbox: {each.name}", each.works, each.detail if each.works else f"{each.detail}. {each.advice}")
        for each in probe_levels()
    ]
    try:
        with open_renderer() as renderer:
            findings.append(Finding("sandbox level", True, f"{renderer.level} (self-test passed)", needed=True))
    except SandboxError as error:
        findings.append(Finding("sandbox level", False, str(error), needed=True))
    return findings


def _examine_fonts() -> list[Finding]:
    from matplotlib import font_manager

    path = font_manager.findfont("DejaVu Sans", fallback_to_default=True)
    return [Finding("font for figures", "DejaVuSans" in path, os.path.basename(path), needed=True)]  # noqa: PTH119


def _examine_optional() -> list[Finding]:
    findings = []
    for module, use, how in OPTIONAL:
        works = importlib.util.find_spec(module) is not None
        findings.append(Finding(f"{module} ({use})", works, "" if works else how))
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    detail = chromium or "apt-get install chromium"
    findings.append(Finding("chromium (browser tests)", bool(chromium), detail))
    return findings


def _examine_keys() -> list[Finding]:
    """Whether each key is present; never its value."""
    return [Finding(name, bool(os.environ.get(name)), "set" if os.environ.get(name) else "not set") for name in KEYS]
