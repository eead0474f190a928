"""What a term comes to when its variables have values, and whether a statement then holds.

Values are whole numbers and fractions as long as they are exact, sympy's numbers beyond (roots, logarithms, complex
numbers). A statement is True, False or None, which stands for "cannot be told": a quantifier without an end, a word
that is not understood. Lean's arithmetic is typed and total: natural numbers have no negative differences, whole
numbers divide with a remainder, x / 0 = 0. In LaTeX division is exact, and what is undefined has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from math import comb, factorial, gcd, isqrt, lcm
from typing import Any, Literal

from counterfoil.tasks.theorem.algebra.tree import ARITHMETIC, Term, split_conjuncts

Sort = Literal["N", "Z", "Q", "R", "C"]
SORTS: tuple[Sort, ...] = ("N", "Z", "Q", "R", "C")
Value = Any
"""An ``int``, a ``Fraction``, or a number of sympy's."""
_LARGEST_BITS = 20_000
_WITNESSES = (range(-12, 31), range(-3, 7))
"""Values that a quantifier is tried with, and one inside another."""
_SYMBOLIC = 40
_BY_SYMPY = frozenset({"sqrt", "log", "logb", "exp", "sin", "cos", "tan", "norm", "re", "im", "conj"})
_MOST_TERMS = 300
_CLOSE = 1e-20
_DIGITS = 40


class UnknownValueError(Exception):
    """The term has no value that can be worked out."""


class UndefinedValueError(Exception):
    """The term has no value: a division by zero, the root of a negative number among reals."""


class ExhaustedError(Exception):
    """The steps that a statement may take are used up: counted, not timed, so that every machine stops alike."""


@dataclass
class Budget:
    """How many steps evaluation may still take. One with numbers of sympy's costs many."""

    left: int

    def spend(self, steps: int) -> None:
        """Take ``steps``.

        Raises:
            ExhaustedError: none are left.
        """
        self.left -= steps
        if self.left < 0:
            raise ExhaustedError


@dataclass(frozen=True)
class Function:
    """A function that a hypothesis defines: ``f x = body``."""

    parameters: tuple[str, ...]
    body: Term
    sort: Sort = "R"
    guard: Term | None = None
    """Where it is defined so; elsewhere nothing is said of its values."""


@dataclass(frozen=True)
class Members:
    """A set of whole numbers that a hypothesis defines: ``n ∈ S ↔ condition``."""

    name: str
    condition: Term
    sort: Sort


@dataclass(frozen=True)
class World:
    """The values of variables, the sorts of all that have one, and whether arithmetic is Lean's."""

    values: Mapping[str, Value | Function | Members]
    sorts: Mapping[str, Sort]
    lean: bool = True
    budget: Budget = field(default_factory=lambda: Budget(100_000))
    depth: int = 0
    """Quantifiers around."""

    def bind(self, name: str, value: Value, sort: Sort | None = None) -> World:
        """The world in which one more variable has a value."""
        sorts = {**self.sorts, name: sort} if sort else self.sorts
        return replace(self, values={**self.values, name: value}, sorts=sorts)


def find_sort(term: Term, world: World) -> Sort | None:
    """The sort that arithmetic on the term is done in: the largest of its leaves; None where there are numerals alone.

    Lean puts coercions at the leaves of a whole tree of binary operators, so that ``n / 2 < x`` divides real numbers
    where x is one.
    """
    head = term.head
    if head == "var":
        return world.sorts.get(term.name)
    if head == "ascribe":
        return _SORT_NAMES.get(term.name)
    if head in ARITHMETIC or head in ("eq", "ne", "lt", "le", "gt", "ge"):
        return _largest([find_sort(each, world) for each in term.args])
    if head == "pow":
        return find_sort(term.args[0], world)
    if head in ("sum", "prod"):
        inner = replace(world, sorts={**world.sorts, term.name: _find_range_sort(term.args[0], world)})
        return find_sort(term.args[1], inner)
    if head in ("coe", "abs", "inv"):
        return find_sort(term.args[0], world) if head != "coe" else None
    if head in ("sqrt", "log", "exp", "sin", "cos", "tan", "pi", "logb", "norm", "re", "im"):
        return "R"
    if head in ("imaginary", "conj"):
        return "C"
    if head in ("floor", "ceil"):
        return "Z"
    if head in ("factorial", "gcd", "lcm", "choose", "card", "isqrt"):
        return "N"
    if head == "app" and isinstance(function := world.values.get(term.name), Function):
        return function.sort
    return None


