r"""Sentences that say more than one predicate in its own words: several facts at once, or one with something left out.

What a sentence states is listed by the letters of its wording (``tangent ABo; on_circle To``). A small ``o``, ``p`` or
``t`` that the wording does not name is the circle, polygon or triangle that the text speaks of
(`tasks.geometry.captions.mentions`).
"""

from __future__ import annotations

from collections.abc import Callable

from storage.rows import Fact
from tasks.geometry.captions.atoms import ClaimError
from tasks.geometry.captions.equations import relate
from tasks.geometry.captions.mentions import Claims, state_bare, state_kind
from tasks.geometry.facts.predicate import Names

State = Callable[[Names, str], Claims]
"""From what a sentence names, and its text, to the facts that it states."""


def _state_is_kind(names: Names, text: str) -> Claims:  # noqa: ARG001
    ring = names["A+"]
    return state_kind(names["K"], ring) or state_bare(ring)


def _state_diagonals(names: Names, text: str) -> Claims:
    if len(names["A+"]) != 4:
        raise ClaimError(text, "only a quadrilateral has two diagonals")
    a, b, c, d = names["A+"]
    point = names["P"]
    if "bisect" in text:
        crossing: Claims = (Fact("midpoint", (point, a, c)), Fact("midpoint", (point, b, d)))
    else:
        crossing = (Fact("intersection", (point, a, c, b, d)),)
    return crossing


def _state_pairwise(predicate: str, first: str, second: str) -> State:
    """``D and E are the midpoints of AB and AC``: each of the first with its one of the second."""

    def state(names: Names, text: str) -> Claims:
        if len(names[first]) != len(names[second]):
            raise ClaimError(text, f"{len(names[first])} things on one side and {len(names[second])} on the other")
        facts = []
        for one, other in zip(names[first], names[second], strict=True):
            match predicate:
                case "midpoint":
                    facts.append(Fact(predicate, (one, *other)))
                case "collinear":
                    facts.append(Fact(predicate, (other[0], one, other[1])))
                case _:
                    facts.append(Fact(predicate, tuple(one), other))
        return tuple(facts)

    return state


def _state_ratio(names: Names, text: str) -> Claims:  # noqa: ARG001
    value = f"{names['v']}/{names['w']}" if "w" in names else names["v"]
    return (Fact("ratio", tuple(names[letter] for letter in "ABCD"), value),)


def _state_times(value: str) -> State:
    return lambda names, text: _state_ratio({**names, "v": value}, text)


