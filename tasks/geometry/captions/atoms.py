r"""How the things that a caption names are spelt: regular expressions of labels, values, segments, polygons, circles.

Each expression is bounded and matches one way only or atomically, so that no text takes more than a time in proportion
to its length.
"""

from __future__ import annotations

import re

UNNAMED_CIRCLE = "c1"


class ClaimError(ValueError):
    """A text whose claims cannot be read. ``unread`` is the piece that no pattern fits."""

    def __init__(self, unread: str, why: str = "no known claim reads like this") -> None:
        super().__init__(f"cannot read {unread!r}: {why}")
        self.unread = unread


LABEL = r"[A-Z](?:_?\d+|')*"
NOT_LABEL = r"(?![A-Za-z0-9'])"
NUMBER = r"\d+(?:\.\d+)?"
_IN_BRACES = r"\{(?:[^{}]|\{[^{}]*\})*\}"
"""Two levels, as in ``\\frac{5\\sqrt{3}}{2}``; no figure needs more."""
ATOM = (
    rf"(?:\\sqrt ?{_IN_BRACES}|\\frac{_IN_BRACES}{_IN_BRACES}|\\pi|{NUMBER}|[a-z](?![a-z])|\((?:[^()]|\([^()]*\))*\))"
)
POWER = rf"\^(?:{_IN_BRACES}|{ATOM})"
VALUE = rf"(?>-?{ATOM}(?: ?[-+*/] ?{ATOM}|{ATOM}|{POWER})*)"
"""Atomic: digits can be split into factors in many ways, all of which a failing match would try."""
_COORDINATE = rf"[-−]? ?{NUMBER}(?:/{NUMBER})?"
PLACE = rf"\( ?{_COORDINATE} ?, ?{_COORDINATE} ?\)"
EQUATION = rf"{VALUE} ?= ?{VALUE}"
QUADRANT = "first|second|third|fourth"
_LONG_UNITS = "units?|cm|mm|km|inches|in|feet|ft|yd|meters?|metres?"
UNIT = rf"(?:(?: (?:{_LONG_UNITS}|m)|(?:{_LONG_UNITS}))\b(?! ?[=<:]))?"
"""``8 m`` is metres, ``8m`` eight times m."""
DEGREES = r"(?: ?(?:\^\{?\\circ\}?|degrees?\b))?"
NOUNS = {5: "pentagon", 6: "hexagon", 7: "heptagon", 8: "octagon", 9: "nonagon", 10: "decagon"}
"""Words for polygons by their corners."""
QUADRILATERALS = ("square", "rectangle", "rhombus", "parallelogram", "trapezoid", "kite", "quadrilateral")
ADJECTIVES = ("equilateral", "isosceles", "right", "scalene", "acute", "obtuse", "regular")
_NOUN = rf"(?:triangle|{'|'.join((*QUADRILATERALS, *NOUNS.values()))}|polygon)"
_ADJECTIVE = rf"(?:{'|'.join(ADJECTIVES)})(?:-angled)?"
_KIND = rf"(?:{_ADJECTIVE},? )*(?:\\triangle ?|{_NOUN} )"
_ARTICLE = "(?:(?:an?|the|one|its|each|both|two) )?"
_NAMED_POLYGON = rf"{_ARTICLE}{_KIND}(?:{LABEL}){{3,}}{NOT_LABEL}"
_NAMED_CIRCLE = (
    rf"{_ARTICLE}(?:\\odot ?|(?:semi)?circle (?:(?:with (?:its )?cent(?:re|er)|(?:centred|centered) at) (?:point )?)?)"
)
PLAIN_LINES = "(?:equal |parallel |congruent )?(?:line segments?|segments?|sides?|lines?|edges?|rays?|length|width)"
EQUALS = r"(?P<sort>equal|parallel|congruent|perpendicular)"
"""Words before several segments that say how they relate."""
ROLES = (
    "radius|radii|diameters?|chords?|tangents?(?: lines?| segments?)?|altitudes?|medians?|hypotenuse|legs?|bases?|"
    "(?:angle )?bisectors?|transversals?|diagonals?|midsegments?"
)
"""Words before a segment that say what it is."""
OF_WHOLE = rf"(?: of (?:{_NAMED_POLYGON}|{_NAMED_CIRCLE}{LABEL}{NOT_LABEL}))?"
_LINE_WORDS = rf"{_ARTICLE}(?:(?:{PLAIN_LINES}|{ROLES}) )?"
PAIR = rf"(?:{LABEL}){{2}}{NOT_LABEL}"
AND = "(?:,? and |, )"
_ENDS = r"(?! (?:is|has|meets|bisects|intersects|lies|passes|=|\\p)\b| =| \\p)"
"""What begins anew after a comma is no further item of a list: ``the midpoints of AB and AC, DE is ...``."""
SORTS = {
    "point": rf"(?:(?:(?:an?|the|some) )?(?:(?:external|exterior) )?(?:points? |vertex ))?(?P<NAME>{LABEL}){NOT_LABEL}"
    rf"(?: ?{PLACE})?",
    "segment": rf"{_LINE_WORDS}(?P<NAME>(?:{LABEL}){{2}}){NOT_LABEL}{OF_WHOLE}",
    "lines": rf"{_LINE_WORDS}(?P<NAME>{PAIR}(?:{AND}{_LINE_WORDS}{PAIR}{_ENDS})+){OF_WHOLE}",
    "angle": rf"(?:m ?)?(?:\\angle ?|(?:the )?angle )(?P<NAME>(?:{LABEL}){{3}}|{LABEL}){NOT_LABEL}{OF_WHOLE}",
    "angles": rf"(?P<NAME>(?:(?:m ?)?(?:\\angle ?|angle )(?:{LABEL}){{1,3}}{NOT_LABEL}"
    rf"(?:{AND}(?:m ?)?(?:\\angle ?|angle )(?:{LABEL}){{1,3}}{NOT_LABEL})+"
    rf"|(?:the )?angles (?:{LABEL}){{1,3}}{NOT_LABEL}(?:{AND}(?:{LABEL}){{1,3}}{NOT_LABEL}{_ENDS})+)){OF_WHOLE}",
    "arc": rf"(?:m ?)?{_ARTICLE}(?:minor )?arc (?P<NAME>(?:{LABEL}){{2}}){NOT_LABEL}",
    "triangle": rf"{_ARTICLE}(?:{_ADJECTIVE},? )*(?:\\triangle ?|triangle )(?P<NAME>(?:{LABEL}){{3}})"
    rf"{NOT_LABEL}",
    "name": rf"(?P<NAME>(?:{LABEL}){{COUNT}}){NOT_LABEL}",
    "polygon": rf"{_ARTICLE}(?:{_KIND})?(?P<NAME>(?:{LABEL}){{3,}}){NOT_LABEL}",
    "shape": rf"{_ARTICLE}{_KIND}(?P<NAME>(?:{LABEL}){{3,}}){NOT_LABEL}",
    "kind": rf"(?P<NAME>(?:{_ADJECTIVE},? )*(?:{_NOUN}|{_ADJECTIVE}))\b",
    "noun": rf"(?P<NAME>{'|'.join(NOUNS.values())}|polygon)",
    "list": rf"(?:(?:the )?(?:points?|vertices) )?(?P<NAME>{LABEL}{NOT_LABEL}(?: ?{PLACE})?"
    rf"(?:{AND}{LABEL}{NOT_LABEL}(?: ?{PLACE})?{_ENDS})+)",
    "circle": rf"(?:{_NAMED_CIRCLE}(?P<NAME>{LABEL}|c\d){NOT_LABEL}(?: ?{PLACE})?"
    r"|(?:the|this|a) (?:semi)?circle\b(?! [A-Zc\\]| with| cent))",
    "v": rf"(?P<NAME>{VALUE}){UNIT}",
    "w": rf"(?P<NAME>{VALUE}){UNIT}",
    "h": rf"(?P<NAME>{VALUE}){UNIT}",
    "d": rf"(?P<NAME>{VALUE}){DEGREES}",
    "p": rf"(?P<NAME>{PLACE})",
    "e": rf"(?P<NAME>{EQUATION})",
    "q": rf"(?P<NAME>{QUADRANT})",
    "values": rf"(?P<NAME>{VALUE}{DEGREES}{UNIT}(?:{AND}{VALUE}{DEGREES}{UNIT})+)",
}


