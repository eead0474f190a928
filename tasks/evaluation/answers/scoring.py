r"""Whether an answer is right: its last \boxed{}, as a formula, as a word, or as an option's letter or value.

Formulas are compared by math-verify (fractions, radicals, intervals, units), so ``\frac{1}{2}`` is ``0.5``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.evaluation.errors import EvaluationError

_LETTER = re.compile(r"^\(?([A-Z])\)?(?:[.:)]|$)")
_SAID = re.compile(r"(?:answer|option)\s*(?:is|:)?\s*(.+?)(?:[.\n]|$)", re.IGNORECASE)
_UNITS = re.compile(
    r"(?:\^?\{?\\circ\}?|°|\\?%|\\(?:text|mathrm)\{[^{}]*\}|\b(?:degrees?|units?|cm|mm|km|m|inches|feet)\b)\s*$"
)


def extract_answer(text: str) -> str:
    r"""What the last ``\boxed{}`` holds; else what stands after the last "answer is", else the last line.

    >>> extract_answer("So it is \\boxed{\\frac{1}{2}}."), extract_answer("The answer is 4. "), extract_answer("B")
    ('\\frac{1}{2}', '4', 'B')
    """
    start = text.rfind("\\boxed{")
    if start >= 0:
        return _read_braces(text, start + len("\\boxed{")).strip()
    said = _SAID.findall(text)
    if said:
        return str(said[-1]).strip()
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def _read_braces(text: str, start: int) -> str:
    depth = 1
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
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

    Raises:
        EvaluationError: math-verify is not installed.
    """
    if is_same_text(given, gold):
        return True
    if not _clean(given) or not _clean(gold):
        return False
    try:
        from math_verify import parse, verify
    except ImportError as error:
        raise EvaluationError("answers are compared by math-verify: pip install 'counterfoil[sft]'") from error
    one, other = (parse(f"${_UNITS.sub('', each.strip())}$") for each in (gold, given))
    return bool(one and other and verify(one, other))


def choose_option(given: str, options: Sequence[str]) -> int | None:
    """The option that an answer names by its letter, else by its value; None where it names none, or several.

    >>> choose_option("B", ["3", "4"]), choose_option("(A) 3", ["3", "4"]), choose_option("4.0", ["3", "4"])
    (1, 0, 1)
    >>> choose_option("maybe", ["3", "4"]) is None
    True
    """
    letter = _LETTER.match(given.strip())
    if letter and ord(letter[1]) - ord("A") < len(options):
        return ord(letter[1]) - ord("A")
    named = [i for i, option in enumerate(options) if is_equal(given, option)]
    return named[0] if len(named) == 1 else None


def is_right(text: str, answer: str, options: Sequence[str] = ()) -> bool:
    """Whether a model's text gives the right answer; with options the answer is the right one's letter or value."""
    given = extract_answer(text)
    if not options:
        return is_equal(given, answer)
    right = choose_option(answer, options)
    return right is not None and choose_option(given, options) == right


def _clean(text: str) -> str:
    return " ".join(text.split()).strip(" .$").casefold()