_SORT_NAMES: dict[str, Sort] = {"ℕ": "N", "ℤ": "Z", "ℚ": "Q", "ℝ": "R", "ℂ": "C", "Nat": "N", "Int": "Z", "ℕ+": "N"}


def read_sort(name: str) -> Sort | None:
    """The sort that a Lean type names; None for other types."""
    return _SORT_NAMES.get(name)


def _largest(sorts: list[Sort | None]) -> Sort | None:
    known = [SORTS.index(each) for each in sorts if each]
    return SORTS[max(known)] if known else None


def _find_range_sort(term: Term, world: World) -> Sort:
    if term.head == "var" and isinstance(members := world.values.get(term.name), Members):
        return members.sort
    return _largest([find_sort(each, world) for each in term.args]) or "N"


def evaluate(term: Term, world: World, sort: Sort | None = None) -> Value:
    """The value of a term; ``sort`` is what Lean's arithmetic around it is done in.

    Raises:
        UnknownValueError: it holds what is not understood, or would grow too large.
        UndefinedValueError: it has no value.
    """
    if world.lean and sort is None:
        sort = find_sort(term, world) or "N"
    compute = _COMPUTE.get(term.head)
    world.budget.spend(_SYMBOLIC if term.head in _BY_SYMPY else 1)
    if compute is None:
        raise UnknownValueError(term.head)
    return compute(term, world, sort)


def _number(term: Term, world: World, sort: Sort | None) -> Value:
    del world, sort
    return _plain(Fraction(term.name)) if "." in term.name else int(term.name)


def _variable(term: Term, world: World, sort: Sort | None) -> Value:
    del sort
    value = world.values.get(term.name)
    if value is None or isinstance(value, Function | Members):
        raise UnknownValueError(term.name)
    return value


def _combine(operate: Callable[[Value, Value], Value]) -> Callable[[Term, World, Sort | None], Value]:
    def compute(term: Term, world: World, sort: Sort | None) -> Value:
        left, right = (evaluate(each, world, sort) for each in term.args)
        return _plain(operate(*_pair(left, right)))

    return compute


def _subtract(term: Term, world: World, sort: Sort | None) -> Value:
    left, right = _pair(*(evaluate(each, world, sort) for each in term.args))
    value = _plain(left - right)
    return max(value, 0) if sort == "N" and isinstance(value, int) else value


def _divide(term: Term, world: World, sort: Sort | None) -> Value:
    left, right = (evaluate(each, world, sort) for each in term.args)
    if _is_zero(right):
        if world.lean:
            return 0
        raise UndefinedValueError("division by zero")
    if sort in ("N", "Z"):
        return _quotient(left, right)
    if isinstance(left, int | Fraction) and isinstance(right, int | Fraction):
        return _plain(Fraction(left) / right)
    left, right = _pair(left, right)
    return _plain(left / right)


def _quotient(left: int, right: int) -> int:
    """Lean's: the remainder is never negative."""
    return left // right if right > 0 else -(left // -right)


def _modulo(term: Term, world: World, sort: Sort | None) -> Value:
    left, right = (evaluate(each, world, sort) for each in term.args)
    if not (isinstance(left, int) and isinstance(right, int)) or (world.lean and _is_field(sort)):
        raise UnknownValueError("remainder of what is not whole")
    if right == 0:
        if world.lean:
            return left
        raise UndefinedValueError("remainder by zero")
    return left % abs(right)


def _negate(term: Term, world: World, sort: Sort | None) -> Value:
    return -evaluate(term.args[0], world, sort)


def _invert(term: Term, world: World, sort: Sort | None) -> Value:
    return _divide(Term("div", (Term("num", name="1"), term.args[0])), world, sort)


