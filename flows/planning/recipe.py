"""Recipes: the TOML file that says what to make, checked before anything runs."""

from __future__ import annotations

import copy
import difflib
import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from counterfoil.flows.planning.hiding import reveal_override
from counterfoil.flows.planning.keys import describe_section
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.mistakes import word_mistake
from counterfoil.storage.plain import DEEPEST, parse_toml
from counterfoil.tasks.engine.history import find_run
from counterfoil.tasks.engine.recipe import DatasetSection, MakingRecipe
from counterfoil.tasks.engine.registry import list_domains, load_domain
from counterfoil.tasks.evaluation.settings import EvaluationSettings
from counterfoil.tasks.llm.settings import AuthorSettings
from counterfoil.tasks.sft.ablation import AblationSettings
from counterfoil.tasks.sft.settings import SftSettings
from counterfoil.tasks.showing.secrets import hide_in_text, without_secrets
from counterfoil.tasks.tells.settings import AuditSettings
from counterfoil.tasks.training.settings import TrainingSettings


class RecipeError(Exception):
    """A recipe that cannot be run. The message names the file, the key, and what is allowed."""


SECTIONS: Mapping[str, type[BaseModel]] = {
    "dataset": DatasetSection,
    "author": AuthorSettings,
    "audit": AuditSettings,
    "training": TrainingSettings,
    "sft": SftSettings,
    "ablation": AblationSettings,
    "evaluation": EvaluationSettings,
}
"""The sections that a recipe may have beside those of its domains."""
_TYPE = re.compile(r"str|int|float|bool|(?:dict|list|tuple|function-\w+|constrained-\w+)\b.*")
_AFTER = ("training", "sft", "ablation", "evaluation")


class Recipe(MakingRecipe):
    """A checked recipe, with what comes after the dataset."""

    training: TrainingSettings | None = None
    """None where the recipe has no such section: nothing is trained."""
    sft: SftSettings | None = None
    """None where the recipe has no such section: no language model is tuned."""
    ablation: AblationSettings | None = None
    """None where the recipe has no such section: no towers are compared."""
    evaluation: EvaluationSettings | None = None
    """None where the recipe has no such section: an encoder is scored on the dataset's own held-out rows."""
    text_sha256: str = ""
    """Of the file that it was read from; "" where there was none. It decides nothing that is made."""

    def dump(self) -> dict[str, Any]:
        """The recipe as nested plain data, as it was written plus defaults, without its secrets: it is published."""
        after = {name: each.model_dump(mode="json") for name in _AFTER if (each := getattr(self, name)) is not None}
        shown: dict[str, Any] = without_secrets(after)
        return super().dump() | shown


