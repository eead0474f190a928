r"""Whether an answer is right: its last \boxed{}, as a formula, as a word, or as an option's letter or value.

Formulas are compared by math-verify (fractions, radicals, intervals, units), so ``\frac{1}{2}`` is ``0.5``.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from counterfoil.tasks.packages import explained

_LIMIT_S = 5
"""Seconds after which a formula is given up."""
_LETTER = re.compile(r"^\(?([A-Z])\)?(?:[.:)]|$)")
_SAID = re.compile(r"(?:answer|option)\s*(?:is|:)?\s*(.+?)(?:[.\n]|$)", re.IGNORECASE)
_UNITS = re.compile(
    r"(?:\^?\{?\\circ\}?|°|\\?%|\\(?:text|mathrm)\{[^{}]*\}|"
    r"(?:(?<![A-Za-z\\])(?:degrees?|(?:square |sq\.? )?(?:units?|cm|mm|km|inches|feet))|\b(?:square |sq\.? )?m)"
    r"(?:\^?\{?[23]\}?|[²³])?)\s*$"
)
_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf|operatorname)\{([^{}]*)\}")
_SIGNS = re.compile(r"\\(?:angle|triangle|odot)\b|[∠△⊙$]")
_TRIANGLE = "\\triangle"
_SAME_SIGN = {"∠": "\\angle", "△": _TRIANGLE}
_FIGURE = re.compile(r"(\\angle|\\triangle|[∠△])?\s*([A-Z]{2,3})")
_FUNCTION = re.compile("sqrt|(?:a|arc)?(?:sin|cos|tan)|cot|sec|csc|log|exp")
_ROOT = re.compile(r"(?<![\\A-Za-z])sqrt\(")
_PLAIN = re.compile(r"(?<![\\A-Za-z])(a(?=sin|cos|tan))?(sin|cos|tan|log|ln|exp|pi)(?![A-Za-z])")
"""Functions and pi as calculators and programs write them."""


def extract_answer(text: str) -> str:
    r"""What the last ``\boxed{}`` holds; else what stands after the last "answer is", else the last line.

    >>> extract_answer("So it is \\boxed{\\frac{1}{2}}."), extract_answer("The answer is 4. "), extract_answer("B")
    ('\\frac{1}{2}', '4', 'B')
    """
    start = text.rfind("\\boxed{")
    if start >= 0:
        return _read_brackets(text, start + len("\\boxed{")).strip()
    said = _SAID.findall(text)
    if said:
        return str(said[-1]).strip()
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def list_boxed(text: str) -> list[str]:
    r"""What every ``\\boxed{}`` holds.

    >>> list_boxed("$x = \\boxed{\\frac{1}{2}}$ or \\boxed{3}")
    ['\\frac{1}{2}', '3']
    """
    mark = "\\boxed{"
    starts = [found.end() for found in re.finditer(re.escape(mark), text)]
    return [_read_brackets(text, start).strip() for start in starts]


def _read_brackets(text: str, start: int, pair: str = "{}") -> str:
    """What stands from ``start`` to the bracket that closes the one before it."""
    depth = 1
    for at in range(start, len(text)):
        depth += {pair[0]: 1, pair[1]: -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    return text[start:]


def is_same_text(given: str, gold: str) -> bool:
    """Whether two answers are the same string, but for case, spaces and a full stop.

    >>> is_same_text(" Yes.", "yes")
    True
    """
    return _clean(given) == _clean(gold)


def is_equal(given: str, gold: str) -> bool:
    r"""Whether two answers are the same text, or the same formula by math-verify.

    >>> is_equal("\\frac{1}{2}", "0.5"), is_equal("30^\\circ", "30"), is_equal("2\\sqrt{3}", "\\sqrt{12}")
    (True, True, True)
    >>> is_equal("5", "6"), is_equal("", "6")
    (False, False)

    Formulas may be written as programs write them; words and names of figures are no products of letters.

    >>> is_equal("5*pi/4", "\\frac{5\\pi}{4}"), is_equal("asin(2/7)", "\\arcsin(\\frac{2}{7})")
    (True, True)
    >>> is_equal("sqrt(sqrt(5)+5)/2", "\\frac{\\sqrt{\\sqrt{5}+5}}{2}")
    True
    >>> is_equal("dear", "read"), is_equal("\\angle ABC", "\\angle BCA")
    (False, False)
    >>> is_equal("5cm^2", "5"), is_equal("7 square units", "7"), is_equal("\\text{yes}", "Yes")
    (True, True, True)
    >>> is_equal("\\angle CBA", "\\angle ABC"), is_equal("BA", "AB"), is_equal("\\triangle BCA", "\\triangle ABC")
    (True, True, True)

    Raises:
        MissingPackageError: math-verify is not installed.
    """
    if is_same_text(given, gold):
        return True
    if not all(_clean(each) and not _is_named(each) for each in (given, gold)):
        return is_same_figure(given, gold)
    with explained("the comparison of answers"):
        from math_verify import parse, verify
    # Its limit of time is a signal, which only the main thread can set; a flow is asked in another.
    limit = _LIMIT_S if threading.current_thread() is threading.main_thread() else None
    texts = (f"${_write_latex(_UNITS.sub('', each.strip()))}$" for each in (gold, given))
    one, other = (parse(text, parsing_timeout=limit) for text in texts)
    return bool(one and other and verify(one, other, timeout_seconds=limit))


class Slow(logging.Filter):
    """How many comparisons math-verify gave up for time; its lines about limits of time do not reach the log."""

    count = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a line is about something else."""
        said = str(record.msg)
        self.count += said.startswith("Timeout during")
        return not said.startswith("Timeout")