def match_sort(sort: str, name: str = "", count: str = "3,") -> str:
    """The regular expression of a thing named in a text, its letters captured as ``name`` where that is given."""
    pattern = SORTS[sort].replace("COUNT", count)
    return pattern.replace("?P<NAME>", f"?P<{name}>" if name else "?:")


POLYGON = re.compile(rf"(?P<kind>{_KIND})(?P<run>(?:{LABEL}){{3,}}){NOT_LABEL}")
"""A polygon with the words for its sort."""
CIRCLE = re.compile(
    rf"(?:\\odot ?|circle |(?:cent(?:re|er)(?: is| at)?|(?:centred|centered) at) (?:point )?)"
    rf"(?P<first>{LABEL}){NOT_LABEL}"
    rf"|(?P<last>{LABEL}) (?:is|as),? (?:the|its) cent(?:re|er)\b"
)
"""A circle by its centre."""
LINES = re.compile(rf"\b(?P<role>{ROLES}) (?P<pairs>{PAIR}(?:{AND}{PAIR})*)(?P<whole>{OF_WHOLE})")
"""Segments with the word that says what they are."""
RELATED = re.compile(
    rf"\b(?:two )?{EQUALS} (?:line segments?|segments?|sides?|lines?|rays?|{ROLES}) "
    rf"(?P<pairs>{PAIR}(?:{AND}{PAIR})+)"
)
"""Segments with the word that says how they relate: ``parallel lines AB and CD``."""
CIRCLES = re.compile(
    rf"\bcircles (?:(?:with cent(?:re|er)s|(?:centred|centered) at) )?(?P<names>{LABEL}{NOT_LABEL}"
    rf"(?:{AND}{LABEL}{NOT_LABEL})+)"
)
"""Several circles by their centres."""
EXTERNAL = re.compile(rf"\b(?:external|exterior) point (?P<name>{LABEL}){NOT_LABEL}")
PLACED = re.compile(rf"(?<![A-Za-z\\])(?P<name>{LABEL}) ?(?P<place>{PLACE})")
"""A point with its coordinates behind it."""
PAIRS = re.compile(rf"(?<![A-Za-z\\]){PAIR}")
"""Every segment that a sentence names."""
ROWS = re.compile(rf"(?<![A-Za-z\\]){PAIR}(?:{AND}{PAIR})+")
"""Several segments in a row."""
TRIPLES = re.compile(rf"(?:\\angle ?|\bangles? ){{1}}(?P<name>(?:{LABEL}){{3}}){NOT_LABEL}")
"""Every angle that a sentence names by three letters."""
OF_POLYGON = re.compile(rf"(?:{LABEL}){{2}} of {_ARTICLE}(?P<kind>{_KIND})(?P<run>(?:{LABEL}){{3,}}){NOT_LABEL}")