def load_recipe(path: Path | str, overrides: Sequence[str] = ()) -> Recipe:
    """Read and check a recipe file, with ``section.key=value`` overrides applied.

    An override's value is TOML where it parses as such (``5``, ``true``, ``["caption"]``), else a string.

    Raises:
        RecipeError: the file is missing or not TOML, or a key is unknown, of the wrong type or out of range.
    """
    path = Path(path)
    try:
        content = path.read_bytes()
        data = parse_toml(content.decode("utf-8"))
    except FileNotFoundError as error:
        raise RecipeError(f"no recipe at {path}") from error
    except IsADirectoryError as error:
        raise RecipeError(f"{path} is a folder; a recipe is a TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RecipeError(f"{path} is not TOML: {error}") from error
    for override in overrides:
        apply_override(data, override)
    recipe = check_recipe(data, str(path))
    recipe.text_sha256 = hashlib.sha256(content).hexdigest()
    return recipe


def recipe_of(dataset: str, domain: str, overrides: Sequence[str]) -> Recipe:
    """The recipe that the dataset's ``domain`` was last made by, with overrides.

    Raises:
        StorageError: no run made it.
        RecipeError: an override is wrong.
    """
    data = copy.deepcopy(dict(find_run(Dataset(dataset), domain)["recipe"]))
    data["dataset"] |= {"path": dataset, "replace": False}
    for override in overrides:
        apply_override(data, override)
    return check_recipe(data, f"the recipe of {dataset}")


def load_unchanged(path: Path | str, overrides: Sequence[str], text_sha256: str | None) -> Recipe:
    """`load_recipe`, insisting that the file is still the one of ``text_sha256``, if one is given.

    Raises:
        RecipeError: as `load_recipe` says, or the file was changed.
    """
    recipe = load_recipe(path, overrides)
    if text_sha256 and recipe.text_sha256 != text_sha256:
        raise RecipeError(f"{path} was changed since the run began that this is part of: start a new run")
    return recipe


def is_changed(path: Path | str, text_sha256: str) -> bool:
    """Whether a recipe file is another than that of ``text_sha256``, or gone."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest() != text_sha256
    except OSError:
        return True


def check_sources(recipe: Recipe) -> None:
    """Read the first row of every domain's source, before a run starts anything; rows that are made up by number are
    for the workers to make.

    Raises:
        counterfoil.tasks.contract.domain.SourceError: a source cannot be read.
    """
    for name, section in recipe.domains.items():
        domain = load_domain(name)
        if domain.find_source(section)[0].number is None:
            next(iter(domain.read(section, recipe.dataset.seed, 1)), None)


def apply_override(data: dict[str, Any], override: str) -> None:
    """Set one ``section.key=value`` in the nested recipe data.

    Raises:
        RecipeError: the override is not of that form.
    """
    name, sign, text = reveal_override(override).partition("=")
    keys = name.strip().split(".")
    if not sign or not 2 <= len(keys) <= DEEPEST or not all(keys):
        raise RecipeError(
            f"--set takes section.key=value (such as geometry.negatives=5), not {hide_in_text(override)!r}"
        )
    try:
        value = parse_toml(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    for key in keys[:-1]:
        data = data.setdefault(key, {})
        if not isinstance(data, dict):
            raise RecipeError(f"--set {hide_in_text(override)}: {key} is a value, not a section")
    data[keys[-1]] = value


def check_recipe(data: dict[str, Any], where: str) -> Recipe:
    """Check nested recipe data; ``where`` names its file in errors.

    Raises:
        RecipeError: with every problem found, one line each.
    """
    domain_names = list_domains()
    allowed = [*SECTIONS, *domain_names]
    problems = [
        f"unknown section [{name}]{_suggest(name, allowed)}; allowed: {', '.join(allowed)}"
        for name in data
        if name not in allowed
    ]
    problems += [
        f"[{name}] is a section of keys, not a value"
        for name in allowed
        if name in data and not isinstance(data[name], dict)
    ]
    if "dataset" not in data:
        problems.append('no [dataset] section: it needs at least path = "..."')
    sections: dict[str, Any] = {}
    for name in allowed:
        if not isinstance(data.get(name), dict):
            continue
        model = SECTIONS.get(name) or load_domain(name).settings_type
        try:
            sections[name] = model.model_validate(data[name])
        except ValidationError as error:
            problems += _explain(name, model, error)
    for name in domain_names:
        if name in sections:
            problems += [*_check_source(name, sections[name]), *_check_families(name, sections[name])]
    problems += _check_accepted(sections.get("audit"))
    if not any(name in data for name in domain_names):
        problems.append(f"nothing to make: add a section for at least one of {', '.join(domain_names)}")
    if problems:
        raise RecipeError("\n".join(f"{where}: {problem}" for problem in problems))
    domains = {name: sections[name] for name in domain_names if name in sections}
    given = {name: sections[name] for name in SECTIONS if name in sections}
    return Recipe(**given, domains=domains)


def _check_source(domain: str, section: Any) -> list[str]:
    try:
        load_domain(domain).find_source(section)
    except ValueError as error:
        return [f"{domain}.source: {error}"]
    return []


def _check_accepted(audit: AuditSettings | None) -> list[str]:
    if audit is None or not audit.accept_tell:
        return []
    known = [
        name
        for domain in list_domains()
        for name, each in load_domain(domain).families.items()
        if each.role == "negative"
    ]
    return [
        f"audit.accept_tell: no family of negatives {name!r}{_suggest(name, known)}; allowed: {', '.join(known)}"
        for name in audit.accept_tell
        if name not in known
    ]


def _check_families(domain: str, section: Any) -> list[str]:
    known = [name.partition(".")[2] for name in load_domain(domain).families]
    twice = [f"{domain}.families: {kind!r} stands twice" for kind, n in Counter(section.families).items() if n > 1]
    return twice + [
        f"{domain}.families: no family {kind!r}{_suggest(kind, known)}; allowed: {', '.join(known)}"
        for kind in section.families
        if kind not in known
    ]


def _explain(section: str, model: type[BaseModel], error: ValidationError) -> list[str]:
    lines = []
    keys = {key.name: key for key in describe_section(section, model).keys}
    found = [(_list_keys(each["loc"]), each) for each in error.errors(include_url=False)]
    for path, each in found:
        if any(len(path) < len(other) and other[: len(path)] == path for other, _ in found):
            continue  # of all that a value may be, the other error is about what it nearly is
        key, known = ".".join([section, *path]), keys.get(path[0]) if path else None
        if each["type"] == "extra_forbidden":
            names = list(model.model_fields)
            lines.append(f"{key}: unknown key{_suggest(path[-1], names)}; allowed: {', '.join(names)}")
        elif each["type"] == "missing":
            lines.append(f"{key}: missing")
        else:
            value = hide_in_text(repr(without_secrets(each["input"])))
            whole = known is not None and all(part.isdecimal() for part in path[1:])
            told = word_mistake(each, known.kind.replace("`", "") if known and whole else "")
            lines.append(f"{key} = {value}: {told}{f' ({known.meaning})' if known and known.meaning else ''}")
    return lines


def _list_keys(location: Sequence[int | str]) -> tuple[str, ...]:
    """Where an error is, without the names of the types that pydantic tried."""
    return tuple(str(part) for part in location if not _TYPE.fullmatch(str(part)))


def _suggest(name: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
