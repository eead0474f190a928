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
    "bivlc": "BiVLC: SugarCrepe with a picture of each near miss; image to text, text to image and group",
    "colorswap": "ColorSwap: colours exchanged between two objects; image to text, text to image and group",
    "cola": "COLA: attributes exchanged between two objects of photographs; image to text, text to image and group",
    "vismin": "VisMin: least changes of object, attribute, count and place; image to text, text to image and group",
    "cococounterfactuals": "COCO-Counterfactuals: one noun exchanged in caption and picture; both ways and group",
    "ccneg": "CC-Neg: a caption and the same with a part negated",
    "negbench": "NegBench: a picture and four captions, some of which negate",
    "whatsup": "WhatsUp: left, right, on, under, in front and behind; of photographs and of COCO and Visual Genome",
    "svo": "SVO-Probes: a sentence and two pictures that differ in subject, verb or object",
    "colorfoil": "ColorFoil: captions of COCO with another colour",
    "halftruth": "half-truths: a true text, and the same with one false detail more; by kind of detail",
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
_SHARED: Mapping[str, str] = {
    **dict.fromkeys(("bivlc", "colorswap", "cola", "vismin", "cococounterfactuals"), "squares"),
    **dict.fromkeys(("ccneg", "negbench", "whatsup", "svo", "colorfoil", "halftruth"), "foils"),
}
"""Protocols of one rule, and the module that reads them."""


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
    module: Any = importlib.import_module(f"counterfoil.tasks.evaluation.protocols.{_SHARED.get(name, name)}")
    benchmark: Benchmark = module.load(place, options, name) if name in _SHARED else module.load(place, options)
    for task in benchmark.tasks:
        if not task.items:
            raise EvaluationError(f"--on {on}: it has no items{f' of {task.name}' if task.name else ''} to evaluate on")
    return benchmark
