"""Contrasts made on the fly: through the registry, by the family's own sampler, the same again for the same step."""

from __future__ import annotations

import pytest

from storage.dataset import Dataset
from storage.rows import Anchor, Contrast, fingerprint
from storage.schemas import to_table
from storage.staged import StagedShards
from tasks.contract.context import Context
from tasks.engine.prepare import prepare_here
from tasks.engine.registry import load_domain
from tasks.engine.renderer import MemoRenderer
from tasks.engine.rows import make_anchors, make_contrasts
from tasks.training.data import BatchMaker
from tasks.training.packing.pack import open_tokens, pack_dataset
from tests.tasks.training import tiny

FAMILY = "flowchart.caption"


@pytest.fixture(scope="module")
def charts(tmp_path_factory) -> str:
    """The triplets of one chart with false captions, in a table."""
    domain = load_domain("flowchart")
    settings = domain.settings_type(source="procedural:1")
    context = Context(settings, 7, MemoRenderer())
    row = next(iter(domain.read(settings, 7, 1)))
    anchors = [each for each in make_anchors(domain, row, context) if isinstance(each, Anchor)]
    family = domain.families[FAMILY]
    assert family.prepare is not None
    ready = prepare_here(family.prepare, [anchors], context)
    made = [c for anchor in anchors for c in make_contrasts([family], anchor, ready) if isinstance(c, Contrast)]
    url = str(tmp_path_factory.mktemp("charts") / "data")
    key = fingerprint("charts")
    tables = {"anchors/domain=flowchart": anchors, f"contrasts/family={FAMILY}": made}
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
    given = {"flowchart": load_domain("flowchart").settings_type(source="procedural:1").model_dump(mode="json")}
    manifest = pack_dataset(charts, str(tmp_path), settings, sources=given, seed=7)
    assert manifest.there == {}
    split = next(iter(manifest.splits))
    maker = BatchMaker(str(tmp_path), manifest, settings, open_tokens(manifest, str(tmp_path), settings), split)
    refs = maker._plan(0, 0)[0]
    drawn = [[each.text for ref in refs for each in maker.draw(ref, epoch).negatives] for epoch in (0, 1, 0)]
    captions = {maker.draw(ref, 0).caption for ref in refs}
    assert all(len(texts) >= 2 for texts in drawn)
    assert drawn[0] == drawn[2] != drawn[1]
    assert not captions & set(drawn[0])
