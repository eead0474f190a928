"""Limits over all runs of a Prefect server: how many stages use a GPU at once, and how many ask one provider.

They are Prefect's global concurrency limits, under names of ours; `counterfoil deploy` and `serve` make them. A stage
takes its slots when it begins and holds them by a lease, so those of a dead host are free again a minute later. Where
a limit was never made, nothing is limited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from counterfoil.flows.process.api import RefusedError, ask

GPU = "gpu"
PREFIX = "counterfoil-"
LEASE_S = 60.0
PROVIDERS = ("openai", "anthropic", "vllm")
KINDS = (GPU, *PROVIDERS)
LEASE_STORAGE = "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE"
"""Where Prefect's server keeps the leases of slots; by itself, in its memory."""
ON_DISK = "prefect.server.concurrency.lease_storage.filesystem"


class LimitError(Exception):
    """A limit that is not one. The message says what is."""


def set_limits(limits: Mapping[str, int]) -> None:
    """Make or change limits: kind (``gpu`` or a provider) to the stages at once."""
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        for kind, most in limits.items():
            client.upsert_global_concurrency_limit_by_name(PREFIX + kind, most)


def warn_of_leases(say: Callable[[str], None]) -> None:
    """Say it where a restart of Prefect's server would end the runs under way: it forgets their leases."""
    from prefect.client.orchestration import get_client
    from prefect.exceptions import PrefectHTTPStatusError

    with get_client(sync_client=True) as client:
        try:
            told = client.request("GET", "/admin/settings").json()
        except PrefectHTTPStatusError:
            return  # Prefect Cloud, which keeps them itself
    if str(told["server"]["concurrency"]["lease_storage"]).endswith(".memory"):
        say(
            "warning: Prefect's server keeps leases in its memory, so its restart would end every scheduled run under "
            f"way; start it with {LEASE_STORAGE}={ON_DISK}"
        )


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
    try:
        ask("GET", f"/v2/concurrency_limits/{name}")
    except RefusedError as error:
        if error.code != 404:
            raise
        return False
    return True
