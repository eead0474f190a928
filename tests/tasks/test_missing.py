"""A package that is not installed ends a run and a verification with one line; it is nobody's row."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from counterfoil.flows.showing.errors import word_actionable
from counterfoil.tasks.packages import word_missing

RECIPE = """
[dataset]
path = "{path}"
workers = 1
[theorem]
source = "procedural:4"
families = ["negative"]
"""
GONE = "raise ModuleNotFoundError(\"No module named 'z3'\", name='z3')\n"


def call(*words: object, without: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The command, as on a machine without the packages whose names are those of modules in ``without``."""
    return subprocess.run(
        [sys.executable, "-m", "counterfoil", *map(str, words)],
        env=os.environ | ({"PYTHONPATH": str(without)} if without else {}),
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )


@pytest.fixture
def recipe(tmp_path):
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "z3.py").write_text(GONE)
    path = tmp_path / "r.toml"
    path.write_text(RECIPE.format(path=tmp_path / "data"))
    return path


def test_a_run_and_verify_say_which_package_is_missing_in_one_line(recipe):
    folder = recipe.parent
    told = r"this needs the package z3, which is not installed: pip install 'z3-solver"
    run = call("run", recipe, without=folder / "without")
    assert run.returncode == 2 and re.search(told, run.stderr + run.stdout), run.stdout + run.stderr
    assert "internal_error" not in run.stdout + run.stderr and "Traceback" not in run.stderr
    whole = call("run", recipe)
    assert whole.returncode == 0, whole.stdout + whole.stderr
    verified = call("verify", folder / "data", "--workers", 1, without=folder / "without")
    assert verified.returncode == 2, verified.stdout + verified.stderr
    (line,) = (line for line in verified.stderr.splitlines() if "z3" in line)
    assert re.match(told, line) and "Traceback" not in verified.stderr and "cannot_check" not in verified.stdout


@pytest.mark.parametrize(
    ("package", "wanted"),
    [
        ("numpy", "numpy<3,>=2.4"),
        ("z3.z3core", "z3-solver"),
        ("sklearn.svm", "counterfoil[audit]"),
        ("wn", "counterfoil[text]"),
        ("PIL", "pillow<14,>=13"),
        ("of_a_guest", "of-a-guest"),
    ],
)
def test_what_is_missing_is_told_with_what_installs_it(package, wanted):
    told = word_missing(ModuleNotFoundError(f"No module named {package!r}", name=package))
    assert told is not None and f"pip install '{wanted}" in told
    assert word_actionable(ModuleNotFoundError("x", name=package)) is not None


def test_a_module_of_ours_that_is_missing_is_a_bug():
    assert (
        word_missing(ModuleNotFoundError("No module named 'counterfoil.tasks.gone'", name="counterfoil.tasks.gone"))
        is None
    )
    assert (
        word_actionable(
            ImportError("cannot import name 'a' from 'counterfoil.storage.rows'", name="counterfoil.storage.rows")
        )
        is None
    )
