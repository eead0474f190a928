"""The instruction rows of a dataset, streaming, in an order that depends on the dataset and the seed alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from counterfoil.storage.joining import Join, Joined
from counterfoil.storage.reading import Snapshot
from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.storage.schemas import ANCHORS, CONTRASTS, from_table
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.sft.asking import LeftOut, Wanted, ask_about, list_choosable
from counterfoil.tasks.sft.options import Answers
from counterfoil.tasks.sft.rows import Instruction

Progress = Callable[[int], None]


def make_instructions(
    snapshot: Snapshot, wanted: Wanted, left_out: LeftOut | None = None, progress: Progress = lambda _: None
) -> Iterator[Instruction]:
    """Rows of every domain's anchors: first those with contrasts, then the others, each in the tables' order.

    Memory holds a block of anchors with their contrasts, the anchors' ids, and how often each answer comes.
    """
    left_out = left_out if left_out is not None else LeftOut()
    for domain in snapshot.partitions("anchors"):
        ask = load_domain(domain).questions
        answers = count_answers(snapshot, domain) if "choice" in wanted.kinds else None
        for anchor, contrasts in join_all(snapshot, domain):
            yield from ask_about(anchor, contrasts, ask(anchor), wanted, left_out, answers)
            progress(1 + len(contrasts))


def count_answers(snapshot: Snapshot, domain: str) -> Answers:
    """How often each answer is given to the questions of a domain's anchors; no picture is read for it."""
    ask = load_domain(domain).questions
    return Answers.count(
        question for anchor in _list_without_pictures(snapshot, domain) for question in list_choosable(ask(anchor))
    )


def list_problems(snapshot: Snapshot, split: str) -> dict[str, str]:
    """The problems of a split's anchors that have one, by anchor; no picture is read for it."""
    anchors = (each for domain in snapshot.partitions("anchors") for each in _list_without_pictures(snapshot, domain))
    return {each.anchor_id: each.question for each in anchors if each.split == split and each.question}


def _list_without_pictures(snapshot: Snapshot, domain: str) -> Iterator[Anchor]:
    left_out = ("image", "vector")
    columns = [name for name in ANCHORS.names if name not in left_out]
    for batch in snapshot.scan("anchors", columns, partition=domain):
        rows = [dict.fromkeys(left_out) | row for row in batch.to_pylist()]
        yield from from_table(pa.Table.from_pylist(rows, ANCHORS), "anchors")


def join_all(snapshot: Snapshot, domain: str) -> Iterator[tuple[Anchor, list[Contrast]]]:
    """Each anchor of a domain with its contrasts by family and rank, of which there may be none."""
    seen: set[str] = set()
    families = [each for each in snapshot.partitions("contrasts") if each.partition(".")[0] == domain]
    join = Join(snapshot, families)
    for block in join.blocks:
        for row in join.read(block, ANCHORS.names, CONTRASTS.names):
            seen.add(row.anchor["anchor_id"])
            yield _decode(row)
    for anchor in snapshot.anchors(domain):
        if anchor.anchor_id not in seen:
            yield anchor, []


def _decode(row: Joined) -> tuple[Anchor, list[Contrast]]:
    (anchor,) = from_table(pa.Table.from_pylist([dict(row.anchor)], ANCHORS), "anchors")
    return anchor, from_table(pa.Table.from_pylist([dict(each) for each in row.contrasts], CONTRASTS), "contrasts")
