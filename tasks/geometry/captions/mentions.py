r"""What a sentence claims in passing, and what it leaves to the reader.

``chord AB = 8`` says that AB is a chord, ``the diagonals of rhombus ABCD`` that ABCD is a rhombus. ``AB is a diameter``
is one of the only circle that the text names, ``\angle A`` the angle of the only polygon with this corner. Claims are
first read with a mark in place of what is left out (``?o`` a circle, ``?p`` a polygon, ``?t`` a triangle, ``?`` a side
of an angle) and completed once the whole text is read. Where more than one thing could be meant, the text is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import (
    ADJECTIVES,
    AND,
    CIRCLE,
    CIRCLES,
    EXTERNAL,
    LABEL,
    LINES,
    NOT_LABEL,
    NOUNS,
    OF_POLYGON,
    PAIR,
    PAIRS,
    PLACED,
    POLYGON,
    RELATED,
    ROLES,
    ROWS,
    TRIPLES,
    UNNAMED_CIRCLE,
    ClaimError,
)
from counterfoil.tasks.geometry.captions.templates import THE_CIRCLE, split_labels
from counterfoil.tasks.geometry.facts.names import list_named_segments
from counterfoil.tasks.geometry.facts.predicates import BARE, QUADRILATERAL_KINDS, SHAPES, TRIANGLE_KINDS

Claims = tuple[Fact, ...]
Polygon = tuple[str, ...]
THE_POLYGON, THE_TRIANGLE, SIDE, BEFORE = "?p", "?t", "?", "?b"
_ROLES = {
    "radi": ("radial", THE_CIRCLE),
    "diam": ("diameter", THE_CIRCLE),
    "chor": ("chord", THE_CIRCLE),
    "tang": ("tangent", THE_CIRCLE),
    "alti": ("altitude", THE_TRIANGLE),
    "medi": ("median", THE_TRIANGLE),
    "mids": ("midsegment", THE_TRIANGLE),
    "bise": ("line_bisector", THE_TRIANGLE),
    "angl": ("line_bisector", THE_TRIANGLE),
    "hypo": ("hypotenuse", THE_TRIANGLE),
    "diag": ("diagonal", THE_POLYGON),
}
"""What a word before a segment claims, by how the word begins. Legs, bases and transversals are just lines."""
_RELATIONS = {"equal": "equal_length", "congruent": "equal_length"}
"""What an adjective before several segments claims of each and the next, where it is not named after it."""


def state_kind(words: str, ring: Polygon) -> Claims:
    """The facts of the words for a polygon: two of ``isosceles right triangle``, none of a bare ``triangle``.

    Raises:
        ClaimError: the words are not for so many corners.
    """
    parts = words.replace("-angled", "").replace(",", " ").replace("\\", "").split()
    whole = "_".join(parts)
    noun = parts.pop() if parts and parts[-1] not in ADJECTIVES else ""
    corners = {word: count for count, word in NOUNS.items()} | {"": len(ring), "polygon": len(ring), "triangle": 3}
    kinds = {"right": "right_triangle", "regular": "regular_polygon"}
    names = [whole] if whole in SHAPES else [kinds.get(part, part) for part in parts]
    limits = {3: TRIANGLE_KINDS, 4: QUADRILATERAL_KINDS}.get(len(ring), frozenset()) | {"regular_polygon", "triangle"}
    if len(ring) != corners.get(noun, 4) or not limits.issuperset(names):
        raise ClaimError(f"{words.strip()} {''.join(ring)}", f"no such polygon has {len(ring)} vertices")
    return tuple(Fact(name, ring) for name in names if name not in BARE)


def state_bare(ring: Polygon) -> Claims:
    """A polygon of no special sort; one of five corners or more by its sides."""
    if len(ring) in (3, 4):
        return (Fact("triangle" if len(ring) == 3 else "quadrilateral", ring),)
    return tuple(Fact("segment", (ring[i], ring[(i + 1) % len(ring)])) for i in range(len(ring)))


_LEGS = re.compile(
    rf"\blegs (?P<one>{PAIR}){AND}(?P<other>{PAIR}) "
    r"of (?:the |a )?(?:isosceles )?right(?:-angled)? \\?triangle"
)


def list_passing(text: str) -> Iterator[Fact]:
    """What a clause claims of the things that it names, beside what it says of them."""
    for match in _LEGS.finditer(text):
        lines = (split_labels(match["one"]), split_labels(match["other"]))
        if len({*lines[0]} & {*lines[1]}) == 1:
            yield Fact("perpendicular", (*lines[0], *lines[1]))
    for match in POLYGON.finditer(text):
        yield from state_kind(match["kind"], split_labels(match["run"]))
    for match in OF_POLYGON.finditer(text):
        ring = split_labels(match["run"])
        if not state_kind(match["kind"], ring):
            yield from state_bare(ring)
    for match in PLACED.finditer(text):
        yield Fact("at", (match["name"],), re.sub(r"\s+", "", match["place"]))
    for match in EXTERNAL.finditer(text):
        yield Fact("outside_circle", (match["name"], THE_CIRCLE))
    for match in RELATED.finditer(text):
        labels = split_labels(match["pairs"])
        for i in range(0, len(labels) - 2, 2):
            yield Fact(_RELATIONS.get(match["sort"], match["sort"]), labels[i : i + 4])
    for match in LINES.finditer(text):
        labels = split_labels(match["pairs"])
        role, whole = _ROLES.get(match["role"][:4], ("", ""))
        if match["role"] == "bases" and len(labels) == 4:
            yield Fact("parallel", labels)
        if match["role"] == "legs" and len(labels) == 4:
            yield Fact("legs", (*labels, THE_POLYGON))
        for i in range(0, len(labels) if role else 0, 2):
            yield Fact(role, (labels[i], labels[i + 1], whole))


_OF_TRIANGLE = frozenset(("altitude", "median"))
"""Claims that name a triangle by its corners."""
_SUBJECT = re.compile(
    rf"\s*(?:in [^,]*, )?(?:the |an? )?(?:{ROLES}|(?:line )?segment|side|line)? ?"
    rf"(?P<name>{PAIR}(?:{AND}{PAIR})*|(?:\\angle |angle )(?:{LABEL}){{3}}{NOT_LABEL}) (?:is|are)\b[^,]*$"
)
"""What a sentence speaks of from its beginning to where a clause goes on about it."""
_SAID = re.compile(rf"(?:^|, |and |let |that |where )(?P<name>{PAIR}) (?:is|be) (?:an? |the |its )?[a-z ]+$")
"""What the clause before is about: ``AB is a chord``."""


_LISTED = re.compile(
    rf"(?:\b(?P<noun>angles|(?!is )[a-z]+(?:s|ii)) )?(?<![A-Za-z\\])(?P<names>{PAIR}(?:{AND}{PAIR})+|"
    rf"(?:\\angle |angle )?(?:{LABEL}){{3}}{NOT_LABEL}(?:{AND}(?:\\angle |angle )?(?:{LABEL}){{3}}{NOT_LABEL})+)$"
)
"""Several segments or angles that a clause ends with: ``chords AB and CD``."""
_ROUND = re.compile(r"\b(?:semi)?circle\b")
_LAST = re.compile(rf"(?:^|[ ,])(?P<name>{LABEL}),? ?$")
"""A point that a clause ends with."""


@dataclass(frozen=True)
class Stretch:
    """A stretch of a caption, from ``start`` to ``end`` in its sentence ``sentence``, and the claims that it makes."""

    start: int
    end: int
    sentence: int
    claims: Claims


@dataclass(frozen=True)
class Mentions:
    """What a text names: polygons with the sentence and place of each, circles, and the sorts of polygons."""

    polygons: tuple[tuple[int, int, Polygon], ...]
    circles: tuple[tuple[int, str], ...]
    kinds: frozenset[Fact]
    sentences: tuple[tuple[int, str], ...]

    @classmethod
    def find(cls, sentences: Sequence[tuple[int, str]], stretches: Sequence[Stretch]) -> Mentions:
        """``sentences`` are texts with their offsets."""
        polygons, circles = set(), set()
        for at, (start, sentence) in enumerate(sentences):
            polygons |= {(at, start + m.start(), split_labels(m["run"])) for m in POLYGON.finditer(sentence)}
            circles |= {(at, m["first"] or m["last"]) for m in CIRCLE.finditer(sentence)}
            circles |= {(at, name) for m in CIRCLES.finditer(sentence) for name in split_labels(m["names"])}
        shapes = [(stretch, claim) for stretch in stretches for claim in stretch.claims if claim.predicate in SHAPES]
        polygons |= {(stretch.sentence, stretch.start, claim.arguments) for stretch, claim in shapes}
        if not circles:
            # A radius OA is one of the circle O, and so is AO.
            radials = [
                (each.sentence, claim) for each in stretches for claim in each.claims if claim.predicate == "radial"
            ]
            circles |= {
                (at, "O" if "O" in claim.arguments else claim.arguments[0])
                for at, claim in radials
                if THE_CIRCLE in claim.arguments
            }
        if not circles:
            # So is the vertex of a central angle the centre.
            circles |= {
                (each.sentence, claim.arguments[0])
                for each in stretches
                for claim in each.claims
                if claim.predicate == "centre" and claim.arguments[1:] == (THE_CIRCLE,)
            }
        lines = [
            (stretch, claim) for stretch in stretches for claim in stretch.claims if claim.predicate in _OF_TRIANGLE
        ]
        polygons |= {(each.sentence, each.start, c.arguments[2:]) for each, c in lines if len(c.arguments) == 5}
        for each in stretches:
            for claim in each.claims:
                if claim.predicate in ("congruent", "similar"):
                    half = len(claim.arguments) // 2
                    rings = (claim.arguments[:half], claim.arguments[half:])
                    polygons |= {(each.sentence, each.start, ring) for ring in rings}
        kinds = frozenset(claim for _, claim in shapes)
        return cls(tuple(sorted(polygons)), tuple(sorted(circles)), kinds, tuple(sentences))

    def complete(self, stretch: Stretch) -> Claims:
        """The claims of ``stretch`` with what they left out, as the facts that they state.

        Raises:
            ClaimError: nothing or more than one thing could be meant.
        """
        facts = dict.fromkeys(fact for claim in stretch.claims for fact in self._complete(claim, stretch))
        drawn = {line for fact in facts for line in list_named_segments(fact)}
        named = (claim.arguments[:2] for claim in stretch.claims if claim.predicate == "diagonal")
        # ``a rectangle with diagonal BD`` says no more of it than that it is there.
        return (*facts, *(Fact("segment", ends) for ends in dict.fromkeys(named) if frozenset(ends) not in drawn))

    def _complete(self, claim: Fact, stretch: Stretch) -> Claims:
        arguments = claim.arguments
        if BEFORE in arguments:
            return _LOOKING_BACK[claim.predicate](self, claim, stretch)
        if THE_CIRCLE in arguments:
            circle = self._find_circle(claim, stretch.sentence)
            arguments = tuple(circle if name == THE_CIRCLE else name for name in arguments)
        if claim.predicate == "hypotenuse" and len(shared := self._list_right(claim, stretch.sentence)) > 1:
            return tuple(fact for ring in shared for fact in _expand_hypotenuse(self, Fact("hypotenuse", ring)))
        if THE_TRIANGLE in arguments:
            arguments = self._add_triangle(claim, stretch.sentence)
        if THE_POLYGON in arguments and claim.predicate != "diagonal":
            said = [ring for at, place, ring in self.polygons if at == stretch.sentence and place < stretch.start]
            if claim.predicate in ("right_at", "apex"):
                said = [ring for ring in said if arguments[0] in ring]
            ring = self._pick(said[-1:] or self._list_polygons(), claim)
            arguments = (*(name for name in arguments if name != THE_POLYGON), *ring)
        if SIDE in arguments:
            arguments = self._fill_sides(arguments, stretch.sentence)
        whole = replace(claim, arguments=arguments)
        return _EXPANDED[claim.predicate](self, whole) if claim.predicate in _EXPANDED else (whole,)

    def _list_polygons(self, sentence: int | None = None) -> list[Polygon]:
        return [ring for at, _, ring in self.polygons if sentence in (None, at)]

    def _find_circle(self, claim: Fact, sentence: int) -> str:
        everywhere = {name for _, name in self.circles}
        ends = [name for name in claim.arguments if name in everywhere]
        if claim.predicate == "radial" and (ends or not everywhere):
            # One end of a radius is the centre, by which the circle goes.
            return (ends or claim.arguments)[0]
        if claim.predicate == "centre":
            return claim.arguments[0]
        here = {name for at, name in self.circles if at == sentence}
        named = here if len(here) == 1 else everywhere
        if len(named) > 1:
            raise ClaimError("the circle", f"it could be any of {', '.join(sorted(named))}; name it")
        return next(iter(named), UNNAMED_CIRCLE)

    def _add_triangle(self, claim: Fact, sentence: int) -> tuple[str, ...]:
        """``AD is an altitude``: of the only triangle with one of these ends as a corner."""
        p, q = claim.arguments[:2]
        corners = {"midsegment": (0,), "hypotenuse": (2,)}.get(claim.predicate, (1, 2))

        def list_fitting(polygons: Sequence[Polygon]) -> list[Polygon]:
            return [ring for ring in polygons if len(ring) == 3 and (p in ring) + (q in ring) in corners]

        ring = self._pick(list_fitting(self._list_polygons(sentence)) or list_fitting(self._list_polygons()), claim)
        return (q, p, *ring) if p not in ring and q in ring else (p, q, *ring)

    def _list_right(self, claim: Fact, sentence: int) -> list[tuple[str, ...]]:
        """The ends of a hypotenuse with each right triangle of its sentence: ``which share the hypotenuse``."""
        ends = claim.arguments[:2]
        right = {frozenset(kind.arguments) for kind in self.kinds if kind.predicate == "right_triangle"}
        rings = {frozenset(ring): ring for ring in self._list_polygons(sentence) if {*ends} < {*ring}}
        return [(*ends, *ring) for key, ring in rings.items() if key in right]

    def _pick(self, polygons: Sequence[Polygon], claim: Fact) -> Polygon:
        if len({frozenset(ring) for ring in polygons}) != 1:
            words = [claim.predicate.replace("_", " "), *(name for name in claim.arguments if "?" not in name)]
            raise ClaimError(" ".join(words), "it could be of more than one polygon, or of none; say of which")
        return polygons[0]

    def _fill_sides(self, arguments: tuple[str, ...], sentence: int) -> tuple[str, ...]:
        r"""The sides of ``\angle A`` where the polygons of its sentence, or else of the text, leave one choice."""
        filled = list(arguments)
        unknown = [index for index, argument in enumerate(arguments) if argument == SIDE]
        for first, last in zip(unknown[::2], unknown[1::2], strict=True):
            vertex = arguments[first + 1]
            sides = _list_sides(self._list_polygons(sentence), vertex) or _list_sides(self._list_polygons(), vertex)
            if len(sides) != 1:
                raise ClaimError(f"\\angle {vertex}", "it could be more than one angle; name it by three points")
            filled[first], filled[last] = sorted(*sides)
        return tuple(filled)

    def _expand_diagonal(self, claim: Fact) -> Claims:
        """A claim about a polygon's name: the ends must not be neighbours in it."""
        p, q = claim.arguments[:2]
        for ring in [claim.arguments[2:]] if len(claim.arguments) > 3 else self._list_polygons():
            if {p, q} <= {*ring} and (ring.index(p) - ring.index(q)) % len(ring) not in (1, len(ring) - 1):
                return ()
        raise ClaimError(f"diagonal {p}{q}", "no polygon of the text has this diagonal")

    def _list_before(self, stretch: Stretch, count: int) -> list[Polygon]:
        """The last ``count`` segments that the sentence names before a clause.

        Raises:
            ClaimError: there are fewer.
        """
        offset, text = self.sentences[stretch.sentence]
        found = [split_labels(match.group()) for match in PAIRS.finditer(text[: stretch.start - offset])]
        named = [pair for i, pair in enumerate(found) if frozenset(pair) not in map(frozenset, found[i + 1 :])]
        if len(named) < count:
            raise ClaimError(text[stretch.start - offset :], "it does not say before of which segments")
        return named[-count:] if count else []

    def _meet(self, claim: Fact, stretch: Stretch) -> Claims:
        r"""``AB and CD ..., which meet at P``; the diagonals, where the sentence names none."""
        offset, text = self.sentences[stretch.sentence]
        listed = list(ROWS.finditer(text[: stretch.start - offset]))
        several = split_labels(listed[-1].group()) if listed else ()
        try:
            first, second = self._list_before(stretch, 2)
            lines = [several[i : i + 2] for i in range(0, len(several), 2)]
            if len(lines) > 2 and lines[-1] == second:
                # Three lines that meet: each with the next.
                return tuple(Fact("intersection", (claim.arguments[0], *p, *q)) for p, q in pairwise(lines))
        except ClaimError:
            rings = [ring for ring in self._list_polygons(stretch.sentence) if len(ring) == 4]
            if "diagonals" not in text[: stretch.start - offset] or len({frozenset(ring) for ring in rings}) != 1:
                raise
            (a, b, c, d), *_ = rings
            first, second = (a, c), (b, d)
        crossing = Fact("intersection", (claim.arguments[0], *first, *second))
        return (crossing, Fact("perpendicular", (*first, *second))) if claim.predicate == "foot" else (crossing,)

    def _halve_before(self, claim: Fact, stretch: Stretch) -> Claims:
        (pair,) = self._list_before(stretch, 1)
        return (Fact("midpoint", (claim.arguments[0], *pair)),)

    def _measure_before(self, claim: Fact, stretch: Stretch) -> Claims:
        """``angle ACD, which measures 120``: the angle, or the segment, that was named last."""
        offset, text = self.sentences[stretch.sentence]
        before = text[: stretch.start - offset].rstrip(", ")
        if row := _LISTED.search(before):
            if not row["noun"]:
                raise ClaimError(text[stretch.start - offset :], "it does not say whether of the last or of all before")
            labels = split_labels(row["names"])
            count, predicate = (3, "angle") if row["noun"] == "angles" else (2, "length")
            rings = [labels[i : i + count] for i in range(0, len(labels), count)]
            return tuple(Fact(predicate, ring, claim.value) for ring in rings)
        for pattern, predicate in ((TRIPLES, "angle"), (PAIRS, "length")):
            named = [match for match in pattern.finditer(before) if match.end() == len(before)]
            if named and before[: named[-1].start()].endswith("arc "):
                ends = split_labels(named[-1].group())
                circle = self._find_circle(Fact("arc", (*ends, THE_CIRCLE)), stretch.sentence)
                return (Fact("arc", (*ends, circle), claim.value),)
            if named:
                return (Fact(predicate, split_labels(named[-1].group()), claim.value),)
        if said := _SAID.search(before):
            return (Fact("length", split_labels(said["name"]), claim.value),)
        raise ClaimError(text[stretch.start - offset :], "it does not say before of what")

    def _measure_first(self, claim: Fact, stretch: Stretch) -> Claims:
        """``AB is a chord of circle O and has length 8``: the angle, or the segment, of which the sentence speaks."""
        offset, text = self.sentences[stretch.sentence]
        subject = _SUBJECT.match(text[: stretch.start - offset].rstrip(", "))
        if subject is None:
            raise ClaimError(text[stretch.start - offset :], "it does not say of what")
        labels = split_labels(subject["name"])
        if len(labels) == 3:
            return (Fact("angle", labels, claim.value),)
        return tuple(Fact("length", labels[i : i + 2], claim.value) for i in range(0, len(labels), 2))

    def _cross_first(self, claim: Fact, stretch: Stretch) -> Claims:
        """``DE is parallel to AC and meets BC at D``: the line of which the sentence speaks."""
        offset, text = self.sentences[stretch.sentence]
        subject = _SUBJECT.match(text[: stretch.start - offset].rstrip(", "))
        labels = split_labels(subject["name"]) if subject is not None else ()
        if len(labels) != 2:
            raise ClaimError(text[stretch.start - offset :], "it does not say which line")
        other = split_labels(next(PAIRS.finditer(text, stretch.start - offset)).group())
        return (Fact("intersection", (claim.arguments[0], *labels, *other)),)

    def _find_centre(self, claim: Fact, stretch: Stretch) -> Claims:
        """``a regular hexagon ABCDEF with centre O``: of the polygon before, or of the circle."""
        point = claim.arguments[0]
        offset, text = self.sentences[stretch.sentence]
        round_one = max((m.start() + offset for m in _ROUND.finditer(text[: stretch.start - offset])), default=-1)
        said = [
            ring for at, place, ring in self.polygons if at == stretch.sentence and round_one < place < stretch.start
        ]
        return (Fact("centroid", (point, *said[-1])) if said else Fact("centre", (point, point)),)

    def _cut_at(self, claim: Fact, stretch: Stretch) -> Claims:
        """``AB and CD are parallel, and a transversal intersects them at E and F``."""
        points = [name for name in claim.arguments if name != BEFORE]
        lines = self._list_before(stretch, len(points))
        rows = tuple(Fact("collinear", (p, x, q)) for x, (p, q) in zip(points, lines, strict=True))
        return (*rows, *(Fact("segment", pair) for pair in pairwise(points)))

    def _relate_before(self, claim: Fact, stretch: Stretch) -> Claims:
        """``triangles ABC and ADC share AC and are congruent``."""
        rings = [ring for at, place, ring in self.polygons if at == stretch.sentence and place < stretch.start]
        named = list(dict.fromkeys(rings))
        if len(named) != 2 or len(named[0]) != len(named[1]):
            raise ClaimError(claim.predicate.removeprefix("alike_"), "it does not say which two figures")
        return (Fact(claim.predicate.removeprefix("alike_"), (*named[0], *named[1])),)

    def _stand_on_it(self, claim: Fact, stretch: Stretch) -> Claims:
        """``the circle has diameter AB, and C lies on it``: on what the sentence speaks of, where that is a circle."""
        offset, text = self.sentences[stretch.sentence]
        before = text[: stretch.start - offset]
        of_circle = re.match(r"\s*(?:the |an? )?(?:semi)?circle\b", text) or (
            re.search(r"\b(?:semi)?circle\b", before) and not PAIRS.search(before) and not POLYGON.search(before)
        )
        if not of_circle:
            raise ClaimError("it", "it does not say on what")
        circle = self._find_circle(Fact("on_circle", (THE_CIRCLE,)), stretch.sentence)
        return tuple(Fact("on_circle", (name, circle)) for name in claim.arguments if name != BEFORE)

    def _stand_at_foot(self, claim: Fact, stretch: Stretch) -> Claims:
        """``CH is perpendicular to AB, with H the foot``: H lies on the line that it is no end of."""
        foot = claim.arguments[0]
        first, second = self._list_before(stretch, 2)
        if (foot in first) == (foot in second):
            raise ClaimError(foot, "it does not say the foot of which line")
        start, end = second if foot in first else first
        return (Fact("collinear", (start, foot, end)),)

    def _put_inside(self, claim: Fact, stretch: Stretch) -> Claims:
        """``triangle DEF inside it``: each corner that they do not share in the polygon named before."""
        ring = claim.arguments[:-1]
        earlier = [
            other
            for at, place, other in self.polygons
            if at == stretch.sentence and place < stretch.start and frozenset(other) != frozenset(ring)
        ]
        outer = self._pick(earlier[-1:], claim)
        inner = [name for name in ring if name not in outer]
        if not inner:
            raise ClaimError("inside it", "its corners are those of the other")
        return tuple(Fact("inside", (name, *outer)) for name in inner)

    def _list_two_circles(self, stretch: Stretch) -> list[str]:
        """The two circles of its sentence, in the order of the text.

        Raises:
            ClaimError: there are more or fewer.
        """
        offset, text = self.sentences[stretch.sentence]
        here = {name for at, name in self.circles if at == stretch.sentence}
        before = text[: stretch.start - offset]
        named = [name for name in dict.fromkeys(re.findall(LABEL, before)) if name in here]
        if len(named) != 2:
            raise ClaimError(text[stretch.start - offset :], "it does not say before of which two circles")
        return named

    def _join_both(self, claim: Fact, stretch: Stretch) -> Claims:
        """``circles O and P intersect at A and B, and AB is their common chord``."""
        return tuple(Fact("chord", (*claim.arguments[:2], circle)) for circle in self._list_two_circles(stretch))

    def _stand_on_both(self, claim: Fact, stretch: Stretch) -> Claims:
        """``AB is tangent to circles O and P, touching them at A and B``: each circle at its own point."""
        points = [name for name in claim.arguments if name != BEFORE]
        circles = self._list_two_circles(stretch)
        if len(points) != len(circles):
            raise ClaimError(" ".join(points), "these are not as many points as circles")
        return tuple(Fact("on_circle", pair) for pair in zip(points, circles, strict=True))

    def _relate_to_both(self, claim: Fact, stretch: Stretch) -> Claims:
        """``AB and CD are parallel, and EF is perpendicular to both``: to the two lines named before."""
        pair = claim.arguments[:2]
        return tuple(
            Fact(claim.predicate.removesuffix("_before"), (*pair, *line)) for line in self._list_before(stretch, 2)
        )

    def _place_last(self, claim: Fact, stretch: Stretch) -> Claims:
        """``AC and BD meet at P inside the circle``: the point that was named last."""
        offset, text = self.sentences[stretch.sentence]
        before = text[: stretch.start - offset]
        if not before.strip():
            return ()  # "Inside circle O, ..." says only where to look.
        last = _LAST.search(before)
        if last is None:
            raise ClaimError(text[stretch.start - offset :], "it does not say before which point")
        circle = next(name for name in claim.arguments if name != BEFORE)
        if circle == THE_CIRCLE:
            circle = self._find_circle(Fact(claim.predicate, (last["name"], circle)), stretch.sentence)
        return (Fact(claim.predicate, (last["name"], circle)),)

    def _check_crossed(self, claim: Fact, stretch: Stretch) -> Claims:
        """``AB and CD meet at E, making vertical angles AEC and BED``: said already by what crosses there."""
        p, vertex, q, r, other, s = (name for name in claim.arguments if name != BEFORE)
        lines = {frozenset(line) for line in self._list_before(stretch, 2)}
        ways = ({frozenset((p, r)), frozenset((q, s))}, {frozenset((p, s)), frozenset((q, r))})
        if vertex != other or lines not in ways:
            raise ClaimError(f"{p}{vertex}{q} and {r}{other}{s}", "name the two lines that form the angles")
        first, second = self._list_before(stretch, 2)
        return (Fact("intersection", (vertex, *first, *second)),)

    def _bisect_over(self, claim: Fact, stretch: Stretch) -> Claims:
        """``the bisector of angle B meets AC at D``: of the corner of a polygon, else of the angle over AC."""
        point, vertex, p, q = claim.arguments[:4]
        try:
            p, vertex, q = self._fill_sides((SIDE, vertex, SIDE), stretch.sentence)
        except ClaimError:
            if vertex in (p, q) or any(vertex in ring for ring in self._list_polygons()):
                raise
        return (Fact("bisector", (point, p, vertex, q)),)

    def _halve_angle(self, claim: Fact, stretch: Stretch) -> Claims:
        """``OB bisects angle AOC into two angles of 35 degrees each``."""
        offset, text = self.sentences[stretch.sentence]
        said = re.search(rf"(?P<line>{PAIR}) bisects (?:the )?{TRIPLES.pattern} ?$", text[: stretch.start - offset])
        if said is None:
            raise ClaimError("into two equal angles", "it does not say before which angle")
        start, end = split_labels(said["line"])
        p, vertex, q = split_labels(said["name"])
        inner = end if start == vertex else start
        return (Fact("angle", (p, vertex, inner), claim.value), Fact("angle", (inner, vertex, q), claim.value))

    def _share(self, claim: Fact) -> Claims:
        """A side or vertex that two polygons of the text have: what their names say already."""
        shared = frozenset(claim.arguments)
        rings = {
            frozenset(ring)
            for ring in self._list_polygons()
            for side in zip(ring, (*ring[1:], ring[0]), strict=True)
            if shared <= frozenset(side)
        }
        if len(rings) < 2:
            raise ClaimError(f"share {''.join(claim.arguments)}", "no two polygons of the text share it")
        return ()

    def _expand_hypotenuse_altitude(self, claim: Fact) -> Claims:
        vertex, foot, *ring = claim.arguments
        if vertex not in ring:
            vertex, foot = foot, vertex
        first, last = (name for name in ring if name != vertex)
        return (
            Fact("altitude", (vertex, foot, *ring)),
            Fact("perpendicular", (first, vertex, vertex, last)),
        )

    def _expand_base(self, claim: Fact) -> Claims:
        """The base of an isosceles triangle is opposite to where its equal sides meet."""
        p, q, *ring = claim.arguments
        if not any(kind.predicate == "isosceles" and {*kind.arguments} == {*ring} for kind in self.kinds):
            return ()
        if len(apex := {*ring} - {p, q}) != 1:
            raise ClaimError(f"base {p}{q}", f"it is no side of {''.join(ring)}")
        (top,) = apex
        return (Fact("equal_length", (top, p, top, q)),)

    def _expand_legs(self, claim: Fact) -> Claims:
        """The legs of a right triangle meet in its right angle, those of an isosceles figure are equal."""
        ends, ring = claim.arguments[:4], {*claim.arguments[4:]}
        kinds = {kind.predicate for kind in self.kinds if {*kind.arguments} == ring}
        if not {*ends} <= ring:
            raise ClaimError("legs", f"they are no sides of {''.join(claim.arguments[4:])}")
        right = (Fact("perpendicular", ends),) if "right_triangle" in kinds else ()
        equal = (Fact("equal_length", ends),) if kinds & {"isosceles", "isosceles_trapezoid"} else ()
        return (*right, *equal)


