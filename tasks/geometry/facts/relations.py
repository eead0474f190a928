r"""What is drawn, where points and lines lie, how parts relate, what they measure: all predicates but shapes.

Captions state them in this order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from tasks.geometry.facts import orders
from tasks.geometry.facts import residuals as r
from tasks.geometry.facts.conditions import (
    distinct_lines,
    foot_truth,
    inside_angle,
    inside_circle_truth,
    inside_truth,
    median_truth,
    outside_truth,
)
from tasks.geometry.facts.predicate import Predicate

_drawn, _mark, _incidence, _relation, _measure = (
    partial(Predicate, group=group) for group in ("drawn", "mark", "incidence", "relation", "measure")
)
_MEET = "[that |which ](intersect|meet|cross)[ each other] at"


def list_marks() -> Iterator[Predicate]:
    """Points and what is written at things: in the picture, not in a caption's words."""
    yield _drawn("point", "A", value="coordinates")
    yield _mark("mark_length", "AB", orders.pair, r.length, value="length", states="length")
    yield _mark("mark_angle", "ABC", orders.one_angle, r.angle, value="angle", states="angle")
    yield _mark("mark_right", "ABC", orders.one_angle, r.right_angle, states="perpendicular")
    yield _mark("mark_arc", "ABo", orders.pair, r.arc, value="angle", states="arc")
    yield _mark("mark_ticks", "AB", orders.pair, value="text", states="equal_length")
    yield _mark("mark_arcs", "ABC", orders.one_angle, value="text", states="equal_angle")
    yield _mark("mark_parallel", "AB", orders.pair, value="text", states="parallel")


