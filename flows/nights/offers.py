"""The deployments: each recipe's making and whole pipeline, regenerating, training, tuning and scoring, each domain's
anchors and each family.

Their names say who serves them: of a work pool they are plain (``make-night``), of `counterfoil serve` they end in its
name (``make-night@serve``), so that neither takes over the other's. A run starts the stages of its own kind.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from counterfoil.flows.making.limits import GPU
from counterfoil.flows.making.names import AT, name_recipe
from counterfoil.flows.planning.recipe import SECTIONS
from counterfoil.storage.plain import parse_toml
from counterfoil.tasks.engine.registry import list_domains, list_families, load_domains

SCHEDULED = ("counterfoil", "counterfoil pipeline")
"""Names of the flows that may have a schedule."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Offered:
    """What to offer."""

    recipes: tuple[str, ...]
    """Recipe files, as the machine that runs them sees them."""
    dataset: str
    """The dataset that the form of `regenerate` begins with."""
    crons: tuple[str, ...] = ()
    """When to make each recipe: one for each, one for all, or none."""
    timezone: str = "UTC"
    served_as: str = ""
    """The name of the `counterfoil serve` that runs them; "" for a work pool."""
    whole: bool = False
    """Whether the schedules are of the whole pipeline, to models and their scores; else of making alone."""
    on_gpu: tuple[str, ...] = ()
    """Families whose stages go to the queue of a work pool that only workers with a GPU serve."""
    domains: tuple[str, ...] = ()
    """Domains whose stages are offered; empty: all. A run of another domain makes its stages itself."""

    def __post_init__(self) -> None:
        if len(self.crons) not in (0, 1, len(self.recipes)):
            raise OfferError(
                f"{len(self.crons)} times --cron for {len(self.recipes)} recipes: give one, or one for each"
            )
        stems = [name_recipe(recipe) for recipe in self.recipes]
        twice = {stem for stem in stems if stems.count(stem) > 1}
        if twice:
            raise OfferError(
                f"two recipes are called {min(twice)!r}: deployments are named by their files, so rename one"
            )
        unknown = [family for family in self.on_gpu if family not in list_families()]
        if unknown:
            raise OfferError(f"--on-gpu {unknown[0]}: no such family; `counterfoil families` lists them")
        if self.served_as and not NAME.fullmatch(self.served_as):
            raise OfferError(f"--name {self.served_as!r}: letters, digits, dots, dashes and underscores only")

    def name(self, what: str) -> str:
        """The name of a deployment."""
        return f"{what}{AT}{self.served_as}" if self.served_as else what

    def list_schedules(self) -> list[str | None]:
        """When to make each recipe."""
        if not self.crons:
            return [None] * len(self.recipes)
        return [*self.crons] if len(self.crons) > 1 else [self.crons[0]] * len(self.recipes)


class OfferError(Exception):
    """What was asked for cannot be offered. The message says why."""


def find_domains(recipes: Sequence[str], folder: str | None = None) -> tuple[str, ...]:
    """The domains of recipes, by their sections; none where one cannot be read here, as where workers alone have it."""
    sections: set[str] = set()
    for recipe in recipes:
        try:
            sections |= parse_toml((Path(folder or ".") / recipe).read_text(encoding="utf-8")).keys()
        except (OSError, ValueError):
            return ()
    return tuple(name for name in list_domains() if name in sections)


