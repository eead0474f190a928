"""Lean statements: tokens, terms, and the signature of a theorem."""
