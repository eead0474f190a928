"""What is seen in a drawing of ours and explained by nothing: the world of a figure is closed.

Every line runs from one labelled point to another, every dot sits on one, every arc, square, tick and arrowhead marks
an angle or a line between them, every text is a letter or measures something. Scripts of other authors may run lines
on beyond their points or fill a page; ours never do.
"""

from __future__ import annotations

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.facts.residuals import measure_distance
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.measuring.numbers import name
from counterfoil.tasks.geometry.measuring.reading import Seen
from counterfoil.tasks.geometry.measuring.view import ON_LINE, Wedge

WHOLE = 355.0
"""Degrees of a circle of ours; less is an arc, which marks an angle."""


def find_stray(seen: Seen) -> str | None:
    """The first thing in a drawing of ours that stands at nothing, in words, or None."""
    view = seen.view
    places = list(view.points.values())

    def is_named(p: tuple[float, float]) -> bool:
        return any(measure_distance(p, place) <= ON_LINE for place in places)

    for mark in seen.list_marks():
        if not mark.facts:
            return f"{mark.text or mark.kind!r} stands at nothing, about {mark.place[0]:.0f}, {mark.place[1]:.0f}"
    plane = seen.plane
    for line in view.lines:
        runs_on = plane is not None and plane.is_on_edge(line.start) and plane.is_on_edge(line.end)
        if not runs_on and not (is_named(line.start) and is_named(line.end)):
            return f"a line ends at no letter, about {line.middle[0]:.0f}, {line.middle[1]:.0f}"
    loose = next((dot for dot in view.ink.dots if not is_named(dot)), None)
    if loose is not None:
        return f"a dot is at no letter, about {loose[0]:.0f}, {loose[1]:.0f}"
    bare = next((r for r in seen.reads if isinstance(r.thing, Wedge) and not r.thing.is_marked), None)
    if bare is not None:
        return f"{bare.text!r} stands at an angle without arcs or a square"
    many = [len(wedge.radii) for wedge in seen.wedges if len(wedge.radii) > 1]
    for kind, counts in (("ticks", [*seen.ticks.values()]), ("arrowheads", [*seen.arrows.values()]), ("arcs", many)):
        lone = next((count for count in counts if counts.count(count) == 1), None)
        if lone is not None:
            return f"{lone} {kind} are on one thing alone, which they make equal to no other"
    named = {} if plane is None else {name: plane.to_units(p) for name, p in view.points.items()}
    known = 0 if plane is None else len({vertex for vertex, _ in plane.name_curves(named)})
    if len(view.ink.curves) != known or any(each.sweep < WHOLE for each in view.ink.rounds):
        return "a curve is drawn that is neither a line nor a circle, and marks no angle"
    return None


def find_unstated(scene: Scene, seen: Seen) -> str | None:
    """The first arcs or arrowheads that are seen and that ``scene`` does not state, or other in number than it states.

    What is read otherwise than stated `look.find_misreading` finds.
    """
    stated = [canonicalise(mark) for mark in scene.marks]
    if len(set(stated)) != len(stated):
        return "a mark is stated twice"
    places = {(mark.predicate, mark.arguments): mark.value for mark in stated}
    for wedge in seen.wedges:
        forms = [canonicalise(Fact(kind, each, "1")) for kind in ("mark_arcs", "mark_angle") for each in wedge.names]
        if wedge.radii and not any((form.predicate, form.arguments) in places for form in forms):
            return f"arcs are read at {name(wedge)}, which are not stated"
    for on_it in seen.arrows:
        if not any(mark.predicate == "mark_parallel" and set(mark.arguments) <= on_it for mark in stated):
            return f"arrowheads are read on {''.join(sorted(on_it))}, which are not stated"
    return None
