"""How far letters reach above and below their line, as their ink shows: a J has a tail, a + is taller than an x."""

from __future__ import annotations

import re

TAILS = re.compile(r"[gjpqyJQ,;()\[\]{}|/_βγζημξρφχψς]")
"""What goes below the baseline; the J does in the fonts that figures are lettered in."""
TALL = re.compile(r"[^acegmnopqrsuvwxyz−\-\s]")
"""What is higher than an x."""
