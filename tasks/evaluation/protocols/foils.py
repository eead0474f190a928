"""One picture and several texts of which one is true: CC-Neg, NegBench, WhatsUp, ColorFoil, half-truths; and one text
and two pictures: SVO-Probes.

An item is right where what is true scores strictly higher than all that is not. Each reads its authors' files and tells
the share over all and by part (a kind of negation, a preposition, which of subject, verb and object is wrong).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from counterfoil.storage.plain import first_line
from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.outcomes import pool
from counterfoil.tasks.evaluation.reading import (
    FileRow,
    check_row,
    find_files,
    find_picture,
    list_roots,
    read_json,
    read_rows,
)
from counterfoil.tasks.evaluation.tasks import HIT, ChoiceMaker

CCNEG_EVALUATED = 40_000
"""CC-Neg is evaluated on its last items."""


@dataclass(frozen=True)
class Item:
    """What is asked: of a picture its true text among others, or with ``asked`` of a text its picture among two."""

    name: str
    part: str
    right: str
    wrong: tuple[str, ...]
    asked: str
    """The picture; where the text asks, the text."""
    by_text: bool = False


class _NegBenchRow(FileRow):
    image_path: str
    correct_answer: str
    correct_answer_template: str = ""
    caption_0: str
    caption_1: str
    caption_2: str | None = None
    caption_3: str | None = None


class _WhatsUpRow(FileRow):
    image_path: str
    caption_options: list[str]


class _SvoRow(FileRow):
    sentence: str
    pos_image_id: str
    neg_image_id: str
    subj_neg: str
    verb_neg: str
    obj_neg: str


class _ColorFoilRow(FileRow):
    image_url: str
    caption: str
    foil: str


class _HalfTruthRow(FileRow):
    filename: str
    short: str
    half_truth: str
    kind: str = ""


class _CCNegRow(FileRow):
    json_: dict[str, Any]
    sop_data: dict[str, Any]


def _read_negbench(paths: list[Path]) -> Iterator[Item]:
    for path in paths:
        for key, row in read_rows(path, _NegBenchRow):
            captions = [each for each in (row.caption_0, row.caption_1, row.caption_2, row.caption_3) if each]
            if not row.correct_answer.isdecimal() or int(row.correct_answer) >= len(captions):
                told = f"correct_answer is {row.correct_answer!r}, of {len(captions)} captions"
                raise EvaluationError(f"{path}, {key}: {told}")
            right = captions.pop(int(row.correct_answer))
            yield Item(f"{path.stem}/{key}", row.correct_answer_template, right, tuple(captions), row.image_path)


def _read_whatsup(paths: list[Path]) -> Iterator[Item]:
    for path in paths:
        if "_qa_" in path.stem:
            for number, row in enumerate(read_json(path)):
                if not isinstance(row, list) or len(row) < 3:
                    raise EvaluationError(f"{path}, {number}: not [picture, true caption, false caption]")
                name = str(row[0]).removesuffix(".jpg")
                name = f"COCO_val2014_{name.zfill(12)}.jpg" if path.stem.startswith("coco") else f"{name}.jpg"
                yield Item(f"{path.stem}/{number}", path.stem, str(row[1]), (str(row[2]),), name)
        else:
            for key, row in read_rows(path, _WhatsUpRow):
                right, *wrong = row.caption_options
                picture = "/".join(row.image_path.split("/")[-2:])
                yield Item(f"{path.stem}/{key}", path.stem.removesuffix("_dataset"), right, tuple(wrong), picture)


def _read_svo(paths: list[Path]) -> Iterator[Item]:
    for path in paths:
        for key, row in read_rows(path, _SvoRow):
            told = {"subject": row.subj_neg, "verb": row.verb_neg, "object": row.obj_neg}
            part = next((kind for kind, value in told.items() if value.casefold() == "true"), "")
            pictures = (f"{row.pos_image_id}.jpg", (f"{row.neg_image_id}.jpg",))
            yield Item(key, part, *pictures, row.sentence, by_text=True)


def _read_colorfoil(paths: list[Path]) -> Iterator[Item]:
    for path in paths:
        for key, row in read_rows(path, _ColorFoilRow):
            yield Item(key, "", row.caption, (row.foil,), row.image_url.rpartition("/")[2])


def _read_halftruths(paths: list[Path]) -> Iterator[Item]:
    for path in paths:
        for key, row in read_rows(path, _HalfTruthRow):
            yield Item(f"{path.stem}/{key}", row.kind, row.short, (row.half_truth,), row.filename)


def _read_ccneg(paths: list[Path]) -> Iterator[Item]:
    from counterfoil.tasks.packages import import_package

    torch = import_package("torch", "CC-Neg's file", "train")
    for path in paths:
        try:
            found = torch.load(path, map_location="cpu", weights_only=True)
            pictures, rows = found["image_paths"], found["annotations"]
        except (OSError, EOFError, RuntimeError, KeyError, TypeError, ValueError, UnpicklingError) as error:
            raise EvaluationError(
                f"{path} is no file of CC-Neg, with image_paths and annotations: {first_line(error)}"
            ) from error
        first = max(0, len(rows) - CCNEG_EVALUATED)
        for number in range(first, len(rows)):
            row = check_row({"json_": rows[number].get("json"), **rows[number]}, _CCNegRow, f"{path}, {number}")
            try:
                caption, negated = row.json_["caption"], row.sop_data["negative-prompt"].replace(",", "")
            except (KeyError, AttributeError) as error:
                raise EvaluationError(f"{path}, {number}: it has no {error}") from error
            picture = "/".join(str(pictures[number]).split("/")[-2:])
            yield Item(str(number), "", caption, (negated,), picture)


@dataclass(frozen=True)
class _Set:
    title: str
    files: str
    fetch: str
    read: Callable[[list[Path]], Iterator[Item]]
    rule: str = "The true caption scores strictly higher with the picture than all others."


SETS: Mapping[str, _Set] = {
    "ccneg": _Set(
        "CC-Neg",
        "**/ccneg_preprocessed.pt",
        "ccneg_preprocessed.pt and ccneg_images of the dataset jaisidhsingh/ccneg",
        _read_ccneg,
        "The caption scores strictly higher with the picture than the caption with a part of it negated; the last "
        "40,000 items are evaluated.",
    ),
    "negbench": _Set(
        "NegBench, multiple choice",
        "**/*_mcq_*.csv",
        "the files *_mcq_*.csv of the repository m1k2zoo/negbench, and the pictures of COCO or VOC2007",
        _read_negbench,
    ),
    "whatsup": _Set(
        "WhatsUp",
        "**/*.json",
        "controlled_images_dataset.json, controlled_clevr_dataset.json, coco_qa_*_obj.json, vg_qa_*_obj.json of the "
        "repository amitakamath/whatsup_vlms, and their pictures",
        _read_whatsup,
    ),
    "svo": _Set(
        "SVO-Probes",
        "**/svo_probes.csv",
        "svo_probes.csv of the repository google-deepmind/svo_probes, and its pictures as IMAGE_ID.jpg",
        _read_svo,
        "The sentence's own picture scores strictly higher than the one in which subject, verb or object is another.",
    ),
    "colorfoil": _Set(
        "ColorFoil",
        "**/colorfoil*.json",
        "foils of COCO's captions by the script of the repository samin9796/ColorFoil, as colorfoil.json, a list of "
        "{image_url, caption, foil}: its authors publish no foils, which are drawn anew at each run",
        _read_colorfoil,
    ),
    "halftruth": _Set(
        "Half-truths",
        "**/half_truths*.json*",
        "half_truths.json or .jsonl, rows of {filename, short, half_truth, kind}: a true text, the same with a false "
        "detail, and whether that is an entity or a relation",
        _read_halftruths,
        "The short true text scores strictly higher with the picture than the same with one false detail.",
    ),
}


def load(place: str, options: Options, name: str) -> Benchmark:
    """The items of the folder.

    Raises:
        EvaluationError: it has none, or they are not in the authors' format.
    """
    about, folder = SETS[name], Path(place)
    paths = find_files(name, folder, about.files, about.fetch)
    roots = list_roots(folder, options.images, "val2017", "val2014", "data", "ccneg_images")
    material, maker = Material(), ChoiceMaker()
    parts: dict[str, None] = {}
    chances: list[float] = []
    for item in about.read(paths):
        if item.by_text:
            query = material.add_text(item.asked)
            right, *wrong = (material.add_picture(find_picture(each, roots)) for each in (item.right, *item.wrong))
        else:
            query = material.add_picture(find_picture(item.asked, roots))
            right, *wrong = (material.add_text(each) for each in (item.right, *item.wrong))
        maker.add(item.name, item.part, item.right if item.by_text else item.asked, [(query, [right], wrong)])
        parts[item.part] = None
        chances.append(1 / (1 + len(wrong)))
    figures = [pool(about.title, HIT, list(parts)), *(pool(part, HIT, [part]) for part in sorted(parts) if part)]
    chance = sum(chances) / len(chances) if chances else None
    task = "text to image" if name == "svo" else "image to text"
    return Benchmark(
        name, about.title, about.rule, material, (maker.finish(task, figures, chance),), hash_files(paths, folder)
    )
