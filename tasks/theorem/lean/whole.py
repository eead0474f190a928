"""What is wrong with a Lean view before anybody asks what it says: brackets, LaTeX, names that nothing declares."""

from __future__ import annotations

import re
from functools import lru_cache

from counterfoil.tasks.theorem.algebra.tree import find_free
from counterfoil.tasks.theorem.lean.signature import read_signature
from counterfoil.tasks.theorem.lean.terms import LeanError, read_term
from counterfoil.tasks.theorem.lean.tokens import split_tokens

_PAIRS = {"(": ")", "[": "]", "{": "}", "⟨": "⟩", "⦃": "⦄", "⌊": "⌋", "⌈": "⌉"}
_LATEX = re.compile(r"\\[a-z]+")
_VARIABLE = re.compile(r"[a-z][₀-₉'0-9]*")
"""A name that no library declares: one small letter."""


@lru_cache(maxsize=4096)
def find_fault(text: str, *, signature: bool) -> str:
    """What is wrong with a signature, or with a type; empty where nothing is.

    >>> find_fault("theorem t (u : ℝ) : 8 * u \\\\leq u ^ 2", signature=True)
    'LaTeX in Lean: \\\\leq'
    >>> find_fault("theorem t (n : ℕ) : ∑ k in Finset.range n, k + k = 0", signature=True)
    'nothing declares k'
    """
    latex = _LATEX.search(text)
    if latex is not None:
        return f"LaTeX in Lean: {latex[0]}"
    opened: list[str] = []
    for token in split_tokens(text):
        if token.text in _PAIRS:
            opened.append(_PAIRS[token.text])
        elif token.text in _PAIRS.values() and (not opened or opened.pop() != token.text):
            return f"{token.text!r} closes what was not opened"
    if opened:
        return f"{opened[-1]!r} is missing"
    try:
        term = read_term(read_signature(text).write_type() if signature else text)
    except LeanError:
        return ""  # What our reader does not know is shown as it is.
    loose = sorted(name for name in find_free(term) if _VARIABLE.fullmatch(name))
    return f"nothing declares {', '.join(loose)}" if loose else ""
