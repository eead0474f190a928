"""The preparation ``theorem.plan``: which near misses and rewordings are made, decided over the whole corpus.

Its parts propose them for the statements of a shard and keep near misses that are known to be false, and rewordings
that say the same. Its last step chooses among them so that no word gives a contrast away: as many lose "not" as gain
it, as many numbers grow as shrink, texts get longer as often as shorter (`tasks.theorem.families.balance`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from storage.rows import Anchor, Edit, Reject
from tasks.contract.choosing import Edits, choose, measure_change
from tasks.contract.context import Context
from tasks.contract.family import Draft, Maker
from tasks.contract.prepare import Part, Preparation, Prepared
from tasks.contract.rejects import reject_contrast
from tasks.contract.verdict import CheckError, Checks, checked
from tasks.theorem.anchors import SIGNATURE, find_view
from tasks.theorem.checks import (
    check_false,
    check_variables,
    judge_formal,
    judge_informal,
    read_lean,
    read_original,
    read_text,
)
from tasks.theorem.edits import formal, informal
from tasks.theorem.families.balance import BOUNDS, profile_change
from tasks.theorem.language.compare import find_renaming, read_clauses
from tasks.theorem.language.grammar import GrammarError, Statement
from tasks.theorem.language.rephrase import is_reworded, reword
from tasks.theorem.lean.signature import Signature
from tasks.theorem.settings import TheoremSettings

MOST = 24
"""Near misses of one statement that are judged."""
REWORDINGS = 48
"""Rewordings of one statement that are tried."""

_EDIT = pa.struct([("kind", pa.string()), ("target", pa.string()), ("replacement", pa.string())])
_PART = pa.schema(
    [
        ("anchor_id", pa.string()),
        ("family", pa.string()),
        ("original", pa.string()),
        ("text", pa.string()),
        ("edits", pa.list_(_EDIT)),
        ("how", pa.string()),
    ]
)
Proposal = tuple[str, tuple[Edit, ...]]
JUDGED = ("false_at_an_instance", "contradicts_anchor", "undecided_kept")


@dataclass(frozen=True, slots=True)
class Offer:
    """A near miss that is known to be false; an empty ``text`` says in ``how`` why there is none."""

    family: str
    original: str
    text: str
    edits: tuple[Edit, ...]
    how: str


class Plan:
    """The near misses of all anchors, read-only."""

    def __init__(self, table: pa.Table) -> None:
        self._rows: dict[tuple[str, str], list[Offer]] = {}
        for row in table.to_pylist():
            self._rows.setdefault((row["anchor_id"], row["family"]), []).append(_unpack(row))

    def get(self, anchor_id: str, family: str) -> Sequence[Offer]:
        """What was chosen for an anchor, in order; an offer without text says why there is nothing."""
        return self._rows.get((anchor_id, family), ())


def _unpack(row: Mapping[str, Any]) -> Offer:
    edits = tuple(Edit(**each) for each in row["edits"])
    return Offer(row["family"], row["original"], row["text"], edits, row["how"])


def make_part(number: int, anchors: Sequence[Anchor], context: Context[TheoremSettings]) -> pa.Table:
    """Near misses of the anchors that are known to be false, with how that is known."""
    del number
    rows = []
    for anchor in anchors:
        for family, offer in OFFERS.items():
            for each in offer(anchor, context, family):
                edits = [{"kind": e.kind, "target": e.target, "replacement": e.replacement} for e in each.edits]
                rows.append(
                    {
                        "anchor_id": anchor.anchor_id,
                        "family": family,
                        "original": each.original,
                        "text": each.text,
                        "edits": edits,
                        "how": each.how,
                    }
                )
    return pa.Table.from_pylist(rows, _PART)


def _offer_informal(anchor: Anchor, context: Context[TheoremSettings], family: str) -> Iterator[Offer]:
    def judge(checks: Checks, original: Statement, text: str) -> None:
        other = read_text(text)
        check_variables(checks, original, other)
        check_false(checks, judge_informal(original, other), anchor, context)

    yield from _offer_near_misses(anchor, context, family, read_original, informal.propose, judge)


def _offer_formal(anchor: Anchor, context: Context[TheoremSettings], family: str) -> Iterator[Offer]:
    def judge(checks: Checks, original: Signature, text: str) -> None:
        check_false(checks, judge_formal(original, read_lean(text)), anchor, context)

    def read(anchor: Anchor) -> Signature:
        return read_lean(find_view(anchor, SIGNATURE))

    yield from _offer_near_misses(anchor, context, family, read, formal.propose, judge)


Said = TypeVar("Said", Statement, Signature)


def _offer_near_misses(
    anchor: Anchor,
    context: Context[TheoremSettings],
    family: str,
    read: Callable[[Anchor], Said],
    propose: Callable[[Said, np.random.Generator, bool], Sequence[Proposal]],
    judge: Callable[[Checks, Said, str], None],
) -> Iterator[Offer]:
    """Those of the proposals that are known to be false, or one offer that says why there are none."""
    try:
        original = read(anchor)
    except CheckError as error:
        yield Offer(family, "", "", (), _name_uncovered(error))
        return
    source = original.text if isinstance(original, Statement) else original.source
    proposals = propose(original, context.rng(family, anchor.anchor_id), "undecided" in context.settings.grades)
    why: Counter[str] = Counter()
    found = 0
    for text, edits in proposals[:MOST]:
        verdict = checked(judge)(original, text)
        if verdict.passed:
            found += 1
            yield Offer(family, source, text, edits, next(each for each in verdict.checks if each in JUDGED))
        else:
            why[verdict.reasons[0].partition(":")[0]] += 1
    if not found:
        told = ", ".join(f"{n} {code}" for code, n in sorted(why.items())) or "no proposals"
        yield Offer(family, source, "", (), f"exhausted: none is known to be false: {told}")


def _offer_rewordings(anchor: Anchor, context: Context[TheoremSettings], family: str) -> Iterator[Offer]:
    try:
        original = read_original(anchor)
        said = read_clauses(original)
        found: dict[str, tuple[Edit, ...]] = {}
        for rank in range(REWORDINGS):
            made = reword(original.text, context.rng(family, anchor.anchor_id, rank))
            if is_reworded(original, made.text):
                found.setdefault(made.text, made.edits)
        same = [text for text in found if find_renaming(said, read_clauses(read_text(text))) is not None]
    except (CheckError, GrammarError) as error:
        yield Offer(family, "", "", (), _name_uncovered(error))
        return
    for text in same:
        yield Offer(family, original.text, text, found[text], "same_statement")
    if not same:
        yield Offer(family, original.text, "", (), "exhausted: nothing but its verb or a comma can be said otherwise")


OFFERS: Mapping[str, Callable[[Anchor, Context[TheoremSettings], str], Iterator[Offer]]] = {
    "theorem.rephrase": _offer_rewordings,
    "theorem.negative": _offer_informal,
    "theorem.formal": _offer_formal,
}


def _name_uncovered(error: CheckError | GrammarError) -> str:
    code = str(error).partition(":")[0]
    return str(error) if code in ("no_informal", "no_formal") else f"not_covered: {error}"


def gather(parts: Sequence[Part], context: Context[TheoremSettings]) -> pa.Table:
    """What is made of each anchor, chosen over all."""
    rows = sorted(
        (row for part in parts for row in part.read().to_pylist()), key=lambda row: (row["family"], row["anchor_id"])
    )
    chosen: list[dict[str, Any]] = []
    settings = context.settings
    for family in sorted({row["family"] for row in rows}):
        most = settings.rephrasings if family == "theorem.rephrase" else settings.negatives
        chosen += _choose([row for row in rows if row["family"] == family], most)
    return pa.Table.from_pylist(chosen, _PART)


def _choose(rows: Sequence[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """At most so many of each anchor; where there is none, a row that says why."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["anchor_id"], []).append(row)
    offers = {name: [row for row in group if row["text"]] for name, group in groups.items()}
    changes = [
        Edits.of([measure_change({}, profile_change(row["original"], row["text"])) for row in own])
        for own in offers.values()
    ]
    chosen: list[dict[str, Any]] = []
    for name, places in zip(offers, choose(changes, most, bounds=BOUNDS), strict=True):
        chosen += [offers[name][place] for place in places] or groups[name][:1]
    return chosen


def _open(prepared: Prepared, context: Context[TheoremSettings]) -> Plan:
    del context
    assert prepared.gathered is not None
    return Plan(prepared.gathered)


PLAN: Preparation[TheoremSettings, Plan] = Preparation(
    name="theorem.plan",
    make=make_part,
    open=_open,
    gather=gather,
    uses=("grades",),
    gather_uses=("negatives", "rephrasings"),
    version=5,
)


def make_planned(family: str) -> Maker[TheoremSettings]:
    """The maker of what was chosen over the whole corpus: drafts, or a reject where an anchor has none."""

    def make(anchor: Anchor, context: Context[TheoremSettings]) -> Iterator[Draft | Reject]:
        offers = PLAN.of(context).get(anchor.anchor_id, family)
        for offer in offers:
            if offer.text:
                code = offer.text if family == "theorem.formal" else None
                yield Draft(text=offer.text, code=code, edits=offer.edits)
            else:
                yield reject_contrast(family, anchor, offer.how)
        if not offers:
            yield reject_contrast(family, anchor, "exhausted: nothing was planned")

    return make
