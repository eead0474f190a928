"""From the words of a claim to its facts: one function for each sort of claim that needs more than its letters."""

from __future__ import annotations

from storage.rows import Fact
from tasks.geometry.captions.grammar import (
    Build,
    ClaimError,
    Groups,
    fill_angle,
    get_circle,
    split_labels,
    state,
)

TRIANGLE_KINDS = {
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
SIDES = {"pentagon": 5, "hexagon": 6, "heptagon": 7, "octagon": 8, "nonagon": 9, "decagon": 10}


def state_kind(kind: str, labels: tuple[str, ...]) -> tuple[Fact, ...]:
    return tuple(Fact(predicate, labels) for predicate in TRIANGLE_KINDS[kind])


def state_polygon(groups: Groups) -> tuple[Fact, ...]:
    labels = split_labels(groups["x"])
    word = groups.get("poly") or "polygon"
    if len(labels) != SIDES.get(word, len(labels)):
        raise ClaimError(groups["x"], f"a {word} does not have {len(labels)} vertices")
    if not groups.get("regular"):
        return tuple(state("segment", labels[i], labels[(i + 1) % len(labels)]) for i in range(len(labels)))
    return (Fact("regular_polygon", labels),)


def state_right_angle_at(groups: Groups) -> tuple[Fact, ...]:
    """``\\triangle ABC is right-angled at C`` claims the angle itself as well."""
    labels = split_labels(groups["x"])
    vertex = groups["v"]
    if vertex not in labels:
        raise ClaimError(vertex, f"it is no vertex of {''.join(labels)}")
    return (Fact("right_triangle", labels), state_right_angle(labels, vertex))


def state_right_angle(labels: tuple[str, ...], vertex: str) -> Fact:
    ends = [label for label in labels if label != vertex]
    return Fact("perpendicular", (ends[0], vertex, vertex, ends[1]))


# --- lines of a triangle, points on things -----------------------------------------------------------------------


def state_cevian(predicate: str) -> Build:
    """``AD is an altitude of \\triangle ABC``: the vertex first, then the foot, then the triangle."""

    def build(groups: Groups) -> tuple[Fact, ...]:
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


def state_bisector(groups: Groups) -> tuple[Fact, ...]:
    ends, angle = split_labels(groups["a"]), fill_angle(split_labels(groups["x"]))
    if angle[1] not in ends:
        raise ClaimError(f"{groups['a']} bisects {groups['x']}", "the bisector does not start at the vertex")
    other = ends[1] if ends[0] == angle[1] else ends[0]
    return (Fact("bisector", (other, *angle)),)


def state_midsegment(groups: Groups) -> tuple[Fact, ...]:
    return (Fact("midsegment", split_labels(groups["a"]) + split_labels(groups["x"])),)


def state_centre(groups: Groups) -> tuple[Fact, ...]:
    predicate = {"incent": "incentre", "circumcent": "circumcentre", "cent": "centroid"}[groups["word"]]
    return (Fact(predicate, (groups["p"], *split_labels(groups["x"]))),)


def state_on_segment(groups: Groups) -> tuple[Fact, ...]:
    start, end = split_labels(groups["a"])
    labels = split_labels(groups["p"])
    return tuple(Fact("collinear", (start, label, end)) for label in labels)


def state_each(predicate: str) -> Build:
    def build(groups: Groups) -> tuple[Fact, ...]:
        return tuple(Fact(predicate, (label, get_circle(groups, "o"))) for label in split_labels(groups["p"]))

    return build


def state_inscribed(groups: Groups) -> tuple[Fact, ...]:
    labels = split_labels(groups["x"])
    sides = (state("segment", labels[i], labels[(i + 1) % len(labels)]) for i in range(len(labels)))
    shape = {3: "triangle", 4: "quadrilateral"}.get(len(labels))
    return (
        *((Fact(shape, labels),) if shape else sides),
        *(Fact("on_circle", (label, get_circle(groups, "o"))) for label in labels),
    )


def state_line_of_circle(predicate: str) -> Build:
    def build(groups: Groups) -> tuple[Fact, ...]:
        claims: tuple[Fact, ...] = (Fact(predicate, (*split_labels(groups["a"]), get_circle(groups, "o"))),)
        if groups.get("at"):
            claims += (Fact("on_circle", (groups["at"], get_circle(groups, "o"))),)
        return claims

    return build


def state_intersection(groups: Groups) -> tuple[Fact, ...]:
    return (Fact("intersection", (groups["p"], *split_labels(groups["a"]), *split_labels(groups["b"]))),)


def state_pairwise_midpoints(groups: Groups) -> tuple[Fact, ...]:
    return (
        Fact("midpoint", (groups["p"], *split_labels(groups["a"]))),
        Fact("midpoint", (groups["q"], *split_labels(groups["b"]))),
    )


def state_pairwise_on_segments(groups: Groups) -> tuple[Fact, ...]:
    (a, b), (c, d) = split_labels(groups["a"]), split_labels(groups["b"])
    return (Fact("collinear", (a, groups["p"], b)), Fact("collinear", (c, groups["q"], d)))


def state_vertices(groups: Groups, predicate: str) -> tuple[Fact, ...]:
    labels = split_labels(groups["x"])
    if set(labels) != set(split_labels(groups["p"])):
        raise ClaimError(f"{groups['p']} ... {groups['x']}", "the vertices are not those of its name")
    return (Fact(predicate, labels),)


def state_shape(kind: str, run: str) -> tuple[Fact, ...]:
    return (Fact(kind.replace(" ", "_"), split_labels(run)),)
