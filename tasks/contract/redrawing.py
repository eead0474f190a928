"""A stored drawing is the one that its record draws: what is hidden, covered, added, bent or gone has no place."""

from __future__ import annotations

import re
from collections import Counter

from counterfoil.tasks.contract.verdict import Checks

_ELEMENT = re.compile(r"<[^>]*>[^<]*")
_SHOWN = 120


def check_drawn(checks: Checks, svg: str, drawn: str) -> None:
    """``svg``, as it is stored, is what our renderer writes of the row's record, character by character.

    Raises:
        CheckError: it is another; the reason names an element that is too many, gone or elsewhere.
    """
    checks.require("drawn_as_recorded", svg == drawn, lambda: _find_strange(svg, drawn))


def _find_strange(svg: str, drawn: str) -> str:
    stored, made = (Counter(_ELEMENT.findall(each)) for each in (svg, drawn))
    for left, said in ((stored - made, "it holds {}, which is not drawn"), (made - stored, "it lacks {}")):
        if left:
            return said.format(min(left)[:_SHOWN])
    return "its elements stand in another order"
