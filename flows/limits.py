"""Limits over all runs of a Prefect server: how many stages use a GPU at once, and how many ask one provider.

They are Prefect's global concurrency limits, under names of ours; `counterfoil deploy` and `serve` make them. A stage
takes its slots when it begins and holds them by a lease, so those of a dead host are free again a minute later. Where
a limit was never made, nothing is limited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

GPU = "gpu"
PREFIX = "counterfoil-"
LEASE_S = 60.0
PROVIDERS = ("openai", "anthropic", "vllm")
KINDS = (GPU, *PROVIDERS)


class LimitError(Exception):
    """A limit that is not one. The message says what is."""


def set_limits(limits: Mapping[str, int]) -> None:
    """Make or change limits: kind (``gpu`` or a provider) to the stages at once."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        for kind, most in limits.items():
            client.upsert_global_concurrency_limit_by_name(PREFIX + kind, most)


def parse_limits(texts: Sequence[str]) -> dict[str, int]:
    """Limits as the command line writes them.

    >>> parse_limits(["gpu=1", "openai=4"])
    {'gpu': 1, 'openai': 4}

    Raises:
        LimitError: one is not of that form; says which are known.
    """
    limits = {}
    for text in texts:
        kind, sign, number = text.partition("=")
        if kind not in KINDS or not sign or not number.isdigit() or not int(number):
            raise LimitError(f"--at-most takes KIND=NUMBER with a kind of {', '.join(KINDS)}, not {text!r}")
        limits[kind] = int(number)
    return limits


def list_kinds(author: str, settings: Mapping[str, Any], family: str = "") -> list[str]:
    """The kinds of a stage, by its author, its domain's settings and its family.

    >>> list_kinds("openai", {"editor": "stabilityai/sdxl-turbo"}, "caption.edit"), list_kinds("procedural", {})
    (['gpu', 'openai'], [])
    """
    paints = family == "caption.edit" and settings.get("editor") is not None
    return [*([GPU] if paints else []), *([author] if author in PROVIDERS else [])]


@contextmanager
def limited_by(kinds: Sequence[str]) -> Iterator[None]:
    """Hold one slot of each kind's limit, all at once, for the block; wait until they are free."""
    known = [PREFIX + kind for kind in kinds if _exists(PREFIX + kind)]
    if not known:
        yield
        return
    from prefect.concurrency.sync import concurrency

    with concurrency(known, lease_duration=LEASE_S):
        yield


def _exists(name: str) -> bool:
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound

    with get_client(sync_client=True) as client:
        try:
            client.read_global_concurrency_limit_by_name(name)
        except ObjectNotFound:
            return False
    return True
