"""Tokens of Lean 4 source, each with its place."""

from __future__ import annotations

import re

from counterfoil.tasks.theorem.algebra.tokens import Token

_TOKEN = re.compile(
    r"""
    (?P<space>\s+ | --[^\n]* | /-.*?-/)
  | (?P<number>\d+(?:\.\d+)?)
  | (?P<name>Type\*|Sort\*|@?[A-Za-z_α-κμ-ωΑ-ΠΡΤ-Ωϑ-ϻ𝒜-𝖟𝔸-𝕫ℂℕℚℝℤℓ\u212c\u2130\u2131\u210b]
      [\w'!?₀-₉ₐ-ₜᵢ-ᵪ⁺]*(?:\.[\w'₀-₉«»]+)*)
  | (?P<sign>:=|→L|→ₗ|→\*|→\+\*|→\+|≃\*|≃\+\*|≃\+|≃ₜ|=>|<\||\|>|\.\.|''|⁻¹'|⁻¹|\.\(|->|<-|<=|>=|!=|∃!|∀ᵉ|∀ᵐ|∀ᶠ|∃ᶠ|\S)
    """,
    re.VERBOSE | re.DOTALL,
)


def split_tokens(source: str) -> list[Token]:
    """The tokens of ``source`` without blanks and comments.

    >>> [token.text for token in split_tokens("(h₀ : 0 < x ∧ x.Prime)")]
    ['(', 'h₀', ':', '0', '<', 'x', '∧', 'x.Prime', ')']
    """
    found = []
    for match in _TOKEN.finditer(source):
        kind = str(match.lastgroup)
        if kind == "space":
            continue
        text, end = match.group(), match.end()
        # A factorial's sign is no part of the name before it.
        if kind == "name" and text.endswith(("!", "?")):
            text, end = text[:-1], end - 1
            found.append(Token(kind, text, match.start(), end))
            found.append(Token("sign", source[end], end, end + 1))
            continue
        found.append(Token(kind, text, match.start(), end))
    return found
