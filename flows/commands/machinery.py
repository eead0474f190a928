"""Commands about what is here: families, prompts, the sandbox, this machine, the Prefect server."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterfoil.flows.nights.watching import LEAST_SILENCE_S, SILENCE_S
from counterfoil.flows.showing.terminal import AsJson, err, out, print_json, reported_errors
from counterfoil.tasks.showing.terminal import join_lines

if TYPE_CHECKING:
    from counterfoil.flows.nights.offers import Offered


def families(json: AsJson = False) -> None:
    """List the families: what each makes, how, and by which paper.

    Example: `counterfoil families`
    """
    from counterfoil.flows.making.showing import list_family_facts, print_families

    if json:
        print_json(list_family_facts())
    else:
        print_families(out)


def show_prompts(context: typer.Context, json: AsJson = False) -> None:
    """List the prompts: id, version, what it answers with, and the paper's figure that it follows.

    Example: `counterfoil prompts`
    """
    if context.invoked_subcommand is None:
        with reported_errors():
            from counterfoil.flows.planning.show_prompts import describe_prompts, print_prompts

            if json:
                print_json(describe_prompts())
            else:
                print_prompts(out)


def show_prompt(
    prompt_id: Annotated[str, typer.Argument(help="Prompt id, such as geometry.script.")],
    row: Annotated[str | None, typer.Option(help="DATASET:ROW_ID to render it for.")] = None,
) -> None:
    """Show one prompt: its text, or with --row the messages as they would be sent for that row.

    Example: `counterfoil prompts show geometry.rule --row data/demo:3f9a1c`
    """
    with reported_errors():
        from counterfoil.flows.planning.show_prompts import print_prompt

        print_prompt(prompt_id, row, out)


def keep_examples(
    recipe: Annotated[Path, typer.Argument(help="The recipe of a dataset that a language model helped to make.")],
    to: Annotated[Path, typer.Option(help="The file to write, for [author] examples_from.")],
) -> None:
    """Keep the answers of which every row was accepted, as examples for another run ([author] examples).

    Example: `counterfoil prompts keep recipes/demo.toml --to examples.jsonl`
    """
    with reported_errors():
        from counterfoil.flows.planning.keeping import keep_examples as keep

        for prompt_id, count in keep(recipe, to).items():
            out.print(f"{prompt_id}: {count:,} examples", highlight=False)


def render(
    files: Annotated[list[Path], typer.Argument(help="Python scripts that draw with matplotlib.")],
    to: Annotated[Path, typer.Option(help="Folder for NAME.png and NAME.json.")],
    level: Annotated[str | None, typer.Option(help="Sandbox level to insist on: L3, L2 or L1.")] = None,
    json: AsJson = False,
) -> None:
    """Run scripts in the sandbox and write each one's picture and what was recorded. Exits 1 if any fails.

    Example: `counterfoil render figures/*.py --to out`
    """
    with reported_errors():
        import time
        from contextlib import closing

        from rich.progress import track

        from counterfoil.renderers.render_files import render_files
        from counterfoil.renderers.results import Outcome

        started, failed, active = time.perf_counter(), 0, ""
        told: list[dict[str, str]] = []
        with closing(render_files(files, to, level=level)) as rendered:
            for path, rendering in track(rendered, total=len(files), console=err, description="render"):
                active = rendering.level
                if rendering.outcome is not Outcome.OK:
                    failed += 1
                    said = f"{rendering.error.type}: {rendering.error.message}" if rendering.error else ""
                    why = f": {join_lines(said)}" if said else ""
                    if not json:
                        out.print(f"{path}: {rendering.outcome}{why}", markup=False, highlight=False, soft_wrap=True)
                error = rendering.error.message if rendering.error else ""
                told.append({"file": str(path), "outcome": str(rendering.outcome), "error": error})
        rate = len(files) / (time.perf_counter() - started)
        line = f"{len(files) - failed} rendered, {failed} failed, {rate:.1f} per second, sandbox level {active}"
        if json:
            print_json({"files": told, "failed": failed, "per_second": round(rate, 2), "sandbox_level": active})
        else:
            out.print(line, highlight=False)
        if failed:
            raise typer.Exit(1)


def doctor(json: AsJson = False) -> None:
    """Tell what works here: Python, the sandbox layer by layer, fonts, optional parts, keys present or not.

    Example: `counterfoil doctor`
    """
    with reported_errors():
        from counterfoil.flows.doctor import examine, print_findings

        findings = examine()
        if json:
            print_json([asdict(each) for each in findings])
        else:
            print_findings(findings, out)
        if any(each.needed and not each.works for each in findings):
            raise typer.Exit(1)


Recipes = Annotated[
    list[Path] | None,
    typer.Option(
        "--recipe", envvar="COUNTERFOIL_RECIPE", help="Recipe to offer; may be given again. [recipes/demo.toml]"
    ),
]
Crons = Annotated[
    list[str] | None,
    typer.Option(
        "--cron",
        help="Make the recipe at these times, such as '0 2 * * *'; one for all recipes, or one for each. "
        "[env var: COUNTERFOIL_CRON, several with ; between]",
    ),
]
Timezone = Annotated[str, typer.Option(envvar="COUNTERFOIL_TIMEZONE", help="Of --cron, such as Europe/Berlin.")]
RegeneratedDataset = Annotated[str, typer.Option(help="Dataset that the form of regenerate begins with.")]
Silence = Annotated[
    int,
    typer.Option(
        envvar="COUNTERFOIL_SILENCE",
        min=LEAST_SILENCE_S,
        help="Seconds without a heartbeat after which a run is marked Crashed.",
    ),
]
Whole = Annotated[
    bool,
    typer.Option("--whole", help="Schedule the whole pipeline, to trained and scored models; else making alone."),
]
AtMost = Annotated[
    list[str] | None,
    typer.Option("--at-most", help="How many stages of one kind may run at once, over all hosts: gpu=1, openai=4."),
]


def serve(
    recipe: Recipes = None,
    dataset: RegeneratedDataset = "data/demo",
    cron: Crons = None,
    timezone: Timezone = "UTC",
    name: Annotated[
        str, typer.Option(envvar="COUNTERFOIL_NAME", help="Ends the deployments' names; another for each host.")
    ] = "serve",
    whole: Whole = False,
    limit: Annotated[
        int, typer.Option(min=3, help="Runs at once; a pipeline, its making and the stage of that are three.")
    ] = 4,
    silence: Silence = SILENCE_S,
    at_most: AtMost = None,
) -> None:
    """Offer the flows, and each stage by itself, to the Prefect server: for schedules, the UI's forms and its Retry.

    Example: `counterfoil serve --recipe night.toml --cron "0 2 * * *"`
    """
    with reported_errors():
        from counterfoil.flows.making.limits import parse_limits
        from counterfoil.flows.nights.serve import serve_deployments

        offered = replace(_offer(recipe, dataset, cron, timezone, name), whole=whole)
        serve_deployments(offered, limit, _say, silence, parse_limits(at_most or ()))


def deploy(
    pool: Annotated[str, typer.Option(help="Work pool; made, of processes, where it is not there.")] = "counterfoil",
    recipe: Recipes = None,
    dataset: RegeneratedDataset = "data/demo",
    cron: Crons = None,
    timezone: Timezone = "UTC",
    whole: Whole = False,
    folder: Annotated[
        str | None,
        typer.Option(
            envvar="COUNTERFOIL_FOLDER", help="Folder on the workers' machines in which runs start; for relative paths."
        ),
    ] = None,
    on_gpu: Annotated[
        list[str] | None,
        typer.Option("--on-gpu", help="Family whose stage goes to the queue gpu, such as caption.edit."),
    ] = None,
    silence: Silence = SILENCE_S,
    at_most: AtMost = None,
) -> None:
    """Set a work pool up: the pool, a queue for GPUs, every deployment, limits, and the watch over dead hosts.

    Example: `counterfoil deploy --recipe night.toml --folder /srv/nights --cron "0 2 * * *" --at-most gpu=1`
    """
    with reported_errors():
        from counterfoil.flows.making.limits import parse_limits
        from counterfoil.flows.nights.deploy import deploy_to_pool

        offered = replace(_offer(recipe, dataset, cron, timezone, "", folder), whole=whole, on_gpu=tuple(on_gpu or ()))
        deploy_to_pool(offered, pool, folder, silence, parse_limits(at_most or ()), _say)


def _offer(
    recipes: list[Path] | None,
    dataset: str,
    crons: list[str] | None,
    timezone: str,
    name: str,
    folder: str | None = None,
) -> Offered:
    from counterfoil.flows.nights.offers import Offered, find_domains

    chosen = tuple(str(each) for each in recipes or [Path("recipes/demo.toml")])
    # Not by typer, which would cut a cron at its spaces.
    times = crons or [each.strip() for each in os.environ.get("COUNTERFOIL_CRON", "").split(";") if each.strip()]
    return Offered(chosen, dataset, tuple(times), timezone, name, domains=find_domains(chosen, folder))


def _say(line: str) -> None:
    err.print(line, highlight=False, soft_wrap=True, markup=False)
