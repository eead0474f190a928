r"""Reading a caption back: from its text alone to the facts it claims.

The parser knows nothing of how a caption was written or edited. It reads our own captions and the ordinary variants
that people and language models write (``∠ABC``, ``triangle ABC``, ``AB is parallel to CD``, ``AB = 8 cm``). Every word
of the text must be accounted for: what cannot be read raises `ClaimError`, since a claim that nobody read is a claim
that nobody checked.

Claims use the vocabulary of `storage.rows.Fact`: ``AB = 8`` is ``length(A, B) = 8``, ``\angle ABC = 60^\circ`` is
``angle(A, B, C) = 60``, ``D lies on AB`` is ``collinear(A, D, B)``. A circle whose centre has no name is ``c1``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from storage.rows import Fact
from tasks.geometry.claim_text import normalise

UNNAMED_CIRCLE = "c1"

_Groups = dict[str, str]
_Build = Callable[[_Groups], tuple[Fact, ...]]


class ClaimError(ValueError):
    """A text whose claims cannot be read. ``unread`` is the piece that no pattern fits."""

    def __init__(self, unread: str, why: str = "no known claim reads like this") -> None:
        super().__init__(f"cannot read {unread!r}: {why}")
        self.unread = unread


def parse_claims(text: str) -> tuple[Fact, ...]:
    r"""The claims of ``text`` in order of appearance, without repeats.

    >>> [(c.predicate, "".join(c.arguments), c.value) for c in parse_claims(r"\triangle ABC is isosceles. AB = 8 cm.")]
    [('isosceles', 'ABC', None), ('length', 'AB', '8')]

    Raises:
        ClaimError: part of the text cannot be read as a claim, or nothing is claimed at all.
    """
    return tuple(dict.fromkeys(claim for clause in read_clauses(text).clauses for claim in clause.claims))


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch ``text[start:end]`` of a caption and the claims that it makes."""

    start: int
    end: int
    text: str
    claims: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A caption with its clauses. ``text`` is the caption itself, or in one spelling where it uses variants."""

    text: str
    clauses: tuple[Clause, ...]


def read_clauses(text: str) -> Reading:
    """Find where in ``text`` each claim stands.

    Raises:
        ClaimError: as `parse_claims`.
    """
    plain = normalise(text)
    base = text if plain.casefold() == text.casefold() else plain
    found = [piece for start, sentence in _split_sentences(plain) for piece in _scan(sentence, start)]
    if not found:
        raise ClaimError(text.strip()[:80], "it claims nothing")
    resolved = _resolve_single_letter_angles([claims for _, _, claims in found])
    _check_diagonals(plain, [claim for claims in resolved for claim in claims])
    return Reading(
        base,
        tuple(
            Clause(start, end, base[start:end], claims) for (start, end, _), claims in zip(found, resolved, strict=True)
        ),
    )


def list_labels(text: str) -> frozenset[str]:
    """The point labels that a caption names."""
    return frozenset(label for claim in parse_claims(text) for label in claim.arguments if label != UNNAMED_CIRCLE)


# --- the small language that patterns are written in -------------------------------------------------------------

_L = r"[A-Z](?:_?\d+|')*"
_NOT_LABEL = r"(?![A-Za-z0-9'])"
_NUMBER = r"\d+(?:\.\d+)?"
_ATOM = rf"(?:\\sqrt\{{[^{{}}]*\}}|\\frac\{{[^{{}}]*\}}\{{[^{{}}]*\}}|\\pi|{_NUMBER}|[a-z](?![a-z])|\([^()]*\))"
_POWER = rf"\^(?:\{{[^{{}}]*\}}|{_ATOM})"
_VALUE = rf"-?{_ATOM}(?: ?[-+*/] ?{_ATOM}|{_ATOM}|{_POWER})*"
_UNIT = r"(?: ?(?:units?|cm|mm|km|inches|in|feet|ft|yd|meters?|metres?|m)\b(?! ?[=<]))?"
_DEGREES = r"(?: ?(?:\^\{?\\circ\}?|degrees?\b))?"
_SEGMENT_WORDS = r"(?:(?:the )?(?:(?:line )?segments?|sides?|lines?|edges?|rays?|diagonals?) )?"
_SHAPES = r"(?:isosceles trapezoid|right trapezoid|square|rectangle|rhombus|parallelogram|trapezoid|kite|quadrilateral)"
_KINDS = r"(?:equilateral|isosceles right|right isosceles|isosceles|right-angled|right|scalene|acute|obtuse)"
_POLYGONS = r"(?:pentagon|hexagon|heptagon|octagon|nonagon|decagon|polygon)"
_MACROS = {
    "P": rf"(?:(?:the )?points? )?(?P<NAME>{_L}){_NOT_LABEL}",
    "seg": rf"{_SEGMENT_WORDS}(?P<NAME>(?:{_L}){{2}}){_NOT_LABEL}",
    "ang": rf"(?:m ?)?(?:\\angle ?|(?:the )?angle )(?P<NAME>(?:{_L}){{3}}|{_L}){_NOT_LABEL}",
    "tri": rf"(?:\\triangle ?|(?:the )?triangle )(?P<NAME>(?:{_L}){{3}}){_NOT_LABEL}",
    "quad": rf"(?P<NAME>(?:{_L}){{4}}){_NOT_LABEL}",
    "run": rf"(?P<NAME>(?:{_L}){{3,}}){_NOT_LABEL}",
    "circ": rf"(?:(?:\\odot ?|(?:the )?circle (?:with cent(?:re|er) )?)(?P<NAME>{_L}|c\d){_NOT_LABEL}|the circle\b)",
    "list": rf"(?:(?:the )?points? )?(?P<NAME>{_L}{_NOT_LABEL}(?:(?:, and |, | and ){_L}{_NOT_LABEL})+)",
    "val": rf"(?P<NAME>{_VALUE})",
    "shape": rf"(?P<NAME>{_SHAPES})",
    "kind": rf"(?P<NAME>{_KINDS})",
    "poly": rf"(?P<NAME>{_POLYGONS})",
}


def _compile(template: str) -> re.Pattern[str]:
    """``<seg:a>`` becomes the macro ``seg`` captured as group ``a``; the rest is a regular expression."""

    def expand(match: re.Match[str]) -> str:
        macro, name = match.group(1), match.group(2)
        return _MACROS[macro].replace("NAME", name)

    return re.compile(re.sub(r"<([A-Za-z]+):(\w+)>", expand, template))


def split_labels(run: str) -> tuple[str, ...]:
    """``"AB'C_1"`` is ``("A", "B'", "C_1")``."""
    return tuple(re.findall(_L, run))


def _fact(predicate: str, *arguments: str, value: str | None = None) -> Fact:
    return Fact(predicate, arguments, value)


def _circle(groups: _Groups, name: str) -> str:
    return groups.get(name) or UNNAMED_CIRCLE


def _clean_value(text: str) -> str:
    value = re.sub(r"\s+", "", text)
    while value.startswith("(") and value.endswith(")") and "(" not in value[1:-1]:
        value = value[1:-1]
    return value


# --- equations and relations of segments, angles and triangles ---------------------------------------------------

_TERM = rf"(?:{_MACROS['ang']}|{_MACROS['tri']}|{_MACROS['seg']}|{_VALUE})".replace("(?P<NAME>", "(?:")
_RELATION = r"(?: ?(?:=|\\parallel|\\perp|\\cong|\\sim) ?)"
_CHAIN = re.compile(rf"({_TERM}{_DEGREES}{_UNIT}(?:{_RELATION}{_TERM}{_DEGREES}{_UNIT})+)")


def _read_term(text: str) -> tuple[str, tuple[str, ...] | str]:
    """One side of an equation as (sort, labels or value)."""
    for sort in ("ang", "tri", "seg"):
        match = _compile(f"<{sort}:x>").fullmatch(text)
        if match:
            return sort, split_labels(match["x"])
    return "val", _clean_value(re.sub(rf"{_DEGREES}{_UNIT}$", "", text))


def _read_chain(text: str) -> tuple[Fact, ...]:
    """``AB = CD = 8``, ``AB \\parallel CD``, ``\\triangle ABC \\sim \\triangle DEF``."""
    pieces = re.split(r" ?(=|\\parallel|\\perp|\\cong|\\sim) ?", text)
    operators = pieces[1::2]
    terms = [_read_term(piece) for piece in pieces[0::2]]
    if set(operators) == {"="} and terms[-1][0] == "val":
        value = str(terms[-1][1])
        return tuple(_state_measure(term, value, text) for term in terms[:-1])
    return tuple(
        _state_relation(left, operator, right, text)
        for (left, right), operator in zip(pairwise(terms), operators, strict=True)
    )


def _state_measure(term: tuple[str, tuple[str, ...] | str], value: str, text: str) -> Fact:
    sort, labels = term
    if sort == "seg":
        return Fact("length", tuple(labels), value)
    if sort == "ang":
        return Fact("angle", _fill_angle(tuple(labels)), value)
    raise ClaimError(text, "only a segment or an angle has a measure")


def _state_relation(
    left: tuple[str, tuple[str, ...] | str], operator: str, right: tuple[str, tuple[str, ...] | str], text: str
) -> Fact:
    sorts = (left[0], right[0])
    predicate = {
        ("seg", "seg", "="): "equal_length",
        ("seg", "seg", r"\cong"): "equal_length",
        ("ang", "ang", "="): "equal_angle",
        ("ang", "ang", r"\cong"): "equal_angle",
        ("seg", "seg", r"\parallel"): "parallel",
        ("seg", "seg", r"\perp"): "perpendicular",
        ("tri", "tri", r"\cong"): "congruent",
        ("tri", "tri", r"\sim"): "similar",
    }.get((*sorts, operator))
    if predicate is None:
        raise ClaimError(text, f"{operator} does not relate these")
    sides = [_fill_angle(tuple(labels)) if sort == "ang" else tuple(labels) for sort, labels in (left, right)]
    return Fact(predicate, sides[0] + sides[1])


def _fill_angle(labels: tuple[str, ...]) -> tuple[str, ...]:
    """``\\angle A`` keeps its vertex only; its sides are found once all claims are read."""
    return labels if len(labels) == 3 else ("?", labels[0], "?")


_PREDICATES_OF_WORDS = {
    "equal": "=",
    "congruent": r"\cong",
    "parallel": r"\parallel",
    "perpendicular": r"\perp",
    "similar": r"\sim",
}


def _relate(groups: _Groups) -> tuple[Fact, ...]:
    left, right = _read_term(groups["a"]), _read_term(groups["b"])
    operator = _PREDICATES_OF_WORDS[groups["word"]]
    claims: tuple[Fact, ...] = (
        _state_relation(left, operator, right, f"{groups['a']} {groups['word']} {groups['b']}"),
    )
    foot = groups.get("foot")
    if foot and foot not in left[1] and foot not in right[1]:
        claims += (Fact("intersection", (foot, *left[1], *right[1])),)
    return claims


# --- shapes ------------------------------------------------------------------------------------------------------

_TRIANGLE_KINDS = {
    "equilateral": ("equilateral",),
    "isosceles": ("isosceles",),
    "right": ("right_triangle",),
    "right-angled": ("right_triangle",),
    "scalene": ("scalene",),
    "acute": ("acute",),
    "obtuse": ("obtuse",),
    "isosceles right": ("isosceles", "right_triangle"),
    "right isosceles": ("isosceles", "right_triangle"),
}
_SIDES = {"pentagon": 5, "hexagon": 6, "heptagon": 7, "octagon": 8, "nonagon": 9, "decagon": 10}


def _state_kind(kind: str, labels: tuple[str, ...]) -> tuple[Fact, ...]:
    return tuple(Fact(predicate, labels) for predicate in _TRIANGLE_KINDS[kind])


def _state_polygon(groups: _Groups) -> tuple[Fact, ...]:
    labels = split_labels(groups["x"])
    word = groups.get("poly") or "polygon"
    if len(labels) != _SIDES.get(word, len(labels)):
        raise ClaimError(groups["x"], f"a {word} does not have {len(labels)} vertices")
    if not groups.get("regular"):
        return tuple(_fact("segment", labels[i], labels[(i + 1) % len(labels)]) for i in range(len(labels)))
    return (Fact("regular_polygon", labels),)


def _state_right_angle_at(groups: _Groups) -> tuple[Fact, ...]:
    """``\\triangle ABC is right-angled at C`` claims the angle itself as well."""
    labels = split_labels(groups["x"])
    vertex = groups["v"]
    if vertex not in labels:
        raise ClaimError(vertex, f"it is no vertex of {''.join(labels)}")
    return (Fact("right_triangle", labels), _right_angle(labels, vertex))


def _right_angle(labels: tuple[str, ...], vertex: str) -> Fact:
    ends = [label for label in labels if label != vertex]
    return Fact("perpendicular", (ends[0], vertex, vertex, ends[1]))


# --- lines of a triangle, points on things -----------------------------------------------------------------------


def _state_cevian(predicate: str) -> _Build:
    """``AD is an altitude of \\triangle ABC``: the vertex first, then the foot, then the triangle."""

    def build(groups: _Groups) -> tuple[Fact, ...]:
        ends, triangle = split_labels(groups["a"]), split_labels(groups["x"])
        apexes = [label for label in ends if label in triangle]
        if len(apexes) == 2 and predicate == "altitude":
            # A leg of a right triangle: the first letter is the apex.
            apexes = apexes[:1]
        if len(apexes) != 1:
            raise ClaimError(f"{groups['a']} of {groups['x']}", f"no {predicate} runs between these points")
        foot = ends[1] if ends[0] == apexes[0] else ends[0]
        return (Fact(predicate, (apexes[0], foot, *triangle)),)

    return build


def _state_bisector(groups: _Groups) -> tuple[Fact, ...]:
    ends, angle = split_labels(groups["a"]), _fill_angle(split_labels(groups["x"]))
    if angle[1] not in ends:
        raise ClaimError(f"{groups['a']} bisects {groups['x']}", "the bisector does not start at the vertex")
    other = ends[1] if ends[0] == angle[1] else ends[0]
    return (Fact("bisector", (other, *angle)),)


def _state_midsegment(groups: _Groups) -> tuple[Fact, ...]:
    return (Fact("midsegment", split_labels(groups["a"]) + split_labels(groups["x"])),)


def _state_centre(groups: _Groups) -> tuple[Fact, ...]:
    predicate = {"incent": "incentre", "circumcent": "circumcentre", "cent": "centroid"}[groups["word"]]
    return (Fact(predicate, (groups["p"], *split_labels(groups["x"]))),)


def _state_on_segment(groups: _Groups) -> tuple[Fact, ...]:
    start, end = split_labels(groups["a"])
    labels = split_labels(groups["p"])
    return tuple(Fact("collinear", (start, label, end)) for label in labels)


def _state_each(predicate: str) -> _Build:
    def build(groups: _Groups) -> tuple[Fact, ...]:
        return tuple(Fact(predicate, (label, _circle(groups, "o"))) for label in split_labels(groups["p"]))

    return build


def _state_inscribed(groups: _Groups) -> tuple[Fact, ...]:
    labels = split_labels(groups["x"])
    sides = (_fact("segment", labels[i], labels[(i + 1) % len(labels)]) for i in range(len(labels)))
    shape = {3: "triangle", 4: "quadrilateral"}.get(len(labels))
    return (
        *((Fact(shape, labels),) if shape else sides),
        *(Fact("on_circle", (label, _circle(groups, "o"))) for label in labels),
    )


def _state_line_of_circle(predicate: str) -> _Build:
    def build(groups: _Groups) -> tuple[Fact, ...]:
        claims: tuple[Fact, ...] = (Fact(predicate, (*split_labels(groups["a"]), _circle(groups, "o"))),)
        if groups.get("at"):
            claims += (Fact("on_circle", (groups["at"], _circle(groups, "o"))),)
        return claims

    return build


def _state_intersection(groups: _Groups) -> tuple[Fact, ...]:
    return (Fact("intersection", (groups["p"], *split_labels(groups["a"]), *split_labels(groups["b"]))),)


def _state_pairwise_midpoints(groups: _Groups) -> tuple[Fact, ...]:
    return (
        Fact("midpoint", (groups["p"], *split_labels(groups["a"]))),
        Fact("midpoint", (groups["q"], *split_labels(groups["b"]))),
    )


def _state_pairwise_on_segments(groups: _Groups) -> tuple[Fact, ...]:
    (a, b), (c, d) = split_labels(groups["a"]), split_labels(groups["b"])
    return (Fact("collinear", (a, groups["p"], b)), Fact("collinear", (c, groups["q"], d)))


_ART = r"(?:(?:a|an|the|one) )?"
_IS = r"(?:is|are|be|being|as|,)"
_DRAWN = r"(?: (?:is|are) (?:drawn|shown|given|present|depicted))?"
_AT = r"(?: at <P:at>)?"
_PAIR_WORDS = r"(?:(?:the )?(?:segments|sides|lines|diagonals|angles) )?"
_REL_TERM = _TERM

_PATTERNS: tuple[tuple[re.Pattern[str], _Build], ...] = tuple(
    (_compile(template), build)
    for template, build in (
        # measures in words
        (
            rf"(?:the )?length of <seg:a> (?:is|equals|=) <val:v>{_UNIT}",
            lambda g: (_fact("length", *split_labels(g["a"]), value=_clean_value(g["v"])),),
        ),
        (
            rf"<seg:a> (?:has (?:a )?length(?: of)?|measures|is(?: (?:labell?ed|marked))?|equals|is of length) "
            rf"<val:v>{_UNIT}(?: long)?",
            lambda g: (_fact("length", *split_labels(g["a"]), value=_clean_value(g["v"])),),
        ),
        (
            rf"(?:the )?measure of <ang:a> (?:is|equals|=) <val:v>{_DEGREES}",
            lambda g: (_fact("angle", *_fill_angle(split_labels(g["a"])), value=_clean_value(g["v"])),),
        ),
        (
            rf"<ang:a> (?:measures|is(?: (?:labell?ed|marked))?|equals) <val:v>{_DEGREES}",
            lambda g: (_fact("angle", *_fill_angle(split_labels(g["a"])), value=_clean_value(g["v"])),),
        ),
        (
            rf"<ang:a> {_IS} {_ART}right angle",
            lambda g: (_right_angle(split_labels(g["a"]), split_labels(g["a"])[1]),)
            if len(split_labels(g["a"])) == 3
            else (_fact("angle", *_fill_angle(split_labels(g["a"])), value="90"),),
        ),
        (
            rf"(?:the )?radius of <circ:o> (?:is|equals|=) <val:v>{_UNIT}",
            lambda g: (_fact("radius", _circle(g, "o"), value=_clean_value(g["v"])),),
        ),
        (
            rf"<circ:o> has (?:a )?radius(?: of)? <val:v>{_UNIT}",
            lambda g: (_fact("radius", _circle(g, "o"), value=_clean_value(g["v"])),),
        ),
        (
            rf"(?:(?:the )?measure of )?arc (?P<p>{_L})(?P<q>{_L}) (?:of|on) <circ:o> (?:measures|is|=) "
            rf"<val:v>{_DEGREES}",
            lambda g: (_fact("arc", g["p"], g["q"], _circle(g, "o"), value=_clean_value(g["v"])),),
        ),
        # relations in words
        (
            rf"(?P<a>{_REL_TERM}) (?:is|runs) (?P<word>equal|congruent|parallel|perpendicular|similar) (?:in length )?"
            rf"(?:to|with) (?P<b>{_REL_TERM})(?: at <P:foot>)?",
            _relate,
        ),
        (
            rf"(?P<a>{_REL_TERM}) equals (?P<b>{_REL_TERM})",
            lambda g: _relate({**g, "word": "equal"}),
        ),
        (
            rf"{_PAIR_WORDS}(?P<a>{_REL_TERM}) and (?P<b>{_REL_TERM}) are (?:both )?"
            r"(?P<word>equal|congruent|parallel|perpendicular|similar)(?: in length| to each other)?(?: at <P:foot>)?",
            _relate,
        ),
        (
            rf"{_PAIR_WORDS}(?P<a>{_REL_TERM}) and (?P<b>{_REL_TERM}) have (?:the same|equal) (?:length|measure)s?",
            lambda g: _relate({**g, "word": "equal"}),
        ),
        (
            rf"(?P<a>{_REL_TERM}) \\perp (?P<b>{_REL_TERM}) at <P:foot>",
            lambda g: _relate({**g, "word": "perpendicular"}),
        ),
        # triangles
        (rf"{_ART}<kind:k> <tri:x>{_DRAWN}", lambda g: _state_kind(g["k"], split_labels(g["x"]))),
        (
            rf"<tri:x> {_IS} {_ART}<kind:k>(?: triangle)?",
            lambda g: _state_kind(g["k"], split_labels(g["x"])),
        ),
        (
            rf"{_ART}(?:right|right-angled) <tri:x>,? (?:with (?:its |the |a )?right angle at|right-angled at) <P:v>",
            _state_right_angle_at,
        ),
        (
            r"<tri:x> (?:is right-angled|is right|is a right triangle|has (?:a|its|the) right angle)"
            r"(?: with (?:its |the |a )?right angle)? at <P:v>",
            _state_right_angle_at,
        ),
        (rf"(?:in )?<tri:x>{_DRAWN}", lambda g: (Fact("triangle", split_labels(g["x"])),)),
        (r"<list:p> (?:form|are (?:the )?vertices of) <tri:x>", lambda g: _state_vertices(g, "triangle")),
        (r"<tri:x> has (?:the )?vertices <list:p>", lambda g: _state_vertices(g, "triangle")),
        # quadrilaterals and polygons
        (rf"(?:in )?{_ART}<shape:k> <quad:x>{_DRAWN}", lambda g: _state_shape(g["k"], g["x"])),
        (rf"<quad:x> {_IS} {_ART}<shape:k>", lambda g: _state_shape(g["k"], g["x"])),
        (
            r"(?:quadrilateral )?<quad:a> (?:is )?(?P<word>congruent|similar) to (?:quadrilateral )?<quad:b>",
            lambda g: (Fact(g["word"], split_labels(g["a"]) + split_labels(g["b"])),),
        ),
        (rf"{_ART}(?P<regular>regular )?<poly:poly> <run:x>{_DRAWN}", _state_polygon),
        (rf"<run:x> {_IS} {_ART}(?P<regular>regular )?<poly:poly>", _state_polygon),
        # points and segments
        (rf"<P:p> {_IS} {_ART}mid-?point of <seg:a>", lambda g: (_fact("midpoint", g["p"], *split_labels(g["a"])),)),
        (r"<P:p>,? the mid-?point of <seg:a>", lambda g: (_fact("midpoint", g["p"], *split_labels(g["a"])),)),
        (r"(?:the )?mid-?point of <seg:a> is <P:p>", lambda g: (_fact("midpoint", g["p"], *split_labels(g["a"])),)),
        (
            r"<P:p> and <P:q> are (?:the )?mid-?points of <seg:a> and <seg:b>(?:,? respectively)?",
            _state_pairwise_midpoints,
        ),
        (r"<P:p> bisects <seg:a>", lambda g: (_fact("midpoint", g["p"], *split_labels(g["a"])),)),
        (
            r"<P:p> (?:is(?: a point)?|lies|lying|located|is located|is placed)? ?on <seg:a>",
            _state_on_segment,
        ),
        (r"<P:p> (?:is|lies) between <P:a1> and <P:b1>", lambda g: (_fact("collinear", g["a1"], g["p"], g["b1"]),)),
        (r"<list:p> (?:lie|are)(?: points)?(?: both| all)? on <seg:a>", _state_on_segment),
        (
            r"<P:p> and <P:q> (?:lie|are)(?: points)? on <seg:a> and <seg:b>,? respectively",
            _state_pairwise_on_segments,
        ),
        (
            r"<list:p> (?:are collinear|lie on (?:a|one|the same)(?: straight)? line)(?: in (?:this|that) order)?",
            lambda g: (Fact("collinear", split_labels(g["p"])),),
        ),
        (
            rf"{_PAIR_WORDS}<seg:a> and <seg:b> (?:intersect|meet|cross)(?: each other)? at <P:p>",
            _state_intersection,
        ),
        (r"<seg:a> (?:intersects|meets|crosses) <seg:b> at <P:p>", _state_intersection),
        (
            rf"<P:p> {_IS} {_ART}(?:intersection(?: point)?|point of intersection|crossing point) of "
            rf"{_PAIR_WORDS}<seg:a> and <seg:b>",
            _state_intersection,
        ),
        (r"<seg:a> (?:is|are) (?:drawn|a segment)", lambda g: (Fact("segment", split_labels(g["a"])),)),
        (r"<P:p> and <P:q> are (?:joined|connected)", lambda g: (_fact("segment", g["p"], g["q"]),)),
        (r"<P:p> is (?:joined|connected) to <P:q>", lambda g: (_fact("segment", g["p"], g["q"]),)),
        # lines of a triangle
        (
            rf"<seg:a> {_IS} {_ART}altitude of <tri:x>(?: from <P:f>)?(?: to <seg:s>)?",
            _state_cevian("altitude"),
        ),
        (rf"<seg:a> {_IS} {_ART}median of <tri:x>(?: from <P:f>)?(?: to <seg:s>)?", _state_cevian("median")),
        (
            rf"<seg:a> {_IS} {_ART}(?:midsegment|midline) of (?:\\triangle ?|triangle |quadrilateral )<run:x>",
            _state_midsegment,
        ),
        (
            rf"<P:p> {_IS} {_ART}(?P<word>incent(?=re|er)|circumcent(?=re|er)|cent(?=roid))(?:re|er|roid) of "
            r"(?:\\triangle ?|triangle |quadrilateral )<run:x>",
            _state_centre,
        ),
        (r"<seg:a> bisects <ang:x>", _state_bisector),
        (rf"<seg:a> {_IS} {_ART}(?:angle )?bisector of <ang:x>", _state_bisector),
        # circles
        (r"<list:p> (?:lie|are)(?: points)?(?: all)? on <circ:o>", _state_each("on_circle")),
        (r"<P:p> (?:is(?: a point)?|lies|lying)? ?on <circ:o>", _state_each("on_circle")),
        (r"<circ:o> passes through <list:p>", _state_each("on_circle")),
        (r"<circ:o> passes through <P:p>", _state_each("on_circle")),
        (r"(?:(?:\\triangle ?|triangle |quadrilateral ))?<run:x> is inscribed in <circ:o>", _state_inscribed),
        (rf"<P:p> {_IS} {_ART}cent(?:re|er) of <circ:o>", _state_each("centre")),
        (r"<circ:o> (?:is cent(?:re|er)ed at|has (?:its )?cent(?:re|er)) <P:p>", _state_each("centre")),
        (rf"<seg:a> {_IS} {_ART}diameter of <circ:o>", _state_line_of_circle("diameter")),
        (rf"<seg:a> {_IS} {_ART}chord of <circ:o>", _state_line_of_circle("chord")),
        (rf"<seg:a> {_IS} {_ART}tangent (?:to|of) <circ:o>{_AT}", _state_line_of_circle("tangent")),
        (rf"<seg:a> (?:touches|is tangent to) <circ:o>{_AT}", _state_line_of_circle("tangent")),
        (rf"<circ:o> is tangent to <seg:a>{_AT}", _state_line_of_circle("tangent")),
        (r"<circ:o>(?: is (?:drawn|shown))", lambda g: (_fact("circle", _circle(g, "o")),)),
        (r"(?:in |there is )<circ:o>", lambda g: (_fact("circle", _circle(g, "o")),)),
    )
)  # fmt: skip


def _state_vertices(groups: _Groups, predicate: str) -> tuple[Fact, ...]:
    labels = split_labels(groups["x"])
    if set(labels) != set(split_labels(groups["p"])):
        raise ClaimError(f"{groups['p']} ... {groups['x']}", "the vertices are not those of its name")
    return (Fact(predicate, labels),)


def _state_shape(kind: str, run: str) -> tuple[Fact, ...]:
    return (Fact(kind.replace(" ", "_"), split_labels(run)),)


# --- scanning ----------------------------------------------------------------------------------------------------

_CONNECTORS = re.compile(
    r"(?:[\s,;:]|(?:and|with|where|in which|while|whose|such that|so that|also|moreover|furthermore|additionally|here|"
    r"respectively|there is|there are|it is given that|given that|we have|"
    r"(?:the |this )?(?:figure|diagram|picture) (?:shows|contains|consists of)|"
    r"in (?:the|this) (?:figure|diagram|picture))(?![a-z]))+"
)
_BOUNDARY = re.compile(r"$|[\s,;:]")


def _split_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Sentences with their offsets; they end at a semicolon or at a full stop that is no decimal point."""
    start = 0
    for match in re.finditer(r"\.(?!\d)|;|$", text):
        if text[start : match.start()].strip():
            yield start, text[start : match.start()]
        start = match.end()


