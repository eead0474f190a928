"""The [audit] section of a recipe."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class AuditSettings(BaseModel):
    """What is done about negatives that give themselves away."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    refine: bool = Field(
        default=False, description="drop the negatives that a model of one side tells from their anchors, as rejects"
    )
