"""What is compared: datasets, settings of training, and what each is scored on."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

NODES = ("A[A]", "C(C)", "E{{E}}", "H([H])", "K[(K)]", "M((M))", "S{S}", "T[/T/]", "X[[X]]", "Z>Z]")
"""Nodes of the small charts. A letter is a few pixels high where a core can train, so each has a shape of its own."""


@dataclass(frozen=True)
class Data:
    """One dataset: a recipe's sections, of which ``source`` is completed by the number of rows."""

    name: str
    domain: str
    section: Mapping[str, Any]
    rows: int
    """Source rows at scale 1."""
    refine: bool = False

    def count(self, scale: float) -> int:
        """Source rows at a scale."""
        return max(60, round(self.rows * scale))


@dataclass(frozen=True)
class Setting:
    """One way of training: an objective, the dataset, and the families that it learns from."""

    name: str
    data: str
    objective: str | dict[str, float]
    learn_from: tuple[str, ...]
    more: Mapping[str, Any] = field(default_factory=dict)
    """Further keys of `[training]`."""


@dataclass(frozen=True)
class Start:
    """A CLIP that is trained once, on pictures and captions alone; every setting with every seed goes on from it.

    So NegCLIP, TripletCLIP, CE-CLIP and Cement are compared: as ways of tuning one model that sees and reads already.
    """

    data: Data
    training: Mapping[str, Any]
    """Keys of `[training]` that differ from the suite's; `steps` at scale 1."""


@dataclass(frozen=True)
class Order:
    """An order that a paper reports: the settings, the worst first."""

    claim: str
    settings: tuple[str, ...]


@dataclass(frozen=True)
class Suite:
    """A question with all that answers it."""

    name: str
    question: str
    data: tuple[Data, ...]
    settings: tuple[Setting, ...]
    base: str
    """The setting that the others are compared with."""
    scored_on: tuple[str, ...]
    """Names of datasets."""
    training: Mapping[str, Any]
    """Keys of `[training]` that all settings share; `steps` at scale 1."""
    orders: tuple[Order, ...] = ()
    start: Start | None = None
    """Where the settings begin; left out: at random weights."""


SMALL: Mapping[str, Any] = {
    "resolution": 64,
    "stem": "convolutions",
    "patch": 16,
    "width": 96,
    "layers": 2,
    "heads": 3,
    "projection": 96,
    "vocabulary": 1000,
    "context": 48,
    "holdout": 0.02,
    "shard_rows": 4096,
    "group_rows": 64,
    "shuffle_rows": 4096,
    "streams": 1,
    "encoding": "raw",
    "batch_size": 64,
    "steps": 120,
    "learning_rate": 1e-3,
    "warmup": 20,
    "evaluate_rows": 64,
    "checkpoint_every": 60,
    "log_every": 20,
    "device": "auto",
}
"""A CLIP that one core trains in a minute or two."""

CONCRETE, EDIT, SWAP, MASK = "caption.concrete", "caption.edit", "caption.swap", "caption.mask"
_AHNPL = {"clip": 1.0, "mhnl": 1.0, "margin_positive": 1.0, "margin_negative": 1.0}
"""AHNPL's terms beside plain CLIP: not the paper's rows, which are contrastive with hard negatives."""
_MARGINS = {"margin_positive": 1.0, "margin_negative": 1.0}
_MORE_PAIRS = {"clip": 1.0, "linked": 1.0}
"""Edited pictures with their own captions, as further pairs of CLIP: nobody meets a negative of its own."""


def _scenes(name: str, concreteness: str, families: Sequence[str], rows: int = 3072) -> Data:
    section = {
        "source": "procedural",
        "captions": 1,
        "size": 128,
        "concreteness": concreteness,
        "families": list(families),
    }
    return Data(name, "caption", section, rows)


_ALL_FAMILIES = _scenes("scenes", "high", ("concrete", "edit", "swap", "mask"))
# The same scenes and as many again: a scene follows from its number, and so does its split.
_SCENES_START = Start(_scenes("scenes-pairs", "high", ("mask",), 6144), {"steps": 1000, "warmup": 60})
_SCENES_TRAINING: Mapping[str, Any] = {**SMALL, "steps": 300, "learning_rate": 1.5e-3, "evaluate_rows": 128}

