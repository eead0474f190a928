"""Samples scenes and problems without end, seeded (in the manner of MAVIS's data engine).

A scene is one construction that starts a figure and up to two that add to it. What it states is exact by construction
and checked again: numbers are printed as they are, never rounded, so that all that is printed goes together. A draw
that comes out crowded or flat is drawn anew from the same stream.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from counterfoil.storage.rows import Fact, Reject
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.domain import SourceRow, read_number
from counterfoil.tasks.geometry.captions.write import write_caption
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.figure.solve import find_flaw, list_failing, list_touching
from counterfoil.tasks.geometry.figure.sums import find_contradiction
from counterfoil.tasks.geometry.sources.sampler import circles, extensions, lines, polygons, triangles
from counterfoil.tasks.geometry.sources.sampler.sketch import Ask, Sketch

BASES = (*triangles.BASES, *polygons.BASES, *lines.BASES, *circles.BASES)
EXTENSIONS = extensions.EXTENSIONS
CONSTRUCTIONS = tuple(function.__name__ for function in (*BASES, *EXTENSIONS))
"""Names of all constructions."""
MOST_TRIES = 200
SAMPLED = "procedural"
"""The source of sampled rows."""


class SamplerError(RuntimeError):
    """No clear figure came out of many draws: a construction is wrong."""


@dataclass(frozen=True)
class SampledProblem:
    """A scene with its question and answer, and the constructions that it is made of."""

    scene: Scene
    question: str
    answer: str
    constructions: tuple[str, ...]


def sample_rows(count: int, seed: int, combine: int = 2, limit: int | None = None) -> Iterator[SourceRow | Reject]:
    """``count`` sampled problems as source rows; row ``i`` depends on (seed, i, combine) alone."""
    for index in range(count if limit is None else min(count, limit)):
        yield sample_row(str(index), seed, combine)


def sample_row(source_id: str, seed: int, combine: int = 2) -> SourceRow:
    """The source row of a number.

    Raises:
        ValueError: it is no number as rows have them.
    """
    index = read_number(source_id)
    problem = sample_numbered(seed, index, combine)
    payload = {
        "facts": [[fact.predicate, list(fact.arguments), fact.value] for fact in problem.scene.to_facts()],
        "question": problem.question,
        "answer": problem.answer,
        "constructions": list(problem.constructions),
    }
    return SourceRow(SAMPLED, source_id, "", payload)


def sample_numbered(seed: int, index: int, combine: int) -> SampledProblem:
    """The sampled problem of a number.

    Raises:
        SamplerError: as `sample_problem` says.
    """
    return sample_problem(generator(seed, "geometry.procedural", index), combine)


def sample_scene(rng: np.random.Generator, combine: int = 2) -> Scene:
    """One sampled scene with true coordinates."""
    return sample_problem(rng, combine).scene


def sample_problem(rng: np.random.Generator, combine: int = 2) -> SampledProblem:
    """One sampled scene with a question that its marks and facts answer.

    Raises:
        SamplerError: no clear figure in `MOST_TRIES` draws.
    """
    for _ in range(MOST_TRIES):
        base = BASES[int(rng.integers(len(BASES)))]
        problem = build_problem(rng, base.__name__, combine)
        if problem is not None:
            return problem
    raise SamplerError(f"no clear figure in {MOST_TRIES} draws")


def build_problem(rng: np.random.Generator, base: str, combine: int = 1) -> SampledProblem | None:
    """One draw of the construction ``base`` with up to ``combine - 1`` others on it; None where it is not clear."""
    sketch, used = _draw(rng, base, combine)
    if not sketch.asks:
        return None
    ask = sketch.asks[int(rng.integers(len(sketch.asks)))]
    marks = _choose_marks(sketch, ask)
    scene = sketch.finish(marks)
    shown = scene if ask.hidden is None else replace(scene, marks=(*scene.marks, ask.hidden))
    if not _is_clear(scene) or find_contradiction(shown):
        return None
    question = f"{write_caption(scene.to_facts(), rng)} Find {ask.target}."
    return SampledProblem(scene, question, ask.answer, tuple(used))


def sample_marked(rng: np.random.Generator, combine: int) -> Scene:
    """A sampled scene with every number that its questions give or ask for: a figure to take numbers away from.

    Raises:
        SamplerError: no clear figure in `MOST_TRIES` draws.
    """
    for _ in range(MOST_TRIES):
        base = BASES[int(rng.integers(len(BASES)))]
        sketch, _ = _draw(rng, base.__name__, combine)
        scene = sketch.finish(_list_marks(sketch))
        if _is_clear(scene):
            return scene
    raise SamplerError(f"no clear figure in {MOST_TRIES} draws")


def _draw(rng: np.random.Generator, base: str, combine: int) -> tuple[Sketch, list[str]]:
    """One draw of ``base`` with up to ``combine - 1`` extensions, and the names of all that it is made of."""
    sketch = Sketch(rng)
    used = [base]
    next(function for function in BASES if function.__name__ == base)(sketch)
    for _ in range(int(rng.integers(combine))):
        extension = EXTENSIONS[int(rng.integers(len(EXTENSIONS)))]
        if extension.__name__ not in used and extension(sketch):
            used.append(extension.__name__)
    return sketch, used


def _list_marks(sketch: Sketch) -> tuple[Fact, ...]:
    """All that is given or asked for, each thing once."""
    marks: dict[Fact, Fact] = {}
    for ask in sketch.asks:
        for mark in (*ask.givens, *(() if ask.hidden is None else (ask.hidden,))):
            marks.setdefault(canonicalise(replace(mark, value=None)), mark)
    return tuple(marks.values())


def _choose_marks(sketch: Sketch, ask: Ask) -> tuple[Fact, ...]:
    """The givens of the question, and now and then those of another, but never the answer."""
    marks = list(ask.givens)
    others = [other for other in sketch.asks if other is not ask]
    if others and sketch.rng.random() < 0.35:
        marks += others[int(sketch.rng.integers(len(others)))].givens
    hidden = None if ask.hidden is None else canonicalise(replace(ask.hidden, value=None))
    return tuple(mark for mark in marks if canonicalise(replace(mark, value=None)) != hidden)


def _is_clear(scene: Scene) -> bool:
    """Whether every fact and number holds, and nothing is so near that a viewer would mistake it."""
    if list_failing(scene, scene.facts, 0.004) or list_failing(scene, scene.marks, 0.01):
        return False
    if find_flaw(scene, scene) is not None:
        return False
    extent = scene.extent
    names = sorted(scene.points)
    places = [scene.points[name] for name in names]
    for i, p in enumerate(places):
        for q in places[i + 1 :]:
            if abs(complex(*p) - complex(*q)) < 0.09 * extent:
                return False
    return list_touching(scene, 0.035) == list_touching(scene, 0.001)