def _list_sides(polygons: Sequence[Polygon], vertex: str) -> set[frozenset[str]]:
    """The neighbours of a corner in each polygon that has it."""
    return {
        frozenset((ring[at - 1], ring[(at + 1) % len(ring)]))
        for ring in polygons
        if vertex in ring
        for at in (ring.index(vertex),)
    }


def _list_diagonals(claim: Fact) -> tuple[Polygon, Polygon]:
    ring = [name for name in claim.arguments if name != BEFORE][-4:]
    if len(ring) != 4:
        raise ClaimError("diagonals", "only a quadrilateral has two diagonals")
    return (ring[0], ring[2]), (ring[1], ring[3])


def _check_quadrilateral(claim: Fact, others: int) -> None:
    if len(claim.arguments) != 4 + others:
        raise ClaimError("its diagonals", "only a quadrilateral has two diagonals")


def _expand_diagonals_meet(_: Mentions, claim: Fact) -> Claims:
    _check_quadrilateral(claim, 1)
    first, second = _list_diagonals(claim)
    return (Fact("intersection", (claim.arguments[0], *first, *second)),)


def _expand_diagonals_halved(_: Mentions, claim: Fact) -> Claims:
    _check_quadrilateral(claim, 1)
    return tuple(Fact("midpoint", (claim.arguments[0], *pair)) for pair in _list_diagonals(claim))


