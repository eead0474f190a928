"""What an SMT solver (z3) knows of a statement about numbers: linear and nonlinear arithmetic over ℕ, ℤ, ℚ and ℝ.

It finds what no instance shows: a counterexample far from small numbers, that there is none, that nothing satisfies
the hypotheses. Its effort is counted in its own steps, not timed, so that every machine comes to the same. Complex
numbers are pairs of real ones. What it finds as a counterexample is a proposal: the caller tries it exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from counterfoil.tasks.theorem.algebra.problem import Problem
from counterfoil.tasks.theorem.algebra.tree import Term
from counterfoil.tasks.theorem.algebra.world import Function, Members, Sort, Value, World, find_sort

STEPS = 150_000
"""z3's own count (``rlimit``) for one question."""
_MOST_POWER = 8
_MOST_TERMS = 40
_MOST_NODES = 4000


class UntranslatedError(Exception):
    """The term is not one that the solver is asked about."""


@dataclass(frozen=True)
class Answer:
    """``proved``: nothing that satisfies the hypotheses fails a conclusion. ``vacuous``: nothing satisfies them.
    ``counterexample``: values for which they hold and a conclusion does not, to be tried exactly."""

    proved: bool = False
    vacuous: bool = False
    counterexample: Mapping[str, Value] | None = None


def ask_solver(problem: Problem) -> Answer:
    """What z3 says of the statement; nothing where it has terms that are not translated, or takes too many steps."""
    import z3

    try:
        writer = _Writer(dict(problem.sorts), dict(problem.functions), problem.lean)
        domain = writer.declare()
        hypotheses = [writer.write(each) for each in problem.hypotheses]
        conclusions = [writer.write(each) for each in problem.conclusions]
    except UntranslatedError:
        return Answer()
    supposed = [*domain, *hypotheses]
    found, values = _check([*supposed, *writer.sides, z3.Not(z3.And(conclusions))], writer.list_variables())
    if found == z3.sat:
        return Answer(counterexample=writer.read_values(values))
    if found != z3.unsat:
        return Answer()
    possible, _ = _check([*supposed, *writer.sides])
    return Answer(proved=True, vacuous=possible == z3.unsat)


def _check(claims: Sequence[Any], variables: Sequence[Any] = ()) -> tuple[Any, list[Fraction | None]]:
    """What z3 finds of the claims, and the variables' values where they can hold.

    z3 orders terms by when they were first written, and its steps and models follow that order. In a context of its own
    a question gets the same answer whatever was asked before.
    """
    import z3

    own = z3.Context()
    solver = z3.Solver(ctx=own)
    solver.set("rlimit", STEPS)
    solver.set("random_seed", 0)
    solver.add(*(claim.translate(own) for claim in claims))
    found = solver.check()
    if found != z3.sat:
        return found, []
    model = solver.model()
    return found, [_read_number(model.eval(each.translate(own), model_completion=True)) for each in variables]


