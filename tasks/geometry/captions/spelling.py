r"""Bringing the spellings of geometry to one: Unicode signs, LaTeX wrappers, capitals at the start of a sentence."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.tasks.geometry.captions.templates import CaptionStyle, write_plain_value

_SIGNS: dict[str, str] = read_toml(Path(__file__).with_name("signs.toml"))
_NOUNS = (
    "circle|semicircle|triangle|square|rectangle|rhombus|parallelogram|trapezoid|kite|quadrilateral|pentagon|hexagon|"
    "heptagon|octagon|nonagon|decagon|polygon|point|line|segment|chord|tangent|diameter|radius|diagonal|transversal|"
    "sector|secant|transversal|perpendicular|common|median|altitude|radius|smaller|larger|"
    "regular|right|right-angled|isosceles|equilateral|scalene|acute|obtuse|\\\\(?:triangle|odot)"
)
"""Words before which a capital A is no label."""
_SEVERAL = "chords|lines|segments|tangents|diagonals|radii|diameters|sides|medians|altitudes"
"""Words after which the names of several lines may stand between commas."""
_COMMANDS = ("angle", "triangle", "parallel", "perp", "odot", "cong", "sim")


@cache
def read_phrases() -> tuple[tuple[str, str, str], ...]:
    """Phrases: what each has for sure, its pattern, and what it is written as."""
    rows = read_toml(Path(__file__).with_name("phrases.toml"))["phrases"]
    return tuple((find_sure(pattern), pattern, spelling) for pattern, spelling in rows)


_compile = cache(re.compile)
"""When a text first has what a pattern has for sure: there are over a hundred of them."""
_ATOM = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\{[^{}]*\}|.", re.DOTALL)


def find_sure(pattern: str) -> str:
    r"""The longest run of letters and spaces that each text has in which ``pattern`` is found.

    >>> find_sure(r"\bthe (?:two|base) angles? of (?=[A-Z]{3})")
    ' angle'
    """
    runs, depth, literal = [""], 0, False
    for atom in _ATOM.findall(pattern):
        if atom == "|" and not depth:
            return ""
        depth -= atom == ")"
        if atom[0] in "?*{" and literal:
            runs[-1] = runs[-1][:-1]
        literal = not depth and (atom.isalpha() or atom == " ")
        if literal:
            runs[-1] += atom
        else:
            runs.append("")
        depth += atom == "("
    return max(runs, key=len)


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
    plain = re.sub(r"\b[Rr]t\.? ?(?=\\triangle|triangle)", "right ", plain)
    plain = re.sub(
        r"\b([Oo])n the circumference(?: (of)\b)?", lambda m: f"{m[1]}n" + ("" if m[2] else " the circle"), plain
    )
    plain = re.sub(rf"\bintersecting (?=(?:{_SEVERAL}) [A-Z]{{2}} and [A-Z]{{2}},? (?:that|which) )", "", plain)
    plain = re.sub(rf"\b({_SEVERAL}), (?=[A-Z]{{2}}\b)", r"\1 ", plain)
    plain = re.sub(
        r"\b(?:[Bb]ig|[Ss]mall|[Ll]arge|[Ll]arger|[Ss]maller) (?=triangle|square|circle|rectangle)", "", plain
    )
    plain = re.sub(r"trapezium", "trapezoid", plain, flags=re.IGNORECASE)
    plain = re.sub(r"\b[A-Z][a-z]+(?:-[a-z]+)?\b", lambda m: m.group(0).lower(), plain)
    plain = re.sub(rf"(?:(?<=^)|(?<=[.;,:] ))A(?= (?:{_NOUNS})\b)", "a", plain)
    for sure, pattern, spelling in read_phrases():
        if sure in plain:
            plain = _compile(pattern).sub(spelling, plain)
    return re.sub(r"\s+", " ", plain).strip()


_WORDS = {
    "angle": ("∠", "angle "),
    "triangle": ("△", "triangle "),
    "odot": ("⊙", "circle "),
    "parallel": ("∥", " is parallel to "),
    "perp": ("⊥", " is perpendicular to "),
    "cong": ("≅", " is congruent to "),
    "sim": ("∽", " is similar to "),
}
"""LaTeX's names of signs, the signs, and what they are in words."""
_IN_DEGREES = re.compile(r"(?<==)([^=,°]*[-+/][^=,°]*)°")


def spell_question(text: str, style: CaptionStyle) -> str:
    r"""A problem's question with the symbols of captions: LaTeX, or words that anybody types.

    >>> spell_question("TR=2*x-14, ∠TRS=4*y-10°. Find the measure of ∠STR.", "latex")
    'TR=2x-14, \\angle TRS=(4y-10)^\\circ. Find the measure of \\angle STR.'
    >>> spell_question(r"AB \parallel CD and \angle ABC = 60^\circ.", "plain")
    'AB is parallel to CD and angle ABC = 60 degrees.'
    >>> spell_question("The circumference of ⊙E is 16*pi, and ∠ABC=2∠CDA.", "latex")
    'The circumference of \\odot E is 16\\pi, and \\angle ABC=2\\angle CDA.'
    """
    text = text.replace("⌒", "arc ").replace("▱ ", "parallelogram ").replace("▱", "parallelogram ")
    text = _IN_DEGREES.sub(r"(\1)°", text)
    text = re.sub(r"(?<=[\d)])\*(?=[a-z(])", "", text).replace("**", "^")
    text = re.sub(r"(?<![a-zA-Z\\])pi(?![a-zA-Z])", "π" if style == "plain" else r"\\pi", text)
    for name, (sign, words) in _WORDS.items():
        before = " " if words[0] == " " else ""
        new = words if style == "plain" else f"{before}\\{name} "
        text = re.sub(rf"{before and ' ?'}(?:{sign}|\\{name}\b) ?", new.replace("\\", r"\\"), text)
    if style == "latex":
        return re.sub(r"sqrt\(([^()]*)\)", r"\\sqrt{\1}", text).replace("°", r"^\circ")
    text = re.sub(r"\^\{?\\circ\}?|°", " degrees", text)
    return write_plain_value(re.sub(r"sqrt\((\d+)\)", r"√\1", text).replace("sqrt(", "√("))
