"""`counterfoil reproduce`: every paper's rows are recipes, and a table is walked from tables to figures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from counterfoil.flows.learning.reproducing import (
    Paper,
    PaperRow,
    list_overrides,
    list_reasons,
    list_rows,
    read_papers,
    reproduce_paper,
)
from counterfoil.flows.planning.recipe import RecipeError, load_recipe
from tests.tasks.training import tiny

NAMES = ("ahnpl", "concrete-jungle", "mathleap", "mmclip", "saclip", "sugarcrepepp")
PAPER = Paper(
    title="A table",
    recipe="mmclip",
    on="own",
    columns=[("texts", "geometry.caption: image to text", "Hit@1"), ("none", "geometry.rule: image to text", "Hit@1")],
    set=['training.families=["geometry.caption", "geometry.image"]', "geometry.families=[]"],
    rows=[
        PaperRow(name="as it begins", untuned=True, printed=["nobody asked", "nobody asked"]),
        PaperRow(name="CLIP", set=["training.objective=clip", "training.learn_from=[]"], printed=[50.0, "it has none"]),
        PaperRow(name="with texts", set=["training.objective=negclip"], printed=[60.0, "it has none"]),
    ],
)


@pytest.mark.parametrize("scale", [1.0, 0.02])
@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_every_paper_is_a_recipe(name, scale, tmp_path):
    paper = read_papers()[name]
    sets = [] if name not in ("ahnpl", "concrete-jungle") else ["caption.source=procedural:4000"]
    shared = list_overrides(paper, tmp_path, scale, sets)
    for row in paper.rows:
        recipe = load_recipe(f"recipes/{paper.recipe}.toml", [*shared, *row.set])
        assert len(row.printed) == len(paper.columns)
        assert recipe.dataset.path == str(tmp_path / "data")
        assert set(recipe.training.learn_from or []) <= {*recipe.training.families, *recipe.training.positives}


def test_one_key_scales_rows_and_model_down(tmp_path):
    shared = list_overrides(read_papers()["mmclip"], tmp_path, 0.05, [])
    recipe = load_recipe("recipes/mmclip.toml", shared)
    assert recipe.domains["geometry"].source == "procedural:100"
    assert recipe.domains["geometry"].template_bank == 5000
    assert recipe.training.model == "scratch"
    whole = load_recipe("recipes/mmclip.toml", list_overrides(read_papers()["mmclip"], tmp_path, 1, []))
    assert whole.training.model == "BAAI/AltCLIP"


@pytest.mark.parametrize("scale", [0, -1, 1.5])
def test_a_scale_that_is_no_share_is_told(scale, tmp_path):
    with pytest.raises(RecipeError, match="a share of the source rows, over 0 and at most 1"):
        list_overrides(PAPER, tmp_path, scale, [])


def test_a_benchmarks_files_are_asked_for_before_anything_is_made(tmp_path):
    def make(*_: object) -> None:
        raise AssertionError("nothing is to be made")

    with pytest.raises(RecipeError, match=r"name their folder by --on: replace_att\.json"):
        reproduce_paper(read_papers()["sugarcrepepp"], tmp_path, 1.0, [], make)
    with pytest.raises(RecipeError, match="asked on its own test split"):
        reproduce_paper(PAPER, tmp_path, 0.5, [], make, files=tmp_path)


@pytest.mark.slow
def test_a_table_stands_beside_ours_with_blind_baselines_and_chance(tmp_path):
    def make(recipe: str, overrides: list[str]) -> None:
        url = load_recipe(recipe, overrides).dataset.path
        anchors = [
            replace(each, split="test" if i % 4 == 0 else "train") for i, each in enumerate(tiny.make_anchors(120))
        ]
        tiny.publish(url, anchors, tiny.make_contrasts(anchors, beside=False))

    sets = ["training.steps=6", "training.batch_size=8", "training.resolution=32"]
    made = reproduce_paper(PAPER, tmp_path, 0.5, sets, make)
    rows = list_rows(made)
    assert [row[0] for row in rows] == ["as it begins", "CLIP", "with texts", "strongest blind baseline", "chance"]
    assert rows[0][1:] == ["(a)", "(b)", "(a)", "(b)"]
    assert rows[1][1] == "50.0"
    assert rows[1][3:] == ["(c)", "(d)"]
    assert rows[4][2] == "33.3"
    assert list_reasons(made)[:4] == [
        "(a) nobody asked",
        "(b) a model from scratch, as a scaled-down run has it, has no untuned state",
        "(c) it has none",
        "(d) the test split has nothing to ask (geometry.rule: image to text)",
    ]
    assert made.anchors == {"train": 90, "test": 30}
    told = json.loads((Path(tmp_path) / "results.json").read_text())
    assert told["rows"]["with texts"][0]["printed"] == 60
    assert 0 <= told["rows"]["with texts"][0]["low"] <= told["rows"]["with texts"][0]["ours"]
    absent = {"printed": None, "ours": None, "low": None, "high": None, "why_no_printed": "it has none"}
    assert {**told["rows"]["with texts"][1], "why_no_ours": ""} == {**absent, "why_no_ours": ""}


@pytest.mark.parametrize("name", NAMES)
def test_a_figure_that_a_paper_has_not_has_its_reason(name):
    for row in read_papers()[name].rows:
        assert all(each if isinstance(each, str) else 0 < each < 100 for each in row.printed)


def test_ahnpls_rows_are_contrastive_with_hard_negatives_as_in_its_table_3():
    rows = {row.name: load_recipe("recipes/ahnpl.toml", row.set) for row in read_papers()["ahnpl"].rows if row.set}
    terms = {name: set(recipe.training.terms) for name, recipe in rows.items()}
    margins = {"margin_positive", "margin_negative"}
    assert terms == {
        "CLIP, tuned": {"clip"},
        "with negatives": {"negclip"},
        "with negatives, MHNL": {"negclip", "mhnl"},
        "with negatives, DMCL": {"negclip", *margins},
        "AHNPL": {"negclip", "mhnl", *margins},
    }
    assert load_recipe("recipes/ahnpl.toml").training.terms == rows["AHNPL"].training.terms
    # Eq. 4 adds both directions, where NegCLIP and CLIP average them.
    assert all(recipe.training.terms.get("negclip", 2.0) == 2.0 for recipe in rows.values())
