"""The domains by name, ours and those of other packages, imported only when asked for."""

from __future__ import annotations

import difflib
import importlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from counterfoil.tasks.beside.adding import add_beside
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.engine.guests import GuestError, Guests, add_guest_families, find_guests, load_guest_domain
from counterfoil.tasks.mining.retrieval import add_retrieval

OURS = "counterfoil"
"""The package of the domains that are made here."""
DOMAIN_MODULES = {
    "geometry": "counterfoil.tasks.geometry.domain",
    "flowchart": "counterfoil.tasks.flowchart.domain",
    "caption": "counterfoil.tasks.caption.domain",
    "theorem": "counterfoil.tasks.theorem.domain",
    "composite": "counterfoil.tasks.composite.domain",
}
"""Our own domains: found without a look at what else is installed."""

log = logging.getLogger("counterfoil.guests")


class UnknownNameError(Exception):
    """No domain or family has this name. The message lists those that exist."""


def list_domains() -> tuple[str, ...]:
    """The names of all domains, ours first; nothing is imported."""
    return (*DOMAIN_MODULES, *_find_guests().domains)


@cache
def load_domain(name: str) -> Domain[Any]:
    """The domain called ``name``, with the families that other packages add to it, and those that
    are the same for every domain: ``<name>.retrieval``, and where it words statements, those of `tasks.beside`.

    Raises:
        UnknownNameError: no such domain.
        GuestError: it is another package's, and cannot be used.
    """
    guests = _find_guests()
    if name in DOMAIN_MODULES:
        domain: Domain[Any] = _open(DOMAIN_MODULES[name])
    elif name in guests.domains:
        domain = load_guest_domain(guests.domains[name])
    else:
        known = list_domains()
        raise UnknownNameError(
            f"no domain is called {name!r}{_suggest(name, known)}; there are: {', '.join(known)}"
            + "".join(f"\n{each}" for each in guests.problems)
        )
    domain, problems = add_guest_families(add_beside(add_retrieval(domain)), guests)
    for problem in problems:
        _note(problem)
    return _share_measure(domain)


def _open(module: str) -> Domain[Any]:
    """A module's domain; one that is made of others is built of what finds them."""
    found: Any = importlib.import_module(module)
    domain: Domain[Any] = found.build(load_domain) if hasattr(found, "build") else found.DOMAIN
    return domain


def _share_measure(domain: Domain[Any]) -> Domain[Any]:
    """The domain whose measure of what changes serves all its negative families that have none of their own."""
    if domain.changes is None:
        return domain
    families = {
        name: replace(family, changes=family.changes or domain.changes) if family.role == "negative" else family
        for name, family in domain.families.items()
    }
    return replace(domain, families=families)


def find_domain(name: str) -> Domain[Any] | None:
    """The domain called ``name``; None where none is here, or none that can be used."""
    try:
        return load_domain(name)
    except (UnknownNameError, GuestError):
        return None


def load_domains() -> Iterator[Domain[Any]]:
    """All domains that can be used; of the others one line each is logged."""
    for problem in _find_guests().problems:
        _note(problem)
    for name in list_domains():
        try:
            yield load_domain(name)
        except GuestError as error:
            _note(str(error))


def load_family(name: str) -> tuple[Domain[Any], Family[Any]]:
    """The family called ``name`` (``geometry.rule``) and its domain.

    Raises:
        UnknownNameError: no such family.
        GuestError: its domain is another package's, and cannot be used.
    """
    domain = name.partition(".")[0]
    if domain in list_domains() and name in load_domain(domain).families:
        return load_domain(domain), load_domain(domain).families[name]
    known = list_families()
    raise UnknownNameError(f"no family is called {name!r}{_suggest(name, known)}; there are: {', '.join(known)}")


def list_families() -> list[str]:
    """The names of all families that can be used, in registry order."""
    return [family for each in load_domains() for family in each.families]


def find_package(family: str) -> str:
    """The package that a family is of.

    >>> find_package("geometry.rule")
    'counterfoil'
    """
    guests = _find_guests()
    guest = guests.families.get(family) or guests.domains.get(family.partition(".")[0])
    return guest.package if guest is not None else OURS


def find_modules(domain: str) -> list[str]:
    """The modules of a domain and of what other packages add to it: beside each may be a ``reasons.toml``."""
    guests = _find_guests()
    own = [DOMAIN_MODULES[domain]] if domain in DOMAIN_MODULES else []
    named = [each for each in [guests.domains.get(domain)] if each is not None]
    added = [each for name, each in guests.families.items() if name.partition(".")[0] == domain]
    return [*own, *(each.module for each in [*named, *added])]


def _find_guests() -> Guests:
    return find_guests(frozenset(DOMAIN_MODULES))


@cache
def _note(problem: str) -> None:
    """Log it, once."""
    log.warning("%s", problem)


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
