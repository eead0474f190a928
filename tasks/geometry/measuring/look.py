"""Where a stranger reads another fact in a picture than its scene states; see `reading`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.facts.expressions import read_number
from counterfoil.tasks.geometry.facts.judge import canonicalise
from counterfoil.tasks.geometry.figure.scene import Scene
from counterfoil.tasks.geometry.measuring.numbers import name
from counterfoil.tasks.geometry.measuring.reading import Seen, write_form


def find_misreading(scene: Scene, seen: Seen) -> str | None:
    """Where a stranger has ``seen`` another fact than ``scene`` states, in words, or None."""
    unread = find_misread_numbers(scene, seen)
    if unread:
        return _tell_unread(unread[0], seen)
    doubt = seen.find_doubt()
    if doubt:
        return doubt
    stated = {write_form(mark) for mark in scene.marks}
    for read in seen.reads:
        if read.names and not any(write_form(fact) in stated or _is_arc_of(fact, stated) for fact in read.facts):
            return f"{read.text!r} reads as {next(read.facts)}, which is not stated"
    return _find_corner_difference(scene, seen) or _find_group_difference(scene, seen)


def find_misread_numbers(scene: Scene, seen: Seen) -> list[Fact]:
    """The numbers that ``scene`` states and that a stranger does not read at what they measure."""
    facts = seen.facts
    numbers = (mark for mark in scene.marks if mark.predicate in ("mark_length", "mark_angle", "mark_arc"))
    return [mark for mark in numbers if not _is_read(mark, facts, scene)]


def _is_read(mark: Fact, facts: frozenset[Fact], scene: Scene) -> bool:
    form = write_form(mark)
    if form in facts or _is_arc_of(form, facts):
        return True
    return mark.predicate == "mark_angle" and mark.value == "90" and _has_square(mark, scene)


def _is_arc_of(fact: Fact, facts: frozenset[Fact] | set[Fact]) -> bool:
    """Whether an arc with a number is among ``facts`` under its ends in the other order: its size says which it is."""
    if fact.predicate != "mark_arc" or read_number(fact.value) is None:
        return False
    p, q, circle = fact.arguments
    return replace(fact, arguments=(q, p, circle)) in facts


def _has_square(mark: Fact, scene: Scene) -> bool:
    wanted = canonicalise(Fact("mark_right", mark.arguments))
    return any(canonicalise(each) == wanted for each in scene.marks if each.predicate == "mark_right")


def _tell_unread(mark: Fact, seen: Seen) -> str:
    value = write_form(mark).value
    for read in seen.reads:
        if canonicalise(Fact(mark.predicate, mark.arguments, read.value)).value == value:
            if read.unclear:
                return read.unclear
            if canonicalise(next(read.facts)).arguments != canonicalise(mark).arguments:
                return f"{read.text!r} reads as {next(read.facts)}, not {mark}"
    return f"{mark} is not read"


def _find_corner_difference(scene: Scene, seen: Seen) -> str | None:
    squares = {canonicalise(Fact("mark_right", names)) for w in seen.wedges if w.square for names in w.names}
    for mark in scene.marks:
        if mark.predicate == "mark_right" and canonicalise(mark) not in squares:
            return f"{mark} is not read"
    stated = {canonicalise(mark) for mark in scene.marks if mark.predicate == "mark_right"}
    for wedge in seen.wedges:
        if wedge.square and not any(canonicalise(Fact("mark_right", names)) in stated for names in wedge.names):
            return f"a square is read at {name(wedge)}, which is not stated"
    return None


def _find_group_difference(scene: Scene, seen: Seen) -> str | None:
    """Whether ticks, arcs and arrowheads say other things to be equal than the scene does."""
    for kind, read in (
        ("mark_ticks", lambda a: seen.ticks.get(frozenset(a))),
        ("mark_arcs", lambda a: _count_arcs(seen, a)),
        ("mark_parallel", lambda a: next((n for on_it, n in seen.arrows.items() if set(a) <= on_it), None)),
    ):
        counts: dict[Hashable, str | None] = {}
        for mark in scene.marks:
            if mark.predicate != kind:
                continue
            count = read(mark.arguments)
            if count is None:
                return f"{mark} is not read"
            if counts.setdefault(count, mark.value) != mark.value:
                return f"{mark} is read as of another group"
        if len(set(counts.values())) != len(counts):
            return f"{kind} of one group are read as of two"
    ticked = {frozenset(mark.arguments) for mark in scene.marks if mark.predicate == "mark_ticks"}
    odd = next((pair for pair in seen.ticks if pair not in ticked), None)
    return None if odd is None else f"ticks are read on {''.join(sorted(odd))}, which are not stated"


def _count_arcs(seen: Seen, arguments: tuple[str, ...]) -> int | None:
    p, vertex, q = arguments
    for wedge in seen.wedges:
        if wedge.radii and ((p, vertex, q) in wedge.names or (q, vertex, p) in wedge.names):
            return len(wedge.radii)
    return None
