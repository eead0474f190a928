"""How well models that see one side alone tell a family's contrasts from their anchors.

Several small judges learn to set anchors over their contrasts, each from four fifths of the source rows, and are tried
on the rest. The figures of the strongest stand for the family.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from counterfoil.storage.rows import Anchor, Contrast, content_id
from counterfoil.storage.schemas import TableName
from counterfoil.tasks.tells.blocks import deal_folds, join_blocks
from counterfoil.tasks.tells.compare import (
    FEWEST_BLOCKS,
    Comparison,
    compare_all,
    list_keys,
    show_anchor,
    show_beside,
    show_contrast,
)
from counterfoil.tasks.tells.figures import Figures, measure_figures
from counterfoil.tasks.tells.judges import Judge, TreeJudge, judge_ngrams, judge_numbers, score_folds
from counterfoil.tasks.tells.pictures import Seen, list_names, see_picture
from counterfoil.tasks.tells.pixels import PixelJudge, has_torch
from counterfoil.tasks.tells.sets import LEARNT, choose_sets, judge_sets
from counterfoil.tasks.tells.told import Tell, list_tells
from counterfoil.tasks.tells.wording import NAMES, list_longer, list_ngrams, list_orders, measure_text

MOST_ANCHORS = 1500
"""Anchors of a family that an audit reads at most."""
MOST_PICTURES = 5000
"""Of a family of pictures no more anchors than have about so many of them, their own among them, unless their number is
asked for: measuring a picture takes some 15 ms, and the trees as long again."""
_SEED = 0
_HAIR = 1e-9

See = Callable[[Sequence[bytes]], Iterable[Seen]]
"""Measures pictures, in order."""
ReadTexts = Callable[[Sequence[str]], Sequence[tuple[float, int]]]
"""The log-likelihood of each text and how many tokens it has (`tasks.encoders.fluency.LanguageModel.measure`)."""
MOST_READ = 200
"""Anchors whose texts a language model reads, each with `_READ_BESIDE` contrasts at most: four texts a CPU second."""
_READ_BESIDE = 3


class Rows(Protocol):
    """Anchors and contrasts, wherever they lie."""

    def scan(
        self,
        table: TableName,
        columns: Sequence[str] | None = None,
        *,
        batch_size: int = ...,
        partition: str | None = ...,
    ) -> Iterator[pa.RecordBatch]:
        """The rows of one domain or family, in parts."""
        ...

    def get_anchors(self, anchor_ids: Sequence[str], domain: str | None = None) -> Mapping[str, Anchor]:
        """Those of these ids that are there."""
        ...

    def contrasts(self, family: str | None = None, anchor_ids: Sequence[str] | None = None) -> Iterator[Contrast]:
        """The rows of a family, or those of these anchors."""
        ...


@dataclass(frozen=True)
class JudgeFigures:
    """What one judge reached."""

    judge: str
    figures: Figures


@dataclass(frozen=True)
class FamilyAudit:
    """How well one family's contrasts are told from their anchors."""

    family: str
    role: str
    modality: str
    beside: str
    """What of the anchors its contrasts stand beside: picture, caption, captions or code."""
    anchors: int
    contrasts: int
    judges: tuple[JudgeFigures, ...]
    """Strongest first; none where there are too few source rows."""
    tells: tuple[Tell, ...]
    rows: str
    """Fingerprint of the rows that it is about."""
    sets: tuple[JudgeFigures, ...] = ()
    """Judges that see a whole set (`tasks.tells.sets`): the one that picks the anchor oftenest over chance first."""
    halves: tuple[JudgeFigures, ...] = ()
    """Judges that learnt from half of the source rows and were tried on the other half, and back."""
    fluent: tuple[JudgeFigures, ...] = ()
    """How often a language model that saw none of the rows finds the anchor's text likelier than the contrast's, in all
    and for each token; none where no model was named, and of pictures."""
    sources: int = 0
    """Source rows that the anchors came of, those of one picture or caption as one."""
    having: int = 0
    """Anchors that have contrasts of the family, of which `anchors` were read; 0 where that was not kept."""

    @property
    def strongest(self) -> JudgeFigures | None:
        return self.judges[0] if self.judges else None

    def exceeds(self, limit: float) -> bool:
        """Whether its negatives are told from their anchors more often than ``limit``, by judges of single items, of
        the other half or by a language model, or the anchor is picked out of its set by as much over chance as
        ``limit`` is over a half."""
        if self.role != "negative":
            return False
        told = [each.figures.pairwise.value for each in (*self.judges[:1], *self.halves, *self.fluent)]
        picked = [each.figures for each in self.sets if each.figures.picked.low > each.figures.chance]
        return any(each > limit for each in told) or any(
            each.picked.value - each.chance > limit - 0.5 + _HAIR for each in picked
        )

    def list_inverted(self) -> list[str]:
        """The judges that are wrong more often than chance would have it: anchors score lower than their contrasts.
        That is no safety: who turns their scores is right. The intervals hold for all judges together."""
        learnt = (
            *self.judges,
            *self.halves,
            *self.fluent,
            *(each for each in self.sets if each.judge.startswith(LEARNT)),
        )
        return [each.judge for each in learnt if each.figures.pairwise.widen(len(learnt)).high < 0.5]


