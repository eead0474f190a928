"""The `counterfoil` command. Each command imports what it needs, so that `--help` answers at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.__main__ import main
from flows.terminal import (
    AsJson,
    DatasetArgument,
    complete_family,
    complete_recipe,
    err,
    out,
    print_json,
    reported_errors,
    set_verbosity,
)
from tasks.showing.terminal import join_lines

if TYPE_CHECKING:
    from flows.make import RunSummary

app = typer.Typer(
    name="counterfoil",
    help="Hard negatives that are proved to be negatives.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
prompts_app = typer.Typer(help="List the prompts, or show one as a row would send it.")
app.add_typer(prompts_app, name="prompts")


Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a recipe key, such as geometry.negatives=5. Repeatable."),
]
Workers = Annotated[int | None, typer.Option(min=0, help="Worker processes; 0: one per core.")]


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
    version: Annotated[  # noqa: ARG001 - its callback has printed it
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hard negatives that are proved to be negatives. `init` writes a recipe, `run` makes its dataset."""
    set_verbosity(quiet=quiet, verbosely=verbose)


@app.command()
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
        from flows.beginning import ask_domain, ask_source, write_recipe

        domain = domain or ask_domain()
        source = source or ask_source(domain)
        write_recipe(recipe, {domain: source}, dataset or f"data/{recipe.stem}", author, model, force=force)
        out.print(f"recipe: {recipe}", highlight=False, soft_wrap=True)
        err.print(f"try it: counterfoil run {recipe} --limit 5", highlight=False, soft_wrap=True, markup=False)


@app.command("recipes")
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
        from flows.beginning import list_recipes, print_recipes, show_recipe

        if name is not None:
            print(show_recipe(name), end="")
        elif json:
            print_json(list_recipes())
        else:
            print_recipes(out)


@app.command()
def run(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML).")],
    sets: Sets = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take this many source rows of each domain.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, even if a model's price is unknown.")] = False,
    workers: Workers = None,
    json: AsJson = False,
) -> None:
    """Make the dataset that a recipe describes; what is finished already is not made again.

    Example: `counterfoil run recipes/demo.toml --set dataset.path=data/try --limit 20`
    """
    from flows.asking import confirm_price
    from flows.checks import check_before
    from flows.recipe import load_recipe

    with reported_errors():
        overrides = gather_overrides(sets, workers)
        checked = load_recipe(recipe, overrides)
        check_before(checked)
        confirm_price(checked.author, yes, err)

        def make() -> RunSummary:
            from flows.hiding import hide_overrides
            from flows.make import make_dataset

            return make_dataset(str(recipe), hide_overrides(overrides), limit)

        finish_run(run_with_prefect(make), checked.dataset.path, as_json=json)


@app.command()
def regenerate(
    family: Annotated[
        str,
        typer.Argument(
            help="Family, such as geometry.rule (see `counterfoil families`).", autocompletion=complete_family
        ),
    ],
    dataset: Annotated[str, typer.Option(help="Folder or URL of the dataset.")],
    sets: Sets = None,
    workers: Workers = None,
    json: AsJson = False,
) -> None:
    """Make one family again for the anchors that the dataset has; readers see the old rows until the new are whole.

    Example: `counterfoil regenerate geometry.rule --dataset data/demo --set geometry.negatives=8`
    """
    with reported_errors():
        from storage.dataset import Dataset
        from tasks.engine.history import find_run
        from tasks.engine.registry import load_family

        domain, _ = load_family(family)
        find_run(Dataset(dataset), domain.name)

        def make() -> RunSummary:
            from flows.hiding import hide_overrides
            from flows.make import regenerate_family

            return regenerate_family(family, dataset, hide_overrides(gather_overrides(sets, workers)))

        finish_run(run_with_prefect(make), dataset, as_json=json)


@app.command()
def families(json: AsJson = False) -> None:
    """List the families: what each makes, how, and by which paper.

    Example: `counterfoil families`
    """
    from flows.showing import list_family_facts, print_families

    if json:
        print_json(list_family_facts())
    else:
        print_families(out)


