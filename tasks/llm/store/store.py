"""The response store: every answer under the hash of its full request, in SQLite or Postgres.

An answer is committed before it is used, so nothing that was answered is asked twice: not after ``kill -9``, not by a
re-run, not by another family or process that asks the same. Who is about to ask holds a *claim*; a claim whose process
is gone is taken over. Claims carry what they may cost until it is sent, and the ledger of attempts
(`counterfoil.tasks.llm.store.attempts`) from then on, so that budgets hold over all processes and runs together.

Every method takes a connection inside a transaction; `StoreQueue` (``counterfoil.tasks.llm.store.queue``) groups them.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from counterfoil.storage.owners import is_alive
from counterfoil.tasks.llm.errors import AuthorUnavailable
from counterfoil.tasks.llm.exchange import Completion, Usage
from counterfoil.tasks.llm.store.attempts import (
    End,
    charge,
    end_attempt,
    end_job_attempts,
    name_line,
    open_attempts,
    sum_under_way,
)
from counterfoil.tasks.llm.store.tables import (
    ANSWERS,
    CLAIMS,
    JOBS,
    LEDGER,
    METADATA,
    Asked,
    BatchJob,
    Budget,
    Entry,
    PastAnswers,
    Spending,
    Stored,
)

CLAIM_S = 30.0
"""A claim that was not renewed for this long is free."""
CHUNK = 500
"""Keys in one query, under the limits of both databases."""

LISTED = 500
"""Hashes that one statement names at most."""
_FIND = sa.select(ANSWERS).where(ANSWERS.c.request_sha256 == sa.bindparam("sha"))
_UNCLAIM = sa.delete(CLAIMS).where(CLAIMS.c.request_sha256 == sa.bindparam("sha"))


class ResponseStore:
    """Answers, claims, the ledger and batch jobs in one database."""

    def __init__(self, location: str | Path, patience_s: float = 60.0) -> None:
        """Open a file (SQLite) or an SQLAlchemy URL, making the tables if they are not there.

        ``patience_s`` is how long to wait for another process that writes (SQLite) or for a connection (Postgres).

        Raises:
            AuthorUnavailable: it cannot be opened.
        """
        text = str(location)
        url = sa.make_url(text) if "://" in text else sa.URL.create("sqlite", database=text)
        self.place = url.render_as_string(hide_password=True)
        try:
            if url.get_backend_name() == "sqlite":
                if url.database and url.database != ":memory:":
                    Path(url.database).parent.mkdir(parents=True, exist_ok=True)
                self._engine = _open_sqlite(url, patience_s)
            else:
                waits = {"connect_timeout": max(2, round(patience_s))} if url.get_backend_name() == "postgresql" else {}
                self._engine = sa.create_engine(
                    url, pool_size=2, max_overflow=4, pool_pre_ping=True, connect_args=waits
                )
            self._prepare_statements()
            with self.begin() as connection:
                if not self._is_sqlite:
                    connection.execute(sa.text("SELECT pg_advisory_xact_lock(4207849)"))
                METADATA.create_all(connection)
                _add_columns(connection)
        except (sa.exc.SQLAlchemyError, ImportError, OSError) as error:
            raise self._explain(error) from None

    @property
    def _is_sqlite(self) -> bool:
        return self._engine.dialect.name == "sqlite"

    def _explain(self, error: Exception) -> AuthorUnavailable:
        said = (str(getattr(error, "orig", None) or error).splitlines() or [""])[0]
        return AuthorUnavailable(f"response store {self.place}: {said}")

    def check_writable(self) -> None:
        """Write a claim and take it back.

        Raises:
            AuthorUnavailable: it cannot be written: it is locked, read-only, or the disk is full.
        """
        sha = "check"
        row = {"request_sha256": sha, "scope": "", "owner": "", "until": 0.0, "reserved_usd": 0.0, "job": None}
        try:
            for statement, values in ((self._claim, row), (_UNCLAIM, {"sha": sha})):
                with self.begin() as connection:
                    connection.execute(statement, values)
        except sa.exc.SQLAlchemyError as error:
            raise self._explain(error) from None

    def begin(self) -> Any:
        """A connection in a transaction: committed at the end of the ``with`` block, rolled back on an exception."""
        return self._engine.begin()

    def flush(self) -> None:
        """Bring what is committed onto the disk, for a power cut. Postgres does so by itself."""
        log = Path(f"{self._engine.url.database}-wal")
        if self._is_sqlite and log.is_file():
            descriptor = os.open(log, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def close(self) -> None:
        """Close all connections."""
        self.flush()
        self._engine.dispose()

    def find(self, connection: sa.Connection, sha256: str) -> Stored | None:
        """The answer to a request, if there is one."""
        row = connection.execute(_FIND, {"sha": sha256}).mappings().first()
        return None if row is None else _to_stored(row)

    def enter(
        self, connection: sa.Connection, sha256: str, owner: str, scope: str, reserve_usd: float, budget: Budget
    ) -> Entry:
        """Find the answer to a request, or claim it within the budget."""
        stored = self.find(connection, sha256)
        if stored is not None:
            return Entry("answered", stored)
        if budget.usd is not None or budget.requests is not None:
            held = self._read_claim(connection, sha256, owner)
            if held is not None:
                return held
            room = self._measure_room(connection, sha256, scope, reserve_usd, budget)
            if room != "room":
                return Entry(room)
        row = {
            "request_sha256": sha256,
            "scope": scope,
            "owner": owner,
            "until": time.time() + CLAIM_S,
            "reserved_usd": reserve_usd,
            "job": None,
        }
        while connection.execute(self._claim, row).first() is None:
            held = self._read_claim(connection, sha256, owner)
            if held is not None:
                return held
        # Where transactions overlap (Postgres), another's answer may have come between the first look and the claim.
        stored = None if self._is_sqlite else self.find(connection, sha256)
        if stored is not None:
            connection.execute(sa.delete(CLAIMS).where(CLAIMS.c.request_sha256 == sha256, CLAIMS.c.owner == owner))
            return Entry("answered", stored)
        return Entry("mine")

    def _read_claim(self, connection: sa.Connection, sha256: str, owner: str) -> Entry | None:
        """What a claim on this request means for ``owner``; a dead process's claim is dropped and means nothing."""
        claim = connection.execute(sa.select(CLAIMS).where(CLAIMS.c.request_sha256 == sha256)).first()
        if claim is None:
            return None
        if claim.job is not None:
            return Entry("in_batch", job=claim.job)
        if claim.owner == owner:
            return Entry("mine")
        if claim.until > time.time() and is_alive(claim.owner):
            return Entry("theirs")
        connection.execute(sa.delete(CLAIMS).where(CLAIMS.c.request_sha256 == sha256, CLAIMS.c.owner == claim.owner))
        return None

    def _measure_room(
        self, connection: sa.Connection, sha256: str, scope: str, reserve_usd: float, budget: Budget
    ) -> Literal["room", "full", "spent"]:
        # On Postgres the ledger's row is the lock under which claims of one scope are counted.
        empty = {"scope": scope, "requests": 0, "spent_usd": 0.0}
        connection.execute(self._insert(LEDGER).values(empty).on_conflict_do_nothing())
        ledger = connection.execute(sa.select(LEDGER).where(LEDGER.c.scope == scope).with_for_update()).one()
        self._drop_dead_claims(connection, scope)
        waiting = connection.execute(
            sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(CLAIMS.c.reserved_usd), 0.0)).where(
                CLAIMS.c.scope == scope, CLAIMS.c.request_sha256 != sha256
            )
        ).one()
        # A hair of tolerance, so that a budget of exactly n requests' price lets n requests pass.
        limit_usd = float("inf") if budget.usd is None else budget.usd * (1 + 1e-9)
        limit_requests = float("inf") if budget.requests is None else budget.requests
        under_way_usd = 0.0 if budget.usd is None else sum_under_way(connection, scope)
        if ledger.spent_usd - under_way_usd + reserve_usd > limit_usd or ledger.requests + 1 > limit_requests:
            return "spent"
        if ledger.spent_usd + waiting[1] + reserve_usd > limit_usd or ledger.requests + waiting[0] + 1 > limit_requests:
            return "full"
        return "room"

    def reserve(
        self, connection: sa.Connection, sha256: str, scope: str, reserve_usd: float, budget: Budget
    ) -> Literal["room", "full", "spent"]:
        """Reserve for a further attempt at a request that is claimed: its earlier ones keep what they may cost."""
        if (
            budget.usd is not None
            and (room := self._measure_room(connection, sha256, scope, reserve_usd, budget)) != "room"
        ):
            return room
        connection.execute(sa.update(CLAIMS).where(CLAIMS.c.request_sha256 == sha256).values(reserved_usd=reserve_usd))
        return "room"

    def _drop_dead_claims(self, connection: sa.Connection, scope: str) -> None:
        owners = connection.execute(
            sa.select(CLAIMS.c.owner, sa.func.max(CLAIMS.c.until))
            .where(CLAIMS.c.scope == scope, CLAIMS.c.job.is_(None))
            .group_by(CLAIMS.c.owner)
        ).all()
        for owner, until in owners:
            if until < time.time() or not is_alive(owner):
                connection.execute(sa.delete(CLAIMS).where(CLAIMS.c.owner == owner, CLAIMS.c.job.is_(None)))

    def put(
        self,
        connection: sa.Connection,
        asked: Asked,
        completion: Completion,
        *,
        scope: str,
        cost_usd: float | None,
        charge_usd: float,
        batch: bool,
        seconds: float | None,
        attempt: str = "",
    ) -> Stored:
        """Keep an answer, drop its claim and end the ``attempt`` that it answers with its cost. The first answer to a
        request stays. Without an attempt ``charge_usd`` goes to the ledger (the cost, or the reservation where the cost
        is unknown)."""
        usage = completion.usage
        row = {
            "request_sha256": asked.sha256,
            "scope": scope,
            "provider": asked.provider,
            "model": asked.model,
            "family": asked.family,
            "prompt_id": asked.prompt_id,
            "request": _storable(asked.text),
            "text": _storable(completion.text),
            "finish": completion.finish,
            "details": _storable(completion.details),
            "answered_by": completion.model,
            "input_tokens": usage.input_tokens if usage else None,
            "output_tokens": usage.output_tokens if usage else None,
            "cached_tokens": usage.cached_tokens if usage else None,
            "cache_write_tokens": usage.cache_write_tokens if usage else None,
            "reasoning_tokens": usage.reasoning_tokens if usage else None,
            "cost_usd": cost_usd,
            "batch": batch,
            "seconds": seconds,
            "answered_at": time.time(),
            "asked_by": asked.asked_by,
        }
        inserted = connection.execute(self._keep, row).first() is not None
        connection.execute(_UNCLAIM, {"sha": asked.sha256})
        known = end_attempt(connection, attempt, "read", cost_usd)
        # A batch that was handed in before there was a ledger of attempts has none.
        owed = charge_usd if inserted and not known else 0.0
        if inserted:
            charge(connection, scope, owed, requests=1)
        if inserted:
            return _to_stored(row)
        stored = self.find(connection, asked.sha256)
        assert stored is not None
        return stored

    def release(self, connection: sa.Connection, sha256: str, owner: str) -> None:
        """Drop the claim of a request that will not be asked now."""
        connection.execute(
            sa.delete(CLAIMS).where(CLAIMS.c.request_sha256 == sha256, CLAIMS.c.owner == owner, CLAIMS.c.job.is_(None))
        )

    def release_all(self, connection: sa.Connection, owner: str) -> None:
        """Drop all claims of an owner that closes."""
        connection.execute(sa.delete(CLAIMS).where(CLAIMS.c.owner == owner, CLAIMS.c.job.is_(None)))

    def renew(self, connection: sa.Connection, owner: str) -> None:
        """Keep the claims of a living owner, those of its batches too: by them others tell whether it lives."""
        connection.execute(sa.update(CLAIMS).where(CLAIMS.c.owner == owner).values(until=time.time() + CLAIM_S))

    def open_job(
        self, connection: sa.Connection, job: str, owner: str, scope: str, base_url: str, items: Sequence[Asked]
    ) -> None:
        """Note a batch before it is handed in; its requests now belong to it, whatever becomes of this process."""
        row: dict[str, Any] = {
            "job": job,
            "provider": items[0].provider,
            "base_url": base_url,
            "batch_id": None,
            "owner": owner,
        }
        row |= {"requests": len(items), "made_at": time.time(), "ended": False}
        connection.execute(sa.insert(JOBS).values(row))
        fields = ("provider", "model", "text", "family", "prompt_id", "asked_by")
        update = sa.update(CLAIMS).where(CLAIMS.c.request_sha256 == sa.bindparam("sha"))
        connection.execute(
            update.values(job=job, **{name: sa.bindparam(f"new_{name}") for name in fields}),
            [{"sha": each.sha256} | {f"new_{name}": getattr(each, name) for name in fields} for each in items],
        )
        reserved = {
            row.request_sha256: row.reserved_usd
            for row in connection.execute(sa.select(CLAIMS).where(CLAIMS.c.job == job))
        }
        lines = [(name_line(job, each.sha256), each, reserved.get(each.sha256, 0.0)) for each in items]
        open_attempts(connection, lines, scope, owner, job)

    def list_claimed(self, connection: sa.Connection, sha256s: Sequence[str]) -> dict[str, tuple[Asked, str, float]]:
        """Which of these requests belong to an open batch, this one or another, each with that batch and what its
        claim still reserves."""
        found: dict[str, tuple[Asked, str, float]] = {}
        for start in range(0, len(sha256s), CHUNK):
            chunk = sha256s[start : start + CHUNK]
            query = sa.select(CLAIMS).where(CLAIMS.c.request_sha256.in_(chunk), CLAIMS.c.job.is_not(None))
            for row in connection.execute(query):
                asker = (row.family, row.prompt_id, row.asked_by or "")
                asked = Asked(row.request_sha256, row.provider, row.model, row.text, *asker)
                found[asked.sha256] = (asked, row.job, row.reserved_usd)
        return found

    def count_unanswered(self, connection: sa.Connection, job: str) -> int:
        """How many requests of a batch have no answer yet."""
        query = sa.select(sa.func.count()).select_from(CLAIMS).where(CLAIMS.c.job == job)
        return int(connection.execute(query).scalar_one())

    def list_open_jobs(self, connection: sa.Connection, provider: str, base_url: str) -> list[str]:
        """The batches of one address that have not ended."""
        query = sa.select(JOBS.c.job).where(
            JOBS.c.provider == provider, JOBS.c.base_url == base_url, JOBS.c.ended.is_(False)
        )
        return list(connection.execute(query.order_by(JOBS.c.made_at)).scalars())

    def confirm_job(self, connection: sa.Connection, job: str, batch_id: str) -> None:
        """Note the provider's id of a batch."""
        connection.execute(sa.update(JOBS).where(JOBS.c.job == job).values(batch_id=batch_id))

    def take_job(self, connection: sa.Connection, job: str, owner: str) -> BatchJob | None:
        """An open job; a job whose owner died before the provider confirmed it becomes the caller's."""
        row = connection.execute(sa.select(JOBS).where(JOBS.c.job == job).with_for_update()).first()
        if row is None or row.ended:
            return None
        holder = row.owner
        if row.batch_id is None and holder != owner and not self._holds(connection, job, holder):
            connection.execute(sa.update(JOBS).where(JOBS.c.job == job).values(owner=owner))
            lease = {"owner": owner, "until": time.time() + CLAIM_S}
            connection.execute(sa.update(CLAIMS).where(CLAIMS.c.job == job).values(**lease))
            holder = owner
        return BatchJob(row.job, row.batch_id, holder, row.requests, row.made_at, row.ended)

    def _holds(self, connection: sa.Connection, job: str, owner: str) -> bool:
        """Whether the owner of a job may still live; on another host its claims, which it renews, tell."""
        until = connection.execute(sa.select(sa.func.max(CLAIMS.c.until)).where(CLAIMS.c.job == job)).scalar()
        return until is not None and until > time.time() and is_alive(owner)

    def list_batch_ids(self, connection: sa.Connection) -> frozenset[str]:
        """The provider's ids of all batches known here."""
        rows = connection.execute(sa.select(JOBS.c.batch_id).where(JOBS.c.batch_id.is_not(None))).scalars()
        return frozenset(str(each) for each in rows)

    def free_lines(self, connection: sa.Connection, job: str, ends: Mapping[str, End]) -> None:
        """Free requests of a batch that have no answer and are not charged."""
        for sha256, end in ends.items():
            end_attempt(connection, name_line(job, sha256), end)
            connection.execute(sa.delete(CLAIMS).where(CLAIMS.c.request_sha256 == sha256, CLAIMS.c.job == job))

    def end_job(self, connection: sa.Connection, job: str) -> None:
        """Note that a batch is over and free the requests that it did not answer: they are not charged."""
        end_job_attempts(connection, job, "free")
        connection.execute(sa.update(JOBS).where(JOBS.c.job == job).values(ended=True))
        connection.execute(sa.delete(CLAIMS).where(CLAIMS.c.job == job))

    def sum_spending(self, connection: sa.Connection, scope: str | None = None) -> list[Spending]:
        """What was spent, by family, prompt and model; of one scope or of the whole store."""
        c = ANSWERS.c
        query = (
            sa.select(
                c.family,
                c.prompt_id,
                c.provider,
                c.model,
                sa.func.count(),
                sa.func.coalesce(sa.func.sum(c.input_tokens), 0),
                sa.func.coalesce(sa.func.sum(c.output_tokens), 0),
                sa.func.coalesce(sa.func.sum(c.cached_tokens), 0),
                sa.func.coalesce(sa.func.sum(c.reasoning_tokens), 0),
                sa.func.coalesce(sa.func.sum(c.cost_usd), 0.0),
                sa.func.count() - sa.func.count(c.cost_usd),
                sa.func.sum(sa.case((c.batch, 1), else_=0)),
            )
            .group_by(c.family, c.prompt_id, c.provider, c.model)
            .order_by(c.family, c.prompt_id, c.provider, c.model)
        )
        if scope is not None:
            query = query.where(c.scope == scope)
        return [
            Spending(
                family=row[0],
                prompt_id=row[1],
                provider=row[2],
                model=row[3],
                requests=int(row[4]),
                input_tokens=int(row[5]),
                output_tokens=int(row[6]),
                cached_tokens=int(row[7]),
                reasoning_tokens=int(row[8]),
                cost_usd=round(float(row[9]), 9),
                unknown=int(row[10]),
                batch=int(row[11]),
            )
            for row in connection.execute(query)
        ]

    def average_past(self, connection: sa.Connection, prompt_id: str, model: str) -> PastAnswers | None:
        """Means over the stored answers to a prompt by a model; None if there are none."""
        c = ANSWERS.c
        means = (
            c.input_tokens,
            c.output_tokens,
            c.cached_tokens,
            c.cache_write_tokens,
            c.seconds,
            c.reasoning_tokens,
        )
        query = sa.select(sa.func.count(c.input_tokens), *map(sa.func.avg, means))
        row = connection.execute(query.where(c.prompt_id == prompt_id, c.model == model)).one()
        if not row[0]:
            return None
        known = [0.0 if mean is None else float(mean) for mean in row[1:5]]
        seconds, reasoning = (None if mean is None else float(mean) for mean in row[5:])
        return PastAnswers(
            requests=int(row[0]),
            input_tokens=known[0],
            output_tokens=known[1],
            cached_tokens=known[2],
            cache_write_tokens=known[3],
            seconds=seconds,
            reasoning_tokens=reasoning,
        )

    def count_asked(self, connection: sa.Connection, scope: str, asked_by: str) -> dict[str, int]:
        """Requests of one prompt by one model, as they would be made now, that a scope has answered, by family."""
        c = ANSWERS.c
        query = sa.select(c.family, sa.func.count()).where(c.scope == scope, c.asked_by == asked_by)
        return {family: int(count) for family, count in connection.execute(query.group_by(c.family))}

    def list_asked(self, connection: sa.Connection, sha256s: Sequence[str]) -> list[tuple[str, str, str, str]]:
        """Of stored requests: their hash, prompt, canonical text and answer, by hash."""
        c, found = ANSWERS.c, []
        for start in range(0, len(sha256s), LISTED):
            query = sa.select(c.request_sha256, c.prompt_id, c.request, c.text)
            chosen = query.where(c.request_sha256.in_(sha256s[start : start + LISTED]))
            found += [(row[0], row[1], row[2], row[3]) for row in connection.execute(chosen)]
        return sorted(found)

    def count_answers(self, connection: sa.Connection) -> int:
        """How many answers are stored."""
        return int(connection.execute(sa.select(sa.func.count()).select_from(ANSWERS)).scalar_one())

    def _prepare_statements(self) -> None:
        """Build what runs for every request once: building a statement costs more than running it."""
        # Whether a row was new is told by what RETURNING gives, not by rowcount, which psycopg leaves at -1.
        self._claim = self._insert(CLAIMS).on_conflict_do_nothing().returning(CLAIMS.c.request_sha256)
        self._keep = self._insert(ANSWERS).on_conflict_do_nothing().returning(ANSWERS.c.request_sha256)

    def _insert(self, table: sa.Table) -> Any:
        return (sqlite.insert if self._is_sqlite else postgresql.insert)(table)


