"""Commands that train on a dataset."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.flows.commands.making import Sets
from counterfoil.flows.process.choosing import ByPrefect, choose_server
from counterfoil.flows.showing.terminal import AsJson, err, out, print_json, reported_errors


def pack(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML) with a [training] section.")],
    sets: Sets = None,
    json: AsJson = False,
) -> None:
    """Pack a dataset for training: shuffled shards at the training resolution, texts measured by the model's tokenizer.

    Writes Parquet shards with a manifest, which `train` and `counterfoil.Triplets` read, into the folder `packed` of
    training.path. For tar files of WebDataset: `counterfoil export data/demo --format webdataset --to data/demo-tar`.

    Example: `counterfoil pack recipes/demo.toml --set training.resolution=64`
    """
    with reported_errors():
        from counterfoil.flows.planning.recipe import load_recipe
        from counterfoil.flows.process.quiet import silence_client
        from counterfoil.flows.showing.progress import show_bars

        silence_client()
        from counterfoil.flows.learning.training import describe_packed, pack_recipe

        with show_bars(err) as progress:
            manifest, folder = pack_recipe(load_recipe(recipe, sets or ()), str(recipe), progress)
        if json:
            print_json({"packed": str(folder), "families": manifest.families, **manifest.told})
        else:
            for line in describe_packed(manifest, folder):
                out.print(line, markup=False, highlight=False, soft_wrap=True)


def train(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML) with a [training] section.")],
    sets: Sets = None,
    processes: Annotated[int, typer.Option(min=1, help="Processes of this machine, one for each GPU.")] = 1,
    make: Annotated[bool, typer.Option("--make", help="Make the dataset first, or what of it is missing.")] = False,
    prefect: ByPrefect = False,
    json: AsJson = False,
) -> None:
    """Train a model on a recipe's dataset and score it on held-out hard negatives; one that was killed goes on.

    Example: `counterfoil train recipes/demo.toml --set training.objective=tripletclip`
    """
    with reported_errors():
        from counterfoil.flows.planning.recipe import load_recipe

        checked = load_recipe(recipe, sets or ())
        if "TORCHELASTIC_RUN_ID" in os.environ:
            _train_among_others(checked, str(recipe))
            return
        from counterfoil.flows.process.signals import run_watched

        with choose_server(prefect) as by_prefect:
            trained = run_watched(lambda: _run(str(recipe), sets or [], processes, make, by_prefect))
        if json:
            print_json(trained)
        else:
            _print_trained(trained)


def _run(recipe: str, sets: list[str], processes: int, make: bool, by_prefect: bool) -> dict[str, Any]:
    from counterfoil.flows.showing.progress import call_with_bars

    if not by_prefect:
        from counterfoil.flows.learning.training import train_recipe

        return call_with_bars(err, lambda: train_recipe(recipe, sets, processes, make))
    from counterfoil.flows.learning.flows import train_model
    from counterfoil.flows.planning.hiding import hide_overrides

    done: dict[str, Any] = call_with_bars(err, lambda: train_model(recipe, hide_overrides(sets), processes, make))
    return done


def _train_among_others(checked: Any, recipe: str) -> None:
    """One process of torchrun's: the first packs, and all train."""
    from counterfoil.flows.learning.training import pack_recipe, train_here

    if os.environ.get("RANK", "0") == "0":
        pack_recipe(checked, recipe)
    train_here(checked, recipe)


def _print_trained(trained: dict[str, Any]) -> None:
    from rich.table import Table

    from counterfoil.flows.learning.training import list_scores

    scores = list_scores(trained)
    if scores:
        table = Table("held out: the anchor ranks first", box=None, pad_edge=False)
        for heading in ("before %", "after %", "seen ones %", "anchors"):
            table.add_column(heading, justify="right", no_wrap=True)
        for row in scores:
            figures = (row[name] for name in ("before", "after", "after, of training anchors"))
            shares = [f"{100 * each:.1f}" if each is not None else "–" for each in figures]
            table.add_row(row["anchor first"], *shares, f"{row['anchors']:,}")
        out.print(table)
    for name in ("model", "curves", "note"):
        out.print(f"{name}: {trained[name]}", markup=False, highlight=False, soft_wrap=True)


def reproduce(
    paper: Annotated[str, typer.Argument(help="saclip, mmclip, ahnpl, concrete-jungle, mathleap or sugarcrepepp.")],
    scale: Annotated[
        float, typer.Option(help="Share of the source rows; below 1 a small model stands in the paper's place.")
    ] = 1.0,
    to: Annotated[
        Path | None, typer.Option(help="Folder of dataset, models and results; default: papers/PAPER.")
    ] = None,
    on: Annotated[
        Path | None, typer.Option(help="Folder of the benchmark's files (sugarcrepepp: replace_att.json and others).")
    ] = None,
    sets: Sets = None,
    prefect: ByPrefect = False,
    json: AsJson = False,
) -> None:
    """Walk a paper's whole way, generation to evaluation, and compare its table with ours.

    Example: `counterfoil reproduce saclip --scale 0.02`
    """
    with reported_errors():
        from counterfoil.flows.learning.reproducing import describe_reproduced, read_papers, reproduce_paper
        from counterfoil.flows.planning.recipe import RecipeError
        from counterfoil.flows.process.signals import run_watched

        papers = read_papers()
        if paper not in papers:
            raise RecipeError(f"no paper {paper!r}; there are {', '.join(papers)}")
        folder = (to or Path("papers") / paper).resolve()
        with choose_server(prefect) as by_prefect:
            make = _make_by_prefect if by_prefect else _make
            made = run_watched(lambda: reproduce_paper(papers[paper], folder, scale, sets or [], make, _tell_rows, on))
        if json:
            print_json(describe_reproduced(made))
        else:
            _print_reproduced(made)


def _make(recipe: str, overrides: list[str]) -> None:
    from counterfoil.flows.making.plain import make_recipe

    make_recipe(recipe, overrides)


def _make_by_prefect(recipe: str, overrides: list[str]) -> None:
    from counterfoil.flows.making.make import make_dataset

    make_dataset(recipe, overrides)


def _tell_rows(stage: str, _since: int, total: int) -> None:
    if stage == "rows":
        err.print(f"one of {total} rows is trained and scored", markup=False, highlight=False)


def _print_reproduced(made: Any) -> None:
    from rich.table import Table

    from counterfoil.flows.learning.reproducing import list_reasons, list_rows

    counts = ", ".join(f"{count:,} {split}" for split, count in sorted(made.anchors.items()))
    out.print(f"{made.paper.title} (anchors: {counts}; scale {made.scale:g})", markup=False, soft_wrap=True)
    headings = [text for heading, _, _ in made.paper.columns for text in (f"{heading}: paper", heading)]
    rows = list_rows(made)
    # A column of the paper in which it prints nothing takes room and tells nothing.
    shown = [n for n, _ in enumerate(headings) if n % 2 or any(row[1 + n][:1].isdigit() for row in rows)]
    table = Table("%, ours", box=None, pad_edge=False)
    for place in shown:
        table.add_column(headings[place], justify="right", no_wrap=place % 2 == 1)
    for row in rows:
        table.add_row(row[0], *(row[1 + place] for place in shown))
    out.print(table)
    told = {row[1 + place] for row in rows for place in shown}
    for reason in (each for each in list_reasons(made) if each.split(" ", 1)[0] in told):
        out.print(reason, markup=False, highlight=False, soft_wrap=True)
    if made.paper.note:
        out.print(f"note: {made.paper.note}", markup=False, highlight=False, soft_wrap=True)
