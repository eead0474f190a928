"""`counterfoil ablate`: what the tables compare, and a run of two variants from tower to table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counterfoil import recipes
from counterfoil.flows.learning.ablation import read_ablation, render_table
from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.tasks.sft.ablation import AblationSettings, list_variants
from tests.tasks.sft import pictures

RECIPE = """
[dataset]
path = "{data}"
[geometry]
source = "procedural:4"
[training]
path = "{folder}/unused"
{training}
[sft]
vision = "{vision}"
language = "{language}"
kinds = ["true"]
steps = 2
batch_size = 2
device = "cpu"
[ablation]
path = "{folder}/ablation"
on = ["mmmath:{folder}/q.json"]
only = ["none", "random", "image"]
most_tokens = 2
"""


def list_named(table: str, **more: object) -> dict[str, dict[str, object] | None]:
    settings = AblationSettings.model_validate({"tables": [table], "on": ["mmmath:q.json"], **more})
    return {variant.name: variant.training and dict(variant.training) for _, variant in list_variants(settings)}


def test_the_recipe_that_the_help_names_has_all_that_an_ablation_needs():
    path = Path(recipes.__file__).with_name("mmgeolm.toml")
    settings, _ = read_ablation(load_recipe(path, ['ablation.only=["none", "image"]']), str(path))
    assert [variant.name for _, variant in list_variants(settings)] == ["none", "image"]


def test_table_3_has_its_seven_sources():
    told = list_named("sources")
    assert list(told) == ["none", "random", "retrieval", "rule", "image", "retrieval+rule", "retrieval+rule+image"]
    assert told["none"] is None and told["random"]["objective"] == "clip"
    assert told["image"] == {
        "objective": "mmclip",
        "families": ["geometry.image"],
        "negative_texts": 10,
        "negative_images": 10,
    }


def test_table_9_has_eleven_variants_and_mixes_random_ones_in_the_batch():
    told = list_named("variants")
    assert len(told) == 11
    mixed = {name for name, training in told.items() if training and training["objective"] == "ib+mm"}
    assert mixed == {"random+retrieval", "random+rule", "random+image", "all"}


def test_counts_marks_and_templates_differ_in_one_thing():
    assert [each["negative_images"] for each in list_named("counts").values()] == [5, 10, 20, 30, 50]
    settings = AblationSettings(tables=["markings", "templates"], on=["mmmath:q.json"])
    marked, unmarked, template, image = (variant for _, variant in list_variants(settings))
    assert marked == image and unmarked.data == {"markings": False} and unmarked.training == marked.training
    assert template.training["families"] == ["geometry.template"]


def test_a_table_has_a_row_a_tower_and_a_column_a_question_file():
    score = {"part": "", "condition": "blind", "accuracy": 0.5, "low": 0.25, "high": 0.75}
    page = render_table([{"table": "sources", "tower": "none", "on": {"mmmath:q.json": [score]}}])
    assert page.splitlines() == [
        "| table | tower | mmmath all, blind |",
        "| --- | --- | --- |",
        "| sources | none | 50.0 (25.0 to 75.0) |",
    ]


@pytest.fixture(scope="module")
def recipe(tmp_path_factory) -> Path:
    pytest.importorskip("trl", reason="tuning needs an extra: pip install 'counterfoil[sft]'")
    from tests.tasks.sft import tiny
    from tests.tasks.training import tiny as training

    folder = tmp_path_factory.mktemp("ablation")
    anchors = training.make_anchors(40)
    data = training.publish(str(folder / "data"), anchors, training.make_contrasts(anchors))
    chosen = training.choose(steps=2).model_dump(mode="json", exclude_defaults=True)
    lines = "\n".join(f"{name} = {json.dumps(value)}" for name, value in chosen.items())
    parts = tiny.save_parts(folder / "parts")
    (folder / "a.png").write_bytes(pictures.draw_png(1))
    row = {"question": "How long?", "solution": "\\boxed{5}", "file_name": "a.png", "difficult": "easy"}
    (folder / "q.json").write_text(json.dumps([row]))
    path = folder / "run.toml"
    path.write_text(
        RECIPE.format(data=data, folder=folder, training=lines, vision=parts.vision, language=parts.language)
    )
    return path


@pytest.mark.slow
def test_towers_are_trained_set_into_the_same_model_and_asked_and_a_finished_one_is_kept(counterfoil, recipe):
    first = json.loads(counterfoil("ablate", recipe, "--json").stdout)
    assert [row["tower"] for row in first] == ["none", "random", "image"]
    assert first[0]["vision"].endswith("/clip")
    assert [row["vision"].rpartition("ablation/")[2] for row in first[1:]] == [
        "random/tower/model",
        "image/tower/model",
    ]
    folder = recipe.parent / "ablation"
    assert "| sources | image |" in (folder / "table.md").read_text()
    weights = folder / "image" / "lmm" / "tuning" / "model" / "model.safetensors"
    written = weights.stat().st_mtime_ns
    (folder / "image" / "variant.json").unlink()
    assert json.loads(counterfoil("ablate", recipe, "--json").stdout) == first
    assert weights.stat().st_mtime_ns == written


def test_what_a_recipe_lacks_is_told_in_one_line(counterfoil, tmp_path):
    bare = tmp_path / "bare.toml"
    bare.write_text('[dataset]\npath = "x"\n[geometry]\nsource = "procedural:1"\n')
    done = counterfoil("ablate", bare, check=False)
    assert done.returncode == 2 and "has no [ablation] section" in done.stderr