@app.command()
def verify(
    dataset: DatasetArgument,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
    json: AsJson = False,
) -> None:
    """Check every row of every table again, from the stored bytes alone. Exits 1 if any row fails.

    Example: `counterfoil verify data/demo`
    """
    with reported_errors():
        from flows.progress import TerminalObserver
        from tasks.audit.verify import verify_dataset

        observer = TerminalObserver(err)
        with observer.live():
            result = verify_dataset(dataset, workers=workers, on_start=observer.start, on_rows=observer.advance)
        if json:
            print_json({"rows": result.rows, "failures": [asdict(each) for each in result.failures]})
            raise typer.Exit(bool(result.failures))
        for failure in result.failures:
            line = join_lines(f"{failure.table} {failure.row_id}: {'; '.join(failure.reasons)}")
            out.print(line, markup=False, soft_wrap=True)
        out.print(f"{result.rows} rows checked, {len(result.failures)} failed", highlight=False)
        if result.failures:
            raise typer.Exit(1)


@app.command()
def audit(
    dataset: DatasetArgument,
    family: Annotated[
        list[str] | None, typer.Option(help="Audit this family alone. Repeatable.", autocompletion=complete_family)
    ] = None,
    fail_over: Annotated[
        float | None, typer.Option(min=0.5, max=1, help="Exit 1 if negatives are told more often than this: 0.55.")
    ] = None,
    anchors: Annotated[int, typer.Option(min=100, help="Anchors read of each family, at most.")] = 1500,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the figures of all judges as JSON.")] = False,
) -> None:
    """Tell how often a model that sees one side alone knows a contrast from its anchor: a half is chance.

    Example: `counterfoil audit data/demo --fail-over 0.55`
    """
    with reported_errors():
        from flows.audit import audit_tables, show_audits
        from flows.progress import show_bars

        with show_bars(err) as progress:
            figures = audit_tables(dataset, family or (), most=anchors, workers=workers, progress=progress)
        show_audits(figures, out, as_json=json)
        over = [each.family for each in figures if fail_over is not None and each.exceeds(fail_over)]
        if over:
            err.print(f"over {fail_over}: {', '.join(over)}", style="red", highlight=False, soft_wrap=True)
            raise typer.Exit(1)


@app.command()
def report(
    dataset: DatasetArgument,
    to: Annotated[Path | None, typer.Option(help="HTML file to write; default: report.html in the dataset.")] = None,
    sample: Annotated[int, typer.Option(min=0, help="Anchors shown beside their contrasts; 0: all of them.")] = 60,
) -> None:
    """Write the dataset's report: one HTML file, and for many anchors a folder of parts beside it.

    Example: `counterfoil report data/demo`
    """
    with reported_errors():
        from flows.progress import show_bars
        from tasks.report import write_report

        with show_bars(err) as progress:
            path = write_report(dataset, to, sample=sample, progress=progress)
        out.print(f"report: {path}", highlight=False, soft_wrap=True)


@app.command()
def review(
    dataset: DatasetArgument,
    rows: Annotated[int, typer.Option(min=1, help="Rows of each family to judge.")] = 50,
    family: Annotated[
        list[str] | None, typer.Option(help="Only this family. Repeatable.", autocompletion=complete_family)
    ] = None,
    judge: Annotated[str, typer.Option(help="Name to keep answers under; default: the page asks.")] = "",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on this machine; 0: any that is free.")] = 0,
    seed: Annotated[int, typer.Option(help="Which rows are drawn, and in what order.")] = 0,
    rates: Annotated[bool, typer.Option("--rates", help="Print the rates measured so far, and judge nothing.")] = False,
    json: Annotated[bool, typer.Option("--json", help="As --rates, in JSON, with what was judged otherwise.")] = False,
) -> None:
    """Judge rows by keyboard in a browser, blind to what the dataset says; prints each family's rate of error.

    Example: `counterfoil review data/demo --judge ada --rows 40`
    """
    with reported_errors():
        from flows.reviewing import hold_review, print_rates

        if rates or json:
            print_rates(dataset, out, as_json=json)
        else:
            hold_review(dataset, out, rows=rows, families=family or [], seed=seed, judge=judge, port=port)


