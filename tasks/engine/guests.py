"""Domains and families of other packages, found by their entry points.

A package names a domain under ``counterfoil.domains`` (``bars = "bars.domain:DOMAIN"``), or a family that it adds to
another package's domain under ``counterfoil.families`` (``"geometry.shear" = "shear:FAMILY"``). Their names are read
without importing anything; what a guest gets wrong is one line with its package, and takes nothing from the others.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, wraps
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from counterfoil.storage.plain import first_line
from counterfoil.tasks.contract.domain import Domain, Question, Source
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.contract.prepare import Preparation
from counterfoil.tasks.contract.quotas import Quota
from counterfoil.tasks.contract.settings import DomainSettings
from counterfoil.tasks.contract.splits import TEST, TRAIN, VAL

DOMAINS, FAMILIES = "counterfoil.domains", "counterfoil.families"
RESERVED = frozenset(("ablation", "audit", "author", "dataset", "evaluation", "sft", "training"))
"""Sections of a recipe that are no domain's."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_RATES = ("concreteness", "similarity")
_SHOWN = 60
"""Letters of a wrong answer that are told."""

log = logging.getLogger("counterfoil.guests")


class GuestError(Exception):
    """What another package adds cannot be used. The message, one line, names the package."""

    fatal = True


@dataclass(frozen=True)
class Guest:
    """One entry point of another package."""

    name: str
    package: str
    entry: EntryPoint

    @property
    def module(self) -> str:
        """The module that it names."""
        return self.entry.module

    def load(self, wanted: type[Any]) -> Any:
        """The object that it names, of the class ``wanted``.

        Raises:
            GuestError: it cannot be imported, or is something else.
        """
        try:
            found = self.entry.load()
        except (Exception, SystemExit) as error:
            log.debug("%s", self.entry.value, exc_info=error)
            raise self.fail(f"{type(error).__name__}: {' '.join(str(error).split())}") from error
        if not isinstance(found, wanted):
            raise self.fail(f"it is a {type(found).__name__}, not a {wanted.__name__} of the contract")
        return found

    def fail(self, why: str) -> GuestError:
        """The error that says in one line why it cannot be used."""
        what = "domain" if self.entry.group == DOMAINS else "family"
        return GuestError(f"package {self.package}: its {what} {self.name} ({self.entry.value}) cannot be used: {why}")


@dataclass(frozen=True)
class Guests:
    """What other packages add, by name; and a line for each entry point that cannot be taken by its name alone."""

    domains: Mapping[str, Guest]
    families: Mapping[str, Guest]
    problems: tuple[str, ...]


@cache
def find_guests(ours: frozenset[str]) -> Guests:
    """The guests of this environment beside the domains that are ``ours``; nothing is imported."""
    problems: list[str] = []
    found: dict[str, dict[str, Guest]] = {}
    for group in (DOMAINS, FAMILIES):
        known = found[group] = {}
        for guest in sorted(_list(group), key=lambda each: (each.name, each.package)):
            why = _refuse_name(guest, group, ours, known)
            if why:
                problems.append(str(guest.fail(why)))
            else:
                known[guest.name] = guest
    return Guests(found[DOMAINS], found[FAMILIES], tuple(problems))


def _list(group: str) -> Iterable[Guest]:
    for entry in entry_points(group=group):
        yield Guest(entry.name, entry.dist.name if entry.dist is not None else entry.module.partition(".")[0], entry)


def _refuse_name(guest: Guest, group: str, ours: frozenset[str], known: Mapping[str, Guest]) -> str:
    """Why a guest may not have its name; "" where it may."""
    form = _NAME.pattern if group == DOMAINS else rf"{_NAME.pattern}\.{_NAME.pattern}"
    if not re.fullmatch(form, guest.name):
        return f"its name must be {'NAME' if group == DOMAINS else 'DOMAIN.NAME'} of small letters, digits and _"
    if guest.name in known:
        return f"the name is taken by package {known[guest.name].package}"
    if guest.name in ours:
        return "the name is taken by counterfoil itself"
    return "the name is that of a section of every recipe" if guest.name in RESERVED else ""


def load_guest_domain(guest: Guest) -> Domain[Any]:
    """The domain that a guest names.

    Raises:
        GuestError: it cannot be imported, or is no sound domain.
    """
    domain: Domain[Any] = guest.load(Domain)
    if domain.name != guest.name:
        raise guest.fail(f"it calls itself {domain.name!r}")
    why = "; ".join(_list_faults(domain))
    if why:
        raise guest.fail(why)
    return _check_domain(domain, guest)


def _list_faults(domain: Domain[Any]) -> Iterable[str]:
    """What of a domain's own fields cannot work, in words."""
    if not (isinstance(domain.settings_type, type) and issubclass(domain.settings_type, DomainSettings)):
        yield "settings_type is no subclass of DomainSettings"
        return
    if not domain.sources or not all(isinstance(each, Source) for each in domain.sources.values()):
        yield "sources has no Source, or something else among them"
    unknown = [key for key in domain.anchor_uses if key not in domain.settings_type.model_fields]
    if unknown:
        yield f"anchor_uses names no setting: {', '.join(unknown)}"
    if not isinstance(domain.shard_size, int) or domain.shard_size < 1:
        yield f"shard_size is {domain.shard_size!r}, not a whole number from 1"
    for name, family in domain.families.items():
        yield from _list_family_faults(name, family, domain)


