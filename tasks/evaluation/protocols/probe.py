"""Linear probes: logistic regression on a model's frozen features of pictures.

One set: ``train/LABEL/*.png`` and ``test/LABEL/*.png``, a folder for each label, and the accuracy; or pictures with
several labels, ``train.jsonl`` and ``test.jsonl`` of ``{image, labels: [...]}``, and the mean average precision over
labels. A folder of such sets (VTAB's nineteen) gives each of them, and the mean of those that are told by accuracy.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from counterfoil.tasks.evaluation.benchmark import Benchmark, DataFile, Options, hash_files
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material, Picture
from counterfoil.tasks.evaluation.outcomes import pool
from counterfoil.tasks.evaluation.probe import HIT, PRECISION, Probe
from counterfoil.tasks.evaluation.reading import FileRow, find_picture, list_roots, read_rows

_ENDINGS = {".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"}
VTAB = 19

Labelled = list[tuple[Picture, tuple[str, ...]]]


class _Row(FileRow):
    image: str
    labels: list[str]


def load(place: str, options: Options) -> Benchmark:
    """The set of the folder, or the sets in it.

    Raises:
        EvaluationError: there is none, or its labels do not fit.
    """
    folder = Path(place)
    if not folder.is_dir():
        raise EvaluationError(f"probe: {folder} is no folder: give one with train/LABEL/ and test/LABEL/ in it")
    sets = [folder] if _is_set(folder) else sorted(path for path in folder.iterdir() if path.is_dir() and _is_set(path))
    if not sets:
        raise EvaluationError(
            f"probe: {folder} holds neither train/ and test/ with a folder for each label, nor train.jsonl and "
            "test.jsonl of image and labels, nor folders that do"
        )
    material = Material()
    files: list[DataFile] = []
    probes = []
    for path in sets:
        several = (path / "train.jsonl").is_file()
        read = _read_several if several else _read_folders
        probes.append(_make(path, material, read(path, "train", options), read(path, "test", options), several))
        files += hash_files([path / "train.jsonl", path / "test.jsonl"], folder) if several else ()
    notes = [f"{len(sets)} sets, VTAB's {VTAB}"] if len(sets) not in (1, VTAB) else []
    return Benchmark(
        "probe",
        "Linear probes",
        "Logistic regression on frozen features; the penalty is chosen on a fifth of the training pictures.",
        material,
        tuple(probes),
        tuple(files),
        tuple(notes),
    )


def _is_set(folder: Path) -> bool:
    if (folder / "train.jsonl").is_file() and (folder / "test.jsonl").is_file():
        return True
    return all((folder / part).is_dir() for part in ("train", "test"))


def _read_folders(folder: Path, part: str, options: Options) -> Labelled:  # noqa: ARG001 - labels are folders
    found: Labelled = []
    for path in sorted((folder / part).iterdir()):
        if path.is_dir():
            pictures = sorted(each for each in path.iterdir() if each.suffix.lower() in _ENDINGS)
            if not pictures:
                raise EvaluationError(f"probe: {path} holds no pictures ({', '.join(sorted(_ENDINGS))})")
            found += [(Picture(each.relative_to(folder).as_posix(), each), (path.name,)) for each in pictures]
    if not found:
        raise EvaluationError(f"probe: {folder / part} holds no folders of labels")
    return found


def _read_several(folder: Path, part: str, options: Options) -> Labelled:
    roots = list_roots(folder, options.images)
    path = folder / f"{part}.jsonl"
    return [(find_picture(row.image, roots), tuple(row.labels)) for _, row in read_rows(path, _Row)]


def _make(folder: Path, material: Material, learn: Labelled, judged: Labelled, several: bool) -> Probe:
    labels = sorted({label for _, own in learn for label in own})
    place = {label: number for number, label in enumerate(labels)}
    unknown = sorted({label for _, own in judged for label in own} - place.keys())
    if unknown:
        raise EvaluationError(f"probe: {folder}: test has labels that train has not: {', '.join(unknown[:5])}")
    if len(labels) < 2:
        raise EvaluationError(f"probe: {folder}: train has {len(labels)} label: a probe needs two at least")

    def mark(rows: Labelled) -> np.ndarray:
        marks = np.zeros((len(rows), len(labels)), dtype=bool)
        for row, (_, own) in enumerate(rows):
            marks[row, [place[label] for label in own]] = True
        return marks

    truth = mark(judged)
    tried = [label for label in labels if truth[:, place[label]].any()]
    items = tuple(tried) if several else tuple(picture.name for picture, _ in judged)
    measure, title = (PRECISION, "mAP") if several else (HIT, "accuracy")
    return Probe(
        folder.name,
        items,
        ("",) * len(items),
        items,
        (pool(title, measure, [""]),),
        np.array([material.add_picture(picture) for picture, _ in learn], dtype=np.int64),
        np.array([material.add_picture(picture) for picture, _ in judged], dtype=np.int64),
        mark(learn),
        truth,
        several,
    )