@contextmanager
def count_slow() -> Iterator[Slow]:
    """Count what is given up for time meanwhile."""
    slow = Slow()
    loggers = [logging.getLogger(f"math_verify.{name}") for name in ("parser", "grader")]
    for each in loggers:
        each.addFilter(slow)
    try:
        yield slow
    finally:
        for each in loggers:
            each.removeFilter(slow)


def is_same_figure(given: str, gold: str) -> bool:
    """Whether two names are of one segment, angle or triangle: the letters of the first two may stand the other way
    round, those of a triangle in any order.

    >>> is_same_figure("∠CBA", "∠ABC"), is_same_figure("∠BCA", "∠ABC"), is_same_figure("∠BAC", "△ABC")
    (True, False, False)
    """
    found = [_FIGURE.fullmatch(each.strip(" $.")) for each in (given, gold)]
    if found[0] is None or found[1] is None:
        return False
    (sign, letters), (other_sign, others) = ((_SAME_SIGN.get(each[1], each[1]), each[2]) for each in found if each)
    if len(letters) != len(others) or (sign and other_sign and sign != other_sign):
        return False
    if (sign or other_sign) == _TRIANGLE:
        return sorted(letters) == sorted(others)
    return letters == others or ((len(letters) == 2 or bool(sign or other_sign)) and letters == others[::-1])


def _is_named(text: str) -> bool:
    """Whether it is words, or the name of a line or an angle: a formula would take it for a product of letters.

    >>> [_is_named(each) for each in ("dear", "no solution", "AB", "\\\\angle ABC", "xy", "\\\\sqrt{ab}", "2x")]
    [True, True, True, True, False, False, False]
    """
    words = re.findall(r"[^\W\d_]+", re.sub(r"\\[a-zA-Z]+", " ", _SIGNS.sub(" ", _TEXT.sub(r"\1", text))))
    if re.search(r"\d|=", text) or not words:
        return False
    return (
        any(len(word) > 2 and not _FUNCTION.fullmatch(word) for word in words)
        or re.fullmatch("[A-Z]{2}", words[0]) is not None
    )


def _write_latex(formula: str) -> str:
    """A formula in a program's notation with LaTeX's names of functions; one in LaTeX stays as it is."""
    told = re.sub(r"\\operatorname\{(\w+)\}", r"\1", formula)
    while root := _ROOT.search(told):
        inside = _read_brackets(told, root.end(), "()")
        told = f"{told[: root.start()]}\\sqrt{{{inside}}}{told[root.end() + len(inside) + 1 :]}"
    named = _PLAIN.sub(lambda found: f"\\{'arc' if found[1] else ''}{found[2]} ", told)
    return named.replace("**", "^")


def choose_option(given: str, options: Sequence[str]) -> int | None:
    """The option that an answer names by its letter, else by its value; None where it names none, or several.

    >>> choose_option("B", ["3", "4"]), choose_option("(A) 3", ["3", "4"]), choose_option("4.0", ["3", "4"])
    (1, 0, 1)
    >>> choose_option("maybe", ["3", "4"]) is None
    True
    """
    letter = _LETTER.match(_TEXT.sub(r"\1", given).strip())
    if letter and ord(letter[1]) - ord("A") < len(options):
        return ord(letter[1]) - ord("A")
    named = [i for i, option in enumerate(options) if is_equal(given, option)]
    return named[0] if len(named) == 1 else None


def is_right(
    text: str, answer: str, options: Sequence[str] = (), also: Sequence[str] = (), decimals: int | None = None
) -> bool:
    """Whether a model's text gives the right answer.

    With options the answer is the right one's letter or value. ``also`` are other wordings of it. Numbers are rounded
    to ``decimals`` first, where these are given (MathVista).

    >>> is_right("It is 1.249", "1.2", decimals=1), is_right("Yes, it is.", "Yes", also=("Yes, it is",))
    (True, True)
    """
    given = extract_answer(text)
    if not options:
        rounded = _round(given, decimals)
        return any(is_equal(rounded, each) for each in (answer, *also))
    right = choose_option(answer, options)
    return right is not None and choose_option(given, options) == right


def _round(given: str, decimals: int | None) -> str:
    found = re.search(r"-?\d+(?:\.\d+)?", given.replace(",", "")) if decimals is not None else None
    return str(round(float(found[0]), decimals)) if found else given


def _clean(text: str) -> str:
    return " ".join(_SIGNS.sub("", _TEXT.sub(r"\1", text)).split()).strip(" .").casefold()
