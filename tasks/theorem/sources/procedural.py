"""Statements of our own, without end and seeded, each with its Lean form: so that everything runs with no file.

A kind of statement draws its numbers so that it is true: a divisor is the greatest that divides a polynomial's values
at as many places as decide it, a bound is the least value of a square, an answer is where two lines meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from math import gcd

import numpy as np

from counterfoil.storage.rows import Reject
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.contract.domain import SourceRow, read_number
from counterfoil.tasks.theorem.latex.terms import read_statements
from counterfoil.tasks.theorem.lean.write import write_term
from counterfoil.tasks.theorem.settings import TheoremSettings


@dataclass(frozen=True)
class Claim:
    """A statement before it is worded: its variables and their kind, hypotheses and conclusion in both languages.

    ``kind``: how informal English names them (``integer``), ``sort``: Lean's type.
    """

    variables: tuple[str, ...]
    kind: str
    sort: str
    hypotheses: tuple[tuple[str, str], ...]
    """LaTeX or words, and Lean."""
    conclusion: tuple[str, str]


def read_own(count: str, settings: TheoremSettings, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
    """So many statements, by number; the i-th does not depend on how many there are."""
    del settings
    number = int(count) if limit is None else min(int(count), limit)
    for i in range(number):
        yield make_row(f"procedural-{seed}-{i:06d}", seed)


def make_row(source_id: str, seed: int) -> SourceRow:
    """The statement of our own of an id.

    Raises:
        ValueError: none has it.
    """
    number = read_number(source_id, f"procedural-{seed}-{{:06d}}")
    rng = generator(seed, "theorem.statement", number)
    claim = draw_claim(rng)
    payload = {
        "informal": write_informal(claim, rng),
        "formal": write_lean(claim, f"own_{number:06d}"),
        "type": "",
        "answer": "",
        "name": source_id,
    }
    return SourceRow("procedural", source_id, "", payload)


def draw_claim(rng: np.random.Generator) -> Claim:
    """A statement of a kind drawn at random."""
    return _KINDS[int(rng.integers(len(_KINDS)))](rng)


def _pick(rng: np.random.Generator, *options: str) -> str:
    return options[int(rng.integers(len(options)))]


def _between(rng: np.random.Generator, low: int, high: int) -> int:
    return int(rng.integers(low, high + 1))


def _write_sum(parts: list[tuple[int, str]]) -> str:
    """``3x^{2} - x + 5`` from coefficients and powers; Lean's form has a sign between them."""
    text = ""
    for coefficient, power in parts:
        if not coefficient:
            continue
        size = abs(coefficient)
        body = str(size) if not power else power if size == 1 else f"{size}{power}"
        text += (" - " if coefficient < 0 else " + ") + body if text else ("-" if coefficient < 0 else "") + body
    return text or "0"


def _lean(text: str) -> str:
    """Lean's form of LaTeX: the term that it is, written anew."""
    (term,) = read_statements(text, 0, len(text))
    return write_term(term)


def _same(text: str) -> tuple[str, str]:
    return f"${text}$", _lean(text)


def _draw_divisor(rng: np.random.Generator) -> Claim:
    """d divides a polynomial at all whole numbers."""
    n = _pick(rng, "n", "m", "k", "a")
    for _ in range(200):
        degree = _between(rng, 2, 4)
        coefficients = [_between(rng, -6, 6) for _ in range(degree)] + [_between(rng, 1, 3)]
        values = [sum(c * x**i for i, c in enumerate(coefficients)) for x in range(degree + 1)]
        divisor = reduce(gcd, values)
        if 1 < divisor <= 60 and any(coefficients[:-1]):
            break
    else:
        divisor, coefficients = 6, [0, -1, 0, 1]
    power = lambda i: "" if i == 0 else n if i == 1 else f"{n}^{{{i}}}"  # noqa: E731
    text = _write_sum([(c, power(i)) for i, c in reversed(list(enumerate(coefficients)))])
    lean = f"{divisor} ∣ {_lean(text)}"
    said = _pick(
        rng, f"${divisor}$ divides ${text}$", f"${text}$ is divisible by ${divisor}$", f"${divisor} \\mid {text}$"
    )
    return Claim((n,), "integer", "ℤ", (), (said, lean))


