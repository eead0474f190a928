"""What a run reads of its recipe: where the dataset goes, who writes, and a section for each domain to make."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.showing.secrets import without_secrets
from counterfoil.tasks.tells.settings import AuditSettings


class DatasetSection(BaseModel):
    """Where the dataset goes and how the work is cut. Only ``seed`` and ``shard_size`` bear on its content."""

    model_config = ConfigDict(extra="forbid")

    path: str = Field(min_length=1, description="folder or object-store URL (s3://...)")
    seed: int = Field(default=0, ge=0, lt=2**63, description="seed of every random choice")
    shard_size: int | None = Field(
        default=None, ge=1, le=100_000, description="source rows in a shard; left out: 256, of flowcharts 64"
    )
    runner: Literal["processes", "ray"] = Field(default="processes", description="where shards run")
    workers: int = Field(default=0, ge=0, le=4096, description="worker processes; 0: one per core")
    sandbox: Literal["L3", "L2", "L1"] | None = Field(
        default=None, description="sandbox level to insist on; left out: the strongest that works here"
    )
    replace: bool = Field(
        default=False, description="let published rows go where a run takes them away; a run stops there otherwise"
    )
    title: str = Field(default="", description="name of the dataset in its report and card")
    licence: str = Field(default="unknown", description="licence of the source material, for the dataset card")


class MakingRecipe(BaseModel):
    """A checked recipe, as far as making the dataset goes: one section per domain, the author's and the audit's."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    dataset: DatasetSection
    author: AuthorSettings = AuthorSettings()
    audit: AuditSettings = AuditSettings()
    domains: dict[str, Any] = Field(default_factory=dict)

    def settings(self, domain: str) -> dict[str, Any]:
        """The section of ``domain`` as plain data with its defaults filled in."""
        section: BaseModel = self.domains[domain]
        return section.model_dump(mode="json")

    def families(self, domain: str) -> list[str]:
        """Full names of the families asked for in a domain's section; where it names none, all but those that
        are made only where they are named."""
        asked = [f"{domain}.{kind}" for kind in self.domains[domain].families]
        return asked or [name for name, each in load_domain(domain).families.items() if not each.asked]

    def dump(self) -> dict[str, Any]:
        """The recipe as nested plain data, as it was written plus defaults, without its secrets: it is published."""
        first = {name: getattr(self, name).model_dump(mode="json") for name in ("dataset", "author", "audit")}
        shown: dict[str, Any] = without_secrets(first | {name: self.settings(name) for name in self.domains})
        return shown
