"""Contrasts made on the fly: through the registry, by the family's own sampler, the same again for the same step."""

from __future__ import annotations

from typing import Any

import pytest

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.storage.store import Store
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts
from counterfoil.tasks.training.data import BatchMaker
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.packing.pack import open_tokens, pack_dataset
from counterfoil.tasks.training.packing.sampled import read_sampled
from tests.tasks.training import tiny

GIVEN = {"flowchart": {"source": "procedural:1"}}
FAMILY, PICTURES = "flowchart.caption", "flowchart.image"


@pytest.fixture(scope="module")
def charts(tmp_path_factory) -> str:
    """The triplets of one chart with false captions, in a table."""
    domain = load_domain("flowchart")
    settings = domain.settings_type(source="procedural:1")
    context = Context(settings, 7, MemoRenderer())
    row = next(iter(domain.read(settings, 7, 1)))
    anchors = [each for each in make_anchors(domain, row, context) if isinstance(each, Anchor)]
    tables: dict[str, list[Any]] = {"anchors/domain=flowchart": anchors}
    for name in (FAMILY, PICTURES):
        family = domain.families[name]
        assert family.prepare is not None
        ready = prepare_here(family.prepare, [anchors], context)
        made = [row for anchor in anchors for row in make_contrasts([family], anchor, ready)]
        tables[f"contrasts/family={name}"] = [row for row in made if isinstance(row, Contrast)]
    url = str(tmp_path_factory.mktemp("charts") / "data")
    key = fingerprint("charts")
    StagedShards(url).write(
        key,
        {name: to_table(rows, name.partition("/")[0]) for name, rows in tables.items()},  # type: ignore[call-overload]
    )
    Dataset(url).publish({name: [key] for name in tables})
    return url


def test_a_sampled_family_is_made_anew_in_every_epoch_and_the_same_again(charts, tmp_path):
    settings = tiny.choose(
        families=[FAMILY], sample=[FAMILY], negative_texts=2, holdout=0, batch_size=2, streams=1, shard_rows=64
    )
    manifest = pack_dataset(charts, str(tmp_path), settings, sources=GIVEN, seed=7)
    assert manifest.there == {}
    split = next(iter(manifest.splits))
    maker = BatchMaker(str(tmp_path), manifest, settings, open_tokens(manifest, str(tmp_path), settings), split)
    refs = maker._plan(0, 0)[0]
    drawn = [[each.text for ref in refs for each in maker.draw(ref, epoch).negatives] for epoch in (0, 1, 0)]
    captions = {maker.draw(ref, 0).caption for ref in refs}
    assert all(len(texts) >= 2 for texts in drawn)
    assert drawn[0] == drawn[2] != drawn[1]
    assert not captions & set(drawn[0])


def test_a_sampled_picture_comes_as_a_picture_and_no_text_without_it_stands_for_it(charts, tmp_path):
    settings = tiny.choose(
        families=[FAMILY], sample=[PICTURES], negative_images=2, holdout=0, batch_size=2, streams=1, shard_rows=64
    )
    manifest = pack_dataset(charts, str(tmp_path), settings, sources=GIVEN, seed=7)
    split = next(iter(manifest.splits))
    maker = BatchMaker(str(tmp_path), manifest, settings, open_tokens(manifest, str(tmp_path), settings), split)
    kind = manifest.families.index(PICTURES)
    examples = [maker.draw(ref, 0) for ref in maker._plan(0, 0)[0]]
    drawn = [each for example in examples for each in example.negatives if each.kind == kind]
    assert drawn
    assert all(each.picture is not None for each in drawn)


def test_what_a_family_needs_of_all_anchors_is_packed_with_them(charts, tmp_path):
    settings = tiny.choose(families=[FAMILY], sample=[FAMILY], holdout=0, shard_rows=64)
    manifest = pack_dataset(charts, str(tmp_path), settings, sources=GIVEN, seed=7)
    table = read_sampled(Store(str(tmp_path)), FAMILY)
    assert table.num_rows == manifest.count(next(iter(manifest.splits)))
    with pytest.raises(TrainingError, match="pack again"):
        read_sampled(Store(str(tmp_path / "elsewhere")), FAMILY)


def test_a_sampled_family_whose_section_is_not_given_is_told(charts, tmp_path):
    settings = tiny.choose(families=[FAMILY], sample=[FAMILY], holdout=0)
    with pytest.raises(TrainingError, match=r"section \[flowchart\]"):
        pack_dataset(charts, str(tmp_path), settings, seed=7)
