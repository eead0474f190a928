r"""Bringing the spellings of geometry to one: Unicode signs, LaTeX wrappers, capitals at the start of a sentence."""

from __future__ import annotations

import re

_SIGNS = {
    "∠": r"\angle ",
    "∡": r"\angle ",
    "△": r"\triangle ",
    "Δ": r"\triangle ",
    "∆": r"\triangle ",
    "∥": r" \parallel ",
    "‖": r" \parallel ",
    "//": r" \parallel ",
    "⊥": r" \perp ",
    "⟂": r" \perp ",
    "⊙": r"\odot ",
    "☉": r"\odot ",
    "≅": r" \cong ",
    "≌": r" \cong ",
    "∼": r" \sim ",
    "∽": r" \sim ",
    "°": r"^\circ",
    "º": r"^\circ",
    "▱": "parallelogram ",
    "π": r"\pi",
    "’": "'",
    "′": "'",
    "−": "-",
    "–": "-",
    "·": "*",
    "×": "*",
    r"\times": "*",
    r"\cdot": "*",
    r"\degree": r"^\circ",
    r"\measuredangle": r"\angle ",
    r"\bigtriangleup": r"\triangle ",
    r"\Delta": r"\triangle ",
    "~": r" \sim ",
}
_NOUNS = (
    "circle|semicircle|triangle|square|rectangle|rhombus|parallelogram|trapezoid|kite|quadrilateral|pentagon|hexagon|"
    "heptagon|octagon|nonagon|decagon|polygon|point|line|segment|chord|tangent|diameter|radius|diagonal|transversal|"
    "regular|right|right-angled|isosceles|equilateral|scalene|acute|obtuse|\\\\(?:triangle|odot)"
)
"""Words before which a capital A is no label."""
_COMMANDS = ("angle", "triangle", "parallel", "perp", "odot", "cong", "sim")


def normalise(text: str) -> str:
    r"""One spelling for each sign, single spaces, no dollar signs, lower-case words; labels keep their case.

    >>> normalise("In △ABC, $\\overline{AB}$ ∥ CD and ∠A = 60°.")
    'in \\triangle ABC, AB \\parallel CD and \\angle A = 60^\\circ.'
    """
    plain = text.replace("\u00a0", " ")
    for sign, spelling in _SIGNS.items():
        plain = plain.replace(sign, spelling)
    plain = re.sub(r"√\s*(\d+|\([^()]*\))", lambda m: r"\sqrt{" + m.group(1).strip("()") + "}", plain)
    plain = re.sub(r"\\(?:overarc|widehat|wideparen|overset\{\\frown\})\{([^{}]*)\}", r"arc \1", plain)
    plain = re.sub(r"\\[()\[\]]|\$|\\[,;! ]|\\quad|\\left|\\right(?![a-z])", " ", plain)
    plain = re.sub(
        r"\\(?:overline|overrightarrow|overleftrightarrow|mathrm|text|textbf|mathit)\{([^{}]*)\}", r"\1", plain
    )
    plain = (
        re.sub(r"\bsqrt\(([^()]*)\)", r"\\sqrt{\1}", plain).replace(r"\dfrac", r"\frac").replace(r"\tfrac", r"\frac")
    )
    plain = re.sub(r"\^\{\\circ\}|\^ \\circ|(?<!\^)\\circ(?![a-z])", r"^\\circ", plain)
    plain = re.sub(r"\b([A-Z])_\{(\d+)\}", r"\1_\2", plain)
    plain = re.sub(rf"\\({'|'.join(_COMMANDS)})(?=[A-Z(])", r"\\\1 ", plain)
    plain = re.sub(r"\s*=\s*", " = ", plain)
    plain = re.sub(r"\b(is|are) (also|both|all)\b", r"\1", plain)
    plain = re.sub(r"trapezium", "trapezoid", plain, flags=re.IGNORECASE)
    plain = re.sub(r"\b[A-Z][a-z]+(?:-[a-z]+)?\b", lambda m: m.group(0).lower(), plain)
    plain = re.sub(rf"(?:(?<=^)|(?<=[.;,:] ))A(?= (?:{_NOUNS})\b)", "a", plain)
    return re.sub(r"\s+", " ", plain).strip()
