"""What every command of the terminal shares: where it prints, how much, and how errors are told."""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from typing import IO, Annotated, Any, NoReturn, cast

import typer

from counterfoil.flows.showing.errors import word_actionable
from counterfoil.tasks.showing.terminal import EscapingConsole

out = EscapingConsole()
err = EscapingConsole(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print it as JSON, for programs.")]
DatasetArgument = Annotated[str, typer.Argument(help="Folder or URL of a dataset.", metavar="DATASET")]
verbose = False


def set_verbosity(*, quiet: bool, verbosely: bool) -> None:
    """Let commands say nothing but what was asked for, or also what lies behind an error."""
    global verbose
    err.quiet, verbose = quiet, verbosely


def choose_log_format(kind: str, metrics: str | None) -> None:
    """Let this process and its workers log lines for people or JSON, and leave metrics at a place."""
    from counterfoil.tasks.showing.logs import FORMAT, show_logs

    os.environ[FORMAT] = kind
    if metrics:
        os.environ["COUNTERFOIL_METRICS"] = metrics
    show_logs()
    if kind == "json":
        from counterfoil.flows.showing.observing import JsonLines

        err.file = cast(IO[str], JsonLines())


def print_json(value: Any) -> None:
    """Print plain data as JSON, in letters that no terminal takes for a command."""
    print(json.dumps(value, indent=2, default=str))


class reported_errors:  # noqa: N801 - reads as a statement: `with reported_errors():`
    """Turn the errors that a user can act on into one clear message and exit code 2; bugs keep their traceback."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: object) -> None:
        message = word_actionable(error)
        if message is not None:
            if verbose:
                err.print("".join(traceback.format_exception(error)), markup=False, highlight=False, soft_wrap=True)
            fail(message, getattr(error, "exit_code", 2))


def fail(message: str, code: int) -> NoReturn:
    """Print an error, also where all else is quiet, and exit."""
    from counterfoil.tasks.showing.logs import is_json, log_event
    from counterfoil.tasks.showing.secrets import hide_in_text

    if is_json():
        log_event(message, {"exit_code": code}, logging.ERROR)
        sys.exit(code)
    err.quiet = False
    err.print(hide_in_text(message), style="red", markup=False, highlight=False, soft_wrap=True)
    sys.exit(code)


def complete_family(incomplete: str) -> list[str]:
    """Names of families that begin so, for the shell's completion."""
    from counterfoil.tasks.engine.registry import list_families

    return [name for name in list_families() if name.startswith(incomplete)]


def complete_recipe(incomplete: str) -> list[str]:
    """Names of shipped recipes that begin so."""
    from counterfoil.flows.planning.beginning import list_recipes

    return [each["name"] for each in list_recipes() if each["name"].startswith(incomplete)]
