"""COCO and Flickr30k retrieval on Karpathy's test split: 5,000 and 1,000 pictures with five captions each.

The files: Karpathy's ``dataset_coco.json`` or ``dataset_flickr30k.json`` (``images`` of ``{filename, filepath, split,
sentences: [{raw}]}``), or BLIP's ``coco_karpathy_test.json`` or ``flickr30k_test.json`` (a list of ``{image,
caption}``). Of a picture any of its captions counts; of a caption its own picture does. A few pictures of COCO have
more than five captions: the first five are taken. Figures on other splits do not compare: a paper's 21.15 for image
R@1 of CLIP ViT-B/32 on Flickr30k stands beside 58.78 on this one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.pairs import retrieve_pairs
from counterfoil.tasks.evaluation.reading import (
    FileRow,
    check_folder,
    check_row,
    find_picture,
    list_roots,
    read_json,
    read_rows,
)

WHOLE = ("dataset_coco.json", "dataset_flickr30k.json")
LISTS = ("coco_karpathy_test.json", "flickr30k_test.json")
SIZES = {"coco": 5000, "flickr30k": 1000}
CAPTIONS = 5


class _Sentence(FileRow):
    raw: str


class _Image(FileRow):
    filename: str
    split: str
    sentences: list[_Sentence]
    filepath: str = ""


class _Whole(FileRow):
    images: list[_Image]


class _Listed(FileRow):
    image: str
    caption: list[str]


def load(place: str, options: Options) -> Benchmark:
    """The test split of the one annotation file in the folder.

    Raises:
        EvaluationError: there is none or more than one, or it is not in its format.
    """
    folder = Path(place)
    check_folder("karpathy", folder, [*WHOLE, *LISTS])
    files = [folder / name for name in (*WHOLE, *LISTS) if (folder / name).is_file()]
    if len(files) > 1:
        raise EvaluationError(f"karpathy: {folder} holds {', '.join(each.name for each in files)}: leave one there")
    path = files[0]
    pictures = _read_whole(path) if path.name in WHOLE else [(r.image, r.caption) for _, r in read_rows(path, _Listed)]
    roots = list_roots(folder, options.images, "val2014", "flickr30k-images")
    material = Material()
    images, texts, owners, more = [], [], [], 0
    for number, (name, captions) in enumerate(pictures):
        if not captions:
            raise EvaluationError(f"{path}, {name}: it has no captions")
        images.append(material.add_picture(find_picture(name, roots)))
        more += len(captions) - len(captions[:CAPTIONS])
        for caption in captions[:CAPTIONS]:
            texts.append(material.add_text(caption.strip()))
            owners.append(number)
    dataset = "coco" if "coco" in path.name else "flickr30k"
    names = [name for name, _ in pictures]
    notes = [] if len(pictures) == SIZES[dataset] else [f"{len(pictures):,} pictures, the split has {SIZES[dataset]:,}"]
    notes += [f"{more} captions beyond a picture's fifth are left out"] if more else []
    return Benchmark(
        dataset,
        f"{'COCO' if dataset == 'coco' else 'Flickr30k'}, Karpathy's test split",
        "A picture's best caption, and a caption's picture, by rank among all of the split; ties are lost.",
        material,
        tuple(retrieve_pairs(np.array(images), np.array(texts), np.array(owners), names, names)),
        hash_files([path], folder),
        tuple(notes),
    )


def _read_whole(path: Path) -> list[tuple[str, list[str]]]:
    whole = check_row(read_json(path), _Whole, str(path))
    found = [
        (f"{image.filepath}/{image.filename}" if image.filepath else image.filename, [s.raw for s in image.sentences])
        for image in whole.images
        if image.split == "test"
    ]
    if not found:
        raise EvaluationError(f"{path}: images: none is of the split test")
    return found
