r"""Whether an expression is written as anybody would: no ``a/1``, ``1x``, ``x+0``, ``x^{1}``, ``2/4``, ``\sqrt{8}``.

Such forms are true and read well, and yet no problem prints them: they would tell what was edited from what was not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from counterfoil.tasks.geometry.facts.expressions import ExpressionError, Node, parse_expression

_SLIPS = re.compile(r"(?<![\d.])0\d|\d\.\d*0(?!\d)|[-+]\s*[-+]|[-+*/^(]\s*$")
"""Leading and trailing zeros, two signs in a row, an end that is open."""


def find_needless(text: str) -> str | None:
    r"""What of an expression nobody would write, or None.

    >>> [find_needless(text) for text in ("a/1", "1x", "x+0", "x^{1}", "2/4", "6x/2", r"7\sqrt{8}", "2x--3")]
    ['a/1', '1x', 'x+0', 'x^{1}', '2/4', '6x/2', '\\sqrt{8}', '--']
    >>> [find_needless(text) for text in ("a/2", "x", "2x-14", "x^{2}", "3/4", r"5\sqrt{3}", "0.5", "10.5", "180-2x")]
    [None, None, None, None, None, None, None, None, None]
    """
    slip = _SLIPS.search(text)
    if slip:
        return slip.group()
    try:
        whole = parse_expression(text)
    except ExpressionError:
        return text
    return next((node.write() for node in _walk(whole) if _is_needless(node)), None)


def _walk(node: Node) -> Iterator[Node]:
    yield node
    for part in node.parts:
        yield from _walk(part)


def _is_needless(node: Node) -> bool:
    numbers = [part.value if part.kind == "number" else None for part in node.parts]
    match node.kind:
        case "add" | "subtract":
            return 0 in numbers or (node.kind == "subtract" and node.parts[0] == node.parts[1])
        case "multiply":
            return 0 in numbers or 1 in numbers
        case "divide":
            top, bottom = _find_factor(node.parts[0]), numbers[1]
            return bottom in (0, 1) or numbers[0] == 0 or _share_factor(top, bottom)
        case "power":
            return numbers[1] in (0, 1) or numbers[0] in (0, 1)
        case "sqrt":
            return numbers[0] is not None and _holds_square(numbers[0])
        case "negative":
            return node.parts[0].kind == "negative" or numbers[0] == 0
    return False


def _find_factor(node: Node) -> float | None:
    """The number before a product: the 6 of ``6x``."""
    while node.kind == "multiply":
        node = node.parts[0]
    return node.value if node.kind == "number" else None


def _share_factor(top: float | None, bottom: float | None) -> bool:
    if top is None or bottom is None or top != int(top) or bottom != int(bottom):
        return False
    return math.gcd(int(top), int(bottom)) > 1


def _holds_square(number: float) -> bool:
    if number != int(number):
        return False
    return number <= 1 or any(number % factor**2 == 0 for factor in range(2, math.isqrt(int(number)) + 1))
