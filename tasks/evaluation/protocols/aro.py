"""ARO (Yuksekgonul et al., 2023): visual genome relations and attributes, the caption against its words exchanged.

The authors' files: ``visual_genome_relation.json`` and ``visual_genome_attribution.json``, lists of ``{image_path,
bbox_x, bbox_y, bbox_w, bbox_h, true_caption, false_caption}`` with ``relation_name`` or ``attributes``. A model sees
the box alone. Relations: the mean over relations, without those that read the same both ways; that list is not in the
authors' evaluation but in a notebook beside it, and without it figures are other ones. Attributes: the mean over
ordered pairs of attributes with 25 items at least.

The orders of COCO and Flickr captions, ARO's other half, shuffle words anew at every run: there is no file to read.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib import resources
from pathlib import Path

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, Task, hash_files
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material, Picture
from counterfoil.tasks.evaluation.outcomes import average, pool
from counterfoil.tasks.evaluation.reading import FileRow, check_folder, find_picture, list_roots, read_rows
from counterfoil.tasks.evaluation.tasks import HIT, ChoiceMaker

RELATIONS, ATTRIBUTES = "visual_genome_relation.json", "visual_genome_attribution.json"
FEWEST = 25
"""A pair of attributes with fewer items does not enter the mean."""


class _Boxed(FileRow):
    image_path: str
    bbox_x: int
    bbox_y: int
    bbox_w: int
    bbox_h: int
    true_caption: str
    false_caption: str


class _Relation(_Boxed):
    relation_name: str


class _Attribute(_Boxed):
    attributes: list[str]


@cache
def list_symmetric() -> frozenset[str]:
    """Relations that the authors leave out of the mean: read the other way round they may be just as true."""
    text = (
        resources.files("counterfoil.tasks.evaluation.protocols")
        .joinpath("aro_symmetric.txt")
        .read_text(encoding="utf-8")
    )
    return frozenset(line for line in text.splitlines() if line)


def load(place: str, options: Options) -> Benchmark:
    """The halves that are in the folder.

    Raises:
        EvaluationError: neither is, or a file is not in the authors' format.
    """
    folder = Path(place)
    check_folder("aro", folder, [RELATIONS, ATTRIBUTES])
    roots = list_roots(folder, options.images)
    material = Material()
    tasks: list[Task] = []
    notes, paths = [], []
    for file, name, read in ((RELATIONS, "relations", _read_relations), (ATTRIBUTES, "attributes", _read_attributes)):
        if (folder / file).is_file():
            paths.append(folder / file)
            task, note = read(folder / file, material, roots)
            tasks.append(task)
            notes.append(note)
        else:
            notes.append(f"absent: {name}")
    return Benchmark(
        "aro",
        "ARO",
        "Within the box, the caption must score strictly higher than the one with its words exchanged; macro over "
        f"relations that are not symmetric, and over pairs of attributes with {FEWEST} items at least.",
        material,
        tuple(tasks),
        hash_files(paths, folder),
        tuple(notes),
    )


def _read_relations(path: Path, material: Material, roots: list[Path]) -> tuple[Task, str]:
    maker = ChoiceMaker()
    for key, row in read_rows(path, _Relation):
        _add(maker, material, roots, key, row.relation_name, row)
    counted = Counter(maker.parts)
    asked = [name for name in sorted(counted) if name not in list_symmetric()]
    if not asked:
        raise EvaluationError(f"{path}: relation_name: every relation is symmetric, so that none enters the mean")
    figures = [average("macro", HIT, asked), pool("micro", HIT, asked)]
    figures += [pool(name, HIT, [name], shown=False) for name in sorted(counted)]
    left_out = sum(counted.values()) - sum(counted[name] for name in asked)
    note = f"relations: {len(asked)} in the mean; {len(counted) - len(asked)} symmetric ones ({left_out} items) are not"
    return maker.finish("relations", figures), note


def _read_attributes(path: Path, material: Material, roots: list[Path]) -> tuple[Task, str]:
    maker = ChoiceMaker()
    for key, row in read_rows(path, _Attribute):
        if len(row.attributes) != 2:
            raise EvaluationError(f"{path}, {key}: attributes: it has {len(row.attributes)}, not two")
        _add(maker, material, roots, key, "_".join(row.attributes), row)
    counted = Counter(maker.parts)
    enough = [name for name in sorted(counted) if counted[name] >= FEWEST]
    figures = [average("macro", HIT, enough)] if enough else []
    figures += [pool("micro", HIT, sorted(counted)), *(pool(name, HIT, [name], shown=False) for name in enough)]
    note = f"attributes: {len(enough)} pairs in the mean; {len(counted) - len(enough)} have under {FEWEST} items"
    return maker.finish("attributes", figures), note


def _add(maker: ChoiceMaker, material: Material, roots: list[Path], key: str, part: str, row: _Boxed) -> None:
    whole = find_picture(row.image_path, roots)
    box = (row.bbox_x, row.bbox_y, row.bbox_w, row.bbox_h)
    picture = material.add_picture(Picture(whole.name, whole.path, box=box))
    question = (picture, [material.add_text(row.true_caption)], [material.add_text(row.false_caption)])
    maker.add(key, part, row.image_path, [question])
