"""Which near misses of a caption are made: of different sorts, and as usual as the caption itself.

SugarCrepe's lesson: where near misses are less likely than captions, a model that sees no picture tells them. So those
are taken that the run's own captions, and a language model where the recipe names one, find about as likely.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from counterfoil.tasks.caption.near.miss import Miss, Sort
from counterfoil.tasks.caption.near.usual import Beside, read_words

LEAN: Mapping[Sort, float] = {"object": 7.5, "attribute": 6.0, "count": 8.0, "relation": 8.0, "swap": 7.0, "add": 2.5}
SPREAD = 2.0
"""By how many nats a near miss is aimed to be likelier than its caption, and how far the aims are apart: another model
than the one that chooses prefers what stood there first a little more. Found on captions apart from those measured."""
LIKELIER = 1.0
"""By how many nats a language model that is asked is to find it likelier."""
_ASKED = 5
"""Near misses of a sort and caption that a language model is asked of."""
Ask = Callable[[Sequence[str]], list[float]]


def choose_misses(
    captions: Sequence[str],
    misses: Sequence[Miss],
    each: int,
    beside: Beside,
    ask: Ask | None,
    rng: np.random.Generator,
) -> list[Miss]:
    """At most ``each`` of each caption, in the order of how far they are from the aim."""
    words = [read_words(caption) for caption in captions]
    leads = [beside.compare(words[miss.caption], read_words(miss.text)) for miss in misses]
    sorts: dict[int, dict[Sort, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i, miss in enumerate(misses):
        sorts[miss.caption][miss.sort].append(i)
    chosen = []
    for caption, groups in sorted(sorts.items()):
        aims = {sort: LEAN[sort] + float(rng.normal(0.0, SPREAD)) for sort in groups}
        far = {i: abs(leads[i] - aims[sort]) for sort, own in groups.items() for i in own}
        ranked = [sorted((own[k] for k in rng.permutation(len(own))), key=far.__getitem__) for own in groups.values()]
        ranked.sort(key=lambda own: far[own[0]])
        if ask is not None:
            tried = [i for own in ranked[: each + 1] for i in own[:_ASKED]]
            mine, *theirs = ask([captions[caption], *(misses[i].text for i in tried)])
            far = {i: abs(likely - mine - LIKELIER) + far[i] / 2 for i, likely in zip(tried, theirs, strict=True)}
            ranked = [sorted(own, key=lambda i: far.get(i, math.inf)) for own in ranked]
            ranked.sort(key=lambda own: far.get(own[0], math.inf))
        turns = [own[turn] for turn in range(each) for own in ranked if turn < len(own)]
        chosen += [misses[i] for i in turns[:each]]
    return chosen