def list_incidences() -> Iterator[Predicate]:
    """Where points and lines are."""
    yield _drawn("circle", "o", value="coordinates", words="<circle o> is drawn")
    yield _incidence(
        "centre",
        "Ao",
        residual=r.centre,
        words="<A> is the centre of <circle o>; <circle o> has centre <A>",
        readings=(
            "<A> is the center of <circle o>; <circle o> (is (centred|centered) at|has [its ](centre|center)) <A>"
        ),
    )
    yield _incidence(
        "diameter",
        "ABo",
        orders.pair,
        r.diameter,
        strokes="AB",
        words="<AB> is a diameter of <circle o>; <circle o> has diameter <AB>",
    )
    yield _incidence(
        "radial",
        "ABo",
        orders.pair,
        r.radial,
        strokes="AB",
        words="<AB> is a radius of <circle o>; <circle o> has radius <AB>",
    )
    yield _incidence(
        "chord",
        "ABo",
        orders.pair,
        r.chord,
        strokes="AB",
        words="<AB> is a chord of <circle o>; <circle o> has chord <AB>",
    )
    yield _incidence(
        "tangent",
        "ABo",
        orders.pair,
        r.tangent,
        strokes="AB",
        words="<AB> is tangent to <circle o>; <AB> touches <circle o>; <AB> is a tangent to <circle o>",
        readings="<AB> is a tangent[ line| segment] (to|of) <circle o>; <circle o> is tangent to <AB>",
    )
    yield _incidence(
        "on_circle",
        "Ao",
        residual=r.on_circle,
        words="<A> lies on <circle o>; <A> is on <circle o>; <circle o> passes through <A>",
        readings="<A> [is a point |lying ]on <circle o>",
    )
    yield _incidence(
        "outside_circle",
        "Ao",
        residual=r.outside_circle,
        truth=outside_truth,
        words="<A> lies outside <circle o>; <A> is outside <circle o>",
        readings="<A> is a point outside[ of] <circle o>; <A> lies in the exterior of <circle o>",
    )
    yield _incidence(
        "inside_circle",
        "Ao",
        residual=r.inside_circle,
        truth=inside_circle_truth,
        words="<A> lies inside <circle o>; <A> is inside <circle o>",
        readings="<A> is a point inside[ of] <circle o>; <A> (is|lies) in the interior of <circle o>",
    )
    yield _incidence(
        "inside",
        "P ABC+",
        orders.head_and_ring,
        truth=inside_truth,
        words="<P> lies inside <polygon ABC+>; <P> is inside <polygon ABC+>",
        readings="<P> is a point inside <polygon ABC+>; <P> (is|lies) in the interior of <polygon ABC+>",
    )
    yield _incidence(
        "midpoint",
        "MAB",
        orders.head_and_pair,
        r.midpoint,
        strokes="AB",
        words="<M> is the midpoint of <AB>; the midpoint of <AB> is <M>; <M> bisects <AB>",
    )
    yield _incidence(
        "collinear",
        "ABC+",
        orders.any_order,
        r.collinear,
        strokes="ABC*",
        words="<B> lies on <AC>; <B> is a point on <AC>; <B> is on <AC>; <list ABC+> are collinear",
        readings=(
            "<B> [(lying|located|is located|is placed) ]on <AC>; <B> (is|lies) between <A> and <C>; "
            "<list ABC+> lie on (a|one|the same)[ straight] line; "
            "<list ABC+> (are collinear|lie on (a|one|the same)[ straight] line) in (this|that) order"
        ),
    )
    yield _incidence(
        "intersection",
        "PABCD",
        orders.head_and_two_pairs,
        r.intersection,
        differ=orders.point_and_two_lines,
        strokes="AB CD",
        words="<AB> and <CD> intersect at <P>; <AB> meets <CD> at <P>; <P> is the intersection of <AB> and <CD>",
        readings=(
            f"<AB> and <CD> {_MEET} <P>; "
            "<AB> (intersects|crosses) <CD> at <P>; "
            "<P> is a (intersection point|point of intersection|crossing point) of <AB> and <CD>"
        ),
    )
    yield _drawn(
        "segment",
        "AB",
        orders.pair,
        strokes="AB",
        words="segment <AB> is drawn; <A> and <B> are joined; <A> is joined to <B>",
        readings="<AB> is a segment; <A> and <B> are connected; <A> is connected to <B>",
    )
    yield _incidence(
        "altitude",
        "PF ABC",
        orders.line_and_triangle,
        r.altitude,
        truth=foot_truth,
        differ=orders.foot_and_triangle,
        fits=orders.leaves_corner,
        strokes="PF ABC+",
        words="<PF> is an altitude of <triangle ABC>; <triangle ABC> has altitude <PF>",
        readings="<PF> is an altitude of <triangle ABC> from <P>[ to <BC>]",
    )
    yield _incidence(
        "median",
        "PF ABC",
        orders.line_and_triangle,
        r.median,
        truth=median_truth,
        differ=orders.foot_and_triangle,
        fits=orders.leaves_one_corner,
        strokes="PF ABC+",
        words="<PF> is a median of <triangle ABC>; <triangle ABC> has median <PF>",
        readings="<PF> is a median of <triangle ABC> from <P>[ to <BC>]",
    )
    yield _incidence(
        "bisector",
        "DABC",
        orders.head_and_angle,
        r.bisector,
        condition=inside_angle,
        strokes="DB AB BC",
        words="<BD> bisects <angle ABC>; <BD> is the bisector of <angle ABC>",
        readings="<BD> is an angle bisector of <angle ABC>",
    )
    yield _incidence(
        "midsegment",
        "MN ABC+",
        orders.pair_and_polygon,
        r.midsegment,
        strokes="MN ABC+",
        words="<MN> is a midsegment of <polygon ABC+>",
        readings="<MN> is a midline of <polygon ABC+>",
    )
    yield _incidence(
        "orthocentre",
        "P ABC",
        orders.head_and_ring,
        r.orthocentre,
        strokes="ABC+",
        words="<P> is the orthocentre of <triangle ABC>",
        readings="<P> is the orthocenter of <triangle ABC>; the (orthocenter|orthocentre) of <triangle ABC> is <P>",
    )
    for name, residual in (("incentre", r.incentre), ("centroid", r.centroid), ("circumcentre", r.circumcentre)):
        american = name.replace("centre", "center")
        yield _incidence(
            name,
            "P ABC+",
            orders.head_and_ring,
            residual,
            strokes="ABC+",
            words=f"<P> is the {name} of <polygon ABC+>",
            readings=f"<P> is the {american} of <polygon ABC+>; the ({name}|{american}) of <polygon ABC+> is <P>",
        )


def list_relations() -> Iterator[Predicate]:
    """How lines, angles and figures relate. Equations and signs between them are read in any number."""
    yield _relation(
        "parallel",
        "ABCD",
        orders.two_pairs,
        r.parallel,
        condition=distinct_lines,
        differ=orders.two_lines,
        strokes="AB CD",
        words=r"<AB> \parallel <CD>; <AB> is parallel to <CD>; <AB> and <CD> are parallel",
    )
    yield _relation(
        "perpendicular",
        "ABCD",
        orders.two_pairs,
        r.perpendicular,
        differ=orders.two_lines,
        strokes="AB CD",
        words=r"<AB> \perp <CD>; <AB> is perpendicular to <CD>; <AB> and <CD> are perpendicular",
    )
    for name, sign in (("congruent", r"\cong"), ("similar", r"\sim")):
        yield _relation(
            name,
            "ABC+ PQR+",
            orders.correspondence,
            r.congruent if name == "congruent" else r.similar,
            differ=orders.two_figures,
            strokes="ABC+ PQR+",
            words=(
                f"<shape ABC+> {sign} <shape PQR+>; <shape ABC+> is {name} to <shape PQR+>; "
                f"<shape ABC+> and <shape PQR+> are {name}"
            ),
        )
    yield _relation(
        "equal_length",
        "ABCD",
        orders.two_pairs,
        r.equal_length,
        differ=orders.two_lines,
        strokes="AB CD",
        words="<AB> = <CD>; <AB> and <CD> are equal in length; <AB> is equal to <CD>",
        readings=r"<AB> \cong <CD>",
    )
    yield _relation(
        "equal_angle",
        "ABCDEF",
        orders.two_angles,
        r.equal_angle,
        differ=orders.two_corners,
        strokes="AB BC DE EF",
        words="<angle ABC> = <angle DEF>; <angle ABC> is equal to <angle DEF>; <angle ABC> and <angle DEF> are equal",
        readings=r"<angle ABC> \cong <angle DEF>",
    )


