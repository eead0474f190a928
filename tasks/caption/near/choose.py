"""Which near misses of a caption are made: of different sorts, and as usual as the caption itself.

SugarCrepe's lesson: where near misses are less likely than captions, a model that sees no picture tells them. So those
are taken that the run's own captions, and a language model where the recipe names one, find about as likely.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from counterfoil.tasks.caption.near.miss import Miss, Sort
from counterfoil.tasks.caption.near.usual import Beside, read_words

LEAN: Mapping[Sort, float] = {"object": 5.0, "attribute": 4.0, "count": 6.0, "relation": 6.0, "swap": 6.0, "add": 2.0}
SPREAD = 2.0
"""By how many nats a near miss is aimed to be likelier than its caption, and how far the aims are apart: another model
than the one that chooses prefers what stood there first a little more. Found on captions apart from those measured."""
_ASKED = 6
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
    chosen = []
    words = [read_words(caption) for caption in captions]
    leads = [beside.compare(words[miss.caption], read_words(miss.text)) for miss in misses]
    aims = rng.normal(0.0, SPREAD, len(captions) * 8)
    groups: dict[tuple[int, str], list[int]] = defaultdict(list)
    for i, miss in enumerate(misses):
        groups[miss.caption, miss.sort].append(i)
    far: dict[int, float] = {}
    for n, own in enumerate(groups.values()):
        aim = LEAN[misses[own[0]].sort] + aims[n % len(aims)]
        order = rng.permutation(len(own)).tolist()
        nearest = sorted((own[k] for k in order), key=lambda i: abs(leads[i] - aim))
        for i in nearest:
            far[i] = abs(leads[i] - aim)
        if ask is not None:
            tried = nearest[:_ASKED]
            caption = captions[misses[own[0]].caption]
            mine, *theirs = ask([caption, *(misses[i].text for i in tried)])
            for i, likely in zip(tried, theirs, strict=True):
                far[i] = abs(likely - mine - aim) + abs(leads[i] - aim) / 2
            nearest = [*sorted(tried, key=lambda i: far[i]), *nearest[_ASKED:]]
        own[:] = nearest
    for place in range(len(captions)):
        sorts = sorted((own for (at, _), own in groups.items() if at == place), key=lambda own: far[own[0]])
        turns = [own[turn] for turn in range(each) for own in sorts if turn < len(own)]
        chosen += [misses[i] for i in turns[:each]]
    return chosen
