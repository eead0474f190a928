"""One small dataset and its shards for all tests of training."""

from __future__ import annotations

import pytest
import torch

from counterfoil.tasks.training.packing.pack import pack_dataset
from tests.tasks.training import tiny


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def dataset(tmp_path_factory) -> str:
    """Ninety anchors with negatives and positives of both kinds."""
    anchors = tiny.make_anchors(90)
    return tiny.publish(str(tmp_path_factory.mktemp("tiny") / "data"), anchors, tiny.make_contrasts(anchors))


@pytest.fixture(scope="session")
def packed(dataset, tmp_path_factory) -> str:
    """Its shards, with positives."""
    folder = str(tmp_path_factory.mktemp("packed"))
    pack_dataset(dataset, folder, tiny.choose(positives=["geometry.mirror"]))
    return folder
