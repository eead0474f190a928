"""Foils of a statement by a language model, which chooses the words and what stands in their place (CS-CLIP).

What it writes is a proposal: the reader must show each foil false from the stored bytes, as it must of those by rule.
All foils of an anchor are asked of one place of one statement: the true statement is then one of the values there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from counterfoil.storage.rows import BESIDE, Anchor, Contrast, Edit, Provenance, Reject
from counterfoil.tasks.beside.making import BesideMaker
from counterfoil.tasks.beside.statements import Statements, count_rows, say_none
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.contract.wording import exchange, list_captions
from counterfoil.tasks.llm.asking import Ask
from counterfoil.tasks.llm.errors import AnswerRejected
from counterfoil.tasks.llm.repair import share_out

PROMPTS = ("beside.unit",)
WRITTEN = "written"
"""The kind of an exchange that a language model chose."""


def check_written(checks: Checks, edit: Edit, true: str, false: str, provenance: Provenance) -> None:
    """An exchange that a model chose: its row was asked for, and most of the statement is as it was."""
    checks.require("written_asked", provenance.prompt_id in PROMPTS, "no model was asked for this exchange")
    halves = ((edit.target, true), (edit.replacement, false))
    most = all(2 * len(part.split()) <= len(whole.split()) for part, whole in halves)
    checks.require("one_expression", most, lambda: f"{edit} exchanges more than half of {true!r}")


def write_units(one: BesideMaker, anchor: Anchor, context: Context[Any]) -> Iterator[Draft | Reject]:
    """Foils of one statement, as many as the settings ask for, in at most one round more than ``repair_attempts``.
    A statement of which nothing is shown false makes room for another.

    Raises:
        AuthorError: the author cannot go on.
    """
    author = context.llm
    assert author is not None
    wanted = count_rows(context.settings)
    waiting = Statements(one.wording, anchor, context, context.rng(one.name, anchor.anchor_id)).list_true()
    if not waiting:
        yield say_none(one.name, anchor, "the reader shows no statement of the anchor true")
        return
    said = list_captions(anchor)
    asked = _Asked(one, anchor, context, waiting[0])
    for _ in range(author.settings.repair_attempts + 1):
        if len(asked.made) >= wanted:
            return
        if not asked.made and asked.failures and len(waiting) > 1:
            waiting = waiting[1:]
            asked = _Asked(one, anchor, context, waiting[0])
        variables = {
            "statement": asked.statement,
            "others": [each for each in said if each != asked.statement],
            "keyword": asked.target,
            "count": wanted - len(asked.made),
            "failures": list(asked.failures),
        }
        answer = author.ask_many([Ask(PROMPTS[0], variables, one.name)])[0]
        if isinstance(answer, AnswerRejected):
            yield reject_contrast(one.name, anchor, answer.reason, raw=answer.raw, provenance=answer.provenance)
            return
        target, listed = answer.data["target"].strip(), answer.data["replacements"]
        share = share_out(answer.provenance(), len(listed))
        for replacement in listed:
            yield asked.take(target, replacement.strip(), share, answer.raw)


@dataclass
class _Asked:
    """A statement, and what became of the foils that a model wrote of it."""

    one: BesideMaker
    anchor: Anchor
    context: Context[Any]
    statement: str
    target: str = ""
    """What is exchanged, once a foil was accepted: the others exchange the same."""
    made: set[str] = field(default_factory=set)
    failures: list[str] = field(default_factory=list)

    def take(self, target: str, replacement: str, provenance: Provenance, raw: str) -> Draft | Reject:
        """The row of one exchange, or why there is none."""
        edit = Edit(WRITTEN, target, replacement)
        try:
            false = self._exchange(edit)
        except CheckError as error:
            return self._refuse(edit, str(error), provenance, raw)
        edits = (edit, Edit(BESIDE, self.statement, false))
        row = Contrast(
            self.anchor.anchor_id, self.one.name, "negative", "text", text=false, edits=edits, provenance=provenance
        )
        verdict = checked(self.one.verify)(row, self.anchor, self.context)
        if not verdict.passed:
            return self._refuse(edit, "; ".join(verdict.reasons), provenance, raw)
        self.target = target
        self.made.add(false)
        return Draft(text=false, edits=edits, provenance=provenance)

    def _exchange(self, edit: Edit) -> str:
        if self.target and edit.target != self.target:
            raise CheckError(f"one_place: {edit.target!r} is exchanged, not {self.target!r} as in the others")
        texts = exchange(self.statement, edit) if edit.target and edit.replacement else ()
        if not texts:
            raise CheckError(f"edits_seen: {edit.target!r} is no expression of {self.statement!r}")
        if texts[0] in self.made:
            raise CheckError(f"duplicate: {edit.replacement!r} stands in its place already")
        return texts[0]

    def _refuse(self, edit: Edit, why: str, provenance: Provenance, raw: str) -> Reject:
        self.failures.append(f"{edit.replacement} for {edit.target} ({why})")
        return reject_contrast(self.one.name, self.anchor, why, raw=raw, provenance=provenance)
