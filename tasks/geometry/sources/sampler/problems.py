r"""From a figure to a problem: numbers are given until something follows, which is asked for, and how is written down.

Givens are taken one after the other, none that those before already decide, and those that the answer does not rest on
are left away again. Some problems write unknowns: at what is asked for (``2x-1``), at the terms of one theorem
(``x+10``, ``2x`` and ``3x-4`` at the angles of a triangle), or two of them at two things.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.predicates import SHAPES
from counterfoil.tasks.geometry.sources.sampler.deduce import Deduction, Known, Relation, list_used
from counterfoil.tasks.geometry.sources.sampler.exact import Exact, of, recognise
from counterfoil.tasks.geometry.sources.sampler.figure import Plane, Quantity, write_name
from counterfoil.tasks.geometry.sources.sampler.theorems import list_relations

ASKED: Mapping[str, tuple[float, tuple[str, ...]]] = {
    "length": (0.1, ("length", "radius")),
    "angle": (0.06, ("angle",)),
    "arc": (0.36, ("arc", "sweep")),
    "area": (0.24, ("area", "disc", "sector")),
    "ratio": (0.19, ()),
    "perimeter": (0.05, ("perimeter", "rim")),
}
"""What is asked for: how often it is looked for first (arcs are seldom found), and which quantities are of the kind. A
ratio is of two."""
MARKS = {"length": "mark_length", "angle": "mark_angle", "arc": "mark_arc"}
_TRIES = 5
_MOST_GIVENS = 4
_SMALLEST = {"angle": 14.0, "arc": 20.0}
UNKNOWNS = "xyzn"
LONGEST_AT_ARC = 4
"""Signs of an expression that still stands clearly at an arc: longer ones reach another thing."""


@dataclass(frozen=True)
class Step:
    """One step of a derivation: what follows, its value, by which relation, from what."""

    quantity: Quantity
    value: Exact
    relation: Relation
    premises: tuple[Quantity, ...]
    text: str


@dataclass(frozen=True)
class Asked:
    """A problem about a figure: the marks of its givens, what is asked for, the answer and how it follows."""

    marks: tuple[Fact, ...]
    kind: str
    """A key of `ASKED`."""
    target: str
    """As the question names it: ``the length of AB``, ``x``."""
    answer: str
    quantities: tuple[Quantity, ...]
    """What is asked for: a quantity, two for a ratio, an unknown."""
    value: Exact
    steps: tuple[Step, ...]
    unknowns: Mapping[str, Exact]
    values: Mapping[Quantity, Exact]
    """Of all that the steps name."""

    @property
    def theorems(self) -> tuple[str, ...]:
        return tuple(step.relation.theorem for step in self.steps)


def list_printable(plane: Plane, relations: Sequence[Relation]) -> dict[Quantity, Exact]:
    """The lengths, angles and arcs that a picture can write exactly, in one order on every machine."""
    found = {}
    for quantity in sorted(list_used(relations)):
        if quantity[0] not in MARKS:
            continue
        value = recognise(plane.measure(quantity), square=quantity[0] == "length")
        if value is not None and _is_printable(plane, quantity, value):
            found[quantity] = value
    return found


def _is_printable(plane: Plane, quantity: Quantity, value: Exact) -> bool:
    if quantity[0] == "length":
        (((root, _), part),) = value.terms.items()
        simple = part.denominator in (1, 2, 5) if root == 1 else part.denominator == 1 and root <= 30
        return simple and part.numerator < 100 and plane.is_joined(quantity[1], quantity[2])
    number = value.fraction
    return number is not None and number.denominator == 1 and _SMALLEST[quantity[0]] <= number < 176


def pose(
    plane: Plane, rng: np.random.Generator, steps: tuple[int, int] = (1, 6), unknowns: float = 0.3
) -> Asked | None:
    """A problem about the figure that takes so many steps; None where several draws found none."""
    relations = list_relations(plane)
    printable = list_printable(plane, relations)
    if not printable:
        return None
    start = Deduction(plane, relations)
    pool = [quantity for quantity in printable if quantity not in start.known]
    way = rng.random() / max(unknowns, 1e-9)
    for _ in range(_TRIES):
        kinds = [
            str(kind) for kind in rng.choice(list(ASKED), 5, replace=False, p=[part for part, _ in ASKED.values()])
        ]
        deduction, givens = start.copy(), []
        for at in rng.permutation(len(pool)):
            if pool[at] not in deduction.known:
                deduction.learn(pool[at], Known(printable[pool[at]]))
                givens.append(pool[at])
                if len(givens) > rng.integers(_MOST_GIVENS):
                    break
        poser = _Poser(plane, rng, relations, printable, start, deduction, steps)
        asked = poser.ask_unknown(kinds, way) if way < 1 else poser.ask(kinds)
        if asked is not None:
            return asked
    return None


@dataclass
class _Poser:
    plane: Plane
    rng: np.random.Generator
    relations: Sequence[Relation]
    printable: Mapping[Quantity, Exact]
    start: Deduction
    deduction: Deduction
    steps: tuple[int, int]

    def __post_init__(self) -> None:
        self.written: dict[Quantity, str] = {}
        """Expressions at things."""
        self.unknowns: dict[str, Exact] = {}

    def ask(self, kinds: Sequence[str], through: Quantity | None = None) -> Asked | None:
        """A question for something that follows, of the first of these kinds that offers any."""
        for kind in kinds:
            targets = self.list_targets(kind, through)
            if targets:
                return self.finish(kind, self.choose(targets))
        return None

    def choose(self, targets: list[tuple[Quantity, ...]]) -> tuple[Quantity, ...]:
        """One of the targets: first a number of steps, then one of so many."""
        by_steps: dict[int, list[tuple[Quantity, ...]]] = {}
        for target in targets:
            by_steps.setdefault(self.count(target), []).append(target)
        numbers = sorted(by_steps)
        chosen = by_steps[numbers[int(self.rng.integers(len(numbers)))]]
        return chosen[int(self.rng.integers(len(chosen)))]

    def count(self, targets: Sequence[Quantity]) -> int:
        return self.deduction.count_steps(*targets) + (len(targets) > 1)

    def list_targets(self, kind: str, through: Quantity | None = None) -> list[tuple[Quantity, ...]]:
        derived = [
            quantity
            for quantity, known in self.deduction.known.items()
            if known.relation is not None and quantity not in self.start.known and quantity not in self.written
        ]
        if kind == "ratio":
            lengths = [each for each in self.deduction.known if each[0] == "length"][:12]
            found: list[tuple[Quantity, ...]] = [
                (p, q) for p in derived if p[0] == "length" for q in lengths if p != q and self._has_ratio(p, q)
            ]
            areas = [each for each in derived if each[0] == "area"]
            found += [(p, q) for p, q in pairwise(areas) if self._has_ratio(p, q)]
        else:
            found = [
                (quantity,) for quantity in derived if quantity[0] in ASKED[kind][1] and self._is_nameable(quantity)
            ]
        if through is not None:
            found = [each for each in found if through in self.deduction.trace(*each)]
        return [each for each in found if self.steps[0] <= self.count(each) <= self.steps[1]]

    def _has_ratio(self, one: Quantity, other: Quantity) -> bool:
        inverse = self.deduction.known[other].value.invert()
        ratio = None if inverse is None else (self.deduction.known[one].value * inverse).fraction
        return ratio is not None and ratio != 1 and max(ratio.numerator, ratio.denominator) < 30

    def _is_nameable(self, quantity: Quantity) -> bool:
        kind, value = quantity[0], self.deduction.known[quantity].value
        if len(value.terms) > 1 or any(root > 60 or part.denominator > 12 for (root, _), part in value.terms.items()):
            return False
        return kind != "length" or self.plane.is_joined(quantity[1], quantity[2])

    # Unknowns

    def ask_unknown(self, kinds: Sequence[str], way: float) -> Asked | None:
        """A question with unknowns: the share ``way`` decides which."""
        letter = UNKNOWNS[int(self.rng.integers(len(UNKNOWNS)))] if self.rng.random() < 0.3 else "x"
        if way < 0.35:
            return self.ask_at_target(letter)
        if way < 0.85:
            return self.ask_in_theorem(letter, kinds)
        return self.ask_two()

    def _list_markable(self, kinds: Sequence[str] = tuple(MARKS)) -> list[Quantity]:
        """What follows and can bear an expression."""
        return [
            target
            for kind in kinds
            for (target,) in self.list_targets(kind)
            if target[0] in MARKS and target in self.printable
        ]

    def ask_at_target(self, letter: str) -> Asked | None:
        """An expression stands at something that follows."""
        targets = self._list_markable()
        if not targets:
            return None
        (target,) = self.choose([(each,) for each in targets])
        number = self.deduction.known[target].value.fraction
        root, factor, rest = self._find_expression(number)
        known = self.deduction.known[target]
        value = known.value if root is None else of(root)
        relation = Relation(f"{write_name(target)} is {_write_linear(factor, letter, rest)}", "unknown", ((target, 1),))
        self.written[target] = _write_linear(factor, letter, rest)
        self.unknowns[letter] = value
        self.deduction.known["unknown", letter] = Known(value, relation, (target,))
        return self.finish(target[0], (("unknown", letter),))

    def _find_expression(self, number: Fraction | None) -> tuple[Fraction | None, int, Fraction]:
        """An unknown's value, its factor and what is added, for an expression of this number; x alone for a root."""
        if number is None or self.rng.random() < 0.15:
            return None, 1, Fraction(0)
        factor = int(self.rng.integers(1, 6))
        root = Fraction(int(self.rng.integers(2, max(4, min(30, int(number / factor) + 6)))))
        return root, factor, number - factor * root

    def ask_in_theorem(self, letter: str, kinds: Sequence[str]) -> Asked | None:
        """Expressions stand at the terms of one theorem, whose equation gives the unknown."""
        known = self.deduction.known
        offers = []
        for relation in self.relations:
            terms = [quantity for quantity, _ in relation.terms if quantity not in known]
            can_bear = all(each in self.printable and self.printable[each].fraction for each in terms)
            if relation.kind == "sum" and relation.theorem and 2 <= len(terms) <= 3 and can_bear:
                offers += [(relation, terms)] if self.deduction.is_ready(relation) else []
        if not offers:
            return None
        relation, terms = offers[int(self.rng.integers(len(offers)))]
        numbers = [self.printable[each].fraction for each in terms]
        root = Fraction(int(self.rng.integers(3, 30 if terms[0][0] != "length" else 10)))
        total, factors = Fraction(0), dict(relation.terms)
        for quantity, number in zip(terms, numbers, strict=True):
            assert number is not None
            most = max(1, min(6, int(number / root) + 1))
            factor = int(self.rng.integers(1, most + 1))
            self.written[quantity] = _write_linear(factor, letter, number - factor * root)
            total += factor * factors[quantity]
        if total == 0:
            return None
        premises = tuple(quantity for quantity, _ in relation.terms if quantity not in terms)
        unknown = ("unknown", letter)
        self.unknowns[letter] = of(root)
        known[unknown] = Known(of(root), relation, premises + tuple(sorted(_list_needs(relation))))
        for quantity in terms:
            put_in = Relation(f"{letter} = {root} is put in", "unknown", ((quantity, 1),))
            self.deduction.learn(quantity, Known(self.printable[quantity], put_in, (unknown,)))
        if self.rng.random() < 0.5:
            return self.finish(terms[0][0], (unknown,))
        if self.rng.random() < 0.4 and self.steps[0] <= self.count(terms[:1]) <= self.steps[1]:
            return self.finish(terms[0][0], (terms[0],))
        return self.ask(kinds, unknown) or self.finish(terms[0][0], (unknown,))

    def ask_two(self) -> Asked | None:
        """Expressions of two unknowns stand at two things that follow."""
        targets = [each for each in self._list_markable() if self.printable[each].fraction]
        if len(targets) < 2:
            return None
        chosen = [targets[int(at)] for at in self.rng.permutation(len(targets))[:2]]
        values = [self.printable[each].fraction for each in chosen]
        x, y = (Fraction(int(self.rng.integers(2, 16))) for _ in range(2))
        rows = [[int(self.rng.integers(1, 4)), int(self.rng.integers(-2, 4))] for _ in range(2)]
        if rows[0][0] * rows[1][1] == rows[0][1] * rows[1][0] or not (rows[0][1] or rows[1][1]):
            return None
        for quantity, value, (a, b) in zip(chosen, values, rows, strict=True):
            assert value is not None
            self.written[quantity] = _write_linear(a, "x", value - a * x - b * y, b, "y")
        told = " and ".join(f"{write_name(each)} = {self.written[each]}" for each in chosen)
        relation = Relation(f"the equations {told}", "unknown", ((chosen[0], 1), (chosen[1], 1)))
        wanted = (
            "xy"[int(self.rng.integers(2))] if rows[0][1] and rows[1][1] else "y" if rows[0][1] or rows[1][1] else "x"
        )
        self.unknowns |= {"x": of(x), "y": of(y)}
        self.deduction.known["unknown", wanted] = Known(self.unknowns[wanted], relation, tuple(chosen))
        return self.finish(chosen[0][0], (("unknown", wanted),))

    # The problem

    def finish(self, kind: str, targets: tuple[Quantity, ...]) -> Asked | None:
        if any(each[0] == "arc" and len(said) > LONGEST_AT_ARC for each, said in self.written.items()):
            return None
        known, trace = self.deduction.known, self.deduction.trace(*targets)
        givens = [each for each in trace if known[each].relation is None]
        if (not givens and not self.written) or not self.steps[0] <= self.count(targets) <= self.steps[1]:
            return None
        if self._is_overstated(givens, targets) or _hides_nothing(targets, givens):
            return None
        steps = tuple(
            Step(each, known[each].value, relation, known[each].premises, self.write_step(each, relation))
            for each in trace
            if (relation := known[each].relation) is not None and relation.theorem
        )
        value = known[targets[0]].value
        if len(targets) > 1:
            inverse = known[targets[1]].value.invert()
            assert inverse is not None
            value = value * inverse
            names = " : ".join(write_name(each) for each in targets)
            ratio = Relation("the two are divided", "unknown", tuple((each, 1) for each in targets))
            steps += (Step(("ratio",), value, ratio, targets, f"{names} = {_write_ratio(value)} ({ratio.theorem})."),)
        marks = [Fact(MARKS[each[0]], each[1:], known[each].value.write()) for each in givens]
        marks += [Fact(MARKS[each[0]], each[1:], text) for each, text in self.written.items()]
        mark = "^\\circ" if targets[0][0] in ("angle", "arc") else ""
        answer = _write_ratio(value) if len(targets) > 1 else value.write() + mark
        target = self.name(targets)
        named = {*trace, *(quantity for step in steps for quantity, _ in step.relation.terms)}
        values = {quantity: known[quantity].value for quantity in sorted(named) if quantity in known}
        return Asked(tuple(marks), kind, target, answer, targets, value, steps, self.unknowns, values)

    def _is_overstated(self, givens: Sequence[Quantity], targets: Sequence[Quantity]) -> bool:
        """Whether a given, or what is asked for, follows from the other givens."""
        for left_out in givens:
            other = self.start.copy()
            for each in givens:
                if each != left_out and each not in other.known:
                    other.learn(each, self.deduction.known[each])
            if left_out in other.known or self._follow(other, targets):
                return True
        return False

    def _follow(self, other: Deduction, targets: Sequence[Quantity]) -> bool:
        """Whether the targets follow in another deduction too, with what is written there."""
        solved = {
            quantity: known
            for quantity, known in self.deduction.known.items()
            if quantity[0] == "unknown" and all(each in other.known for each in known.premises)
        }
        for quantity in self.written:
            known = self.deduction.known[quantity]
            if {*known.premises[:1]} & {*solved} and quantity not in other.known:
                other.learn(quantity, known)
        return all(target in other.known or target in solved for target in targets)

    def write_step(self, quantity: Quantity, relation: Relation) -> str:
        value = self.deduction.known[quantity].value.write()
        value += "^\\circ" if quantity[0] in ("angle", "arc") else ""
        name = quantity[1] if quantity[0] == "unknown" else write_name(quantity)
        equation = relation.write() if relation.kind != "unknown" else ""
        return (
            f"{equation}, so {name} = {value} ({relation.theorem})."
            if equation
            else (f"{name} = {value} ({relation.theorem}).")
        )

    def name(self, targets: Sequence[Quantity]) -> str:
        """What is asked for, as a question names it."""
        if len(targets) > 1:
            names = [
                f"the area of {_name_ring(self.plane, q[1:])}" if q[0] == "area" else write_name(q) for q in targets
            ]
            return f"the ratio of {names[0]} to {names[1]}"
        kind, *names = targets[0]
        match kind:
            case "unknown":
                return names[0]
            case "length":
                return f"the length of {''.join(names)}"
            case "angle":
                return f"the measure of \\angle {''.join(names)}"
            case "arc":
                return f"the measure of arc {names[0]}{names[1]} of circle {names[2]}"
            case "area" | "perimeter":
                return f"the {kind} of {_name_ring(self.plane, names)}"
        return write_name(targets[0])


