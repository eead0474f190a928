"""Whether a changed statement still asks for one thing and speaks of what there is."""

from __future__ import annotations

import re

from counterfoil.tasks.theorem.edits.trees import Change
from counterfoil.tasks.theorem.language.grammar import Statement

_RANGING = re.compile(
    r"\b(?:smallest|largest|least|greatest|minimum|maximum|minimal|maximal|how many|number of|range|interval|all)\b",
    re.IGNORECASE,
)
"""Words of questions that have an answer where values are open."""
_LOOSE = re.compile(r"[<>≤≥≠]|\\(?:n?[lg]eq?|[lg]t|neq?)\b")
_EQUATION = re.compile(r"(?<![<>!\\])=")
_NAMED = re.compile(r"\b[Ee]quations? \$[^$]*$")
"""What is called an equation stays one."""
_NEEDY = re.compile(r"[A-Za-z)}]!|\\binom\b|\^\{[^{}]*[A-Za-z][^{}]*-[^{}]*\}")
"""What is not there for every number: a factorial, a power whose exponent is a difference."""
_WHOLE = re.compile(r"\\(?:pmod|bmod|equiv|n?mid)\b|\b(?:mod|divi(?:des|sible|sor)|remainder|prime|even|odd)\b")
"""What is said of whole numbers alone."""
_BROKEN = re.compile(r"\b(?:real|rational|complex)\b")
_BOUNDS = re.compile(
    rf"\b(?:positive|natural|nonnegative|non-negative|integers?)\b|{_LOOSE.pattern}|\\mathbb *\{{?[NZ]"
)


def is_well_posed(change: Change, statement: Statement) -> bool:
    """Whether the change leaves one value to what is asked, and no factorial or power without one.

    An equation that becomes an inequality, or is left out, leaves the value of "What is x?" open. Where ``n!`` is
    written, what is said of the sign or the kind of numbers stays; where they are divided with a remainder, they stay
    whole.
    """
    old = statement.text[change.start : change.end]
    loosened = _EQUATION.search(old) and not _EQUATION.search(change.replacement)
    if loosened and _NAMED.search(statement.text[: change.start]):
        return False
    concluded = statement.list_clauses("conclusion")
    if change.kind != "omit" and any(each.start <= change.start and change.end <= each.end for each in concluded):
        return True
    asked = [statement.quote(each) for each in statement.list_clauses("question")]
    if not asked and any(statement.quote(each).startswith("it is ") for each in concluded):
        asked = [statement.quote(each) for each in statement.list_clauses("hypothesis")]
    if asked and loosened and not any(_RANGING.search(each) for each in asked):
        return False
    if _WHOLE.search(statement.text) and _BROKEN.search(change.replacement):
        return False
    return not (_NEEDY.search(statement.text) and _BOUNDS.search(old) and old != change.replacement)
