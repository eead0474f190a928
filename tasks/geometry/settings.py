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
        description="So many more captions, pairs and rules are made and verified, as a share of negatives, 0 to 2: "
        "those stay that give least away over the whole corpus; the others are rejects, for the reason tell.",
    )
    markings: bool = Field(
        default=True, description="Draw lengths, angles and arc measures; false leaves them out (MMCLIP Table 5)."
    )
    reading_alone: float = Field(
        default=0.3,
        ge=0,
        le=1,
        description="Of an anchor's negatives, the most that change nothing but numbers, letters and marks, 0 to 1, as "
        "far as its figure offers others.",
    )
    form: float = Field(
        default=0.2,
        ge=0,
        le=0.5,
        description="Of an anchor's negatives, the least that change a shape, and the least that change a relation or "
        "where something lies, 0 to 0.5, as far as its figure offers them.",
    )
    template_bank: int | None = Field(
        default=None,
        ge=20,
        le=200_000,
        description="Sampled figures that geometry.template takes where the run's own do not suffice; left out: as the "
        "run needs, 1,000 to 20,000.",
    )
    captions: int = Field(default=3, ge=1, le=10, description="Captions per anchor in different words, 1 to 10.")
    style: Literal["plain", "varied"] = Field(
        default="plain",
        description="plain: black on white, one size; varied: fonts, sizes, widths, colours, canvas and turn, from "
        "figure to figure, the same for an anchor and its contrasts.",
    )
    legible_at: Literal[336, 224, 112] = Field(
        default=336,
        description="The side in pixels at which pictures will be seen, 336, 224, or, for encoders that a CPU trains, "
        "112: letters and numbers are at least 8 pixels high there.",
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
