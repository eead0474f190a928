"""What a shard's content depends on, hashed: the fingerprint by which a staged shard is found again.

Nothing else may decide what a shard holds: not the worker, not the order, not the clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from storage.rows import fingerprint
from tasks.contract.domain import Domain
from tasks.contract.family import Family

RUNNER_VERSION = 3
"""Bump when the stage runner or a renderer changes what a shard holds."""


def fingerprint_anchors(
    domain: Domain, settings: Mapping[str, Any], author: Mapping[str, Any], seed: int, upstream: str
) -> str:
    """Fingerprint of the shard of anchors that ``domain`` makes of the source shard ``upstream``."""
    prompts = domain.list_anchor_prompts(domain.settings_type.model_validate(dict(settings))) if _is_llm(author) else ()
    return fingerprint(
        "anchors",
        RUNNER_VERSION,
        domain.name,
        domain.version,
        {key: settings[key] for key in domain.anchor_uses},
        _hash_prompts(prompts),
        author if prompts else {"kind": "procedural"},
        seed,
        upstream,
    )


def fingerprint_contrasts(
    group: Sequence[Family],
    settings: Mapping[str, Any],
    author: Mapping[str, Any],
    seed: int,
    upstream: str,
) -> str:
    """Fingerprint of the shard of contrasts that ``group`` makes of the anchor shard ``upstream``."""
    llm = _is_llm(author) and group[0].make_llm is not None
    prompts = sorted({prompt for family in group for prompt in family.prompts}) if llm else []
    uses = {key for family in group for key in family.uses} or set(settings) - {"source", "families"}
    return fingerprint(
        "contrasts",
        RUNNER_VERSION,
        [(family.name, family.version) for family in group],
        {key: settings[key] for key in sorted(uses)},
        _hash_prompts(prompts),
        author if llm else {"kind": "procedural"},
        seed,
        upstream,
    )


def _is_llm(author: Mapping[str, Any]) -> bool:
    return author.get("kind", "procedural") != "procedural"


def _hash_prompts(ids: Sequence[str]) -> dict[str, str]:
    if not ids:
        return {}
    from prompts import load_prompt

    return {prompt: load_prompt(prompt).sha256 for prompt in ids}
