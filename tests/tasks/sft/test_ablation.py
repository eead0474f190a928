"""The towers that an ablation compares can be trained, whatever their negatives are: texts, pictures, both or none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.needing import skip_without

skip_without("torch", reason="training needs an extra: pip install 'counterfoil[train]'")

import torch

from counterfoil.tasks.sft.ablation import AblationSettings, Variant, list_variants
from counterfoil.tasks.training.data import BatchMaker
from counterfoil.tasks.training.distributed import open_world
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.packing.pack import open_tokens, pack_dataset
from counterfoil.tasks.training.step import add_batch_gradient
from counterfoil.tasks.training.towers import open_towers
from tests.tasks.training import tiny

SETTINGS = AblationSettings(tables=["sources", "variants"], negatives=2, on=["mmmath:q.json"])
VARIANTS = {each.name: each for _, each in list_variants(SETTINGS) if each.training is not None}
TEXTS = ("geometry.rule", "geometry.retrieval")


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> str:
    """Negative texts of rules and retrieval, negative pictures, and no more."""
    anchors = tiny.make_anchors(16)
    made = tiny.make_contrasts(anchors)
    texts = [each for each in made if each.family == "geometry.caption"]
    pictures = [each for each in made if each.family == "geometry.image"]
    named = [replace(each, family=family) for family in TEXTS for each in texts]
    return tiny.publish(str(tmp_path_factory.mktemp("ablation") / "data"), anchors, [*pictures, *named])


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS.keys())
def test_every_tower_of_tables_3_and_9_learns_from_the_negatives_that_it_names(dataset, tmp_path, variant: Variant):
    given = {"families": ["geometry.image", *TEXTS], **(variant.training or {})}
    settings = tiny.choose(**given, holdout=0)
    manifest = pack_dataset(dataset, str(tmp_path), settings)
    assert set(manifest.families) == set(settings.families)
    tokens = open_tokens(manifest, str(tmp_path), settings)
    towers, objective = open_towers(settings, tokens), Objective(settings, len(manifest.families))
    batch = BatchMaker(str(tmp_path), manifest, settings, tokens).make(0, 0)
    told = add_batch_gradient(towers, objective, batch, open_world("cpu"), settings)
    assert set(told.terms) == set(settings.terms) and all(0 < each < 20 for each in told.terms.values())
    kinds = {"pictures": batch.layout.negative_images, "texts": batch.layout.negative_texts}
    wanted = {
        "pictures": "geometry.image" in settings.families and settings.negative_images != 0,
        "texts": bool(set(TEXTS) & set(settings.families)) and settings.negative_texts != 0,
    }
    assert {name: len(each.owner) > 0 for name, each in kinds.items()} == wanted
