"""Commands that make a dataset: a recipe, a run, one family again, and what a run would cost."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from counterfoil.flows.process.choosing import ByPrefect, choose_server
from counterfoil.flows.showing.terminal import (
    AsJson,
    complete_family,
    complete_recipe,
    err,
    out,
    print_json,
    reported_errors,
)

if TYPE_CHECKING:
    from counterfoil.tasks.engine.observing import Observer
    from counterfoil.tasks.engine.publishing import RunSummary

Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a recipe key, such as geometry.negatives=5. Repeatable."),
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Let published rows go that the run takes away; it stops there otherwise.")
]
Workers = Annotated[int | None, typer.Option(min=0, help="Worker processes; 0: one per core.")]


def init(
    recipe: Annotated[Path, typer.Argument(help="Recipe file to write.")] = Path("recipe.toml"),
    domain: Annotated[str | None, typer.Option(help="Domain, such as geometry; asked for if left out.")] = None,
    source: Annotated[str | None, typer.Option(help="Source, such as procedural:100; asked for if left out.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Folder or URL of the dataset to make.")] = None,
    author: Annotated[str, typer.Option(help="procedural, openai, anthropic or vllm.")] = "procedural",
    model: Annotated[str, typer.Option(help="The author's model.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write a recipe for your data, with every key explained; asks for domain and source where they are not given.

    Example: `counterfoil init first.toml --domain geometry --source procedural:20`
    """
    with reported_errors():
        from counterfoil.flows.planning.beginning import ask_domain, ask_source, write_recipe

        domain = domain or ask_domain()
        source = source or ask_source(domain)
        write_recipe(recipe, {domain: source}, dataset or f"data/{recipe.stem}", author, model, force=force)
        out.print(f"recipe: {recipe}", highlight=False, soft_wrap=True)
        err.print(f"try it: counterfoil run {recipe} --limit 5", highlight=False, soft_wrap=True, markup=False)


def show_recipes(
    name: Annotated[
        str | None, typer.Argument(help="Print this recipe's file.", autocompletion=complete_recipe)
    ] = None,
    json: AsJson = False,
) -> None:
    """List the recipes that ship, one for each paper, or print one.

    Example: `counterfoil recipes mmclip > mine.toml`
    """
    with reported_errors():
        from counterfoil.flows.planning.beginning import list_recipes, print_recipes, show_recipe

        if name is not None:
            print(show_recipe(name), end="")
        elif json:
            print_json(list_recipes())
        else:
            print_recipes(out)


def run(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML).")],
    sets: Sets = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Take this many source rows of each domain, to a path of its own (PATH-limit-N)."),
    ] = None,
    replace: Replace = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, even if a model's price is unknown.")] = False,
    workers: Workers = None,
    sign: Annotated[
        Path | None, typer.Option(help="Sign the tables with this key (Ed25519, PEM) once published.", metavar="KEY")
    ] = None,
    prefect: ByPrefect = False,
    json: AsJson = False,
) -> None:
    """Make the dataset that a recipe describes; what is finished already is not made again.

    Example: `counterfoil run recipes/demo.toml --set dataset.path=data/try --limit 20`
    """
    from counterfoil.flows.planning.asking import confirm_price
    from counterfoil.flows.planning.checks import check_before
    from counterfoil.flows.planning.limiting import limit_recipe
    from counterfoil.flows.planning.recipe import load_recipe

    with reported_errors():
        overrides = gather_overrides(sets, workers, replace)
        checked = limit_recipe(load_recipe(recipe, overrides), limit)
        sign_made = prepare_signing(sign)
        check_before(checked)
        confirm_price(checked.author, yes, err)

        summary = run_recipe(str(recipe), overrides, limit, prefect)
        sign_made(checked.dataset.path)
        finish_run(summary, checked.dataset.path, as_json=json)


