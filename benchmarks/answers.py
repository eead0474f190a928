"""How often symbolic equality (math-verify) judges an answer otherwise than string equality, and which is right.

`python -m benchmarks.answers PROBLEMS.jsonl [--every 4]`: the answers of Geometry3K's problems (numbers, fractions,
radicals, multiples of pi, arcs of sines) as the gold ones, each met with writings of it that a model gives, which are
right, and with wrong answers. What is right is decided without math-verify: sympy evaluates both numbers to 40 digits.

`python -m benchmarks.answers CHARTS.jsonl --words`: FlowVQA's answers in words, each met with that of the chart's next
question: right only where they are the same text.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sympy

from counterfoil.tasks.evaluation.answers.scoring import is_equal, is_same_text


@dataclass(frozen=True)
class Pair:
    """An answer, the gold one, and whether it is right."""

    writing: str
    given: str
    gold: str
    right: bool


def list_pairs(answers: Sequence[str], angles: Sequence[bool]) -> Iterator[Pair]:
    """The writings of each answer: with LaTeX as the gold one, and with the program's notation that the file has."""
    for number, answer in enumerate(answers):
        value = sympy.sympify(answer)
        other = sympy.sympify(answers[(number + 1) % len(answers)])
        latex = sympy.latex(value)
        for writing, given in _write(value, latex, angles[number]):
            yield Pair(writing, given, answer, True)
        yield Pair("LaTeX, gold in LaTeX too", latex, latex, True)
        yield Pair("the next problem's answer", sympy.latex(other), answer, _is_same(value, other))
        yield Pair("one more", sympy.latex(value + 1), answer, False)
        if not value.is_rational:
            near = sympy.Rational(str(round(float(value), 2)))
            yield Pair("rounded to two decimals", f"{float(near):.2f}", answer, _is_same(value, near))


def _write(value: Any, latex: str, angle: bool) -> Iterator[tuple[str, str]]:
    yield "LaTeX, gold in the file's notation", latex
    yield "LaTeX with a unit", f"{latex}^\\circ" if angle else f"{latex}\\text{{ cm}}"
    yield "as an equation", f"x = {latex}"
    yield "with \\dfrac", latex.replace("\\frac", "\\dfrac")
    if value.is_Rational and not value.is_Integer and sympy.Rational(str(float(value))) == value:
        yield "as a decimal", str(float(value))
    squared = sympy.nsimplify(value**2)
    if not value.is_rational and squared.is_Rational and value.is_positive:
        yield "under one root", f"\\sqrt{{{sympy.latex(squared)}}}"


def _is_same(one: Any, other: Any) -> bool:
    return bool(abs(sympy.N(one - other, 40)) < sympy.Float("1e-25"))


def list_word_pairs(charts: Sequence[dict[str, Any]]) -> Iterator[Pair]:
    """The short answers of charts, each with itself and with the next question's."""
    for chart in charts:
        short = [asked["A1"] for asked in chart["qa"].values() if len(asked.get("A1", "").split()) <= 3]
        for gold, given in zip(short, short[1:] + short[:1], strict=True):
            yield Pair("itself", f"\\text{{{gold}}}", gold, True)
            yield Pair("the next answer", given, gold, is_same_text(given, gold))


def show(pairs: Sequence[Pair], equal: Callable[[str, str], bool] = is_equal) -> None:
    """A table by writing, and each kind of disagreement in which math-verify is wrong."""
    told: dict[str, Counter[str]] = {}
    wrong: list[Pair] = []
    for pair in pairs:
        by_text, by_value = is_same_text(pair.given, pair.gold), equal(pair.given, pair.gold)
        counts = told.setdefault(pair.writing, Counter())
        counts["pairs"] += 1
        counts["text right"] += by_text == pair.right
        counts["symbolic right"] += by_value == pair.right
        counts["differ"] += by_text != by_value
        counts["symbolic right of these"] += by_text != by_value and by_value == pair.right
        wrong += [pair] if by_value != pair.right else []
    names = ("pairs", "text right", "symbolic right", "differ", "symbolic right of these")
    total = sum(told.values(), Counter())
    for writing, counts in [*told.items(), ("all", total)]:
        print(f"| {writing} | {' | '.join(f'{counts[name]:,}' for name in names)} |", flush=True)
    print(f"judged otherwise: {100 * total['differ'] / total['pairs']:.1f} %")
    for pair in wrong:
        print(f"  wrong: {pair.writing}: {pair.given!r} for {pair.gold!r}")


def main() -> None:
    """Read the file and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--every", type=int, default=4, help="take each so manieth row")
    parser.add_argument("--words", action="store_true")
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.file.read_text(encoding="utf-8").splitlines()][:: given.every]
    if given.words:
        show(list(list_word_pairs(rows)))
        return
    numbers = [row for row in rows if isinstance(sympy.sympify(row["answer"]), sympy.Expr)]
    print(f"{len(numbers)} answers that are one number, of {len(rows)}")
    angles = [row["goal_cdl"].startswith("Value(Measure") for row in numbers]
    show(list(list_pairs([row["answer"] for row in numbers], angles)))


if __name__ == "__main__":
    main()
