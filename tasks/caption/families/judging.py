"""Whether an edited photograph shows what its caption says: a rule over a judge's scores.

A cosine by itself says little: of one photograph all captions score high, and noise prefers some caption to another
as any picture does. So every score is compared with what the same judge says of pictures of which the answer is known:
the photograph itself, and its wrecks, none of which is an edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from PIL import Image

from counterfoil.tasks.caption.families.likeness import measure_change, measure_distance, measure_layout
from counterfoil.tasks.caption.families.wrecks import SHAPELESS, make_wrecks
from counterfoil.tasks.caption.models.finder import LEAST_SURE, count_things, find_mask
from counterfoil.tasks.caption.models.seeing import Clip, Dino
from counterfoil.tasks.contract.verdict import Checks

MARGIN = 0.005
"""By how much cosines of CLIP must differ: of captions of one word's difference true ones lead by 0.01 and more."""
DINO_LEAST, DINO_MOST = 0.4, 0.99
"""Bounds of DINO's cosine of photograph and edit; the paper's means are 0.62 to 0.67."""
DINO_OUTSIDE, MOST_OUTSIDE = 0.95, 0.01
"""Where the place of an edit is known: DINO's least cosine of what surrounds it, and how much of that may change."""
LEAST_INSIDE = 0.8
"""Share of the new thing that is where the old one was."""
LEAST_LAYOUT, MOST_BITS = 0.5, 20
"""Where no DINO is named: the correlation of what is light and dark where, and bits of 64 of the difference hash."""
UNLIKE = (
    "random coloured noise",
    "a plain black picture",
    "a plain white picture",
    "a black and white checkerboard",
    "a smear of blurred colours",
    "an X-ray of a hand",
    "a page of printed text",
    "a bar chart",
    "a bar code",
    "a map of a country",
    "the surface of the moon",
)
"""What is said of none of the photographs that people caption: a caption of the picture fits it better than these."""
_SIDE = 224
"""Pixels of the shorter side that judges look at."""


@dataclass(frozen=True, slots=True)
class Fit:
    """CLIP's cosines of a picture with the exchanged caption, the anchor's, and the best of `UNLIKE`."""

    new: float
    old: float
    unlike: float

    @property
    def gain(self) -> float:
        """By how much the exchanged caption fits better than the anchor's."""
        return self.new - self.old


@dataclass(frozen=True, slots=True)
class Fits:
    """What CLIP says of the edit, the photograph, and its wrecks by name."""

    edit: Fit
    original: Fit
    wrecks: Mapping[str, Fit]


def score_fits(clip: Clip, edit: np.ndarray, original: np.ndarray, new: str, old: str) -> Fits:
    """What the model says of pictures (height, width, 3), uint8, and the two captions."""
    small = _shrink(original)
    wrecks = make_wrecks(small)
    cosines = clip.score([_shrink(edit), small, *wrecks.values()], [new, old, *UNLIKE])
    fits = [Fit(float(row[0]), float(row[1]), float(row[2:].max())) for row in cosines]
    return Fits(fits[0], fits[1], dict(zip(wrecks, fits[2:], strict=True)))


def check_fits(checks: Checks, fits: Fits) -> None:
    """The judge sees in the photograph what its caption says, and in the edit what the exchanged one says, more than
    in anything that is no edit.

    Raises:
        CheckError: it does not, or a score is no number.
    """
    edit, original = fits.edit, fits.original
    shapeless = [fits.wrecks[name] for name in SHAPELESS]
    scores = [x for fit in (edit, original, *fits.wrecks.values()) for x in (fit.new, fit.old, fit.unlike)]
    checks.require("judge_knows_anchor", bool(np.isfinite(scores).all()), "CLIP: a score that is no number")
    told = max(original.new, original.unlike, *(each.old for each in shapeless))
    known = f"CLIP: {original.old:.3f} to the photograph's own caption, {told:.3f} to what it does not show"
    checks.require("judge_knows_anchor", original.old >= told + MARGIN, known)
    # As clear an answer as half of what the photograph itself gets, with its own caption.
    nearer = f"CLIP: {edit.new:.3f} to its own caption, {edit.old:.3f} to the old"
    checks.require("nearer_to_new_caption", edit.gain >= max(MARGIN, -original.gain / 2), nearer)
    middle = (original.old + original.new) / 2 - MARGIN
    other = max(edit.unlike, original.new, middle, *(each.new for each in shapeless))
    shown = f"CLIP: {edit.new:.3f} to its own caption; {other:.3f} is what other pictures or captions reach"
    checks.require("shows_new_caption", edit.new >= other + MARGIN, shown)
    name, best = max(fits.wrecks.items(), key=lambda pair: pair[1].gain)
    better = f"CLIP: gains {edit.gain:.3f}, the photograph {name} {best.gain:.3f}"
    checks.require("better_than_wrecks", edit.gain >= best.gain + MARGIN, better)


