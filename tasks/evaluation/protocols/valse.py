"""VALSE (Parcalabescu et al., 2022): a caption against its foil, in eleven instruments of linguistic phenomena.

The authors' files: ``existence.json`` ... ``foil-it.json``, each an object of ``{image_file, caption, foil, mturk}``
(older copies have a list, ``foils``). Only items whose caption at least two of three annotators chose count: 7,702 of
8,782. Pairwise accuracy, strict; CE-CLIP and AHNPL average the eleven instruments.
"""

from __future__ import annotations

from pathlib import Path

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.outcomes import average, pool
from counterfoil.tasks.evaluation.reading import FileRow, check_folder, find_picture, list_roots, read_rows
from counterfoil.tasks.evaluation.tasks import HIT, ChoiceMaker

INSTRUMENTS = (
    "existence",
    "plurals",
    "counting-hard",
    "counting-small-quant",
    "counting-adversarial",
    "relations",
    "action-replacement",
    "actant-swap",
    "coreference-standard",
    "coreference-hard",
    "foil-it",
)
VALID = 2
"""Annotators, of three, who must have chosen the caption."""
ITEMS, KEPT = 8782, 7702
_FOLDERS = ("coco", "visual7w", "swig", "visdial", "val2014", "train2014", "val2017", "train2017")


class _Votes(FileRow):
    caption: int


class _Row(FileRow):
    image_file: str
    caption: str
    mturk: _Votes
    foil: str | None = None
    foils: list[str] | None = None


def load(place: str, options: Options) -> Benchmark:
    """The instruments that are in the folder, without the items that annotators did not find valid.

    Raises:
        EvaluationError: none is there, a file is not in the authors' format, or an item has no foil.
    """
    folder = Path(place)
    check_folder("valse", folder, [f"{name}.json" for name in INSTRUMENTS])
    roots = list_roots(folder, options.images, *_FOLDERS)
    material, maker = Material(), ChoiceMaker()
    found, items, kept = [], 0, 0
    for name in INSTRUMENTS:
        path = folder / f"{name}.json"
        if not path.is_file():
            continue
        found.append(name)
        for key, row in read_rows(path, _Row):
            items += 1
            if row.mturk.caption < VALID:
                continue
            kept += 1
            foil = row.foil or next(iter(row.foils or ()), None)
            if foil is None:
                raise EvaluationError(f"{path}, {key}: foil: it has neither `foil` nor `foils`")
            picture = material.add_picture(find_picture(row.image_file, roots))
            question = (picture, [material.add_text(row.caption)], [material.add_text(foil)])
            maker.add(f"{name}/{key}", name, row.image_file, [question])
    whole = set(found) == set(INSTRUMENTS)
    figures = [average("mean of 11", HIT, INSTRUMENTS)] if whole else []
    figures += [pool("micro", HIT, found), *(pool(name, HIT, [name]) for name in found)]
    return Benchmark(
        "valse",
        "VALSE",
        f"The caption must score strictly higher than its foil; items with fewer than {VALID} votes are left out.",
        material,
        (maker.finish("", figures),),
        hash_files([folder / f"{name}.json" for name in found], folder),
        tuple(_note(found, items, kept)),
    )


def _note(found: list[str], items: int, kept: int) -> list[str]:
    told = f"{kept:,} of {items:,} items kept: annotators found the others invalid"
    absent = [name for name in INSTRUMENTS if name not in found]
    if absent:
        return [told, f"absent: {', '.join(absent)}; the mean of 11 is not given"]
    return [told] if (items, kept) == (ITEMS, KEPT) else [f"{told} (the authors' {KEPT:,} of {ITEMS:,})"]