def _raise(term: Term, world: World, sort: Sort | None) -> Value:
    base = evaluate(term.args[0], world, sort)
    exponent = evaluate(term.args[1], world, None)
    if isinstance(exponent, Fraction) and sort in ("N", "Z", "Q"):
        raise UnknownValueError("a broken exponent")
    if isinstance(exponent, int) and isinstance(base, int | Fraction):
        if exponent < 0:
            if base == 0:
                raise UndefinedValueError("division by zero")
            return _plain(Fraction(1) / Fraction(base) ** _limit(base, -exponent))
        return _plain(base ** _limit(base, exponent))
    symbolic, power = _pair(base, exponent)
    import sympy

    symbolic, power = sympy.sympify(_lift(symbolic)), sympy.sympify(_lift(power))
    if not isinstance(exponent, int) and not symbolic.is_nonnegative:
        raise UndefinedValueError("a broken power of what is not positive")
    return _plain(symbolic**power)


def _limit(base: Value, exponent: int) -> int:
    size = max(abs(Fraction(base).numerator), Fraction(base).denominator, 1).bit_length()
    if size * exponent > _LARGEST_BITS and size > 1:
        raise UnknownValueError("too large")
    return exponent


def _call_sympy(name: str) -> Callable[[Term, World, Sort | None], Value]:
    def compute(term: Term, world: World, sort: Sort | None) -> Value:
        del sort
        import sympy

        value = sympy.sympify(_lift(evaluate(term.args[0], world, "R" if world.lean else None)))
        if name in ("sqrt", "log") and not value.is_real:
            raise UnknownValueError("not real")
        if name == "sqrt" and value.is_negative:
            if world.lean:
                return 0
            raise UndefinedValueError("the root of a negative number")
        if name == "log" and not value.is_positive:
            raise UndefinedValueError("the logarithm of what is not positive")
        return _plain(getattr(sympy, name)(value))

    return compute


def _logarithm(term: Term, world: World, sort: Sort | None) -> Value:
    del sort
    import sympy

    base, value = (sympy.sympify(_lift(evaluate(each, world, "R" if world.lean else None))) for each in term.args)
    if not (base.is_positive and value.is_positive) or base == 1:
        raise UndefinedValueError("a logarithm")
    return _plain(sympy.log(value) / sympy.log(base))


def _pi(term: Term, world: World, sort: Sort | None) -> Value:
    del term, world, sort
    import sympy

    return sympy.pi


def _imaginary(term: Term, world: World, sort: Sort | None) -> Value:
    del term, world, sort
    import sympy

    return sympy.I


def _take_part(term: Term, world: World, sort: Sort | None) -> Value:
    """The real or the imaginary part of a complex number, or its conjugate."""
    del sort
    import sympy

    value = _lift(evaluate(term.args[0], world, "C"))
    return _plain({"re": sympy.re, "im": sympy.im, "conj": sympy.conjugate}[term.head](value))


def _absolute(term: Term, world: World, sort: Sort | None) -> Value:
    value = evaluate(term.args[0], world, sort)
    return _plain(abs(value))


def _norm(term: Term, world: World, sort: Sort | None) -> Value:
    value = evaluate(term.args[0], world, find_sort(term.args[0], world) or sort)
    return _plain(abs(value))