SCENES = Suite(
    "scenes",
    "Captions of scenes: which objective, and does a family help against the others?",
    (_ALL_FAMILIES,),
    (
        Setting("clip", "scenes", "clip", ()),
        Setting("clip, more pairs", "scenes", _MORE_PAIRS, (EDIT,)),
        Setting("negclip", "scenes", "negclip", (CONCRETE,)),
        Setting("tripletclip", "scenes", "tripletclip", (CONCRETE, EDIT)),
        Setting("cement", "scenes", "cement", (CONCRETE, EDIT)),
        Setting("mhnl", "scenes", {"clip": 1.0, "mhnl": 1.0}, (CONCRETE,)),
        Setting("ahnpl", "scenes", _AHNPL, (CONCRETE,)),
        Setting("ahnpl, clip twice", "scenes", {**_AHNPL, "clip": 2.0}, (CONCRETE,)),
        Setting("negclip, mask", "scenes", "negclip", (MASK,)),
        Setting("negclip, swap", "scenes", "negclip", (SWAP,)),
        Setting("negclip, all texts", "scenes", "negclip", (CONCRETE, SWAP, MASK)),
        # Drawn afresh in every epoch: thrice as many negatives, each met a third as often.
        Setting("negclip, one of three", "scenes", "negclip", (CONCRETE, SWAP, MASK), {"negative_texts": 1}),
    ),
    "clip",
    ("scenes",),
    _SCENES_TRAINING,
    (
        Order("TripletCLIP: CLIP < NegCLIP < TripletCLIP", ("clip", "negclip", "tripletclip")),
        Order("its negatives, not its pairs: CLIP with as many < TripletCLIP", ("clip, more pairs", "tripletclip")),
        Order("Concrete Jungle: CLIP < NegCLIP (InfoNCE) < Cement", ("clip", "negclip", "cement")),
        Order("AHNPL's terms beside plain CLIP: CLIP < MHNL < margins too", ("clip", "mhnl", "ahnpl")),
    ),
    _SCENES_START,
)

# Table 3: contrastive with additional hard negatives, both directions added (Eq. 4), then MHNL, DMCL, both; on one of
# the paper's own sorts of negatives, words masked and refilled, on the scenes that the start has seen.
AHNPL = Suite(
    "ahnpl",
    "Captions of scenes: AHNPL's Table 3, whose terms stand beside a contrastive one with hard negatives",
    (_SCENES_START.data,),
    (
        Setting("clip", "scenes-pairs", "clip", ()),
        Setting("negatives", "scenes-pairs", {"negclip": 2.0}, (MASK,)),
        Setting("negatives, mhnl", "scenes-pairs", {"negclip": 2.0, "mhnl": 1.0}, (MASK,)),
        Setting("negatives, dmcl", "scenes-pairs", {"negclip": 2.0, **_MARGINS}, (MASK,)),
        Setting("ahnpl", "scenes-pairs", "ahnpl", (MASK,)),
    ),
    "clip",
    ("scenes-pairs",),
    _SCENES_TRAINING,
    (
        Order("AHNPL Table 3: CLIP < negatives < with MHNL < AHNPL", ("clip", "negatives", "negatives, mhnl", "ahnpl")),
        Order("AHNPL Table 3: CLIP < negatives < with DMCL < AHNPL", ("clip", "negatives", "negatives, dmcl", "ahnpl")),
    ),
    _SCENES_START,
)

# Alike in scenes, captions, objective, steps and seeds: the words that are exchanged differ alone. Cement, since on
# `scenes` NegCLIP was not told apart from CLIP. Each is scored on its own words, on the others', and on families of
# `scenes` that none learns from.
WORDS = Suite(
    "words",
    "Captions of scenes: does it matter how concrete the exchanged word is?",
    (
        *(_scenes(f"words-{mode}", mode, ("concrete",), 6144) for mode in ("high", "none", "low")),
        _ALL_FAMILIES,
    ),
    (
        Setting("clip", "words-high", "clip", ()),
        *(Setting(f"cement, {mode}", f"words-{mode}", "cement", (CONCRETE,)) for mode in ("low", "none", "high")),
    ),
    "clip",
    ("words-high", "words-none", "words-low", "scenes"),
    {**_SCENES_TRAINING, "steps": 200},
    (Order("Concrete Jungle Table 1: words low < any < high", ("cement, low", "cement, none", "cement, high")),),
    _SCENES_START,
)

IMAGE, CAPTION, SWAPPED = "flowchart.image", "flowchart.caption", "flowchart.codeswap"
FLIP, CODE = "flowchart.flip", "flowchart.code"


def _charts(name: str, *, edits: str, positives: bool, refine: bool = False) -> Data:
    section = {
        "source": "charts",
        "size": 96,
        "smallest_text": 4.0,
        "edits": edits,
        "families": [*(("flip", "code") if positives else ()), "image", "caption"],
        "image_negatives": 2,
        "caption_negatives": 2,
    }
    return Data(name, "flowchart", section, 1000, refine)


