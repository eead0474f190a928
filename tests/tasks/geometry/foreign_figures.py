"""What the figures of `scripts/` show, one line each: labelled points, lines, circles and marks, in data coordinates.

Lines are named by the first and the last labelled point on them (``AB CD``; ``A'-B'`` where names are longer), circles
by their centre's label or place, marks by kind, points and value (``length AB 8``). ``problem`` says what a script
must be refused for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

SCRIPTS = Path(__file__).with_name("scripts")
Point = tuple[float, float]


@dataclass(frozen=True)
class Expected:
    """One script's figure. ``unit`` is how often the written lengths are longer than those drawn."""

    points: Mapping[str, Point] = field(default_factory=dict)
    lines: str = ""
    circles: tuple[tuple[str | Point, float], ...] = ()
    marks: str = ""
    unit: float = 1.0
    problem: str = ""


def on(radius: float, *degrees: float) -> list[Point]:
    """Points of a circle about the origin."""
    return [(radius * math.cos(math.radians(d)), radius * math.sin(math.radians(d))) for d in degrees]


def name(letters: str, places: list[Point]) -> dict[str, Point]:
    """Points by one letter each."""
    return dict(zip(letters, places, strict=True))


def turn(degrees: float, *points: Point) -> list[Point]:
    """Points turned about the origin."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return [(x * c - y * s, x * s + y * c) for x, y in points]


_TOUCH = on(2, math.degrees(math.acos(0.4)), -math.degrees(math.acos(0.4)))
_SLOPE = 1.5 / math.tan(math.radians(60))
_QUARTER = {"A": (0.0, 0.0), "B": (4.0, 0.0), "C": (4.0, 3.0), "D": (0.0, 3.0)}
_BISECTED = math.hypot(3, 6) / (math.hypot(3, 6) + math.hypot(5, 6))
_LENS = (9 + 4 - 2.25) / 6
_ROOT3 = math.sqrt(3)

FIGURES: dict[str, Expected] = {
    "01_annotate_offset_points": Expected(name("ABC", [(0, 0), (6, 0), (1.5, 4)]), "AB BC CA"),
    "02_text_data_offsets": Expected(
        name("ABCD", [(0, 0), (4, 0), (4, 4), (0, 4)]), "AB BC CD DA AC", marks="length AB 8", unit=2
    ),
    "03_ha_va_labels": Expected(
        name("PQR", [(0, 0), (5, 0), (5, 3)]), "PQ QR RP", marks="right PQR, length PQ 5, length QR 3"
    ),
    "04_mathrm_polygon_patch": Expected(name("ABCD", [(0, 0), (5, 0), (6.5, 2.5), (1.5, 2.5)]), "AB BC CD DA"),
    "05_coordinate_labels": Expected(name("ABC", [(0, 0), (4, 0), (0, 3)]), "AB BC CA"),
    "06_circle_patch_chord": Expected({"O": (0, 0)} | name("AB", on(3, 200, 320)), "OA OB AB", (("O", 3),)),
    "07_dense_circle_tangent": Expected({"O": (0, 0), "P": (5, 0)} | name("AB", _TOUCH), "PA PB OA OB", (("O", 2),)),
    "08_arc_angle_mark": Expected(name("ABC", [(0, 0), (6, 0), *on(6, 50)]), "AB BC CA", marks="angle BAC 50"),
    "09_param_angle_arc": Expected(
        name("XYZ", [(0, 0), (7, 0), (2, 4)]), "XY YZ ZX", marks="angle YXZ 63, angle XYZ x"
    ),
    "10_line2d_add_line": Expected(name("KLMNP", [(1, 2), (9, 2), (7, 8), (3, 8), (5, 6)]), "KL LM MN NK KM LN"),
    "11_line_collection": Expected(name("ABCD", [(0, 0), (8, 0), (5, 6), (4, 0)]), "AB BC CA CD"),
    "12_hlines_vlines": Expected(
        name("EFGH", [(0, 0), (5, 0), (5, 3), (0, 3)]), "EF FG GH HE", marks="length EF 5, length FG 3"
    ),
    "13_rotation_matrix": Expected(name("ABCD", turn(30, (0, 0), (4, 0), (4, 2), (0, 2))), "AB BC CD DA"),
    "14_class_based": Expected(name("ABCDE", [(0, 0), (6, 0), (2, 5), (1, 2.5), (4, 2.5)]), "AB BC AC DE"),
    "15_dataclass_points": Expected(
        name("ABCMNLG", [(0, 0), (8, 1), (3, 6), (5.5, 3.5), (1.5, 3), (4, 0.5), (11 / 3, 7 / 3)]),
        "AB BC CA AM BN CL",
    ),
    "16_complex_numbers": Expected(
        {"O": (0, 0)} | name("ABCDEF", on(1, 0, 60, 120, 180, 240, 300)), "AB BC CD DE EF FA AD"
    ),
    "17_sympy_triangle": Expected(
        name("ABCO", [(0, 0), (6, 0), (1, 4), (3, 11 / 8)]), "AB BC CA", (("O", math.hypot(3, 11 / 8)),)
    ),
    "18_sympy_incircle": Expected(name("ABCI", [(0, 0), (8, 0), (0, 6), (2, 2)]), "AB BC CA", (("I", 2),)),
    "19_scatter_points": Expected(name("ABCDE", [(0, 0), (6, 0), (6, 4), (0, 4), (3, 2)]), "AB BC CD DA AC BD"),
    "20_dimension_arrows": Expected(
        name("ABCD", [(0, 0), (6, 0), (6, 4), (0, 4)]),
        "AB BC CD DA",
        marks="length AB 12, length BC 8",
        unit=2,
    ),
    "21_label_bbox_white": Expected(
        name("ABC", [(0, 0), (7, 0), (4, 5)]), "AB BC CA", marks="length AB 7.0, length BC 5.8, length CA 6.4"
    ),
    "22_inverted_y": Expected(name("ABC", [(60, 340), (420, 340), (300, 80)]), "AB BC CA"),
    "23_inverted_x": Expected(name("UVWH", [(0, 0), (5, 0), (2, 4), (2, 0)]), "UV VW WU WH"),
    "24_axes_ticks_left_on": Expected(name("ABC", [(1, 1), (6, 2), (3, 6)]), "AB BC CA"),
    "25_cartesian_line_equation": Expected(name("OAB", [(0, 0), (1, 0), (0, -2)]), "AB OA OB"),
    "26_parabola_and_chord": Expected(name("OAB", [(0, 0), (-2, 2), (3, 4.5)]), "AB"),
    "27_two_panels_one_empty": Expected(_QUARTER, "AB BC CD DA"),
    "28_two_panels_both": Expected(problem="more than one panel"),
    "29_fill_between_shaded": Expected(name("ABCD", [(0, 0), (6, 0), (2, 4), (2, 0)]), "AB BC CA CD"),
    "30_shaded_sector_wedge": Expected({"O": (0, 0)} | name("AB", on(4, 20, 110)), "OA OB", (("O", 4),)),
    "31_right_angle_rectangle_patch": Expected(
        name("ABC", [(0, 6), (8, 0), (0, 0)]),
        "AB BC CA",
        marks="right ACB, length AC 6, length BC 8, length AB x",
    ),
    "32_right_angle_polygon_patch": Expected(
        name("ABCDE", [(0, 0), (9, 0), (3, 5), (3, 0), (27 * 3 / 34, 27 * 5 / 34)]),
        "AB BC CA CD BE",
        marks="right BDC, right BEA",
    ),
    "33_tick_marks": Expected(name("ABC", [(0, 0), (4, 0), (2, 5)]), "AB BC CA", marks="ticks AC 2, ticks BC 2"),
    "34_parallel_arrows": Expected(
        name("ABCD", [(0, 0), (7, 0), (5.5, 3), (1.5, 3)]), "AB BC CD DA", marks="parallel AB 1, parallel CD 1"
    ),
    "35_transversal_rays": Expected(
        name(
            "ABCDEFGH",
            [
                (-4, 1.5),
                (4, 1.5),
                (-4, -1.5),
                (4, -1.5),
                (_SLOPE, 1.5),
                (-_SLOPE, -1.5),
                (2 * _SLOPE, 3),
                (-2 * _SLOPE, -3),
            ],
        ),
        "AB CD GH",
        marks="angle BEG 60",
    ),
    "36_half_scale": Expected(
        name("ABCDO", [(-3, 0), (0, -1.25), (3, 0), (0, 1.25), (0, 0)]),
        "AB BC CD DA AC BD",
        marks="length CD 13",
        unit=4,
    ),
    "37_large_dpi": Expected(
        name("ABCD", [(0, 0), (10, 0), (4, 7), (4, 0)]), "AB BC CA CD", marks="length CD 7, right CDB"
    ),
    "38_small_figure": Expected(name("ABC", [(0, 0), (3, 0), (3, 2)]), "AB BC CA"),
    "39_large_figure": Expected(name("ABCD", on(5, 35, 140, 215, 310)), "AB BC CD DA", (((0, 0), 5),)),
    "40_regular_polygon_patch": Expected(name("ABCDE", on(3, 90, 162, 234, 306, 378)), "AB BC CD DE EA"),
    "41_rectangle_rotated_patch": Expected(
        name("PQRS", [(1 + x, 1 + y) for x, y in turn(20, (0, 0), (5, 0), (5, 3), (0, 3))]), "PQ QR RS SP"
    ),
    "42_primes_and_subscripts": Expected(
        {"A": (1, 1), "B": (3, 1), "C": (1.5, 3), "A'": (5, 2), "B'": (7, 2), "C'": (5.5, 4)},
        "AB BC CA A'-B' B'-C' C'-A'",
    ),
    "43_subscript_centres": Expected(
        {"O1": (0, 0), "O2": (3, 0), "A": (_LENS, math.sqrt(4 - _LENS**2)), "B": (_LENS, -math.sqrt(4 - _LENS**2))},
        "AB O1-O2",
        (("O1", 2), ("O2", 1.5)),
    ),
    "44_figure_text_and_suptitle": Expected(name("ABC", [(0, 0), (5, 0), (3, 4)]), "AB BC CA"),
    "45_savefig_twice_show": Expected(name("ABCD", [(-3, 0), (3, 0), (0, 4), (0, 0)]), "AB BC CA CD"),
    "46_style_context_legend": Expected(name("ABCMN", [(0, 0), (6, 0), (2, 5), (1, 2.5), (4, 2.5)]), "AB BC CA MN"),
    "47_arrow_axes_quadrant": Expected(name("OAB", [(0, 0), (4, 0), (0, 3)]), "OA OB AB"),
    "48_contour_circle": Expected(name("ABCO", [(-3, 0), (3, 0), (1, math.sqrt(8)), (0, 0)]), "AB AC BC", (("O", 3),)),
    "49_semicircle_diameter": Expected(name("ABOC", [(-3, 0), (3, 0), (0, 0), *on(3, 65)]), "AB AC BC", (("O", 3),)),
    "50_points_as_small_circles": Expected(name("ABCD", [(0, 0), (5, 0.5), (4, 4), (0.5, 3.5)]), "AB BC CD DA"),
    "51_open_circle_markers": Expected(name("ABCD", [(0, 0), (6, 0), (2, 4.5), (4.4, 1.8)]), "AB BC CA AD"),
    "52_leader_arrow_labels": Expected(name("ABCO", [(-2, 0), (2, 0), (0, 2), (0, 0)]), "AB OC", (("O", 2),)),
    "53_length_equations": Expected(
        name("ABC", [(0, 0), (6, 0), (6, 4.5)]),
        "AB BC CA",
        marks="length AB 6, length BC 4.5, angle BAC 36.9",
    ),
    "54_rotated_side_labels": Expected(
        name("WXYZ", [(0, 0), (8, 0), (6, 4), (2, 4)]),
        "WX XY YZ ZW",
        marks=r"length WX 8, length XY 2\sqrt{5}, length YZ 4, length ZW 2\sqrt{5}",
    ),
    "55_sparse_angle_arcs": Expected(
        name("ABC", [(0, 0), (5, 0), *on(5, 60)]),
        "AB BC CA",
        marks="angle BAC 60, arcs ABC 1, arcs ACB 1",
    ),
    "56_dense_segments": Expected(name("ABCD", [(0, 0), (6, 0), (7.5, 3), (1.5, 3)]), "AB BC CD DA AC"),
    "57_nonagon_polyline": Expected(
        name("ABCDEFGHI", on(4, *(90 + 40 * k for k in range(9)))), "AB BC CD DE EF FG GH HI IA"
    ),
    "58_incircle_touch_points": Expected(
        name("ABCDEFI", [(0, 0), (14, 0), (5, 12), (9.2, 6.4), (30 / 13, 72 / 13), (6, 0), (6, 4)]),
        "AB BC CA DI EI FI",
        (("I", 4),),
    ),
    "59_inscribed_angle_helper": Expected(
        {"O": (0, 0)} | name("ABC", on(4, 90, 215, 325)), "AB AC OB OC", (("O", 4),), marks="angle BOC 110"
    ),
    "60_angle_wedge_marks": Expected(
        name("ABC", [(0, 0), (6, 0), (1.5, 4)]), "AB BC CA", marks="angle ABC 42, angle BAC \\alpha"
    ),
    "61_hatched_segment_region": Expected({"O": (0, 0)} | name("AB", on(3, 150, 30)), "AB OA OB", (("O", 3),)),
    "62_pathpatch": Expected(name("ABCDO", [(0, 0), (6, 0), (8, 3), (2, 3), (4, 1.5)]), "AB BC CD DA AC BD"),
    "63_point_word_labels": Expected(name("ABC", [(0, 0), (6, 0), (6, 3.5)]), "AB BC CA"),
    "64_crowded_labels_ambiguous": Expected(problem="label C stands at no point"),
    "65_arc_patch_semicircles": Expected(name("AOB", [(0, 0), (4, 0), (8, 0)]), "AB", (("O", 4), ((2, 0), 2))),
    "66_axline_infinite": Expected(name("ABCDE", [(0, 1), (0, 4), (2, 2), (4, 0), (-2, 0)]), "AB BD DE EC"),
    "67_spines_through_origin": Expected(name("OAB", [(0, 0), (4, 0), (0, 3)]), "OA OB AB"),
    "68_two_circles_meeting": Expected(
        name("ABPQ", [(0, 0), (3, 0), (1.875, math.sqrt(6.25 - 1.875**2)), (1.875, -math.sqrt(6.25 - 1.875**2))]),
        circles=(("A", 2.5), ("B", 2)),
    ),
    "69_quarter_arcs_in_square": Expected(
        name("ABCD", [(0, 0), (4, 0), (4, 4), (0, 4)]),
        "AB BC CD DA",
        (("A", 4), ("C", 4)),
        marks="length AB 4",
    ),
    "70_label_between_two_points": Expected(problem="label B could name"),
    "71_numbered_angles": Expected(
        name("ABCDEF", [(0, 1), (8, 1), (0, 4), (8, 4), (3, 1), (5, 4)]),
        "AB CD EF",
        marks="arcs BEF 1, arcs CFE 1",
    ),
    "72_vectors_quiver": Expected(name("OABC", [(0, 0), (4, 1), (1, 3), (5, 4)]), "OA OB AC BC"),
    "73_offset_copy_transform": Expected(name("ABCD", on(3, 90, 0, -90, 180))),
    "74_unequal_axes_default": Expected(name("ABCD", [(0, 0), (10, 0), (10, 4), (0, 4)]), "AB BC CD DA AC"),
    "75_small_figures_in_a_grid": Expected(
        name("ABCPQR", [(1, 1), (4, 1), (1, 3), (-6, -6), (-5, -6), (-5, -5)]), "AB BC CA PQ QR RP"
    ),
    "76_touching_circles": Expected(
        name("ABMNT", [(0, 0), (math.sqrt(24), 0), (0, 3), (math.sqrt(24), 2), (0.6 * math.sqrt(24), 2.4)]),
        "AB",
        (("M", 3), ("N", 2)),
    ),
    "77_overlaid_fill": Expected(
        name("ABCDE", [(0, 0), (6, 0), (6, 4), (0, 4), (3, 4)]),
        "AB BC CD DA AE BE",
        marks="length AB 6, length BC 4",
    ),
    "78_open_rays": Expected(
        {"O": (0, 0)} | name("ABC", on(4, 10, 45, 80)), "OA OB OC", marks="angle AOB 35, angle BOC 35"
    ),
    "79_double_arcs": Expected(
        name("ABCD", [(0, 0), (8, 0), (3, 6), (8 * _BISECTED, 0)]),
        "AB BC CA CD",
        marks="arcs ACD 2, arcs DCB 2",
    ),
    "80_concentric_circles": Expected(
        {"O": (1, 1)} | name("ABCDEF", [(x + 1, y + 1) for x, y in on(4, 30, 150, 270) + on(2, 30, 150, 270)]),
        "OA OB OC",
        (("O", 2), ((1, 1), 4)),
    ),
}
