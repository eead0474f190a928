"""Values of variables that satisfy equations: random ones seldom do.

An equation in which one variable is left is solved for it (degree one and two exactly, beyond that its rational roots);
of two equations in the same two variables one is eliminated by a resultant. Every step ends by itself: no clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from counterfoil.tasks.theorem.algebra.tree import Term, find_free
from counterfoil.tasks.theorem.algebra.values import lift, make_plain
from counterfoil.tasks.theorem.algebra.world import Function, Value, World

_MOST_DEGREE = 6
_LONGEST = 60


class UnsolvableError(Exception):
    """The equation is no polynomial one, or too large."""


class Solutions:
    """What `solve_for` finds, asked once for the same values: drawing in another order often comes by them again."""

    def __init__(self, equations: Sequence[Term], world: World) -> None:
        self._equations, self._world = equations, world
        self._found: dict[frozenset[tuple[str, Value]], tuple[list[dict[str, Value]], Iterator[dict[str, Value]]]] = {}

    def find(self, known: Mapping[str, Value], free: Sequence[str]) -> Iterator[dict[str, Value]]:
        """As `solve_for`; ``free`` are all variables that are not ``known``."""
        key = frozenset(known.items())
        if key not in self._found:
            self._found[key] = ([], solve_for(self._equations, known, free, self._world))
        found, more = self._found[key]
        place = 0
        while True:
            # No further than is asked: the next root may take long, or fail.
            if place == len(found):
                each = next(more, None)
                if each is None:
                    return
                found.append(each)
            yield found[place]
            place += 1


def solve_for(
    equations: Sequence[Term], known: Mapping[str, Value], free: Sequence[str], world: World
) -> Iterator[dict[str, Value]]:
    """Values of one or two of the ``free`` variables for which some of the ``equations`` hold."""
    pending = [(each, find_free(each) & set(free)) for each in equations]
    single = next(((each, names) for each, names in pending if len(names) == 1), None)
    if single is not None:
        (name,) = single[1]
        for root in _find_roots(_write_polynomial(single[0], known, world), name):
            yield {name: root}
        return
    for i, (first, names) in enumerate(pending):
        for second, others in pending[i + 1 :]:
            if len(names) == 2 and names == others:
                yield from _eliminate(first, second, sorted(names), known, world)
                return


def _eliminate(
    first: Term, second: Term, names: Sequence[str], known: Mapping[str, Value], world: World
) -> Iterator[dict[str, Value]]:
    import sympy

    kept, gone = names
    one, two = (_write_polynomial(each, known, world) for each in (first, second))
    resultant = sympy.resultant(one, two, sympy.Symbol(gone))
    for root in _find_roots(sympy.expand(resultant), kept):
        reduced = sympy.expand(one.subs(sympy.Symbol(kept), lift(root)))
        if reduced != 0:
            for other in _find_roots(reduced, gone):
                yield {kept: root, gone: other}


def _write_polynomial(equation: Term, known: Mapping[str, Value], world: World) -> Any:
    """Left minus right over a common denominator, with what is known put in.

    Raises:
        UnsolvableError: it is none.
    """
    import sympy

    left, right = (_translate(each, known, world) for each in equation.args)
    found = sympy.expand(left - right)
    # Most have no denominator with a variable, and looking for one costs more than all the rest.
    return found if found.is_polynomial() else sympy.expand(sympy.numer(sympy.together(left - right)))


def _translate(term: Term, known: Mapping[str, Value], world: World) -> Any:
    import sympy

    args = [_translate(each, known, world) for each in term.args] if term.head != "app" else []
    if term.head == "num":
        return sympy.Rational(term.name)
    if term.head == "var":
        if term.name not in known:
            return sympy.Symbol(term.name)
        if not hasattr(known[term.name], "is_number") and not isinstance(known[term.name], int | Fraction):
            raise UnsolvableError(term.name)
        return lift(known[term.name])
    if term.head in ("coe", "ascribe"):
        return args[0]
    if term.head in ("add", "sub", "mul"):
        return {"add": args[0] + args[-1], "sub": args[0] - args[-1], "mul": args[0] * args[-1]}[term.head]
    if term.head == "neg":
        return -args[0]
    if term.head == "div" and args[1] != 0:
        return args[0] / args[1]
    if term.head == "pow" and args[1].is_Integer and abs(args[1]) <= _LONGEST:
        return args[0] ** args[1]
    function = world.values.get(term.name) if term.head == "app" else None
    if isinstance(function, Function) and function.guard is None:
        inner = {
            name: _Symbolic(_translate(each, known, world))
            for name, each in zip(function.parameters, term.args, strict=False)
        }
        return _substitute(function.body, inner, known, world)
    raise UnsolvableError(term.head)


class _Symbolic:
    """An argument of a function, put in for its parameter."""

    def __init__(self, expression: Any) -> None:
        self.expression = expression


def _substitute(body: Term, inner: Mapping[str, _Symbolic], known: Mapping[str, Value], world: World) -> Any:
    import sympy

    marks = {name: sympy.Dummy(name) for name in inner}
    expression = _translate(body, {**{k: v for k, v in known.items() if k not in inner}, **marks}, world)
    return expression.subs({marks[name]: each.expression for name, each in inner.items()})


def _find_roots(expression: Any, name: str) -> list[Value]:
    """Real roots, in order."""
    import sympy

    symbol = sympy.Symbol(name)
    if expression.free_symbols != {symbol}:
        return []
    try:
        polynomial = sympy.Poly(expression, symbol)
    except sympy.PolynomialError as error:
        raise UnsolvableError(str(error)) from error
    if polynomial.degree() > _MOST_DEGREE:
        raise UnsolvableError("degree")
    if not all(each.is_Rational for each in polynomial.all_coeffs()):
        return []
    found: list[Value] = [make_plain(each) for each in sorted(polynomial.ground_roots())]
    if polynomial.degree() == 2 and not found:
        a, b, c = polynomial.all_coeffs()
        square = b * b - 4 * a * c
        if square > 0:
            found = [(-b - sympy.sqrt(square)) / (2 * a), (-b + sympy.sqrt(square)) / (2 * a)]
    return found
