"""`counterfoil audit`: can a model that sees one side alone tell contrasts from their anchors?

A family whose answer can be seen without the other modality teaches its tells and nothing else (`tasks.tells.measure`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.encoders.fluency import open_language_model
from counterfoil.tasks.engine.workers import WorkerPool
from counterfoil.tasks.tells.errors import AuditError
from counterfoil.tasks.tells.measure import FamilyAudit, audit_family
from counterfoil.tasks.tells.pictures import Seen, see_picture

_BATCH = 64
"""Pictures that a worker measures at a time."""

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of it since the last call, and how many there are."""


def audit_dataset(
    url: str,
    families: Sequence[str] = (),
    *,
    most: int | None = None,
    workers: int = 0,
    language_model: str | None = None,
    progress: Progress = lambda *_: None,
) -> list[FamilyAudit]:
    """Audit the families named, or all that the dataset has. The same rows give the same figures.

    ``most``: anchors read of each family; left out, `MOST_ANCHORS`, or fewer where their pictures are many.
    ``language_model``: one that judges texts too (`counterfoil.tasks.encoders.fluency.open_language_model`).

    Raises:
        AuditError: the dataset has no such family.
        EncoderError, MissingPackageError: there is no such language model, or what it needs is not installed.
        StorageError: there is no dataset.
    """
    dataset = Dataset(url)
    if not dataset.exists():
        raise StorageError(f"{url} holds no dataset: make one with `counterfoil run RECIPE`")
    snapshot = dataset.snapshot()
    known = snapshot.partitions("contrasts")
    for name in families:
        if name not in known:
            raise AuditError(f"{url} has no rows of {name!r}; it has {', '.join(known) or 'no contrasts'}")
    read = open_language_model(language_model).measure if language_model else None
    return [
        each
        for name in (dict.fromkeys(families) or known)
        for each in audit_family(
            snapshot,
            name,
            most=most,
            name=fingerprint_rows(snapshot, name),
            see=partial(_see, name, workers, progress),
            pixels=True,
            read=read,
            tell=partial(progress, f"{name}: judges", 1),
        )
    ]


def fingerprint_rows(snapshot: Snapshot, family: str) -> str:
    """What a family's audit is about: its files and its anchors', which are named by their content."""
    domain = family.partition(".")[0]
    files = [*snapshot.files("anchors", domain), *snapshot.files("contrasts", family)]
    return fingerprint([file.path for file in files])


def _see(family: str, workers: int, progress: Progress, pictures: Sequence[bytes]) -> Iterator[Seen]:
    """Each picture measured, in order, by ``workers`` processes (0: one per core); few of them by this one alone."""
    batches = [pictures[start : start + _BATCH] for start in range(0, len(pictures), _BATCH)]
    count = workers or os.cpu_count() or 1
    if count == 1 or len(batches) < 8:
        yield from _tell(family, map(see_batch, batches), len(pictures), progress)
        return
    with WorkerPool(count) as pool, closing(pool.map(see_batch, batches, "measuring pictures")) as measured:
        yield from _tell(family, measured, len(pictures), progress)


def _tell(family: str, measured: Iterable[list[Seen]], total: int, progress: Progress) -> Iterator[Seen]:
    for seen in measured:
        yield from seen
        progress(f"{family}: pictures measured", len(seen), total)


def see_batch(pictures: Sequence[bytes]) -> list[Seen]:
    """Measure a few pictures, in a worker process."""
    return [see_picture(picture) for picture in pictures]
