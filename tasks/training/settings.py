"""A recipe's `[training]` section: what is packed, which towers learn from it, by which objective and how."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from counterfoil.storage.store import check_local

Term = Literal[
    "clip",
    "mutual",
    "linked",
    "negclip",
    "tripletclip",
    "imc",
    "cmr",
    "mmclip",
    "mmclip_sigmoid",
    "sc",
    "orth",
    "mhnl",
    "margin_positive",
    "margin_negative",
    "cement",
    "mathleap",
    "in_batch",
    "clic",
    "units",
    "sigmoid",
    "phrases",
    "paraphrase",
]
TERMS: tuple[str, ...] = Term.__args__  # type: ignore[attr-defined]

OBJECTIVES: dict[str, dict[str, float]] = {
    "clip": {"clip": 1.0},
    "mutual": {"mutual": 1.0},
    "negclip": {"negclip": 1.0},
    "tripletclip": {"tripletclip": 1.0},
    "ceclip": {"negclip": 1.0, "cmr": 0.2, "imc": 0.3},
    "mmclip": {"mmclip": 1.0},
    "mmclip_sigmoid": {"mmclip_sigmoid": 1.0},
    "ib+mm": {"clip": 1.0, "mmclip": 1.0},
    "saclip": {"clip": 1.0, "sc": 0.1},
    "ahnpl": {"negclip": 2.0, "mhnl": 1.0, "margin_positive": 1.0, "margin_negative": 1.0},
    "cement": {"cement": 1.0},
    "mathleap": {"mathleap": 1.0},
    "margin": {"in_batch": 1.0, "paraphrase": 10.0},
    "clic": {"clic": 1.0},
    "cs": {"negclip": 1.0, "units": 0.5},
    "cs-texts": {"in_batch": 1.0, "units": 0.5},
    "c2lip": {"sigmoid": 1.0, "phrases": 1.0},
}
"""Objectives by name, as sums of weighted terms. CE-CLIP's weights are those of its released script.

AHNPL's contrastive term has hard negative captions as further columns (Table 3: "with additional hard negatives"; its
code's ``--hardnegative``), and both directions are added, not averaged (Eq. 4): NegCLIP of weight 2."""
REFUSED_TERMS = {
    "do": "is 0 on unit vectors, always (SaCLIP Eq. 12-14: r^2 + c^2 = 1 for every negative), and towers give unit "
    "vectors: use orth, what it sets out to be",
}
"""Terms of a paper that no objective offers, and why."""


