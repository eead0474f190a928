"""Small benchmarks in the authors' formats: sentences and pictures of our own, made from a seed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw

COLOURS = ("red", "green", "blue", "black", "orange", "purple", "brown", "grey")
THINGS = ("square", "disc", "bar", "cross")


def draw(path: Path, number: int, size: tuple[int, int] = (48, 48)) -> Path:
    """A picture of a few coloured shapes; another one for each number."""
    rng = np.random.default_rng(number)
    picture = Pillow.new("RGB", size, "white")
    pen = ImageDraw.Draw(picture)
    for _ in range(3):
        x, y = (int(value) for value in rng.integers(2, 30, 2))
        pen.rectangle((x, y, x + 12, y + 10), fill=COLOURS[int(rng.integers(len(COLOURS)))])
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)
    return path


def write(path: Path, value: Any) -> Path:
    """JSON, or with the ending ``.jsonl`` a line for each row."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in value))
    else:
        path.write_text(json.dumps(value))
    return path


def sentence(number: int, colour: str | None = None) -> str:
    """A sentence of its own for each number."""
    first = colour or COLOURS[number % len(COLOURS)]
    return f"A {first} {THINGS[number % len(THINGS)]} lies beside lamp {number}."


def near_miss(number: int) -> str:
    """The sentence with another colour."""
    return sentence(number, COLOURS[(number + 3) % len(COLOURS)])


def sugarcrepe(folder: Path, counts: Mapping[str, int]) -> Path:
    """SugarCrepe's files, with so many items in each split."""
    number = 0
    for split, count in counts.items():
        rows = {}
        for key in range(count):
            name = f"{number:012d}.jpg"
            draw(folder / "val2017" / name, number)
            rows[str(key)] = {"filename": name, "caption": sentence(number), "negative_caption": near_miss(number)}
            number += 1
        write(folder / f"{split}.json", rows)
    return folder


def sugarcrepepp(folder: Path, counts: Mapping[str, int]) -> Path:
    """SugarCrepe++'s files, with so many items in each split."""
    number = 0
    for split, count in counts.items():
        rows = []
        for key in range(count):
            name = f"{number:012d}.jpg"
            draw(folder / "val2017" / name, number)
            texts = {"caption": sentence(number), "caption2": f"Beside lamp {number} {sentence(number)}"}
            rows.append({"id": key, "filename": name, **texts, "negative_caption": near_miss(number)})
            number += 1
        write(folder / f"{split}.json", rows)
    return folder


def aro(folder: Path, relations: Sequence[str], attributes: Sequence[tuple[str, str]] = ()) -> Path:
    """ARO's files: an item for each relation and each pair of attributes given."""

    def boxed(number: int) -> dict[str, Any]:
        name = f"{number}.jpg"
        draw(folder / "images" / name, number)
        box = {"bbox_x": 4, "bbox_y": 6, "bbox_w": 20, "bbox_h": 30}
        return {"image_path": name, **box, "true_caption": sentence(number), "false_caption": near_miss(number)}

    related = [{**boxed(i), "relation_name": name} for i, name in enumerate(relations)]
    described = [{**boxed(1000 + i), "attributes": list(pair)} for i, pair in enumerate(attributes)]
    if related:
        write(folder / "visual_genome_relation.json", related)
    if described:
        write(folder / "visual_genome_attribution.json", described)
    return folder
