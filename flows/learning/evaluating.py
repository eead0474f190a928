"""`counterfoil evaluate`: models on benchmarks, beside zero-shot models, blind baselines and chance."""

from __future__ import annotations

import json as plain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from counterfoil.flows.showing.terminal import err, out, print_json, reported_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.table import Table

    from counterfoil.flows.process.steps import Progress
    from counterfoil.tasks.evaluation.benchmark import Benchmark, Options
    from counterfoil.tasks.evaluation.evaluate import Entry, Sheet


JSON, MARKDOWN = "results.json", "results.md"


def evaluate(
    model: Annotated[
        str | None,
        typer.Argument(
            help="Hub id or folder of the model; left out, only blind baselines are tried.", metavar="MODEL"
        ),
    ] = None,
    on: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROTOCOL:FOLDER", help="Benchmark, or folder or URL of a Counterfoil dataset. Repeatable."
        ),
    ] = None,
    to: Annotated[Path | None, typer.Option(help="Folder for tables, items and plots; new ones replace old.")] = None,
    zero_shot: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL", help="A model to compare with, such as its base. Repeatable."),
    ] = None,
    images: Annotated[Path | None, typer.Option(help="Folder of the pictures, if not next to the annotations.")] = None,
    split: Annotated[
        str | None, typer.Option(help="Split of a Counterfoil dataset; default: test if it has one.")
    ] = None,
    instruction: Annotated[str, typer.Option(help="Text before each query of text retrieval, and no document.")] = "",
    blind: Annotated[bool, typer.Option(help="Try blind baselines, too.")] = True,
    pixels: Annotated[bool, typer.Option("--pixels", help="Try the blind judge of pixels, too: minutes.")] = False,
    device: Annotated[str | None, typer.Option(help="Device of torch; default: the GPU where there is one.")] = None,
    protocols: Annotated[bool, typer.Option("--protocols", help="List the protocols and end.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the score sheets as JSON.")] = False,
) -> None:
    """Score a model by the authors' own protocols, with blind baselines, chance, intervals and ties in every table.

    Example: `counterfoil evaluate models/ours --on data/night --on sugarcrepe:data/sugarcrepe --to scores/ours`
    """
    with reported_errors():
        if protocols:
            list_protocols(out, as_json=json)
            return
        from counterfoil.flows.showing.progress import show_bars
        from counterfoil.tasks.evaluation.benchmark import Options

        options = Options(images, split, instruction)
        with show_bars(err) as progress:
            sheets = evaluate_all(
                model, on or [], zero_shot or [], options, to, device, progress, blind=blind, pixels=pixels
            )
        if json:
            from counterfoil.tasks.evaluation.tables import describe_sheet

            print_json([describe_sheet(sheet) for sheet in sheets])
        else:
            print_sheets(sheets, out)
        if to is not None:
            err.print(f"score sheets: {to}", highlight=False, soft_wrap=True, markup=False)


def list_protocols(console: Console, *, as_json: bool) -> None:
    """Print what can be evaluated on."""
    from counterfoil.tasks.evaluation.protocols import PROTOCOLS

    if as_json:
        print_json(dict(PROTOCOLS))
        return
    for name, told in PROTOCOLS.items():
        console.print(f"{name:12} {told}", markup=False, highlight=False, soft_wrap=True)


def evaluate_all(
    model: str | None,
    on: list[str],
    zero_shot: list[str],
    options: Options,
    to: Path | None,
    device: str | None,
    progress: Progress,
    *,
    blind: bool,
    pixels: bool,
) -> list[Sheet]:
    """Try the models on every benchmark; sheets are written as they come.

    Raises:
        EvaluationError: a benchmark cannot be read, or nothing is to be tried.
        EncoderError: a model cannot be loaded.
    """
    from counterfoil.tasks.evaluation.errors import EvaluationError
    from counterfoil.tasks.evaluation.evaluate import evaluate as try_systems
    from counterfoil.tasks.evaluation.protocols import load_benchmark

    if not on:
        raise EvaluationError("nothing to evaluate on: name a benchmark by --on PROTOCOL:FOLDER (see --protocols)")
    if model is None and (zero_shot or not blind):
        raise EvaluationError("name the MODEL that is to be evaluated")
    # Files are read before models are loaded: what is wrong with them is told at once.
    benchmarks: list[Benchmark] = [load_benchmark(each, options) for each in on]
    if to is not None:
        to.mkdir(parents=True, exist_ok=True)
    for benchmark in benchmarks:
        _check_pictures(benchmark, to, blind=model is None)
    entries = _load_entries(model, zero_shot, device)
    sheets: list[Sheet] = []
    for number, benchmark in enumerate(benchmarks):
        sheets.append(try_systems(benchmark, entries, blind=blind, pixels=pixels, progress=progress))
        if to is not None:
            _write_sheet(sheets[-1], to, f"{number + 1:02d}-{benchmark.name}")
            _write_all(sheets, to)
    return sheets