@app.command()
def explain(
    dataset: DatasetArgument,
    row_id: Annotated[
        str,
        typer.Argument(help="Id of an anchor, contrast or reject (its first digits are enough), or of a source row."),
    ],
    json: AsJson = False,
) -> None:
    """Tell everything about one row: anchor, code, edits, checks, seed, attempts, versions.

    Example: `counterfoil explain data/demo 3f9a1c`
    """
    with reported_errors():
        from flows.explain import describe_row, explain_row

        if json:
            print_json(describe_row(dataset, row_id))
        else:
            explain_row(dataset, row_id, out)


@app.command()
def export(
    dataset: DatasetArgument,
    to: Annotated[Path, typer.Option(help="Folder to write; it must be new or empty.")],
    format: Annotated[str, typer.Option(help="hf (tables), triplets (one row an anchor) or webdataset (tar).")] = "hf",
    rotate: Annotated[
        float | None, typer.Option(help="Turn pictures clockwise by this many degrees (MMCLIP: 30).")
    ] = None,
    scale: Annotated[float | None, typer.Option(help="Scale pictures by this factor (MMCLIP: 0.5).")] = None,
    rejects: Annotated[bool, typer.Option(help="Write what was thrown away, too.")] = False,
) -> None:
    """Write the dataset for another tool: Hugging Face tables, triplets, or WebDataset shards, with a dataset card.

    Example: `counterfoil export data/demo --format hf --to data/demo-hf`
    """
    with reported_errors():
        from flows.exporting import export_with_card
        from flows.progress import show_bars

        with show_bars(err) as progress:
            written = export_with_card(
                dataset, to, format, rotate=rotate, scale=scale, rejects=rejects, progress=progress
            )
        out.print(f"export: {written}", highlight=False, soft_wrap=True)


@app.command()
def push(
    dataset: DatasetArgument,
    repo: Annotated[str, typer.Argument(help="Repository on the Hugging Face Hub.", metavar="OWNER/NAME")],
    format: Annotated[str, typer.Option(help="hf (tables) or triplets (one row an anchor).")] = "hf",
    private: Annotated[bool, typer.Option(help="Make the repository private, if it is made now.")] = True,
    message: Annotated[str, typer.Option(help="Message of the commit.")] = "Upload by counterfoil",
) -> None:
    """Export a dataset and upload it to the Hugging Face Hub with its card. The token is HF_TOKEN or `hf auth login`.

    Example: `counterfoil push data/demo ada/demo --format triplets --no-private`
    """
    with reported_errors():
        from flows.progress import show_bars
        from flows.pushing import push_dataset

        with show_bars(err) as progress:
            url, written = push_dataset(dataset, repo, format, private=private, message=message, progress=progress)
        out.print(f"pushed {written.files} files, {written.size / 1e6:.1f} MB: {url}", highlight=False, soft_wrap=True)


@app.command()
def render(
    files: Annotated[list[Path], typer.Argument(help="Python scripts that draw with matplotlib.")],
    to: Annotated[Path, typer.Option(help="Folder for NAME.png and NAME.json.")],
    level: Annotated[str | None, typer.Option(help="Sandbox level to insist on: L3, L2 or L1.")] = None,
    json: AsJson = False,
) -> None:
    """Run scripts in the sandbox and write each one's picture and what was recorded. Exits 1 if any fails.

    Example: `counterfoil render figures/*.py --to out`
    """
    with reported_errors():
        import time

        from rich.progress import track

        from renderers.render_files import render_files
        from renderers.results import Outcome

        started, failed, active = time.perf_counter(), 0, ""
        told: list[dict[str, str]] = []
        rendered = render_files(files, to, level=level)
        for path, rendering in track(rendered, total=len(files), console=err, description="render"):
            active = rendering.level
            if rendering.outcome is not Outcome.OK:
                failed += 1
                said = f"{rendering.error.type}: {rendering.error.message}" if rendering.error else ""
                why = f": {join_lines(said)}" if said else ""
                if not json:
                    out.print(f"{path}: {rendering.outcome}{why}", markup=False, highlight=False, soft_wrap=True)
            error = rendering.error.message if rendering.error else ""
            told.append({"file": str(path), "outcome": str(rendering.outcome), "error": error})
        rate = len(files) / (time.perf_counter() - started)
        line = f"{len(files) - failed} rendered, {failed} failed, {rate:.1f} per second, sandbox level {active}"
        if json:
            print_json({"files": told, "failed": failed, "per_second": round(rate, 2), "sandbox_level": active})
        else:
            out.print(line, highlight=False)
        if failed:
            raise typer.Exit(1)


