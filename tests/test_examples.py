"""The packages under examples/, each installed by its own metadata and tested by its own tests."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[1]
METADATA = "from setuptools import build_meta; build_meta.prepare_metadata_for_build_wheel('.')"


def install(package: Path, folder: Path) -> dict[str, str]:
    """A copy of ``package`` with the metadata that its build backend writes; the environment in which it is found."""
    shutil.copytree(package, folder)
    subprocess.run([sys.executable, "-c", METADATA], cwd=folder, check=True, capture_output=True, timeout=PATIENCE_S)
    return {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}


@pytest.fixture(scope="module")
def bars(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("installed") / "bars"
    return folder, install(ROOT / "examples" / "bars", folder)


def call(bars: tuple[Path, dict[str, str]], *command: str) -> str:
    folder, environment = bars
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_its_families_are_listed_with_their_package(bars):
    facts = json.loads(call(bars, "-m", "counterfoil", "families", "--json"))
    assert {each["family"]: each["package"] for each in facts if each["family"].startswith("bars.")} == {
        "bars.caption": "counterfoil-bars",
        "bars.image": "counterfoil-bars",
        "bars.retrieval": "counterfoil-bars",
    }


@pytest.mark.slow
def test_its_own_tests_pass(bars):
    assert " passed" in call(bars, "-m", "pytest", "-p", "no:cacheprovider", "-c", "pyproject.toml", "tests")


def test_it_holds_to_the_import_contract_of_domains_and_breaks_it_where_it_imports_another(bars):
    folder, environment = bars
    lint = [shutil.which("lint-imports", path=str(Path(sys.executable).parent)) or "lint-imports", "--no-cache"]
    options = {"cwd": folder, "env": environment, "capture_output": True, "text": True}
    kept = subprocess.run(lint, **options)
    assert kept.returncode == 0, kept.stdout
    chart = folder / "bars" / "chart.py"
    source = chart.read_text(encoding="utf-8")
    chart.write_text(source + "\nfrom counterfoil.tasks.theorem.truth import *\n", encoding="utf-8")
    try:
        broken = subprocess.run(lint, **options)
    finally:
        chart.write_text(source, encoding="utf-8")
    assert broken.returncode == 1
    assert "bars.chart -> counterfoil.tasks.theorem.truth" in broken.stdout


def test_it_is_under_250_lines_of_code():
    files = [*(ROOT / "examples" / "bars").rglob("*.py")]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert len(lines) < 250, len(lines)
