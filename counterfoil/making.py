"""Making and checking datasets from Python, in a process of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.child import RunError, call_in_child

if TYPE_CHECKING:
    from counterfoil.tasks.audit.verify import Verification

__all__ = ["Run", "RunError", "run", "verify"]


@dataclass(frozen=True)
class Run:
    """What a run made."""

    dataset: str
    """Folder or URL, for `counterfoil.open`."""
    accepted: Mapping[str, int]
    """Domain to anchors, family to contrasts."""
    rejected: Mapping[str, Mapping[str, int]]
    """Family (``geometry.anchor`` for anchors) to reason code to rows thrown away."""
    versions: Mapping[str, int]
    """Table to the version that holds them."""
    changed: bool
    """Whether anything was published: the same recipe again changes nothing."""
    sandbox_level: str


def run(
    recipe: str | Path | Mapping[str, Mapping[str, Any]],
    overrides: Mapping[str, Any] | Sequence[str] = (),
    *,
    limit: int | None = None,
    quiet: bool = False,
) -> Run:
    """Make the dataset of a recipe, as `counterfoil run` does; what is finished already is not made again.

    ``recipe`` is a TOML file or the same as nested dictionaries, ``overrides`` are keys to set:
    ``{"geometry.negatives": 5}``. ``limit`` takes so many source rows of each domain, for a dataset of its own
    (``PATH-limit-N``). A run that would take published rows away raises, unless ``dataset.replace`` is true. Keys of
    providers come from the environment. Progress is written to the standard error unless ``quiet``. The run is a
    process of its own, by Prefect's flows where PREFECT_API_URL names a server; an interrupt ends it within seconds,
    and the same call later goes on where it stopped.

    Raises:
        RunError: the recipe is wrong, a source or key is missing, or a stage failed; what is finished is kept.
    """
    lines = overrides if not isinstance(overrides, Mapping) else [write_toml(*pair) for pair in overrides.items()]
    text = write_recipe(recipe) if isinstance(recipe, Mapping) else None
    path = str(Path(recipe).absolute()) if not isinstance(recipe, Mapping) else None
    made: Run = call_in_child("counterfoil.remote", "make_recipe", path, text, list(lines), limit, quiet)
    return made


def verify(dataset: str, *, workers: int = 0) -> Verification:
    """Check every row of every table again, from the stored bytes alone; ``workers`` 0 is one per core.

    Raises:
        RunError: there is no dataset, or it cannot be read.
    """
    found: Verification = call_in_child("counterfoil.remote", "verify_dataset", str(dataset), workers)
    return found


def write_recipe(sections: Mapping[str, Mapping[str, Any]]) -> str:
    """A recipe of nested dictionaries as TOML, one dotted key on a line."""
    return "".join(
        f"{write_toml(f'{name}.{key}', value)}\n" for name, keys in sections.items() for key, value in keys.items()
    )


def write_toml(key: str, value: Any) -> str:
    """``key=value`` in TOML.

    >>> write_toml("geometry.families", ["rule"])
    'geometry.families=["rule"]'
    >>> write_toml("author.options", {"top_p": 0.9, "stop": "\\n"})
    'author.options={"top_p"=0.9,"stop"="\\\\n"}'

    Raises:
        RunError: the value is of a kind that a recipe cannot have.
    """
    return f"{key}={_write_value(key, value)}"


def _write_value(key: str, value: Any) -> str:
    if isinstance(value, str | Path):
        return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool | int | float):
        return repr(value).lower()
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(str(name))}={_write_value(key, each)}" for name, each in value.items())
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(_write_value(key, each) for each in value) + "]"
    raise RunError(f"{key} is {value!r}: a recipe takes text, numbers, true and false, and lists and tables of them")
