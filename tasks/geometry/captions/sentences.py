r"""What a clause of a caption may say: each predicate in its wordings, and sentences that state several facts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from storage.rows import Fact
from tasks.geometry.captions.equations import CHAIN, read_chain, relate
from tasks.geometry.captions.templates import NOUNS, ClaimError, Template, clean_value, split_wordings
from tasks.geometry.facts.predicate import Names, Predicate
from tasks.geometry.facts.predicates import PREDICATES

Claims = tuple[Fact, ...]
State = Callable[[Names, str], Claims]
"""From what a sentence names, and its text, to the facts that it states."""


@dataclass(frozen=True)
class Sentence:
    """A wording and what it states."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Claims]


def _read_predicate(predicate: Predicate, text: str) -> Sentence:
    template = Template(text)

    def read(match: re.Match[str]) -> Claims:
        for names in template.read(match):
            _check_noun(names, match.group())
            arguments = predicate.order_arguments(names)
            if predicate.accepts(len(arguments)) and predicate.fits(arguments):
                value = names.get("v", names.get("d"))
                return (Fact(predicate.name, arguments, None if value is None else clean_value(str(value))),)
        raise ClaimError(match.group(), f"{template.text} does not run between these points")

    return Sentence(template.pattern, read)


def _check_noun(names: Names, text: str) -> None:
    noun = str(names.get("noun", "polygon"))
    if noun != "polygon" and NOUNS.get(len(names["A+"])) != noun:
        raise ClaimError(text, f"a {noun} does not have {len(names['A+'])} vertices")


def _read_several(text: str, state: str | State) -> Sentence:
    """``state`` lists facts by the letters of the wording, ``tangent ABo; on_circle To``, or makes them."""
    template = Template(text)

    def read(match: re.Match[str]) -> Claims:
        for names in template.read(match):
            _check_noun(names, match.group())
            return state(names, match.group()) if callable(state) else tuple(_list_stated(state, names))
        raise ClaimError(match.group(), "these letters do not go together")

    return Sentence(template.pattern, read)


def _list_stated(state: str, names: Names) -> Iterator[Fact]:
    for part in state.split("; "):
        predicate, letters = part.split()
        choices = [(found,) if isinstance(found := names[letter], str) else found for letter in letters]
        yield from (Fact(predicate, arguments) for arguments in product(*choices))


def _state_ring(names: Names, text: str) -> Claims:  # noqa: ARG001
    """A polygon's sides."""
    ring = names["A+"]
    return tuple(Fact("segment", (ring[i], ring[(i + 1) % len(ring)])) for i in range(len(ring)))


def _state_inscribed(names: Names, text: str) -> Claims:
    ring = tuple(names["A+"])
    shape = {3: "triangle", 4: "quadrilateral"}.get(len(ring))
    sides = (Fact(shape, ring),) if shape else _state_ring(names, text)
    return (*sides, *(Fact("on_circle", (label, str(names["o"]))) for label in ring))


def _state_right_at(names: Names, text: str) -> Claims:
    """``\\triangle ABC is right-angled at C`` claims the angle itself as well."""
    labels = tuple(str(names[letter]) for letter in "ABC")
    vertex = str(names["V"])
    if vertex not in labels:
        raise ClaimError(text, f"{vertex} is no vertex of {''.join(labels)}")
    first, last = (label for label in labels if label != vertex)
    return (Fact("right_triangle", labels), Fact("perpendicular", (first, vertex, vertex, last)))


_RELATED = "(equal|congruent|parallel|perpendicular|similar)"
_RIGHT_AT = "(with [its |the |a ]right angle at|right-angled at)"
_RESPECTIVELY = "[[,] respectively]"
SEVERAL: tuple[tuple[str, str | State], ...] = (
    (f"<term L> (is|runs) {_RELATED} [in length ](to|with) <term R>[ at <F>]", relate),
    ("<term L> equals <term R>", relate),
    (
        f"[the ][(segments|sides|lines|diagonals|angles) ]<term L> and <term R> are [both ]{_RELATED}"
        "[ in length| to each other][ at <F>]",
        relate,
    ),
    (
        "[the ][(segments|sides|lines|diagonals|angles) ]<term L> and <term R> have (the same|equal) "
        "(length|lengths|measure|measures)",
        relate,
    ),
    (r"<term L> \perp <term R> at <F>", relate),
    ("<angle ABC> is a right angle", "perpendicular ABBC"),
    ("[a ](isosceles right|right isosceles)[-angled] <triangle ABC>[ is drawn]", "isosceles ABC; right_triangle ABC"),
    (
        "<triangle ABC> is a (isosceles right|right isosceles)[-angled][ triangle]",
        "isosceles ABC; right_triangle ABC",
    ),
    (f"[a ](right|right-angled) <triangle ABC>[,] {_RIGHT_AT} <V>", _state_right_at),
    (f"<triangle ABC> is [a ]right[-angled][ triangle][[,] {_RIGHT_AT}] at <V>", _state_right_at),
    ("<triangle ABC> has (a|its|the) right angle at <V>", _state_right_at),
    ("[a ]<noun A+> <ABC+>[ is drawn]", _state_ring),
    ("<ABC+> is a <noun A+>", _state_ring),
    (f"<P> and <Q> are the midpoints of <AB> and <CD>{_RESPECTIVELY}", "midpoint PAB; midpoint QCD"),
    ("<list P> (lie|are)[ points][ both| all] on <AB>", "collinear APB"),
    (f"<P> and <Q> (lie|are)[ points] on <AB> and <CD>{_RESPECTIVELY}", "collinear APB; collinear CQD"),
    ("<list P> (lie|are)[ points][ all] on <circle o>", "on_circle Po"),
    ("<circle o> passes through <list P>", "on_circle Po"),
    ("<polygon ABC+> is inscribed in <circle o>", _state_inscribed),
    ("<AB> (is a tangent|is tangent|touches) [to |of ]<circle o> at <T>", "tangent ABo; on_circle To"),
    ("<circle o> is tangent to <AB> at <T>", "tangent ABo; on_circle To"),
)

SENTENCES: tuple[Sentence, ...] = (
    Sentence(CHAIN, lambda match: read_chain(match.group())),
    *(_read_several(text, state) for text, state in SEVERAL),
    *(_read_predicate(row, text) for row in PREDICATES.values() for text in split_wordings(row.words, row.readings)),
)
"""In order of preference between readings of equal length."""
