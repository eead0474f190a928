"""What is written from the code: docs/recipe.md from the settings, prefect.yaml from the registry, pages of reference.

`python -m tests.flows.test_generated` writes all anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from counterfoil.flows.making.limits import GPU
from counterfoil.flows.nights.offers import Offered, list_deployments
from counterfoil.flows.nights.watching import SILENCE_S, beat_environment
from counterfoil.flows.planning.keys import list_sections
from tests.flows.reference import PAGES

REFERENCE, POOL = Path("docs/recipe.md"), Path("prefect.yaml")
HEAD = """\
# What `counterfoil deploy` deploys to a work pool, for those who keep their own copy and use `prefect deploy --all`. On
# one host `counterfoil serve` offers the same without a pool.
# Every stage is a deployment of its own: a run of `make` starts them, and Prefect's Retry works on the one that failed.
# Written by `python -m tests.flows.test_generated`.
name: counterfoil
prefect-version: 3.8.8
pull: []  # workers have the package installed; $COUNTERFOIL_FOLDER is theirs, with the recipes

definitions:
  process: &process {env: {beat}, working_dir: "{{ $COUNTERFOIL_FOLDER }}"}

deployments:
"""
NIGHT = """\
    concurrency_limit: {limit: 1, collision_strategy: ENQUEUE}
    schedules: [{cron: "0 2 * * *", timezone: UTC, active: false}]
"""


def write_reference() -> str:
    """`docs/recipe.md`."""
    return "\n".join(_write_lines()) + "\n"


def _write_lines() -> Iterator[str]:
    yield "# The recipe: every key"
    yield ""
    yield "This page is written from the settings themselves (`python -m tests.flows.test_generated`)."
    yield ""
    yield (
        "A recipe is a TOML file. `[dataset]` and at least one domain's section are needed; a domain without a\n"
        "section is not made. `--set section.key=value` overrides a key for one run. A key that is unknown, of\n"
        "another kind or out of range ends the command before anything starts, with what is allowed.\n"
        "`counterfoil init` writes a recipe with every key of a domain in it as a comment."
    )
    for section in list_sections():
        yield from ["", f"## `[{section.name}]`", "", section.meaning, ""]
        yield "| key | default | kind | meaning |"
        yield "| --- | --- | --- | --- |"
        for key in section.keys:
            default = "**needed**" if key.required else f"`{key.default}`" if key.default else "left out"
            yield f"| `{key.name}` | {default} | {_cell(key.kind)} | {_cell(key.meaning)} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def write_pool() -> str:
    """`prefect.yaml`: the deployments of `counterfoil serve`, for a work pool."""
    return HEAD.replace("{beat}", json.dumps(beat_environment(SILENCE_S))) + "".join(_write_deployments())


def _write_deployments() -> Iterator[str]:
    for each in list_deployments(Offered(("recipes/demo.toml",), "data/demo")):
        yield f"  - name: {each.name}\n    entrypoint: {each.entrypoint}\n"
        yield f"    description: {json.dumps(each.description, ensure_ascii=False)}\n"
        yield f"    parameters: {json.dumps(each.parameters)}\n"
        if each.tags:
            yield f"    tags: {json.dumps(each.tags)}\n"
        if each.name == "make-demo":
            yield NIGHT
        queue = f", work_queue_name: {GPU}" if GPU in each.tags else ""
        yield f"    work_pool: {{name: counterfoil{queue}, job_variables: *process}}\n"


def test_the_reference_of_recipes_says_what_the_settings_are():
    assert REFERENCE.read_text(encoding="utf-8") == write_reference(), "run python -m tests.flows.test_generated"


def test_the_file_for_work_pools_offers_what_serve_offers():
    assert POOL.read_text(encoding="utf-8") == write_pool(), "run python -m tests.flows.test_generated"


@pytest.mark.parametrize("path", PAGES, ids=str)
def test_a_page_of_reference_says_what_the_code_is(path: Path):
    assert path.read_text(encoding="utf-8") == PAGES[path](), "run python -m tests.flows.test_generated"


if __name__ == "__main__":
    for page, write in PAGES.items():
        page.write_text(write(), encoding="utf-8")
    REFERENCE.write_text(write_reference(), encoding="utf-8")
    POOL.write_text(write_pool(), encoding="utf-8")