def _expand_diagonals_drawn(_: Mentions, claim: Fact) -> Claims:
    _check_quadrilateral(claim, 0)
    return tuple(Fact("segment", pair) for pair in _list_diagonals(claim))


def _relate_diagonals(predicate: str) -> Callable[[Mentions, Fact], Claims]:
    def expand(_: Mentions, claim: Fact) -> Claims:
        _check_quadrilateral(claim, 0)
        first, second = _list_diagonals(claim)
        return (Fact(predicate, (*first, *second)),)

    return expand


def _expand_exterior(_: Mentions, claim: Fact) -> Claims:
    """An exterior angle ACD of a triangle ABC: D lies on the side BC beyond C."""
    p, vertex, q, *ring = claim.arguments
    if p not in ring:
        p, q = q, p
    if len(ring) < 3 or vertex not in ring or p not in ring or q in ring:
        raise ClaimError(f"{p}{vertex}{q}", f"it is no exterior angle of {''.join(ring)}")
    at = ring.index(vertex)
    (other,) = {ring[at - 1], ring[(at + 1) % len(ring)]} - {p} or {""}
    return (Fact("collinear", (other, vertex, q)),)


def _expand_concyclic(_: Mentions, claim: Fact) -> Claims:
    if len(claim.arguments) < 4:
        raise ClaimError(" ".join(claim.arguments), "three points lie on a circle always")
    return (claim,)


