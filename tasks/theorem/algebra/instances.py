"""Random instances of a statement: where all that it supposes holds, is what it concludes true?

A statement that is false at one instance is false. One that is true wherever it was tried may be true: of it nothing is
said but how often it was tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product

import numpy as np

from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.theorem.algebra.evaluate import holds
from counterfoil.tasks.theorem.algebra.problem import Problem
from counterfoil.tasks.theorem.algebra.solve import Solutions, UnsolvableError
from counterfoil.tasks.theorem.algebra.solver import ask_solver
from counterfoil.tasks.theorem.algebra.tree import Term, find_free, split_conjuncts
from counterfoil.tasks.theorem.algebra.world import (
    Budget,
    ExhaustedError,
    Sort,
    UndefinedValueError,
    UnknownValueError,
    Value,
    World,
)

TRIES = 500
_STEPS = 60_000
"""Steps of evaluation that one statement may take: about a second."""
_SOLVED_TRIES = 10
_ENOUGH = 60
"""Instances at which a statement held after which no more are tried."""
_SMALL = 600
"""So many assignments are all tried."""


@dataclass(frozen=True)
class Trial:
    """What came of the instances."""

    held: int
    """Instances at which all hypotheses and all conclusions held."""
    counterexample: tuple[tuple[str, str], ...] | None
    """An instance at which the hypotheses held and a conclusion did not."""

    proved: bool = False
    """The solver shows that there is no counterexample."""
    vacuous: bool = False
    """The solver shows that nothing satisfies the hypotheses, so that the statement says nothing."""

    @property
    def refuted(self) -> bool:
        return self.counterexample is not None

    @property
    def witness(self) -> str:
        """The counterexample in words; empty where there is none."""
        if self.counterexample is None:
            return ""
        return ", ".join(f"{name} = {value}" for name, value in self.counterexample) or "every instance"


@lru_cache(maxsize=4096)
def examine(problem: Problem) -> Trial:
    """`try_instances`, and where none refutes the statement an SMT solver. What it proposes is tried exactly."""
    tried = try_instances(problem)
    if tried.refuted:
        return tried
    answer = ask_solver(problem)
    if answer.counterexample is None:
        return replace(tried, proved=answer.proved, vacuous=answer.vacuous)
    return replace(tried, counterexample=_try_one(problem, dict(answer.counterexample)))


def _try_one(problem: Problem, values: dict[str, Value]) -> tuple[tuple[str, str], ...] | None:
    """The values in words where they refute the statement."""
    world = World({**dict(problem.functions), **values}, dict(problem.sorts), problem.lean, Budget(_STEPS))
    try:
        if any(holds(each, world) is not True for each in problem.hypotheses):
            return None
        if False not in [holds(each, world) for each in problem.conclusions]:
            return None
    except (UndefinedValueError, UnknownValueError, ExhaustedError):
        return None
    return tuple((name, str(value)) for name, value in sorted(values.items()))


@lru_cache(maxsize=4096)
def try_instances(problem: Problem) -> Trial:
    """Try instances until one refutes the statement, or enough have not. The same problem is tried at the same ones."""
    held, budget = 0, Budget(_STEPS)
    for values in _list_instances(problem):
        world = World({**dict(problem.functions), **values}, dict(problem.sorts), problem.lean, budget)
        try:
            if any(holds(each, world) is not True for each in problem.hypotheses):
                continue
            found = [holds(each, world) for each in problem.conclusions]
        except (UndefinedValueError, UnknownValueError):
            continue
        except ExhaustedError:
            break
        if False in found:
            return Trial(held, tuple((name, str(value)) for name, value in sorted(values.items())))
        held += None not in found
        if held >= _ENOUGH:
            break
    return Trial(held, None)


def _list_instances(problem: Problem) -> Iterator[dict[str, Value]]:
    names = [name for name, _ in problem.sorts]
    if not names:
        yield {}
        return
    yield from _solve_instances(replace(problem, conclusions=()))
    rng = generator("theorem.instances", repr(problem.sorts), _describe_problem(problem))
    named = _list_named(problem)
    pools = {name: _list_values(sort, named) for name, sort in problem.sorts}
    size = 1
    for pool in pools.values():
        size = min(size * len(pool), _SMALL + 1)
    if size <= _SMALL:
        order = list(product(*(pools[name] for name in names)))
        for i in rng.permutation(len(order)):
            yield dict(zip(names, order[i], strict=True))
        return
    near = {name: _list_near(sort, named) or pools[name] for name, sort in problem.sorts}
    for turn in range(TRIES):
        # Bounds are decided close to them.
        yield {name: _draw_value((pools, near)[turn % 2][name], rng) for name in names}


def _describe_problem(problem: Problem) -> str:
    """What is said, without places in a text."""
    return repr([_plain(each) for each in (*problem.hypotheses, *problem.conclusions)])


def _plain(term: Term) -> tuple[object, ...]:
    return (term.head, term.name, *map(_plain, term.args))


def _draw_value(pool: Sequence[Value], rng: np.random.Generator) -> Value:
    return pool[int(rng.integers(len(pool)))]


def _list_named(problem: Problem) -> frozenset[int]:
    """Whole numbers that the statement names."""
    terms = (each for term in (*problem.hypotheses, *problem.conclusions) for each in term.walk())
    return frozenset(
        int(each.name) for each in terms if each.head == "num" and each.name.isdecimal() and len(each.name) < 8
    )


@lru_cache(maxsize=256)
def _list_near(sort: Sort, named: frozenset[int]) -> Sequence[Value]:
    return tuple(value for value in _list_values(sort, named) if _is_near(value, named))


def _is_near(value: Value, named: frozenset[int]) -> bool:
    if not isinstance(value, int | Fraction):
        return False
    number = Fraction(value)
    return any(abs(number - each) <= 1 for each in named)


@lru_cache(maxsize=256)
def _list_values(sort: Sort, numbers: frozenset[int]) -> Sequence[Value]:
    """Small numbers, and those that the statement names with their neighbours. Its near misses name much the same."""
    named = {number + d for number in numbers for d in (-1, 0, 1)}
    whole: set[int] = set(range(0 if sort == "N" else -6, 13)) | named
    if sort == "N":
        return tuple(sorted(each for each in whole if each >= 0))
    if sort == "Z":
        return tuple(sorted(whole | {-each for each in named}))
    broken: set[Value] = {Fraction(a, b) for a in range(-7, 8) for b in (2, 3, 5)}
    # A bound is decided close to it.
    broken |= {each + Fraction(d, 5) for each in named if each < 1000 for d in (-1, 1, 2)}
    broken = {int(each) if each.denominator == 1 else each for each in broken} | whole
    found: list[Value] = sorted(broken)
    if sort in ("R", "C"):
        import sympy

        found += [sympy.sqrt(2), sympy.sqrt(3)]
    if sort == "C":
        found += [sympy.I, 1 + 2 * sympy.I, -sympy.I, 2 - sympy.I]
    return tuple(found)


@lru_cache(maxsize=4096)
def _solve_instances(problem: Problem) -> tuple[dict[str, Value], ...]:
    """Some variables drawn, the others solved for by the equations among the hypotheses.

    ``problem`` has no conclusions: those of a statement and of its near misses that suppose the same are solved once.
    """
    sorts = dict(problem.sorts)
    equations = [
        part
        for each in problem.hypotheses
        for part in split_conjuncts(each)
        if part.head == "eq" and find_free(part) & set(sorts)
    ]
    if not equations:
        return ()
    rng = generator("theorem.instances", repr(problem.sorts), _describe_problem(problem))
    named = _list_named(problem)
    pools = {name: _list_values(sort, named) for name, sort in problem.sorts}
    solutions = Solutions(equations, World(dict(problem.functions), sorts, problem.lean))
    found: list[dict[str, Value]] = []
    for _ in range(_SOLVED_TRIES):
        order = [str(name) for name in rng.permutation(sorted(sorts))]
        try:
            found += islice(_complete({}, order, solutions, pools, sorts, rng), 4)
        except (UnsolvableError, UnknownValueError, UndefinedValueError, ArithmeticError):
            break
    # Where two equations leave nothing to draw, every try ends at the same place.
    return tuple({repr(sorted(each.items())): each for each in found}.values())


def _complete(
    values: dict[str, Value],
    order: Sequence[str],
    solutions: Solutions,
    pools: Mapping[str, Sequence[Value]],
    sorts: Mapping[str, Sort],
    rng: np.random.Generator,
) -> Iterator[dict[str, Value]]:
    """Solve while an equation can be solved, else draw the next variable; every complete assignment."""
    free = [name for name in order if name not in values]
    if not free:
        yield values
        return
    solved = False
    for found in solutions.find(values, free):
        solved = True
        if all(_fits(value, sorts[name]) for name, value in found.items()):
            yield from _complete({**values, **found}, order, solutions, pools, sorts, rng)
    if not solved:
        drawn = {**values, free[0]: _draw_value(pools[free[0]], rng)}
        yield from _complete(drawn, order, solutions, pools, sorts, rng)


def _fits(value: Value, sort: Sort) -> bool:
    if sort in ("N", "Z"):
        return isinstance(value, int) and (sort == "Z" or value >= 0)
    return sort != "Q" or isinstance(value, int | Fraction)