def _open_sqlite(url: sa.URL, patience_s: float) -> sa.Engine:
    engine = sa.create_engine(url, connect_args={"timeout": patience_s, "check_same_thread": False})

    @sa.event.listens_for(engine, "connect")
    def _prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        _write_ahead(connection, patience_s)
        # A commit survives the death of the process; that of the machine too once `flush` has run, a second later.
        # Flushing at each commit would put two disk flushes into the path of every request.
        connection.execute("PRAGMA synchronous=NORMAL")

    @sa.event.listens_for(engine, "begin")
    def _begin(connection: sa.Connection) -> None:
        # A transaction that reads first and writes later would fail, not wait, when another process wrote in between.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _write_ahead(connection: sqlite3.Connection, patience_s: float) -> None:
    """Let processes read while one writes. SQLite does not wait by itself when two make this change of a new file."""
    until = time.monotonic() + patience_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(random.uniform(0.005, 0.05))


def _add_columns(connection: sa.Connection) -> None:
    """Give the tables of an older store the columns that have come since: all of them may be empty."""
    there = sa.inspect(connection)
    for table in METADATA.sorted_tables:
        known = {column["name"] for column in there.get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                kind = column.type.compile(connection.dialect)
                connection.execute(sa.text(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"))


def _to_stored(row: Mapping[Any, Any]) -> Stored:
    usage = None
    if row["input_tokens"] is not None:
        kinds = ("input", "output", "cached", "cache_write", "reasoning")
        usage = Usage(*(row[f"{kind}_tokens"] for kind in kinds))
    completion = Completion(row["text"], row["finish"], usage, row["answered_by"], row["details"])
    return Stored(row["request_sha256"], completion, row["cost_usd"])


def _storable(text: str) -> str:
    """Text that both databases take: no lone surrogates, no NUL (which Postgres refuses)."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
