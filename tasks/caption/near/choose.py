"""Which near misses of a caption are made: of different kinds, and as usual as the caption itself.

SugarCrepe's lesson: where near misses are less likely than captions, a model that sees no picture tells them. So those
are taken of which the run foretells that another model of captions prefers neither (`near.balance`), and which a
language model, where the recipe names one, finds about as likely.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np

from counterfoil.tasks.caption.near.balance import BEFORE, Balance, choose_set, name_kind, thin
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
    """At most ``each`` of each caption: those that are worth most beside what they cost (`near.balance`)."""
    words = [read_words(caption) for caption in captions]
    kinds: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i, miss in enumerate(misses):
        kinds[miss.caption][name_kind(miss)].append(i)
    chosen = []
    for caption, groups in sorted(kinds.items()):
        shares: dict[str, list[float]] = {}
        ranked: dict[str, list[int]] = {}
        for kind in BEFORE:
            old, kept = words[caption], thin(groups[kind])
            found = []
            for i, by_chance in zip(kept, rng.random(len(kept)).tolist(), strict=True):
                new = read_words(misses[i].text)
                share = balance.foretell(kind, beside.see(old, new))
                if balance.may_pay(kind, share):
                    found.append((share, by_chance, i, new))
            found.sort()
            odd = kind in _ODD
            sound = (one for one in found if not (odd and beside.is_odd(old, one[3], kind == "add_obj")))
            best = [*islice(sound, max(each, _ASKED))]
            if best:
                ranked[kind] = [i for _, _, i, _ in best]
                shares[kind] = [share for share, _, _, _ in best]
        if ask is None:
            chosen += [misses[ranked[kind][i]] for kind, i in choose_set(shares, each, balance)]
        else:
            chosen += _ask_for(captions[caption], [*ranked.values()], misses, each, ask)
    return chosen


def _ask_for(caption: str, ranked: list[list[int]], misses: Sequence[Miss], each: int, ask: Ask) -> list[Miss]:
    """Those that a language model finds about as likely as the caption, of each kind one first."""
    tried = [i for own in ranked[: each + 1] for i in own[:_ASKED]]
    mine, *theirs = ask([caption, *(misses[i].text for i in tried)])
    off = {i: abs(likely - mine - LIKELIER) for i, likely in zip(tried, theirs, strict=True)}
    ranked = [sorted(own, key=lambda i: off.get(i, math.inf)) for own in ranked]
    ranked.sort(key=lambda own: off.get(own[0], math.inf))
    turns = [own[turn] for turn in range(each) for own in ranked if turn < len(own)]
    return [misses[i] for i in turns[:each]]
