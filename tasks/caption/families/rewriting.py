"""Captions with one word exchanged by a language model (Concrete Jungle, App. A.2: Qwen3-32B).

The plan chooses the keyword, by concreteness and type; the model puts another in its place. An answer is compared with
the caption word by word and judged as any other exchange before it is a draft. One that fails is kept as a reject with
what it cost, and the model is told why when it is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject
from counterfoil.tasks.caption.families.exchange import KINDS, check_exchange
from counterfoil.tasks.caption.plan.planner import Proposal
from counterfoil.tasks.caption.plan.preparation import PLAN
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.words.parse import parse
from counterfoil.tasks.caption.words.replace import find_span
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Draft
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.llm.asking import Answer, Ask
from counterfoil.tasks.llm.errors import AnswerRejected

PROMPTS = ("caption.concrete",)


def write_exchanges(family: str, anchor: Anchor, context: Context[CaptionSettings]) -> Iterator[Draft | Reject]:
    """Captions with one planned keyword exchanged in each.

    All that an anchor still needs is asked together, in at most one round more than ``repair_attempts``. A keyword for
    which the model has no answer that can be read makes room for the caption's next one.

    Raises:
        AuthorError: the author cannot go on.
    """
    author = context.llm
    assert author is not None
    sentences = list(parse(anchor.captions, context.settings.parser))
    planned = PLAN.of(context).get(anchor.anchor_id, "asked")
    keywords = [
        _Keyword(
            replace(anchor, caption=sentence.text),
            family,
            proposal,
            sentence.text[slice(*find_span(sentence, proposal.slot.unit))],
        )
        for proposal in planned
        for sentence in [sentences[proposal.caption]]
    ]
    if not keywords:
        yield reject_contrast(family, anchor, "exhausted: no word of the caption can be exchanged")
    wanted, spare = keywords[: context.settings.negatives], keywords[context.settings.negatives :]
    for _ in range(author.settings.repair_attempts + 1):
        answers = author.ask_many([keyword.ask(context) for keyword in wanted]) if wanted else []
        missing = []
        for keyword, answer in zip(wanted, answers, strict=True):
            made = keyword.take(answer, context)
            yield made
            if isinstance(made, Reject) and not keyword.ended:
                missing.append(keyword)
            elif isinstance(made, Reject) and spare:
                missing.append(spare.pop(0))
        wanted = missing


@dataclass
class _Keyword:
    """One keyword of a caption, and what of the model's words for it was refused."""

    anchor: Anchor
    """with the keyword's caption as its own"""
    family: str
    proposal: Proposal
    text: str
    failures: list[str] = field(default_factory=list)
    ended: bool = False
    """Whether the model gave no answer that can be read, so that it is not asked again."""

    def ask(self, context: Context[CaptionSettings]) -> Ask:
        """The request. With ``concreteness = "none"`` its examples are of all types (the paper's fourth set)."""
        kind = "any" if context.settings.concreteness == "none" else self.proposal.slot.unit.type
        caption = self.anchor.caption or ""
        variables = {
            "caption": caption,
            "keyword": self.text,
            "kind": kind,
            "others": [each for each in self.anchor.captions if each != caption],
            "failures": list(self.failures),
        }
        return Ask(PROMPTS[0], variables, self.family)

    def take(self, answer: Answer | AnswerRejected, context: Context[CaptionSettings]) -> Draft | Reject:
        """The draft that an answer makes, or why it makes none."""
        if isinstance(answer, AnswerRejected):
            self.ended = True
            return reject_contrast(
                self.family, self.anchor, answer.reason, raw=answer.raw, provenance=answer.provenance
            )
        text, words = (answer.data[name].strip() for name in ("caption", "replacement"))
        edits = (Edit(f"replace_{KINDS[self.proposal.slot.unit.type]}", self.text, words),)
        contrast = Contrast(self.anchor.anchor_id, self.family, "negative", "text", text=text, edits=edits)
        verdict = _check(contrast, self.anchor, context)
        if verdict.passed:
            return Draft(text=text, edits=edits, concreteness=self.proposal.rating, provenance=answer.provenance())
        self.failures.append(f"{words} ({'; '.join(verdict.reasons)})")
        return reject_contrast(
            self.family,
            self.anchor,
            *verdict.reasons,
            contrast=contrast,
            raw=answer.raw,
            provenance=answer.provenance(),
        )


@checked
def _check(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[CaptionSettings]) -> None:
    check_exchange(checks, contrast, anchor, context)
