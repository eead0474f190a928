"""The [theorem] section of a recipe."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from counterfoil.tasks.contract.settings import DomainSettings

MATHEMATICS = (
    "Algebra",
    "AlgebraicGeometry",
    "AlgebraicTopology",
    "Analysis",
    "CategoryTheory",
    "Combinatorics",
    "Computability",
    "Condensed",
    "Control",
    "Data",
    "Dynamics",
    "FieldTheory",
    "Geometry",
    "GroupTheory",
    "InformationTheory",
    "LinearAlgebra",
    "Logic",
    "MeasureTheory",
    "ModelTheory",
    "NumberTheory",
    "Order",
    "Probability",
    "RepresentationTheory",
    "RingTheory",
    "SetTheory",
    "Topology",
)
"""The modules of mathlib that are about mathematics (MathLeap App. A), rather than about Lean."""


class TheoremSettings(DomainSettings):
    """What statements to read and what to make of them."""

    source: str = Field("procedural:100", description="pairs:PATH, problems:PATH or procedural:N (our own statements)")
    modules: tuple[str, ...] = Field(
        MATHEMATICS,
        description="mathlib modules whose statements are read (MathLeap App. A), by the second part of the module's "
        "name; rows that name no module are read",
    )
    rephrasings: int = Field(1, ge=0, le=10, description="rephrasings of a statement")
    negatives: int = Field(
        3, ge=0, le=20, description="the most negatives of a statement in each language (the paper: three)"
    )
    numbers: float = Field(
        0.4,
        ge=0,
        le=1,
        description="the largest share of a family's negatives that change a number alone. Statements that offer no "
        "other change are left out beyond it; 1: none is left out",
    )
    grades: tuple[Literal["refuted", "tested", "contradicts", "undecided"], ...] = Field(
        ("refuted", "tested"),
        description="negatives to keep. `refuted`: a stored witness shows it false. `tested`: it contradicts an anchor "
        "that held at every instance tried, at least one. `contradicts`: the same, tested or not. `undecided`",
    )
    fields: int = Field(1, ge=0, le=9, description="translations of a statement into other fields (MELD Sec. 3)")
