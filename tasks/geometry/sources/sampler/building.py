"""One construction after the other: a start, then steps on what is there, each kept where the figure stays clear."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from counterfoil.tasks.geometry.settings import Plan
from counterfoil.tasks.geometry.sources.sampler.sketch import Sketch
from counterfoil.tasks.geometry.sources.sampler.starts import STARTS
from counterfoil.tasks.geometry.sources.sampler.steps import STEPS, list_things

CONSTRUCTIONS = tuple(function.__name__ for function in (*STARTS, *STEPS))
"""Names of all constructions."""
MOST_POINTS = 11
_LEAST_APART = 0.085
"""Of the figure's extent, how far points are from one another at least."""
_STARTS, _WEIGHTS = tuple(STARTS), np.array(list(STARTS.values())) / sum(STARTS.values())
_STEPS = tuple(STEPS)


def pick_start(rng: np.random.Generator) -> str:
    """The name of a construction that starts a figure."""
    return _STARTS[int(rng.choice(len(_STARTS), p=_WEIGHTS))].__name__


def draw(rng: np.random.Generator, start: str, plan: Plan) -> tuple[Sketch, list[str]] | None:
    """The construction ``start`` and others on it, as many as the plan draws, and the names of all; None where fewer
    than the least found room."""
    sketch = Sketch(rng)
    next(each for each in _STARTS if each.__name__ == start)(sketch)
    used = [start]
    least, most = plan.constructions
    wanted = int(rng.integers(least, most + 1))
    for _ in range(4 * (wanted - 1)):
        if len(used) == wanted:
            break
        step = _STEPS[int(rng.integers(len(_STEPS)))]
        things = list_things(sketch, STEPS[step])
        if not things or (step.__name__ in used and rng.random() < 0.5):
            continue
        tried = sketch.copy()
        thing = things[int(rng.integers(len(things)))]
        if step(tried, *thing) is not False and len(tried.places) <= MOST_POINTS and _has_room(tried):
            sketch = tried
            used.append(step.__name__)
    if len(used) < least or not _has_room(sketch):
        return None
    if not sketch.settled:
        p, q = sketch.segments[int(rng.integers(len(sketch.segments)))]
        sketch.scale(int(rng.integers(4, 17)) / abs(sketch.places[p] - sketch.places[q]))
    return sketch, used


def _has_room(sketch: Sketch) -> bool:
    """Whether points keep apart, and none is on or next to a line that no fact puts it on."""
    places = sketch.places
    extent = _measure_extent(sketch)
    labels = list(places)
    for i, p in enumerate(labels):
        for q in labels[i + 1 :]:
            if abs(places[p] - places[q]) < _LEAST_APART * extent:
                return False
    for a, b in sketch.segments:
        side = places[b] - places[a]
        for x in labels:
            if x in (a, b):
                continue
            along = (places[x] - places[a]) * side.conjugate() / abs(side)
            is_beside = -0.02 * extent < along.real < abs(side) + 0.02 * extent and abs(along.imag) < 0.035 * extent
            if is_beside and not _is_chained(sketch, a, b, x):
                return False
    return all(_is_chained(sketch, a, x, b) for a, x, b in _list_straight(sketch))


def _list_straight(sketch: Sketch) -> Iterator[tuple[str, str, str]]:
    """Two drawn segments that come out as one line."""
    for at, one in enumerate(sketch.segments):
        for other in sketch.segments[at + 1 :]:
            shared = {*one} & {*other}
            if len(shared) == 1:
                (x,) = shared
                a, b = (end for end in (*one, *other) if end != x)
                turn = (sketch.places[a] - sketch.places[x]) / (sketch.places[b] - sketch.places[x])
                if turn.real < 0 and abs(turn.imag) < 0.03 * abs(turn):
                    yield a, x, b


def _is_chained(sketch: Sketch, a: str, b: str, x: str) -> bool:
    """Whether facts put a point on a line step by step: on a part of it, or on its extension."""
    line = {a, b}
    lines = [{*fact.arguments} for fact in sketch.facts if fact.predicate in ("collinear", "midpoint")]
    for fact in sketch.facts:
        if fact.predicate == "intersection":
            lines += [{*fact.arguments[:3]}, {fact.arguments[0], *fact.arguments[3:]}]
        elif fact.predicate == "diameter":
            lines.append({*fact.arguments})
    grown = True
    while grown:
        grown = False
        for each in lines:
            if len(each & line) > 1 and not each <= line:
                line |= each
                grown = True
    return x in line


def _measure_extent(sketch: Sketch) -> float:
    places = list(sketch.places.values())
    xs, ys = [p.real for p in places], [p.imag for p in places]
    for centre, radius in sketch.circles.values():
        middle = sketch.places[centre]
        xs += [middle.real - radius, middle.real + radius]
        ys += [middle.imag - radius, middle.imag + radius]
    return max(max(xs) - min(xs), max(ys) - min(ys))
