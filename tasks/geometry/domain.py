"""The geometry domain: its settings, its sources, its families and their verifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from storage.rows import Anchor, Reject
from tasks.contract.context import Context
from tasks.contract.domain import SourceRow
from tasks.contract.family import Family
from tasks.contract.verdict import Verdict
from tasks.geometry import anchors, llm
from tasks.geometry.anchors import Share
from tasks.geometry.families.perturb import CAPTION, IMAGE, make_perturbed
from tasks.geometry.families.rule import RULE, make_rule
from tasks.geometry.families.template import TEMPLATE, make_template
from tasks.geometry.settings import GeometrySettings
from tasks.geometry.verify import verify_anchor, verify_caption, verify_image, verify_rule, verify_template

FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family(
            CAPTION,
            "negative",
            "text",
            paper="MMCLIP Fig. 8",
            how="the captions that drive geometry.image",
            version=2,
            make=make_perturbed,
            verify=verify_caption,
            uses=("negatives", "markings"),
            make_llm=llm.make_perturbed,
            prompts=llm.PERTURB_PROMPTS,
            looked_at=True,
        ),
        Family(
            IMAGE,
            "negative",
            "image",
            paper="MMCLIP Fig. 6-10",
            how="negative caption, edited script, sandbox",
            version=2,
            make=make_perturbed,
            verify=verify_image,
            uses=("negatives", "markings"),
            make_llm=llm.make_perturbed,
            prompts=llm.PERTURB_PROMPTS,
            looked_at=True,
        ),
        Family(
            RULE,
            "negative",
            "text",
            paper="MMCLIP Fig. 11",
            how="four kinds of error, one to four edits each",
            make=make_rule,
            verify=verify_rule,
            uses=("negatives",),
            make_llm=llm.make_rule,
            prompts=llm.RULE_PROMPTS,
            looked_at=True,
        ),
        Family(
            TEMPLATE,
            "negative",
            "image",
            paper="MMCLIP Table 4 (RULE-IMG)",
            how="nearest pictures among procedurally made ones",
            make=make_template,
            verify=verify_template,
            uses=("negatives", "markings", "template_bank"),
            looked_at=True,
        ),
    )
}


@dataclass(frozen=True)
class GeometryDomain:
    """Reads problems, draws and verifies anchors, lists the families; see `tasks.contract.domain.Domain`."""

    name: str = "geometry"
    version: int = 2
    settings_type: type[BaseModel] = GeometrySettings
    families: Mapping[str, Family] = field(default_factory=lambda: FAMILIES)
    anchor_uses: tuple[str, ...] = ("markings", "captions", "combine")
    runs_scripts: bool = True

    def list_anchor_prompts(self, settings: BaseModel) -> tuple[str, ...]:
        """Plain problems are drawn by the author; formal statements and samples need none."""
        assert isinstance(settings, GeometrySettings)
        return llm.ANCHOR_PROMPTS if settings.source_kind == "problems" else ()

    def read(self, settings: BaseModel, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
        """The rows of the settings' source; see `tasks.geometry.anchors.read`."""
        assert isinstance(settings, GeometrySettings)
        return anchors.read(settings, seed, limit)

    def make_anchors(self, row: SourceRow, context: Context) -> Iterator[Anchor | Reject]:
        """The one anchor of a problem: from its formal statements, or drawn by the author from its words alone."""
        if context.llm is not None and row.source == "problems":
            return llm.make_anchors(row, context)
        return anchors.make_anchors(row, context)

    def describe_yield(self, rows: int, anchors: int, rejected: Mapping[str, int]) -> str:
        return str(Share(rows, anchors, rejected))

    def verify_anchor(self, anchor: Anchor, context: Context) -> Verdict:
        """See `tasks.geometry.verify.verify_anchor`."""
        return verify_anchor(anchor, context)


DOMAIN = GeometryDomain()
