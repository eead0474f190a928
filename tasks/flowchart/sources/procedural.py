"""Made-up flowcharts, without end and seeded, so that everything runs with no file, no key and no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.flowchart.chart.graph import Arrow, Chart, Node

_WORDS: dict[str, list[str]] = read_toml(Path(__file__).with_name("words.toml"))
_STEP_SHAPES = ("square", "square", "round", "lean_right", "subroutine", "cylinder")


def make_charts(count: int, seed: int) -> Iterator[tuple[str, Chart]]:
    """``count`` charts with their ids; the i-th does not depend on the count."""
    for i in range(count):
        yield make_chart_numbered(i, seed)


def make_chart_numbered(number: int, seed: int) -> tuple[str, Chart]:
    """The chart of a number, with its id."""
    return f"procedural-{seed}-{number:06d}", make_chart(generator(seed, "flowchart.procedural", str(number)))


def make_chart(rng: np.random.Generator) -> Chart:
    """One chart: a start, steps and yes/no decisions that rejoin or loop back, an end."""
    steps = int(rng.integers(4, 10))
    used: set[str] = set()
    nodes = [Node("A", "Start", "stadium")]
    arrows: list[Arrow] = []
    pending: list[tuple[str, str]] = [("A", "")]
    for _ in range(steps):
        identifier = _name(len(nodes))
        decision = len(nodes) > 1 and rng.random() < 0.35
        nodes.append(Node(identifier, _label(rng, used, decision), "diamond" if decision else _pick(rng, _STEP_SHAPES)))
        joining = pending if rng.random() < 0.6 else pending[-1:]
        arrows += [Arrow(tail, identifier, label) for tail, label in joining]
        pending = [p for p in pending if p not in joining]
        if not decision:
            pending.append((identifier, ""))
            continue
        first, second = ("Yes", "No") if rng.random() < 0.5 else ("No", "Yes")
        if len(nodes) > 3 and rng.random() < 0.4:
            # Back to an earlier step, not the start and not the decision itself.
            back = nodes[int(rng.integers(1, len(nodes) - 1))].id
            arrows.append(Arrow(identifier, back, first))
        else:
            pending.append((identifier, first))
        pending.append((identifier, second))
    end = _name(len(nodes))
    nodes.append(Node(end, "End", "stadium"))
    arrows += [Arrow(tail, end, label) for tail, label in pending]
    return Chart("TB", tuple(nodes), tuple(_drop_parallel(arrows)))


def _drop_parallel(arrows: list[Arrow]) -> list[Arrow]:
    """Both answers of a decision may lead to one step; one arrow says so."""
    kept: dict[tuple[str, str], Arrow] = {}
    for arrow in arrows:
        key = (arrow.tail, arrow.head)
        kept[key] = arrow if key not in kept else Arrow(*key)
    return list(kept.values())


def _name(index: int) -> str:
    return chr(ord("A") + index) if index < 26 else f"N{index}"


def _pick(rng: np.random.Generator, choices: Sequence[str]) -> str:
    return choices[int(rng.integers(len(choices)))]


def _label(rng: np.random.Generator, used: set[str], decision: bool) -> str:
    while True:
        thing = _pick(rng, _WORDS["things"])
        question = f"Is the {thing} {_pick(rng, _WORDS['states'])}?"
        text = question if decision else f"{_pick(rng, _WORDS['verbs'])} the {thing}{_pick(rng, _WORDS['places'])}"
        if text not in used:
            used.add(text)
            return text
