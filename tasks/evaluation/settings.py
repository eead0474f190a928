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
        default=[], description="hub ids or folders of models to stand beside the trained one, such as its base"
    )
    blind: bool = Field(default=True, description="try blind baselines, too")
    pixels: bool = Field(default=False, description="try the blind judge of pixels, too: minutes")
    questions: list[str] = Field(
        default=[], description="questions as FORMAT:FILE for the model of [sft]; empty: it is asked nothing"
    )
    images: str = Field(default="", description="folder of the pictures, if not beside benchmarks and questions")
    batch: int = Field(default=8, ge=1, description="questions asked at once")
    most_tokens: int = Field(default=512, ge=1, description="tokens of an answer, at most")
