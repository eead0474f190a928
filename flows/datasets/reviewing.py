"""`counterfoil review`: hold a review of a dataset's rows, and print what it measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from counterfoil.flows.process.signals import Interrupted, Terminated, heed_signals
from counterfoil.flows.showing.terminal import print_json
from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.audit.review.answers import FOLDER, check_judge
from counterfoil.tasks.audit.review.errors import ReviewError
from counterfoil.tasks.audit.review.rates import Rate, Review, read_review
from counterfoil.tasks.audit.review.rows import choose_rows
from counterfoil.tasks.audit.review.server import ReviewServer
from counterfoil.tasks.audit.review.session import Sitting
from counterfoil.tasks.showing.terminal import join_lines

DOUBTS_SHOWN = 20


def hold_review(url: str, out: Console, *, rows: int, families: list[str], seed: int, judge: str, port: int) -> None:
    """Serve the review's page until Ctrl-C, then print the rates.

    Raises:
        ReviewError: there is nothing to judge, or no place to keep answers.
        StorageError: the dataset cannot be read.
    """
    dataset, folder = _open(url)
    if judge:
        check_judge(judge)
    sitting = Sitting(choose_rows(dataset.snapshot(), rows, seed, families), folder / FOLDER)
    try:
        with ReviewServer(sitting, port, judge) as server:
            out.print(f"review: {server.address}", markup=False, highlight=False, soft_wrap=True)
            told = "Open it in a browser of this machine; Ctrl-C here ends the review. Every answer is kept at once."
            out.print(told, highlight=False, soft_wrap=True)
            server.serve_forever(poll_interval=0.2)
    except Terminated:
        raise
    except Interrupted:  # the usual end of a review
        heed_signals()
        out.print()
    print_rates(url, out)


def print_rates(url: str, out: Console, *, as_json: bool = False) -> None:
    """Print the measured error rates of a dataset, per family; as JSON, all that was judged otherwise too."""
    dataset, _ = _open(url)
    review = read_review(dataset)
    if as_json:
        print_json(_describe_plainly(review))
        return
    if review is None:
        out.print("nothing is judged yet")
        return
    table = Table("family", "says", "rows", "doubtful", "errors", "rate", "95 % interval", box=None, pad_edge=False)
    for rate in review.rates:
        table.add_row(*_describe_rate(rate))
    out.print(table)
    _print_judges(review, out)
    for each in review.disagreements[:DOUBTS_SHOWN]:
        why = f" ({'; '.join(each.why)})" if each.why else ""
        line = f"{each.row_id}  {each.family}: we say {each.expected}, judged {each.said}{why}"
        out.print(join_lines(" ".join(line.split())), markup=False, highlight=False, soft_wrap=True)
    if len(review.disagreements) > DOUBTS_SHOWN:
        out.print(f"and {len(review.disagreements) - DOUBTS_SHOWN} more")


def _open(url: str) -> tuple[Dataset, Path]:
    dataset = Dataset(url)
    if not dataset.exists():
        raise ReviewError(f"there is no dataset at {url}: make one with `counterfoil run RECIPE`")
    if dataset.store.folder is None:
        raise ReviewError(f"{url} is no local folder, and answers are kept next to the tables: copy the dataset first")
    return dataset, dataset.store.folder


def _describe_rate(rate: Rate) -> tuple[str, ...]:
    low, high = rate.interval
    share = "–" if rate.share is None else f"{100 * rate.share:.1f} %"
    interval = "–" if rate.share is None else f"{100 * low:.1f} to {100 * high:.1f} %"
    says = "wrong" if rate.role == "negative" else "right"
    return rate.family, says, str(rate.rows), str(rate.doubtful), str(rate.errors), share, interval


def _describe_plainly(review: Review | None) -> Mapping[str, Any]:
    """A review as plain data; rates and limits are shares from 0 to 1."""
    if review is None:
        return {"families": [], "judges": {}, "agreement": None, "pairs": 0, "gone": 0, "disagreements": []}
    families = [
        {**asdict(rate), "rate": rate.share, "low": rate.interval[0], "high": rate.interval[1]} for rate in review.rates
    ]
    return {
        "families": families,
        "judges": review.judges,
        "agreement": review.agreement,
        "pairs": review.pairs,
        "gone": review.gone,
        "disagreements": [asdict(each) for each in review.disagreements],
    }


def _print_judges(review: Review, out: Console) -> None:
    judges = ", ".join(f"{name} {count}" for name, count in review.judges.items())
    said = f"judges: {judges}"
    if review.agreement is not None:
        said += f"; two judges of a row agree in {100 * review.agreement:.1f} % of {review.pairs} pairs"
    if review.gone:
        said += f"; {review.gone} judged rows are no longer in the dataset"
    out.print(said, markup=False, highlight=False, soft_wrap=True)
