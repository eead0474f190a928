"""The tables of the response store and the values that go in and out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import sqlalchemy as sa

from counterfoil.tasks.llm.exchange import Completion, Request

METADATA = sa.MetaData()
ANSWERS = sa.Table(
    "llm_answers",
    METADATA,
    sa.Column("request_sha256", sa.String(64), primary_key=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("provider", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("family", sa.Text, nullable=False),
    sa.Column("prompt_id", sa.Text, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("finish", sa.Text, nullable=False),
    sa.Column("details", sa.Text, nullable=False),
    sa.Column("answered_by", sa.Text, nullable=False),
    sa.Column("input_tokens", sa.BigInteger),
    sa.Column("output_tokens", sa.BigInteger),
    sa.Column("cached_tokens", sa.BigInteger),
    sa.Column("cache_write_tokens", sa.BigInteger),
    sa.Column("reasoning_tokens", sa.BigInteger),
    sa.Column("cost_usd", sa.Double),
    sa.Column("batch", sa.Boolean, nullable=False),
    sa.Column("seconds", sa.Double),
    sa.Column("answered_at", sa.Double, nullable=False),
    sa.Column("asked_by", sa.String(64)),
    sa.Index("llm_answers_by_asker", "scope", "family", "prompt_id"),
    sa.Index("llm_answers_by_prompt", "prompt_id", "model"),
)
CLAIMS = sa.Table(
    "llm_claims",
    METADATA,
    sa.Column("request_sha256", sa.String(64), primary_key=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("until", sa.Double, nullable=False),
    sa.Column("reserved_usd", sa.Double, nullable=False),
    sa.Column("job", sa.Text, index=True),
    # What `Asked` holds, for a request that is part of a batch: another process may fetch its answer.
    sa.Column("provider", sa.Text),
    sa.Column("model", sa.Text),
    sa.Column("text", sa.Text),
    sa.Column("family", sa.Text),
    sa.Column("prompt_id", sa.Text),
    sa.Column("asked_by", sa.String(64)),
)
LEDGER = sa.Table(
    "llm_ledger",
    METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("requests", sa.BigInteger, nullable=False),
    sa.Column("spent_usd", sa.Double, nullable=False),
)
ATTEMPTS = sa.Table(
    "llm_attempts",
    METADATA,
    sa.Column("attempt", sa.Text, primary_key=True),
    sa.Column("request_sha256", sa.String(64), nullable=False, index=True),
    sa.Column("scope", sa.Text, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("job", sa.Text, index=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("reserved_usd", sa.Double, nullable=False),
    sa.Column("billed_usd", sa.Double),
    sa.Column("sent_at", sa.Double, nullable=False),
    sa.Index("llm_attempts_by_state", "scope", "state"),
)
"""What was sent, one row an attempt (`counterfoil.tasks.llm.store.attempts`)."""
EDITIONS = sa.Table(
    "llm_editions",
    METADATA,
    sa.Column("edition", sa.String(64), primary_key=True),
    sa.Column("prompt_id", sa.Text, primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("asked_by", sa.String(64), nullable=False),
)
MADE = sa.Table(
    "llm_made",
    METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("family", sa.Text, primary_key=True),
    sa.Column("edition", sa.String(64), primary_key=True),
    sa.Column("row", sa.Text, primary_key=True),
    sa.Column("accepted", sa.BigInteger, nullable=False),
    sa.Column("rejected", sa.BigInteger, nullable=False),
)
"""What came of each row by one edition of a family's prompts (`counterfoil.tasks.llm.yields`)."""
REASONS = sa.Table(
    "llm_reasons",
    METADATA,
    sa.Column("scope", sa.Text, primary_key=True),
    sa.Column("family", sa.Text, primary_key=True),
    sa.Column("edition", sa.String(64), primary_key=True),
    sa.Column("row", sa.Text, primary_key=True),
    sa.Column("reason", sa.Text, primary_key=True),
)
"""Why answers about a row were rejected: the codes of the reasons, each once."""
JOBS = sa.Table(
    "llm_batch_jobs",
    METADATA,
    sa.Column("job", sa.Text, primary_key=True),
    sa.Column("provider", sa.Text, nullable=False),
    sa.Column("base_url", sa.Text, nullable=False),
    sa.Column("batch_id", sa.Text),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("requests", sa.BigInteger, nullable=False),
    sa.Column("made_at", sa.Double, nullable=False),
    sa.Column("ended", sa.Boolean, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the store keeps it: its canonical text, and on whose behalf it was made."""

    sha256: str
    provider: str
    model: str
    text: str
    family: str
    prompt_id: str
    asked_by: str = ""
    """What decides the answers of one prompt beside its variables (`counterfoil.tasks.llm.yields.identify_asker`)."""

    @classmethod
    def describe(cls, request: Request, family: str, prompt_id: str, asked_by: str = "") -> Asked:
        """The storable part of ``request``."""
        return cls(request.sha256, request.provider, request.model, request.text, family, prompt_id, asked_by)


@dataclass(frozen=True, slots=True)
class Stored:
    """An answer as it is kept. ``cost_usd`` is None where price or usage is unknown."""

    request_sha256: str
    completion: Completion
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one scope; None: no limit."""

    usd: float | None = None
    requests: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """What the store says to who is about to ask.

    ``answered``: here it is. ``mine``: ask, you hold the claim. ``theirs``: another process is asking. ``in_batch``:
    it is part of the open batch job ``job``. ``full``: the budget is taken up by requests under way. ``spent``: the
    budget is spent.
    """

    state: Literal["answered", "mine", "theirs", "in_batch", "full", "spent"]
    stored: Stored | None = None
    job: str | None = None


@dataclass(frozen=True, slots=True)
class Spending:
    """What one family spent on one prompt. ``unknown`` counts answers without a known cost."""

    family: str
    prompt_id: str
    provider: str
    model: str
    requests: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    cost_usd: float
    unknown: int
    batch: int


@dataclass(frozen=True, slots=True)
class PastAnswers:
    """Means over the stored answers of one prompt, for plans."""

    requests: int
    input_tokens: float
    output_tokens: float
    seconds: float | None
    cached_tokens: float = 0.0
    cache_write_tokens: float = 0.0
    reasoning_tokens: float | None = None
    """Of the output; None where no provider said."""


@dataclass(frozen=True, slots=True)
class BatchJob:
    """One batch as handed in. ``batch_id`` is None until the provider has confirmed it."""

    job: str
    batch_id: str | None
    owner: str
    requests: int
    made_at: float
    ended: bool