def list_deployments(offered: Offered) -> Iterator[Any]:
    """Prefect's deployments of everything that can be run."""
    from counterfoil.flows.learning.flows import ablate_towers, evaluate_models, train_model, tune_model, tune_stage
    from counterfoil.flows.making.make import make_anchors, make_dataset, make_family, regenerate_family
    from counterfoil.flows.nights.pipeline import run_pipeline

    domains = {domain.name: domain for domain in load_domains()}
    families = [family for domain in domains.values() for family in domain.families]
    staged = {name: domain for name, domain in domains.items() if not offered.domains or name in offered.domains}
    for recipe, cron in zip(offered.recipes, offered.list_schedules(), strict=True):
        stem, form = name_recipe(recipe), ({"recipe": recipe}, {"recipe": [recipe]})
        when = schedule(cron, offered.timezone)
        made, whole = ({}, when) if offered.whole else (when, {})
        yield offer(make_dataset, offered.name(f"make-{stem}"), *form, concurrency_limit=1, **made)
        yield offer(run_pipeline, offered.name(f"pipeline-{stem}"), *form, concurrency_limit=1, **whole)
    again = {"family": families[0], "dataset": offered.dataset}
    yield offer(regenerate_family, offered.name("regenerate"), again, {"family": families}, concurrency_limit=1)
    first, which = {"recipe": offered.recipes[0]}, {"recipe": [*offered.recipes]}
    yield offer(train_model, offered.name("train"), first, which, concurrency_limit=1, tags=[GPU])
    yield offer(tune_model, offered.name("sft"), first, which, concurrency_limit=1, tags=[GPU])
    for stage in ("adapter", "tuning"):
        one = {"stage": [stage], **which}
        yield offer(tune_stage, offered.name(f"sft.{stage}"), {"stage": stage, **first}, one, tags=[GPU])
    yield offer(evaluate_models, offered.name("evaluate"), first, which, concurrency_limit=1, tags=[GPU])
    yield offer(ablate_towers, offered.name("ablate"), first, which, concurrency_limit=1, tags=[GPU])
    for name, domain in staged.items():
        yield offer(
            make_anchors,
            offered.name(name),
            {"domain": name, **first},
            {"domain": [name], **which},
            description=f"The anchors of {name}, staged for a run of `make`.",
            tags=[f"domain:{name}"],
        )
        for family in domain.families.values():
            yield offer(
                make_family,
                offered.name(family.name),
                {"family": family.name, **first},
                {"family": [family.name], **which},
                description=f"{family.how} ({family.paper}). Staged for a run of `make`.",
                tags=[f"family:{family.name}", *([GPU] if family.name in offered.on_gpu else [])],
            )


def schedule(cron: str | None, timezone: str) -> dict[str, Any]:
    """What a deployment takes to be made at these times; nothing for None.

    Raises:
        OfferError: the times or the timezone cannot be read, or no such time ever comes (30 February).
    """
    if cron is None:
        return {}
    from prefect.schedules import Cron
    from prefect.server.schemas.schedules import CronSchedule

    try:
        times = Cron(cron, timezone=timezone)
    except ValueError as error:
        raise OfferError(f"--cron {cron!r} in {timezone}: {str(error).splitlines()[-1]}") from None
    try:
        asyncio.run(CronSchedule(cron=cron, timezone=timezone).get_dates(1))
    except ValueError:
        # Prefect's server would take it, show the schedule as active, and never start a run.
        raise OfferError(f"--cron {cron!r}: no such time ever comes") from None
    return {"schedule": times}


def offer(
    flow: Any,
    name: str,
    parameters: Mapping[str, Any],
    choices: Mapping[str, Sequence[str]] = MappingProxyType({}),
    **more: Any,
) -> Any:
    """A deployment of ``flow`` whose form begins with ``parameters`` and offers ``choices`` where any text would do.

    Prefect's server refuses a run whose parameters do not fit the form.
    """
    from prefect.types.entrypoint import EntrypointType

    # By module: by file, Prefect puts the folder `flows` on the search path of the run and of its workers, where a
    # module of ours can hide one of Python's own; and runs start in the folder of the command, wherever the code is.
    by_module = EntrypointType.MODULE_PATH
    deployment = flow.to_deployment(name, parameters=dict(parameters), entrypoint_type=by_module, **more)
    fields = deployment._parameter_openapi_schema.properties
    for parameter, values in choices.items():
        fields[parameter] = {**fields[parameter], "enum": [*values]}
    if "overrides" in fields:
        fields["overrides"] = {**fields["overrides"], "items": {"type": "string", "pattern": _match_override()}}
    return deployment


def _match_override() -> str:
    """A pattern of ``section.key=value`` with the sections that recipes have."""
    sections = "|".join([*SECTIONS, *list_domains()])
    return rf"^({sections})(\.[A-Za-z0-9_-]+)+=.*$"


def drop_schedules(deployments: Sequence[Any]) -> None:
    """Remove the schedules that an earlier offer gave to deployments which have none now: Prefect would keep them."""
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound

    with get_client(sync_client=True) as client:
        for each in deployments:
            if each.flow_name not in SCHEDULED or each.schedules:
                continue
            try:
                there = client.read_deployment_by_name(f"{each.flow_name}/{each.name}")
            except ObjectNotFound:
                continue
            for schedule in there.schedules:
                client.delete_deployment_schedule(there.id, schedule.id)