def audit_family(
    rows: Rows,
    family: str,
    *,
    most: int | None = None,
    name: str = "",
    see: See = lambda pictures: map(see_picture, pictures),
    pixels: bool = False,
    read: ReadTexts | None = None,
    most_read: int = MOST_READ,
    tell: Callable[[int], None] = lambda _: None,
) -> list[FamilyAudit]:
    """Audit one family: once, or its pictures and its texts apart where it has both, and near misses of one of several
    captions beside that one and beside all.

    Args:
        most: anchors read; left out, `MOST_ANCHORS`, or fewer where their pictures are many.
        name: fingerprint of the rows.
        pixels: whether the pixel model judges too, where torch is installed.
        read: a language model that judges too; left out, none does.
        most_read: anchors whose texts it reads.
        tell: hears of each judge, of how many there are.
    """
    having, pictures = count_contrasts(rows, family)
    ids = choose_anchors(rows, family, limit_anchors(len(having), pictures) if most is None else most, having)
    anchors = rows.get_anchors(ids, family.partition(".")[0])
    keys = {anchor_id: list_keys(anchor) for anchor_id, anchor in anchors.items()}
    contrasts = list(rows.contrasts(family, ids))
    audits = []
    for modality in sorted({each.modality for each in contrasts}):
        chosen = [each for each in contrasts if each.modality == modality]
        own = [shown for anchor in anchors.values() for shown in show_anchor(anchor, modality)]
        own += [shown for each in chosen for shown in show_beside(each)]
        shown = [*own, *(shown for each in chosen for shown in show_contrast(each))]
        for comparison in compare_all(shown, keys, _SEED):
            found = _judge(chosen[0], comparison, name, see, pixels, tell)
            fluent = _judge_fluency(comparison, read, most_read) if read and modality == "text" else ()
            audits.append(replace(found, having=len(having), fluent=fluent))
    return audits


def count_contrasts(rows: Rows, family: str) -> tuple[set[str], int]:
    """The ids of the anchors that have contrasts of ``family``, and how many of these are pictures."""
    having: set[str] = set()
    pictures = 0
    for batch in rows.scan("contrasts", ["anchor_id", "modality"], batch_size=8192, partition=family):
        having.update(batch["anchor_id"].to_pylist())
        pictures += batch["modality"].to_pylist().count("image")
    return having, pictures


