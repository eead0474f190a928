"""Commands for those who build: a domain or a family to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterfoil.flows.showing.terminal import err, out, reported_errors

if TYPE_CHECKING:
    from counterfoil.flows.planning.skeleton import Written

new = typer.Typer(help="Write a domain or a family that runs, to be changed into your own.", no_args_is_help=True)


@new.command("domain")
def new_domain(name: Annotated[str, typer.Argument(help="Its name, such as bars.")]) -> None:
    """Write a domain as a package in a new folder here: anchors, a family, reasons, a test and golden digests.

    Example: `counterfoil new domain bars`
    """
    with reported_errors():
        from counterfoil.flows.planning.skeleton import write_domain

        tell(write_domain(name, Path()))


@new.command("family")
def new_family(name: Annotated[str, typer.Argument(help="DOMAIN.NAME, such as geometry.shear.")]) -> None:
    """Write a family, its reasons and its test: into the domain's package if that is under this folder, else as a
    package of its own.

    Example: `counterfoil new family geometry.shear`
    """
    with reported_errors():
        from counterfoil.flows.planning.skeleton import write_family

        tell(write_family(name, Path()))


def tell(written: Written) -> None:
    """Print what was written, and what to do next."""
    for path in written.files:
        out.print(str(path), markup=False, highlight=False, soft_wrap=True)
    for step in written.steps:
        err.print(f"next: {step}", markup=False, highlight=False, soft_wrap=True)
