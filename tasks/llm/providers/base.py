"""The one small protocol behind which all providers stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from counterfoil.tasks.llm.errors import SendError
from counterfoil.tasks.llm.exchange import Completion, Request

WIDEST_SKEW_S = 48 * 3600.0
"""By how much a provider's clock may differ from ours when a batch is looked for among those of its list."""


class Provider(Protocol):
    """Answers requests over one API. Retries, limits, storing and validation are the author's business."""

    async def send(self, request: Request) -> Completion:
        """Ask once.

        Raises:
            SendError: no answer came, with the kind of failure.
        """
        ...

    async def close(self) -> None:
        """Close connections and engines."""
        ...


@dataclass(frozen=True)
class BatchItem:
    """The outcome of one request of a batch: a completion, or why there is none."""

    sha256: str
    completion: Completion | None = None
    error: SendError | None = None


@dataclass(frozen=True)
class BatchState:
    """Where a batch stands. ``items`` is filled once it has ended, also for a partly finished or expired one."""

    ended: bool
    items: tuple[BatchItem, ...] = ()
    failure: SendError | None = None
    """Why the provider refused the batch as a whole; of kind ``busy`` where its queue was full."""
    missing: str = ""
    """What of its results could not be had, though by the provider's own count it is there and is charged for."""


@dataclass(frozen=True)
class HandedIn:
    """A batch whose confirmation was lost: our name for it, its size, when it was made, and the ids known by now."""

    job: str
    requests: int
    made_at: float
    known: frozenset[str]


@dataclass(frozen=True)
class Candidates:
    """Batches of the provider that may be a lost one. ``certain``: the one there is bears our name."""

    ids: tuple[str, ...] = ()
    certain: bool = False


class BatchProvider(Provider, Protocol):
    """A provider that also takes batches. Results are matched by custom id, which is the request's SHA-256."""

    async def submit_batch(self, job: str, requests: Sequence[Request]) -> str:
        """Hand in ``requests`` under our own job name and return the provider's id."""
        ...

    async def poll_batch(self, batch_id: str) -> BatchState:
        """Ask where a batch stands and, when it has ended, fetch what it holds."""
        ...

    async def find_batches(self, lost: HandedIn) -> Candidates:
        """The batches that a lost one may be, if it arrived before our process died or the connection broke."""
        ...