@dataclass
class _Writer:
    """Terms for z3. A complex number is a pair of real terms."""

    sorts: Mapping[str, Sort]
    functions: Mapping[str, Function | Members]
    lean: bool
    sides: list[Any] = field(default_factory=list)
    """What holds of the roots and remainders that were named."""
    _nodes: int = 0
    _variables: dict[str, Any] = field(default_factory=dict)
    _bound: dict[str, tuple[Any, Sort | None]] = field(default_factory=dict)

    def declare(self) -> list[Any]:
        """The variables, each of its sort; what the sorts themselves say."""
        import z3

        said = []
        for name, sort in self.sorts.items():
            if sort == "C":
                self._variables[name] = (z3.Real(f"{name}.re"), z3.Real(f"{name}.im"))
                continue
            made = z3.Int(name) if sort in ("N", "Z") else z3.Real(name)
            self._variables[name] = made
            if sort == "N":
                said.append(made >= 0)
        return said

    def list_variables(self) -> list[Any]:
        """The variables as z3 has them, those of a complex number one after the other."""
        found: list[Any] = []
        for name in self.sorts:
            made = self._variables[name]
            found += made if isinstance(made, tuple) else [made]
        return found

    def read_values(self, values: Sequence[Fraction | None]) -> Mapping[str, Value] | None:
        """The values of `list_variables` by name; None where one is no fraction."""
        found: dict[str, Value] = {}
        left = iter(values)
        for name, sort in self.sorts.items():
            parts = [next(left) for _ in range(2 if sort == "C" else 1)]
            if None in parts:
                return None
            if sort == "C":
                import sympy

                re, im = (sympy.Rational(each.numerator, each.denominator) for each in parts if each is not None)
                found[name] = re + im * sympy.I if im else _settle(parts[0])
                continue
            found[name] = _settle(parts[0])
        return found

    def write(self, term: Term) -> Any:
        """A statement as z3 has it.

        Raises:
            UntranslatedError: it has a part that is not translated.
        """
        import z3

        if term.head in ("and", "or"):
            return (z3.And if term.head == "and" else z3.Or)([self.write(each) for each in term.args])
        if term.head == "not":
            return z3.Not(self.write(term.args[0]))
        if term.head == "imp":
            return z3.Implies(self.write(term.args[0]), self.write(term.args[1]))
        if term.head == "iff":
            return self.write(term.args[0]) == self.write(term.args[1])
        if term.head == "var" and term.name in ("False", "True"):
            return z3.BoolVal(term.name == "True")
        if term.head in _RELATIONS:
            return self._relate(term)
        if term.head in ("even", "odd"):
            value = self._whole(term.args[0])
            return value % 2 == (term.head == "odd")
        if term.head in ("dvd", "ndvd"):
            one, other = (self._whole(each) for each in term.args)
            divides = z3.If(one == 0, other == 0, other % one == 0)
            return divides if term.head == "dvd" else z3.Not(divides)
        if term.head == "cong":
            left, right, modulus = (self._whole(each, "Z" if term.name == "ZMOD" else None) for each in term.args)
            return z3.If(modulus == 0, left == right, (left - right) % modulus == 0)
        raise UntranslatedError(term.head)

    def _relate(self, term: Term) -> Any:
        import z3

        sort = self._find_sort(term)
        left, right = (self._term(each, sort) for each in term.args)
        if isinstance(left, tuple) or isinstance(right, tuple):
            (a, b), (c, d) = _as_pair(left), _as_pair(right)
            same = z3.And(a == c, b == d)
            if term.head in ("eq", "ne"):
                return same if term.head == "eq" else z3.Not(same)
            # Mathlib's order of complex numbers: equal imaginary parts, and the real ones in order.
            return z3.And(_RELATIONS[term.head](a, c), b == d)
        return _RELATIONS[term.head](left, right)

    def _find_sort(self, term: Term) -> Sort | None:
        if not self.lean:
            return None
        sorts = {**self.sorts, **{name: sort for name, (_, sort) in self._bound.items() if sort}}
        return find_sort(term, World(self.functions, sorts)) or "N"

    def _whole(self, term: Term, sort: Sort | None = None) -> Any:
        value = self._term(term, sort or self._find_sort(term))
        if isinstance(value, tuple) or not value.is_int():
            raise UntranslatedError("divisibility of what is not whole")
        return value

    def _term(self, term: Term, sort: Sort | None) -> Any:
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise UntranslatedError("too large")
        write = _TERMS.get(term.head)
        if write is None:
            raise UntranslatedError(term.head)
        return write(self, term, sort)

    def write_number(self, term: Term, sort: Sort | None) -> Any:
        import z3

        if "." in term.name:
            return z3.RealVal(term.name)
        if sort == "C":
            return (z3.RealVal(term.name), z3.RealVal(0))
        return z3.RealVal(term.name) if sort in ("Q", "R") else z3.IntVal(term.name)

    def write_variable(self, term: Term, sort: Sort | None) -> Any:
        del sort
        if term.name in self._bound:
            return self._bound[term.name][0]
        if term.name not in self._variables:
            raise UntranslatedError(term.name)
        return self._variables[term.name]

    def write_sum(self, term: Term, sort: Sort | None) -> Any:
        import z3

        left, right = (self._term(each, sort) for each in term.args)
        if isinstance(left, tuple) or isinstance(right, tuple):
            (a, b), (c, d) = _as_pair(left), _as_pair(right)
            return {"add": (a + c, b + d), "sub": (a - c, b - d), "mul": (a * c - b * d, a * d + b * c)}[term.head]
        if term.head == "sub" and sort == "N":
            return z3.If(left >= right, left - right, z3.IntVal(0))
        return {"add": left + right, "sub": left - right, "mul": left * right}[term.head]

    def write_negative(self, term: Term, sort: Sort | None) -> Any:
        value = self._term(term.args[0], sort)
        return tuple(-each for each in value) if isinstance(value, tuple) else -value

    def write_quotient(self, term: Term, sort: Sort | None) -> Any:
        import z3

        left, right = (self._term(each, sort) for each in term.args)
        if isinstance(left, tuple) or isinstance(right, tuple):
            raise UntranslatedError("a quotient of complex numbers")
        if sort in ("N", "Z"):
            return z3.If(right == 0, z3.IntVal(0), left / right)
        left, right = (z3.ToReal(each) if each.is_int() else each for each in (left, right))
        if self.lean:
            return z3.If(right == 0, z3.RealVal(0), left / right)
        self.sides.append(right != 0)
        return left / right

    def write_remainder(self, term: Term, sort: Sort | None) -> Any:
        import z3

        if self.lean and sort in ("Q", "R", "C"):
            raise UntranslatedError("a remainder in a field")
        left, right = (self._whole(each, sort) for each in term.args)
        return z3.If(right == 0, left, left % right)

    def write_power(self, term: Term, sort: Sort | None) -> Any:
        exponent = term.args[1]
        if exponent.head != "num" or not exponent.name.isdecimal() or int(exponent.name) > _MOST_POWER:
            raise UntranslatedError("a power")
        found = Term("num", name="1")
        for _ in range(int(exponent.name)):
            found = term.args[0] if found.head == "num" and found.name == "1" else Term("mul", (found, term.args[0]))
        return self._term(found, sort)

    def write_absolute(self, term: Term, sort: Sort | None) -> Any:
        import z3

        value = self._term(term.args[0], sort)
        if isinstance(value, tuple):
            raise UntranslatedError("an absolute value of a complex number")
        return z3.If(value >= 0, value, -value)

    def write_root(self, term: Term, sort: Sort | None) -> Any:
        import z3

        del sort
        value = self._term(term.args[0], "R" if self.lean else None)
        if isinstance(value, tuple):
            raise UntranslatedError("a root of a complex number")
        value = z3.ToReal(value) if value.is_int() else value
        root = z3.Real(f"root!{len(self.sides)}")
        self.sides += [root >= 0, z3.Implies(value >= 0, root * root == value)]
        self.sides.append(z3.Implies(value < 0, root == 0) if self.lean else value >= 0)
        return root

    def write_floor(self, term: Term, sort: Sort | None) -> Any:
        import z3

        del sort
        value = self._term(term.args[0], self._find_sort(term.args[0]))
        if isinstance(value, tuple):
            raise UntranslatedError("a whole part of a complex number")
        return value if value.is_int() else z3.ToInt(value)

    def write_coercion(self, term: Term, sort: Sort | None) -> Any:
        import z3

        inner = find_sort(term, World(self.functions, self.sorts)) if term.head == "ascribe" else None
        value = self._term(term.args[0], inner or self._find_sort(term.args[0]) or sort)
        goal = inner or sort
        if goal in ("Q", "R") and not isinstance(value, tuple) and value.is_int():
            return z3.ToReal(value)
        return _as_pair(value) if goal == "C" else value

    def write_imaginary(self, term: Term, sort: Sort | None) -> Any:
        import z3

        del term, sort
        return (z3.RealVal(0), z3.RealVal(1))

    def write_part(self, term: Term, sort: Sort | None) -> Any:
        """The real or the imaginary part, or the conjugate."""
        del sort
        re, im = _as_pair(self._term(term.args[0], "C"))
        return {"re": re, "im": im, "conj": (re, -im)}[term.head]

    def write_call(self, term: Term, sort: Sort | None) -> Any:
        del sort
        function = self.functions.get(term.name)
        if not isinstance(function, Function) or function.guard or len(function.parameters) != len(term.args):
            raise UntranslatedError(f"the function {term.name}")
        given = {
            name: (self._term(each, function.sort if self.lean else None), function.sort)
            for name, each in zip(function.parameters, term.args, strict=True)
        }
        kept, self._bound = self._bound, {**self._bound, **given}
        try:
            return self._term(function.body, function.sort if self.lean else None)
        finally:
            self._bound = kept

    def write_series(self, term: Term, sort: Sort | None) -> Any:
        import z3

        ends = term.args[0].args
        if term.args[0].head not in ("range", "interval") or not all(
            each.head == "num" and each.name.isdecimal() for each in ends
        ):
            raise UntranslatedError("a sum without its ends")
        numbers = [int(each.name) for each in ends]
        places = range(numbers[0]) if term.args[0].head == "range" else range(numbers[0], numbers[1] + 1)
        if len(places) > _MOST_TERMS:
            raise UntranslatedError("too many terms")
        total: Any = z3.RealVal(int(term.head == "prod")) if sort in ("Q", "R") else z3.IntVal(int(term.head == "prod"))
        kept = self._bound
        for place in places:
            self._bound = {**kept, term.name: (z3.IntVal(place), "N")}
            value = self._term(term.args[1], sort)
            if isinstance(value, tuple):
                raise UntranslatedError("a sum of complex numbers")
            total = total * value if term.head == "prod" else total + value
        self._bound = kept
        return total


