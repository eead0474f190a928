"""`counterfoil repair`: what is damaged of a dataset is made again, by the recipe that made it, and nothing else.

A run finds the shards that are whole and makes the others; answers of a model that are kept are not asked for again.
The same recipe, source and code give the same bytes, so the files come back under the names that the tables have.
Where they would be others, nothing is replaced.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from counterfoil.flows.datasets.versions import open_dataset
from counterfoil.flows.planning.recipe import Recipe, check_recipe
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.losing import Change
from counterfoil.storage.publish import domain_of
from counterfoil.storage.staged import split_key
from counterfoil.tasks.audit.hashes import check_hashes
from counterfoil.tasks.audit.survey import Failure, survey_logs
from counterfoil.tasks.engine.history import list_runs
from counterfoil.tasks.engine.losing import LossError
from counterfoil.tasks.engine.night import make_stages
from counterfoil.tasks.engine.observing import Observer
from counterfoil.tasks.engine.publishing import RunFailedError, publish
from counterfoil.tasks.engine.session import open_session

_LIMITED = re.compile(r"-limit-(\d+)/?$")


@dataclass(frozen=True)
class Repaired:
    """The files that were damaged, and what is still wrong with the dataset's bytes."""

    files: tuple[str, ...]
    left: tuple[Failure, ...]


def repair_dataset(url: str, observer: Observer) -> Repaired:
    """Make the damaged shards of a dataset again.

    Raises:
        StorageError: there is no dataset.
        LossError: recipe, source or code make other rows than were published; nothing was replaced.
        RunFailedError: shards could not be made.
    """
    dataset = open_dataset(url)
    dataset.begin()
    files = list_damaged(_find_damage(dataset))
    for domain in dict.fromkeys(domain_of(path.rpartition("/")[0]) for path in files):
        keys = {path.rpartition("/")[0] for path in files}
        for recipe in find_recipes(dataset, domain, sorted(key for key in keys if domain_of(key) == domain)):
            _make_again(recipe, observer)
    return Repaired(tuple(files), tuple(_find_damage(open_dataset(url))))


def _find_damage(dataset: Dataset) -> list[Failure]:
    torn, whole = survey_logs(dataset.snapshot())
    return [*torn, *check_hashes(dataset, whole)]


def list_damaged(failures: Iterable[Failure]) -> list[str]:
    """The tables' files that failures name; their logs, with checkpoints, no recipe makes."""
    named = {each.row_id.partition(",")[0] for each in failures}
    return sorted(path for path in named if path.endswith(".parquet") and "/_delta_log/" not in path)


def find_recipes(dataset: Dataset, domain: str, keys: Sequence[str]) -> list[Recipe]:
    """The newest recipes that made these partitions of a domain, with the sections of others left out."""
    found: list[Recipe] = []
    left = set(keys)
    for run in list_runs(dataset):
        section = (run.get("recipe") or {}).get(domain)
        made = {key for key in left if section is not None and _has_made(section, key)}
        if not made:
            continue
        left -= made
        data = copy.deepcopy(dict(run["recipe"]))
        data["dataset"] |= {"path": dataset.store.url, "replace": False}
        recipe = check_recipe(data, f"the recipe of {dataset.store.url}")
        found.append(recipe.model_copy(update={"domains": {domain: recipe.domains[domain]}}))
    return found


def _has_made(section: dict[str, list[str]], key: str) -> bool:
    table, value = split_key(key)
    kind = value.partition(".")[2]
    return table == "anchors" or kind == "anchor" or kind in section["families"]


def _make_again(recipe: Recipe, observer: Observer) -> None:
    limited = _LIMITED.search(recipe.dataset.path)
    with open_session(recipe, observer, f"repair {recipe.dataset.path}", domains=[*recipe.domains]) as session:
        failed = make_stages(session, int(limited[1]) if limited else None)
        if failed:
            raise RunFailedError("\n".join(map(str, failed)))
        publish(session, True, _refuse)


def _refuse(changes: Sequence[Change]) -> None:
    names = ", ".join(f"{each.table} {each.partition}" for each in changes) or "its tables"
    raise LossError(
        f"source, answers or code make other files of {names} than were published, so what is damaged cannot be made "
        "again as it was. Nothing was replaced: `counterfoil restore` brings an older version back, `counterfoil run` "
        "makes the rows as they come now"
    )
