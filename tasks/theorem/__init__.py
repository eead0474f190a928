"""Theorem statements: informal and Lean forms of one statement, and near misses that are other statements."""
