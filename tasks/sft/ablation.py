"""A recipe's `[ablation]` section: language models that differ in their tower alone (MMGeoLM Tables 3 to 5 and 9).

Each variant is a tower, trained on other negatives than the next or not at all, and the same adapter, instruction rows
and questions after it. The tables of the paper are named; a variant that stands in several is trained once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

TableName = Literal["sources", "variants", "counts", "markings", "templates"]
TABLES: Mapping[TableName, str] = {
    "sources": "Table 3: none, random, retrieval, rule, image, retrieval and rule, all",
    "variants": "Table 9: eleven mixtures of random, retrieval, rule and image",
    "counts": "one to fifty negatives of an anchor (counts)",
    "markings": "Table 5: pictures with and without numeric marks",
    "templates": "Table 4: PERTURB-IMG compared with RULE-IMG",
}
_RET, _RULE, _IMG, _TEMPLATE = "retrieval", "rule", "image", "template"


class AblationSettings(BaseModel):
    """Which towers are compared, and by which questions."""

    model_config = ConfigDict(extra="forbid")

    path: str = Field(default="", description="folder of towers, models, answers and the table")
    tables: list[TableName] = Field(
        default=["sources"], min_length=1, description="of MMGeoLM: sources, variants, counts, markings, templates"
    )
    only: list[str] = Field(default=[], description="towers by their names in the tables; empty: all of them")
    domain: str = Field(default="geometry", min_length=1, description="domain whose families the towers learn from")
    negatives: int = Field(default=10, ge=1, description="negatives of an anchor in a step, of each kind")
    counts: list[int] = Field(
        default=[5, 10, 20, 30, 50],
        min_length=1,
        description="for the table counts: how many negative pictures of an anchor",
    )
    on: list[str] = Field(min_length=1, description="questions as FORMAT:FILE, which every model is asked")
    images: str = Field(default="", description="folder of their pictures, if they are not next to the questions")
    robust: bool = Field(default=False, description="ask again with pictures rotated and at half size")
    batch: int = Field(default=8, ge=1, description="questions asked at once")
    most_tokens: int = Field(default=512, ge=1, description="tokens of an answer, at most")


@dataclass(frozen=True)
class Variant:
    """A tower: how its training differs from the recipe's; ``training`` is None where it is taken as it is."""

    name: str
    training: Mapping[str, Any] | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the domain's section by which its dataset differs."""


def list_variants(settings: AblationSettings) -> list[tuple[TableName, Variant]]:
    """The variants of every table asked for, in the tables' order."""
    made = [(table, variant) for table in settings.tables for variant in _list_of(table, settings)]
    return [(table, variant) for table, variant in made if not settings.only or variant.name in settings.only]


def _list_of(table: TableName, settings: AblationSettings) -> Iterator[Variant]:
    n = settings.negatives
    if table == "sources":
        yield Variant("none")
        yield _mix("random", [], settings)
        for kinds in ([_RET], [_RULE], [_IMG], [_RET, _RULE], [_RET, _RULE, _IMG]):
            yield _mix("+".join(kinds), kinds, settings)
    elif table == "variants":
        yield Variant("none")
        yield _mix("random", [], settings)
        for kinds in ([_RET], [_RULE], [_IMG]):
            yield _mix(kinds[0], kinds, settings)
        for kinds in ([_RET], [_RULE], [_IMG]):
            yield _mix(f"random+{kinds[0]}", kinds, settings, objective="ib+mm")
        yield _mix(f"{_RET}+{_RULE}", [_RET, _RULE], settings)
        yield _mix(f"{_RET}+{_RULE}+{_IMG}", [_RET, _RULE, _IMG], settings)
        yield _mix("all", [_RET, _RULE, _IMG], settings, objective="ib+mm")
    elif table == "counts":
        for count in settings.counts:
            yield _mix(_IMG if count == n else f"{_IMG} {count}", [_IMG], settings, count=count)
    elif table == "markings":
        yield _mix(_IMG, [_IMG], settings)
        unmarked = _mix(f"{_IMG} without marks", [_IMG], settings)
        yield Variant(unmarked.name, unmarked.training, {"markings": False})
    else:
        yield _mix(_TEMPLATE, [_TEMPLATE], settings)
        yield _mix(_IMG, [_IMG], settings)


def _mix(
    name: str, kinds: Sequence[str], settings: AblationSettings, *, objective: str = "mmclip", count: int | None = None
) -> Variant:
    """A tower that learns from these families; from other anchors of the batch alone where there are none."""
    number = count or settings.negatives
    if not kinds:
        return Variant(name, {"objective": "clip", "negative_texts": 0, "negative_images": 0})
    families = [f"{settings.domain}.{kind}" for kind in kinds]
    chosen = {"objective": objective, "families": families, "negative_texts": number, "negative_images": number}
    return Variant(name, chosen)