def _draw_parity(rng: np.random.Generator) -> Claim:
    """Odd or even, through a polynomial."""
    n = _pick(rng, "n", "m", "k", "x")
    odd = bool(rng.integers(2))
    a, b, c = _between(rng, 1, 9), _between(rng, 1, 9), _between(rng, 1, 19)
    power = _between(rng, 2, 4)
    text = _write_sum([(a, f"{n}^{{{power}}}"), (b, n), (c, "")])
    even = ((a + b if odd else 0) + c) % 2 == 0
    word, lean_word = ("even", "Even") if even else ("odd", "Odd")
    supposed = (f"${n}$ is {'odd' if odd else 'even'}", f"{'Odd' if odd else 'Even'} {n}")
    return Claim((n,), "integer", "ℤ", (supposed,), (f"${text}$ is {word}", f"{lean_word} ({_lean(text)})"))


def _draw_square(rng: np.random.Generator) -> Claim:
    """``a²x² + b²y² ≥ 2ab xy``, or a square's least value."""
    x, y = tuple(_pick(rng, "xy", "ab", "uv", "pq"))
    a, b = _between(rng, 1, 6), _between(rng, 1, 6)
    if rng.integers(2):
        large = _write_sum([(a * a, f"{x}^{{2}}"), (b * b, f"{y}^{{2}}")])
        small = f"{2 * a * b}{x}{y}"
        variables: tuple[str, ...] = (x, y)
    else:
        more = _between(rng, 0, 4)
        large = _write_sum([(1, f"{x}^{{2}}"), (a * a + more, "")])
        small = f"{2 * a}{x}"
        variables = (x,)
    text = f"{small} \\leq {large}" if rng.integers(2) else f"{large} \\geq {small}"
    return Claim(variables, "real number", "ℝ", (), _same(text))


def _draw_lines(rng: np.random.Generator) -> Claim:
    """Where two lines meet."""
    x, y = tuple(_pick(rng, "xy", "ab", "uv", "st"))
    while True:
        a, b, c, d = (_between(rng, -6, 7) for _ in range(4))
        if a > 0 and c > 0 and b and d and a * d != b * c and (a, b) != (c, d):
            break
    at, to = _between(rng, -6, 9), _between(rng, -6, 9)
    first = f"{_write_sum([(a, x), (b, y)])} = {a * at + b * to}"
    second = f"{_write_sum([(c, x), (d, y)])} = {c * at + d * to}"
    wanted = [(x, at), (y, to), (f"{x} + {y}", at + to), (f"{x} - {y}", at - to), (f"{x}{y}", at * to)]
    said, value = wanted[int(rng.integers(len(wanted)))]
    return Claim((x, y), "real number", "ℝ", (_same(first), _same(second)), _same(f"{said} = {value}"))


def _draw_remainder(rng: np.random.Generator) -> Claim:
    """``n ≡ a`` gives ``pn + q ≡ b``."""
    n = _pick(rng, "n", "m", "k", "x")
    modulus = _between(rng, 3, 13)
    a, p, q = _between(rng, 1, modulus - 1), _between(rng, 2, 9), _between(rng, 1, 12)
    power = _between(rng, 1, 3)
    text = _write_sum([(p, n if power == 1 else f"{n}^{{{power}}}"), (q, "")])
    b = (p * a**power + q) % modulus
    supposed = (f"${n} \\equiv {a} \\pmod{{{modulus}}}$", f"{n} ≡ {a} [ZMOD {modulus}]")
    return Claim(
        (n,),
        "integer",
        "ℤ",
        (supposed,),
        (f"${text} \\equiv {b} \\pmod{{{modulus}}}$", f"{_lean(text)} ≡ {b} [ZMOD {modulus}]"),
    )