class TrainingSettings(BaseModel):
    """What is trained on the dataset, and how."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    path: str = Field(default="", description="folder of the run: packed shards, checkpoints, logs and the model")
    _is_local = field_validator("path")(check_local)
    model: str = Field(
        default="scratch",
        min_length=1,
        description="hub id or folder of a CLIP, SigLIP or AltCLIP model, of sentence-transformers for texts alone, "
        "or scratch: a small CLIP with a tokenizer trained on the data",
    )
    towers: Literal["pictures", "texts"] = Field(
        default="pictures", description="train pictures with texts, or views of statements alone"
    )
    resolution: int = Field(default=224, ge=16, le=1024, description="side of the square pictures, in pixels")
    patch: int = Field(default=16, ge=2, le=64, description="of scratch: side of a patch, in pixels")
    stem: Literal["patch", "convolutions"] = Field(
        default="patch",
        description="of scratch: how pictures become patches: one projection, as CLIP's, or convolutions, which learn "
        "from far fewer pictures (transformers' own CLIPModel cannot load such a model)",
    )
    width: int = Field(default=128, ge=16, le=4096, description="of scratch: hidden size of both towers")
    layers: int = Field(default=4, ge=1, le=64, description="of scratch: layers of each tower")
    heads: int = Field(default=4, ge=1, le=64, description="of scratch: attention heads")
    projection: int = Field(default=128, ge=8, le=4096, description="of scratch: dimensions of the shared space")
    vocabulary: int = Field(default=2000, ge=520, le=65536, description="of scratch: size of the byte-pair vocabulary")
    context: int = Field(default=77, ge=8, le=8192, description="of scratch: most tokens of a text")

    max_tokens: int | None = Field(
        default=None, ge=8, description="of texts alone: most tokens of a text; left out: the model's own limit"
    )

    lora_rank: int = Field(default=0, ge=0, le=1024, description="rank of low-rank adapters; 0: all weights train")
    lora_alpha: float = Field(default=16.0, gt=0, description="scale of the adapters, before it is divided by the rank")
    lora_dropout: float = Field(default=0.0, ge=0, lt=1, description="dropout of the adapters")
    lora_targets: list[str] = Field(default=[], description="layers that get adapters, by name; empty: all linear ones")
    freeze: list[str] = Field(
        default=[], description="parameters that stay as they are, by the start of their names (text_model)"
    )

    families: list[str] = Field(default=[], description="families of negatives, as geometry.rule; empty: all there are")
    positives: list[str] = Field(default=[], description="families of hard positives")
    grades: list[Literal["undecided", "unjudged"]] = Field(
        default=[],
        description="grades to pack although nothing shows that such contrasts are what their role says. They are left "
        "out by default, and counted",
    )
    sample: list[str] = Field(
        default=[], description="families whose contrasts are made anew in every epoch instead of read from the table"
    )
    learn_from: list[str] | None = Field(
        default=None,
        description="packed families that this run learns from; left out: all. Use it to compare runs: all of them "
        "read the same shards and the same anchors in the same order",
    )
    negative_texts: int | None = Field(
        default=None, ge=0, description="negative texts drawn for an anchor in a step; left out: all"
    )
    negative_images: int | None = Field(
        default=None, ge=0, description="negative pictures drawn for an anchor in a step; left out: all"
    )
    reworded: int = Field(
        default=0,
        ge=0,
        le=20,
        description="for texts alone: how many other wordings to pack of each near miss and of the text that it was "
        "made from, where the domain can make them. A step draws one of each, so that the wording gives nothing away",
    )
    positive_texts: int | None = Field(
        default=None,
        ge=0,
        description="positive texts drawn for an anchor in a step; left out: all. The texts that a drawn near miss was "
        "made from come first, then its rewordings",
    )
    encoding: Literal["webp", "raw"] = Field(
        default="webp", description="packed pictures: lossless WebP, or bytes as they are (zstd)"
    )
    shard_rows: int = Field(default=2048, ge=1, description="anchors in a packed shard")
    group_rows: int = Field(default=64, ge=1, description="anchors that are read together from a shard")
    holdout: float = Field(
        default=0.05, ge=0, lt=1, description="share of training anchors, by source row, held out where no val split is"
    )

    objective: str | dict[str, float] = Field(
        default="negclip", description="an objective by name, or a table of terms and their weights"
    )
    sc_positives: Literal["original", "hard"] = Field(
        default="original",
        description="what SaCLIP's term pulls together: the anchor's own picture and caption with its hard positives, "
        "as in the paper, or the hard positives alone",
    )
    sc_tau: float | None = Field(default=None, gt=0, description="temperature of SaCLIP's term; left out: CLIP's own")
    margin_a: float = Field(default=0.2, gt=0, le=1, description="AHNPL's threshold for positives")
    a_mode: Literal["fixed", "learned"] = Field(
        default="fixed", description="whether margin_a is a constant or is learned"
    )
    reduction: Literal["mean", "sum"] = Field(default="mean", description="AHNPL's terms: a mean, or a sum as printed")
    cement_mode: Literal["adaptive", "static", "inverse"] = Field(
        default="adaptive", description="how Cement's margin follows concreteness"
    )
    cement_margins: tuple[float, float] = Field(
        default=(-2.0, 2.0), description="smallest and largest margin of Cement"
    )
    cement_halved: bool = Field(default=False, description="Cement with CLIP's half, which the paper does not print")
    clic_weights: tuple[float, float, float] = Field(
        default=(0.5, 0.5, 1.0), description="CLIC's terms: contrastive, separate negatives, unimodal"
    )
    margin: float = Field(
        default=0.04, ge=0, le=2, description="how much nearer, in cosine, a paraphrase must be than a hard negative"
    )
    phrase_tau: float = Field(
        default=0.1, gt=0, description="C2LIP's attention: temperature of a phrase's softmax over a picture's patches"
    )
    text_scale: float = Field(default=20.0, gt=0, description="inverse temperature of texts alone (MathLeap)")

    batch_size: int = Field(default=256, ge=1, description="anchors in a batch of one process")
    chunk: int = Field(
        default=0, ge=0, description="pictures and texts encoded at once (cached gradients); 0: a whole batch"
    )
    accumulate: int = Field(default=1, ge=1, description="batches whose gradients are averaged before a step")
    epochs: float = Field(default=1.0, gt=0, description="passes over the data")
    steps: int | None = Field(default=None, ge=1, description="steps, instead of epochs")
    learning_rate: float = Field(default=1e-5, gt=0, description="highest learning rate")
    weight_decay: float = Field(
        default=0.1, ge=0, description="weight decay of matrices; norms, biases and the logit scale have none"
    )
    beta2: float = Field(default=0.98, gt=0, lt=1, description="second beta of AdamW")
    warmup: int = Field(default=0, ge=0, description="steps over which the learning rate rises")
    schedule: Literal["cosine", "constant"] = Field(default="cosine", description="what follows the warm-up")
    clip_norm: float = Field(default=1.0, ge=0, description="largest norm of a step's gradient; 0: no limit")
    ema: float = Field(default=0.0, ge=0, lt=1, description="decay of a moving average of the weights; 0: none is kept")
    keep_start: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="share of the weights of the start in the model that comes out (WiSE-FT): it keeps what it could "
        "before, such as retrieval, for a part of what it learnt",
    )
    precision: Literal["float32", "bf16"] = Field(default="float32", description="precision of the encoders")
    device: Literal["auto", "cpu", "cuda"] = Field(default="auto", description="where it trains")
    seed: int = Field(default=0, ge=0, lt=2**31, description="seed of weights, order and draws")
    workers: int = Field(
        default=0, ge=0, le=256, description="loader processes of each training process; 0: it loads by itself"
    )
    streams: int = Field(
        default=4, ge=1, le=256, description="streams of shards that are read at once; loaders share them"
    )
    shuffle_rows: int = Field(default=2048, ge=1, description="anchors that a stream shuffles together, at most")
    wandb: str = Field(
        default="",
        description="project of Weights & Biases that also gets the log (`pip install wandb`). Its own environment "
        "variables say where; WANDB_MODE=offline writes to a folder of the run. Empty: none",
    )
    log_every: int = Field(default=10, ge=1, description="steps between lines of the log")
    evaluate_every: int = Field(default=0, ge=0, description="steps between evaluations; 0: at the beginning and end")
    evaluate_rows: int = Field(default=512, ge=1, description="held-out anchors that are scored, at most")
    checkpoint_every: int = Field(default=500, ge=1, description="steps between checkpoints")

    @field_validator("objective")
    @classmethod
    def _check_objective(cls, value: str | dict[str, float]) -> str | dict[str, float]:
        if isinstance(value, str):
            if value not in OBJECTIVES:
                raise ValueError(f"no objective {value!r}; allowed: {', '.join(OBJECTIVES)}, or a table of terms")
            return value
        for term in sorted(set(value) & set(REFUSED_TERMS)):
            raise ValueError(f"the term {term} {REFUSED_TERMS[term]}")
        unknown = sorted(set(value) - set(TERMS))
        if unknown or not value:
            raise ValueError(f"no term {', '.join(unknown) or 'is given'}; allowed: {', '.join(TERMS)}")
        return value

    @property
    def terms(self) -> dict[str, float]:
        """The objective as terms and weights."""
        return dict(OBJECTIVES[self.objective]) if isinstance(self.objective, str) else dict(self.objective)
