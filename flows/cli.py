"""The `counterfoil` command. Each command imports what it needs, so that `--help` answers at once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console

from flows.__main__ import main
from flows.errors import word_actionable

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

out = Console()
err = Console(stderr=True)

Sets = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a recipe key, such as geometry.negatives=5. Repeatable."),
]
DatasetArgument = Annotated[str, typer.Argument(help="Folder or URL of a dataset.", metavar="DATASET")]


@app.command()
def run(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML).")],
    sets: Sets = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take this many source rows of each domain.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask, even if a model's price is unknown.")] = False,
) -> None:
    """Make the dataset that a recipe describes; what is finished already is not made again.

    Example: `counterfoil run recipes/demo.toml --set dataset.path=data/try --limit 20`
    """
    from flows.asking import confirm_price
    from flows.checks import check_before
    from flows.recipe import load_recipe

    with reported_errors():
        checked = load_recipe(recipe, sets or ())
        check_before(checked)
        confirm_price(checked.author, yes, err)

        def make() -> RunSummary:
            from flows.hiding import hide_overrides
            from flows.make import make_dataset

            return make_dataset(str(recipe), hide_overrides(sets or ()), limit)

        finish_run(run_with_prefect(make), checked.dataset.path)


@app.command()
def regenerate(
    family: Annotated[str, typer.Argument(help="Family, such as geometry.rule (see `counterfoil families`).")],
    dataset: Annotated[str, typer.Option(help="Folder or URL of the dataset.")],
    sets: Sets = None,
) -> None:
    """Make one family again for the anchors that the dataset has; readers see the old rows until the new are whole.

    Example: `counterfoil regenerate geometry.rule --dataset data/demo --set geometry.negatives=8`
    """
    with reported_errors():
        from tasks.engine.registry import load_family

        load_family(family)

        def make() -> RunSummary:
            from flows.hiding import hide_overrides
            from flows.make import regenerate_family

            return regenerate_family(family, dataset, hide_overrides(sets or ()))

        finish_run(run_with_prefect(make), dataset)


@app.command()
def families() -> None:
    """List the families: what each makes, how, and by which paper.

    Example: `counterfoil families`
    """
    from rich.table import Table

    from tasks.engine.registry import DOMAIN_MODULES, load_domain

    table = Table("family", "makes", "how", "paper", "authors", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    for name in DOMAIN_MODULES:
        for family in load_domain(name).families.values():
            authors = "procedural, LLM" if family.make_llm else "procedural"
            table.add_row(family.name, f"{family.role} {family.modality}", family.how, family.paper, authors)
    out.print(table)


@app.command()
def verify(
    dataset: DatasetArgument,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
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
        for failure in result.failures:
            out.print(f"{failure.table} {failure.row_id}: {'; '.join(failure.reasons)}", markup=False, soft_wrap=True)
        out.print(f"{result.rows} rows checked, {len(result.failures)} failed", highlight=False)
        if result.failures:
            raise typer.Exit(1)


@app.command()
def audit(
    dataset: DatasetArgument,
    family: Annotated[list[str] | None, typer.Option(help="Audit this family alone. Repeatable.")] = None,
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
    family: Annotated[list[str] | None, typer.Option(help="Only this family. Repeatable.")] = None,
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
) -> None:
    """Tell everything about one row: anchor, code, edits, checks, seed, attempts, versions.

    Example: `counterfoil explain data/demo 3f9a1c`
    """
    with reported_errors():
        from flows.explain import explain_row

        explain_row(dataset, row_id, out)


@app.command()
def export(
    dataset: DatasetArgument,
    to: Annotated[Path, typer.Option(help="Folder to write; it must be new or empty.")],
    format: Annotated[str, typer.Option(help="hf (Parquet with a dataset card) or webdataset (tar shards).")] = "hf",
    rotate: Annotated[
        float | None, typer.Option(help="Turn pictures clockwise by this many degrees (MMCLIP: 30).")
    ] = None,
    scale: Annotated[float | None, typer.Option(help="Scale pictures by this factor (MMCLIP: 0.5).")] = None,
    rejects: Annotated[bool, typer.Option(help="Write what was thrown away, too.")] = False,
) -> None:
    """Write the dataset for another tool: a Hugging Face folder or WebDataset shards, with a dataset card.

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
def render(
    files: Annotated[list[Path], typer.Argument(help="Python scripts that draw with matplotlib.")],
    to: Annotated[Path, typer.Option(help="Folder for NAME.png and NAME.json.")],
    level: Annotated[str | None, typer.Option(help="Sandbox level to insist on: L3, L2 or L1.")] = None,
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
        rendered = render_files(files, to, level=level)
        for path, rendering in track(rendered, total=len(files), console=err, description="render"):
            active = rendering.level
            if rendering.outcome is not Outcome.OK:
                failed += 1
                why = f": {rendering.error.type}: {rendering.error.message}" if rendering.error else ""
                out.print(f"{path}: {rendering.outcome}{why}", markup=False, highlight=False, soft_wrap=True)
        rate = len(files) / (time.perf_counter() - started)
        line = f"{len(files) - failed} rendered, {failed} failed, {rate:.1f} per second, sandbox level {active}"
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

        serve_deployments(recipe, dataset, cron, limit)


@app.command()
def doctor() -> None:
    """Tell what works here: Python, the sandbox layer by layer, fonts, optional parts, keys present or not.

    Example: `counterfoil doctor`
    """
    with reported_errors():
        from flows.doctor import examine

        if not examine(out):
            raise typer.Exit(1)


@app.command()
def plan(
    recipe: Annotated[Path, typer.Argument(help="Recipe file (TOML).")],
    sets: Sets = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take this many source rows of each domain.")] = None,
) -> None:
    """Estimate a run before it costs anything: anchors, requests, tokens, USD and time. Sends no request.

    Example: `counterfoil plan recipes/demo.toml --set author.kind=openai --set author.model=gpt-5-mini`
    """
    with reported_errors():
        from flows.plan import print_plan

        print_plan(recipe, sets or (), limit, out)


@prompts_app.callback(invoke_without_command=True)
def list_prompts(context: typer.Context) -> None:
    """List the prompts: id, version, what it answers with, and the paper's figure that it follows.

    Example: `counterfoil prompts`
    """
    if context.invoked_subcommand is None:
        with reported_errors():
            from flows.show_prompts import print_prompts

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


def finish_run(summary: RunSummary, dataset: str) -> None:
    """Print what a run made and where it is; exit 1 if rows hit an internal error."""
    from rich.table import Table

    table = Table("", "accepted", "rejected", "most frequent reasons")
    for totals in summary.totals.values():
        for name, accepted in sorted(totals.accepted.items()):
            codes = totals.rejected.get(name) or totals.rejected.get(f"{name}.anchor")
            reasons = ", ".join(f"{code} {count}" for code, count in codes.most_common(4)) if codes else ""
            table.add_row(name, str(accepted), str(codes.total() if codes else 0), reasons)
    out.print(table)
    out.print(f"dataset: {dataset}", highlight=False, soft_wrap=True)
    broken = sum(totals.internal_errors for totals in summary.totals.values())
    if broken:
        err.print(f"{broken} rows hit an internal error; they are in rejects under internal_error", style="red")
        raise typer.Exit(1)


class reported_errors:  # noqa: N801 - reads as a statement: `with reported_errors():`
    """Turn the errors that a user can act on into one clear message and exit code 2; bugs keep their traceback."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: object) -> None:
        message = word_actionable(error)
        if message is not None:
            fail(message, 2)


def fail(message: str, code: int) -> NoReturn:
    """Print an error and exit."""
    from flows.hiding import hide_in_text

    err.print(hide_in_text(message), style="red", markup=False, highlight=False, soft_wrap=True)
    sys.exit(code)


if __name__ == "__main__":
    main()
