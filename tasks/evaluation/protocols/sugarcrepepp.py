"""SugarCrepe++ (Dumpala et al., 2024): two captions that mean the same, and one that is worded alike and does not.

The authors' files: ``replace_att.json`` ... ``swap_obj.json``, each a list of ``{filename, caption, caption2,
negative_caption}`` (there is no ``add``), and the pictures of COCO's val2017. ITT: both captions score strictly higher
with the picture than the near miss. TOT, texts alone: the two captions are strictly nearer to one another than either
is to the near miss.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.protocols import sugarcrepe
from counterfoil.tasks.evaluation.protocols.sugarcrepe import list_figures, note_counts, read_splits
from counterfoil.tasks.evaluation.reading import find_picture, list_roots
from counterfoil.tasks.evaluation.tasks import ChoiceMaker

GROUPS: Mapping[str, tuple[str, ...]] = {name: sugarcrepe.GROUPS[name] for name in ("replace", "swap")}
SPLITS = tuple(split for group in GROUPS.values() for split in group)
COUNTS: Mapping[str, int] = {split: sugarcrepe.COUNTS[split] for split in SPLITS}
"""Items as published: 4,757."""
CHANCE = 1 / 3
"""Of three scores in random order the negative's is lowest (ITT), the captions' own is highest (TOT)."""


class _Row(sugarcrepe.Row):
    caption2: str


def load(place: str, options: Options) -> Benchmark:
    """The splits that are in the folder.

    Raises:
        EvaluationError: none is, or a file is not in the authors' format.
    """
    folder = Path(place)
    material, seen, read = Material(), ChoiceMaker(), ChoiceMaker()
    splits = read_splits("sugarcrepepp", folder, SPLITS, _Row)
    roots = list_roots(folder, options.images, "val2017")
    for split, key, row in ((split, *each) for split, rows in splits.items() for each in rows):
        picture = material.add_picture(find_picture(row.filename, roots))
        first, second = material.add_text(row.caption), material.add_text(row.caption2)
        wrong = material.add_text(row.negative_caption)
        name = f"{split}/{key}"
        seen.add(name, split, row.filename, [(picture, [first, second], [wrong])])
        read.add(name, split, row.filename, [(first, [second], [wrong]), (second, [first], [wrong])])
    counted = {split: len(rows) for split, rows in splits.items()}
    figures = list_figures(counted, GROUPS)
    return Benchmark(
        "sugarcrepepp",
        "SugarCrepe++",
        "ITT: both captions must score strictly higher with the picture than the near miss. TOT, without the picture: "
        "the captions must be strictly nearer to one another than either is to the near miss.",
        material,
        (seen.finish("ITT", figures, CHANCE), read.finish("TOT", figures, CHANCE)),
        hash_files([folder / f"{split}.json" for split in counted], folder),
        tuple(note_counts(counted, COUNTS)),
    )
