"""The [flowchart] section of a recipe."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tasks.contract.settings import DomainSettings


class FlowchartSettings(DomainSettings):
    """What flowcharts to read and what to make of them."""

    granulate: bool = Field(True, description="cut charts into triplets (SaCLIP Sec. 3.1); false: whole charts")
    arrow_labels: bool = Field(False, description="speak of arrows' labels in captions (the paper's template does not)")
    size: Annotated[int, Field(ge=64, le=2048)] = Field(336, description="pictures are size x size pixels")
    style: Literal["classic", "slate"] = Field("classic", description="the visual style")
    smallest_text: float = Field(
        5.0, ge=0, description="refuse pictures whose text would be smaller than this many pixels (font size)"
    )
    edits: Literal["natural", "published"] = Field(
        "natural",
        description="natural: edited charts look like charts, so that none is told without reading it; "
        "published: as in SaCLIP, labels leave their shapes, arrows are edited in the SVG, charts may fall apart",
    )
    image_negatives: int = Field(8, ge=0, description="negative images of an anchor (the paper's evaluation: eight)")
    caption_negatives: int = Field(6, ge=0, description="negative captions of an anchor (the paper's evaluation: six)")
    codeswap_negatives: int = Field(2, ge=0, description="negative codes of an anchor")


PICTURE_KEYS = ("size", "style", "smallest_text")
"""The keys that decide how a chart is drawn."""
