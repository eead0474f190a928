"""SugarCrepe (Hsieh et al., 2023): is the caption nearer to its picture than a fluent near miss of it?

The authors' files: ``add_att.json`` ... ``swap_obj.json``, each an object of ``{filename, caption, negative_caption}``,
and the pictures of COCO's val2017. Strict: a tie is lost. Three averages are in use, and papers seldom say which: over
all items (the authors'), over the seven splits, and over add, replace and swap.

Two activations pass for one model (QuickGELU and GELU) and score differently; the sheet's hash of the model tells them
apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.outcomes import FigureSpec, average, average_groups, pool
from counterfoil.tasks.evaluation.reading import FileRow, check_folder, find_picture, list_roots, read_rows
from counterfoil.tasks.evaluation.tasks import HIT, ChoiceMaker

SomeRow = TypeVar("SomeRow", bound=FileRow)
GROUPS: Mapping[str, tuple[str, ...]] = {
    "replace": ("replace_obj", "replace_att", "replace_rel"),
    "swap": ("swap_obj", "swap_att"),
    "add": ("add_obj", "add_att"),
}
SPLITS = tuple(split for group in GROUPS.values() for split in group)
COUNTS: Mapping[str, int] = {
    "replace_obj": 1652,
    "replace_att": 788,
    "replace_rel": 1406,
    "swap_obj": 245,
    "swap_att": 666,
    "add_obj": 2062,
    "add_att": 692,
}
"""Items of each split as the authors published them: 7,511."""


class Row(FileRow):
    """An item of a file."""

    filename: str
    caption: str
    negative_caption: str


def load(place: str, options: Options) -> Benchmark:
    """The splits that are in the folder.

    Raises:
        EvaluationError: none is, or a file is not in the authors' format.
    """
    folder = Path(place)
    material, maker = Material(), ChoiceMaker()
    splits = read_splits("sugarcrepe", folder, SPLITS, Row)
    roots = list_roots(folder, options.images, "val2017")
    for split, key, row in ((split, *each) for split, rows in splits.items() for each in rows):
        picture = material.add_picture(find_picture(row.filename, roots))
        right, wrong = material.add_text(row.caption), material.add_text(row.negative_caption)
        maker.add(f"{split}/{key}", split, row.filename, [(picture, [right], [wrong])])
    counted = {split: len(rows) for split, rows in splits.items()}
    return Benchmark(
        "sugarcrepe",
        "SugarCrepe",
        "The picture's caption must score strictly higher than its near miss.",
        material,
        (maker.finish("", list_figures(counted, GROUPS)),),
        hash_files([folder / f"{split}.json" for split in counted], folder),
        tuple(note_counts(counted, COUNTS)),
    )


def read_splits(
    name: str, folder: Path, splits: Sequence[str], row_type: type[SomeRow]
) -> dict[str, list[tuple[str, SomeRow]]]:
    """The rows of each split that is in the folder, by their keys.

    Raises:
        EvaluationError: none is, or a file is not in the authors' format.
    """
    check_folder(name, folder, [f"{split}.json" for split in splits])
    paths = {split: folder / f"{split}.json" for split in splits}
    found = {split: read_rows(path, row_type) if path.is_file() else [] for split, path in paths.items()}
    return {split: rows for split, rows in found.items() if rows}


def list_figures(counted: Mapping[str, int], groups: Mapping[str, tuple[str, ...]]) -> list[FigureSpec]:
    """Micro; the averages over splits and groups only where every split is there."""
    figures = [pool("micro", HIT, list(counted))]
    wanted = [split for group in groups.values() for split in group]
    if set(wanted) == set(counted):
        figures.append(average(f"macro-{len(wanted)}", HIT, wanted))
        figures.append(average_groups(f"mean of {len(groups)}", HIT, list(groups.values())))
    return figures + [pool(split, HIT, [split]) for split in counted]


def note_counts(counted: Mapping[str, int], published: Mapping[str, int]) -> list[str]:
    """What is absent, and what has another size than published."""
    absent = [split for split in published if split not in counted]
    notes = [f"absent: {', '.join(absent)}; averages over all splits are not given"] if absent else []
    return notes + [
        f"{split} has {counted[split]:,} items, the authors' {published[split]:,}"
        for split in counted
        if counted[split] != published[split]
    ]
