"""`counterfoil new`: what it writes runs as it is written, with its tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from counterfoil.flows.planning.skeleton import SkeletonError, add_to_list, write_domain, write_family
from counterfoil.tasks.engine.reasons import explain_reason
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, UnknownNameError, load_family
from tests.tasks.guest_package import installed, write_package

ROOT = Path(__file__).resolve().parents[3]


def run_tests(root: Path) -> str:
    """The last line of what pytest says of a package's own tests."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pyproject.toml", "tests"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{ROOT}"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip().splitlines()[-1]


def test_a_new_domain_and_a_family_beside_its_first_run_as_they_are_written(tmp_path: Path):
    made = write_domain("fruit", tmp_path)
    root = tmp_path / "fruit"
    assert {*made.files} == {each for each in root.rglob("*") if each.is_file() and each.suffix != ".pyc"}
    write_package(tmp_path / "site", "counterfoil-fruit", {"counterfoil.domains": {"fruit": "fruit.domain:DOMAIN"}})
    with installed(root, tmp_path / "site"):
        assert load_family("fruit.exchange")[1].role == "negative"
        write_family("fruit.mixed", tmp_path)
        assert explain_reason("words_exchanged", "fruit")
        with pytest.raises(SkeletonError, match=r"fruit is there already|'fruit' is taken"):
            write_domain("fruit", tmp_path)
    assert [*json.loads((root / "tests" / "golden.json").read_text())] == [
        "fruit.anchors@1",
        "fruit.exchange@1.1",
        "fruit.mixed@1.1",
    ]
    assert "passed" in run_tests(root)


@pytest.mark.slow
def test_a_new_family_of_a_domain_that_is_not_here_passes_its_tests(tmp_path: Path):
    write_family("theorem.shuffled", tmp_path)
    assert "passed" in run_tests(tmp_path / "theorem_shuffled")


def test_a_new_family_of_a_domain_that_is_not_here_is_a_package_of_its_own(tmp_path: Path):
    made = write_family("theorem.shuffled", tmp_path)
    assert tmp_path / "theorem_shuffled" / "pyproject.toml" in made.files
    entries = {"counterfoil.families": {"theorem.shuffled": "theorem_shuffled:FAMILY"}}
    write_package(tmp_path / "site", "counterfoil-theorem-shuffled", entries)
    with installed(tmp_path / "theorem_shuffled", tmp_path / "site"):
        assert load_family("theorem.shuffled")[1].how == "two words of the caption exchanged"
        with pytest.raises(SkeletonError, match=r"theorem\.shuffled is there already"):
            write_family("theorem.shuffled", tmp_path)


@pytest.mark.parametrize("domain", DOMAIN_MODULES)
def test_our_own_domains_list_their_families_so_that_one_more_is_added(domain: str):
    path = ROOT / "tasks" / domain / "domain.py"
    told = add_to_list(path.read_text(encoding="utf-8"), "zebra", path)
    compile(told, str(path), "exec")
    assert "*zebra.FAMILIES" in told
    assert f"from counterfoil.tasks.{domain}.families import" in told
    assert ", zebra\n" in told
    assert max(map(len, told.splitlines())) <= 120


def test_a_domain_that_lists_its_families_otherwise_is_left_as_it_is():
    with pytest.raises(SkeletonError, match=r"bars/domain\.py has no line"):
        add_to_list("FAMILIES = {}\n", "zebra", "bars/domain.py")


@pytest.mark.parametrize("name", ["Fruit", "fruit-bowl", "class", "", "geometry", "training", "json", "../fruit"])
def test_a_domain_of_a_name_that_is_none_or_is_taken_is_not_written(tmp_path: Path, name: str):
    with pytest.raises(SkeletonError):
        write_domain(name, tmp_path)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["theorem", "theorem.", "theorem.Bad", "theorem.negative", "theorem.a.b"])
def test_a_family_of_a_name_that_is_none_or_is_taken_is_not_written(tmp_path: Path, name: str):
    with pytest.raises(SkeletonError):
        write_family(name, tmp_path)
    assert not [*tmp_path.iterdir()]


def test_a_family_of_an_unknown_domain_is_told(tmp_path: Path):
    with pytest.raises(UnknownNameError, match="did you mean theorem"):
        write_family("theorems.odd", tmp_path)
