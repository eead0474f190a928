"""`counterfoil.Triplets` from an object store: a dataset's tables, and packed shards."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

import counterfoil
from counterfoil.flows.planning.recipe import RecipeError, load_recipe
from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.training.packing.pack import pack_dataset
from counterfoil.tasks.training.settings import TrainingSettings
from tests.serving import run_s3
from tests.storage import storage_cases as cases

pytestmark = pytest.mark.slow

SETTINGS = TrainingSettings(resolution=16, vocabulary=600, holdout=0, shard_rows=4, group_rows=2)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """The same dataset and the same packed shards: in a bucket, and in folders."""
    folder = tmp_path_factory.mktemp("local")
    with run_s3("night") as given, pytest.MonkeyPatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        found = {}
        for what, place in (("there", "s3://night"), ("here", str(folder))):
            url = f"{place}/data"
            Dataset(url).publish(cases.stage_run(url, "one", 3))
            pack_dataset(url, f"{place}/packed", SETTINGS)
            found[what] = place
        yield found


def keep(batch: list) -> list:
    return batch


def first_pixel(picture) -> tuple[int, ...]:
    return picture.getpixel((0, 0))


def read(path: str, context: str | None) -> list:
    triplets = counterfoil.Triplets(path, split=None, transform=first_pixel, batch_size=3)
    loader = torch.utils.data.DataLoader(
        triplets, 3, num_workers=2 if context else 0, collate_fn=keep, multiprocessing_context=context
    )
    return [each for batch in loader for each in batch]


@pytest.mark.parametrize("what", ["data", "packed"])
@pytest.mark.parametrize("context", [None, "fork", "spawn"])
def test_triplets_of_a_bucket_are_those_of_a_folder_in_this_process_and_in_workers(places, what, context):
    there = read(f"{places['there']}/{what}", context)
    assert len(there) == 12 and there == read(f"{places['here']}/{what}", None)


@pytest.mark.parametrize("section", ["training", "sft"])
def test_a_run_that_would_train_into_a_bucket_is_refused_in_one_line(section, tmp_path):
    recipe = tmp_path / "recipe.toml"
    language = '\nvision = "v"\nlanguage = "l"' if section == "sft" else ""
    recipe.write_text(
        f'[dataset]\npath = "data"\n[flowchart]\nsource = "procedural:1"\n[{section}]\npath = "s3://night/models"{language}\n'
    )
    with pytest.raises(RecipeError, match=rf"{section}.path.*s3://night/models is a URL: give a folder"):
        load_recipe(recipe)
