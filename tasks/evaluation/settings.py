"""A recipe's `[evaluation]` section: what its models are scored on."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class EvaluationSettings(BaseModel):
    """Benchmarks for the encoder of `[training]`, and questions for the language model of `[sft]`."""

    model_config = ConfigDict(extra="forbid")

    on: list[str] = Field(
        default=[], description="benchmarks as PROTOCOL:FOLDER, or datasets of ours; empty: the recipe's own dataset"
    )
    zero_shot: list[str] = Field(
        default=[], description="hub ids or folders of models to compare with the trained one, such as its base"
    )
    blind: bool = Field(default=True, description="score blind baselines as well")
    pixels: bool = Field(default=False, description="score the blind judge of pixels as well, which takes minutes")
    questions: list[str] = Field(
        default=[], description="questions as FORMAT:FILE for the model of [sft]; empty: it gets no questions"
    )
    images: str = Field(
        default="", description="folder of the pictures, if they are not next to benchmarks and questions"
    )
    batch: int = Field(default=8, ge=1, description="questions asked at once")
    most_tokens: int = Field(default=512, ge=1, description="tokens of an answer, at most")
