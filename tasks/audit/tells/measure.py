"""`counterfoil audit`: can a model that sees one side alone tell contrasts from their anchors?

A family whose answer can be seen without the other modality teaches its tells and nothing else. For each family several
small judges learn to set anchors over their contrasts, each from four fifths of the source rows, and are tried on the
rest. The figures of the strongest stand for the family.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from storage.dataset import Dataset
from storage.errors import StorageError
from storage.reading import Snapshot
from storage.rows import fingerprint
from tasks.audit.tells.errors import AuditError, explain_missing
from tasks.audit.tells.figures import Figures, measure_figures
from tasks.audit.tells.judges import Judge, TreeJudge, judge_ngrams, judge_numbers
from tasks.audit.tells.pictures import list_names, see_pictures
from tasks.audit.tells.pixels import PixelJudge, has_torch
from tasks.audit.tells.reading import Comparison, choose_anchors, compare_rows
from tasks.audit.tells.told import Tell, list_tells
from tasks.audit.tells.wording import NAMES, list_ngrams, measure_text

MOST_ANCHORS = 1500
"""Anchors of a family that an audit reads at most."""
FEWEST_BLOCKS = 20
"""A family of fewer source rows is not judged: chance alone would decide."""


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
    """What of the anchors its contrasts stand beside: picture, caption or code."""
    anchors: int
    contrasts: int
    judges: tuple[JudgeFigures, ...]
    """Strongest first; none where there are too few source rows."""
    tells: tuple[Tell, ...]
    rows: str
    """Fingerprint of the rows that it is about."""

    @property
    def strongest(self) -> JudgeFigures | None:
        return self.judges[0] if self.judges else None

    def exceeds(self, limit: float) -> bool:
        """Whether its negatives are told from their anchors more often than ``limit``."""
        return self.role == "negative" and self.strongest is not None and self.strongest.figures.pairwise.value > limit


@dataclass(frozen=True)
class Material:
    """A comparison made ready for judges."""

    comparison: Comparison
    numbers: np.ndarray
    names: tuple[str, ...]
    ngrams: Sequence[Sequence[str]] = ()
    thumbnails: np.ndarray | None = None


Progress = Callable[[str, int, int], None]


def audit_dataset(
    url: str,
    families: Sequence[str] = (),
    *,
    most: int = MOST_ANCHORS,
    seed: int = 0,
    workers: int = 0,
    progress: Progress = lambda *_: None,
) -> list[FamilyAudit]:
    """Audit the families named, or all that the dataset has. The same rows and seed give the same figures.

    ``progress`` is called with what is done, how many of it since the last call, and how many there are.

    Raises:
        AuditError: scikit-learn is missing, or the dataset has no such family.
        StorageError: there is no dataset.
    """
    with explain_missing():
        import sklearn  # noqa: F401 - asked for before minutes of work
    dataset = Dataset(url)
    if not dataset.exists():
        raise StorageError(f"{url} holds no dataset: make one with `counterfoil run RECIPE`")
    snapshot = dataset.snapshot()
    known = snapshot.partitions("contrasts")
    for name in families:
        if name not in known:
            raise AuditError(f"{url} has no rows of {name!r}; it has {', '.join(known) or 'no contrasts'}")
    return [
        each
        for name in (dict.fromkeys(families) or known)
        for each in audit_family(snapshot, name, most=most, seed=seed, workers=workers, progress=progress)
    ]


def audit_family(
    snapshot: Snapshot, family: str, *, most: int, seed: int, workers: int, progress: Progress
) -> list[FamilyAudit]:
    """Audit one family of a dataset: once, or its pictures and its texts apart where it has both."""
    ids = choose_anchors(snapshot, family, most, seed)
    found = snapshot.get_anchors(ids, family.partition(".")[0])
    contrasts = [each for each in snapshot.contrasts(family) if each.anchor_id in found]
    rows = fingerprint_rows(snapshot, family)
    audits = []
    for modality in sorted({each.modality for each in contrasts}):
        comparison = compare_rows(list(found.values()), [each for each in contrasts if each.modality == modality], seed)
        if comparison is not None:
            material = prepare_material(comparison, workers, progress)
            audits.append(judge_material(material, rows, seed, progress))
    return audits


def fingerprint_rows(snapshot: Snapshot, family: str) -> str:
    """What a family's audit is about: its files and its anchors', which are named by their content."""
    domain = family.partition(".")[0]
    files = [*snapshot.files("anchors", domain), *snapshot.files("contrasts", family)]
    return fingerprint([file.path for file in files])


def prepare_material(comparison: Comparison, workers: int, progress: Progress) -> Material:
    """Measure every text or picture of a comparison."""
    total = len(comparison.rows)
    if comparison.modality == "image":
        title = f"{comparison.family}: pictures seen"
        pictures = [row.picture for row in comparison.rows]
        seen = list(see_pictures(pictures, workers, lambda done: progress(title, done, total)))
        thumbnails = np.stack([each.thumbnail for each in seen])
        return Material(comparison, np.stack([each.numbers for each in seen]), list_names(), thumbnails=thumbnails)
    texts = [row.text for row in comparison.rows]
    numbers = np.stack([measure_text(text) for text in texts])
    return Material(comparison, numbers, NAMES, ngrams=[list_ngrams(text) for text in texts])


def judge_material(material: Material, rows: str, seed: int, progress: Progress) -> FamilyAudit:
    """Try every judge on every fold."""
    comparison = material.comparison
    judges = list_judges(material, seed) if len(set(comparison.items.blocks.tolist())) >= FEWEST_BLOCKS else []
    tried = []
    for judge in judges:
        scores = score_folds(comparison, judge)
        tried.append(JudgeFigures(judge.name, measure_figures(comparison.items, scores, seed)))
        progress(f"{comparison.family}: judges", 1, len(judges))
    tried.sort(key=lambda each: (-each.figures.pairwise.value, each.judge))
    return FamilyAudit(
        family=comparison.family,
        role=comparison.role,
        modality=comparison.modality,
        beside=comparison.beside,
        anchors=comparison.items.anchors,
        contrasts=comparison.contrasts,
        judges=tuple(tried),
        tells=list_tells(comparison.items, material.numbers, material.names, material.ngrams),
        rows=rows,
    )


def list_judges(material: Material, seed: int) -> list[Judge]:
    """The judges of a family's modality."""
    judges: list[Judge] = [judge_numbers(material.numbers), TreeJudge(material.numbers, seed)]
    if material.thumbnails is None:
        return [judge_ngrams(material.ngrams), *judges]
    return [*judges, PixelJudge(material.thumbnails, seed)] if has_torch() else judges


def score_folds(comparison: Comparison, judge: Judge) -> np.ndarray:
    """A score for every item, each by a judge that saw nothing of its fold."""
    fold_of = comparison.items.folds[comparison.items.owner]
    scores = np.zeros(len(fold_of))
    for fold in np.unique(fold_of):
        judged = np.nonzero(fold_of == fold)[0]
        scores[judged] = judge.score(comparison.items, np.nonzero(fold_of != fold)[0], judged)
    return scores
