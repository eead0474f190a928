"""What a shard's content depends on, and its hash: the fingerprint by which a staged shard is found again.

Nothing else may decide what a shard holds: not the worker, not the order, not the clock. What decides anchors and
contrasts is gathered here once: fingerprints hash it, and a publish keeps it in its commit, so that a later run can say
what is different before it makes anything (`counterfoil.tasks.engine.inputs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.contract.prepare import Preparation
from counterfoil.tasks.tells.gate import VERSION as GATE_VERSION

RUNNER_VERSION = 3
"""Bump when the stage runner or a renderer changes what a shard holds."""


def fingerprint_anchors(
    domain: Domain[Any], settings: Mapping[str, Any], author: Mapping[str, Any], seed: int, upstream: str
) -> str:
    """Fingerprint of the shard of anchors that ``domain`` makes of the source shard ``upstream``."""
    source = settings["source"] if "source" in domain.anchor_uses else None
    return fingerprint("anchors", source, describe_anchor_inputs(domain, settings, author, seed), upstream)


def fingerprint_part(
    preparation: Preparation[Any, Any], settings: Mapping[str, Any], seed: int, index: int, anchors: str
) -> str:
    """Fingerprint of one part of a preparation: of the shard ``anchors``, or ("") of its number alone."""
    uses = {key: settings[key] for key in preparation.uses}
    number = None if anchors else index
    return fingerprint("part", RUNNER_VERSION, preparation.name, preparation.version, uses, seed, number, anchors)


def fingerprint_prepared(
    preparation: Preparation[Any, Any], settings: Mapping[str, Any], seed: int, parts: Sequence[str]
) -> str:
    """Fingerprint of what is decided over all ``parts``."""
    uses = {key: settings[key] for key in (*preparation.uses, *preparation.gather_uses)}
    return fingerprint("prepared", RUNNER_VERSION, preparation.name, preparation.version, uses, seed, list(parts))


def fingerprint_contrasts(
    group: Sequence[Family[Any]],
    settings: Mapping[str, Any],
    author: Mapping[str, Any],
    seed: int,
    upstream: str,
    prepared: str = "",
) -> str:
    """Fingerprint of the shard of contrasts that ``group`` makes of the anchor shard ``upstream``."""
    return fingerprint("contrasts", describe_family_inputs(group, settings, author, seed), upstream, prepared)


def describe_anchor_inputs(
    domain: Domain[Any], settings: Mapping[str, Any], author: Mapping[str, Any], seed: int
) -> dict[str, Any]:
    """What decides the anchors of ``domain``, beside its source rows and where these are, as plain data."""
    source, _ = domain.find_source(domain.settings_type.model_validate(dict(settings)))
    uses = {*domain.anchor_uses} - {"source"}
    return {
        "versions": {"runner": RUNNER_VERSION, domain.name: domain.version},
        "seed": seed,
        "settings": {key: settings[key] for key in sorted(uses)},
        **_describe_author(author, source.prompts, bool(source.prompts)),
    }


def describe_family_inputs(
    group: Sequence[Family[Any]], settings: Mapping[str, Any], author: Mapping[str, Any], seed: int
) -> dict[str, Any]:
    """What decides the contrasts of families that share a maker, beside the anchors, as plain data."""
    versions = {"runner": RUNNER_VERSION} | {family.name: family.version for family in group}
    uses = {key for family in group for key in family.uses} or set(settings) - {"source", "families"}
    for preparation in filter(None, (family.prepare for family in group)):
        versions[preparation.name] = preparation.version
        uses |= {*preparation.uses, *preparation.gather_uses}
    return {
        "versions": versions,
        "seed": seed,
        "settings": {key: settings[key] for key in sorted(uses)},
        **_describe_author(author, {each for one in group for each in one.prompts}, group[0].make_llm is not None),
    }


def _describe_author(author: Mapping[str, Any], prompts: Iterable[str], asked: bool) -> dict[str, Any]:
    """Who is ``asked``: a language model, of which prompts by the SHA-256 of their files; else our own rules."""
    if not asked or author.get("kind", "procedural") == "procedural":
        return {"prompts": {}, "author": {"kind": "procedural"}}
    from counterfoil.prompts import load_prompt

    return {"prompts": {each: load_prompt(each).sha256 for each in sorted(prompts)}, "author": dict(author)}


def fingerprint_gate(family: str, anchors: Sequence[str], contrasts: Sequence[str], language_model: str = "") -> str:
    """Fingerprint of what blind judges say of a family's staged contrasts beside their anchors. How many of them they
    saw is no part of it: what was found of the same rows stays."""
    return fingerprint("gate", GATE_VERSION, family, list(anchors), list(contrasts), language_model)