def _hides_nothing(targets: Sequence[Quantity], givens: Sequence[Quantity]) -> bool:
    return any(target in givens for target in targets[:1])


def _list_needs(relation: Relation) -> Iterator[Quantity]:
    return (each for need in relation.needs for each in need if isinstance(each, tuple))


def _name_ring(plane: Plane, ring: Sequence[str]) -> str:
    if len(ring) == 3:
        return f"\\triangle {''.join(ring)}"
    shape = next((f.predicate for f in plane.facts if f.predicate in SHAPES and {*f.arguments} == {*ring}), "")
    return f"{shape.replace('_', ' ') if len(ring) == 4 else 'polygon'} {''.join(ring)}"


def _write_ratio(value: Exact) -> str:
    number = value.fraction
    assert number is not None
    return f"{number.numerator}:{number.denominator}"


def _write_linear(factor: int, letter: str, rest: Fraction, other: int = 0, second: str = "") -> str:
    """``2x-14``, ``x+2y``, ``x``."""
    text = f"{'' if factor == 1 else factor}{letter}"
    if other:
        text += f"{'+' if other > 0 else '-'}{'' if abs(other) == 1 else abs(other)}{second}"
    if rest:
        text += f"{'+' if rest > 0 else '-'}{of(abs(rest)).write()}"
    return text
