"""``theorem.negative``: a near miss of the informal statement that is false (MathLeap B.1)."""

from __future__ import annotations

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.theorem.anchors import INFORMAL, find_view
from counterfoil.tasks.theorem.author.statements import PROMPTS_NEGATIVE, write_negatives
from counterfoil.tasks.theorem.checks import (
    check_edits,
    check_false,
    check_text,
    check_variables,
    judge_informal,
    read_original,
    read_text,
)
from counterfoil.tasks.theorem.edits.informal import propose, write
from counterfoil.tasks.theorem.families.plan import Proposals, Writer, plan_family, propose_near_misses
from counterfoil.tasks.theorem.language.grammar import Statement
from counterfoil.tasks.theorem.settings import TheoremSettings

NAME = "theorem.negative"
KINDS = frozenset(
    {
        "answer",
        "converse",
        "domain",
        "existence",
        "flip",
        "negation",
        "number",
        "omit",
        "omit_word",
        "operation",
        "opposite",
        "quantifier",
        "relation",
        "sign",
        "strictness",
        "variable",
        "weaken",
    }
)


def propose_negative(anchor: Anchor, context: Context[TheoremSettings]) -> Proposals:
    """Near misses that are known to be false."""

    def judge(checks: Checks, original: Statement, text: str) -> None:
        other = read_text(text)
        check_variables(checks, original, other)
        check_false(checks, judge_informal(original, other, anchor), anchor, context)

    return propose_near_misses(anchor, context, NAME, Writer(read_original, propose, write, judge))


PLAN, make_negative = plan_family(NAME, propose_negative, ("negatives", "grades"))


@checked
def verify_negative(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[TheoremSettings]) -> None:
    """Another statement, no weaker, and known to be false."""
    text = check_text(checks, contrast, find_view(anchor, INFORMAL))
    original, other = read_original(anchor), read_text(text)
    checks.require("statement_read", True, "")
    check_variables(checks, original, other)
    check_false(checks, judge_informal(original, other, anchor), anchor, context)
    checks.require("another_statement", True, "")
    check_edits(checks, contrast, KINDS, find_view(anchor, INFORMAL))


FAMILIES = (
    Family[TheoremSettings](
        NAME,
        "negative",
        "text",
        paper="MathLeap B.1",
        how="a hypothesis left out or weakened, the converse, another variable, sign or number, at one place or two",
        make=make_negative,
        verify=verify_negative,
        count=lambda _: None,
        version=15,
        uses=("negatives", "grades", "numbers"),
        make_llm=write_negatives,
        prompts=PROMPTS_NEGATIVE,
        prepare=PLAN,
        view=INFORMAL,
    ),
)
