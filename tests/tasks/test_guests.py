"""Domains and families of other packages: found by entry points, and a broken one takes nothing from the others."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterfoil.flows.making.showing import list_family_facts
from counterfoil.flows.planning.recipe import SECTIONS, RecipeError, check_recipe
from counterfoil.storage.rows import Anchor
from counterfoil.tasks.engine.guests import RESERVED, GuestError
from counterfoil.tasks.engine.reasons import explain_reason
from counterfoil.tasks.engine.registry import (
    DOMAIN_MODULES,
    UnknownNameError,
    find_domain,
    list_domains,
    list_families,
    load_domain,
    load_family,
)
from tests.tasks.guest_package import installed, write_package

TOY = Path(__file__).with_name("toy_domain.py").read_text(encoding="utf-8")
SHEAR = """
from counterfoil.tasks.contract.family import Draft, Family

def make(anchor, context):
    yield Draft(text=anchor.caption)

def verify(contrast, anchor, context):
    raise NotImplementedError

FAMILY = Family("{name}", "negative", "text", "none", "shears", make, verify, count=lambda _: 1)
"""


def broken(tmp_path: Path, source: str, name: str = "toy", value: str = "odd:DOMAIN") -> str:
    """The one line about a guest called ``odd-package`` whose module ``odd`` is ``source``."""
    write_package(tmp_path / "odd", "odd-package", {"counterfoil.domains": {name: value}}, odd=source)
    with installed(tmp_path / "odd"):
        with pytest.raises(GuestError) as told:
            load_domain(name)
        assert [each for each in list_domains() if each != name] == list(DOMAIN_MODULES)
        assert "flowchart.flip" in list_families()
        assert find_domain(name) is None
    line = str(told.value)
    assert line.startswith(f"package odd-package: its domain {name} ({value}) cannot be used: ")
    assert "\n" not in line
    return line.rpartition("cannot be used: ")[2]


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "toys"
    write_package(folder, "toy-package", {"counterfoil.domains": {"toy": "toys:DOMAIN"}}, toys=TOY)
    with installed(folder):
        yield folder


@pytest.mark.usefixtures("toy")
def test_a_domain_of_another_package_is_one_like_ours():
    assert list_domains() == (*DOMAIN_MODULES, "toy")
    assert load_family("toy.near")[0].name == "toy"
    packages = {each["family"]: each["package"] for each in list_family_facts()}
    assert (packages["toy.near"], packages["geometry.rule"]) == ("toy-package", "counterfoil")
    recipe = check_recipe({"dataset": {"path": "x"}, "toy": {"source": "count:3"}}, "here")
    assert recipe.families("toy") == ["toy.near", "toy.far", "toy.word"]


def test_its_reasons_stand_beside_its_module(toy: Path):
    (toy / "reasons.toml").write_text('is_number = "It is no number."\n', encoding="utf-8")
    assert explain_reason("is_number", "toy") == "It is no number."
    assert explain_reason("duplicate", "toy")


def test_reasons_that_are_no_toml_are_told_and_take_no_others(toy: Path, caplog: pytest.LogCaptureFixture):
    (toy / "reasons.toml").write_text("is_number: no", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert explain_reason("duplicate", "toy")
    assert "reasons.toml beside toys cannot be read" in caplog.text


def test_a_family_is_added_to_a_domain_of_ours(tmp_path: Path):
    entries = {"counterfoil.families": {"theorem.shear": "shears:FAMILY"}}
    write_package(tmp_path, "shear-package", entries, shears=SHEAR.format(name="theorem.shear"))
    with installed(tmp_path):
        assert load_family("theorem.shear")[1].how == "shears"
        packages = {each["family"]: each["package"] for each in list_family_facts()}
        assert packages["theorem.shear"] == "shear-package"
    assert "theorem.shear" not in list_families()


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("theorem.shear", "import nothing_of_the_kind", "ModuleNotFoundError: No module named 'nothing_of_the_kind'"),
        ("theorem.shear", "FAMILY = 7", "it is a int, not a Family of the contract"),
        ("theorem.shear", SHEAR.format(name="theorem.other"), "calls itself 'theorem.other'"),
        ("theorem.negative", SHEAR.format(name="theorem.negative"), "taken by the domain's own family"),
        ("shear", SHEAR.format(name="shear"), "its name must be DOMAIN.NAME"),
    ],
)
def test_a_broken_family_is_one_line_and_the_domain_works_without_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, source: str, said: str
):
    entries = {"counterfoil.families": {name: "shears:FAMILY"}}
    write_package(tmp_path, "shear-package", entries, shears=source)
    with installed(tmp_path), caplog.at_level(logging.WARNING, "counterfoil.guests"):
        assert "theorem.negative" in list_families()
        assert load_domain("theorem").families["theorem.negative"].how != "shears"
        list_families()
    told = [each.getMessage() for each in caplog.records]
    assert len(told) == 1
    assert told[0].startswith(f"package shear-package: its family {name} (shears:FAMILY) cannot be used: ")
    assert said in told[0]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import nothing_of_the_kind", "ModuleNotFoundError: No module named 'nothing_of_the_kind'"),
        ("raise ZeroDivisionError('at\\nimport')", "ZeroDivisionError: at import"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("def broken(:", "SyntaxError"),
        ("DOMAINS = 3", "AttributeError: module 'odd' has no attribute 'DOMAIN'"),
        ("DOMAIN = 'toy'", "it is a str, not a Domain of the contract"),
        (TOY.replace('name="toy"', 'name="top"'), "it calls itself 'top'"),
        (TOY.replace("anchor_uses=()", 'anchor_uses=("colour",)'), "anchor_uses names no setting: colour"),
        (TOY.replace('"toy.far",\n', '"far",\n'), "the family 'far' must be called toy.NAME"),
        (TOY.replace("list_families(", "dict.fromkeys("), "not a Family of the contract"),
        (TOY.replace('"negatives", "spare", "step"', '"steps",'), "toy.near: uses names no setting: steps"),
        (
            TOY.replace('"negatives", "spare", "step"', '"negatives",), rates=("beauty",'),
            "rates names what rows do not have: beauty",
        ),
        (TOY.replace('uses=("negatives", "spare", "step")', 'uses="negatives"'), "uses is one text, not a tuple"),
        (TOY.replace("anchor_uses=()", "anchor_uses=(), shard_size=0"), "shard_size is 0, not a whole number from 1"),
        (TOY.replace("settings_type=ToySettings", "settings_type=dict"), "no subclass of DomainSettings"),
    ],
)
def test_a_broken_domain_is_one_line_that_names_its_package(tmp_path: Path, source: str, said: str):
    assert said in broken(tmp_path, source)


@pytest.mark.parametrize(
    ("key", "answer", "said"),
    [
        ("count", "'2'", "gave '2', not a whole number from 0, nor None"),
        ("count", "-1", "gave -1, not"),
        ("count", "True", "gave True, not"),
        ("count", "1.5", "gave 1.5, not"),
        ("count", "1 / 0", "ended with ZeroDivisionError: division by zero"),
        ("spare", "None", "gave None, not a whole number from 0"),
        ("quotas", "['number']", "gave ['number'], not a list of Quota"),
        ("fluency", "'gpt2'", "gave 'gpt2', not a list of names of models"),
    ],
)
def test_a_family_that_answers_wrongly_about_settings_is_one_line(tmp_path: Path, key: str, answer: str, said: str):
    entries = {"counterfoil.families": {"theorem.shear": "shears:FAMILY"}}
    source = SHEAR.format(name="theorem.shear").replace("count=lambda _: 1", "**HOOKS")
    hooks = "HOOKS = {'count': lambda _: None, 'spare': lambda _: 3}"
    write_package(tmp_path / "right", "right-package", entries, shears=f"{hooks}\n{source}")
    with installed(tmp_path / "right"):
        family = load_family("theorem.shear")[1]
        assert (family.count(None), family.spare(None), family.quotas(None), family.fluency(None)) == (None, 3, (), ())
    write_package(
        tmp_path / "odd", "odd-package", entries, shears=f"{hooks} | {{'{key}': lambda _: {answer}}}\n{source}"
    )
    with installed(tmp_path / "odd"), pytest.raises(GuestError) as told:
        getattr(load_family("theorem.shear")[1], key)(None)
    line = (
        f"package odd-package: its family theorem.shear (shears:FAMILY) cannot be used: {key} of theorem.shear {said}"
    )
    assert str(told.value).startswith(line)


@pytest.mark.parametrize(
    ("key", "answer", "said"),
    [
        ("traits", "1 / 0", "traits of toy ended with ZeroDivisionError: division by zero"),
        ("traits", "{'size': 3}", "traits of toy gave {'size': 3}, not texts by name"),
        ("describe_yield", "3", "describe_yield of toy gave 3, not a text"),
        ("judges", "'yes'", "judges of toy gave 'yes', not True or False"),
        ("questions", "'why?'", "questions of toy gave 'why?', not a list of Question"),
        ("vocabulary", "None", "vocabulary of toy gave None, not"),
        ("refutes", "'no'", "refutes of toy gave 'no', not True, False or None"),
    ],
)
def test_a_domain_that_answers_wrongly_about_anchors_is_one_line(tmp_path: Path, key: str, answer: str, said: str):
    entries = {"counterfoil.domains": {"toy": "toys:DOMAIN"}}
    wrong = f"{TOY}\nfrom dataclasses import replace\nDOMAIN = replace(DOMAIN, {key}=lambda *given: {answer})\n"
    write_package(tmp_path / "odd", "odd-package", entries, toys=wrong)
    with installed(tmp_path / "odd"), pytest.raises(GuestError) as told:
        getattr(load_domain("toy"), key)()
    assert str(told.value).startswith("package odd-package: its domain toy (toys:DOMAIN) cannot be used: " + said)


@pytest.mark.usefixtures("toy")
def test_a_domain_that_answers_rightly_is_as_it_was():
    toy = load_domain("toy")
    anchor = Anchor("a", "toy", "count", "1", "train", caption="1")
    assert (toy.traits(anchor), toy.judges(anchor), toy.questions(anchor)) == ({}, True, ())
    assert toy.describe_yield(2, 1, {}) == "1 of 2, {}"
    assert (toy.refutes("2", anchor, None), toy.refutes("1", anchor, None)) == (True, False)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("geometry", "the name is taken by counterfoil itself"),
        ("training", "the name is that of a section of every recipe"),
        ("Toy-Box", "its name must be NAME of small letters, digits and _"),
    ],
)
def test_a_name_that_is_taken_is_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str, said: str
) -> None:
    write_package(tmp_path, "odd-package", {"counterfoil.domains": {name: "toys:DOMAIN"}}, toys=TOY)
    with installed(tmp_path), caplog.at_level(logging.WARNING, "counterfoil.guests"):
        assert list_domains() == tuple(DOMAIN_MODULES)
        assert "geometry.rule" in list_families()
    (told,) = [each.getMessage() for each in caplog.records]
    assert said in told
    assert "package odd-package" in told


def test_of_two_packages_with_one_name_the_first_has_it_and_the_second_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    write_package(tmp_path / "b", "b-package", {"counterfoil.domains": {"toy": "toys:DOMAIN"}}, toys=TOY)
    write_package(tmp_path / "a", "a-package", {"counterfoil.domains": {"toy": "toys:DOMAIN"}})
    with installed(tmp_path / "b", tmp_path / "a"), caplog.at_level(logging.WARNING, "counterfoil.guests"):
        assert {each["package"] for each in list_family_facts()} == {"counterfoil", "a-package"}
    assert "package b-package: its domain toy (toys:DOMAIN) cannot be used: the name is taken by package a-package" in (
        caplog.text
    )


def test_a_recipe_that_names_a_broken_guest_says_which_package(tmp_path: Path):
    write_package(tmp_path, "odd-package", {"counterfoil.domains": {"toy": "odd:DOMAIN"}}, odd="DOMAIN = 3")
    with installed(tmp_path):
        with pytest.raises(GuestError, match="package odd-package"):
            check_recipe({"dataset": {"path": "x"}, "toy": {"source": "count:3"}}, "here")
        assert check_recipe({"dataset": {"path": "x"}, "theorem": {"source": "procedural:3"}}, "here").domains
        with pytest.raises(RecipeError, match="did you mean 'toy'"):
            check_recipe({"dataset": {"path": "x"}, "toyy": {"source": "count:3"}}, "here")
        with pytest.raises(UnknownNameError, match="no domain is called 'toyy'"):
            load_domain("toyy")


def test_the_reserved_names_are_the_sections_of_a_recipe():
    assert set(SECTIONS) == RESERVED


def test_facts_are_plain_data():
    assert json.dumps(list_family_facts())
