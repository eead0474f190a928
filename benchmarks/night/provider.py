"""What the provider answers: another word of the keyword's kind, for captions of drawn scenes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from counterfoil.tasks.caption.scenes.catalogue import NOUNS
from counterfoil.tasks.caption.scenes.palette import COLOURS
from tests.tasks.llm.server import Fault, digest, last_text

ASKED = re.compile(r"^Caption: (.*) Keyword: (.*)$", re.MULTILINE)
NUMBERS = ("two", "three", "four", "five")
SIDES = ("on", "under", "behind", "above")


def answer(body: dict[str, Any]) -> str:
    """A pure function of the request: whoever asks again is told the same."""
    found = ASKED.findall(last_text(body))
    if not found:
        return "{}"
    caption, keyword = found[-1]
    others = list_others().get(keyword, ("thing",))
    word = others[int(digest(body)[:8], 16) % len(others)]
    return json.dumps({"replacement": word, "caption": caption.replace(keyword, word, 1)})


@lru_cache(maxsize=1)
def list_others() -> Mapping[str, tuple[str, ...]]:
    """For each word of the scenes' language the others of its kind."""
    groups = [tuple(COLOURS), NUMBERS, SIDES]
    for kind in {noun.kind for noun in NOUNS.values()}:
        alike = [noun for noun in NOUNS.values() if noun.kind == kind]
        groups += [tuple(noun.name for noun in alike), tuple(noun.plural for noun in alike)]
    return {word: tuple(other for other in group if other != word) for group in groups for word in group}


def draw_faults(share: float) -> list[tuple[float, Fault]]:
    """Faults that come with that probability in all: half of them errors of the server."""
    return [(share / 2, Fault(status=500)), (share / 4, Fault(status=429)), (share / 4, Fault("reset"))]
