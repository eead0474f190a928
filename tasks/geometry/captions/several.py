r"""Sentences that say more than one predicate in its own words: several facts at once, or one with something left out.

``several.toml`` lists them. What a sentence states is listed by the letters of its wording (``tangent ABo; on_circle
To``). A small ``o``, ``p`` or ``t`` that the wording does not name is the circle, polygon or triangle that the text
speaks of (`counterfoil.tasks.geometry.captions.mentions`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from counterfoil.storage.plain import read_toml
from counterfoil.storage.rows import Fact
from counterfoil.tasks.geometry.captions.atoms import ClaimError
from counterfoil.tasks.geometry.captions.equations import relate
from counterfoil.tasks.geometry.captions.mentions import Claims, state_bare, state_kind
from counterfoil.tasks.geometry.facts.predicate import Names

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


_STATES: Mapping[str, Callable[..., State]] = {
    "relate": lambda: relate,
    "kind": lambda: _state_is_kind,
    "diagonals": lambda: _state_diagonals,
    "ratio": lambda: _state_ratio,
    "times": _state_times,
    "pairwise": _state_pairwise,
}


def _read_several() -> tuple[tuple[str, str | State], ...]:
    tables = read_toml(Path(__file__).with_name("several.toml"))
    return tuple((words.format_map(tables["parts"]), _read_state(states)) for words, states in tables["several"])


def _read_state(states: str) -> str | State:
    if not states.startswith("! "):
        return states
    name, *values = states.split()[1:]
    return _STATES[name](*values)


SEVERAL = _read_several()
