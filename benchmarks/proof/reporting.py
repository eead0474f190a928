"""A suite's figures as JSON, Markdown and a plot."""

from __future__ import annotations

import itertools
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.proof.figures import AT_ONE, AT_TEN, FOUND, HARD, UNSEEN, Told, judge_order, tell_setting
from benchmarks.proof.suites import Suite

_LEADING = (HARD, UNSEEN, FOUND, AT_ONE, AT_TEN)
START = "the start"
"""The row of the model that all settings go on from."""


@dataclass
class Findings:
    """What is known of a suite so far; settings with a seed missing are told with the seeds that there are."""

    suite: Suite
    scale: float
    steps: int
    counts: dict[str, dict[str, Any]]
    """Dataset to anchors by split, and contrasts by family."""
    blind: dict[str, Any]
    """Dataset to its tasks' strongest blind baselines."""
    runs: dict[str, dict[int, dict[str, Any]]] = field(default_factory=dict)
    """Setting to seed to run."""

    def tell(self, data: str, setting: str, base: str) -> dict[str, Told]:
        """A setting's figures on a dataset, over the seeds that both have finished; empty where there is none."""
        seeds = sorted(set(self.runs.get(setting, {})) & set(self.runs.get(base, {})))
        if not seeds or data not in self.runs[setting][seeds[0]]["scores"]:
            return {}
        learnt = next((each.learn_from for each in self.suite.settings if each.name == setting), ())
        pick = lambda name: [self.runs[name][seed]["scores"][data] for seed in seeds]  # noqa: E731
        return tell_setting(pick(setting), pick(base), learnt)

    @property
    def finished(self) -> list[str]:
        """The settings that have a run, in the suite's order; the start before them."""
        return [name for name in (START, *(each.name for each in self.suite.settings)) if self.runs.get(name)]


def write_findings(found: Findings, folder: Path) -> None:
    """Write ``SUITE.json``, ``SUITE.md`` and a plot of each dataset, ``SUITE-DATA.png``."""
    folder.mkdir(parents=True, exist_ok=True)
    name = found.suite.name
    told = {
        data: {each: found.tell(data, each, found.suite.base) for each in found.finished}
        for data in found.suite.scored_on
    }
    (folder / f"{name}.json").write_text(json.dumps(_describe(found, told), indent=1) + "\n", encoding="utf-8")
    (folder / f"{name}.md").write_text(_write_markdown(found, told), encoding="utf-8")
    for data, settings in told.items():
        if any(settings.values()):
            draw(found, data, settings, folder / f"{name}-{data}.png")


def _describe(found: Findings, told: Mapping[str, Mapping[str, Mapping[str, Told]]]) -> dict[str, Any]:
    return {
        "suite": found.suite.name,
        "question": found.suite.question,
        "scale": found.scale,
        "steps": found.steps,
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, one thread",
        "data": found.counts,
        "seeds": {name: sorted(runs) for name, runs in found.runs.items()},
        "cpu_seconds_of_training": {
            name: [runs[seed]["seconds"] for seed in sorted(runs)] for name, runs in found.runs.items()
        },
        "figures": {
            data: {name: {figure: asdict(each) for figure, each in figures.items()} for name, figures in own.items()}
            for data, own in told.items()
        },
        "blind": found.blind,
        "orders": [
            {"claim": order.claim, "data": data, "steps": list_steps(found, order.settings, data)}
            for order in found.suite.orders
            for data in found.suite.scored_on
        ],
    }


def list_steps(found: Findings, settings: Sequence[str], data: str) -> list[dict[str, Any]]:
    """Neighbours of an order: the gain of the second over the first among hard negatives, and what is to be said."""
    steps = []
    for first, second in itertools.pairwise(settings):
        figures = found.tell(data, second, first)
        lower = found.tell(data, first, first)
        if figures and lower:
            told = figures[HARD]
            steps.append(
                {
                    "from": first,
                    "to": second,
                    "gain": told.gain,
                    "low": told.gain_low,
                    "high": told.gain_high,
                    "verdict": judge_order([(first, lower[HARD]), (second, told)]),
                }
            )
    return steps


def _write_markdown(found: Findings, told: Mapping[str, Mapping[str, Mapping[str, Told]]]) -> str:
    suite = found.suite
    lines = [f"## {suite.name}: {suite.question}", ""]
    for data, settings in told.items():
        finished = {name: figures for name, figures in settings.items() if figures}
        if not finished:
            continue
        counts = found.counts[data]
        splits = ", ".join(f"{count:,} {split}" for split, count in counts["anchors"].items())
        names = list(dict.fromkeys(name for figures in finished.values() for name in figures))
        leading = [name for name in _LEADING if name in names]
        others = [name for name in names if name not in _LEADING and ":" in name]
        lines += [f"Scored on `{data}` ({splits}).", ""]
        for columns in (leading, others):
            lines += _write_table(finished, columns, _find_blind(found.blind.get(data, {}), columns))
        lines += _write_gains(finished, leading, suite.base)
    lines += _write_learnt(found)
    for order in suite.orders:
        for data in suite.scored_on:
            steps = list_steps(found, order.settings, data)
            said = "; ".join(
                f"{step['from']} → {step['to']}: {100 * step['gain']:+.1f} ({100 * step['low']:+.1f} to "
                f"{100 * step['high']:+.1f}), {step['verdict']}"
                for step in steps
            )
            if said:
                lines.append(f"- {order.claim}, on `{data}`: {said}.")
    return "\n".join([*lines, ""])


