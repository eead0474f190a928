"""What a recipe may say: every section with its keys, their defaults, kinds and meanings, from the settings themselves.

The reference in `docs/recipe.md`, the recipes of `counterfoil init` and the messages about a wrong key are one source.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, load_domain

UNITS = {"_s": "seconds", "_usd": "USD", "_per_minute": "per minute", "_tokens": "tokens"}
"""What the end of a key's name says of its number."""


@dataclass(frozen=True)
class Key:
    """One key of a section. ``default`` is TOML; "" where the key is left out or must be given."""

    name: str
    kind: str
    default: str
    meaning: str
    required: bool = False


@dataclass(frozen=True)
class Section:
    """One section of a recipe, as TOML writes its name."""

    name: str
    meaning: str
    keys: tuple[Key, ...]


def list_sections() -> list[Section]:
    """Every section that a recipe may have, in the order in which recipes write them."""
    from counterfoil.tasks.evaluation.settings import EvaluationSettings
    from counterfoil.tasks.sft.ablation import AblationSettings
    from counterfoil.tasks.sft.settings import SftSettings
    from counterfoil.tasks.training.settings import TrainingSettings

    return [
        *list_making_sections(DOMAIN_MODULES),
        describe_section("training", TrainingSettings),
        describe_section("sft", SftSettings),
        describe_section("ablation", AblationSettings),
        describe_section("evaluation", EvaluationSettings),
    ]


def list_making_sections(domains: Iterable[str]) -> list[Section]:
    """The sections that say what is made of these domains, and by whom."""
    from counterfoil.tasks.engine.recipe import DatasetSection
    from counterfoil.tasks.llm.price import Price
    from counterfoil.tasks.llm.settings import AuthorSettings, LookSettings
    from counterfoil.tasks.tells.settings import AuditSettings

    return [
        describe_section("dataset", DatasetSection),
        describe_section("author", AuthorSettings),
        describe_section("author.price", Price),
        describe_section("author.look", LookSettings),
        *(section for name in domains for section in describe_domain_sections(load_domain(name))),
        describe_section("audit", AuditSettings),
    ]


def describe_section(name: str, model: type[BaseModel]) -> Section:
    """The section ``name``, which ``model`` checks."""
    schema = model.model_json_schema()
    required = schema.get("required", [])
    keys = [
        Key(
            key,
            _word_kind(key, field),
            "" if key in required else _write_default(model.model_fields[key].get_default(call_default_factory=True)),
            _one_line(field.get("description", "")),
            key in required,
        )
        for key, field in schema["properties"].items()
        if not _is_section(field, schema.get("$defs", {}))
    ]
    meaning = _one_line((model.__doc__ or "").strip().split("\n\n")[0]).removeprefix(f"`[{name}]`: ")
    return Section(name, meaning[:1].upper() + meaning[1:], tuple(keys))


def describe_domain(domain: Domain[Any]) -> Section:
    """A domain's section: its ``source`` and ``families`` with what they may name."""
    section = describe_section(domain.name, domain.settings_type)
    sources = "; ".join(f"`{source.form}`: {source.describe}" for source in domain.sources.values())
    kinds = ", ".join(name.partition(".")[2] for name in domain.families)
    said = {"source": f"where the rows come from. {sources}", "families": f"the families to make, of: {kinds}"}
    keys = [
        Key(
            key.name,
            key.kind,
            "" if key.name == "families" else key.default,
            said.get(key.name, key.meaning),
            key.required,
        )
        for key in section.keys
    ]
    return Section(section.name, section.meaning, tuple(keys))


def describe_domain_sections(domain: Domain[Any]) -> list[Section]:
    """A domain's section and those within it, such as ``[geometry.procedural]``."""
    fields = domain.settings_type.model_fields.items()
    within = [(key, field.annotation) for key, field in fields if isinstance(field.annotation, type)]
    tables = [(key, kind) for key, kind in within if issubclass(kind, BaseModel)]
    return [describe_domain(domain), *(describe_section(f"{domain.name}.{key}", kind) for key, kind in tables)]


def _is_section(field: Mapping[str, Any], defined: Mapping[str, Any]) -> bool:
    """Whether a field is a section of its own, such as ``[author.look]``."""
    named = [each.get("$ref", "").rpartition("/")[2] for each in [field, *field.get("anyOf", [])]]
    return any(defined.get(name, {}).get("type") == "object" for name in named)


def _word_kind(key: str, field: Mapping[str, Any]) -> str:
    """What a key's value is, with its range and unit in words."""
    options = [each for each in field.get("anyOf", [field]) if each.get("type") != "null"]
    said = " or ".join(dict.fromkeys(_word_option(each) for each in options))
    unit = next((unit for end, unit in UNITS.items() if key.endswith(end)), "")
    return f"{said}, {unit}" if unit and "number" in said else said


def _word_option(option: Mapping[str, Any]) -> str:
    if "enum" in option or "const" in option:
        return " or ".join(f"`{json.dumps(value)}`" for value in option.get("enum", [option.get("const")]))
    kinds = {"integer": "whole number", "number": "number", "boolean": "true or false", "string": "text"}
    kind = kinds.get(option.get("type", ""), "")
    if option.get("prefixItems"):
        return " and ".join(_word_option(each) for each in option["prefixItems"])
    if not kind:
        return {"array": "list of texts", "object": "table"}.get(option.get("type", ""), "any")
    low, high = option.get("minimum"), option.get("maximum")
    above = option.get("exclusiveMinimum")
    if low is not None and high is not None:
        return f"{kind}, {low:,} to {high:,}"
    if low is not None:
        return f"{kind}, {low:,} or more"
    return f"{kind} over {above:,}" if above is not None else kind


def _write_default(value: Any) -> str:
    """A default as TOML; "" for what TOML cannot write, because it means that the key is left out."""
    if value is None or value in ((), [], {}):
        return ""
    return str(value).lower() if isinstance(value, bool) else json.dumps(value)


def _one_line(text: str) -> str:
    return " ".join(text.replace("``", "`").split())
