"""What follows from what: theorems as equations between quantities, and a search that solves one after the other.

A `Relation` is a theorem at one place of a figure. It gives its last unknown quantity once all others are known, in
exact numbers. Every value is compared with the figure's coordinates: a theorem put down wrongly stops the sampler.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from counterfoil.tasks.geometry.sources.sampler.exact import ONE, ZERO, Exact, of
from counterfoil.tasks.geometry.sources.sampler.figure import Plane, Quantity, write_name

_OFF = 1e-6


class DeductionError(RuntimeError):
    """A theorem gives another value than the figure has: its row in the table is wrong."""


@dataclass(frozen=True)
class Relation:
    """An equation: ``sum`` of factor times quantity, ``product`` of quantities to a power, or ``squares`` (a sum of
    factor times square) is ``constant``; a ``formula`` gives its first quantity from all others.

    It holds once each of ``needs`` is known to be so: a quantity with a value, or two equal quantities. A relation
    without a ``theorem`` is read off the figure and is no step.
    """

    theorem: str
    kind: str
    terms: tuple[tuple[Quantity, Fraction | int], ...]
    constant: Exact = ZERO
    needs: tuple[tuple[Quantity, Exact | Quantity], ...] = ()
    compute: Callable[[Sequence[Exact]], Exact | None] | None = field(default=None, compare=False)

    def solve(self, unknown: Quantity, known: dict[Quantity, Known]) -> Exact | None:
        """The unknown's value from all others'; None where that is no exact number."""
        if self.kind == "formula":
            if unknown != self.terms[0][0] or self.compute is None:
                return None
            return self.compute([known[quantity].value for quantity, _ in self.terms[1:]])
        factor: Fraction | int = 0
        if self.kind == "product":
            rest = self.constant
            for quantity, power in self.terms:
                if quantity == unknown:
                    factor = power
                    continue
                part = known[quantity].value if power < 0 else known[quantity].value.invert()
                if part is None:
                    return None
                for _ in range(abs(int(power))):
                    rest = rest * part
            if factor < 0:
                inverse = rest.invert()
                if inverse is None:
                    return None
                rest = inverse
            return rest if abs(factor) == 1 else rest.root()
        rest = self.constant
        for quantity, times in self.terms:
            if quantity == unknown:
                factor = times
                continue
            part = known[quantity].value
            rest = rest + (part * part if self.kind == "squares" else part).times(-times)
        rest = rest.times(Fraction(1) / factor)
        return rest.root() if self.kind == "squares" else rest

    def write(self) -> str:
        """The equation in names."""
        if self.kind == "formula":
            return ""
        left: list[str] = []
        right: list[str] = []
        for quantity, factor in self.terms:
            name = write_name(quantity)
            if self.kind == "product":
                side = left if factor > 0 else right
                side.append(f"{name}^{{2}}" if abs(factor) == 2 else name)
            else:
                name = f"{name}^{{2}}" if self.kind == "squares" else name
                size = of(factor if factor > 0 else -factor).write()
                (left if factor > 0 else right).append(name if size == "1" else f"{size} \\cdot {name}")
        if self.kind == "product":
            if self.constant != ONE:
                right.insert(0, self.constant.write())
            return " = ".join(" \\cdot ".join(side) or "1" for side in (left, right))
        if self.constant != ZERO or not right:
            mark = "^\\circ" if self.terms[0][0][0] in ("angle", "arc") else ""
            right.append(self.constant.write() + mark)
        return f"{' + '.join(left)} = {' + '.join(right)}"


@dataclass(frozen=True)
class Known:
    """A quantity's value with the relation that gave it and what that relied on; a given relies on nothing."""

    value: Exact
    relation: Relation | None = None
    premises: tuple[Quantity, ...] = ()


class Deduction:
    """All that follows from what is given, each thing by the first way that is found."""

    def __init__(self, plane: Plane, relations: Sequence[Relation]) -> None:
        self.plane = plane
        self.known: dict[Quantity, Known] = {}
        self.uses: dict[Quantity, list[Relation]] = defaultdict(list)
        self._waiting: deque[Relation] = deque()
        for relation in relations:
            for quantity in {quantity for quantity, _ in relation.terms} | _list_needed(relation):
                self.uses[quantity].append(relation)
        for relation in relations:
            if len(relation.terms) == 1 and not relation.needs:
                self._waiting.append(relation)
        self._run()

    def copy(self) -> Deduction:
        """The same so far, to go on with other givens."""
        other = object.__new__(Deduction)
        other.plane, other.uses, other.known, other._waiting = self.plane, self.uses, dict(self.known), deque()
        return other

    def learn(self, quantity: Quantity, known: Known) -> None:
        """Take in a given (or what something else gave), and all that follows."""
        self._keep(quantity, known)
        self._run()

    def _keep(self, quantity: Quantity, known: Known) -> None:
        measured = self.plane.measure(quantity)
        if abs(known.value.value - measured) > _OFF * max(1.0, measured):
            told = known.relation.theorem if known.relation else "given"
            raise DeductionError(f"{write_name(quantity)} = {known.value.write()} by {told!r}, drawn {measured}")
        self.known[quantity] = known
        self._waiting.extend(self.uses[quantity])

    def _run(self) -> None:
        while self._waiting:
            relation = self._waiting.popleft()
            open_ones = [quantity for quantity, _ in relation.terms if quantity not in self.known]
            if len(open_ones) != 1 or not self.is_ready(relation):
                continue
            value = relation.solve(open_ones[0], self.known)
            if value is not None and len(value.terms) < 3:
                premises = [quantity for quantity, _ in relation.terms if quantity != open_ones[0]]
                premises += sorted(_list_needed(relation) - {*premises})
                self._keep(open_ones[0], Known(value, relation, tuple(premises)))

    def is_ready(self, relation: Relation) -> bool:
        for quantity, wanted in relation.needs:
            known = self.known.get(quantity)
            if known is None:
                return False
            other = wanted if isinstance(wanted, Exact) else getattr(self.known.get(wanted), "value", None)
            if known.value != other:
                return False
        return True

    def trace(self, *targets: Quantity) -> list[Quantity]:
        """All that the targets rest on, themselves included, each after what it rests on."""
        order: dict[Quantity, None] = {}

        def visit(quantity: Quantity) -> None:
            if quantity not in order:
                for premise in self.known[quantity].premises:
                    visit(premise)
                order[quantity] = None

        for target in targets:
            visit(target)
        return list(order)

    def count_steps(self, *targets: Quantity) -> int:
        """The theorems that the targets take."""
        return sum(bool(self._step(quantity)) for quantity in self.trace(*targets))

    def _step(self, quantity: Quantity) -> str:
        relation = self.known[quantity].relation
        return relation.theorem if relation else ""


def _list_needed(relation: Relation) -> set[Quantity]:
    return {each for need in relation.needs for each in need if isinstance(each, tuple)}


def list_used(relations: Iterable[Relation]) -> set[Quantity]:
    """All quantities of the relations."""
    return {quantity for relation in relations for quantity, _ in relation.terms}
