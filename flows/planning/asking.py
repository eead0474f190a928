"""What a person is asked before a run begins."""

from __future__ import annotations

import sys

import typer
from rich.console import Console

from counterfoil.tasks.llm import list_unpriced
from counterfoil.tasks.llm.settings import AuthorSettings


def confirm_price(settings: AuthorSettings, yes: bool, err: Console) -> None:
    """Say which models have no known price, and on a terminal ask whether to go on all the same.

    Raises:
        typer.Exit: no.
        AuthorError: a price table is missing or malformed.
    """
    unpriced = list_unpriced(settings)
    for line in unpriced:
        err.print(f"{line}. Without it spending is counted in tokens alone.", markup=False, soft_wrap=True)
    if unpriced and not yes and sys.stdin.isatty() and not typer.confirm("Go on?", err=True):
        raise typer.Exit(2)
