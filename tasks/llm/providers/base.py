"""The one small protocol behind which all providers stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tasks.llm.errors import SendError
from tasks.llm.exchange import Completion, Request


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
    failure: str = ""
    """Why the provider refused the batch as a whole."""


@dataclass(frozen=True)
class HandedIn:
    """A batch whose confirmation was lost: our name for it, its size, when it was made, and the ids known by now."""

    job: str
    requests: int
    made_at: float
    known: frozenset[str]


class BatchProvider(Provider, Protocol):
    """A provider that also takes batches. Results are matched by custom id, which is the request's SHA-256."""

    async def submit_batch(self, job: str, requests: Sequence[Request]) -> str:
        """Hand in ``requests`` under our own job name and return the provider's id."""
        ...

    async def poll_batch(self, batch_id: str) -> BatchState:
        """Ask where a batch stands and, when it has ended, fetch what it holds."""
        ...

    async def find_batch(self, lost: HandedIn) -> str | None:
        """The id of a batch, if it arrived before our process died or the connection broke."""
        ...
