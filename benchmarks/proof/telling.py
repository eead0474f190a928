"""From runs of `benchmarks.proof.encoder` to a table, a JSON file and a drawing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.proof.intervals import bound_over_seeds

Scores = Mapping[str, Any]
"""``seconds``, and of each question [block, value] of its items."""


@dataclass(frozen=True)
class Told:
    """A figure in percent, with its interval over rows and seeds."""

    value: float
    low: float
    high: float
    seeds: tuple[float, ...]

    @property
    def told_apart(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def tell_figure(runs: Sequence[Scores], question: str, less: Sequence[Scores] = ()) -> Told:
    """The mean over items and seeds; ``less``: what of it is ahead of these runs, item by item and seed by seed."""
    values = np.array([[hit for _, hit in run[question]] for run in runs], dtype=np.float64)
    if less:
        values = values - np.array([[hit for _, hit in run[question]] for run in less], dtype=np.float64)
    blocks = [block for block, _ in runs[0][question]]
    low, high = bound_over_seeds(values, blocks, [(list(range(len(blocks))), 1.0)])
    return Told(
        round(100 * float(values.mean()), 2),
        round(100 * low, 2),
        round(100 * high, 2),
        tuple(round(100 * float(own.mean()), 2) for own in values),
    )


def tell_study(
    found: Mapping[str, Mapping[int, Scores]], to: Path, base: str, drawn: Sequence[str] | None = None
) -> None:
    """Write ``TO.json``, ``TO.md`` and ``TO.png``: all settings, and what of each is ahead of ``base``. The picture has
    all questions, or those of ``drawn`` that there are."""
    if not found:
        return
    questions = [name for name in next(iter(next(iter(found.values())).values())) if name != "seconds"]
    levels = {way: {name: tell_figure([*runs.values()], name) for name in questions} for way, runs in found.items()}
    gains: dict[str, dict[str, Told]] = {}
    for way, runs in found.items():
        seeds = [seed for seed in runs if seed in found.get(base, {})]
        if way != base and seeds:
            pair = [runs[seed] for seed in seeds], [found[base][seed] for seed in seeds]
            gains[way] = {name: tell_figure(pair[0], name, pair[1]) for name in questions}
    seconds = {way: [run["seconds"] for run in runs.values()] for way, runs in found.items()}
    plain = {
        "cpu_seconds": seconds,
        "levels": {way: {name: asdict(each) for name, each in own.items()} for way, own in levels.items()},
        f"less {base}": {way: {name: asdict(each) for name, each in own.items()} for way, own in gains.items()},
    }
    to.with_suffix(".json").write_text(json.dumps(plain, indent=1) + "\n", encoding="utf-8")
    lines = [_rule(["setting", "seeds", "CPU s", *questions])]
    for way, own in levels.items():
        cells = [way, str(len(found[way])), f"{np.mean(seconds[way]):.0f}", *map(_word, own.values())]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", _rule([f"less {base}", *questions])]
    lines += [f"| {' | '.join([way, *map(_word_gain, own.values())])} |" for way, own in gains.items()]
    to.with_suffix(".md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = questions if drawn is None else [each for each in drawn if each in questions]
    draw(levels, shown, to.with_suffix(".png"))


def _rule(heads: Sequence[str]) -> str:
    return f"| {' | '.join(heads)} |\n| --- |{' ---: |' * (len(heads) - 1)}"


def _word(told: Told) -> str:
    return f"{told.value:.1f} ({told.low:.1f} to {told.high:.1f})"


def _word_gain(told: Told) -> str:
    return f"{told.value:+.1f} ({told.low:+.1f} to {told.high:+.1f})"


def draw(levels: Mapping[str, Mapping[str, Told]], questions: Sequence[str], to: Path) -> None:
    """Doses as curves; else the questions side by side, a bar each setting."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    if all(name.split(" %")[0].isdigit() for name in levels if name != "none"):
        figure = _draw_doses(levels, questions, pyplot)
    else:
        figure, axes = pyplot.subplots(figsize=(9, 4), layout="constrained")
        width = 0.8 / len(levels)
        for n, (way, own) in enumerate(levels.items()):
            x = [place + n * width for place in range(len(questions))]
            values = [own[name].value for name in questions]
            wide = [
                [own[name].value - own[name].low for name in questions],
                [own[name].high - own[name].value for name in questions],
            ]
            axes.bar(x, values, width, yerr=wide, label=way, error_kw={"linewidth": 0.7})
        axes.set_xticks(
            [place + 0.4 for place in range(len(questions))], [name.replace(" ", "\n") for name in questions]
        )
        axes.set_ylabel("%")
        axes.legend(fontsize=8, ncol=3, loc="upper center", bbox_to_anchor=(0.5, 1.16))
    for each in figure.axes:
        each.spines[["top", "right"]].set_visible(False)
    figure.savefig(to, dpi=110)
    pyplot.close(figure)


def _draw_doses(levels: Mapping[str, Mapping[str, Told]], questions: Sequence[str], pyplot: Any) -> Any:
    """A panel for each question; doses with fewer seeds than others are left out."""
    most = max(len(own[questions[0]].seeds) for own in levels.values())
    figure, grid = pyplot.subplots(2, -(-len(questions) // 2), figsize=(9, 4.4), sharex=True, layout="constrained")
    for axes, question in zip(grid.flat, questions, strict=False):
        for sort, colour in (("true", "C3"), ("trivial", "C0")):
            points = sorted(
                (int(name.split(" %")[0]), own[question])
                for name, own in levels.items()
                if (name.endswith(sort) or name.startswith("0 %")) and len(own[question].seeds) == most
            )
            shares, told = [x for x, _ in points], [y for _, y in points]
            axes.plot(shares, [each.value for each in told], color=colour, label=sort, marker=".")
            axes.fill_between(
                shares, [each.low for each in told], [each.high for each in told], color=colour, alpha=0.12, linewidth=0
            )
        axes.set_title(question, fontsize=9)
        axes.set_ylim(0, 100)
    figure.axes[0].legend(fontsize=8, loc="lower left")
    figure.supxlabel("share of the near misses that was replaced, %", fontsize=9)
    figure.supylabel("% right", fontsize=9)
    return figure
