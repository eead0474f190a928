"""Nothing is lost in silence: what a run would take away of what is published is told before it is made, and again,
row by row, before it is replaced; without ``--replace`` the run ends there.

Before anything is made, what decides the rows (`tasks.engine.fingerprints`) and the source's rows are compared with
what the dataset was made of. A change that can only add, such as more negatives, goes on: the publish then counts the
ids that would go, and stops if there are any. So does a change that no comparison shows, as of a source row under its
old name. A source that has grown never stops a run, and neither do answers that were refused before and came now: where
families choose over the whole corpus, some of their rows give way to others, which is told.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.logs import find_lost
from counterfoil.storage.losing import Change
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import fingerprint
from counterfoil.storage.schemas import TableName
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.engine.fingerprints import describe_anchor_inputs, describe_family_inputs
from counterfoil.tasks.engine.inputs import SOURCES, Difference, Inputs, compare_inputs
from counterfoil.tasks.engine.registry import group_families, load_domain
from counterfoil.tasks.engine.session import Session
from counterfoil.tasks.engine.sources import SourceShard

LOST = 3
"""The exit code of a run that would take published rows away."""
ADVICE = (
    "to let them go, say --replace (in a recipe: [dataset] replace = true); to keep them, give this run a path of its "
    "own (--set dataset.path=...). Old versions stay readable until a vacuum"
)


Guard = Callable[[Sequence[Change]], None]


_SAYS_NOTHING = ("dataset.workers", "dataset.runner", "dataset.replace")


class LossError(Exception):
    """A run would take published rows away. The message says which, why, and what to do."""

    exit_code = LOST


def describe_inputs(session: Session) -> dict[str, dict[str, Any]]:
    """What decides the rows of each domain and family that this run has made, by its name."""
    recipe = session.recipe
    made: dict[str, dict[str, Any]] = {}
    for name, run in session.runs.items():
        given = (recipe.settings(name), recipe.author.identity(), recipe.dataset.seed)
        if run.sources:
            made[name] = describe_anchor_inputs(load_domain(name), *given) | {SOURCES: _digest(run.sources)}
        for group in group_families(load_domain(name), [*run.contrasts]):
            inputs = _describe_group(group, *given, recipe.audit.refine)
            made |= {family.name: inputs for family in group}
    plain: dict[str, dict[str, Any]] = json.loads(json.dumps(made))  # as a commit gives it back
    return plain


def _describe_group(
    group: Sequence[Family[Any]], settings: Inputs, author: Inputs, seed: int, refine: bool
) -> dict[str, Any]:
    negatives = any(family.role == "negative" for family in group)
    return describe_family_inputs(group, settings, author, seed) | {"refine": refine and negatives}


def forget_sources(made_of: Mapping[str, Inputs]) -> dict[str, Inputs]:
    """The inputs without what tells source rows apart, which is no news by itself."""
    return {name: {key: value for key, value in each.items() if key != SOURCES} for name, each in made_of.items()}


def foresee_losses(session: Session, limit: int | None) -> None:
    """Stop a run whose recipe or source says that published rows would go, before it makes any.

    Raises:
        LossError: they would.
        counterfoil.tasks.contract.domain.SourceError: a source cannot be read.
    """
    recipe = session.recipe
    dataset = Dataset(recipe.dataset.path)
    # A table that lost its newest commit cannot be read, and this run publishes it anew: the guard then sees what goes.
    if recipe.dataset.replace or not dataset.exists() or find_lost(dataset.store):
        return
    snapshot = dataset.snapshot()
    before = session.last.get("made_of", {})
    there = snapshot.partitions("anchors")
    lines = [
        line
        for name in recipe.domains
        if name in there
        for line in _foresee_domain(session, snapshot, name, before, limit)
    ]
    if lines:
        raise LossError(_word(recipe.dataset.path, "take away, and nothing was made", lines))


def _foresee_domain(
    session: Session, snapshot: Snapshot, name: str, before: Mapping[str, Inputs], limit: int | None
) -> Iterator[str]:
    recipe, domain = session.recipe, load_domain(name)
    families = [each for each in snapshot.partitions("contrasts") if each.partition(".")[0] == name]
    counts = {each: _count_rows(snapshot, "contrasts", each) for each in families}
    anchors = _count_rows(snapshot, "anchors", name)
    given = (recipe.settings(name), recipe.author.identity(), recipe.dataset.seed)
    changed = _list_sure(compare_inputs(name, before.get(name, {}), describe_anchor_inputs(domain, *given)))
    if changed:
        yield _line("anchors", name, anchors, anchors, changed)
        yield from (
            _line("contrasts", each, rows, rows, "their anchors are made anew") for each, rows in counts.items()
        )
        return
    gone = _find_gone(session, snapshot, name, before.get(name, {}), limit)
    if gone:
        why = f"their source rows are not in {name}.source = {recipe.domains[name].source}"
        yield _line("anchors", name, len(gone), anchors, why)
        for each, rows in counts.items():
            lost = _count_of(snapshot, each, gone)
            if lost:
                yield _line("contrasts", each, lost, rows, "their anchors go")
    for group in group_families(domain, recipe.families(name)):
        inputs = _describe_group(group, *given, recipe.audit.refine)
        for family in group:
            changed = _list_sure(compare_inputs(name, before.get(family.name, {}), inputs))
            if changed and family.name in counts:
                yield _line("contrasts", family.name, counts[family.name], counts[family.name], changed)


def _find_gone(session: Session, snapshot: Snapshot, name: str, before: Inputs, limit: int | None) -> set[str]:
    """The published anchors whose source rows are no longer there.

    A file under another name may call the same rows otherwise: where no row is called as before and there are not
    fewer, it is left to the publish to tell.
    """
    session.list_anchor_jobs(name, limit)
    shards = session.run_of(name).sources
    if before.get(SOURCES) == _digest(shards):
        return set()
    known = [session.pipeline.staged.peek(shard.fingerprint) for shard in shards]
    now = pa.chunked_array(
        [pa.array([], pa.string())] + [_name(shard.pick("sources", _NAMED)) for shard in known if shard is not None]
    )
    ids, named = [], [pa.array([], pa.string())]
    for batch in snapshot.scan("anchors", ["anchor_id", *_NAMED], batch_size=8192, partition=name):
        ids += batch["anchor_id"].to_pylist()
        named.append(_name(pa.table(batch)))
    then = pa.chunked_array(named)
    absent = pc.invert(pc.is_in(then, value_set=now)).to_pylist()
    if all(absent) and len(now) >= len(pc.unique(then)) and not _is_counted(session, name):
        return set()
    return {row_id for row_id, is_absent in zip(ids, absent, strict=True) if is_absent}


_NAMED = ["source", "source_id"]


def _name(rows: pa.Table) -> pa.Array:
    return pc.binary_join_element_wise(rows["source"], rows["source_id"], "\0").combine_chunks()


def _is_counted(session: Session, name: str) -> bool:
    """Whether the source makes up its rows, by number: those have no file that could be renamed."""
    return load_domain(name).find_source(session.recipe.domains[name])[0].target == "N"


def _count_rows(snapshot: Snapshot, table: TableName, partition: str) -> int:
    return sum(file.rows for file in snapshot.files(table, partition))


def _count_of(snapshot: Snapshot, family: str, anchors: set[str]) -> int:
    wanted = pa.array(sorted(anchors), pa.string())
    batches = snapshot.scan("contrasts", ["anchor_id"], batch_size=8192, partition=family)
    return sum(pc.sum(pc.is_in(batch["anchor_id"], value_set=wanted)).as_py() or 0 for batch in batches)


def guard_run(session: Session) -> Guard:
    """What `Dataset.publish` asks of a whole run before it replaces anything."""
    return lambda changes: _judge(session, [change for change in changes if change.lost])


def _judge(session: Session, lost: Sequence[Change]) -> None:
    if not lost:
        return
    if session.recipe.dataset.replace:
        session.observer.say("\n".join(["replaced, as was asked for:", *_list_changes(lost)]))
        return
    before = session.last.get("made_of", {})
    now = describe_inputs(session)
    losing = {change.partition for change in lost if change.table == "anchors"}
    told, lines = [], []
    for change in lost:
        domain = change.partition.partition(".")[0]
        # A family that the recipe does not name is not made: its rows go with their anchors alone.
        made = change.partition in now
        differences = compare_inputs(domain, before.get(change.partition, {}), now[change.partition]) if made else []
        grew = before.get(domain, {}).get(SOURCES) != now.get(domain, {}).get(SOURCES)
        grew = grew or domain in session.last.get("unasked", {})
        if change.table == "contrasts" and domain not in losing and not differences and grew:
            told.append(change)
            continue
        if change.table == "contrasts" and domain in losing and not differences:
            why = "anchors of theirs go"
        elif change.partition not in before:
            why = "what they were made of was not noted"
        else:
            why = (
                "; ".join(each.text for each in differences) or "their source rows, or answers, are others than before"
            )
        lines.append(_line(change.table, change.partition, change.lost, change.before, why))
    if lines:
        raise LossError(_word(session.recipe.dataset.path, "take away; what it made is kept, and not shown", lines))
    session.observer.say("\n".join(["chosen anew over the source as it is now:", *_list_changes(told)]))


def guard_regenerate(session: Session, overrides: Sequence[str]) -> Guard:
    """What `Dataset.publish` asks where one family is made again, which replaces its rows by its purpose.

    It stops where fewer rows would stay and no override says why.
    """

    stated = any(not each.startswith(_SAYS_NOTHING) for each in overrides)

    def judge(changes: Sequence[Change]) -> None:
        shrunk = [change for change in changes if change.after < change.before]
        if shrunk and not stated and not session.recipe.dataset.replace:
            lines = [
                f"contrasts  {each.partition}: {each.before:,} rows would become {each.after:,}, and no --set says why"
                for each in shrunk
            ]
            raise LossError(_word(session.recipe.dataset.path, "take away; what it made is kept, and not shown", lines))
        lost = [change for change in changes if change.lost]
        if lost:
            session.observer.say("\n".join(["replaced:", *_list_changes(lost)]))

    return judge


def tell_kept(session: Session) -> str:
    """What lies at the path beside what the recipe names, and stays; "" for nothing."""
    dataset = Dataset(session.recipe.dataset.path)
    if not dataset.exists():
        return ""
    snapshot = dataset.snapshot()
    named = {family for name in session.recipe.domains for family in session.recipe.families(name)}
    others = [each for each in snapshot.partitions("contrasts") if each not in named]
    domains = [each for each in snapshot.partitions("anchors") if each not in session.recipe.domains]
    rows = [f"{each} ({_count_rows(snapshot, 'anchors', each):,} anchors)" for each in domains]
    rows += [f"{each} ({_count_rows(snapshot, 'contrasts', each):,} rows)" for each in others]
    return f"kept, though this recipe does not name it: {', '.join(rows)}" if rows else ""


def _digest(shards: Iterable[SourceShard]) -> str:
    return fingerprint("sources of a domain", [shard.fingerprint for shard in shards])


def _list_sure(differences: Sequence[Difference]) -> str:
    """Why rows are made anew; "" where nothing is different, or only what may add."""
    return "; ".join(each.text for each in differences) if any(not each.may_add for each in differences) else ""


def _list_changes(changes: Sequence[Change]) -> list[str]:
    return [
        f"  {each.table}  {each.partition}: {each.lost:,} of {each.before:,} rows go, it has {each.after:,} now"
        for each in changes
    ]


def _line(table: str, partition: str, lost: int, rows: int, why: str) -> str:
    some = f"{lost:,} of {rows:,} rows" if lost < rows else f"all {rows:,} rows"
    return f"{table}  {partition}: {some}, because {why}"


def _word(path: str, what: str, lines: Sequence[str]) -> str:
    return "\n".join([f"{path} has rows that this run would {what}:", *(f"  {line}" for line in lines), ADVICE])
