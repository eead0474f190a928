"""Recipes: what is read, overridden, and refused with a message that names the key, the file and what is allowed."""

from __future__ import annotations

import pytest

from counterfoil.flows.planning.recipe import RecipeError, apply_override, check_sources, load_recipe
from counterfoil.tasks.contract.domain import SourceError

GOOD = """
[dataset]
path = "data/x"
seed = 7
[geometry]
source = "procedural:10"
families = ["rule"]
[flowchart]
source = "procedural:5"
families = ["flip", "code"]
"""


@pytest.fixture
def recipe(tmp_path):
    def write(text: str = GOOD):
        path = tmp_path / "recipe.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def problem(path, *overrides) -> str:
    with pytest.raises(RecipeError) as caught:
        load_recipe(path, overrides)
    return str(caught.value)


def test_a_recipe_is_read_with_its_defaults(recipe):
    checked = load_recipe(recipe())
    assert checked.dataset.shard_size is None
    assert checked.author.identity() == {"kind": "procedural"}
    assert list(checked.domains) == ["geometry", "flowchart"]
    assert checked.settings("geometry")["negatives"] == 10
    assert checked.families("flowchart") == ["flowchart.flip", "flowchart.code"]


def test_overrides_take_toml_values_and_plain_words(recipe):
    checked = load_recipe(
        recipe(),
        [
            "geometry.negatives=4",
            "geometry.markings=false",
            'geometry.families=["caption", "rule"]',
            "dataset.path=a/b c",
        ],
    )
    section = checked.settings("geometry")
    assert (section["negatives"], section["markings"], section["families"]) == (4, False, ["caption", "rule"])
    assert checked.dataset.path == "a/b c"


@pytest.mark.parametrize("override", ["negatives=3", "geometry.negatives", "=3", "geometry.=3", "dataset.path.x=3"])
def test_a_malformed_override_is_refused(override):
    with pytest.raises(RecipeError, match="--set"):
        apply_override({"dataset": {"path": "x"}}, override)


def test_an_unknown_section_is_named_with_a_suggestion(recipe):
    message = problem(recipe(GOOD.replace("[geometry]", "[geometri]")))
    assert "recipe.toml: unknown section [geometri] (did you mean 'geometry'?); allowed: dataset, author" in message


def test_an_unknown_key_is_named_with_what_is_allowed(recipe):
    message = problem(recipe(), "geometry.negative=4")
    assert (
        "geometry.negative: unknown key (did you mean 'negatives'?); allowed: source, test_share, families" in message
    )


def test_a_wrong_type_names_the_key_and_the_value(recipe):
    assert "geometry.negatives = 'many'" in problem(recipe(), "geometry.negatives=many")


def test_an_unknown_family_is_named(recipe):
    message = problem(recipe(), 'geometry.families=["captions"]')
    assert "geometry.families: no family 'captions' (did you mean 'caption'?); allowed: caption, image" in message


def test_every_problem_is_told_at_once(recipe):
    message = problem(recipe(), "geometry.negatives=-1", "dataset.shard_size=0", "dataset.colour=red")
    assert len(message.splitlines()) == 3


def test_a_key_in_the_wrong_place_is_refused(recipe):
    assert "[geometry] is a section of keys" in problem(recipe('geometry = 3\n[dataset]\npath = "x"\n'))


def test_a_recipe_without_domains_is_refused(recipe):
    assert "nothing to make" in problem(recipe('[dataset]\npath = "x"\n'))


def test_a_missing_file_and_broken_toml_are_told(recipe, tmp_path):
    assert "no recipe at" in problem(tmp_path / "none.toml")
    assert "is not TOML" in problem(recipe("[dataset\n"))
    assert "is a folder" in problem(tmp_path)


def test_a_model_is_needed_where_an_llm_writes(recipe):
    assert "needs a model" in problem(recipe(), "author.kind=openai")


@pytest.mark.parametrize("source", ["geometry.source=geometry3k:none.jsonl", "flowchart.source=charts:none"])
def test_a_source_that_is_not_there_is_told_before_anything_starts(recipe, source):
    with pytest.raises(SourceError, match=r"[Nn]o such file"):
        check_sources(load_recipe(recipe(), [source]))
    check_sources(load_recipe(recipe()))


def test_the_audit_section_is_checked_and_kept(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text('[dataset]\npath = "x"\n[flowchart]\nsource = "procedural:2"\n[audit]\nrefine = true\n')
    assert load_recipe(path).audit.refine
    assert load_recipe(path).dump()["audit"]["refine"] is True
    assert not load_recipe(path, ["audit.refine=false"]).audit.refine
    with pytest.raises(RecipeError, match=r"audit\.refin: unknown key \(did you mean 'refine'\?\)"):
        load_recipe(path, ["audit.refin=true"])


def test_accept_tell_names_families_of_negatives_that_there_are(tmp_path):
    path = tmp_path / "recipe.toml"
    text = '[dataset]\npath = "x"\n[flowchart]\nsource = "procedural:2"\n[audit]\naccept_tell = ["{}"]\n'
    path.write_text(text.format("flowchart.image"))
    assert load_recipe(path).audit.accept_tell == ("flowchart.image",)
    for name in ("flowchart.imagine", "flowchart.flip"):
        path.write_text(text.format(name))
        with pytest.raises(RecipeError, match=rf"audit\.accept_tell: no family of negatives '{name}'"):
            load_recipe(path)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('negatives = "three"', "geometry.negatives = 'three': expected: whole number, 1 to 50 ("),
        ('families = "rule"', "geometry.families = 'rule': expected: list of texts ("),
        ('retrieval_ranks = [0, "a"]', "geometry.retrieval_ranks.1 = 'a': expected: whole number, 0 to 10,000 and"),
        ('style = "big"', 'geometry.style = \'big\': expected: "plain" or "varied" ('),
        ('[training]\nobjective = {clip = "a"}', "training.objective.clip = 'a': expected: a number ("),
        ('[author]\nprice = {input = "free", output = 1}', "author.price.input = 'free': expected: a number"),
    ],
)
def test_a_wrong_value_is_told_in_words_with_what_is_expected(recipe, line, told):
    text = f'[dataset]\npath = "data/x"\n[geometry]\nsource = "procedural:10"\n{line}\n'
    message = problem(recipe(text))
    assert told in message and "nput should" not in message and message.count("expected:") == 1
