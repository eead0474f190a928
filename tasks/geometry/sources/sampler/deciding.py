"""Whether printed numbers decide what is asked for, and whether each of them is needed: by coordinates, not theorems.

Facts and numbers are equations in the coordinates and in the unknowns that are written. Where the gradient of what is
asked for is a combination of theirs, no small change of the figure keeps them all and changes it. So a figure that is
ambiguous, or says more than it need, is known without any theorem; the derivation is the other road to the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import evaluate, find_unknowns, is_symbolic
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.solve import System
from counterfoil.tasks.geometry.sources.sampler.figure import Plane, Quantity

_STEP = 1e-6
_LEFT = 1e-5
"""The part of a unit gradient that may be left over."""
_SINGULAR = 1e-8


class Decider:
    """The equations of a scene with exact coordinates, and of its marks one by one.

    ``roots`` are the values of the unknowns that the marks write.
    """

    def __init__(self, scene: Scene, roots: Mapping[str, float]) -> None:
        self.scene, self.roots, self.letters = scene, roots, sorted(roots)
        circles = {name: (complex(x, y), radius) for name, (x, y, radius) in scene.circles.items()}
        places = {name: complex(*place) for name, place in scene.points.items()}
        self.plane = Plane(places, scene.segments, circles, scene.facts)
        self.base = self._differentiate(scene.facts, ())
        self.numbers = [mark for mark in scene.marks if mark.predicate in ("mark_length", "mark_angle", "mark_arc")]
        self.rows = [self._differentiate((), (mark,)) for mark in self.numbers]

    def _differentiate(self, facts: Sequence[Fact], marks: Sequence[Fact]) -> np.ndarray:
        """How the equations change with each coordinate and each unknown."""
        system = System(self.scene, (*facts, *(self._put_in(mark, self.roots) for mark in marks)))
        if not system.terms:
            return np.zeros((0, len(system.start) + len(self.letters)))
        values, matrix = system.linearise(system.start)
        columns = []
        for letter in self.letters:
            column = np.zeros(len(values))
            if any(is_symbolic(mark.value) and letter in find_unknowns(mark.value or "") for mark in marks):
                moved = {**self.roots, letter: self.roots[letter] + _STEP}
                other = System(self.scene, tuple(self._put_in(mark, moved) for mark in marks))
                column = (other.linearise(other.start)[0] - values) / _STEP
            columns.append(column)
        return np.column_stack([matrix, *columns])

    @staticmethod
    def _put_in(mark: Fact, roots: Mapping[str, float]) -> Fact:
        value = f"{evaluate(mark.value or '', roots):.12f}" if is_symbolic(mark.value) else mark.value
        return Fact(mark.predicate, mark.arguments, value)

    def decides(self, targets: Sequence[Quantity], left_out: Fact | None = None) -> bool:
        """Whether the facts and numbers, but for one that is ``left_out``, decide the targets, or the ratio of two."""
        rows = [row for mark, row in zip(self.numbers, self.rows, strict=True) if mark is not left_out]
        matrix = np.vstack([self.base, *rows])
        gradients = [gradient for target in targets for gradient in self._list_gradients(target)]
        if len(targets) > 1:
            # Areas change as twice the logarithm that their residual is.
            gradients = [gradients[0] - gradients[1]]
        return all(_is_combination(matrix, gradient) for gradient in gradients)

    def find_needless(self, targets: Sequence[Quantity]) -> Fact | None:
        """A number without which the targets are decided all the same."""
        return next((mark for mark in self.numbers if self.decides(targets, mark)), None)

    def _list_gradients(self, target: Quantity) -> list[np.ndarray]:
        """Those of a quantity, or of others that decide it; of lengths and areas the logarithm's."""
        kind, *names = target
        if kind == "unknown":
            gradient = np.zeros(self.base.shape[1])
            gradient[len(gradient) - len(self.letters) + self.letters.index(names[0])] = 1.0
            return [gradient]
        if kind in ("sector", "sweep"):
            return self._list_gradients(("radius", names[2])) + self._list_gradients(("arc", *names))
        if kind in ("disc", "rim"):
            return self._list_gradients(("radius", names[0]))
        return [self._differentiate([Fact(kind, tuple(names), f"{self.plane.measure(target):.12f}")], ())[0]]


def _is_combination(matrix: np.ndarray, gradient: np.ndarray) -> bool:
    size = np.linalg.norm(gradient)
    if size < _SINGULAR:
        return True
    weights = np.linalg.lstsq(matrix.T, gradient / size, rcond=_SINGULAR)[0]
    return bool(np.linalg.norm(matrix.T @ weights - gradient / size) < _LEFT)
