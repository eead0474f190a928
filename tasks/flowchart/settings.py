"""The [flowchart] section of a recipe."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from counterfoil.tasks.contract.settings import DomainSettings


class FlowchartSettings(DomainSettings):
    """What flowcharts to read and what to make of them."""

    statements: Annotated[int, Field(ge=0, le=100)] = Field(
        2,
        description="rows of an anchor in each of the families unit, halftruth and negation. A triplet has few false "
        "sentences: with more rows none is left to choose, and a judge recognises them blind",
    )
    granulate: bool = Field(True, description="cut charts into triplets (SaCLIP Sec. 3.1); false: whole charts")
    granules: tuple[Literal["triplets", "wide", "subgraphs"], ...] = Field(
        ("triplets",),
        min_length=1,
        description="what charts are cut into: triplets; wide: also neighbourhoods of 4 to 6 nodes; subgraphs: also "
        "each subgraph in its frame with the nodes next to it",
    )
    arrow_labels: bool = Field(False, description="speak of arrows' labels in captions (the paper's template does not)")
    size: Annotated[int, Field(ge=64, le=2048)] = Field(336, description="pictures are size x size pixels")
    style: Literal["plain", "varied"] = Field(
        "plain",
        description="plain: Mermaid's default, granules top-down or bottom-up; varied: colours, letters and direction "
        "drawn for each anchor and shared by its contrasts",
    )
    smallest_text: float = Field(
        8.0, ge=0, description="refuse pictures whose text is smaller than this many pixels (font size) at `size`"
    )
    edits: Literal["natural", "published"] = Field(
        "natural",
        description="natural: an edited chart looks like any other, so that a reader must read it to know it. "
        "published: as in SaCLIP; plain granules run down, labels leave their shapes, arrows are edited in the SVG, "
        "and charts may fall apart",
    )
    image_negatives: int = Field(8, ge=0, description="negative images of an anchor (the paper's evaluation: eight)")
    caption_negatives: int = Field(6, ge=0, description="negative captions of an anchor (the paper's evaluation: six)")
    codeswap_negatives: int = Field(2, ge=0, description="negative codes of an anchor")

    @property
    def resized(self) -> bool:
        """Whether anchors have more nodes and fewer, so that a node that comes or goes tells nothing."""
        return not self.granulate or self.granules != ("triplets",)


PICTURE_KEYS = ("size", "style", "smallest_text")
"""The keys that decide how a chart is drawn."""
