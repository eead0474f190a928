"""Adds to a domain that words statements (`counterfoil.tasks.contract.wording`) families that judge one beside another.

A row is a false text; the edit of the kind ``beside`` names the true one. Both are shown by the domain's reader from
the stored bytes: a verifier knows nothing of how they were made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.beside import halftruth, negation, unit
from counterfoil.tasks.beside.author import PROMPTS, write_units
from counterfoil.tasks.beside.statements import KEYS, count_rows, count_spare
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.contract.verdict import checked

_HOW = {
    "unit": ("CS-CLIP", "one statement of the anchor with one word exchanged, judged against the true statement", unit),
    "halftruth": (
        "CS-CLIP",
        "a true text with one detail more that is false, or a false one shorter",
        halftruth,
    ),
    "negation": (
        "NegBench",
        "one thing stated and another denied, judged against a true text that does the same",
        negation,
    ),
}

_VERSIONS = {"unit": 10, "halftruth": 10, "negation": 9}


def measure_changes(
    domain: Domain[Any],
    find_pairs: Callable[[Contrast], list[tuple[str, str]]],
    contrast: Contrast,
    anchor: Anchor,
    context: Context[Any],
) -> Iterable[str]:
    """What a row's false statements have wrong, as the domain measures it beside the true ones."""
    found: set[str] = set()
    for true, false in find_pairs(contrast):
        wording = domain.wording
        own = wording.changes(false, anchor, context) if wording is not None and wording.changes is not None else None
        if own is None:
            assert domain.changes is not None
            said = replace(anchor, caption=true, captions=(true,))
            own = domain.changes(replace(contrast, text=false, edits=()), said, context)
        found.update(own)
    return found


def add_beside(domain: Domain[Any]) -> Domain[Any]:
    """The domain with these families, where it has a wording; each is made where a recipe names it."""
    wording = domain.wording
    if wording is None:
        return domain
    families = dict(domain.families)
    for kind, (paper, how, module) in _HOW.items():
        name = f"{domain.name}.{kind}"
        one = module.Maker(name, wording)
        families[name] = Family(
            name,
            "negative",
            "text",
            paper,
            how,
            make=one.make,
            verify=checked(one.verify),
            count=count_rows,
            spare=count_spare,
            uses=KEYS,
            version=_VERSIONS[kind],
            asked=True,
            changes=partial(measure_changes, domain, one.find_pairs),
            sample=one.sample,
            make_llm=partial(write_units, one) if kind == "unit" else None,
            prompts=PROMPTS if kind == "unit" else (),
        )
    return replace(domain, families=families)
