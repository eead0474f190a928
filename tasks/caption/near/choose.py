"""Which near misses of a caption are made: of different kinds, and as usual as the caption itself.

SugarCrepe's lesson: where near misses are less likely than captions, a model that sees no picture tells them. So those
are taken of which the run foretells that another model of captions prefers neither (`near.balance`), and which a
language model, where the recipe names one, finds about as likely.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from counterfoil.tasks.caption.near.balance import BEFORE, Balance, name_kind
from counterfoil.tasks.caption.near.miss import Miss
from counterfoil.tasks.caption.near.usual import Beside, read_words

LIKELIER = 1.0
"""By how many nats a language model that is asked is to find it likelier."""
_ASKED = 5
"""Near misses of a kind and caption that a language model is asked of."""
_ODD = ("replace_obj", "add_obj")
Ask = Callable[[Sequence[str]], list[float]]


def choose_misses(
    captions: Sequence[str],
    misses: Sequence[Miss],
    each: int,
    beside: Beside,
    balance: Balance,
    ask: Ask | None,
    rng: np.random.Generator,
) -> list[Miss]:
    """At most ``each`` of each caption: of each kind one, the rarest kinds first, then a second of each."""
    words = [read_words(caption) for caption in captions]
    kinds: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    far: dict[int, float] = {}
    for i, miss in enumerate(misses):
        kind, old, new = name_kind(miss), words[miss.caption], read_words(miss.text)
        share = balance.foretell(kind, beside.see(old, new))
        if share <= balance.most[kind] and not (kind in _ODD and beside.is_odd(old, new, kind == "add_obj")):
            far[i] = abs(share - balance.aims[kind])
            kinds[miss.caption][kind].append(i)
    chosen = []
    for caption, groups in sorted(kinds.items()):
        ranked = [
            sorted((own[k] for k in rng.permutation(len(own))), key=far.__getitem__)
            for own in (groups[kind] for kind in BEFORE if kind in groups)
        ]
        if ask is not None:
            tried = [i for own in ranked[: each + 1] for i in own[:_ASKED]]
            mine, *theirs = ask([captions[caption], *(misses[i].text for i in tried)])
            off = {i: abs(likely - mine - LIKELIER) for i, likely in zip(tried, theirs, strict=True)}
            ranked = [sorted(own, key=lambda i: off.get(i, math.inf)) for own in ranked]
            ranked.sort(key=lambda own: off.get(own[0], math.inf))
        turns = [own[turn] for turn in range(each) for own in ranked if turn < len(own)]
        chosen += [misses[i] for i in turns[:each]]
    return chosen
