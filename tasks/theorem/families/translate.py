"""``theorem.translate``: the same statement in another field (MELD Sec. 3), by a language model alone."""

from __future__ import annotations

from collections.abc import Iterator

from counterfoil.storage.rows import Anchor, Contrast, Reject
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Candidate, Family
from counterfoil.tasks.contract.rejects import reject_contrast
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.theorem.anchors import INFORMAL, find_view
from counterfoil.tasks.theorem.author.statements import PROMPTS_TRANSLATE, write_translations
from counterfoil.tasks.theorem.checks import check_edits, check_text
from counterfoil.tasks.theorem.settings import TheoremSettings
from counterfoil.tasks.theorem.words import share_words

NAME = "theorem.translate"
KINDS = frozenset({"translate"})
ALIKE = 0.6
"""A translation shares at most so much of its words with the anchor (MELD asks for little)."""


def make_none(anchor: Anchor, context: Context[TheoremSettings]) -> Iterator[Candidate | Reject]:
    """Nothing by rule: no rule knows what a statement is called in another field."""
    del context
    yield reject_contrast(
        NAME, anchor, "author_needed: a translation needs a language model: set [author] kind and model"
    )


@checked
def verify_translate(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[TheoremSettings]) -> None:
    """A statement of sound form in other words, between two fields that are named; that it is equivalent was judged by
    the model, and by nobody else."""
    del context
    original = find_view(anchor, INFORMAL)
    text = check_text(checks, contrast, original)
    check_edits(checks, contrast, KINDS)
    fields = [(edit.target, edit.replacement) for edit in contrast.edits]
    known = len(fields) == 1 and all(fields[0]) and fields[0][0] != fields[0][1]
    checks.require("fields_named", known, lambda: str(fields))
    shared = share_words(original, text)
    checks.require("other_words", shared <= ALIKE, f"{shared:.0%} of the words are the anchor's")


FAMILIES = (
    Family[TheoremSettings](
        NAME,
        "positive",
        "text",
        paper="MELD Sec. 3",
        how="the same statement in the words of another field, by a language model",
        make=make_none,
        verify=verify_translate,
        count=lambda _: None,
        uses=("fields",),
        make_llm=write_translations,
        prompts=PROMPTS_TRANSLATE,
    ),
)
