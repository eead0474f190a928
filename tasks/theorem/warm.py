"""Imported by the process that workers are forked from: what statements about numbers are tried with."""

from __future__ import annotations

import sympy  # noqa: F401
import z3  # noqa: F401