def _scan(sentence: str, offset: int) -> Iterator[tuple[int, int, tuple[Fact, ...]]]:
    """Read claim after claim, each the longest that fits, and nothing but connectors between them."""
    position = 0
    while True:
        connector = _CONNECTORS.match(sentence, position)
        if connector:
            position = connector.end()
        if position == len(sentence):
            return
        end, claims = _match_longest(sentence, position)
        if end == position:
            raise ClaimError(sentence[position : position + 60])
        yield offset + position, offset + end, claims
        position = end


def _match_longest(sentence: str, position: int) -> tuple[int, tuple[Fact, ...]]:
    best_end, best = position, None
    for pattern, build in ((_CHAIN, None), *_PATTERNS):
        match = pattern.match(sentence, position)
        if match and match.end() > best_end and _BOUNDARY.match(sentence, match.end()):
            best_end, best = match.end(), (match, build)
    if best is None:
        return position, ()
    match, build = best
    if build is None:
        return best_end, _read_chain(match.group(0))
    return best_end, build({name: text for name, text in match.groupdict().items() if text is not None})


@cache
def _polygon_predicates() -> frozenset[str]:
    kinds = {predicate for predicates in _TRIANGLE_KINDS.values() for predicate in predicates}
    shapes = {shape.replace(" ", "_") for shape in _SHAPES.strip("(?:)").split("|")}
    return frozenset(kinds | shapes | {"triangle", "regular_polygon"})


