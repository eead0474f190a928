"""Commands on a dataset's versions."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfoil.flows.showing.terminal import (
    AsJson,
    DatasetArgument,
    complete_family,
    err,
    out,
    print_json,
    reported_errors,
)


def history(
    dataset: DatasetArgument,
    table: Annotated[str | None, typer.Option(help="Only this table: anchors, contrasts or rejects.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Commits to list, the newest first.")] = 20,
    json: AsJson = False,
) -> None:
    """List the versions of a dataset's tables: when, by what step, which rows came and went, and which can be read.

    Example: `counterfoil history data/demo`
    """
    with reported_errors():
        from counterfoil.flows.datasets.versions import list_commits, print_commits

        commits = list_commits(dataset, table, limit)
        if json:
            print_json(commits)
        else:
            print_commits(commits, out)


def diff(
    dataset: DatasetArgument,
    before: Annotated[int, typer.Option("--from", min=0, help="Older version of the table.", metavar="N")],
    after: Annotated[
        int | None, typer.Option("--to", min=0, help="Newer version; default: the newest.", metavar="M")
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="Compare this family alone.", autocompletion=complete_family)
    ] = None,
    table: Annotated[str, typer.Option(help="contrasts, anchors or rejects.")] = "contrasts",
    json: AsJson = False,
) -> None:
    """Tell which rows came, went and changed from one version of a table to another; --json names each by its id.

    Example: `counterfoil diff data/demo --from 1 --to 2 --family geometry.rule`
    """
    with reported_errors():
        from counterfoil.flows.datasets.versions import (
            check_table,
            describe_difference,
            open_dataset,
            print_differences,
        )

        found = open_dataset(dataset).diff(check_table(table), before, after, family)
        if json:
            print_json([describe_difference(each) for each in found])
        else:
            print_differences(found, out)


def restore(
    dataset: DatasetArgument,
    version: Annotated[int, typer.Argument(min=0, help="Version to bring back (see `counterfoil history`).")],
    table: Annotated[str, typer.Option(help="Whose version it is: contrasts, anchors or rejects.")] = "contrasts",
    json: AsJson = False,
) -> None:
    """Bring all tables back, together, to what they were at a version of one; that can be undone in the same way.

    Example: `counterfoil restore data/demo 1`
    """
    with reported_errors():
        from counterfoil.flows.datasets.versions import check_table, describe_restored, open_dataset, print_restored

        before = open_dataset(dataset).versions()
        done = open_dataset(dataset).restore(version, check_table(table))
        if json:
            print_json(describe_restored(done, before))
        else:
            print_restored(dataset, done, before, out)


def repair(dataset: DatasetArgument, json: AsJson = False) -> None:
    """Make again what is damaged of a dataset, by the recipe and answers that made it, and nothing else.

    Exits 1 if something is damaged still.

    Example: `counterfoil repair data/demo`
    """
    with reported_errors():
        from dataclasses import asdict

        from counterfoil.flows.datasets.repairing import repair_dataset
        from counterfoil.flows.process.signals import run_watched
        from counterfoil.flows.showing.progress import TerminalObserver

        observer = TerminalObserver(err)
        with observer.live():
            done = run_watched(lambda: repair_dataset(dataset, observer))
        if json:
            print_json(asdict(done))
        else:
            for path in done.files:
                out.print(f"made again: {path}", highlight=False, soft_wrap=True, markup=False)
            for each in done.left:
                line = f"{each.table} {each.row_id}: {'; '.join(each.reasons)}"
                out.print(line, highlight=False, soft_wrap=True, markup=False)
            out.print(f"{len(done.files)} files were damaged, {len(done.left)} failures are left", highlight=False)
        if done.left:
            raise typer.Exit(1)


def vacuum(
    dataset: DatasetArgument,
    keep: Annotated[int, typer.Option(min=1, help="States to keep: those after the N newest publishes.", metavar="N")],
    staged_hours: Annotated[
        float, typer.Option(min=0, help="Staged shards that no table uses are removed at this age.")
    ] = 168,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Remove nothing; say what would be.")] = False,
    json: AsJson = False,
) -> None:
    """Remove the files that only older versions use. A reader that still uses one of those gets an error that says so.

    Example: `counterfoil vacuum data/demo --keep 3`
    """
    with reported_errors():
        from counterfoil.flows.datasets.versions import open_dataset

        removed = open_dataset(dataset).vacuum(staged_hours, dry_run, keep)
        if json:
            print_json({"removed": removed, "dry_run": dry_run})
        else:
            out.print(f"{'would remove' if dry_run else 'removed'} {len(removed)} files", highlight=False)