def _draw_product(rng: np.random.Generator) -> Claim:
    """Bounds of two numbers give one of their sum with weights, or of their product."""
    x, y = tuple(_pick(rng, "xy", "ab", "uv", "pq"))
    a, b = _between(rng, 1, 9), _between(rng, 1, 9)
    strict = bool(rng.integers(2))
    sign = ">" if strict else "\\geq"
    if rng.integers(2):
        said, value = f"{x}{y}", a * b
    else:
        c, d = _between(rng, 1, 5), _between(rng, 1, 5)
        said, value = _write_sum([(c, x), (d, y)]), c * a + d * b
    hypotheses = (_same(f"{x} {sign} {a}"), _same(f"{y} {sign} {b}"))
    return Claim((x, y), "real number", "ℝ", hypotheses, _same(f"{said} {sign} {value}"))


def _draw_root(rng: np.random.Generator) -> Claim:
    """The larger or the smaller root of a quadratic."""
    x = _pick(rng, "x", "t", "y", "u")
    r = _between(rng, -8, 6)
    s = r + _between(rng, 2, 9)
    text = f"{_write_sum([(1, f'{x}^{{2}}'), (-(r + s), x), (r * s, '')])} = 0"
    between = r + _between(rng, 1, s - r - 1)
    larger = bool(rng.integers(2))
    supposed = _same(f"{x} {'>' if larger else '<'} {between}")
    return Claim((x,), "real number", "ℝ", (_same(text), supposed), _same(f"{x} = {s if larger else r}"))


def _draw_identity(rng: np.random.Generator) -> Claim:
    """Two brackets multiplied out."""
    x, y = tuple(_pick(rng, "xy", "ab", "uv", "mn"))
    a, b, c, d = _between(rng, 1, 5), _between(rng, -7, 7), _between(rng, 1, 5), _between(rng, -7, 7)
    b, d = b or 3, d or -2
    left = f"({_write_sum([(a, x), (b, y)])})({_write_sum([(c, x), (d, y)])})"
    right = _write_sum([(a * c, f"{x}^{{2}}"), (a * d + b * c, f"{x}{y}"), (b * d, f"{y}^{{2}}")])
    return Claim((x, y), "real number", "ℝ", (), _same(f"{left} = {right}"))


_KINDS: tuple[Callable[[np.random.Generator], Claim], ...] = (
    _draw_divisor,
    _draw_parity,
    _draw_square,
    _draw_lines,
    _draw_remainder,
    _draw_product,
    _draw_root,
    _draw_identity,
)


def write_informal(claim: Claim, rng: np.random.Generator) -> str:
    """The statement in words."""
    verb = _pick(rng, "Show", "Prove")
    names = [f"${name}$" for name in claim.variables]
    listed = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
    article = "an" if claim.kind[0] in "aeiou" else "a"
    what = f"{article} {claim.kind}" if len(names) == 1 else f"{claim.kind}s"
    said = claim.conclusion[0]
    conditions = " and ".join(text for text, _ in claim.hypotheses)
    form = _between(rng, 0, 3)
    are = "is" if len(names) == 1 else "are"
    given = f"Let {listed} be {what}" if rng.integers(2) else f"Suppose that {listed} {are} {what}"
    if conditions and form == 0:
        return f"{given} such that {conditions}. {verb} that {said}."
    if conditions and form == 1:
        return f"{given}. {verb} that if {conditions}, then {said}."
    if conditions and form == 2:
        return f"{given}. Suppose that {conditions}. {verb} that {said}."
    if conditions:
        return f"If {listed} {are} {what} and {conditions}, {verb.lower()} that {said}."
    quantifier = _pick(rng, "all", "any", "every") if len(names) == 1 else _pick(rng, "all", "any")
    plural = f"{quantifier} {claim.kind}{'s' if quantifier == 'all' or len(names) > 1 else ''}"
    if form < 2:
        return f"{given}. {verb} that {said}."
    if form == 2:
        return f"{verb} that for {plural} {listed}, {said}."
    return f"For {plural} {listed}, {verb.lower()} that {said}."


def write_lean(claim: Claim, name: str) -> str:
    """The statement in Lean."""
    binders = f"({' '.join(claim.variables)} : {claim.sort})"
    binders += "".join(f" (h{_SUBSCRIPTS[i]} : {lean})" for i, (_, lean) in enumerate(claim.hypotheses))
    return f"theorem {name} {binders} : {claim.conclusion[1]}"


_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"
