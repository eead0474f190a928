"""`counterfoil audit` as it is used: what it prints, keeps and exits with."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import partial

import pytest

from tests.tasks.tells.rows import make_anchors, make_texts, store


@pytest.fixture
def dataset(tmp_path):
    anchors = make_anchors(60)
    told = make_texts(anchors, told=1)
    return store(tmp_path / "set", anchors, [*told, *make_texts(anchors, told=1, role="positive", family="toy.same")])


@pytest.fixture
def call(counterfoil) -> Callable[..., subprocess.CompletedProcess[str]]:
    return partial(counterfoil, "audit", check=False)


def test_a_family_over_the_limit_is_named_with_exit_code_1_and_positives_are_let_be(dataset, call):
    done = call(dataset.store.url, "--fail-over", "0.55", "--json")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("over 0.55: toy.text")
    found = {each["family"]: each for each in json.loads(done.stdout)}
    assert found["toy.same"]["judges"][0]["figures"]["pairwise"]["value"] > 0.9
    assert {each["judge"] for each in found["toy.text"]["judges"]} == {"n-grams", "features", "trees"}
    assert json.loads(dataset.store.read("audit.json")) == list(found.values())


def test_without_a_limit_the_figures_and_what_tells_are_printed_and_the_exit_code_is_0(dataset, call):
    done = call(dataset.store.url, "--family", "toy.text")
    assert done.returncode == 0
    assert "toy.text" in done.stdout and "toy.same" not in done.stdout
    assert "toy.text: 180 rows compared with caption, by n-grams. Best cues: near 100.0 %; past 100.0 %" in done.stdout
    assert "…" not in done.stdout


def test_a_place_without_a_dataset_is_told(tmp_path, call):
    done = call(tmp_path)
    assert done.returncode == 2
    assert "holds no dataset" in done.stderr
