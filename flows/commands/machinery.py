"""Commands about what is here: families, prompts, the sandbox, this machine, the Prefect server."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from flows.terminal import AsJson, err, out, print_json, reported_errors
from tasks.showing.terminal import join_lines


def families(json: AsJson = False) -> None:
    """List the families: what each makes, how, and by which paper.

    Example: `counterfoil families`
    """
    from flows.showing import list_family_facts, print_families

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
            from flows.show_prompts import describe_prompts, print_prompts

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
        from flows.show_prompts import print_prompt

        print_prompt(prompt_id, row, out)


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

        from rich.progress import track

        from renderers.render_files import render_files
        from renderers.results import Outcome

        started, failed, active = time.perf_counter(), 0, ""
        told: list[dict[str, str]] = []
        rendered = render_files(files, to, level=level)
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
        from flows.doctor import examine, print_findings

        findings = examine()
        if json:
            print_json([asdict(each) for each in findings])
        else:
            print_findings(findings, out)
        if any(each.needed and not each.works for each in findings):
            raise typer.Exit(1)


def serve(
    recipe: Annotated[Path, typer.Option(envvar="COUNTERFOIL_RECIPE", help="Recipe that the forms begin with.")] = Path(
        "recipes/demo.toml"
    ),
    dataset: Annotated[str, typer.Option(help="Dataset that the form of regenerate begins with.")] = "data/demo",
    cron: Annotated[
        str | None, typer.Option(envvar="COUNTERFOIL_CRON", help="Make the recipe at these times, such as '0 2 * * *'.")
    ] = None,
    limit: Annotated[int, typer.Option(min=2, help="Runs at once; a whole run and its stage are two.")] = 4,
) -> None:
    """Offer the flows, and each stage by itself, to the Prefect server: for schedules, the UI's forms and its Retry.

    Example: `counterfoil serve --recipe night.toml --cron "0 2 * * *"`
    """
    with reported_errors():
        from flows.serve import serve_deployments

        def say(line: str) -> None:
            err.print(f"{line}; Ctrl-C ends it", highlight=False, soft_wrap=True, markup=False)

        serve_deployments(recipe, dataset, cron, limit, say)
