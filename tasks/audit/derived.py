"""What a row says of itself that follows from its parts or from its run: each is worked out anew and compared.

What a row shows (a picture, a text, code) its family's or domain's verifier judges. Here is the rest: its id, what its
picture's file is called, the checks that it names, its grade and witness, what it changes, and who is said to have
made it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, Image, Provenance, contrast_id, fingerprint
from counterfoil.tasks.audit.letters import judge_letters
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.contract.verdict import Verdict
from counterfoil.tasks.engine.history import list_runs

PROCEDURAL = "procedural"
_PICTURE_ENDINGS = ("png", "jpg", "jpeg", "webp")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Origin:
    """What the runs of a dataset say of the rows of one domain."""

    seeds: frozenset[int]
    authors: frozenset[str]
    sources: frozenset[str]
    counts: Mapping[str, int]
    """Partition (a family, or the domain for its anchors) to the rows that its newest run made."""
    versions: frozenset[str] = frozenset()
    """Of the code that made the rows; empty where it is not known of all."""


def find_origin(dataset: Dataset, domain: str, tables: Sequence[str]) -> Origin:
    """What all runs say whose recipes name the domain."""
    seeds: set[int] = set()
    authors, sources = {PROCEDURAL}, set[str]()
    counts: dict[str, int] = {}
    versions: set[str] = set()
    for run in list_runs(dataset, tables):
        recipe = run.get("recipe") or {}
        if domain not in recipe:
            continue
        seeds.add(recipe["dataset"]["seed"])
        versions.update(run.get("code_versions") or [""])
        authors.add(recipe.get("author", {}).get("kind", PROCEDURAL))
        sources.add(str(recipe[domain].get("source", "")).partition(":")[0])
        for made in run.get("counts", {}).values():
            for name, rows in made.items():
                if name.partition(".")[0] == domain:
                    counts.setdefault(name, rows)
    return Origin(
        frozenset(seeds), frozenset(authors), frozenset(sources), counts, frozenset(() if "" in versions else versions)
    )


def judge_anchor_fields(anchor: Anchor, domain: Domain[Any], context: Context[Any], origin: Origin) -> Iterator[str]:
    """What of an anchor does not follow from its parts; group and split, which others bear on, come apart."""
    yield from _find_nothing(anchor)
    named = domain.name_anchor(anchor, context)
    if named is not None and named != anchor.anchor_id:
        yield f"wrong_id: the id is not the hash of the row's content, which is {named}"
    if anchor.image is not None:
        stem, _, ending = anchor.image.path.rpartition(".")
        if named is not None and (stem != anchor.anchor_id or ending not in _PICTURE_ENDINGS):
            yield f"wrong_path: the picture is called {anchor.image.path!r} and not after its anchor"
        elif "/" in anchor.image.path or "\\" in anchor.image.path:
            yield f"wrong_path: the picture is called {anchor.image.path!r}, which is a place and no name"
    if anchor.source not in origin.sources:
        yield f"wrong_source: no run of the dataset has the source {anchor.source}"
    yield from judge_provenance(anchor.provenance, origin)


def judge_contrast_fields(
    contrast: Contrast, family: Family[Any], anchor: Anchor, verdict: Verdict, origin: Origin
) -> Iterator[str]:
    """What of a contrast does not follow from its parts, its anchor and its ``verdict``."""
    yield from _find_nothing(contrast)
    if contrast_id(replace(contrast, contrast_id="")) != contrast.contrast_id:
        yield "wrong_id: the id is not the hash of the row's content"
    yield from find_misfits(contrast, family, anchor)
    if contrast.image is not None and contrast.image.path != name_picture(contrast.image):
        yield f"wrong_path: the picture is called {contrast.image.path!r} and not after its bytes"
    yield from judge_provenance(contrast.provenance, origin, finds=family.mixed)
    for name in ("concreteness", "similarity"):
        if name not in family.rates and getattr(contrast, name) is not None:
            yield f"wrong_{name}: no row of {family.name} has one"
        elif family.rates == (name,) and getattr(contrast, name) is None:
            yield f"wrong_{name}: every row of {family.name} has one"
    yield from judge_letters(contrast, anchor, found=family.mixed)
    if not contrast.checks:
        yield "unchecked: the row names no check that it passed"
    if not verdict.passed:
        return
    if contrast.checks and contrast.checks != verdict.checks:
        odd = ", ".join(sorted(set(contrast.checks) ^ set(verdict.checks))) or "their order"
        yield f"wrong_checks: the row names others than those that it passes ({odd})"
    if contrast.grade is not None and contrast.grade != verdict.grade:
        yield f"wrong_grade: the row says {contrast.grade}, its checks show {verdict.grade}"
    if contrast.grade is not None and contrast.witness != verdict.witness:
        yield f"wrong_witness: the row says {contrast.witness}, its checks show {verdict.witness}"
    if contrast.changes is not None and contrast.changes != verdict.changes:
        measured = "nothing measures it" if verdict.changes is None else f"measured: {_list(verdict.changes)}"
        yield f"wrong_changes: the row says {_list(contrast.changes)}; {measured}"


def _find_nothing(row: Anchor | Contrast) -> Iterator[str]:
    """Columns without a value in a row that must have one."""
    for each in fields(row):
        if each.type in ("str", "int") and getattr(row, each.name) in (None, ""):
            yield f"no_value: the row has no {each.name}"


def find_unsaid(contrast: Contrast, verdict: Verdict) -> Iterator[str]:
    """What a contrast that passes leaves unsaid, though its table has the column."""
    if contrast.grade is None:
        yield f"wrong_grade: the row says none, its checks show {verdict.grade}"
    if contrast.changes is None and verdict.changes is not None:
        yield f"wrong_changes: the row does not say what it changes; measured: {_list(verdict.changes)}"


def _list(changes: Sequence[str]) -> str:
    return ", ".join(changes) or "nothing"


def name_picture(image: Image) -> str:
    """What a contrast's picture is called: by its bytes."""
    return f"{fingerprint(image.bytes)[:16]}.png"


