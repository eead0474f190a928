"""Scenes for `benchmarks.ahead_scenes`, drawn in parts that are kept: pixels, captions, foils, units.

Scenes with foils are anchors as a run makes them: their captions are seen to be true. Scenes for pairs alone are drawn
three times each, with other looks and words, and nobody looks at them again: that is a fifth of the time.

A foil is a caption with one word in another's place. Both words are drawn blindly: two of one kind within the caption,
or one of the same kind from another scene's caption. The unproved foil is the first that comes. The proved one is the
first that the scene's reader shows to be false of the picture, and that some scene could be. So proof alone differs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from counterfoil.storage.rows import Anchor, Edit
from counterfoil.tasks.caption.anchors import make_scene_anchors
from counterfoil.tasks.caption.concreteness import Ratings
from counterfoil.tasks.caption.scenes.language.write import write_captions
from counterfoil.tasks.caption.scenes.layout import LayoutError
from counterfoil.tasks.caption.scenes.picture import draw_scene, paint
from counterfoil.tasks.caption.scenes.sample import sample_scene
from counterfoil.tasks.caption.sources.scenes import make_row
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.wording import Wording, exchange
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer

SEED, PART, TRIES, UNITS, DRAWN = 35, 500, 24, 2, 3


@dataclass(frozen=True)
class Foils:
    """A true text with a proved and an unproved foil."""

    true: str
    proved: str
    unproved: str
    verdict: bool | None
    """What the reader says of the unproved one: None where it cannot read it, or cannot tell."""
    concreteness: float | None
    """Of the word that the proved foil lost."""


@dataclass(frozen=True)
class Scene:
    """What is learnt of a scene beside its pixels."""

    number: int
    """Pictures of one scene have one number."""
    captions: list[str]
    """Two that say the same."""
    foils: list[Foils]
    """Of the first caption, then of units of it; none where pairs alone are wanted."""


def draw(folder: Path, with_foils: int, pairs: int, side: int) -> Iterator[str]:
    """Draw the parts that are not there yet, and name each.

    Args:
        with_foils: so many scenes get foils and units. pairs: so many others get captions alone.
        side: of the pictures, in pixels.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for kind, count, make in (("foils", with_foils, _draw_foils), ("pairs", pairs, _draw_pairs)):
        for start in range(0, count, PART):
            path = folder / f"{kind}-{start:06d}.npz"
            if path.exists():
                continue
            drawn = list(make(start, min(start + PART, count), side))
            partial = path.with_suffix(".part")
            with partial.open("wb") as out:
                rows = json.dumps([asdict(row) for row, _ in drawn])
                np.savez(out, pixels=np.stack([pixels for _, pixels in drawn]), rows=rows)
            partial.rename(path)
            yield path.stem


def _draw_foils(start: int, stop: int, side: int) -> Iterator[tuple[Scene, np.ndarray]]:
    domain, ratings = load_domain("caption"), Ratings("brysbaert", False)
    settings = domain.settings_type(source="procedural:1", size=side, captions=2, negatives=1)
    context: Context[Any] = Context(settings, SEED, MemoRenderer())
    assert domain.wording is not None
    made = [list(make_scene_anchors(make_row(f"procedural-{SEED}-{i:06d}", SEED), context)) for i in range(start, stop)]
    anchors = [each for found in made for each in found if isinstance(each, Anchor) and len(each.captions) == 2]
    foils = _Foils(domain.wording, context, ratings, [])
    foils.pool.extend(target for each in anchors for target in foils.list_targets(each.captions[0], each))
    for number, anchor in enumerate(anchors):
        assert anchor.image is not None
        row = Scene(start + number, list(anchor.captions), [])
        row.foils.extend(foils.make(anchor, np.random.default_rng([SEED, start, number])))
        yield row, np.asarray(Image.open(BytesIO(anchor.image.bytes)).convert("RGB"))


def _draw_pairs(start: int, stop: int, side: int) -> Iterator[tuple[Scene, np.ndarray]]:
    for number in range(start, stop):
        scene = sample_scene(np.random.default_rng([SEED, 1, number]))
        for turn in range(DRAWN):
            words = write_captions(scene, np.random.default_rng([SEED, 2, number, turn]), 2)
            try:
                vector = draw_scene(scene, np.random.SeedSequence([SEED, 3, number, turn]))
            except LayoutError:  # one in 2,000 does not fit with these looks
                continue
            if len(words) == 2:
                yield Scene(number, list(words), []), paint(vector, side)


def read(folder: Path, kind: str) -> tuple[np.ndarray, list[Scene]]:
    """All that is drawn of a kind: pixels [N, S, S, 3] uint8, and what is said of them."""
    pixels, scenes = [], []
    for path in sorted(folder.glob(f"{kind}-*.npz")):
        with np.load(path) as part:
            pixels.append(part["pixels"])
            for each in json.loads(str(part["rows"])):
                scenes.append(Scene(each["number"], each["captions"], [Foils(**foil) for foil in each["foils"]]))
    return np.concatenate(pixels), scenes


@dataclass(frozen=True)
class _Foils:
    wording: Wording[Any]
    context: Context[Any]
    ratings: Ratings
    pool: list[tuple[str, str]]
    """Kinds and words of captions, each as often as it comes."""

    def make(self, anchor: Anchor, rng: np.random.Generator) -> list[Foils]:
        """Of the first caption and of so many units; none where the caption has no proved foil."""
        caption = self._foil(anchor.captions[0], anchor, rng)
        if caption is None:
            return []
        told = self.wording.tell(anchor, self.context)
        true = [each for each in told if self.wording.judge(each, anchor, self.context) is True]
        units = [self._foil(true[int(place)], anchor, rng) for place in rng.permutation(len(true))[: 2 * UNITS]]
        return [caption, *[each for each in units if each is not None][:UNITS]]

    def list_targets(self, text: str, anchor: Anchor) -> list[tuple[str, str]]:
        """The words that may be exchanged, each with its kind."""
        edits = self.wording.list_edits(text, anchor, self.context)
        return list(dict.fromkeys((edit.kind, edit.target) for edit in edits))

    def _foil(self, text: str, anchor: Anchor, rng: np.random.Generator) -> Foils | None:
        first: str | None = None
        for target, foil in self._exchange(text, anchor, rng):
            first = foil if first is None else first
            if self.wording.judge(foil, anchor, self.context) is False and self.wording.possible(
                foil, anchor, self.context
            ):
                verdict = self.wording.judge(first, anchor, self.context)
                return Foils(text, foil, first, verdict, self.ratings.rate(target.split()[-1]))
        return None

    def _exchange(self, text: str, anchor: Anchor, rng: np.random.Generator) -> Iterator[tuple[str, str]]:
        """Words of the text, each with the text in which another stands in its place."""
        targets = self.list_targets(text, anchor)
        for _ in range(TRIES if targets else 0):
            kind, target = targets[int(rng.integers(len(targets)))]
            own = [word for other, word in targets if other == kind and word != target]
            if own and rng.random() < 0.5:
                word = own[int(rng.integers(len(own)))]
                foil = text.replace(word, "\0").replace(target, word).replace("\0", target)
            else:
                others = [word for other, word in self.pool if other == kind and word != target]
                if not others:
                    continue
                found = exchange(text, Edit(kind, target, others[int(rng.integers(len(others)))]))
                if not found:
                    continue
                foil = found[int(rng.integers(len(found)))]
            if foil != text:
                yield target, foil