def regenerate(
    family: Annotated[
        str,
        typer.Argument(
            help="Family, such as geometry.rule (see `counterfoil families`).", autocompletion=complete_family
        ),
    ],
    dataset: Annotated[str, typer.Option(help="Folder or URL of the dataset.")],
    sets: Sets = None,
    replace: Replace = False,
    workers: Workers = None,
    prefect: ByPrefect = False,
    json: AsJson = False,
) -> None:
    """Make one family again for the anchors that the dataset has; readers see the old rows until the new are whole.

    Example: `counterfoil regenerate geometry.rule --dataset data/demo --set geometry.negatives=8`
    """
    with reported_errors():
        from counterfoil.storage.dataset import Dataset
        from counterfoil.tasks.engine.history import find_run
        from counterfoil.tasks.engine.registry import load_family

        domain, _ = load_family(family)
        find_run(Dataset(dataset), domain.name)

        overrides = gather_overrides(sets, workers, replace)

        def make(observer: Observer, served: bool) -> RunSummary:
            from counterfoil.flows.making.plain import make_again

            return make_again(family, dataset, overrides, observer, served=served)

        finish_run(run_with_bars(make, prefect), dataset, as_json=json)


def plan(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML).")],
    sets: Sets = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take this many source rows of each domain.")] = None,
    json: AsJson = False,
) -> None:
    """Estimate a run before it costs anything: anchors, requests, tokens, USD and time. Sends no request.

    Example: `counterfoil plan recipes/demo.toml --set author.kind=openai --set author.model=gpt-5-mini`
    """
    with reported_errors():
        from counterfoil.flows.planning.plan import describe_plan, print_plan

        if json:
            print_json(describe_plan(recipe, sets or (), limit))
        else:
            print_plan(recipe, sets or (), limit, out)


def run_recipe(
    recipe: str, overrides: list[str], limit: int | None, prefect: bool = False, console: Console = err
) -> RunSummary:
    """Make the dataset of a recipe file, with bars; `run_with_bars` says how."""

    def make(observer: Observer, served: bool) -> RunSummary:
        from counterfoil.flows.making.plain import make_recipe

        return make_recipe(recipe, overrides, limit, observer, served=served)

    return run_with_bars(make, prefect, console)


def prepare_signing(key: Path | None) -> Callable[[str], object]:
    """What signs a dataset once it is published; the key is read before the run, which a wrong one would waste.

    Raises:
        counterfoil.storage.errors.StorageError: the file holds no such key.
    """
    if key is None:
        return lambda _: None
    from counterfoil.storage.dataset import Dataset
    from counterfoil.storage.signing import read_private_key, sign_dataset

    private = read_private_key(key)
    return lambda path: sign_dataset(Dataset(path), private)


def run_with_bars(make: Callable[[Observer, bool], RunSummary], prefect: bool, console: Console = err) -> RunSummary:
    """Call what runs the night, with bars; Ctrl-C and SIGTERM end it in seconds.

    ``make`` hears whether a Prefect server shows it: one that is configured, or that ``prefect`` asks for.
    """
    from counterfoil.flows.process.signals import run_watched
    from counterfoil.flows.showing.progress import TerminalObserver
    from counterfoil.tasks.engine.observing import Observer
    from counterfoil.tasks.packages import spare_pandas
    from counterfoil.tasks.showing.logs import is_json

    spare_pandas()
    shown = Observer() if is_json() else TerminalObserver(console)
    with shown.live() if isinstance(shown, TerminalObserver) else nullcontext(), choose_server(prefect) as served:
        return run_watched(lambda: make(shown, served))


def gather_overrides(sets: list[str] | None, workers: int | None, replace: bool = False) -> list[str]:
    """The recipe's keys that this run overrides: ``--workers N`` is ``--set dataset.workers=N``, and so on."""
    given = [] if workers is None else [f"dataset.workers={workers}"]
    return [*(sets or ()), *given, *(["dataset.replace=true"] if replace else [])]


def finish_run(summary: RunSummary, dataset: str, *, as_json: bool) -> None:
    """Print what a run made and where it is; exit 1 if rows hit an internal error."""
    from counterfoil.flows.making.showing import describe_run, print_run

    if as_json:
        print_json(describe_run(summary, dataset))
    else:
        print_run(summary, dataset, out, gate=err.quiet)
    broken = sum(totals.internal_errors for totals in summary.totals.values())
    if broken:
        err.print(f"{broken} rows hit an internal error; they are in rejects under internal_error", style="red")
        raise typer.Exit(1)
