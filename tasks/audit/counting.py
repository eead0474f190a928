"""Whether all rows are there: as many as the runs said that they made, and of each anchor as many as were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from counterfoil.storage.reading import Snapshot
from counterfoil.tasks.audit.derived import Origin
from counterfoil.tasks.audit.survey import Failure, Survey
from counterfoil.tasks.contract.domain import Domain
from counterfoil.tasks.engine.registry import load_domain


def find_miscounted(
    snapshot: Snapshot, found: Survey, runs: Mapping[str, Mapping[str, Any]], origins: Mapping[str, Origin]
) -> Iterator[Failure]:
    """Partitions that have other counts of rows than their runs told of, and anchors that have fewer contrasts than
    the recipe (of each domain in ``runs``) asks for, with nothing among the rejects to say why."""
    for name, recipe in runs.items():
        domain = load_domain(name)
        whole = "anchors" in found.readable and f"anchors/domain={name}" not in found.unread
        if whole:
            yield from _compare(snapshot, found, "anchors", "domain", name, origins[name])
        for family in domain.families if "contrasts" in found.readable else ():
            if f"contrasts/family={family}" in found.unread or family not in origins[name].counts:
                continue
            yield from _compare(snapshot, found, "contrasts", "family", family, origins[name])
            told = "rejects" in found.readable and f"rejects/family={family}" not in found.unread
            made = recipe[name]["families"] or [family]
            if whole and told and {family, family.partition(".")[2]} & {*made}:
                yield from _find_short(found, domain, family, recipe[name])


def _compare(
    snapshot: Snapshot, found: Survey, table: Any, column: str, name: str, origin: Origin
) -> Iterator[Failure]:
    """A row that stands twice is told by its id, and stands for none that is gone."""
    rows = sum(file.rows for file in snapshot.files(table, name)) - found.repeated[name]
    said = origin.counts.get(name, rows)
    if rows != said:
        yield Failure(table, f"{table}/{column}={name}", (f"counts: it has {rows} rows, and its run made {said}",))


def _find_short(found: Survey, domain: Domain[Any], name: str, section: Mapping[str, Any]) -> Iterator[Failure]:
    wanted = domain.families[name].count(domain.settings_type.model_validate(dict(section)))
    held, missing = found.held.get(name, {}), found.missing.get(name, {})
    if wanted is None:
        return
    for anchor_id in found.anchors.get(domain.name, ()):
        lacking = wanted - missing.get(anchor_id, 0) - held.get(anchor_id, 0)
        if lacking > 0:
            reason = f"counts: of {name} {lacking} of {wanted} contrasts are not there, nor among the rejects"
            yield Failure("contrasts", anchor_id, (reason,))