CHARTS: Mapping[str, Any] = {
    **SMALL,
    "steps": 100,
    "vocabulary": 560,
    "context": 64,
    "negative_texts": 1,
    "negative_images": 1,
}
_NATURAL_CHARTS = _charts("charts", edits="natural", positives=True)
# The same charts: of three nodes there are no more.
_CHARTS_START = Start(_NATURAL_CHARTS, {"steps": 400, "warmup": 40})

FLOWCHARTS = Suite(
    "flowcharts",
    "Charts of three nodes with letters for labels: SaCLIP's Table 2",
    (_NATURAL_CHARTS,),
    (
        Setting("clip", "charts", "clip", ()),
        Setting("clip, more pairs", "charts", _MORE_PAIRS, (IMAGE,)),
        Setting("negclip", "charts", "negclip", (CAPTION,)),
        Setting("tripletclip", "charts", "tripletclip", (CAPTION, IMAGE)),
        Setting("saclip", "charts", "saclip", (CAPTION, IMAGE, FLIP, CODE)),
    ),
    "clip",
    ("charts",),
    CHARTS,
    (Order("SaCLIP Table 2: CLIP < NegCLIP < Triplet < SaCLIP", ("clip", "negclip", "tripletclip", "saclip")),),
    _CHARTS_START,
)

TELLS = Suite(
    "tells",
    "Negatives that give themselves away, before and after the tells were removed",
    (
        _charts("charts-published", edits="published", positives=False),
        _charts("charts-refined", edits="published", positives=False, refine=True),
        _NATURAL_CHARTS,
    ),
    (
        Setting("unrefined", "charts-published", "tripletclip", (CAPTION, IMAGE)),
        Setting("refined", "charts-refined", "tripletclip", (CAPTION, IMAGE)),
        Setting("natural", "charts", "tripletclip", (CAPTION, IMAGE)),
    ),
    "unrefined",
    ("charts-refined", "charts"),
    CHARTS,
    (Order("Trained on refined tables is better on refined ones", ("unrefined", "refined")),),
    _CHARTS_START,
)

RULE, PICTURE, FOUND = "geometry.rule", "geometry.image", "geometry.retrieval"

# One construction a figure, and letters and numbers so large that 64 pixels show them.
_FIGURES = Data(
    "figures",
    "geometry",
    {
        "source": "procedural",
        "test_share": 0.3,
        "families": ["caption", "image", "rule", "retrieval"],
        "negatives": 2,
        "spare": 0.0,
        "retrieval_negatives": 2,
        "captions": 1,
        "caption_style": "plain",
        "legible_at": 112,
        "procedural": {"constructions": [1, 2], "steps": [1, 8]},
    },
    2000,
)

GEOMETRY = Suite(
    "geometry",
    "Figures: each source of negatives on its own kind and on the others (MMGeoLM Fig. 15)",
    (_FIGURES,),
    (
        Setting("clip", "figures", "clip", ()),
        Setting("rule", "figures", "ib+mm", (RULE,)),
        Setting("image", "figures", "ib+mm", (PICTURE,)),
        Setting("retrieval", "figures", "ib+mm", (FOUND,)),
        Setting("all", "figures", "ib+mm", (RULE, PICTURE, FOUND)),
    ),
    "clip",
    ("figures",),
    {**SMALL, "steps": 100, "context": 64, "negative_texts": 2, "negative_images": 1},
    (
        Order("MMGeoLM Fig. 15: rule < all", ("clip", "rule", "all")),
        Order("MMGeoLM Fig. 15: image < all", ("clip", "image", "all")),
        Order("MMGeoLM Fig. 15: retrieval < all", ("clip", "retrieval", "all")),
    ),
    # The paper's Rand+X: in-batch negatives first, then hard ones beside them.
    Start(_FIGURES, {"steps": 400, "warmup": 40}),
)

SUITES: Mapping[str, Suite] = {suite.name: suite for suite in (SCENES, AHNPL, WORDS, FLOWCHARTS, GEOMETRY, TELLS)}


def write_charts(path: Path, count: int, seed: int) -> None:
    """Charts of three nodes, paths and forks: a world that a tiny model can read, each chart once, in random order."""
    rng = np.random.default_rng([seed, 11])
    paths = [f"{a} --> {b}\n  {b[0]} --> {c}" for a, b, c in itertools.permutations(NODES, 3)]
    forks = [
        f"{a} --> {b}\n  {a[0]} --> {c}" for a in NODES for b, c in itertools.combinations(NODES, 2) if a not in (b, c)
    ]
    charts = [*paths, *forks]
    lines = [
        json.dumps({"id": f"small-{number}", "code": f"flowchart TB\n  {charts[place]}\n"})
        for number, place in enumerate(rng.permutation(len(charts))[:count])
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
