"""The `counterfoil` command: its options and the list of its commands."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from counterfoil.flows.commands import (
    building,
    handing,
    judging,
    machinery,
    making,
    others,
    pipeline,
    training,
    tuning,
    versions,
)
from counterfoil.flows.datasets.overlap import overlap
from counterfoil.flows.learning.evaluating import evaluate
from counterfoil.flows.showing.terminal import choose_log_format, out, set_verbosity

app = typer.Typer(
    name="counterfoil",
    help="Hard negatives that are proved to be negatives.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class LogFormat(StrEnum):
    """How lines on stderr are written."""

    TEXT = "text"
    JSON = "json"


prompts_app = typer.Typer(help="List the prompts, show one as a row would send it, or keep examples.")


def print_version(wanted: bool) -> None:
    """Print the version and end, where it is wanted."""
    if wanted:
        from importlib.metadata import version

        out.print(f"counterfoil {version('counterfoil')}", highlight=False)
        raise typer.Exit


@app.callback()
def begin(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print what was asked for and errors, no more.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="With an error, print what lies behind it.")] = False,
    log_format: Annotated[
        LogFormat,
        typer.Option(envvar="COUNTERFOIL_LOG_FORMAT", help="Lines for people, or a JSON object a line on stderr."),
    ] = LogFormat.TEXT,
    metrics: Annotated[
        str | None,
        typer.Option(envvar="COUNTERFOIL_METRICS", help="Prometheus: a folder for files, or HOST:PORT to scrape."),
    ] = None,
    version: Annotated[  # noqa: ARG001 - its callback has printed it
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hard negatives that are proved to be negatives. `init` writes a recipe, `run` makes its dataset."""
    set_verbosity(quiet=quiet, verbosely=verbose)
    choose_log_format(log_format.value, metrics)


app.command()(making.init)
app.command("recipes")(making.show_recipes)
app.command()(making.plan)
app.command()(making.run)
app.command()(making.regenerate)
app.command()(judging.verify)
app.command()(judging.audit)
app.command()(others.check)
app.command()(others.clean)
app.command()(judging.review)
app.command()(judging.report)
app.command()(judging.explain)
app.command()(training.pack)
app.command()(training.train)
app.command()(pipeline.pipeline)
app.command()(training.reproduce)
app.command()(tuning.sft)
app.command()(tuning.ablate)
app.command()(evaluate)
app.command()(tuning.answer)
app.command()(overlap)
app.command()(handing.export)
app.command()(handing.push)
app.command()(versions.history)
app.command()(versions.diff)
app.command()(versions.restore)
app.command()(versions.repair)
app.command()(versions.vacuum)
app.command()(machinery.families)
app.command()(machinery.render)
app.command()(machinery.serve)
app.command()(machinery.deploy)
app.command()(machinery.doctor)
app.add_typer(building.new, name="new")
app.add_typer(prompts_app, name="prompts")
prompts_app.callback(invoke_without_command=True)(machinery.show_prompts)
prompts_app.command("show")(machinery.show_prompt)
prompts_app.command("keep")(machinery.keep_examples)


def keep_asked(words: Sequence[str]) -> None:
    """Of all commands keep the one that ``words`` begin with, where they do: the options of forty others need not be
    read. What begins otherwise, such as ``--help``, is for all of them."""
    asked = [each for each in app.registered_commands if words[:1] == [each.name or name_command(each.callback)]]
    if asked:
        app.registered_commands, app.registered_groups = asked, []


def name_command(callback: object) -> str:
    """What a command is called that is given no other name.

    >>> name_command(making.regenerate)
    'regenerate'
    """
    return getattr(callback, "__name__", "").replace("_", "-")