_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
_TERMS: dict[str, Callable[[_Writer, Term, Sort | None], Any]] = {
    "num": _Writer.write_number,
    "var": _Writer.write_variable,
    "add": _Writer.write_sum,
    "sub": _Writer.write_sum,
    "mul": _Writer.write_sum,
    "neg": _Writer.write_negative,
    "div": _Writer.write_quotient,
    "mod": _Writer.write_remainder,
    "pow": _Writer.write_power,
    "abs": _Writer.write_absolute,
    "sqrt": _Writer.write_root,
    "floor": _Writer.write_floor,
    "coe": _Writer.write_coercion,
    "ascribe": _Writer.write_coercion,
    "imaginary": _Writer.write_imaginary,
    **dict.fromkeys(("re", "im", "conj"), _Writer.write_part),
    "app": _Writer.write_call,
    "sum": _Writer.write_series,
    "prod": _Writer.write_series,
}


def _as_pair(value: Any) -> tuple[Any, Any]:
    import z3

    if isinstance(value, tuple):
        return value
    return (z3.ToReal(value) if value.is_int() else value), z3.RealVal(0)


def _read_number(value: Any) -> Fraction | None:
    import z3

    if z3.is_int_value(value):
        return Fraction(value.as_long())
    if z3.is_rational_value(value):
        return Fraction(value.numerator_as_long(), value.denominator_as_long())
    return None


def _settle(value: Fraction | None) -> Value:
    assert value is not None
    return value.numerator if value.denominator == 1 else value
