"""Winoground (Thrush et al., 2022): two captions of the same words, two pictures, each caption true of one.

The authors' files: ``examples.jsonl`` of ``{id, caption_0, caption_1, image_0, image_1, collapsed_tag}`` and the
pictures, named without or with their ending. They are gated and may not be passed on. Text: for each picture its own
caption scores strictly higher; image: for each caption its own picture does; group: both. Chance is 25, 25 and 16.67 %:
the four scores of a group are one draw.
"""

from __future__ import annotations

from pathlib import Path

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.material import Material, Picture
from counterfoil.tasks.evaluation.outcomes import pool
from counterfoil.tasks.evaluation.reading import FileRow, check_folder, find_picture, list_roots, read_rows
from counterfoil.tasks.evaluation.tasks import HIT, ChoiceMaker

EXAMPLES = 400
CHANCES = {"text": 1 / 4, "image": 1 / 4, "group": 1 / 6}
_ENDINGS = ("", ".png", ".jpg", ".jpeg")


class _Row(FileRow):
    id: int
    caption_0: str
    caption_1: str
    image_0: str
    image_1: str
    collapsed_tag: str = ""


def load(place: str, options: Options) -> Benchmark:
    """The examples of the folder.

    Raises:
        EvaluationError: it has none, or they are not in the authors' format.
    """
    folder = Path(place)
    check_folder("winoground", folder, ["examples.jsonl"])
    roots = list_roots(folder, options.images, "data/images")
    material = Material()
    makers = {name: ChoiceMaker() for name in CHANCES}
    rows = read_rows(folder / "examples.jsonl", _Row)
    for _, row in rows:
        texts = [material.add_text(row.caption_0), material.add_text(row.caption_1)]
        pictures = [material.add_picture(_find(name, roots)) for name in (row.image_0, row.image_1)]
        of_text = [(pictures[i], [texts[i]], [texts[1 - i]]) for i in range(2)]
        of_image = [(texts[i], [pictures[i]], [pictures[1 - i]]) for i in range(2)]
        asked = {"text": of_text, "image": of_image, "group": [*of_text, *of_image]}
        for name, maker in makers.items():
            maker.add(str(row.id), row.collapsed_tag, str(row.id), asked[name])
    tags = sorted({row.collapsed_tag for _, row in rows})
    notes = [] if len(rows) == EXAMPLES else [f"{len(rows)} examples, the authors' {EXAMPLES}"]
    return Benchmark(
        "winoground",
        "Winoground",
        "Text: each picture's own caption scores strictly higher; image: each caption's own picture; group: both.",
        material,
        tuple(
            maker.finish(name, [pool(name, HIT, tags), *(pool(tag, HIT, [tag]) for tag in tags if tag)], CHANCES[name])
            for name, maker in makers.items()
        ),
        hash_files([folder / "examples.jsonl"], folder),
        tuple(notes),
    )


def _find(name: str, roots: list[Path]) -> Picture:
    found = [find_picture(name + ending, roots) for ending in _ENDINGS]
    return next((each for each in found if each.path is not None and each.path.is_file()), found[1])