def check_scene_kept(checks: Checks, edit: np.ndarray, original: np.ndarray, dino: Dino | None) -> None:
    """What should stay has stayed: by DINO where one is named, else by what is light and dark where.

    Raises:
        CheckError: it is another scene, or the same picture.
    """
    if dino is None:
        alike, bits = measure_layout(edit, original), measure_distance(edit, original)
        checks.require("same_scene", alike >= LEAST_LAYOUT, f"light and dark correlate by {alike:.2f}")
        checks.require("same_scene", bits <= MOST_BITS, f"{bits} of 64 bits of the hash differ")
        return
    small = _shrink(original)
    wrecks = make_wrecks(small)
    cosine, *wrecked = dino.compare(small, [_shrink(edit), *(wrecks[name] for name in SHAPELESS)])
    checks.require("same_scene", cosine >= DINO_LEAST, f"DINO: {cosine:.3f}")
    checks.require("same_scene", cosine > max(wrecked), f"DINO: {cosine:.3f}, of noise and the like {max(wrecked):.3f}")
    checks.require("change_visible", cosine <= DINO_MOST, f"DINO: {cosine:.3f}")


def check_found(
    checks: Checks, edit: np.ndarray, original: np.ndarray, before: np.ndarray, after: np.ndarray, dino: Dino | None
) -> None:
    """Where the exchanged word's thing was, as many of the new ones are, and everything else is as it was.

    Args:
        edit, original: pictures of one size (height, width, 3), uint8.
        before, after: how sure a finder is of the old thing in the photograph and of the new one in the edit, from 0 to
            1, (height, width).

    Raises:
        CheckError: nothing was there, more changed than its place, or others came.
    """
    mask = find_mask(before)
    checks.require(
        "thing_found", 0 < float(mask.mean()) < 1, f"the old thing fills {mask.mean():.0%} of the photograph"
    )
    outside = ~mask
    changed = measure_change(edit[outside][None], original[outside][None])
    checks.require("outside_kept", changed <= MOST_OUTSIDE, f"{changed:.2%} of what surrounds it changed")
    if dino is not None:
        hidden = [np.where(mask[..., None], np.uint8(127), each) for each in (original, edit)]
        (cosine,) = dino.compare(_shrink(hidden[0]), [_shrink(hidden[1])])
        checks.require("outside_kept", cosine >= DINO_OUTSIDE, f"DINO: {cosine:.3f} without its place")
    inside = float(((after >= LEAST_SURE) & mask).sum()) / max(float((after >= LEAST_SURE).sum()), 1.0)
    checks.require("new_thing_found", inside >= LEAST_INSIDE, f"{inside:.0%} of the new thing is where the old one was")
    was, now = count_things(before), count_things(np.where(mask, after, 0.0))
    checks.require("count_kept", 0 < was == now, f"{was} old things, {now} new ones")


def _shrink(picture: np.ndarray) -> np.ndarray:
    height, width, _ = picture.shape
    scale = _SIDE / min(height, width)
    if scale >= 1:
        return picture
    size = max(_SIDE, round(width * scale)), max(_SIDE, round(height * scale))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.BICUBIC))
