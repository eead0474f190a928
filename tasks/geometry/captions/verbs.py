"""What a verb states of the things that stand around it: rows of ``verbs.toml``, and the facts that they make."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise, product

from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import ClaimError
from counterfoil.tasks.geometry.captions.mentions import THE_POLYGON, Claims, state_bare, state_kind
from counterfoil.tasks.geometry.captions.sentences import is_fit
from counterfoil.tasks.geometry.captions.templates import THE_CIRCLE
from counterfoil.tasks.geometry.captions.things import VERBS, Labels, Token


@dataclass(frozen=True)
class Row:
    """What a verb says of things of a sort."""

    subject: str
    words: str
    facts: str

    @property
    def pattern(self) -> re.Pattern[str]:
        """Over words, and things as ``‹L3›`` by their place in the sentence."""
        return _compile(self.words)


@cache
def _compile(words: str) -> re.Pattern[str]:
    plain = words.replace("[", "(?:").replace("]", ")?")
    plain = re.sub(r"\((?!\?)", "(?:", plain)
    names: dict[str, str] = {}

    def slot(match: re.Match[str]) -> str:
        letters = match[1]
        sort = {"M": "L", "Q": "P", "B": "A", "H": "G", "D": "C", "W": "V"}.get(letters[0], letters[0])
        name = f"{letters}_{len(names)}"
        names[name] = letters
        return rf"‹{sort}(?P<{name}>\d+)›"

    return re.compile(re.sub(r"<([A-Z]{1,2})>", slot, plain) + r"(?![^ ])")


Special = Callable[[Mapping[str, Labels], str], list[Fact] | None]
"""What a row whose facts depend on how its things go together states; None where they do not."""
ROWS = tuple(Row(*row) for row in VERBS["verbs"])


def state_words(words: str, ring: Labels) -> Claims:
    """The facts of a sort of polygon, as ``right triangle``, of one that may be named elsewhere."""
    if ring != (THE_POLYGON,):
        return state_kind(words, ring) or state_bare(ring)
    for corners in ("ABC", "ABCD"):
        try:
            return tuple(replace(fact, arguments=ring) for fact in state_kind(words, tuple(corners)))
        except ClaimError:
            continue
    return ()


def state_row(row: Row, subject: Token | None, slots: Mapping[str, tuple[Labels, ...]], text: str) -> Claims | None:
    """The facts of a row; None where these things do not go together so."""
    things = {key.split("_")[0]: items for key, items in slots.items()}
    if any((len(name) > 1) and len(items) != 2 for name, items in things.items()):
        return None
    named = {name[0]: tuple(x for item in items for x in item) for name, items in things.items() if len(name) > 1}
    several = {name: items for name, items in things.items() if len(name) == 1}
    if len(row.subject) == 2 and subject is not None:
        choices = [{"a": p, "b": q} for p, q in pairwise(subject.items)]
        if "s" in row.facts.replace("; ", " ").split():
            choices = [{"s": item} for item in subject.items]
    else:
        choices = [{"s": item} for item in subject.items] if subject is not None else [{}]
    bound = _bind(choices, several)
    facts: list[Fact] = []
    for each in bound:
        made = _make(row.facts, {**named, **each}, text)
        if made is None:
            return None
        facts += made
    return tuple(dict.fromkeys(facts))


def _bind(
    choices: Sequence[Mapping[str, Labels]], several: Mapping[str, tuple[Labels, ...]]
) -> list[dict[str, Labels]]:
    """Each thing of the subject with each of what is said of it; one to one where there are as many."""
    counts = {len(items) for items in several.values() if len(items) > 1} | (
        {len(choices)} if len(choices) > 1 else set()
    )
    if len(counts) == 1 and sum(len(items) > 1 for items in several.values()) + (len(choices) > 1) > 1:
        (count,) = counts
        every = list(choices) * (count if len(choices) == 1 else 1)
        return [
            {**each, **{name: items[i] if len(items) > 1 else items[0] for name, items in several.items()}}
            for i, each in enumerate(every)
        ]
    names = list(several)
    return [
        {**each, **dict(zip(names, chosen, strict=True))}
        for each in choices
        for chosen in product(*(several[name] for name in names))
    ]


def _make(listed: str, names: Mapping[str, Labels], text: str) -> list[Fact] | None:
    facts: list[Fact] = []
    for part in filter(None, listed.split("; ")):
        if part.startswith("! "):
            special = _SPECIAL[part[2:]](names, text)
            if special is None:
                return None
            facts += special
            continue
        head, _, value = part.partition(" = ")
        predicate, *letters = head.split()
        if predicate.endswith("?"):
            if any(letter[0] not in names for letter in letters):
                continue
            predicate = predicate[:-1]
        arguments = tuple(label for letter in letters for label in _spell(letter, names))
        if predicate == "bare":
            facts += state_bare(arguments)
            continue
        fact = Fact(predicate, arguments, names[value][0] if value in names else value or None)
        if predicate in ("intersection", "collinear") and _is_said_by_names(fact):
            continue
        if not is_fit(fact):
            return None
        facts.append(fact)
    return facts


def _spell(letter: str, names: Mapping[str, Labels]) -> Labels:
    if letter in names:
        return names[letter]
    if letter[0] in names and letter[1:].isdigit():
        return names[letter[0]][int(letter[1:]) - 1 : int(letter[1:])]
    return {"C": (THE_CIRCLE,), "G": (THE_POLYGON,)}.get(letter, (letter,))


def _is_said_by_names(fact: Fact) -> bool:
    """``AB meets AC at A``, ``AB passes through A``."""
    if fact.predicate == "collinear":
        return len({*fact.arguments}) < len(fact.arguments)
    point, *lines = fact.arguments
    return point in lines[:2] and point in lines[2:]


def _state_bisector(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    line, (p, vertex, q) = names.get("s") or names["L"], names["A"]
    if vertex not in line or len(line) != 2:
        return None
    inner = line[1] if line[0] == vertex else line[0]
    return None if p == inner or q == inner else [Fact("bisector", (inner, p, vertex, q))]


def _check_shared(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    """``rays OA and OB share the endpoint O``: their names say so."""
    return [] if names["P"][0] in names["a"] and names["P"][0] in names["b"] else None


def _check_intercepted(names: Mapping[str, Labels], text: str) -> list[Fact] | None:
    """``arc AB is intercepted by angle ACB``."""
    return _check_subtended({"s": names["A"], "R": names["s"]}, text)


def _check_from(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    """``PA and PB are tangents from P``: each has that end."""
    return [] if names["P"][0] in names["s"] else None


def _state_drawn_from(kind: str) -> Special:
    """``the altitude from B to AC is BE``."""

    def state(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
        (corner,), side, drawn = names["P"], names["L"], names["M"]
        if corner not in drawn or corner in side or len(drawn) != 2:
            return None
        return [Fact(kind, (corner, drawn[drawn[0] == corner], corner, *side))]

    return state


def _state_inside(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    """``triangle ABE lies inside square ABCD``: each corner that they do not share."""
    inner = [name for name in names["s"] if name not in names["H"]]
    return [Fact("inside", (name, *names["H"])) for name in inner] or None


def _check_joins(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    """``EF joins E and F``."""
    ends = {*names["P"], *names.get("Q", ())}
    return [Fact("segment", names["s"])] if ends == {*names["s"]} else None


def _check_subtended(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    """``angle BAC intercepts arc BC``: its sides end where the arc does, on the circle."""
    ends = (names["s"][0], names["s"][-1])
    return [Fact("on_circle", (end, THE_CIRCLE)) for end in ends] if {*ends} == {*names["R"]} else None


def _state_angle(one: Labels, other: Labels, value: str) -> list[Fact] | None:
    shared = {*one} & {*other}
    if len(shared) != 1 or len(one) != 2 or len(other) != 2:
        return None
    (vertex,) = shared
    p, q = (next(name for name in line if name != vertex) for line in (one, other))
    return [Fact("angle", (p, vertex, q), value)]


def _state_angle_with(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    return _state_angle(names["s"], names["M"], names["V"][0])


def _state_angle_between(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    return _state_angle(names["a"], names["b"], names["V"][0])


def _state_right(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    """``ABC is a right angle``."""
    if len(names["s"]) != 3:
        return None
    p, vertex, q = names["s"]
    return [Fact("perpendicular", (p, vertex, vertex, q))]


def _state_bisected(names: Mapping[str, Labels], text: str) -> list[Fact] | None:
    return _state_bisector({"s": names["L"], "A": names["s"]}, text)


def _state_bisector_meets(names: Mapping[str, Labels], text: str) -> list[Fact] | None:  # noqa: ARG001
    """``the bisector of angle B meets AC at D``: angle B is that of A, B and C."""
    (p, vertex, q), line, point = names["A"], names["L"], names["P"][0]
    if p == "?":
        p, q = line
    if vertex in line:
        return None
    return [Fact("bisector", (point, p, vertex, q)), Fact("collinear", (line[0], point, line[1]))]


_SPECIAL: Mapping[str, Special] = {
    "bisector": _state_bisector,
    "bisected": _state_bisected,
    "shared": _check_shared,
    "from": _check_from,
    "intercepted": _check_intercepted,
    "drawn_from altitude": _state_drawn_from("altitude"),
    "drawn_from median": _state_drawn_from("median"),
    "subtended": _check_subtended,
    "inside": _state_inside,
    "joins": _check_joins,
    "angle_with": _state_angle_with,
    "angle_between": _state_angle_between,
    "right": _state_right,
    "bisector_meets": _state_bisector_meets,
}
