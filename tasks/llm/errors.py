"""What can go wrong between an author and its provider.

`AnswerRejected` is about one row: its maker turns it into a reject. Everything else is about the run (``fatal``): it
stops, nothing half-made is kept, and the next run goes on from the stored answers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterfoil.storage.rows import Provenance


NOT_ASKED = "llm_request"
"""The code of a reject whose request the provider never answered. It is not final: the next run asks again."""


class AuthorError(Exception):
    """The author cannot go on. The message is one line: what, where, and what to do."""

    fatal = True


class AuthorUnavailable(AuthorError):  # noqa: N818 - named for what is the case
    """No key, an unknown model, an address that nobody answers at, or a server that keeps failing."""


class BudgetExceeded(AuthorError):  # noqa: N818
    """The next request could take spending over ``budget_usd`` or ``budget_requests``.

    Everything answered so far is stored; a higher budget and the same command go on from there.
    """


class AnswerRejected(AuthorError):  # noqa: N818
    """The author's answer to one request cannot be used; ``raw`` is what it said.

    ``code`` is one of ``llm_schema``, ``llm_code``, ``llm_empty``, ``llm_length``, ``llm_refusal``, ``llm_unreadable``,
    ``llm_request``.
    """

    fatal = False

    def __init__(self, code: str, details: str, raw: str, provenance: Provenance) -> None:
        super().__init__(f"{code}: {details}")
        self.code = code
        self.details = details
        self.raw = raw
        self.provenance = provenance
        """Who answered, after how many attempts and at what cost."""

    @property
    def reason(self) -> str:
        """As it stands in a reject's ``reasons``."""
        return f"{self.code}: {self.details}"


@dataclass
class SendError(Exception):
    """A provider's failure to answer one request, classified. Never leaves `counterfoil.tasks.llm`.

    ``kind``: ``busy`` (429, 503, 529) and ``transient`` (408, 409, other 5xx, broken connections, timeouts) are
    retried, as is ``unreachable`` (nobody listens at the address); ``refused`` is about this request (400, 413, 422);
    ``unavailable`` is about every request (key, model, credit).
    """

    kind: str
    message: str
    retry_after_s: float | None = None
    status: int | None = field(default=None)
    unread: bool = False
    """The request arrived, or may have, and the provider may charge for it though its answer was not read."""
    alone: bool = False
    """Others that went with it were answered: what is wrong is wrong with this request."""

    def __str__(self) -> str:
        return self.message
