"""A second road to the answer of a sampled problem: by its facts and printed numbers alone, knowing no theorem."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import evaluate, is_symbolic
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.solve import System, put_places
from counterfoil.tasks.geometry.sources.sampler import SampledProblem
from counterfoil.tasks.geometry.sources.sampler.deciding import Decider

_SAME = 1e-7


@dataclass(frozen=True)
class Finding:
    """Whether the printed numbers decide the answer, and the answer that the figure has."""

    decided: bool
    value: float
    expected: float
    needless: Fact | None = None

    @property
    def is_right(self) -> bool:
        return self.decided and abs(self.value - self.expected) <= _SAME * max(1.0, abs(self.expected))


def read_answer(text: str) -> float:
    r"""The number of an answer: ``60^\circ``, ``3:5``, ``5\sqrt{3}``."""
    first, _, second = text.removesuffix("^\\circ").partition(":")
    return evaluate(first, {}) / evaluate(second or "1", {})


def examine(problem: SampledProblem) -> Finding:
    """What the numbers say of a problem: its coordinates are first brought to fulfil them without any rounding."""
    roots = {letter: root.value for letter, root in problem.asked.unknowns.items()}
    scene = _polish(problem.scene, roots)
    decider = Decider(scene, roots)
    value = 1.0
    targets = problem.asked.quantities
    for target, sign in zip(targets, (1, -1), strict=False):
        value *= (roots[target[1]] if target[0] == "unknown" else decider.plane.measure(target)) ** sign
    return Finding(decider.decides(targets), value, read_answer(problem.answer), decider.find_needless(targets))


def _polish(scene: Scene, roots: dict[str, float]) -> Scene:
    """The scene without the rounding of its coordinates."""
    marks = [
        replace(mark, value=f"{evaluate(mark.value or '', roots):.12f}") if _is_expression(mark) else mark
        for mark in scene.marks
    ]
    system = System(scene, (*scene.facts, *marks))
    x = system.start
    for _ in range(3):
        values, slopes = system.linearise(x)
        x = x - np.linalg.lstsq(slopes, values, rcond=1e-4)[0]
    return put_places(scene, system, x)


def _is_expression(mark: Fact) -> bool:
    return mark.predicate in ("mark_length", "mark_angle", "mark_arc") and is_symbolic(mark.value)
