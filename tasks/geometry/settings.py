"""The ``[geometry]`` section of a recipe."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, Field, field_validator

_SOURCE = re.compile(r"^(geometry3k|problems|procedural):(.+)$")


class GeometrySettings(BaseModel):
    """What is made of geometry problems, and from which."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = Field(
        description="geometry3k:PATH (JSONL with formal statements), problems:PATH (JSONL or CSV with question and "
        "answer, which an LLM author draws) or procedural:N (N sampled scenes, N at least 1)."
    )
    families: tuple[str, ...] = Field(default=(), description="The families to make; left out: all of them.")
    negatives: int = Field(default=10, ge=1, le=50, description="Accepted contrasts per anchor and family, 1 to 50.")
    markings: bool = Field(
        default=True, description="Draw lengths, angles and arc measures; false leaves them out (MMCLIP Table 5)."
    )
    template_bank: int = Field(
        default=400, ge=20, le=200_000, description="Pictures that geometry.template searches, made once per run."
    )
    captions: int = Field(default=3, ge=1, le=10, description="Captions per anchor in different words, 1 to 10.")
    combine: int = Field(
        default=2,
        ge=1,
        le=3,
        description="The most constructions that a sampled scene combines, 1 to 3 (procedural:N only).",
    )

    @field_validator("source")
    @classmethod
    def _check_source(cls, source: str) -> str:
        match = _SOURCE.match(source)
        if match is None:
            raise ValueError(f"{source!r} is no source; allowed: geometry3k:PATH, problems:PATH, procedural:N")
        if match[1] == "procedural" and (not match[2].isdigit() or int(match[2]) < 1):
            raise ValueError(f"{source!r}: N must be a whole number of at least 1, as in procedural:200")
        return source

    @property
    def source_kind(self) -> str:
        """``geometry3k``, ``problems`` or ``procedural``."""
        return self.source.partition(":")[0]

    @property
    def source_target(self) -> str:
        """The path, or the number of scenes."""
        return self.source.partition(":")[2]