def _resolve_single_letter_angles(found: list[tuple[Fact, ...]]) -> list[tuple[Fact, ...]]:
    """Give ``\\angle A`` its sides where the polygons named in the text leave one choice."""
    polygons = [claim.arguments for claims in found for claim in claims if claim.predicate in _polygon_predicates()]
    return [
        tuple(
            Fact(claim.predicate, _fill_unknown_sides(claim.arguments, polygons), claim.value)
            if "?" in claim.arguments
            else claim
            for claim in claims
        )
        for claims in found
    ]


def _fill_unknown_sides(arguments: tuple[str, ...], polygons: list[tuple[str, ...]]) -> tuple[str, ...]:
    filled = list(arguments)
    for index, argument in enumerate(arguments):
        if argument != "?" or arguments[index + 2 : index + 3] != ("?",):
            continue
        vertex = arguments[index + 1]
        sides = {
            frozenset((polygon[at - 1], polygon[(at + 1) % len(polygon)]))
            for polygon in polygons
            if vertex in polygon
            for at in (polygon.index(vertex),)
        }
        if len(sides) != 1:
            raise ClaimError(f"\\angle {vertex}", "it could be more than one angle; name it by three points")
        filled[index], filled[index + 2] = sorted(next(iter(sides)))
    return tuple(filled)


def _check_diagonals(text: str, claims: list[Fact]) -> None:
    """``diagonal AC`` is a claim about a polygon's name: A and C must not be neighbours in it."""
    polygons = [claim.arguments for claim in claims if claim.predicate in _polygon_predicates()]
    for match in re.finditer(rf"diagonals? ((?:{_L}){{2}})(?: and ((?:{_L}){{2}}))?", text):
        for run in filter(None, match.groups()):
            start, end = split_labels(run)
            if not any(
                start in polygon and end in polygon
                and (polygon.index(start) - polygon.index(end)) % len(polygon) not in (1, len(polygon) - 1)
                for polygon in polygons
            ):  # fmt: skip
                raise ClaimError(match.group(0), "no polygon of the text has this diagonal")
