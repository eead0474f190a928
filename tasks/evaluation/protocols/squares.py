"""Two pictures and two captions, each caption true of one: BiVLC, ColorSwap, COLA, VisMin, COCO-Counterfactuals.

Four questions an item: each picture asks for its caption, each caption for its picture. ``image to text``: both
pictures are right, ``text to image``: both captions, ``group``: all four, each strictly. Chance is 25, 25 and 16.67 %,
as of Winoground: the four scores of an item are one draw. Papers call the first "text score" or I2T, the second "image
score" or T2I. The files are as their authors publish them (Parquet, or JSON); pictures lie in the rows or beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from counterfoil.tasks.evaluation.among import BOTH_WAYS
from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material, Picture
from counterfoil.tasks.evaluation.outcomes import pool
from counterfoil.tasks.evaluation.reading import FileRow, find_files, find_picture, list_roots, read_json, read_rows
from counterfoil.tasks.evaluation.tasks import HIT, ChoiceMaker

CHANCES = BOTH_WAYS
_ENDINGS = ("", ".jpg", ".png", ".jpeg")


@dataclass(frozen=True)
class Square:
    """One item: its name and part, two captions, and where their pictures are (a name, or bytes)."""

    name: str
    part: str
    captions: tuple[str, str]
    pictures: tuple[str | bytes, str | bytes]


class _Row(FileRow):
    """A row of Parquet or JSON lines; ``names`` are its columns of part, captions and pictures."""

    names: ClassVar[tuple[str, str, str, str, str]]

    def take(self, key: str) -> Square:
        part, *others = (getattr(self, name) for name in self.names)
        one, two, first, second = others
        return Square(key, part, (one, two), (_take(first), _take(second)))


def _take(value: Any) -> str | bytes:
    """A picture as Hugging Face stores it, or by name."""
    if isinstance(value, Mapping):
        return bytes(value["bytes"]) if value.get("bytes") is not None else str(value.get("path"))
    return str(value)


class _BiVLC(_Row):
    names = ("type", "caption", "negative_caption", "image", "negative_image")
    type: str
    caption: str
    negative_caption: str
    image: dict[str, Any]
    negative_image: dict[str, Any]


class _ColorSwap(_Row):
    names = ("image_source", "caption_1", "caption_2", "image_1", "image_2")
    image_source: str = ""
    caption_1: str
    caption_2: str
    image_1: dict[str, Any]
    image_2: dict[str, Any]


class _VisMin(_Row):
    names = ("category", "text_0", "text_1", "image_0", "image_1")
    category: str
    text_0: str
    text_1: str
    image_0: dict[str, Any]
    image_1: dict[str, Any]


class _Counterfactual(_Row):
    names = ("part", "caption_0", "caption_1", "image_0", "image_1")
    part: str = ""
    caption_0: str
    caption_1: str
    image_0: str
    image_1: str


def _read_rows(kind: type[_Row]) -> Callable[[list[Path]], Iterator[Square]]:
    def read(paths: list[Path]) -> Iterator[Square]:
        for path in paths:
            yield from (row.take(f"{path.stem}/{key}") for key, row in read_rows(path, kind))

    return read


def _read_cola(paths: list[Path]) -> Iterator[Square]:
    """COLA's list of [picture's address, caption, picture's address, caption]."""
    for path in paths:
        for number, row in enumerate(read_json(path)):
            if not (isinstance(row, list) and len(row) == 4 and all(isinstance(each, str) for each in row)):
                raise EvaluationError(f"{path}, {number}: not [picture, caption, picture, caption]")
            names = (row[0].rpartition("/")[2], row[2].rpartition("/")[2])
            yield Square(str(number), "", (row[1], row[3]), names)


@dataclass(frozen=True)
class _Set:
    title: str
    files: str
    """Where its rows are, as a pattern in the folder."""
    fetch: str
    """What to fetch, and whence."""
    items: int | None
    read: Callable[[list[Path]], Iterator[Square]]


SETS: Mapping[str, _Set] = {
    "bivlc": _Set("BiVLC", "**/test*.parquet", "the dataset imirandam/BiVLC", 2933, _read_rows(_BiVLC)),
    "colorswap": _Set(
        "ColorSwap", "**/test*.parquet", "the dataset stanfordnlp/colorswap (gated)", 300, _read_rows(_ColorSwap)
    ),
    "cola": _Set(
        "COLA, several objects",
        "**/COLA_multiobjects_matching_benchmark.json",
        "data/COLA_multiobjects_matching_benchmark.json of the repository arijitray1993/COLA, and its pictures of "
        "Visual Genome by their numbers",
        210,
        _read_cola,
    ),
    "vismin": _Set("VisMin", "**/test*.parquet", "the dataset mair-lab/vismin-bench", 2084, _read_rows(_VisMin)),
    "cococounterfactuals": _Set(
        "COCO-Counterfactuals",
        "**/examples.jsonl",
        "data/examples.jsonl and data/images of the dataset Intel/COCO-Counterfactuals",
        None,
        _read_rows(_Counterfactual),
    ),
}
"""By protocol. ``items``: as published; None where we do not know."""


def load(place: str, options: Options, name: str) -> Benchmark:
    """The items of the folder.

    Raises:
        EvaluationError: it has none, or they are not in the authors' format.
    """
    about, folder = SETS[name], Path(place)
    paths = find_files(name, folder, about.files, about.fetch)
    roots = list_roots(folder, options.images, "data/images", "data")
    material, counted = Material(), 0
    makers = {task: ChoiceMaker() for task in CHANCES}
    parts: dict[str, None] = {}
    for square in about.read(paths):
        texts = [material.add_text(each) for each in square.captions]
        shown = [material.add_picture(_show(each, square.name, roots)) for each in square.pictures]
        to_text = [(shown[i], [texts[i]], [texts[1 - i]]) for i in range(2)]
        to_image = [(texts[i], [shown[i]], [shown[1 - i]]) for i in range(2)]
        asked = {"image to text": to_text, "text to image": to_image, "group": [*to_text, *to_image]}
        for task, maker in makers.items():
            maker.add(square.name, square.part, square.name, asked[task])
        parts[square.part] = None
        counted += 1
    figures = [pool(about.title, HIT, list(parts)), *(pool(part, HIT, [part]) for part in parts if part)]
    notes = [] if about.items in (None, counted) else [f"{counted} items, the authors' {about.items:,}"]
    return Benchmark(
        name,
        about.title,
        "Image to text: each picture's own caption scores strictly higher; text to image: each caption's own picture; "
        "group: both.",
        material,
        tuple(maker.finish(task, figures, CHANCES[task]) for task, maker in makers.items()),
        hash_files(paths, folder),
        tuple(notes),
    )


def _show(picture: str | bytes, name: str, roots: list[Path]) -> Picture:
    if isinstance(picture, bytes):
        return Picture(name, content=picture)
    found = [find_picture(picture + ending, roots) for ending in _ENDINGS]
    return next((each for each in found if each.path is not None and each.path.is_file()), found[0])