def list_proportions() -> Iterator[Predicate]:
    """Relations with a number that no picture writes: it is seen, as equal lengths are."""
    yield _relation(
        "perpendicular_bisector",
        "PQAB",
        orders.two_pairs_in_order,
        r.perpendicular_bisector,
        differ=orders.two_lines,
        strokes="PQ AB",
        words="<PQ> is the perpendicular bisector of <AB>",
        readings="<PQ> perpendicularly bisects <AB>",
    )
    yield _relation(
        "ratio",
        "ABCD",
        orders.two_pairs_in_order,
        r.ratio,
        value="ratio",
        differ=orders.two_lines,
        strokes="AB CD",
        words="<AB> = <v> \\cdot <CD>; the ratio of <AB> to <CD> is <v>",
        readings="<AB> = <v> * <CD>",
    )
    yield _relation(
        "angle_sum",
        "ABCDEF",
        orders.two_angles,
        r.angle_sum,
        value="angle",
        differ=orders.two_corners,
        strokes="AB BC DE EF",
        words="<angle ABC> + <angle DEF> = <d>",
        readings="the sum of <angle ABC> and <angle DEF> is <d>",
    )


def list_measures() -> Iterator[Predicate]:
    """The numbers and expressions that are written in a picture."""
    yield _measure(
        "length",
        "AB",
        orders.pair,
        r.length,
        value="length",
        strokes="AB",
        words="<AB> = <v>; the length of <AB> is <v>; <AB> has length <v>; <AB> measures <v>; <AB> is <v> long",
        readings=(
            "the length of <AB> (equals|=) <v>; "
            "<AB> (has a length[ of]|is[ (labelled|labeled|marked)[ as| with]]|equals|is of length) <v>[ long]"
        ),
    )
    yield _measure(
        "angle",
        "ABC",
        orders.one_angle,
        r.angle,
        value="angle",
        strokes="AB BC",
        words="<angle ABC> = <d>; <angle ABC> measures <d>; the measure of <angle ABC> is <d>",
        readings="the measure of <angle ABC> (equals|=) <d>; "
        "<angle ABC> (is[ (labelled|labeled|marked)[ as| with]]|equals) <d>",
    )
    yield _measure(
        "arc",
        "ABo",
        orders.pair,
        r.arc,
        value="angle",
        words="<arc AB> of <circle o> measures <d>; the measure of <arc AB> of <circle o> is <d>",
        readings="[the measure of ]<arc AB> (of|on) <circle o> (measures|is|=) <d>",
    )
    yield _measure(
        "radius",
        "o",
        residual=r.radius,
        value="length",
        words="the radius of <circle o> is <v>; <circle o> has radius <v>",
        readings=(
            "the radius of <circle o> (equals|=) <v>; <circle o> has a radius[ of] <v>; "
            "the diameter of <circle o> (is|equals|=) <h>; <circle o> has a diameter[ of] <h>"
        ),
    )
    yield _measure(
        "side_length",
        "ABC+",
        orders.cyclic,
        r.side_length,
        value="length",
        strokes="ABC+",
        words="<shape ABC+> has side length <v>",
        readings="the side length of <shape ABC+> (is|equals|=) <v>; <shape ABC+> has sides of length <v>",
    )
    yield _measure(
        "perimeter",
        "ABC+",
        orders.cyclic,
        r.perimeter,
        value="length",
        strokes="ABC+",
        words="the perimeter of <shape ABC+> is <v>",
        readings="the perimeter of <shape ABC+> (equals|=) <v>",
    )
    yield _measure(
        "area",
        "ABC+",
        orders.cyclic,
        r.area,
        value="area",
        strokes="ABC+",
        words="the area of <shape ABC+> is <v>",
        readings="the area of <shape ABC+> (equals|=) <v>",
    )
