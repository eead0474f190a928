"""A recipe's `[sft]` section: the parts of a LLaVA, what it learns from, and how."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from counterfoil.storage.store import check_local
from counterfoil.tasks.sft.model import Parts
from counterfoil.tasks.sft.rows import KINDS, Kind

Stage = Literal["adapter", "tuning"]


class SftSettings(BaseModel):
    """A LLaVA of parts, its adapter trained on captions, then tuned on instruction rows (MMGeoLM's stages 2 and 3)."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=())

    path: str = Field(default="", description="folder of the run: checkpoints, rejects, logs and the model")
    _is_local = field_validator("path")(check_local)
    vision: str = Field(
        default="", description="hub id or folder of a CLIP, SigLIP or AltCLIP model, ours included: the tower"
    )
    language: str = Field(default="", description="hub id or folder of a causal language model")
    base: str = Field(
        default="",
        description="hub id or folder of a whole LLaVA or LLaVA-NeXT, instead of language: vision replaces its tower",
    )
    feature_layer: int = Field(default=-2, description="the tower's layer whose patches are the features; -1: the last")
    tiles: bool = Field(
        default=False, description="a LLaVA-NeXT: pictures whole, and once more in tiles, instead of in one square"
    )
    stages: list[Stage] = Field(
        default=["adapter", "tuning"], min_length=1, description="adapter alone on captions; then instruction rows"
    )
    kinds: list[Kind] = Field(default=list(KINDS), min_length=1, description="kinds of rows that it is tuned on")
    most: int = Field(default=2, ge=1, description="how many rows of each kind to make from an anchor, about")
    tests: list[str] = Field(
        default=[],
        description="question files as FORMAT:FILE (`counterfoil answer` reads them): anchors whose question is in one "
        "are left out",
    )
    near: float = Field(default=0.995, ge=-1, le=1, description="cosine over which two questions are one")
    encoder: str = Field(
        default="hashed", min_length=1, description="encoder of questions, as `counterfoil overlap` takes it"
    )
    split: str = Field(default="train", min_length=1, description="split that it learns from")
    max_length: int = Field(
        default=2048, ge=16, description="tokens of a row, pictures included; longer ones are rejects and counted"
    )
    adapter_learning_rate: float = Field(default=1e-3, gt=0, description="highest learning rate of the adapter's stage")
    learning_rate: float = Field(default=2e-5, gt=0, description="highest learning rate of the tuning")
    epochs: float = Field(default=1.0, gt=0, description="passes over the rows, in each stage")
    steps: int | None = Field(default=None, ge=1, description="steps of each stage, instead of epochs")
    batch_size: int = Field(default=8, ge=1, description="rows in a batch of one process")
    accumulate: int = Field(default=1, ge=1, description="batches whose gradients are summed before a step")
    warmup: float = Field(default=0.03, ge=0, lt=1, description="share of the steps over which the rate rises")
    lora_rank: int = Field(
        default=0, ge=0, le=1024, description="rank of low-rank adapters of the language model; 0: all weights"
    )
    lora_alpha: float = Field(default=32.0, gt=0, description="their scale, divided by the rank")
    train_tower: bool = Field(default=False, description="tune the vision tower as well")
    precision: Literal["float32", "bf16"] = Field(default="float32", description="precision of weights and activations")
    checkpointing: bool = Field(default=False, description="compute activations twice instead of keeping them")
    checkpoint_every: int = Field(default=200, ge=1, description="steps between checkpoints")
    log_every: int = Field(default=10, ge=1, description="steps between lines of the log")
    device: Literal["auto", "cpu"] = Field(default="auto", description="where it trains")
    seed: int = Field(default=0, ge=0, lt=2**31, description="seed of rows, weights and order")

    @model_validator(mode="after")
    def _build_of_something(self) -> SftSettings:
        if self.base and (self.language or self.tiles or self.feature_layer != -2):
            raise ValueError("base has its own language, tiles and feature_layer: leave these out")
        missing = [name for name in ("vision", "language") if not getattr(self, name)]
        if not self.base and missing:
            raise ValueError(f"no {' and no '.join(missing)}: name both, or a whole LLaVA as base")
        return self

    @property
    def parts(self) -> Parts:
        """What the model is built of."""
        return Parts(self.vision, self.language, self.feature_layer, self.seed, self.dtype, self.tiles, self.base)

    @property
    def dtype(self) -> str:
        """The precision as torch calls it."""
        return "bfloat16" if self.precision == "bf16" else "float32"
