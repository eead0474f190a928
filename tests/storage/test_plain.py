"""What others wrote as JSON and TOML is read, or refused by one kind of error."""

from __future__ import annotations

import json
import tomllib

import pytest

from counterfoil.flows.planning.recipe import RecipeError, apply_override, load_recipe
from counterfoil.storage.plain import DEEPEST, parse_json, parse_toml
from counterfoil.storage.rows import Reject
from counterfoil.tasks.contract.domain import SourceError, SourceRow
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.reading import read_json
from counterfoil.tasks.llm.errors import AuthorUnavailable
from counterfoil.tasks.llm.prices import load_prices

BAD = ["[" * 100_000, '{"a":' * 100_000, "[" * 500 + "]" * 500, '{"id": ' + "1" * 5000 + "}"]


@pytest.mark.parametrize("text", BAD)
@pytest.mark.parametrize("as_bytes", [False, True])
def test_every_fault_is_one_kind_of_error(text, as_bytes):
    with pytest.raises(json.JSONDecodeError):
        parse_json(text.encode() if as_bytes else text)


@pytest.mark.parametrize(
    "text",
    [
        "a = " + "[" * 100_000,
        "a = " + "{b = " * 5_000,
        "a." * 5_000 + "a = 1",
        "[" + "a." * 500 + "a]",
        "a = " + "1" * 5000,
    ],
)
def test_every_fault_of_toml_is_one_kind_of_error(text):
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(text)


def test_what_is_as_deep_as_allowed_is_read():
    deep = "[" * DEEPEST + "]" * DEEPEST
    assert json.dumps(parse_json(deep)) == deep
    assert parse_toml("a.b.c = [[1], {d = 2}]") == {"a": {"b": {"c": [[1], {"d": 2}]}}}


GOOD = {
    "theorem:pairs": {"informal": "If $n$ is even then $n^2$ is even."},
    "flowchart:charts": {"id": "a", "mermaid": "flowchart TD\n A[Begin] --> B[End]"},
    "geometry:problems": {"id": "p1", "question": "Find x.", "answer": "5"},
    "geometry:geometry3k": None,
    "caption:pairs": {"image": "a.png", "captions": ["A dog."]},
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("source", GOOD)
def test_a_bad_line_of_a_source_is_one_reject_and_the_others_are_read(tmp_path, source, bad):
    path = tmp_path / "rows.jsonl"
    good = json.dumps(GOOD[source]) if GOOD[source] else ""
    path.write_text("\n".join([bad, good, bad]) + "\n")
    domain = load_domain(source.partition(":")[0])
    settings = domain.settings_type.model_validate({"source": f"{source.partition(':')[2]}:{path}"})
    rows = [*domain.read(settings, 0, None)]
    rejects = [row for row in rows if isinstance(row, Reject)]
    assert len(rejects) >= 2
    assert len([row for row in rows if isinstance(row, SourceRow)]) == bool(good), [row.reasons for row in rejects]


def test_a_whole_file_that_is_bad_is_one_clear_error(tmp_path):
    path = tmp_path / "coco.json"
    path.write_text("[" * 100_000)
    domain = load_domain("caption")
    with pytest.raises(SourceError, match="not JSON: lists and objects are nested"):
        [*domain.read(domain.settings_type.model_validate({"source": f"coco:{path}"}), 0, None)]
    with pytest.raises(EvaluationError, match="is no JSON"):
        read_json(path)
    for name, text in (("prices.toml", "a = " + "[" * 100_000), ("r.toml", "[dataset]\nx = " + "[" * 100_000)):
        (tmp_path / name).write_text(text)
    with pytest.raises(AuthorUnavailable, match=r"prices\.toml"):
        load_prices(tmp_path / "prices.toml")
    with pytest.raises(RecipeError, match="is not TOML: lists and objects are nested"):
        load_recipe(tmp_path / "r.toml")
    with pytest.raises(RecipeError, match="--set takes"):
        apply_override({}, "a" + ".a" * 5000 + "=1")
