"""The domains by name, imported only when asked for."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Sequence
from functools import cache
from typing import Any

from tasks.contract.domain import Domain
from tasks.contract.family import Family
from tasks.mining.retrieval import add_retrieval

DOMAIN_MODULES = {
    "geometry": "tasks.geometry.domain",
    "flowchart": "tasks.flowchart.domain",
    "caption": "tasks.caption.domain",
    "theorem": "tasks.theorem.domain",
}


class UnknownNameError(Exception):
    """No domain or family has this name. The message lists those that exist."""


@cache
def load_domain(name: str) -> Domain[Any]:
    """The domain called ``name``, with the family that every domain has: ``<name>.retrieval``.

    Raises:
        UnknownNameError: no such domain.
    """
    if name not in DOMAIN_MODULES:
        near = _suggest(name, [*DOMAIN_MODULES])
        raise UnknownNameError(f"no domain is called {name!r}{near}; there are: {', '.join(DOMAIN_MODULES)}")
    domain: Domain[Any] = importlib.import_module(DOMAIN_MODULES[name]).DOMAIN
    return add_retrieval(domain)


def load_family(name: str) -> tuple[Domain[Any], Family[Any]]:
    """The family called ``name`` (``geometry.rule``) and its domain.

    Raises:
        UnknownNameError: no such family.
    """
    domain = name.partition(".")[0]
    if domain in DOMAIN_MODULES and name in load_domain(domain).families:
        return load_domain(domain), load_domain(domain).families[name]
    known = list_families()
    raise UnknownNameError(f"no family is called {name!r}{_suggest(name, known)}; there are: {', '.join(known)}")


def list_families() -> list[str]:
    """The names of all families, in registry order."""
    return [family for each in DOMAIN_MODULES for family in load_domain(each).families]


def _suggest(name: str, known: Sequence[str]) -> str:
    """The nearest known name, or those of a domain or kind that was named alone."""
    close = [each for each in known if name in each.split(".")] or difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {' or '.join(close[:3])}?)" if close else ""


def group_families(domain: Domain[Any], names: list[str]) -> list[tuple[Family[Any], ...]]:
    """The families called ``names`` with all that share their makers, grouped by maker, in registry order.

    ``geometry.caption`` and ``geometry.image`` are one group: a negative caption and its picture stand or fall
    together, so asking for one makes both.
    """
    wanted = {id(domain.families[name].make) for name in names}
    groups: dict[int, list[Family[Any]]] = {}
    for family in domain.families.values():
        if id(family.make) in wanted:
            groups.setdefault(id(family.make), []).append(family)
    return [tuple(group) for group in groups.values()]
