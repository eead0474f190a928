"""The near misses of a caption that a language model finds about as likely as the caption."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from counterfoil.tasks.caption.near.choose import KINDS
from counterfoil.tasks.caption.near.plan import Chosen

LIKELIER = 1.0
"""By how many nats a near miss is to be likelier."""
Ask = Callable[[Sequence[str]], list[float]]


def ask_model(caption: str, offered: Sequence[Chosen], each: int, ask: Ask) -> list[Chosen]:
    """At most ``each`` of what is offered, of each kind one first; ``ask`` gives log-likelihoods in nats."""
    by_kind = [[one for one in offered if one.kind == kind] for kind in KINDS]
    ranked = [own for own in by_kind if own]
    tried = [one for own in ranked[: each + 1] for one in own]
    mine, *theirs = ask([caption, *(one.text for one in tried)])
    off = {one.text: abs(likely - mine - LIKELIER) for one, likely in zip(tried, theirs, strict=True)}
    ranked = [sorted(own, key=lambda one: off.get(one.text, math.inf)) for own in ranked]
    ranked.sort(key=lambda own: off.get(own[0].text, math.inf))
    return [own[turn] for turn in range(each) for own in ranked if turn < len(own)][:each]
