"""Where real data lies that is not in the repository; tests that read it skip, saying so, where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

SHARED = Path(os.environ.get("COUNTERFOIL_SHARED", Path(__file__).parents[2] / "shared"))
"""The folder of `COUNTERFOIL_SHARED`, or the one beside the checkout."""
