r"""The values that a problem states: numbers (``8``, ``13/2``, ``5\sqrt{3}``) and expressions (``2x-14``).

One small grammar reads both the LaTeX that captions and pictures use and the plain form of formal statements
(``2*x-14``, ``5*sqrt(3)``); `write_latex` writes the first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)|(?P<name>\\?(?:sqrt|frac|pi|sin|cos|tan|cdot|times)|[a-zA-Z])"
    r"|(?P<mark>\*\*|[-+*/^(){}]))"
)

MOST_TOKENS = 64
"""Numbers, names and signs of one expression: what is longer is none, and would be nested too deeply to read."""

_EXPONENT = re.compile(r"\d[eE][-+]?\d")
"""``1e308``: not one e between two numbers."""


class ExpressionError(ValueError):
    """The text is no number and no expression of this grammar."""


@dataclass(frozen=True, slots=True)
class Node:
    """A number, a name, or an operation on nodes."""

    kind: str
    value: float = 0.0
    name: str = ""
    parts: tuple[Node, ...] = ()
    text: str = ""

    def write(self) -> str:
        """The node as `write_latex` writes it."""
        return _write(self, 0)


@lru_cache(maxsize=4096)
def read_number(text: str | None) -> float | None:
    r"""The number that ``text`` states, or None where it holds an unknown or is no expression.

    >>> read_number("13/2"), read_number("2\\sqrt{9}"), read_number("x+21")
    (6.5, 6.0, None)
    """
    if text is None:
        return None
    try:
        return evaluate(text, {})
    except ExpressionError:
        return None


@lru_cache(maxsize=4096)
def is_symbolic(text: str | None) -> bool:
    """Whether ``text`` is an expression with at least one unknown."""
    if text is None:
        return False
    try:
        return bool(find_unknowns(text))
    except ExpressionError:
        return False


def find_unknowns(text: str) -> frozenset[str]:
    """The letters that ``text`` leaves open.

    Raises:
        ExpressionError: ``text`` is not an expression.
    """
    names: set[str] = set()
    _collect(parse_expression(text), names)
    return frozenset(names)


def evaluate(text: str, unknowns: Mapping[str, float]) -> float:
    """The value of ``text`` with ``unknowns`` put in.

    Raises:
        ExpressionError: not an expression, an unknown without a value, or a root of a negative number.
    """
    try:
        value = _evaluate(parse_expression(text), unknowns)
    except ExpressionError:
        raise
    except (ArithmeticError, ValueError):
        value = math.nan
    if not math.isfinite(value):
        raise ExpressionError(f"{text!r} has no finite value")
    return value


@lru_cache(maxsize=4096)
def write_latex(text: str) -> str:
    r"""The expression as captions and pictures write it, without dollar signs.

    >>> write_latex("2*x-14"), write_latex("5*sqrt(3)"), write_latex("13/2")
    ('2x-14', '5\\sqrt{3}', '13/2')
    """
    return _write(parse_expression(text), 0)


@lru_cache(maxsize=4096)
def parse_expression(text: str) -> Node:
    """The tree of an expression.

    Raises:
        ExpressionError: ``text`` is not an expression.
    """
    tokens: list[str] = []
    position = 0
    stripped = text.strip()
    if _EXPONENT.search(stripped):
        raise ExpressionError(f"{text!r} is not an expression: write the number out, without an exponent after e")
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None:
            raise ExpressionError(f"{text!r} is not an expression: unexpected {stripped[position]!r}")
        tokens.append(match.group().strip())
        position = match.end()
        if len(tokens) > MOST_TOKENS:
            raise ExpressionError(f"{text[:40]!r}... is too long to be an expression")
    if not tokens:
        raise ExpressionError("an empty text is not an expression")
    reader = _Reader(text, tokens)
    node = reader.read_sum()
    if reader.position != len(tokens):
        raise ExpressionError(f"{text!r} is not an expression: unexpected {tokens[reader.position]!r}")
    return node


class _Reader:
    """Recursive descent over the tokens; juxtaposition multiplies."""

    def __init__(self, text: str, tokens: list[str]) -> None:
        self.text = text
        self.tokens = tokens
        self.position = 0

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self, expected: str | None = None) -> str:
        token = self.peek()
        if not token or (expected is not None and token != expected):
            raise ExpressionError(f"{self.text!r} is not an expression: {expected or 'more'} expected")
        self.position += 1
        return token

    def read_sum(self) -> Node:
        sign = self.take() if self.peek() in ("+", "-") else "+"
        node = self.read_product()
        if sign == "-":
            node = Node("negative", parts=(node,))
        while self.peek() in ("+", "-"):
            operator = self.take()
            node = Node("add" if operator == "+" else "subtract", parts=(node, self.read_product()))
        return node

    def read_product(self) -> Node:
        node = self.read_power()
        while True:
            token = self.peek()
            if token in ("*", "\\cdot", "\\times"):
                self.take()
                node = Node("multiply", parts=(node, self.read_power()))
            elif token == "/":
                self.take()
                node = Node("divide", parts=(node, self.read_power()))
            elif token and token not in (")", "}", "+", "-", "^", "**"):
                node = Node("multiply", parts=(node, self.read_power()))
            else:
                return node

    def read_power(self) -> Node:
        base = self.read_atom()
        if self.peek() not in ("^", "**"):
            return base
        self.take()
        return Node("power", parts=(base, self.read_atom()))

    def read_atom(self) -> Node:
        token = self.take()
        if token in ("(", "{"):
            inner = self.read_sum()
            self.take(")" if token == "(" else "}")
            return inner
        name = token.removeprefix("\\")
        if name in ("sqrt", "sin", "cos", "tan"):
            return Node(name, parts=(self.read_atom(),))
        if name == "frac":
            return Node("divide", parts=(self.read_atom(), self.read_atom()))
        if name == "pi":
            return Node("number", math.pi, text="\\pi")
        if token[0].isdigit() or token[0] == ".":
            return Node("number", float(token), text=token)
        if token.isalpha():
            return Node("name", name=token)
        raise ExpressionError(f"{self.text!r} is not an expression: unexpected {token!r}")


def _collect(node: Node, names: set[str]) -> None:
    if node.kind == "name":
        names.add(node.name)
    for part in node.parts:
        _collect(part, names)


def _evaluate(node: Node, unknowns: Mapping[str, float]) -> float:
    if node.kind == "number":
        return node.value
    if node.kind == "name":
        if node.name not in unknowns:
            raise ExpressionError(f"the unknown {node.name} has no value")
        return unknowns[node.name]
    values = [_evaluate(part, unknowns) for part in node.parts]
    match node.kind:
        case "negative":
            return -values[0]
        case "add":
            return values[0] + values[1]
        case "subtract":
            return values[0] - values[1]
        case "multiply":
            return values[0] * values[1]
        case "divide":
            if values[1] == 0:
                raise ExpressionError("division by zero")
            return values[0] / values[1]
        case "power":
            power = values[0] ** values[1] if values[0] > 0 or values[1] == int(values[1]) else math.nan
            return float(power)
        case "sqrt":
            if values[0] < 0:
                raise ExpressionError("the root of a negative number")
            return math.sqrt(values[0])
    return float(getattr(math, node.kind)(math.radians(values[0])))


_PRECEDENCE = {"add": 1, "subtract": 1, "negative": 1, "multiply": 2, "divide": 2, "power": 3}


def _write(node: Node, outer: int) -> str:
    own = _PRECEDENCE.get(node.kind, 4)
    text = _write_bare(node, own)
    return f"({text})" if own < outer else text


def _write_bare(node: Node, own: int) -> str:
    parts = node.parts
    match node.kind:
        case "number":
            return node.text
        case "name":
            return node.name
        case "negative":
            return "-" + _write(parts[0], 2)
        case "add":
            return f"{_write(parts[0], own)}+{_write(parts[1], own)}"
        case "subtract":
            return f"{_write(parts[0], own)}-{_write(parts[1], own + 1)}"
        case "multiply":
            left, right = _write(parts[0], own), _write(parts[1], own + 1)
            joint = " \\cdot " if right[0].isdigit() or (left.endswith("\\pi") and right[0].isalpha()) else ""
            return left + joint + right
        case "divide":
            return f"{_write(parts[0], own)}/{_write(parts[1], own + 1)}"
        case "power":
            return f"{_write(parts[0], 4)}^{{{_write(parts[1], 0)}}}"
        case "sqrt":
            return f"\\sqrt{{{_write(parts[0], 0)}}}"
    return f"\\{node.kind}({_write(parts[0], 0)})"
