"""The [composite] section of a recipe."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from counterfoil.tasks.contract.settings import DomainSettings


class CompositeSettings(DomainSettings):
    """What pictures to put together, two and two, and what to make of them."""

    source: str = Field("procedural:100", description="procedural:N or dataset:PATH")
    halves: tuple[Literal["geometry", "flowchart", "caption"], ...] = Field(
        ("geometry", "flowchart", "caption"),
        min_length=1,
        description="domains whose pictures are put together; both halves of a picture are of one domain",
    )
    sections: dict[Literal["geometry", "flowchart", "caption"], dict[str, Any]] = Field(
        default_factory=dict,
        description="keys of the halves' own sections, where they are not the defaults: {caption = {size = 224}}. "
        "A dataset's halves are verified by these",
    )
    placed: float = Field(
        1 / 3,
        ge=0,
        le=1,
        description='share of captions that say where each half is ("On the left: ..."); those whose halves share a '
        "letter all do",
    )
    exchanges: Annotated[int, Field(ge=0, le=100)] = Field(4, description="rows of an anchor in the family exchange")
    orders: Annotated[int, Field(ge=0, le=2)] = Field(1, description="rows of a placed anchor in the family order")
    sentences: Annotated[int, Field(ge=0, le=20)] = Field(2, description="rows of an anchor in the family sentences")


DRAWING = ("source", "halves", "sections", "placed", "test_share")
"""The keys that decide the anchors."""
