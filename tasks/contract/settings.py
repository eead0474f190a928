"""A domain's section of a recipe."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class DomainSettings(BaseModel):
    """The keys that every domain's section has; a domain adds its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(description="where the rows come from, as KIND:TARGET (`counterfoil plan` lists the kinds)")
    test_share: float = Field(0.2, ge=0, le=1, description="share in the test split, for sources that name no splits")
    families: tuple[str, ...] = Field((), description="the families to make; left out: all of them")
