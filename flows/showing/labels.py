"""What runs and artifacts are called in Prefect: tags by dataset, recipe and family; artifact keys by dataset."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from counterfoil.tasks.engine.recipe import MakingRecipe

TITLE_LENGTH = 30


def name_dataset(path: str) -> str:
    """A dataset's name in artifact keys: the last part of its path, and digits that tell it from others called so.

    >>> name_dataset("s3://bucket/Night run/")
    'night-run-bba513'
    """
    last = path.rstrip("/").rpartition("/")[2]
    return f"{_dash(last)[:TITLE_LENGTH]}-{hashlib.sha256(path.rstrip('/').encode()).hexdigest()[:6]}"


def make_key(dataset: str, stage: str, what: str) -> str:
    """An artifact's key: the same stage of the same dataset has one history, run after run."""
    return f"{name_dataset(dataset)}-{_dash(stage)}-{what}"


def list_tags(recipe: MakingRecipe, name: str = "") -> list[str]:
    """Tags of a run: its dataset and, where it has one, its recipe file's name."""
    tags = [f"dataset:{recipe.dataset.path}"]
    return [*tags, f"recipe:{_dash(name.rpartition('/')[2].removesuffix('.toml'))}"] if name else tags


@contextmanager
def tagged(tags: Sequence[str]) -> Iterator[None]:
    """Tag the run that is under way, and those below it that begin in the block."""
    from prefect import tags as prefect_tags
    from prefect.client.orchestration import get_client
    from prefect.context import FlowRunContext

    context = FlowRunContext.get()
    if context is not None and context.flow_run is not None:
        known = {*context.flow_run.tags}
        with get_client(sync_client=True) as client:
            client.update_flow_run(context.flow_run.id, tags=sorted(known | {*tags}))
    with prefect_tags(*tags):
        yield


def _dash(text: str) -> str:
    """Lower-case letters, digits and dashes, as Prefect wants keys."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