def _split_corner(claim: Fact) -> tuple[str, str, str]:
    """A triangle's corner and the other two."""
    vertex, *ring = claim.arguments
    others = [name for name in ring if name != vertex]
    if len(ring) != 3 or len(others) != 2:
        raise ClaimError(vertex, f"it is no corner of a triangle {''.join(ring)}")
    return vertex, others[0], others[1]


def _expand_right_at(_: Mentions, claim: Fact) -> Claims:
    if len(claim.arguments) > 4 and claim.arguments[0] in claim.arguments[1:]:
        corner, *ring = claim.arguments
        at = ring.index(corner)
        return (Fact("perpendicular", (ring[at - 1], corner, corner, ring[(at + 1) % len(ring)])),)
    vertex, p, q = _split_corner(claim)
    return (Fact("right_triangle", claim.arguments[1:]), Fact("perpendicular", (p, vertex, vertex, q)))


def _expand_apex(_: Mentions, claim: Fact) -> Claims:
    vertex, p, q = _split_corner(claim)
    return (Fact("equal_length", (vertex, p, vertex, q)),)


def _expand_hypotenuse(_: Mentions, claim: Fact) -> Claims:
    p, q, *ring = claim.arguments
    if len(corner := {*ring} - {p, q}) != 1:
        raise ClaimError(f"hypotenuse {p}{q}", f"it is no side of a triangle {''.join(ring)}")
    (vertex,) = corner
    return (Fact("perpendicular", (p, vertex, vertex, q)),)


