"""``theorem.rephrase``: the same statement in other words (MathLeap B.1), a hard positive."""

from __future__ import annotations

from counterfoil.storage.rows import Anchor, Contrast, Edit
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.contract.verdict import CheckError, Checks, checked
from counterfoil.tasks.theorem.anchors import INFORMAL, find_view
from counterfoil.tasks.theorem.author.statements import PROMPTS_REPHRASE, write_rephrasings
from counterfoil.tasks.theorem.checks import check_edits, check_text, read_original, read_text
from counterfoil.tasks.theorem.families.plan import Proposals, name_uncovered, plan_family
from counterfoil.tasks.theorem.language.grammar import GrammarError
from counterfoil.tasks.theorem.language.rephrase import is_reworded, reword
from counterfoil.tasks.theorem.settings import TheoremSettings
from counterfoil.tasks.theorem.truth import says_the_same

NAME = "theorem.rephrase"
REWORDINGS = 48
"""Rewordings of one statement that are tried."""
STRUCTURE = frozenset({"restructure", "reorder", "voice", "mirror_relation"})
"""What changes how a statement goes together."""
KINDS = frozenset(
    {
        "restructure",
        "reorder",
        "verb",
        "question",
        "quantifier",
        "connective",
        "voice",
        "mirror_relation",
        "rename",
        "rephrase",
    }
)


def propose_rewordings(anchor: Anchor, context: Context[TheoremSettings]) -> Proposals:
    """Rewordings that say the same."""
    try:
        original = read_original(anchor)
        found: dict[str, tuple[Edit, ...]] = {}
        for rank in range(REWORDINGS):
            made = reword(original.text, context.rng(NAME, anchor.anchor_id, rank))
            if is_reworded(original, made.text):
                found.setdefault(made.text, made.edits)
        same = [each for each in found.items() if says_the_same(original, read_text(each[0]))]
        # What is put together anew teaches more than another letter or verb.
        same = [each for each in same if any(edit.kind in STRUCTURE for edit in each[1])] or same
    except (CheckError, GrammarError) as error:
        return Proposals("", (), name_uncovered(error))
    return Proposals(
        original.text,
        [(each,) for each in same],
        "" if same else "exhausted: only its verb or a comma can be said otherwise",
    )


PLAN, make_rephrase = plan_family(NAME, propose_rewordings, ("grades",), "rephrasings")


@checked
def verify_rephrase(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[TheoremSettings]) -> None:
    """The same hypotheses and conclusions under a one-to-one renaming, and not the same words."""
    del context
    text = check_text(checks, contrast, find_view(anchor, INFORMAL))
    original, other = read_original(anchor), read_text(text)
    checks.require("statement_read", True, "")
    same = says_the_same(original, other)
    checks.require("same_statement", same, "hypotheses or conclusions are not the anchor's")
    checks.require("reworded", is_reworded(original, text), "nothing but the verb or commas differ")
    check_edits(checks, contrast, KINDS, original.text)


FAMILIES = (
    Family(
        NAME,
        "positive",
        "text",
        paper="MathLeap B.1",
        how="names, connectives, quantifiers, voice and order changed",
        make=make_rephrase,
        verify=verify_rephrase,
        count=lambda settings: settings.rephrasings,
        version=9,
        uses=("rephrasings", "grades"),
        make_llm=write_rephrasings,
        prompts=PROMPTS_REPHRASE,
        prepare=PLAN,
    ),
)