_RELATED = "(equal|congruent|parallel|perpendicular|similar)"
_THINGS = "[the ][(segments|sides|lines|diagonals|angles|triangles) ]"
_RIGHT_AT = "(with [its |the |a ]right angle at|right-angled at)"
_RESPECTIVELY = "[[,] respectively]"
_MEET = "[that |which ](intersect|meet|cross)[ each other] at"
SEVERAL: tuple[tuple[str, str | State], ...] = (
    (f"<term L> (is|runs|is marked) {_RELATED} [in length ](to|with) <term R>[ at <F>]", relate),
    ("<term L> equals <term R>", relate),
    ("the (length|measure) of <term L> is equal to the (length|measure) of <term R>", relate),
    (
        f"{_THINGS}<term L> and <term R> are [both |marked ]{_RELATED}[ lines][ in (length|measure)| to each other]"
        "[ at <F>]",
        relate,
    ),
    (f"{_THINGS}<term L> and <term R> have (the same|equal) (length|lengths|measure|measures)", relate),
    (r"<term L> \perp <term R> at <F>", relate),
    ("<AB> is parallel to both <CD> and <EF>", "parallel ABCD; parallel ABEF"),
    ("triangles <ABC> and <DEF> are similar", "similar ABCDEF"),
    ("triangles <ABC> and <DEF> are congruent", "congruent ABCDEF"),
    # Measures
    (
        f"<lines L> [each |both ](measure|are|have length[s]) <values V>{_RESPECTIVELY}",
        _state_pairwise("length", "L", "V"),
    ),
    (f"<angles L> [each |both ](measure|are) <values V>{_RESPECTIVELY}", _state_pairwise("angle", "L", "V")),
    ("<lines L> (each measure|both measure|are each|are both|have length) <v>[ long]", "length L = v"),
    ("<angles X> (each measure|both measure|are each|are both|are) <d>", "angle X = d"),
    ("the angle between <AB> and <BC> is <d>", "angle ABC = d"),
    ("<angle ABC> + <angle DEF> = <d>", "angle_sum ABCDEF = d"),
    ("<angle ABC> and <angle DEF> are complementary", "angle_sum ABCDEF = 90"),
    ("<angle ABC> and <angle DEF> are supplementary", "angle_sum ABCDEF = 180"),
    ("<AB>[ ]:[ ]<CD> = <v>[ ]:[ ]<w>", _state_ratio),
    ("[the ratio ]<AB>[ ]/[ ]<CD> = <v>", _state_ratio),
    ("the ratio of <AB> to <CD> is <v>[ ]:[ ]<w>", _state_ratio),
    ("the ratio of <AB> to <CD> is <v>", _state_ratio),
    ("<AB> = <v>[ ]<CD>", _state_ratio),
    ("[the length of ]<AB> is (twice|double) [as long as |the length of ]<CD>", _state_times("2")),
    ("[the length of ]<AB> is (three times|triple) [as long as |the length of ]<CD>", _state_times("3")),
    ("[the length of ]<AB> is half [as long as |the length of |of ]<CD>", _state_times("1/2")),
    ("[the ]sides of <shape ABC+> (are|measure)", "shape A"),
    ("[(each|every) ]side[ length] of <shape ABC+> (measures|is|has length) <v>", "side_length A = v"),
    ("[a ](side length|sides of length|equal sides of length)[ of| is] <v>", "side_length p = v"),
    ("[a ]perimeter[ of| is] <v>", "perimeter p = v"),
    ("[an ]area[ of| is] <v>", "area p = v"),
    ("[a ]radius[ of| is] <v>", "radius o = v"),
    ("[a ]diameter[ of| is] <h>", "radius o = h"),
    ("<arc AB> (measures|is|=) <d>", "arc ABo = d"),
    ("<angle ABC> is a right angle", "perpendicular ABBC"),
    # Shapes
    ("[in ]<shape ABC+>[ is drawn]", "shape A"),
    ("<polygon ABC+> is a <kind K>", _state_is_kind),
    (f"<shape ABC+>[,] {_RIGHT_AT} <V>", "right_at VA"),
    (f"<shape ABC+> is [a ]right[-angled][ triangle][[,] {_RIGHT_AT}] at <V>", "right_at VA"),
    ("<shape ABC+> has a right angle at <V>", "right_at VA"),
    ("[a ]right angle at <V>", "right_at Vp"),
    ("right-angled at <V>", "right_at Vp"),
    ("[a ]apex <V>", "apex Vp"),
    ("[a ]base <AB>", "base ABp"),
    ("[two ]parallel sides <AB> and <CD>", "parallel ABCD"),
    (f"the diagonals of <shape ABC+> {_MEET} <P>", _state_diagonals),
    ("the diagonals of <shape ABC+> bisect each other at <P>", _state_diagonals),
    ("<XY> is a diagonal[ of <shape ABC+>]", "diagonal XYp; segment XY"),
    (
        "diagonal <XY> divides <shape ABC+> into <triangle DEF> and <triangle GHI>",
        "shape A; diagonal XYp; segment XY; triangle DEF; triangle GHI",
    ),
    # Points and lines
    (f"<list P> are the midpoints of <lines L>{_RESPECTIVELY}", _state_pairwise("midpoint", "P", "L")),
    ("<P> is the midpoint of both <AB> and <CD>", "midpoint PAB; midpoint PCD"),
    ("<AB> and <CD> bisect each other at <P>", "midpoint PAB; midpoint PCD"),
    ("<MN> (connects|joins) the midpoints of <AB> and <AC>", "midsegment MNABC"),
    ("<MN> (connects|joins) the midpoints <M> of <AB> and <N> of <CD>", "midpoint MAB; midpoint NCD; segment MN"),
    ("<list P> (lie|are)[ points][ both| all] on <AB>", "collinear APB"),
    (f"<list P> (lie|are)[ points] on <lines L>{_RESPECTIVELY}", _state_pairwise("collinear", "P", "L")),
    ("<P> divides <AB>", "collinear APB"),
    ("<lines L> are [all ]drawn", "segment L"),
    ("<lines L> are segments", "segment L"),
    ("<lines L> are segments from <P> to <list Q>", "segment L"),
    ("[is |are ]cut by a transversal <AB>", "segment AB"),
    ("<EF> (intersects|meets|crosses|cuts) <AB> at <G> and <CD> at <H>", "intersection GEFAB; intersection HEFCD"),
    (
        "<BD> bisects <angle ABC> and (meets|intersects) <EF> at <P>",
        "bisector DABC; intersection PBDEF",
    ),
    # Lines of a triangle
    ("<lines L> are altitudes", "altitude Lt"),
    ("<lines L> are medians", "median Lt"),
    ("<PF> is an altitude", "altitude PFt"),
    ("<PF> is a median", "median PFt"),
    ("<PF> is an altitude[ drawn] [from <P> ]to <BC>", "altitude PFPBC"),
    ("<PF> is a median[ drawn] [from <P> ]to <BC>", "median PFPBC"),
    ("altitude <PF>[ drawn] to <BC>", "altitude PFPBC"),
    ("median <PF>[ drawn] to <BC>", "median PFPBC"),
    ("the foot of the (altitude|perpendicular) from <P> to <BC> is <F>", "altitude PFPBC"),
    ("<F> is the foot of the (altitude|perpendicular) from <P> to <BC>", "altitude PFPBC"),
    # Circles
    ("<circle o>[ is drawn]", "circle o"),
    ("<list P> (lie|are)[ points][ all] on <circle o>", "on_circle Po"),
    ("<circle o> passes through <list P>", "on_circle Po"),
    ("the vertices of <shape ABC+> lie on <circle o>", "shape A; inscribed oA"),
    ("<polygon ABC+> is inscribed in <circle o>", "shape A; inscribed oA"),
    ("[is ]inscribed in <circle o>", "inscribed op"),
    ("<circle o> is inscribed in <shape ABC+>", "shape A; circumscribed oA"),
    ("<circle o> is circumscribed about <shape ABC+>", "shape A; inscribed oA"),
    ("<shape ABC+> is circumscribed about <circle o>", "shape A; circumscribed oA"),
    ("<circle o> and <circle c> intersect at <list P>", "on_circle Po; on_circle Pc"),
    ("<circle o> has a diameter <AB>", "diameter ABo"),
    ("<circle o> has a radius <AB>", "radial ABo"),
    ("<circle o> has a chord <AB>", "chord ABo"),
    ("<AB> is a diameter", "diameter ABo"),
    ("<AB> is a chord", "chord ABo"),
    ("<AB> is a radius", "radial ABo"),
    ("<AB> is a tangent[ line]", "tangent ABo"),
    ("<lines L> are diameters[ of <circle o>]", "diameter Lo"),
    ("<lines L> are chords[ of <circle o>]", "chord Lo"),
    ("<lines L> are radii[ of <circle o>]", "radial Lo"),
    ("<lines L> are (tangents|tangent|tangent lines|tangent segments)[ (to|of) <circle o>]", "tangent Lo"),
    (
        f"<lines L> (are tangents to|are tangent to|touch) <circle o> at <list T>{_RESPECTIVELY}",
        "tangent Lo; on_circle To",
    ),
    ("[two ]tangents <lines L> are drawn to <circle o>", "tangent Lo"),
    ("<AB> (is a tangent|is tangent|touches) [line ][to |of ]<circle o> at <T>", "tangent ABo; on_circle To"),
    ("<circle o> is tangent to <AB> at <T>", "tangent ABo; on_circle To"),
    ("[an ](external|exterior) point <P>", "outside_circle Po"),
    ("<angle ABC> is a central angle of <circle o>", "centre Bo; on_circle Ao; on_circle Co"),
    (
        "<angle ABC> is a central angle of <circle o> measuring <d>",
        "centre Bo; on_circle Ao; on_circle Co; angle ABC = d",
    ),
    ("<angle ABC> is an inscribed angle of <circle o>", "on_circle Ao; on_circle Bo; on_circle Co"),
)
