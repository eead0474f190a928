"""The ``[geometry]`` section of a recipe."""

from __future__ import annotations

import math
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from counterfoil.tasks.contract.quotas import Quota
from counterfoil.tasks.contract.settings import DomainSettings
from counterfoil.tasks.geometry.captions.templates import CaptionStyle


class Plan(BaseModel):
    """What problems procedural:N samples."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    constructions: tuple[int, int] = Field(
        default=(2, 6), description="How many constructions a figure is made of, the fewest and the most, 1 to 6."
    )
    steps: tuple[int, int] = Field(
        default=(2, 8), description="How many theorems the answer takes, the fewest and the most, 1 to 12."
    )
    unknowns: float = Field(default=0.3, ge=0, le=1, description="Share of problems that write unknowns, 0 to 1.")
    analytic: float = Field(
        default=0.2, ge=0, le=1, description="Share of problems on axes: lines, parabolas, circles, graphs, 0 to 1."
    )

    @model_validator(mode="after")
    def check_ranges(self) -> Plan:
        """Raise `ValueError` unless each range is one."""
        for name, (least, most), top in (("constructions", self.constructions, 6), ("steps", self.steps, 12)):
            if not 1 <= least <= most <= top:
                raise ValueError(f"{name} = [{least}, {most}]: needs 1 <= fewest <= most <= {top}")
        return self


class GeometrySettings(DomainSettings):
    """What is made of geometry problems, and from which."""

    negatives: int = Field(default=10, ge=1, le=50, description="Accepted contrasts per anchor and family, 1 to 50.")
    spare: float = Field(
        default=0.4,
        ge=0,
        le=2,
        description="How many spare captions, pairs and rules are made and verified, as a share of negatives, 0 to 2. "
        "Those that give least away over the whole corpus stay. The others become rejects with the reason `tell`.",
    )
    markings: bool = Field(
        default=True, description="Draw lengths, angles and arc measures; false leaves them out (MMCLIP Table 5)."
    )
    reading_alone: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="The largest share of an anchor's negatives that change nothing but numbers, letters and marks, 0 "
        "to 1. It is exceeded only where the figure offers no other change.",
    )
    form: float = Field(
        default=0.2,
        ge=0,
        le=0.5,
        description="The smallest share of an anchor's negatives that change a shape, and the smallest that change a "
        "relation or where something lies, 0 to 0.5. It is missed only where the figure offers too few.",
    )
    template_bank: int | None = Field(
        default=None,
        ge=20,
        le=200_000,
        description="How many figures are sampled for geometry.template where the run has too few of its own. Left "
        "out: as many as the run needs, 1,000 to 20,000.",
    )
    captions: int = Field(default=3, ge=1, le=10, description="Captions per anchor in different words, 1 to 10.")
    style: Literal["plain", "varied"] = Field(
        default="plain",
        description="plain: black on white, one size. varied: fonts, sizes, widths, colours, canvas and rotation "
        "differ from figure to figure. An anchor and its contrasts always share them.",
    )
    legible_at: Literal[336, 224, 112] = Field(
        default=336,
        description="The side in pixels at which the encoder will see pictures: 336, 224, or 112 for encoders that a "
        "CPU trains. Letters and numbers are at least 8 pixels high there.",
    )
    caption_style: CaptionStyle = Field(
        default="latex",
        description="How captions and questions are written: latex (\\triangle ABC, 60^\\circ) or plain (triangle ABC, "
        "60 degrees).",
    )
    procedural: Plan = Field(
        default=Plan(), description="What procedural:N samples: a table of its own, `[geometry.procedural]`."
    )

    def list_quotas(self) -> tuple[Quota, ...]:
        """What negatives change, in shares."""
        return (
            Quota(("number", "letter", "mark"), self.reading_alone),
            Quota(("shape",), self.form, least=True),
            Quota(("relation", "incidence"), self.form, least=True),
        )

    def count_spare(self) -> int:
        """How many more than `negatives` are made of each anchor.

        >>> GeometrySettings(source="procedural:1").count_spare()
        4
        """
        return math.ceil(round(self.spare * self.negatives, 6))
