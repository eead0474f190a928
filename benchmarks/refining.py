"""Dropping what judges tell, or keeping what is in balance: two ways to thin out negatives that have no spare ones.

    python -m benchmarks.refining COCO.jsonl [--kind swaps] [--pictures 120]

Negatives as others make them of pictures' captions (`benchmarks.others`), one of each caption. `refine` drops those
that judges recognise who learn anew after each round (`counterfoil.tasks.tells.refine`). The chooser may drop as well,
where each caption may go without its negative: it keeps what brings no word, number or class beyond its bounds
(`counterfoil.tasks.contract.choosing`). Of what is left new judges learn, by other folds: how much they tell is printed
beside the rows that stayed, with the CPU seconds of the choice.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.others import change, deny, read_captions, replace_nouns, swap_words
from counterfoil.tasks.contract.choosing import Bounds, Edits, choose
from counterfoil.tasks.tells.compare import CAPTION, CONTRAST, Comparison, Shown, compare
from counterfoil.tasks.tells.figures import measure_figures
from counterfoil.tasks.tells.judges import Judge, TreeJudge, judge_ngrams, judge_numbers, score_folds
from counterfoil.tasks.tells.refine import Side, choose_dropped
from counterfoil.tasks.tells.spare import profile_texts
from counterfoil.tasks.tells.wording import list_ngrams, measure_text

KINDS: dict[str, Callable[[list[list[str]]], object]] = {
    "swaps": lambda pictures: change(pictures, swap_words),
    "denied": lambda pictures: change(pictures, deny),
    "nouns": replace_nouns,
}
SLACKS = (0.05, 0.1, 0.25)


def read_rows(kind: str, pictures: list[list[str]]) -> tuple[list[Shown], dict[str, list[str]]]:
    """Captions and their negatives; what ties those of one picture together."""
    place = {text: str(number) for number, captions in enumerate(pictures) for text in captions}
    shown, keys = [], {}
    for number, row in enumerate(KINDS[kind](pictures)):  # type: ignore[arg-type, var-annotated]
        name = f"{number:06d}"
        shown += [
            Shown(name, name, CAPTION, text=row["anchor"]),
            Shown(name, f"{name}-", CONTRAST, text=row["negative"]),
        ]
        keys[name] = [place[row["anchor"]]]
    return shown, keys


def drop_by_judges(comparison: Comparison) -> set[str]:
    """Row ids that refinement drops."""
    return set(choose_dropped([Side("refining", comparison, (*_list_judges(comparison)[:2],))]))  # type: ignore[arg-type]


def drop_by_bounds(comparison: Comparison, slack: float) -> set[str]:
    """Row ids that the chooser leaves out within these bounds: each anchor has its negative to offer, or nothing."""
    profile, worth = profile_texts([row.text for row in comparison.rows], comparison.items.own)
    groups, places = [], []
    for own, other in comparison.items.divide():
        gap = (profile[other[:1]] - profile[own[:1]]).tocsr()
        gap.eliminate_zeros()
        groups.append(Edits(gap.indices.astype(np.int64), gap.data, np.array([0, 0, gap.nnz])))
        places.append(int(other[0]))
    chosen = choose(groups, 2, bounds=Bounds(slack=slack, free=0.0, least=100), worth=worth)
    return {comparison.rows[place].row_id for place, own in zip(places, chosen, strict=True) if 1 not in own}


def _list_judges(comparison: Comparison) -> Sequence[Judge]:
    texts = [row.text for row in comparison.rows]
    numbers = np.stack([measure_text(text) for text in texts])
    return judge_ngrams([list_ngrams(text) for text in texts]), judge_numbers(numbers), TreeJudge(numbers)


def describe(name: str, shown: Sequence[Shown], keys: dict[str, list[str]], gone: set[str], spent: float) -> str:
    """How many rows stayed, and what the strongest of new judges tells of them."""
    left = {row.anchor_id for row in shown if row.kind == CONTRAST and row.row_id not in gone}
    comparison = compare([row for row in shown if row.anchor_id in left], keys, seed=11, beside=CAPTION)
    if comparison is None or len(np.unique(comparison.items.blocks)) < 10:
        return f"| {name} | {len(left)} | too few to judge | {spent:.1f} |"
    figures = [
        measure_figures(comparison.items, score_folds(comparison.items, each), 0) for each in _list_judges(comparison)
    ]
    told = max((each.pairwise for each in figures), key=lambda each: each.value)
    return f"| {name} | {len(left)} | {told.value:.1%} ({told.low:.1%} to {told.high:.1%}) | {spent:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("captions", type=Path)
    parser.add_argument("--kind", choices=[*KINDS], default="swaps")
    parser.add_argument("--pictures", type=int, default=120)
    given = parser.parse_args()
    shown, keys = read_rows(given.kind, read_captions(given.captions, given.pictures))
    comparison = compare(shown, keys, seed=7, beside=CAPTION)
    assert comparison is not None
    print(f"| {given.kind} | rows | told by the strongest of new judges | CPU s |\n| --- | ---: | --- | ---: |")
    print(describe("as they are", shown, keys, set(), 0.0), flush=True)
    ways: list[tuple[str, Callable[[], set[str]]]] = [("judges", lambda: drop_by_judges(comparison))]
    ways += [(f"bounds, slack {slack}", lambda slack=slack: drop_by_bounds(comparison, slack)) for slack in SLACKS]  # type: ignore[misc]
    for name, drop in ways:
        began = time.process_time()
        gone = drop()
        print(describe(name, shown, keys, gone, time.process_time() - began), flush=True)


if __name__ == "__main__":
    main()