def _check_pictures(benchmark: Benchmark, to: Path | None, *, blind: bool) -> None:
    """Before models are loaded: which pictures are missing, all their names in a file."""
    from counterfoil.tasks.evaluation.benchmark import MissingPicturesError
    from counterfoil.tasks.evaluation.errors import EvaluationError
    from counterfoil.tasks.evaluation.scope import leave_out_missing

    try:
        missing, fatal = leave_out_missing(benchmark, blind=blind)[1], False
    except MissingPicturesError as error:
        missing, fatal = error, True
    if missing is None:
        return
    named = ""
    if to is not None:
        told = to / f"missing-{benchmark.name}.txt"
        told.write_text("".join(f"{name}\n" for name in missing.names), encoding="utf-8")
        named = f". All their names: {told}"
    if fatal:
        raise EvaluationError(f"{missing}{named}") from missing


def _load_entries(model: str | None, zero_shot: list[str], device: str | None) -> list[Entry]:
    from counterfoil.tasks.encoders import load_encoder
    from counterfoil.tasks.evaluation.evaluate import MODEL, ZERO_SHOT, Entry

    if model is None:
        return []
    others = [Entry(load_encoder(name, device), ZERO_SHOT) for name in zero_shot]
    return [Entry(load_encoder(model, device), MODEL), *others]


def _write_all(sheets: list[Sheet], to: Path) -> None:
    from counterfoil.tasks.evaluation.tables import describe_sheet, write_markdown

    told = [describe_sheet(sheet) for sheet in sheets]
    (to / JSON).write_text(plain.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (to / MARKDOWN).write_text(write_markdown(sheets), encoding="utf-8")


def _write_sheet(sheet: Sheet, to: Path, name: str) -> None:
    from counterfoil.tasks.evaluation.items import write_items
    from counterfoil.tasks.evaluation.plots import draw_plane, draw_sheet

    write_items(sheet, to / f"{name}.items.parquet")
    draw_sheet(sheet, to / f"{name}.png")
    if sheet.plane is not None:
        draw_plane(sheet.plane, to / f"{name}.plane.png")


def print_sheets(sheets: list[Sheet], console: Console) -> None:
    """Print each sheet as tables; one that is wider than the console is cut between figures, never within."""
    from counterfoil.tasks.evaluation.tables import list_cells, list_columns

    for sheet in sheets:
        console.print(f"{sheet.title}: {sheet.protocol}", markup=False, highlight=False, soft_wrap=True)
        for filled in sheet.tables:
            names = list_columns(filled)
            rows = [list_cells(row, names, short=True) for row in filled.rows]
            for table in _cut_table(
                f"{filled.task or 'items'} ({filled.items:,})", [*names, "ties"], rows, console.width
            ):
                console.print(table)
        for note in sheet.notes:
            console.print(f"note: {note}", markup=False, highlight=False, soft_wrap=True)


_GAP = 2
"""Blanks between two columns of a table."""


def _cut_table(title: str, names: list[str], rows: list[list[str]], width: int) -> Iterator[Table]:
    """Tables of as many figures as fit beside the systems' names, which are folded where they are long."""
    from rich.table import Table

    widths = [max(len(name), *(len(row[place + 1]) for row in rows)) + _GAP for place, name in enumerate(names)]
    longest = max(len(title), *(len(row[0]) for row in rows))
    first = max(min(longest, width - max(widths)), min(longest, _LEAST_NAME))
    parts: list[list[int]] = [[]]
    for place, each in enumerate(widths):
        if parts[-1] and first + sum(widths[known] for known in parts[-1]) + each > width:
            parts.append([])
        parts[-1].append(place)
    for part in parts:
        table = Table(box=None, pad_edge=False)
        table.add_column(title, overflow="fold", min_width=min(first, longest))
        for place in part:
            table.add_column(names[place], justify="right", no_wrap=True)
        for row in rows:
            table.add_row(row[0], *(row[place + 1] for place in part))
        yield table


_LEAST_NAME = 24
"""A system's name is not folded into less than this, in characters."""
