"""What a shard's content depends on, hashed: the fingerprint by which a staged shard is found again.

Nothing else may decide what a shard holds: not the worker, not the order, not the clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from storage.rows import fingerprint
from tasks.contract.domain import Domain
from tasks.contract.family import Family
from tasks.contract.prepare import Preparation

RUNNER_VERSION = 3
"""Bump when the stage runner or a renderer changes what a shard holds."""
PROCEDURAL = {"kind": "procedural"}


def fingerprint_anchors(
    domain: Domain[Any], settings: Mapping[str, Any], author: Mapping[str, Any], seed: int, upstream: str
) -> str:
    """Fingerprint of the shard of anchors that ``domain`` makes of the source shard ``upstream``."""
    source, _ = domain.find_source(domain.settings_type.model_validate(dict(settings)))
    prompts = source.prompts if is_llm(author) else ()
    return fingerprint(
        "anchors",
        RUNNER_VERSION,
        domain.name,
        domain.version,
        {key: settings[key] for key in domain.anchor_uses},
        hash_prompts(prompts),
        author if prompts else PROCEDURAL,
        seed,
        upstream,
    )


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
    llm = is_llm(author) and group[0].make_llm is not None
    prompts = sorted({prompt for family in group for prompt in family.prompts}) if llm else []
    uses = list_uses(group, settings)
    return fingerprint(
        "contrasts",
        RUNNER_VERSION,
        [(family.name, family.version) for family in group],
        {key: settings[key] for key in sorted(uses)},
        hash_prompts(prompts),
        author if llm else PROCEDURAL,
        seed,
        upstream,
        prepared,
    )


def list_uses(group: Sequence[Family[Any]], settings: Mapping[str, Any]) -> set[str]:
    """The settings keys that decide the contrasts of families that share a maker: all, where they name none."""
    return {key for family in group for key in family.uses} or set(settings) - {"source", "families"}


def is_llm(author: Mapping[str, Any]) -> bool:
    """Whether the author is a language model."""
    return bool(author.get("kind", "procedural") != "procedural")


def hash_prompts(ids: Sequence[str]) -> dict[str, str]:
    """Prompt to the SHA-256 of its file."""
    if not ids:
        return {}
    from prompts import load_prompt

    return {prompt: load_prompt(prompt).sha256 for prompt in ids}