def limit_anchors(having: int, pictures: int) -> int:
    """How many of ``having`` anchors are read that have ``pictures`` contrasts to be looked at.

    >>> limit_anchors(9000, 0), limit_anchors(1000, 9000), limit_anchors(200, 1800)
    (1500, 500, 1500)
    """
    if having + pictures <= MOST_PICTURES or not pictures:
        return MOST_ANCHORS
    return min(MOST_ANCHORS, MOST_PICTURES * having // (having + pictures))


def choose_anchors(rows: Rows, family: str, most: int, having: Collection[str]) -> list[str]:
    """Ids of at most ``most`` of the anchors ``having`` contrasts of ``family``: of every source row one, then another
    of each, and so on, all by their hashes. A few of each of many rows say more than all of a few."""
    ids: list[str] = []
    sources: list[tuple[str, str]] = []
    columns = ["anchor_id", "source", "source_id"]
    for batch in rows.scan("anchors", columns, batch_size=8192, partition=family.partition(".")[0]):
        for row in batch.to_pylist():
            if row["anchor_id"] in having:
                ids.append(row["anchor_id"])
                sources.append((row["source"], row["source_id"]))
    members: dict[int, list[str]] = {}
    for anchor_id, block in zip(ids, join_blocks([[row] for row in sources]), strict=True):
        members.setdefault(block, []).append(anchor_id)
    blocks = [sorted(each, key=lambda one: content_id("audited", one)) for each in members.values()]
    order = sorted(blocks, key=lambda each: content_id("audited", min(each)))
    rounds = range(max(map(len, order), default=0))
    return [each[turn] for turn in rounds for each in order if turn < len(each)][:most]


def _judge(
    example: Contrast, comparison: Comparison, rows: str, see: See, pixels: bool, tell: Callable[[int], None]
) -> FamilyAudit:
    """Try every judge on every fold."""
    items = comparison.items
    whole = FamilyAudit(
        family=example.family,
        role=example.role,
        modality=example.modality,
        beside=comparison.beside,
        anchors=items.anchors,
        contrasts=comparison.contrasts,
        judges=(),
        tells=(),
        rows=rows,
        sources=len(np.unique(items.blocks)),
    )
    if whole.sources < FEWEST_BLOCKS:
        return whole
    judges: list[Judge]
    ngrams: list[list[str]] = []
    thumbnails: np.ndarray | None = None
    if example.modality == "image":
        seen = list(see([row.picture for row in comparison.rows]))
        numbers, names = np.stack([each.numbers for each in seen]), list_names()
        thumbnails = np.stack([each.thumbnail for each in seen])
        judges = [PixelJudge(thumbnails, _SEED)] if pixels and has_torch() else []
    else:
        texts = [row.text for row in comparison.rows]
        ngrams = [[*list_ngrams(text), *order] for text, order in zip(texts, list_orders(texts), strict=True)]
        numbers, names = np.stack([measure_text(text) for text in texts]), NAMES
        judges = [judge_ngrams(ngrams)]
    judges += [judge_numbers(numbers), TreeJudge(numbers)]
    tried = []
    for judge in judges:
        tried.append(JudgeFigures(judge.name, measure_figures(items, score_folds(items, judge), _SEED)))
        tell(len(judges))
    return replace(
        whole,
        judges=tuple(sorted(tried, key=lambda each: (-each.figures.pairwise.value, each.judge))),
        tells=list_tells(items, numbers, names, ngrams),
        sets=_judge_sets(comparison, numbers, thumbnails),
        halves=_judge_halves(comparison, numbers, ngrams),
    )


def _judge_sets(comparison: Comparison, numbers: np.ndarray, thumbnails: np.ndarray | None) -> tuple[JudgeFigures, ...]:
    sets = choose_sets(comparison)
    if sets is None or len(np.unique(sets.items.blocks)) < FEWEST_BLOCKS:
        return ()
    texts = [comparison.rows[place].text for place in sets.rows]
    seen = None if thumbnails is None else thumbnails[sets.rows]
    tried = [
        JudgeFigures(name, measure_figures(sets.items, scores, _SEED))
        for name, scores in judge_sets(sets, texts, numbers[sets.rows], seen)
    ]
    return tuple(sorted(tried, key=lambda each: (each.figures.chance - each.figures.picked.value, each.judge)))


def _judge_fluency(comparison: Comparison, read: ReadTexts, most: int) -> tuple[JudgeFigures, ...]:
    sets = choose_sets(comparison, fewest=1, most=most, largest=_READ_BESIDE)
    if sets is None or len(np.unique(sets.items.blocks)) < FEWEST_BLOCKS:
        return ()
    totals, tokens = np.array(read([comparison.rows[place].text for place in sets.rows]), dtype=np.float64).T
    each = (totals / np.maximum(tokens, 1)).round(6)
    tried = [
        JudgeFigures(name, measure_figures(sets.items, scores, _SEED))
        for name, scores in (("language model", totals), ("language model, per token", each))
    ]
    return tuple(sorted(tried, key=lambda one: (-one.figures.pairwise.value, one.judge)))


def _judge_halves(comparison: Comparison, numbers: np.ndarray, ngrams: list[list[str]]) -> tuple[JudgeFigures, ...]:
    items = comparison.items
    names = [comparison.rows[place].anchor_id for place in np.unique(items.owner, return_index=True)[1]]
    halved = replace(items, folds=deal_folds(items.blocks, names, 2, _SEED))
    longer = (
        [[*grams, *list_longer(row.text)] for grams, row in zip(ngrams, comparison.rows, strict=True)] if ngrams else []
    )
    judges: list[Judge] = [judge_ngrams(longer)] if ngrams else []
    tried = [
        JudgeFigures(f"other half, {judge.name}", measure_figures(halved, score_folds(halved, judge), _SEED))
        for judge in [*judges, judge_numbers(numbers)]
    ]
    return tuple(sorted(tried, key=lambda each: (-each.figures.pairwise.value, each.judge)))
