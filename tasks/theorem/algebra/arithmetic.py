"""How the value of each kind of term is worked out.

Natural numbers have no negative differences, whole numbers divide with a remainder, x / 0 = 0: so it is in Lean. In
LaTeX division is exact, and what is undefined has no value.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb, factorial, gcd, isqrt, lcm

from counterfoil.tasks.theorem.algebra.members import list_members
from counterfoil.tasks.theorem.algebra.parts import evaluate, holds
from counterfoil.tasks.theorem.algebra.tree import Term
from counterfoil.tasks.theorem.algebra.values import is_zero, lift, make_plain, pair_up
from counterfoil.tasks.theorem.algebra.world import (
    Function,
    Members,
    Sort,
    UndefinedValueError,
    UnknownValueError,
    Value,
    World,
    find_range_sort,
    find_sort,
    is_field,
    read_sort,
)

_LARGEST_BITS = 20_000


def _number(term: Term, world: World, sort: Sort | None) -> Value:
    del world, sort
    return make_plain(Fraction(term.name)) if "." in term.name else int(term.name)


def _variable(term: Term, world: World, sort: Sort | None) -> Value:
    del sort
    value = world.values.get(term.name)
    if value is None or isinstance(value, Function | Members):
        raise UnknownValueError(term.name)
    return value


def _combine(operate: Callable[[Value, Value], Value]) -> Callable[[Term, World, Sort | None], Value]:
    def compute(term: Term, world: World, sort: Sort | None) -> Value:
        left, right = (evaluate(each, world, sort) for each in term.args)
        return make_plain(operate(*pair_up(left, right)))

    return compute


def _subtract(term: Term, world: World, sort: Sort | None) -> Value:
    left, right = pair_up(*(evaluate(each, world, sort) for each in term.args))
    value = make_plain(left - right)
    return max(value, 0) if sort == "N" and isinstance(value, int) else value


def _divide(term: Term, world: World, sort: Sort | None) -> Value:
    left, right = (evaluate(each, world, sort) for each in term.args)
    if is_zero(right):
        if world.lean:
            return 0
        raise UndefinedValueError("division by zero")
    if sort in ("N", "Z"):
        return _quotient(left, right)
    if isinstance(left, int | Fraction) and isinstance(right, int | Fraction):
        return make_plain(Fraction(left) / right)
    left, right = pair_up(left, right)
    return make_plain(left / right)


def _quotient(left: int, right: int) -> int:
    """Lean's: the remainder is never negative."""
    return left // right if right > 0 else -(left // -right)


def _modulo(term: Term, world: World, sort: Sort | None) -> Value:
    left, right = (evaluate(each, world, sort) for each in term.args)
    if not (isinstance(left, int) and isinstance(right, int)) or (world.lean and is_field(sort)):
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
            return make_plain(Fraction(1) / Fraction(base) ** _limit(base, -exponent))
        return make_plain(base ** _limit(base, exponent))
    symbolic, power = pair_up(base, exponent)
    import sympy

    symbolic, power = sympy.sympify(lift(symbolic)), sympy.sympify(lift(power))
    if not isinstance(exponent, int) and not symbolic.is_nonnegative:
        raise UndefinedValueError("a broken power of what is not positive")
    return make_plain(symbolic**power)


def _limit(base: Value, exponent: int) -> int:
    size = max(abs(Fraction(base).numerator), Fraction(base).denominator, 1).bit_length()
    if size * exponent > _LARGEST_BITS and size > 1:
        raise UnknownValueError("too large")
    return exponent


def _call_sympy(name: str) -> Callable[[Term, World, Sort | None], Value]:
    def compute(term: Term, world: World, sort: Sort | None) -> Value:
        del sort
        import sympy

        value = sympy.sympify(lift(evaluate(term.args[0], world, "R" if world.lean else None)))
        if name in ("sqrt", "log") and not value.is_real:
            raise UnknownValueError("not real")
        if name == "sqrt" and value.is_negative:
            if world.lean:
                return 0
            raise UndefinedValueError("the root of a negative number")
        if name == "log" and not value.is_positive:
            raise UndefinedValueError("the logarithm of what is not positive")
        return make_plain(getattr(sympy, name)(value))

    return compute


def _logarithm(term: Term, world: World, sort: Sort | None) -> Value:
    del sort
    import sympy

    base, value = (sympy.sympify(lift(evaluate(each, world, "R" if world.lean else None))) for each in term.args)
    if not (base.is_positive and value.is_positive) or base == 1:
        raise UndefinedValueError("a logarithm")
    return make_plain(sympy.log(value) / sympy.log(base))


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

    value = lift(evaluate(term.args[0], world, "C"))
    return make_plain({"re": sympy.re, "im": sympy.im, "conj": sympy.conjugate}[term.head](value))


def _absolute(term: Term, world: World, sort: Sort | None) -> Value:
    value = evaluate(term.args[0], world, sort)
    return make_plain(abs(value))


def _norm(term: Term, world: World, sort: Sort | None) -> Value:
    value = evaluate(term.args[0], world, find_sort(term.args[0], world) or sort)
    return make_plain(abs(value))


def _round(upwards: bool) -> Callable[[Term, World, Sort | None], Value]:
    def compute(term: Term, world: World, sort: Sort | None) -> Value:
        del sort
        value = evaluate(term.args[0], world, None)
        if isinstance(value, int | Fraction):
            return -(-value // 1) if upwards else value // 1
        import sympy

        return make_plain((sympy.ceiling if upwards else sympy.floor)(value))

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
    return evaluate(term.args[0], world, read_sort(term.name))


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
        index_sort = find_range_sort(term.args[0], world)
        for index in list_members(term.args[0], world):
            value = evaluate(term.args[1], world.bind(term.name, index, index_sort), sort)
            total, value = pair_up(total, value)
            total = make_plain(total * value if multiply else total + value)
        return total

    return compute


def _count(term: Term, world: World, sort: Sort | None) -> Value:
    del sort
    return len(list_members(term.args[0], world))


def _root_of_whole(term: Term, world: World, sort: Sort | None) -> Value:
    del sort
    value = evaluate(term.args[0], world, "N")
    if not isinstance(value, int) or value < 0:
        raise UnknownValueError("not whole")
    return isqrt(value)


COMPUTE: dict[str, Callable[[Term, World, Sort | None], Value]] = {
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
