"""The ledger of attempts: what was sent, what it may cost, and what it did cost.

Each attempt at a request has one row, written before it is sent and never taken away. What it may cost at most counts
as spent from then on; once the provider's own count is read, that stands in its place. So an attempt that was sent and
not read (a timeout, an answer cut short, a process that died) keeps its reservation, in every later run too, and what
the provider charges never exceeds what is counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from counterfoil.tasks.llm.store.tables import ANSWERS, ATTEMPTS, CLAIMS, LEDGER, Asked

End = Literal["read", "unread", "refused", "free"]
"""How an attempt ended: its answer was read; it may be charged and was not read; the provider refused this request;
nothing is charged, and nothing was learnt of the request."""

_INSERT = sa.insert(ATTEMPTS)
_UNRESERVE = sa.update(CLAIMS).where(CLAIMS.c.request_sha256 == sa.bindparam("sha")).values(reserved_usd=0.0)
_END = (
    sa.update(ATTEMPTS)
    .where(ATTEMPTS.c.attempt == sa.bindparam("name"), ATTEMPTS.c.state.in_(("sent", "unread")))
    .values(state=sa.bindparam("end"), billed_usd=sa.bindparam("usd"))
    .returning(ATTEMPTS.c.scope, ATTEMPTS.c.reserved_usd)
)
_REFUSED = sa.select(sa.literal(1)).where(
    ATTEMPTS.c.request_sha256 == sa.bindparam("sha"),
    ATTEMPTS.c.owner != sa.bindparam("owner"),
    ATTEMPTS.c.state == "refused",
)
_ANSWERED = sa.select(sa.literal(1)).where(
    ANSWERS.c.prompt_id == sa.bindparam("prompt_id"),
    ANSWERS.c.model == sa.bindparam("model"),
    ANSWERS.c.asked_by == sa.bindparam("asked_by"),
)


def charge(connection: sa.Connection, scope: str, usd: float, requests: int = 0) -> None:
    """Add to what a scope has spent."""
    row = {"scope": scope, "requests": requests, "spent_usd": usd}
    connection.execute(_write_charge(connection.dialect.name), row)


@cache
def _write_charge(dialect: str) -> Any:
    insert: Any = (sqlite.insert if dialect == "sqlite" else postgresql.insert)(LEDGER)
    sums = {
        "requests": LEDGER.c.requests + insert.excluded.requests,
        "spent_usd": LEDGER.c.spent_usd + insert.excluded.spent_usd,
    }
    return insert.on_conflict_do_update(index_elements=["scope"], set_=sums)


def open_attempts(
    connection: sa.Connection, items: Sequence[tuple[str, Asked, float]], scope: str, owner: str, job: str | None = None
) -> None:
    """Note what is about to be sent, by name, request and the USD that it may cost: they count as spent from now on,
    in place of what the requests' claims have reserved."""
    now = time.time()
    rows = [
        {
            "attempt": name,
            "request_sha256": asked.sha256,
            "scope": scope,
            "owner": owner,
            "job": job,
            "state": "sent",
            "reserved_usd": reserved_usd,
            "billed_usd": None,
            "sent_at": now,
        }
        for name, asked, reserved_usd in items
    ]
    connection.execute(_INSERT, rows)
    connection.execute(_UNRESERVE, [{"sha": asked.sha256} for _, asked, _ in items])
    charge(connection, scope, sum(usd for _, _, usd in items))


def end_attempt(connection: sa.Connection, name: str, end: End, billed_usd: float | None = None) -> bool:
    """Note how an attempt ended, and what was charged (None: unknown); False if there is no open one so named."""
    usd = 0.0 if end in ("refused", "free") else billed_usd
    row = connection.execute(_END, {"name": name, "end": end, "usd": usd}).first()
    if row is not None and usd is not None:
        charge(connection, row.scope, usd - row.reserved_usd)
    return row is not None


def end_job_attempts(connection: sa.Connection, job: str, end: End) -> None:
    """Note how those attempts of a batch ended whose end is not known yet."""
    query = sa.select(ATTEMPTS.c.attempt).where(ATTEMPTS.c.job == job, ATTEMPTS.c.state.in_(("sent", "unread")))
    for name in list(connection.execute(query).scalars()):
        end_attempt(connection, name, end)


def name_line(job: str, sha256: str) -> str:
    """The name of the attempt at a request in a batch."""
    return f"{job}/{sha256}"


def sum_under_way(connection: sa.Connection, scope: str) -> float:
    """USD that attempts of those who still wait for them may cost: it comes back where less is charged."""
    same = sa.or_(ATTEMPTS.c.owner == CLAIMS.c.owner, ATTEMPTS.c.job == CLAIMS.c.job)
    query = (
        sa.select(sa.func.coalesce(sa.func.sum(ATTEMPTS.c.reserved_usd), 0.0))
        .join(CLAIMS, sa.and_(CLAIMS.c.request_sha256 == ATTEMPTS.c.request_sha256, same))
        .where(ATTEMPTS.c.scope == scope, ATTEMPTS.c.state == "sent")
    )
    return float(connection.execute(query).scalar_one())


def sum_unread(connection: sa.Connection, scope: str) -> tuple[int, float]:
    """How many attempts of a scope were sent and not read, and what they may have cost."""
    query = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(ATTEMPTS.c.reserved_usd), 0.0))
    lost = sa.and_(ATTEMPTS.c.state.in_(("sent", "unread")), ATTEMPTS.c.reserved_usd > 0)
    row = connection.execute(query.where(ATTEMPTS.c.scope == scope, lost)).one()
    return int(row[0]), float(row[1])


def was_refused(connection: sa.Connection, sha256: str, owner: str) -> bool:
    """Whether the provider has refused this request before, to an earlier run."""
    return connection.execute(_REFUSED.limit(1), {"sha": sha256, "owner": owner}).first() is not None


def list_refused(connection: sa.Connection, sha256s: Iterable[str], owner: str) -> set[str]:
    """Which of these requests the provider has refused before, to an earlier run."""
    return {each for each in sha256s if was_refused(connection, each, owner)}


def has_answers(connection: sa.Connection, asked: Asked) -> bool:
    """Whether the same prompt with the same settings of the model has ever been answered."""
    values = {"prompt_id": asked.prompt_id, "model": asked.model, "asked_by": asked.asked_by}
    return connection.execute(_ANSWERED.limit(1), values).first() is not None
