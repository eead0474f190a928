"""The protocols by name. A reader is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options
from counterfoil.tasks.evaluation.errors import EvaluationError

PROTOCOLS: Mapping[str, str] = {
    "sugarcrepe": "SugarCrepe: a caption and a near miss of it, seven splits; micro, macro-7 and mean of three",
    "sugarcrepepp": "SugarCrepe++: two captions that mean the same and a near miss; with the picture, and without",
    "winoground": "Winoground: two captions of the same words, two pictures; text, image and group",
    "aro": "ARO: visual genome relations and attributes, macro over relations and attribute pairs",
    "valse": "VALSE: captions and foils, eleven instruments; only foils that annotators found valid",
    "karpathy": "COCO or Flickr30k retrieval on Karpathy's test split",
    "probe": "linear probes of pictures in train/ and test/, one or several labels; one set or a folder of sets",
    "theorems": "theorem retrieval in six directions (MathLeap): informal, Lean type, Lean signature",
    "meld": "MELD: equivalent statements in the words of two fields; mean rank, and a drawing of the fields",
    "mirb": "MIRB: retrieval tasks with graded answers, nDCG@10",
    "blueprints": "Lean blueprints: informal statement to its Lean declaration",
    "saclip": "SaCLIP on a flowchart dataset: within the top 10, and among fixed hard negatives within the top 3",
    "mmgeolm": "MMGeoLM's four Hit@1 sets of a geometry dataset: random, retrieval, rule, image",
    "own": "any Counterfoil dataset: over all of its test split, and among the hard negatives of each family",
}
"""Name to what it measures."""


def load_benchmark(on: str, options: Options) -> Benchmark:
    """The benchmark that ``on`` names: ``PROTOCOL:FOLDER``, or the folder or URL of a Counterfoil dataset.

    Raises:
        EvaluationError, StorageError: there is no such protocol, or its files are not there or not in their format.
    """
    name, colon, place = on.partition(":")
    if not colon or place.startswith("//"):
        name, place = "own", on
    elif name not in PROTOCOLS:
        raise EvaluationError(
            f"--on {on}: there is no protocol {name!r}; there are {', '.join(PROTOCOLS)}. A Counterfoil dataset is "
            "named by its folder or URL alone"
        )
    if not place:
        raise EvaluationError(f"--on {on}: name the folder too, such as {name}:data/{name}")
    module: Any = importlib.import_module(f"counterfoil.tasks.evaluation.protocols.{name}")
    benchmark: Benchmark = module.load(place, options)
    for task in benchmark.tasks:
        if not task.items:
            raise EvaluationError(f"--on {on}: it has no items{f' of {task.name}' if task.name else ''} to evaluate on")
    return benchmark
