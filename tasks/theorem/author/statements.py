"""Rephrasings, negatives and translations by a language model (MathLeap B.1, MELD Sec. 3).

A statement is first taken apart into hypotheses and conclusions, which then guide what is written. What is written is a
proposal: the families' verifiers judge its text as they judge any other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from counterfoil.storage.rows import Anchor, Edit, Provenance, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.llm.asking import Answer, Ask
from counterfoil.tasks.llm.errors import AnswerRejected
from counterfoil.tasks.llm.repair import add_up, share_out
from counterfoil.tasks.theorem.anchors import INFORMAL, find_view
from counterfoil.tasks.theorem.author.fields import FIELDS
from counterfoil.tasks.theorem.settings import TheoremSettings
from counterfoil.tasks.theorem.words import squeeze

PROMPTS_REPHRASE = ("theorem.decompose", "theorem.rephrase")
PROMPTS_NEGATIVE = ("theorem.decompose", "theorem.negative")
PROMPTS_TRANSLATE = ("theorem.decompose", "theorem.translate", "theorem.judge")


@dataclass(frozen=True)
class Entry:
    """One entry of an answer, with its share of what the answers cost."""

    data: Mapping[str, Any]
    provenance: Provenance


def write_rephrasings(anchor: Anchor, context: Context[TheoremSettings]) -> Iterator[Draft | Reject]:
    """So many rephrasings as the settings ask for.

    Raises:
        AuthorError: the author cannot go on.
    """
    for entry in _ask(anchor, context, "theorem.rephrase", {"count": context.settings.rephrasings}, "rephrasings"):
        if isinstance(entry, Reject):
            yield entry
        else:
            edit = Edit("rephrase", find_view(anchor, INFORMAL), squeeze(entry.data["statement"]))
            yield Draft(text=edit.replacement, edits=(edit,), provenance=entry.provenance)


def write_negatives(anchor: Anchor, context: Context[TheoremSettings]) -> Iterator[Draft | Reject]:
    """So many negatives as the settings ask for.

    Raises:
        AuthorError: the author cannot go on.
    """
    for entry in _ask(anchor, context, "theorem.negative", {"count": context.settings.negatives}, "negatives"):
        if isinstance(entry, Reject):
            yield entry
        else:
            edit = Edit(entry.data["kind"], entry.data["target"], entry.data["replacement"])
            yield Draft(text=squeeze(entry.data["statement"]), edits=(edit,), provenance=entry.provenance)


def write_translations(anchor: Anchor, context: Context[TheoremSettings]) -> Iterator[Draft | Reject]:
    """The statement in other fields; a second request judges each: valid, equivalent, and in other words.

    Raises:
        AuthorError: the author cannot go on.
    """
    family = "theorem.translate"
    author = context.llm
    assert author is not None
    variables = {"count": context.settings.fields, "pairs": [list(pair) for pair in FIELDS]}
    paired = {pair for one, other in FIELDS for pair in ((one, other), (other, one))}
    entries: list[Entry] = []
    for entry in _ask(anchor, context, family, variables, "translations"):
        if isinstance(entry, Reject):
            yield entry
        elif (fields := _name_fields(entry)) in paired:
            entries.append(entry)
        else:
            reason = f"fields_paired: {fields[0]} and {fields[1]} are no pair of those that are asked for"
            yield reject_contrast(family, anchor, reason, raw=_dump(entry), provenance=entry.provenance)
    original = find_view(anchor, INFORMAL)
    # Together: in a batch, where a round may take a day, several judgements take as long as one.
    asks = [Ask("theorem.judge", {"first": original, "second": squeeze(e.data["statement"])}, family) for e in entries]
    for entry, judged in zip(entries, author.ask_many(asks) if asks else (), strict=True):
        yield _take_judgement(family, anchor, entry, judged)


def _take_judgement(family: str, anchor: Anchor, entry: Entry, judged: Answer | AnswerRejected) -> Draft | Reject:
    spent = judged.provenance if isinstance(judged, AnswerRejected) else judged.provenance()
    provenance = replace(add_up(entry.provenance, spent), prompt_id=family)
    if isinstance(judged, AnswerRejected):
        return reject_contrast(family, anchor, judged.reason, raw=judged.raw, provenance=provenance)
    if failed := [name for name in ("valid", "equivalent", "dissimilar") if not judged.data[name]]:
        reason = f"judged_not_{failed[0]}: {judged.data['reason']}"
        return reject_contrast(family, anchor, reason, raw=_dump(entry), provenance=provenance)
    edits = (Edit("translate", *_name_fields(entry)),)
    return Draft(text=squeeze(entry.data["statement"]), edits=edits, provenance=provenance)


def _name_fields(entry: Entry) -> tuple[str, str]:
    return entry.data["from_field"], entry.data["to_field"]


def _dump(entry: Entry) -> str:
    return json.dumps(entry.data, ensure_ascii=False)


def _ask(
    anchor: Anchor, context: Context[TheoremSettings], family: str, variables: Mapping[str, Any], key: str
) -> Iterator[Entry | Reject]:
    """The entries that the model writes of a statement, after it has taken it apart; a reject where it gave none."""
    author = context.llm
    assert author is not None
    statement = find_view(anchor, INFORMAL)
    if not statement:
        yield reject_contrast(family, anchor, "no_informal: the anchor has no informal statement")
        return
    if not variables["count"]:
        return
    parts = author.ask_many([Ask("theorem.decompose", {"statement": statement}, family)])[0]
    if isinstance(parts, AnswerRejected):
        yield reject_contrast(family, anchor, parts.reason, raw=parts.raw, provenance=parts.provenance)
        return
    asked = {
        "statement": statement,
        "hypotheses": parts.data["hypotheses"],
        "conclusions": parts.data["conclusions"],
        **variables,
    }
    answer = author.ask_many([Ask(family, asked, family)])[0]
    if isinstance(answer, AnswerRejected):
        spent = add_up(parts.provenance(), answer.provenance)
        yield reject_contrast(family, anchor, answer.reason, raw=answer.raw, provenance=spent)
        return
    listed = answer.data[key][: variables["count"]]
    provenance = share_out(add_up(parts.provenance(), answer.provenance()), len(listed))
    for each in listed:
        yield Entry(each, provenance)
