"""``geometry.template``: the nearest pictures among procedurally made ones (RULE-IMG, MMCLIP Table 4).

The paper draws 100K pictures from hand-made templates and takes the most similar as hard negatives. Here the bank
comes from the sampler, similarity is a plain image feature, and a picture of which the anchor's caption happens to be
true, or that is nearly the anchor itself, is no negative.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from storage.rows import Anchor, Contrast, Provenance, Reject
from tasks.contract.context import Context
from tasks.contract.family import Candidate
from tasks.geometry.families.bank import Bank, build_bank, open_bank
from tasks.geometry.families.features import extract_feature, measure_similarity
from tasks.geometry.families.perturb import name_image, reject
from tasks.geometry.measuring.pixels import PictureError

TEMPLATE = "geometry.template"
_SPARE = 4
"""Candidates per wanted negative: a few of the nearest may fail their checks."""


def make_template(anchor: Anchor, context: Context) -> Iterator[Candidate | Reject]:
    """Pictures of the bank, nearest first."""
    try:
        query = extract_feature(anchor.image.bytes if anchor.image else b"")
    except PictureError as error:
        yield reject(anchor, TEMPLATE, f"picture: {error}")
        return
    bank = get_bank(context)
    wanted = getattr(context.settings, "negatives", 10)
    for sample in map(bank.get, bank.find_nearest(query, _SPARE * wanted)):
        contrast = Contrast(
            anchor.anchor_id,
            TEMPLATE,
            "negative",
            "image",
            text=sample.caption,
            image=name_image(sample.picture),
            code=sample.code,
            similarity=measure_similarity(query, sample.feature),
            provenance=Provenance(seed=context.seed),
        )
        yield (contrast,)


def get_bank(context: Context) -> Bank:
    """The run's bank: opened once per process, made once per run."""
    bank: Bank | None = context.scratch.get("geometry.bank")
    if bank is None:
        settings = context.settings
        size, markings = getattr(settings, "template_bank", 500), getattr(settings, "markings", True)
        work = context.scratch.get("work_dir")
        if work is None:
            bank = build_bank(size, context.seed, markings, context.renderer)
        else:
            bank = open_bank(Path(work), size, context.seed, markings, context.renderer)
        context.scratch["geometry.bank"] = bank
    return bank
