"""How what decides a domain's anchors or a family's contrasts differs from what decided the published ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Inputs = Mapping[str, Any]
SOURCES = "sources"
"""Names the digest of a domain's source rows among its inputs."""


@dataclass(frozen=True)
class Difference:
    """One input that is another than before."""

    text: str
    """Such as ``geometry.negatives is 5, was 10``."""
    may_add: bool
    """A number raised, or a list that has all of its former values: rows may come and none go."""


def compare_inputs(domain: str, before: Inputs, now: Inputs) -> list[Difference]:
    """What is different; settings that were not there before are not counted.

    >>> compare_inputs("geometry", {"settings": {"negatives": 10}}, {"settings": {"negatives": 5}})
    [Difference(text='geometry.negatives is 5, was 10', may_add=False)]
    """
    found = []
    for name in ("seed", "refine"):
        if name in before and before[name] != now[name]:
            key = "dataset.seed" if name == "seed" else "audit.refine"
            found.append(Difference(f"{key} is {_word(now[name])}, was {_word(before[name])}", now[name] is False))
    for name, values in _pair(before, now, "settings"):
        found.append(Difference(f"{domain}.{name} is {_word(values[1])}, was {_word(values[0])}", _adds(*values)))
    for name, values in _pair(before, now, "author"):
        found.append(Difference(f"author.{name} is {_word(values[1])}, was {_word(values[0])}", False))
    for name, _ in _pair(before, now, "prompts"):
        found.append(Difference(f"the prompt {name} was changed", False))
    for name, values in _pair(before, now, "versions"):
        what = "the stage runner" if name == "runner" else f"what makes {name}"
        found.append(Difference(f"{what} is version {values[1]}, was {values[0]}", False))
    return found


def _pair(before: Inputs, now: Inputs, part: str) -> list[tuple[str, tuple[Any, Any]]]:
    """The values of a part that both have and that differ, by name."""
    old, new = before.get(part, {}), now.get(part, {})
    return [(name, (old[name], value)) for name, value in sorted(new.items()) if name in old and old[name] != value]


def _adds(before: Any, now: Any) -> bool:
    if isinstance(before, list) and isinstance(now, list):
        return all(each in now for each in before)
    numbers = all(isinstance(each, int | float) and not isinstance(each, bool) for each in (before, now))
    return bool(numbers and now > before)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