def _round(upwards: bool) -> Callable[[Term, World, Sort | None], Value]:
    def compute(term: Term, world: World, sort: Sort | None) -> Value:
        del sort
        value = evaluate(term.args[0], world, None)
        if isinstance(value, int | Fraction):
            return -(-value // 1) if upwards else value // 1
        import sympy

        return _plain((sympy.ceiling if upwards else sympy.floor)(value))

    return compute


def _whole(function: Callable[..., int]) -> Callable[[Term, World, Sort | None], Value]:
    def compute(term: Term, world: World, sort: Sort | None) -> Value:
        del sort
        values = [evaluate(each, world, None) for each in term.args]
        if not all(isinstance(each, int) for each in values) or max(map(abs, values), default=0) > 10**99:
            raise UnknownValueError("not whole")
        if function in (factorial, comb) and (min(values) < 0 or max(values) > 150):
            raise UnknownValueError("too large")
        return function(*values)

    return compute


def _coerce(term: Term, world: World, sort: Sort | None) -> Value:
    inner = find_sort(term.args[0], world)
    return evaluate(term.args[0], world, inner or sort)


def _ascribe(term: Term, world: World, sort: Sort | None) -> Value:
    """``(e : ℝ)``: the arithmetic inside is done in that type."""
    del sort
    return evaluate(term.args[0], world, _SORT_NAMES.get(term.name))


def _apply(term: Term, world: World, sort: Sort | None) -> Value:
    del sort
    function = world.values.get(term.name)
    if not isinstance(function, Function) or len(function.parameters) != len(term.args):
        raise UnknownValueError(f"the function {term.name}")
    for name, argument in zip(function.parameters, term.args, strict=True):
        world = world.bind(name, evaluate(argument, world, None), function.sort)
    if function.guard is not None and holds(function.guard, world) is not True:
        raise UnknownValueError(f"the function {term.name} there")
    return evaluate(function.body, world, function.sort if world.lean else None)


def _fold(multiply: bool) -> Callable[[Term, World, Sort | None], Value]:
    def compute(term: Term, world: World, sort: Sort | None) -> Value:
        total: Value = 1 if multiply else 0
        index_sort = _find_range_sort(term.args[0], world)
        for index in list_members(term.args[0], world):
            value = evaluate(term.args[1], world.bind(term.name, index, index_sort), sort)
            total, value = _pair(total, value)
            total = _plain(total * value if multiply else total + value)
        return total

    return compute


def list_members(term: Term, world: World) -> Sequence[int]:
    """The whole numbers of a finite set, each once, in order.

    Raises:
        UnknownValueError: it is another set, or whether it ends cannot be seen.
    """
    if term.head in ("range", "interval"):
        return _list_range(term.head == "range", term.args, world)
    if term.head == "divisors":
        return _list_divisors(evaluate(term.args[0], world, "N"))
    if term.head == "filter":
        test, inner = term.args
        sort = _find_range_sort(inner, world)
        return _keep(list_members(inner, world), test.name, test.args[1], sort, world)
    members = world.values.get(term.name) if term.head == "var" else None
    if isinstance(members, Members):
        bound = _find_ends(members, world)
        return _keep(bound, members.name, members.condition, members.sort, world)
    raise UnknownValueError("a set")


def _list_range(half_open: bool, args: Sequence[Term], world: World) -> range:
    """Without its end, or with both ends."""
    ends = [evaluate(each, world, None) for each in args]
    if not all(isinstance(each, int) for each in ends):
        raise UnknownValueError("a range")
    return _check_length(range(ends[0]) if half_open else range(ends[0], ends[1] + 1))


def _check_length(found: range) -> range:
    if len(found) > _MOST_TERMS:
        raise UnknownValueError("too many terms")
    return found


def _list_divisors(value: Value) -> Sequence[int]:
    if not isinstance(value, int) or not 0 <= value <= 10**12:
        raise UnknownValueError("divisors")
    import sympy

    # Lean's zero has none.
    return sympy.divisors(value) if value else ()


def _keep(found: Sequence[int], name: str, condition: Term, sort: Sort, world: World) -> list[int]:
    told = [(each, holds(condition, world.bind(name, each, sort))) for each in found]
    if any(held is None for _, held in told):
        raise UnknownValueError("who is a member")
    return [each for each, held in told if held]


def _find_ends(members: Members, world: World) -> range:
    """Numbers beyond which the condition excludes all: its own bounds, of the number itself or of a distance.

    A set whose bounds are not said is not finite for all that we know, and nothing is said of it.
    """
    low: int | None = 0 if members.sort == "N" else None
    high: int | None = None
    for each in split_conjuncts(members.condition):
        for least, most in _read_bounds(each, members.name, world):
            low = least if low is None else max(low, least) if least is not None else low
            high = most if high is None else min(high, most) if most is not None else high
    if low is None or high is None:
        raise UnknownValueError("a set without ends")
    return _check_length(range(low, high + 1))


def _read_bounds(term: Term, name: str, world: World) -> Iterator[tuple[int | None, int | None]]:
    """Least and most of ``n < 5``, ``3 ≤ n``, ``|n - 2| ≤ 5`` and ``n ∣ 12``, where they can be read."""
    if term.head == "dvd" and term.args[0].head == "var" and term.args[0].name == name:
        divided = abs(_find_whole(term.args[1], name, world) or 0)
        yield (-divided, divided) if divided else (None, None)
    if term.head not in ("lt", "le", "gt", "ge"):
        return
    left, right = term.args if term.head in ("lt", "le") else term.args[::-1]
    if left.head == "var" and left.name == name and (value := _find_whole(right, name, world)) is not None:
        yield None, value
    if right.head == "var" and right.name == name and (value := _find_whole(left, name, world)) is not None:
        yield value, None
    if left.head == "abs" and (most := _find_whole(right, name, world)) is not None:
        (inner,) = left.args
        middle: int | None = 0 if inner.head == "var" else None
        if inner.head in ("sub", "add") and inner.args[0].head == "var":
            shift = _find_whole(inner.args[1], name, world)
            middle = None if shift is None else shift if inner.head == "sub" else -shift
        named = inner if inner.head == "var" else inner.args[0] if inner.args else inner
        if middle is not None and named.name == name:
            yield middle - abs(most), middle + abs(most)


def _find_whole(term: Term, name: str, world: World) -> int | None:
    """A whole number no nearer to zero than the term's value, which does not depend on the member."""
    if any(each.head == "var" and each.name == name for each in term.walk()):
        return None
    try:
        value = evaluate(term, world, None)
    except (UnknownValueError, UndefinedValueError):
        return None
    return int(value) + (1 if value > 0 else -1) * (value != int(value)) if isinstance(value, int | Fraction) else None


def _count(term: Term, world: World, sort: Sort | None) -> Value:
    del sort
    return len(list_members(term.args[0], world))


def _root_of_whole(term: Term, world: World, sort: Sort | None) -> Value:
    del sort
    value = evaluate(term.args[0], world, "N")
    if not isinstance(value, int) or value < 0:
        raise UnknownValueError("not whole")
    return isqrt(value)


_COMPUTE: dict[str, Callable[[Term, World, Sort | None], Value]] = {
    "num": _number,
    "var": _variable,
    "add": _combine(lambda a, b: a + b),
    "mul": _combine(lambda a, b: a * b),
    "sub": _subtract,
    "div": _divide,
    "mod": _modulo,
    "neg": _negate,
    "inv": _invert,
    "pow": _raise,
    "sqrt": _call_sympy("sqrt"),
    "log": _call_sympy("log"),
    "exp": _call_sympy("exp"),
    "sin": _call_sympy("sin"),
    "cos": _call_sympy("cos"),
    "tan": _call_sympy("tan"),
    "logb": _logarithm,
    "pi": _pi,
    "imaginary": _imaginary,
    "abs": _absolute,
    "norm": _norm,
    **dict.fromkeys(("re", "im", "conj"), _take_part),
    "floor": _round(False),
    "ceil": _round(True),
    "factorial": _whole(factorial),
    "choose": _whole(comb),
    "gcd": _whole(gcd),
    "lcm": _whole(lcm),
    "coe": _coerce,
    "ascribe": _ascribe,
    "app": _apply,
    "sum": _fold(False),
    "prod": _fold(True),
    "card": _count,
    "isqrt": _root_of_whole,
}


def _pair(left: Value, right: Value) -> tuple[Value, Value]:
    """Both of one kind: plain numbers stay, and go to sympy where the other is there."""
    plain = isinstance(left, int | Fraction), isinstance(right, int | Fraction)
    if all(plain) or not any(plain):
        return left, right
    return (_lift(left), right) if plain[0] else (left, _lift(right))


def _lift(value: Value) -> Value:
    import sympy

    if isinstance(value, Fraction):
        return sympy.Rational(value.numerator, value.denominator)
    return sympy.Integer(value) if isinstance(value, int) else value


def _plain(value: Value) -> Value:
    """A whole number or fraction where it is one."""
    if isinstance(value, int):
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else value
    if value.is_Rational:
        return _plain(Fraction(int(value.p), int(value.q)))
    return value


def differ(one: Value, other: Value) -> bool:
    """Whether two values are two numbers."""
    if isinstance(one, int | Fraction) and isinstance(other, int | Fraction):
        return one != other
    return abs(complex(one) - complex(other)) > 1e-9


def _is_zero(value: Value) -> bool:
    if isinstance(value, int | Fraction):
        return value == 0
    return abs(_approximate(value)) < _CLOSE


@cache
def _approximate(value: Value) -> Any:
    """A number of sympy's to 40 digits.

    Raises:
        UnknownValueError: it is no number.
    """
    found = value.evalf(_DIGITS)
    if not found.is_number or found.has_free() if hasattr(found, "has_free") else not found.is_number:
        raise UnknownValueError("no number")
    return found


def holds(term: Term, world: World) -> bool | None:
    """Whether a statement holds; None where that cannot be told.

    Raises:
        UndefinedValueError: one of its terms has no value.
    """
    decide = _DECIDE.get(term.head)
    world.budget.spend(1)
    if decide is None:
        return None
    try:
        return decide(term, world)
    except UnknownValueError:
        return None


def _compare(test: Callable[[int], bool]) -> Callable[[Term, World], bool | None]:
    def decide(term: Term, world: World) -> bool | None:
        sort = (find_sort(term, world) or "N") if world.lean else None
        left, right = _pair(*(evaluate(each, world, sort) for each in term.args))
        if isinstance(left, int | Fraction):
            return test((left > right) - (left < right))
        world.budget.spend(_SYMBOLIC)
        difference = _approximate(left - right)
        if not difference.is_finite:
            # sympy's not-a-number, and its infinities.
            raise UndefinedValueError("no number")
        if not difference.is_real:
            # A modulus of sympy's is looked for as a formula; its parts are numbers.
            if all(abs(each) <= _CLOSE for each in difference.as_real_imag()):
                return test(0)
            if test(1) == test(-1):
                return test(1)
            # Complex numbers have no order; mathlib's compares those alone that differ by a real number.
            return False if world.lean else None
        sign = 0 if abs(difference) < _CLOSE else 1 if difference > 0 else -1
        return test(sign)

    return decide


def _divides(term: Term, world: World) -> bool | None:
    sort = _largest([find_sort(each, world) for each in term.args]) if world.lean else None
    left, right = (evaluate(each, world, sort) for each in term.args)
    if _is_field(sort):
        return not _is_zero(left) or _is_zero(right)
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    return right == 0 if left == 0 else right % left == 0


def _is_field(sort: Sort | None) -> bool:
    """Whether Lean's divisibility there is a field's: all but zero divides all."""
    return sort in ("Q", "R", "C")


def _congruent(term: Term, world: World) -> bool | None:
    sort: Sort | None = {"ZMOD": "Z", "MOD": "N"}.get(term.name)  # type: ignore[assignment]
    left, right, modulus = (evaluate(each, world, sort) for each in term.args)
    if not all(isinstance(each, int) for each in (left, right, modulus)):
        return None
    return left == right if modulus == 0 else (left - right) % modulus == 0


def _both(term: Term, world: World) -> bool | None:
    found = [holds(each, world) for each in term.args]
    return False if False in found else None if None in found else True


def _either(term: Term, world: World) -> bool | None:
    found = [holds(each, world) for each in term.args]
    return True if True in found else None if None in found else False


def _opposite(term: Term, world: World) -> bool | None:
    found = holds(term.args[0], world)
    return None if found is None else not found


def _implies(term: Term, world: World) -> bool | None:
    first = holds(term.args[0], world)
    if first is False:
        return True
    second = holds(term.args[1], world)
    return True if second else None if first is None or second is None else False


def _equivalent(term: Term, world: World) -> bool | None:
    first, second = (holds(each, world) for each in term.args)
    return None if first is None or second is None else first == second


def _quantify(universal: bool) -> Callable[[Term, World], bool | None]:
    """A counterexample or a witness among small numbers decides; that there is none does not."""

    def decide(term: Term, world: World) -> bool | None:
        sort = _read_domain(term.args[0]) or world.sorts.get(term.name)
        if sort is None:
            return None
        if world.depth >= len(_WITNESSES):
            return None
        inner = replace(world, depth=world.depth + 1)
        for value in _WITNESSES[world.depth]:
            if sort == "N" and value < 0:
                continue
            try:
                if holds(term.args[1], inner.bind(term.name, value, sort)) is (not universal):
                    return not universal
            except UndefinedValueError:
                continue
        return None

    return decide


def _read_domain(term: Term) -> Sort | None:
    return _SORT_NAMES.get(term.name) if term.head == "var" else None


def _is_extreme(least: bool) -> Callable[[Term, World], bool | None]:
    """``IsLeast {x : ℕ | P x} v``: what is wrong shows at v itself, or at a number beyond it."""

    def decide(term: Term, world: World) -> bool | None:
        found, extreme = term.args
        members = world.values.get(found.name) if found.head == "var" else None
        if isinstance(members, Members):
            name, sort, condition = members.name, members.sort, members.condition
        elif found.head == "setof" and (domain := _read_domain(found.args[0])) in ("N", "Z"):
            name, sort, condition = found.name, domain, found.args[1]
        else:
            return None
        value = evaluate(extreme, world, sort)
        if not isinstance(value, int) or abs(value) > 5000:
            return None
        member = holds(condition, world.bind(name, value, sort))
        if member is not True:
            return member
        beyond = range(0 if sort == "N" else value - 200, value) if least else range(value + 1, value + 200)
        complete = least and sort == "N"
        for each in beyond:
            inside = holds(condition, world.bind(name, each, sort))
            if inside:
                return False
            complete = complete and inside is False
        return True if complete else None

    return decide


def _belongs(term: Term, world: World) -> bool | None:
    place, found = term.args
    value = evaluate(place, world, find_sort(place, world))
    members = world.values.get(found.name) if found.head == "var" else None
    if isinstance(members, Members):
        return holds(members.condition, world.bind(members.name, value, members.sort))
    return value in list_members(found, world)


def _is_prime(term: Term, world: World) -> bool | None:
    value = evaluate(term.args[0], world, None)
    if world.lean and term.name != "nat" and _is_field(find_sort(term.args[0], world)):
        return False
    if not isinstance(value, int) or abs(value) > 10**12:
        return None
    import sympy

    return bool(sympy.isprime(abs(value) if term.name != "nat" else value))


def _has_parity(remainder: int) -> Callable[[Term, World], bool | None]:
    def decide(term: Term, world: World) -> bool | None:
        value = evaluate(term.args[0], world, None)
        if world.lean and _is_field(find_sort(term.args[0], world)):
            return True
        return value % 2 == remainder if isinstance(value, int) else None

    return decide


def _are_coprime(term: Term, world: World) -> bool | None:
    left, right = (evaluate(each, world, None) for each in term.args)
    sort = _largest([find_sort(each, world) for each in term.args]) or "N"
    if term.name == "bezout" and _is_field(sort):
        return not (_is_zero(left) and _is_zero(right))
    if not (isinstance(left, int) and isinstance(right, int)):
        return None
    if term.name == "bezout" and sort == "N":
        # u * a + v * b = 1 with natural u and v.
        return 1 in (left, right)
    return gcd(left, right) == 1


_DECIDE: dict[str, Callable[[Term, World], bool | None]] = {
    "var": lambda term, world: {"True": True, "False": False}.get(term.name) if world.lean else None,
    "eq": _compare(lambda sign: sign == 0),
    "ne": _compare(lambda sign: sign != 0),
    "lt": _compare(lambda sign: sign < 0),
    "le": _compare(lambda sign: sign <= 0),
    "gt": _compare(lambda sign: sign > 0),
    "ge": _compare(lambda sign: sign >= 0),
    "dvd": _divides,
    "ndvd": lambda term, world: None if (found := _divides(term, world)) is None else not found,
    "cong": _congruent,
    "in": _belongs,
    "notin": lambda term, world: None if (found := _belongs(term, world)) is None else not found,
    "and": _both,
    "or": _either,
    "not": _opposite,
    "imp": _implies,
    "iff": _equivalent,
    "forall": _quantify(True),
    "exists": _quantify(False),
    "is_least": _is_extreme(True),
    "is_greatest": _is_extreme(False),
    "prime": _is_prime,
    "even": _has_parity(0),
    "odd": _has_parity(1),
    "coprime": _are_coprime,
}