@app.command()
def serve(
    recipe: Annotated[Path, typer.Option(envvar="COUNTERFOIL_RECIPE", help="Recipe that the forms begin with.")] = Path(
        "recipes/demo.toml"
    ),
    dataset: Annotated[str, typer.Option(help="Dataset that the form of regenerate begins with.")] = "data/demo",
    cron: Annotated[
        str | None, typer.Option(envvar="COUNTERFOIL_CRON", help="Make the recipe at these times, such as '0 2 * * *'.")
    ] = None,
    limit: Annotated[int, typer.Option(min=2, help="Runs at once; a whole run and its stage are two.")] = 4,
) -> None:
    """Offer the flows, and each stage by itself, to the Prefect server: for schedules, the UI's forms and its Retry.

    Example: `counterfoil serve --recipe night.toml --cron "0 2 * * *"`
    """
    with reported_errors():
        from flows.serve import serve_deployments

        def say(line: str) -> None:
            err.print(f"{line}; Ctrl-C ends it", highlight=False, soft_wrap=True, markup=False)

        serve_deployments(recipe, dataset, cron, limit, say)


@app.command()
def doctor(json: AsJson = False) -> None:
    """Tell what works here: Python, the sandbox layer by layer, fonts, optional parts, keys present or not.

    Example: `counterfoil doctor`
    """
    with reported_errors():
        from flows.doctor import examine, print_findings

        findings = examine()
        if json:
            print_json([asdict(each) for each in findings])
        else:
            print_findings(findings, out)
        if any(each.needed and not each.works for each in findings):
            raise typer.Exit(1)


@app.command()
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
        from flows.plan import describe_plan, print_plan

        if json:
            print_json(describe_plan(recipe, sets or (), limit))
        else:
            print_plan(recipe, sets or (), limit, out)


@prompts_app.callback(invoke_without_command=True)
def show_prompts(context: typer.Context, json: AsJson = False) -> None:
    """List the prompts: id, version, what it answers with, and the paper's figure that it follows.

    Example: `counterfoil prompts`
    """
    if context.invoked_subcommand is None:
        with reported_errors():
            from flows.show_prompts import describe_prompts, print_prompts

            if json:
                print_json(describe_prompts())
            else:
                print_prompts(out)


@prompts_app.command("show")
def show_prompt(
    prompt_id: Annotated[str, typer.Argument(help="Prompt id, such as geometry.script.")],
    row: Annotated[str | None, typer.Option(help="DATASET:ROW_ID to render it for.")] = None,
) -> None:
    """Show one prompt: its text, or with --row the messages as they would be sent for that row.

    Example: `counterfoil prompts show geometry.rule --row data/demo:3f9a1c`
    """
    with reported_errors():
        from flows.show_prompts import print_prompt

        print_prompt(prompt_id, row, out)


def run_with_prefect(run: Callable[[], RunSummary]) -> RunSummary:
    """Call what runs the flows, with a Prefect server and bars; Ctrl-C and SIGTERM end it in seconds.

    Prefect must be configured before it is imported, so ``run`` imports the flows.
    """
    from flows.progress import TerminalObserver
    from flows.server import open_server
    from flows.session import observed_by
    from flows.signals import run_watched

    observer = TerminalObserver(err)
    with observer.live(), observed_by(observer), open_server():
        return run_watched(run)


def gather_overrides(sets: list[str] | None, workers: int | None) -> list[str]:
    """The recipe's keys that this run overrides: ``--workers N`` is ``--set dataset.workers=N``."""
    return [*(sets or ()), *([] if workers is None else [f"dataset.workers={workers}"])]


def finish_run(summary: RunSummary, dataset: str, *, as_json: bool) -> None:
    """Print what a run made and where it is; exit 1 if rows hit an internal error."""
    from flows.showing import describe_run, print_run

    if as_json:
        print_json(describe_run(summary, dataset))
    else:
        print_run(summary, dataset, out)
    broken = sum(totals.internal_errors for totals in summary.totals.values())
    if broken:
        err.print(f"{broken} rows hit an internal error; they are in rejects under internal_error", style="red")
        raise typer.Exit(1)


if __name__ == "__main__":
    main()