def _expand_inscribed(_: Mentions, claim: Fact) -> Claims:
    circle, *ring = claim.arguments
    return tuple(Fact("on_circle", (label, circle)) for label in ring)


def _expand_circumscribed(_: Mentions, claim: Fact) -> Claims:
    circle, *ring = claim.arguments
    return tuple(Fact("tangent", (ring[i], ring[(i + 1) % len(ring)], circle)) for i in range(len(ring)))


def _expand_bisector(_: Mentions, claim: Fact) -> Claims:
    vertex, foot, *ring = claim.arguments
    p, q = (name for name in ring if name != vertex)
    return (Fact("bisector", (foot, p, vertex, q)),)


_EXPANDED: Mapping[str, Callable[[Mentions, Fact], Claims]] = {
    "right_at": _expand_right_at,
    "apex": _expand_apex,
    "base": Mentions._expand_base,
    "legs": Mentions._expand_legs,
    "hypotenuse": _expand_hypotenuse,
    "line_bisector": _expand_bisector,
    "inscribed": _expand_inscribed,
    "circumscribed": _expand_circumscribed,
    "diagonal": Mentions._expand_diagonal,
    "share": Mentions._share,
    "hypotenuse_altitude": Mentions._expand_hypotenuse_altitude,
    "diagonals_meet": _expand_diagonals_meet,
    "diagonals_halved": _expand_diagonals_halved,
    "diagonals_drawn": _expand_diagonals_drawn,
    "diagonals_perpendicular": _relate_diagonals("perpendicular"),
    "diagonals_equal": _relate_diagonals("equal_length"),
    "exterior": _expand_exterior,
    "concyclic": _expand_concyclic,
}
"""Claims that are made of a polygon and become facts once it is known which."""

_LOOKING_BACK: Mapping[str, Callable[[Mentions, Fact, Stretch], Claims]] = {
    "meet": Mentions._meet,
    "foot": Mentions._meet,
    "midpoint": Mentions._halve_before,
    "measure": Mentions._measure_before,
    "measure_first": Mentions._measure_first,
    "foot_of": Mentions._stand_at_foot,
    "cut_at": Mentions._cut_at,
    "alike_congruent": Mentions._relate_before,
    "alike_similar": Mentions._relate_before,
    "on_it": Mentions._stand_on_it,
    "cross_first": Mentions._cross_first,
    "centre_of": Mentions._find_centre,
    "inside": Mentions._put_inside,
    "chord_of_both": Mentions._join_both,
    "on_both": Mentions._stand_on_both,
    "perpendicular_before": Mentions._relate_to_both,
    "parallel_before": Mentions._relate_to_both,
    "inside_circle": Mentions._place_last,
    "outside_circle": Mentions._place_last,
    "crossed": Mentions._check_crossed,
    "halves": Mentions._halve_angle,
    "bisector_over": Mentions._bisect_over,
}
"""Claims about what the sentence names before them."""
