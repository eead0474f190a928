"""Drawing another figure in an anchor's manner: with its letters and, of the bank's figures, its unknowns and numbers.

Letters go to the points that are where the anchor has them, as nearly as can be. A figure of another anchor keeps all
that it shows. A figure of the bank bears every number that could be asked for and no unknown: it loses numbers that
are more than the anchor has, and takes the anchor's expressions (``x``, ``2x + 5``) for some of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase

import numpy as np
import scipy

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.edits.redraw import relabel_scene
from counterfoil.tasks.geometry.facts.expressions import is_symbolic
from counterfoil.tasks.geometry.facts.predicates import NUMBER_MARKS
from counterfoil.tasks.geometry.figure.scene import Scene

_DIGITS = 6
_NEW_LETTER = 1.0
"""What a letter costs that the anchor does not have, as a squared distance in the unit square."""


class FitError(Exception):
    """The figure cannot be drawn in the anchor's manner; the message is a reject's reason."""


def borrow_scene(figure: Scene, anchor: Scene) -> Scene:
    """``figure`` with the letters of ``anchor``, and further ones where they are too few.

    Raises:
        FitError: there are not letters enough.
    """
    own, wanted = sorted(figure.points), sorted(anchor.points)
    missing = max(len(own) - len(wanted), 0)
    names = wanted + [letter for letter in ascii_uppercase if letter not in wanted][:missing]
    if len(names) < len(own):
        raise FitError(f"letters: the figure has {len(own)} points, more than there are letters")
    here, there = bring_to_square(figure, own), bring_to_square(anchor, wanted)
    costs = ((here[:, None, :] - there[None, :, :]) ** 2).sum(axis=2).round(_DIGITS)
    costs = np.pad(costs, ((0, 0), (0, missing)), constant_values=_NEW_LETTER)
    rows, columns = scipy.optimize.linear_sum_assignment(costs)
    letters = {own[row]: names[column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)}
    return relabel_scene(figure, letters)


def fit_scene(sample: Scene, anchor: Scene, rng: np.random.Generator) -> Scene:
    """A figure of the bank with the letters, the unknowns and at most as many numbers as ``anchor``.

    Raises:
        FitError: there are not letters enough.
    """
    fitted = borrow_scene(sample, anchor)
    marks = [mark for mark in fitted.marks if mark.predicate not in NUMBER_MARKS.values()]
    for kind in sorted(set(NUMBER_MARKS.values())):
        own = [mark for mark in fitted.marks if mark.predicate == kind]
        values = [mark.value for mark in anchor.marks if mark.predicate == kind]
        kept = [own[i] for i in sorted(rng.permutation(len(own))[: len(values)].tolist())]
        marks += _write_unknowns(kept, [value for value in values if is_symbolic(value)], rng)
    return replace(fitted, marks=tuple(marks))


def bring_to_square(scene: Scene, names: Sequence[str]) -> np.ndarray:
    """The places of points, (N, 2), with the middle of their box at 0 and its longer side 1."""
    places = np.array([scene.points[name] for name in names]).reshape(-1, 2)
    low, high = places.min(axis=0), places.max(axis=0)
    return np.asarray((places - (low + high) / 2) / (float((high - low).max()) or 1.0))


def _write_unknowns(marks: list[Fact], unknowns: list[str | None], rng: np.random.Generator) -> list[Fact]:
    """Some of the numbers, chosen at random, replaced by the anchor's expressions of the same kind."""
    places = rng.permutation(len(marks))[: len(unknowns)].tolist()
    written = dict(zip(places, unknowns, strict=False))
    return [replace(mark, value=written[i]) if i in written else mark for i, mark in enumerate(marks)]
