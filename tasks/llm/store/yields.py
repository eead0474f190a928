"""The tables of what an author's answers came to (`counterfoil.tasks.llm.yields`), written and read."""

from __future__ import annotations

from collections import Counter
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from counterfoil.tasks.llm.store.tables import ANSWERS, EDITIONS, MADE, REASONS
from counterfoil.tasks.llm.yields import Made, Yield


def note_made(connection: sa.Connection, scope: str, made: Made) -> None:
    """Keep what came of a row, in place of what came of it before."""
    name = made.edition.name
    prompts = [
        {"edition": name, "prompt_id": prompt_id, "version": version, "model": made.edition.model, "asked_by": asked_by}
        for prompt_id, version, asked_by in made.edition.prompts
    ]
    rows = [
        {"scope": scope, "family": family, "edition": name, "row": made.row, "accepted": accepted, "rejected": rejected}
        for family, (accepted, rejected) in made.counts.items()
    ]
    insert: Any = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    if rows and prompts:
        connection.execute(insert(EDITIONS).on_conflict_do_nothing(), prompts)
        write = insert(MADE)
        counts = {"accepted": write.excluded.accepted, "rejected": write.excluded.rejected}
        keys = ["scope", "family", "edition", "row"]
        connection.execute(write.on_conflict_do_update(index_elements=keys, set_=counts), rows)
        r = REASONS.c
        connection.execute(sa.delete(REASONS).where(r.scope == scope, r.edition == name, r.row == made.row))
    reasons = [
        {"scope": scope, "family": family, "edition": name, "row": made.row, "reason": reason}
        for family, codes in made.reasons.items()
        for reason in sorted(set(codes))
    ]
    if reasons:
        connection.execute(insert(REASONS), reasons)


def list_yields(connection: sa.Connection, scope: str) -> list[Yield]:
    """What came of a scope's rows, by family and edition."""
    m, e, a = MADE.c, EDITIONS.c, ANSWERS.c
    counts = sa.select(m.family, m.edition, sa.func.count(), sa.func.sum(m.accepted), sa.func.sum(m.rejected))
    prompts: dict[str, list[Any]] = {}
    for row in connection.execute(sa.select(EDITIONS).order_by(e.edition, e.prompt_id)):
        prompts.setdefault(row.edition, []).append(row)
    sums = [sa.func.coalesce(sa.func.sum(column), 0) for column in (a.input_tokens, a.output_tokens, a.cost_usd)]
    spent = sa.select(a.family, a.asked_by, sa.func.count(), *sums, sa.func.count() - sa.func.count(a.cost_usd))
    query = spent.where(a.scope == scope).group_by(a.family, a.asked_by)
    paid = {(row[0], row[1]): row[2:] for row in connection.execute(query)}
    r = REASONS.c
    given: dict[tuple[str, str], Counter[str]] = {}
    told = sa.select(r.family, r.edition, r.reason, sa.func.count()).where(r.scope == scope)
    for family, edition, reason, count in connection.execute(told.group_by(r.family, r.edition, r.reason)):
        given.setdefault((family, edition), Counter())[reason] = int(count)
    found = []
    for family, edition, rows, accepted, rejected in connection.execute(
        counts.where(m.scope == scope).group_by(m.family, m.edition).order_by(m.family, m.edition)
    ):
        asked = prompts.get(edition, [])
        parts = [paid.get((family, each.asked_by), (0, 0, 0, 0.0, 0)) for each in asked]
        requests, tokens_in, tokens_out, usd, unknown = (sum(column) for column in zip(*parts, strict=True))
        found.append(
            Yield(
                family=family,
                prompts=tuple(f"{each.prompt_id} {each.version}" for each in asked),
                model=asked[0].model if asked else "",
                rows=int(rows),
                accepted=int(accepted),
                rejected=int(rejected),
                requests=int(requests),
                input_tokens=int(tokens_in),
                output_tokens=int(tokens_out),
                cost_usd=round(float(usd), 9),
                unknown=int(unknown),
                edition=edition,
                reasons=tuple(sorted(given.get((family, edition), {}).items())),
            )
        )
    return found