def _list_family_faults(name: str, family: Family[Any], domain: Domain[Any]) -> Iterable[str]:
    if not isinstance(family, Family):
        yield f"families[{name!r}] is a {type(family).__name__}, not a Family of the contract"
    elif family.name != name or not re.fullmatch(rf"{re.escape(domain.name)}\.{_NAME.pattern}", name):
        yield f"the family {name!r} must be called {domain.name}.NAME, and calls itself {family.name!r}"
    elif domain.retrieval and name == f"{domain.name}.retrieval":
        yield f"the name {name} is taken by the family that every domain has (Domain.retrieval)"
    elif texts := [key for key in ("uses", "rates", "networks", "prompts") if isinstance(getattr(family, key), str)]:
        yield f"{name}: {texts[0]} is one text, not a tuple of texts"
    elif unknown := [key for key in family.rates if key not in _RATES]:
        yield f"{name}: rates names what rows do not have: {', '.join(unknown)}"
    elif unknown := [key for key in family.uses if key not in domain.settings_type.model_fields]:
        yield f"{name}: uses names no setting: {', '.join(unknown)}"
    elif family.prepare is not None and not isinstance(family.prepare, Preparation):
        yield f"{name}: prepare is no Preparation"


def add_guest_families(domain: Domain[Any], guests: Guests) -> tuple[Domain[Any], tuple[str, ...]]:
    """``domain`` with the families that other packages add to it, and a line for each that cannot be used."""
    added = {name: each for name, each in guests.families.items() if name.partition(".")[0] == domain.name}
    if not added:
        return domain, ()
    families, problems = dict(domain.families), []
    for name, guest in added.items():
        try:
            if name in families:
                raise guest.fail("the name is taken by the domain's own family")
            family: Family[Any] = guest.load(Family)
            for why in _list_family_faults(name, family, domain):
                raise guest.fail(why)
            families[name] = _check_family(family, guest)
        except GuestError as error:
            problems.append(str(error))
    return replace(domain, families=families), tuple(problems)


def _check_domain(domain: Domain[Any], guest: Guest) -> Domain[Any]:
    """The domain, of which a wrong answer about an anchor is one line; what `refutes` raises costs its row alone."""

    def check(key: str, is_right: Callable[[Any], bool], wanted: str, *, catches: bool = True) -> Callable[..., Any]:
        return _check(guest, f"{key} of {domain.name}", getattr(domain, key), is_right, wanted, catches=catches)

    sources = {
        kind: source
        if source.draw_split is None
        else replace(
            source,
            draw_split=_check(
                guest, f"draw_split of {kind}", source.draw_split, lambda said: said in (TRAIN, VAL, TEST), "a split"
            ),
        )
        for kind, source in domain.sources.items()
    }
    return replace(
        domain,
        sources=sources,
        families={name: _check_family(each, guest) for name, each in domain.families.items()},
        traits=check(
            "traits", lambda said: isinstance(said, Mapping) and _is_list_of(str, said.values()), "texts by name"
        ),
        describe_yield=check("describe_yield", lambda said: isinstance(said, str), "a text"),
        judges=check("judges", lambda said: isinstance(said, bool), "True or False"),
        questions=check("questions", lambda said: _is_list_of(Question, said), "a list of Question"),
        vocabulary=check("vocabulary", lambda said: isinstance(said, Mapping), "what prompts hold by name"),
        refutes=check(
            "refutes", lambda said: said is None or isinstance(said, bool), "True, False or None", catches=False
        ),
    )


def _check_family(family: Family[Any], guest: Guest) -> Family[Any]:
    """The family, of which a wrong answer about settings is one line: these decide a run before a row is made."""

    def check(key: str, is_right: Callable[[Any], bool], wanted: str) -> Callable[..., Any]:
        return _check(guest, f"{key} of {family.name}", getattr(family, key), is_right, wanted)

    return replace(
        family,
        count=check("count", lambda said: said is None or _is_count(said), "a whole number from 0, nor None"),
        spare=check("spare", _is_count, "a whole number from 0"),
        quotas=check("quotas", lambda said: _is_list_of(Quota, said), "a list of Quota"),
        fluency=check("fluency", lambda said: _is_list_of(str, said), "a list of names of models"),
    )


def _check(
    guest: Guest,
    what: str,
    hook: Callable[..., Any],
    is_right: Callable[[Any], bool],
    wanted: str,
    *,
    catches: bool = True,
) -> Callable[..., Any]:
    """A guest's function that says in one line where it gives what is not ``wanted``, and, if it ``catches``, fails."""

    @wraps(hook)
    def ask(*given: Any) -> Any:
        try:
            said = hook(*given)
        except Exception as error:
            if not catches:
                raise
            raise guest.fail(f"{what} ended with {type(error).__name__}: {first_line(error)}") from error
        if not is_right(said):
            raise guest.fail(f"{what} gave {repr(said)[:_SHOWN]}, not {wanted}")
        return said

    return ask


def _is_count(said: Any) -> bool:
    return isinstance(said, int) and not isinstance(said, bool) and said >= 0


def _is_list_of(wanted: type[Any], said: Any) -> bool:
    return not isinstance(said, str) and isinstance(said, Collection) and all(isinstance(each, wanted) for each in said)
