"""Every wording of a claim that the parser reads, with the facts that it states."""

from __future__ import annotations

import re

from storage.rows import Fact
from tasks.geometry.captions.builders import (
    state_bisector,
    state_centre,
    state_cevian,
    state_each,
    state_inscribed,
    state_intersection,
    state_kind,
    state_line_of_circle,
    state_midsegment,
    state_on_segment,
    state_pairwise_midpoints,
    state_pairwise_on_segments,
    state_polygon,
    state_right_angle,
    state_right_angle_at,
    state_shape,
    state_vertices,
)
from tasks.geometry.captions.grammar import (
    DEGREES,
    LABEL,
    TERM,
    UNIT,
    Build,
    clean_value,
    compile_template,
    fill_angle,
    get_circle,
    relate,
    split_labels,
    state,
)

_ART = r"(?:(?:a|an|the|one) )?"
_IS = r"(?:is|are|be|being|as|,)"
_DRAWN = r"(?: (?:is|are) (?:drawn|shown|given|present|depicted))?"
_AT = r"(?: at <P:at>)?"
_PAIR_WORDS = r"(?:(?:the )?(?:segments|sides|lines|diagonals|angles) )?"

PATTERNS: tuple[tuple[re.Pattern[str], Build], ...] = tuple(
    (compile_template(template), build)
    for template, build in (
        # measures in words
        (
            rf"(?:the )?length of <seg:a> (?:is|equals|=) <val:v>{UNIT}",
            lambda g: (state("length", *split_labels(g["a"]), value=clean_value(g["v"])),),
        ),
        (
            rf"<seg:a> (?:has (?:a )?length(?: of)?|measures|is(?: (?:labell?ed|marked))?|equals|is of length) "
            rf"<val:v>{UNIT}(?: long)?",
            lambda g: (state("length", *split_labels(g["a"]), value=clean_value(g["v"])),),
        ),
        (
            rf"(?:the )?measure of <ang:a> (?:is|equals|=) <val:v>{DEGREES}",
            lambda g: (state("angle", *fill_angle(split_labels(g["a"])), value=clean_value(g["v"])),),
        ),
        (
            rf"<ang:a> (?:measures|is(?: (?:labell?ed|marked))?|equals) <val:v>{DEGREES}",
            lambda g: (state("angle", *fill_angle(split_labels(g["a"])), value=clean_value(g["v"])),),
        ),
        (
            rf"<ang:a> {_IS} {_ART}right angle",
            lambda g: (state_right_angle(split_labels(g["a"]), split_labels(g["a"])[1]),)
            if len(split_labels(g["a"])) == 3
            else (state("angle", *fill_angle(split_labels(g["a"])), value="90"),),
        ),
        (
            rf"(?:the )?radius of <circ:o> (?:is|equals|=) <val:v>{UNIT}",
            lambda g: (state("radius", get_circle(g, "o"), value=clean_value(g["v"])),),
        ),
        (
            rf"<circ:o> has (?:a )?radius(?: of)? <val:v>{UNIT}",
            lambda g: (state("radius", get_circle(g, "o"), value=clean_value(g["v"])),),
        ),
        (
            rf"(?:(?:the )?measure of )?arc (?P<p>{LABEL})(?P<q>{LABEL}) (?:of|on) <circ:o> (?:measures|is|=) "
            rf"<val:v>{DEGREES}",
            lambda g: (state("arc", g["p"], g["q"], get_circle(g, "o"), value=clean_value(g["v"])),),
        ),
        # relations in words
        (
            rf"(?P<a>{TERM}) (?:is|runs) (?P<word>equal|congruent|parallel|perpendicular|similar) (?:in length )?"
            rf"(?:to|with) (?P<b>{TERM})(?: at <P:foot>)?",
            relate,
        ),
        (
            rf"(?P<a>{TERM}) equals (?P<b>{TERM})",
            lambda g: relate({**g, "word": "equal"}),
        ),
        (
            rf"{_PAIR_WORDS}(?P<a>{TERM}) and (?P<b>{TERM}) are (?:both )?"
            r"(?P<word>equal|congruent|parallel|perpendicular|similar)(?: in length| to each other)?(?: at <P:foot>)?",
            relate,
        ),
        (
            rf"{_PAIR_WORDS}(?P<a>{TERM}) and (?P<b>{TERM}) have (?:the same|equal) (?:length|measure)s?",
            lambda g: relate({**g, "word": "equal"}),
        ),
        (
            rf"(?P<a>{TERM}) \\perp (?P<b>{TERM}) at <P:foot>",
            lambda g: relate({**g, "word": "perpendicular"}),
        ),
        # triangles
        (rf"{_ART}<kind:k> <tri:x>{_DRAWN}", lambda g: state_kind(g["k"], split_labels(g["x"]))),
        (
            rf"<tri:x> {_IS} {_ART}<kind:k>(?: triangle)?",
            lambda g: state_kind(g["k"], split_labels(g["x"])),
        ),
        (
            rf"{_ART}(?:right|right-angled) <tri:x>,? (?:with (?:its |the |a )?right angle at|right-angled at) <P:v>",
            state_right_angle_at,
        ),
        (
            r"<tri:x> (?:is right-angled|is right|is a right triangle|has (?:a|its|the) right angle)"
            r"(?: with (?:its |the |a )?right angle)? at <P:v>",
            state_right_angle_at,
        ),
        (rf"(?:in )?<tri:x>{_DRAWN}", lambda g: (Fact("triangle", split_labels(g["x"])),)),
        (r"<list:p> (?:form|are (?:the )?vertices of) <tri:x>", lambda g: state_vertices(g, "triangle")),
        (r"<tri:x> has (?:the )?vertices <list:p>", lambda g: state_vertices(g, "triangle")),
        # quadrilaterals and polygons
        (rf"(?:in )?{_ART}<shape:k> <quad:x>{_DRAWN}", lambda g: state_shape(g["k"], g["x"])),
        (rf"<quad:x> {_IS} {_ART}<shape:k>", lambda g: state_shape(g["k"], g["x"])),
        (
            r"(?:quadrilateral )?<quad:a> (?:is )?(?P<word>congruent|similar) to (?:quadrilateral )?<quad:b>",
            lambda g: (Fact(g["word"], split_labels(g["a"]) + split_labels(g["b"])),),
        ),
        (rf"{_ART}(?P<regular>regular )?<poly:poly> <run:x>{_DRAWN}", state_polygon),
        (rf"<run:x> {_IS} {_ART}(?P<regular>regular )?<poly:poly>", state_polygon),
        # points and segments
        (rf"<P:p> {_IS} {_ART}mid-?point of <seg:a>", lambda g: (state("midpoint", g["p"], *split_labels(g["a"])),)),
        (r"<P:p>,? the mid-?point of <seg:a>", lambda g: (state("midpoint", g["p"], *split_labels(g["a"])),)),
        (r"(?:the )?mid-?point of <seg:a> is <P:p>", lambda g: (state("midpoint", g["p"], *split_labels(g["a"])),)),
        (
            r"<P:p> and <P:q> are (?:the )?mid-?points of <seg:a> and <seg:b>(?:,? respectively)?",
            state_pairwise_midpoints,
        ),
        (r"<P:p> bisects <seg:a>", lambda g: (state("midpoint", g["p"], *split_labels(g["a"])),)),
        (
            r"<P:p> (?:is(?: a point)?|lies|lying|located|is located|is placed)? ?on <seg:a>",
            state_on_segment,
        ),
        (r"<P:p> (?:is|lies) between <P:a1> and <P:b1>", lambda g: (state("collinear", g["a1"], g["p"], g["b1"]),)),
        (r"<list:p> (?:lie|are)(?: points)?(?: both| all)? on <seg:a>", state_on_segment),
        (
            r"<P:p> and <P:q> (?:lie|are)(?: points)? on <seg:a> and <seg:b>,? respectively",
            state_pairwise_on_segments,
        ),
        (
            r"<list:p> (?:are collinear|lie on (?:a|one|the same)(?: straight)? line)(?: in (?:this|that) order)?",
            lambda g: (Fact("collinear", split_labels(g["p"])),),
        ),
        (
            rf"{_PAIR_WORDS}<seg:a> and <seg:b> (?:intersect|meet|cross)(?: each other)? at <P:p>",
            state_intersection,
        ),
        (r"<seg:a> (?:intersects|meets|crosses) <seg:b> at <P:p>", state_intersection),
        (
            rf"<P:p> {_IS} {_ART}(?:intersection(?: point)?|point of intersection|crossing point) of "
            rf"{_PAIR_WORDS}<seg:a> and <seg:b>",
            state_intersection,
        ),
        (r"<seg:a> (?:is|are) (?:drawn|a segment)", lambda g: (Fact("segment", split_labels(g["a"])),)),
        (r"<P:p> and <P:q> are (?:joined|connected)", lambda g: (state("segment", g["p"], g["q"]),)),
        (r"<P:p> is (?:joined|connected) to <P:q>", lambda g: (state("segment", g["p"], g["q"]),)),
        # lines of a triangle
        (
            rf"<seg:a> {_IS} {_ART}altitude of <tri:x>(?: from <P:f>)?(?: to <seg:s>)?",
            state_cevian("altitude"),
        ),
        (rf"<seg:a> {_IS} {_ART}median of <tri:x>(?: from <P:f>)?(?: to <seg:s>)?", state_cevian("median")),
        (
            rf"<seg:a> {_IS} {_ART}(?:midsegment|midline) of (?:\\triangle ?|triangle |quadrilateral )<run:x>",
            state_midsegment,
        ),
        (
            rf"<P:p> {_IS} {_ART}(?P<word>incent(?=re|er)|circumcent(?=re|er)|cent(?=roid))(?:re|er|roid) of "
            r"(?:\\triangle ?|triangle |quadrilateral )<run:x>",
            state_centre,
        ),
        (r"<seg:a> bisects <ang:x>", state_bisector),
        (rf"<seg:a> {_IS} {_ART}(?:angle )?bisector of <ang:x>", state_bisector),
        # circles
        (r"<list:p> (?:lie|are)(?: points)?(?: all)? on <circ:o>", state_each("on_circle")),
        (r"<P:p> (?:is(?: a point)?|lies|lying)? ?on <circ:o>", state_each("on_circle")),
        (r"<circ:o> passes through <list:p>", state_each("on_circle")),
        (r"<circ:o> passes through <P:p>", state_each("on_circle")),
        (r"(?:(?:\\triangle ?|triangle |quadrilateral ))?<run:x> is inscribed in <circ:o>", state_inscribed),
        (rf"<P:p> {_IS} {_ART}cent(?:re|er) of <circ:o>", state_each("centre")),
        (r"<circ:o> (?:is cent(?:re|er)ed at|has (?:its )?cent(?:re|er)) <P:p>", state_each("centre")),
        (rf"<seg:a> {_IS} {_ART}diameter of <circ:o>", state_line_of_circle("diameter")),
        (rf"<seg:a> {_IS} {_ART}chord of <circ:o>", state_line_of_circle("chord")),
        (rf"<seg:a> {_IS} {_ART}tangent (?:to|of) <circ:o>{_AT}", state_line_of_circle("tangent")),
        (rf"<seg:a> (?:touches|is tangent to) <circ:o>{_AT}", state_line_of_circle("tangent")),
        (rf"<circ:o> is tangent to <seg:a>{_AT}", state_line_of_circle("tangent")),
        (r"<circ:o>(?: is (?:drawn|shown))", lambda g: (state("circle", get_circle(g, "o")),)),
        (r"(?:in |there is )<circ:o>", lambda g: (state("circle", get_circle(g, "o")),)),
    )
)  # fmt: skip
