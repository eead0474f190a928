"""What the texts of a figure write: sizes of angles, lengths with or without a unit, statements such as ``AB = 6``."""

from __future__ import annotations

import re

from counterfoil.tasks.geometry.facts.expressions import ExpressionError, write_latex

UNIT = re.compile(
    r"(?:(?<=[\d}])\s*(?:cm|mm|km|dm)"
    r"|(?:\s|~|\\[,;: ]|\\(?:text|mathrm|rm)\{?)+(?:cm|mm|km|dm|m|in|ft|inches|units?))\s*\}?$"
)
STATEMENT = re.compile(
    r"^\s*(?:(?P<angle>(?:m\s*)?(?:∠|\\angle)\s*(?P<corner>[A-Z]['′\d]*|(?:[A-Z]['′\d]*){3}))"
    r"|\|?(?:\\overline\s*)?\{?(?P<pair>(?:[A-Z]['′\d]*){2})\}?\|?|(?P<letter>[a-hr-tR]))\s*=\s*(?P<rest>.+)$"
)
GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "θ": "theta", "φ": "phi", "ϕ": "phi", "ω": "omega"}

_NAME = re.compile(r"^(?:[Pp]oint\s+)?([A-Z](?:\d|'|_\d)?'*)(?:\s*[:=]?\s*\([^()]*\))?$")
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def read_name(text: str) -> str | None:
    """The point that a text names: ``$A'$``, ``P_1`` or ``A (0, 3)``; None for any other text."""
    plain = (
        re.sub(r"\\(?:mathrm|mathbf|mathit|boldsymbol|text(?:bf|it|rm)?|rm|bf|it)\b|[${}]", "", text)
        .strip()
        .replace("\\prime", "'")
    )
    plain = plain.replace("′", "'").replace("’", "'").replace("^'", "'").translate(_SUBSCRIPTS)
    match = _NAME.match(plain)
    return match[1].replace("_", "") if match else None


def read_size(text: str) -> str | None:
    """The size of an angle that a text writes: degrees, or a Greek letter."""
    letter = re.sub(r"[$\\\s{}]", "", text)
    letter = GREEK.get(letter, letter)
    return f"\\{letter}" if letter in GREEK.values() else read_degrees(text)


def split_names(text: str) -> list[str]:
    return re.findall(r"[A-Z]['\d]*", text.replace("′", "'"))


def read_degrees(text: str) -> str | None:
    r"""The value of an angle's text: ``60°``, ``$(4y-10)^\circ$``; None where it has no degree sign."""
    plain = text.replace("$", "").replace("{", "").replace("}", "").replace(" ", "")
    if not re.search(r"(°|\^?\\circ|deg)$", plain):
        return None
    return read_value(re.sub(r"(°|\^\s*\{?\s*\\circ\s*\}?|\\circ)\s*", "", text.replace("$", "")))


def read_value(text: str) -> str:
    """The value that a text writes, as captions write it; the text itself where it is no expression."""
    plain = UNIT.sub("", text.replace("$", "").strip())
    plain = plain.replace("−", "-").replace("·", "*").replace("√", "\\sqrt").strip()
    if plain.startswith("(") and plain.endswith(")") and ")" not in plain[1:-1]:
        plain = plain[1:-1]
    try:
        return write_latex(plain)
    except ExpressionError:
        return plain
