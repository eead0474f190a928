"""``theorem.formal``: a near miss of the Lean statement that is false, edited on its syntax tree."""

from __future__ import annotations

from counterfoil.storage.rows import Anchor, Contrast
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.family import Family
from counterfoil.tasks.contract.verdict import Checks, checked
from counterfoil.tasks.theorem.anchors import SIGNATURE, find_view
from counterfoil.tasks.theorem.checks import check_edits, check_false, judge_formal, read_lean
from counterfoil.tasks.theorem.edits.formal import propose, write
from counterfoil.tasks.theorem.families.plan import Proposals, Writer, plan_family, propose_near_misses
from counterfoil.tasks.theorem.lean.signature import Signature
from counterfoil.tasks.theorem.settings import TheoremSettings

NAME = "theorem.formal"
KINDS = frozenset(
    {
        "connective",
        "converse",
        "domain",
        "flip",
        "negation",
        "number",
        "omit",
        "operation",
        "quantifier",
        "relation",
        "sign",
        "strictness",
        "variable",
    }
)


def propose_formal(anchor: Anchor, context: Context[TheoremSettings]) -> Proposals:
    """Near misses in Lean that are known to be false."""

    def judge(checks: Checks, original: Signature, text: str) -> None:
        check_false(checks, judge_formal(original, read_lean(text)), anchor, context)

    return propose_near_misses(anchor, context, NAME, Writer(_read, propose, write, judge))


def _read(anchor: Anchor) -> Signature:
    return read_lean(find_view(anchor, SIGNATURE))


PLAN, make_formal = plan_family(NAME, propose_formal, ("negatives", "grades"), in_lean=True)


@checked
def verify_formal(checks: Checks, contrast: Contrast, anchor: Anchor, context: Context[TheoremSettings]) -> None:
    """Lean that can be read, of the same name, no weaker, and known to be false."""
    text = contrast.text or ""
    checks.require("text_alone", bool(text) and contrast.image is None, "a statement is text alone")
    checks.require("code_kept", contrast.code == contrast.text, "code and text are not the same")
    original = _read(anchor)
    checks.require("another_text", text != original.source, "it is the anchor's text")
    other = read_lean(text)
    checks.require("lean_read", True, "")
    same = (original.kind, original.name) == (other.kind, other.name)
    checks.require("name_kept", same and other.source == text, "it has another name, or a proof")
    check_false(checks, judge_formal(original, other), anchor, context)
    checks.require("another_statement", True, "")
    check_edits(checks, contrast, KINDS, original.source)


FAMILIES = (
    Family[TheoremSettings](
        NAME,
        "negative",
        "text",
        paper="MathLeap B.1, in Lean",
        how="a hypothesis left out, the converse, another class, variable, relation or number, at one place or two",
        make=make_formal,
        verify=verify_formal,
        count=lambda _: None,
        version=13,
        uses=("negatives", "grades", "numbers"),
        prepare=PLAN,
        view=SIGNATURE,
    ),
)
