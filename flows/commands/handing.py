"""Commands that hand a dataset on to other tools."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from counterfoil.flows.showing.terminal import AsJson, DatasetArgument, err, out, print_json, reported_errors


def export(
    dataset: DatasetArgument,
    to: Annotated[Path, typer.Option(help="Folder to write; it must be new or empty.")],
    format: Annotated[
        str,
        typer.Option(
            help="hf (tables), triplets (a row for each anchor that has negatives, with lists of captions, codes and "
            "pictures), webdataset (tar), bivlc (two pictures and two captions a row), csclip (units with foils), "
            "llava or messages (instruction rows)."
        ),
    ] = "hf",
    rotate: Annotated[
        float | None, typer.Option(help="Turn pictures clockwise by this many degrees (MMCLIP: 30).")
    ] = None,
    scale: Annotated[float | None, typer.Option(help="Scale pictures by this factor (MMCLIP: 0.5).")] = None,
    grade: Annotated[
        list[str] | None,
        typer.Option(
            help="Write contrasts of this grade alone (proved, refuted, contradicts, undecided, unjudged); may be "
            "repeated. Left out: all, and the card counts them."
        ),
    ] = None,
    rejects: Annotated[bool, typer.Option(help="Write what was thrown away, too.")] = False,
    json: AsJson = False,
) -> None:
    """Write the dataset for another tool, with a card: tables, triplets, shards, others' forms, or instruction rows.

    Example: `counterfoil export data/demo --format hf --to data/demo-hf`
    """
    with reported_errors():
        from counterfoil.flows.datasets.exporting import export_with_card
        from counterfoil.flows.showing.progress import show_bars

        with show_bars(err) as progress:
            written = export_with_card(
                dataset, to, format, rotate=rotate, scale=scale, grades=grade, rejects=rejects, progress=progress
            )
        if json:
            print_json(asdict(written))
        else:
            out.print(f"export: {written}", highlight=False, soft_wrap=True)


def push(
    dataset: DatasetArgument,
    repo: Annotated[str, typer.Argument(help="Repository on the Hugging Face Hub.", metavar="OWNER/NAME")],
    format: Annotated[str, typer.Option(help="hf (tables) or triplets (one row an anchor).")] = "hf",
    private: Annotated[bool, typer.Option(help="Make the repository private, if it is made now.")] = True,
    message: Annotated[str, typer.Option(help="Message of the commit.")] = "Upload by counterfoil",
    json: AsJson = False,
) -> None:
    """Export a dataset and upload it to the Hugging Face Hub with its card. The token is HF_TOKEN or `hf auth login`.

    Example: `counterfoil push data/demo ada/demo --format triplets --no-private`
    """
    with reported_errors():
        from counterfoil.flows.datasets.pushing import push_dataset
        from counterfoil.flows.showing.progress import show_bars

        with show_bars(err) as progress:
            url, written = push_dataset(dataset, repo, format, private=private, message=message, progress=progress)
        if json:
            print_json({"url": url, "files": written.files, "bytes": written.size})
        else:
            told = f"pushed {written.files} files, {written.size / 1e6:.1f} MB: {url}"
            out.print(told, highlight=False, soft_wrap=True)