def _write_table(
    settings: Mapping[str, Mapping[str, Told]], columns: Sequence[str], blind: Mapping[str, str]
) -> list[str]:
    if not columns:
        return []
    lines = ["| setting | seeds | " + " | ".join(columns) + " |", "| --- | ---: |" + " ---: |" * len(columns)]
    for name, figures in settings.items():
        seeds = 1 if name == START else max(len(each.seeds) for each in figures.values())
        lines.append(f"| {name} | {seeds} | " + " | ".join(_word(figures.get(each)) for each in columns) + " |")
    if blind:
        lines.append("| strongest blind baseline | | " + " | ".join(blind.get(each, "") for each in columns) + " |")
    return [*lines, ""]


def _write_gains(settings: Mapping[str, Mapping[str, Told]], columns: Sequence[str], base: str) -> list[str]:
    """Each setting less the base, seed by seed and item by item."""
    others = {name: figures for name, figures in settings.items() if name not in (base, START)}
    if not others:
        return []
    lines = [f"| less {base} | " + " | ".join(columns) + " |", "| --- |" + " ---: |" * len(columns)]
    for name, figures in others.items():
        lines.append(f"| {name} | " + " | ".join(_word_gain(figures.get(each)) for each in columns) + " |")
    return [*lines, ""]


def _word_gain(told: Told | None) -> str:
    if told is None:
        return "–"
    return f"{100 * told.gain:+.1f} ({100 * told.gain_low:+.1f} to {100 * told.gain_high:+.1f})"


def _write_learnt(found: Findings) -> list[str]:
    """Of the negatives of rows that were trained on, the share that each setting tells from the pair."""
    runs = {name: list({run["key"]: run for run in found.runs[name].values()}.values()) for name in found.finished}
    families = sorted({family for own in runs.values() for run in own for family in run.get("learnt", {})})
    lines = [
        "| training rows | CPU s | last loss | " + " | ".join(families) + " |",
        "| --- |" + " ---: |" * (2 + len(families)),
    ]
    for name, own in runs.items():
        seconds = sum(run["seconds"] for run in own) / len(own)
        loss = sum(run["result"]["loss"] for run in own) / len(own)
        shares = []
        for family in families:
            known = [run["learnt"][family] for run in own if family in run.get("learnt", {})]
            shares.append(f"{100 * sum(known) / len(known):.0f}" if known else "–")
        lines.append(f"| {name} | {seconds:.0f} | {loss:.2f} | {' | '.join(shares)} |")
    return [*lines, ""]


def _word(told: Told | None) -> str:
    if told is None:
        return "–"
    least, most = 100 * min(told.seeds), 100 * max(told.seeds)
    spread = f"; seeds {least:.1f}–{most:.1f}" if least < most else ""
    return f"{100 * told.value:.1f} ({100 * told.low:.1f} to {100 * told.high:.1f}{spread})"


def _find_blind(blind: Mapping[str, Any], columns: Sequence[str]) -> dict[str, str]:
    return {
        name: f"{100 * blind[name]['value']:.1f} ({blind[name]['system']}; chance {100 * blind[name]['chance']:.1f})"
        for name in columns
        if blind.get(name, {}).get("system")
    }


def draw(found: Findings, data: str, settings: Mapping[str, Mapping[str, Told]], path: Path) -> None:
    """Each figure as a panel: a dot and its interval for each setting, the seeds as small dots, chance and blind."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    finished = [(name, figures) for name, figures in settings.items() if figures][::-1]
    names = list(dict.fromkeys(name for _, figures in finished for name in figures if name != AT_ONE))
    columns = min(4, len(names))
    rows = -(-len(names) // columns)
    figure = Figure(figsize=(3.2 * columns, (0.9 + 0.24 * len(finished)) * rows + 0.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, sharey=True, squeeze=False).ravel()
    for axis in axes[len(names) :]:
        axis.set_axis_off()
    for axis, name in zip(axes, names, strict=False):
        for place, (_, figures) in enumerate(finished):
            if name in figures:
                told = figures[name]
                axis.plot([100 * told.low, 100 * told.high], [place, place], color="#1b6ca8", lw=2)
                axis.plot([100 * each for each in told.seeds], [place] * len(told.seeds), ".", color="#9ab", ms=3)
                axis.plot([100 * told.value], [place], "o", color="#1b6ca8", ms=4)
        beside = found.blind.get(data, {}).get(name, {})
        for key, style in (("chance", ":"), ("value", "--")):
            if beside.get(key) is not None and beside["figure"] == "Hit@1":
                axis.axvline(100 * beside[key], color="#888" if key == "chance" else "#b5651d", lw=0.9, ls=style)
        axis.set_title(name, fontsize=7)
        axis.tick_params(labelsize=7)
        axis.set_yticks(range(len(finished)), [name for name, _ in finished])
    figure.suptitle(
        f"{found.suite.name} on {data}: %, 95 % intervals over source rows and seeds (dotted: chance, dashed: blind)",
        fontsize=8,
    )
    figure.savefig(path, dpi=100)