def find_misfits(contrast: Contrast, family: Family[Any], anchor: Anchor) -> Iterator[str]:
    """Where a row is not of its family or its anchor."""
    if contrast.role != family.role or (contrast.modality != family.modality and not family.mixed):
        yield f"wrong_role: {contrast.role} {contrast.modality} in a family of {family.role} {family.modality}"
    if contrast.modality == "text" and not (contrast.image is contrast.vector is None):
        yield "wrong_modality: a row of text has a picture or an SVG"
    if contrast.anchor_id != anchor.anchor_id:
        yield f"wrong_anchor: the row names {contrast.anchor_id}"


def judge_provenance(provenance: Provenance, origin: Origin, *, finds: bool = False) -> Iterator[str]:
    """Rules write for nothing and ask nobody, and name a model only where one ``finds``; what a model wrote names a
    prompt and a request."""
    if provenance.seed not in origin.seeds:
        yield f"wrong_provenance: no run of the dataset has the seed {provenance.seed}"
    if provenance.author not in origin.authors:
        yield f"wrong_provenance: no run of the dataset has the author {provenance.author}"
    if origin.versions and provenance.code_version not in origin.versions:
        yield f"wrong_provenance: no shard was made by code of version {provenance.code_version}"
    if provenance.author == PROCEDURAL:
        said = replace(provenance, seed=0, code_version="", model=None if finds else provenance.model)
        if said != Provenance():
            yield "wrong_provenance: rules ask no model, but the row names a prompt, attempts or a cost"
        return
    hashes = (provenance.prompt_sha256, provenance.request_sha256)
    if not provenance.prompt_id or not all(_SHA256.fullmatch(each or "") for each in hashes):
        yield f"wrong_provenance: {provenance.author} is said to have written it, but no prompt or request is named"
    numbers: Iterable[float] = (provenance.input_tokens, provenance.output_tokens, provenance.cost_usd or 0)
    if provenance.attempts < 1 or min(numbers) < 0:
        yield "wrong_provenance: fewer than one attempt, or less than no tokens or cost"
