"""Choosing among more negatives than are wanted those that tell least, over the whole corpus.

What a family can make of an anchor is not what problems look like: `2x` can become `3x` to `7x` and hardly anything
becomes `2x`, whatever numbers are drawn, as many edits are impossible. So more are made than are wanted, all of them
verified, and of each anchor's those stay with which over all anchors every n-gram, every class of a number and every
pair of such classes is gained as often as it is lost (`counterfoil.tasks.contract.choosing`). It is refinement with
spare rows to choose from: nothing is lost for it.

Judges of what is left find less than nothing at times: where the whole is in balance, what four fifths of it have too
much of, the last fifth has too little of, and a judge that learnt from the first is wrong about the last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from zlib import crc32

import numpy as np
import scipy

from counterfoil.tasks.contract.choosing import Edits, Limit, choose
from counterfoil.tasks.contract.quotas import Quota
from counterfoil.tasks.encoders.fluency import open_language_model
from counterfoil.tasks.tells.compare import Comparison, name_row
from counterfoil.tasks.tells.judges import RARE
from counterfoil.tasks.tells.linear import Vocabulary
from counterfoil.tasks.tells.places import PLACES, measure_places
from counterfoil.tasks.tells.wording import NAMES, list_ngrams, measure_text

UNIT = 40
"""The amount of one feature that is there: amounts are whole numbers, so that every machine chooses alike."""
MARGIN = 1.0
"""A text must be so much likelier, in nats, to count as likelier: another model, which knows other texts, prefers what
stood there first a little more than the one that chooses."""
_FAR = 6
"""Features further from their mean, in spreads, are cut."""
_SETS = 32
"""Sets that are drawn of an anchor's rows."""
_FINE, _COARSE = 12, 4
"""Classes of a simple number alone, and of two together."""
_PAIRED = tuple(place for place, name in enumerate(NAMES) if "number" in name or "five" in name or "digit" in name)
"""Simple numbers of which pairs are balanced: those of the text's own numbers, where most of what tells lies."""
_DIGITS = 6


def choose_spare(
    comparison: Comparison,
    wanted: int,
    changes: Mapping[str, Sequence[str]] | None = None,
    quotas: Sequence[Quota] = (),
    likely: Sequence[np.ndarray] = (),
    worlds: Mapping[str, str] | None = None,
) -> set[str]:
    """Row ids of the contrasts that are not wanted, where an anchor has more than ``wanted``: texts alone.

    Of each anchor some sets of so many are drawn blindly, and of these one is chosen: were rows chosen one by one,
    those would stay that outweigh one another, with their anchor in the middle. Sets whose rows outweigh one another
    have it there, too. So over the corpus anchors shall stand in the middle, and at the edge, as often as by chance
    (`counterfoil.tasks.tells.places`).

    Args:
        changes: what rows change, by row id.
        quotas: what holds for these.
        likely: log-likelihoods of the rows by language models: of each kind of change as many stay that are likelier
            than what they were made of as are not.
        worlds: by row id, the name of the set that a row was made with: those stay together, then those whose names
            begin with the same line.
    """
    texts = [row.text for row in comparison.rows]
    profile, worth = profile_texts(texts, comparison.items.own)
    kinds = sorted({kind for told in (changes or {}).values() for kind in told}) or [""]
    fluent = np.full(len(kinds) * len(likely), _WORTH_FLUENT, np.int64)
    worth = np.concatenate([worth, fluent, np.full(PLACES, _WORTH_PLACE, np.int64)])
    groups, others, sets = [], [], []
    for own, other in comparison.items.divide():
        named = _find_named(comparison, own, other)
        nearest = _find_nearest(profile, own, other) if named is None else named
        gaps = (profile[other] - profile[nearest]).tocsr()
        told = [(changes or {}).get(comparison.rows[i].row_id, ()) for i in other]
        column = np.array([kinds.index(next(iter(each), kinds[0])) for each in told])
        for known in likely:
            lead = np.sign(known[other] - known[nearest] - MARGIN).astype(np.int64) * UNIT
            fluent = scipy.sparse.csr_array((lead, (np.arange(len(other)), column)), (len(other), len(kinds)))
            gaps = scipy.sparse.csr_array(scipy.sparse.hstack([gaps, fluent], format="csr"))
        rng = np.random.default_rng(crc32(comparison.rows[own[0]].anchor_id.encode()))
        made = [(worlds or {}).get(comparison.rows[i].row_id, "") for i in other]
        drawn = _draw_sets(made, wanted, [quota.limit(told, wanted) for quota in quotas], rng)
        places = np.concatenate(drawn)
        ends = np.cumsum([0, *map(len, drawn)])
        sums = scipy.sparse.csr_array((np.ones(len(places), np.int64), places, ends), (len(drawn), len(other))) @ gaps
        around = [texts[i] for i in (*own, *other)]
        standing = measure_places(around, len(own), drawn, None if named is None else np.searchsorted(own, named))
        sums = scipy.sparse.csr_array(
            scipy.sparse.hstack([sums, np.rint(UNIT * standing)], format="csr", dtype=np.int64)
        )
        sums.eliminate_zeros()
        sums.sort_indices()
        groups.append(Edits(sums.indices.astype(np.int64), sums.data, sums.indptr.astype(np.int64)))
        others.append(other)
        sets.append(drawn)
    chosen = choose(groups, 1, worth=worth)
    kept = {int(i) for other, drawn, own in zip(others, sets, chosen, strict=True) for i in other[drawn[own[0]]]}
    return {comparison.rows[i].row_id for other in others for i in other.tolist() if i not in kept}


def _draw_sets(
    worlds: Sequence[str], wanted: int, limits: Sequence[Limit], rng: np.random.Generator
) -> list[np.ndarray]:
    """The places of up to `_SETS` sets of ``wanted`` rows, within the limits as far as these allow, of as few of the
    ``worlds`` that the rows are of as can be."""
    count, names = len(worlds), sorted(set(worlds))
    heads = [name.partition("\n")[0] for name in names]
    lines = sorted(set(heads))
    if count <= wanted:
        return [np.arange(count)]
    found: dict[tuple[int, ...], None] = {}
    for _ in range(_SETS):
        own: list[int] = []
        order = rng.permutation(count).tolist()
        if len(names) > 1:
            first, of_line = rng.permutation(len(names)), rng.permutation(len(lines))
            ranks = {
                name: (int(of_line[lines.index(head)]), int(place))
                for name, head, place in zip(names, heads, first, strict=True)
            }
            order.sort(key=lambda place: ranks[worlds[place]])
        for place in order:
            if len(own) < wanted and all(limit.leave(own)[place] for limit in limits):
                own.append(place)
        # Limits of several sorts may shut out one another.
        own += [place for place in order if place not in own][: wanted - len(own)]
        found[tuple(sorted(own))] = None
    return [np.array(each) for each in found]


def measure_likelihoods(name: str, comparison: Comparison) -> np.ndarray:
    """The log-likelihood of each row's text by a language model.

    Raises:
        EncoderError, MissingPackageError: the model cannot be loaded.
    """
    return np.array(open_language_model(name).likelihoods([row.text for row in comparison.rows]))


def choose_first(ranks: Mapping[str, Sequence[tuple[int, str]]], wanted: int) -> set[str]:
    """Row ids of all but each anchor's first ``wanted``: where nothing can be compared. ``ranks``: by anchor, the rank
    and id of each row."""
    return {row_id for rows in ranks.values() for _, row_id in sorted(rows)[wanted:]}


def profile_texts(texts: Sequence[str], own: np.ndarray) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """What shows of each text, int64 of shape (texts, features), and how much each feature matters.

    N-grams by the logarithms of their counts, simple numbers as they are and in classes of which anchors (``own``) have
    equally many, and pairs of coarser classes.
    """
    ngrams = [list_ngrams(text) for text in texts]
    words = Vocabulary(ngrams, RARE).count(ngrams)
    numbers = np.stack([measure_text(text) for text in texts]).round(_DIGITS)
    spread = numbers.std(axis=0)
    scaled = np.clip((numbers - numbers.mean(axis=0)) / np.where(spread > 1e-9, spread, np.inf), -_FAR, _FAR)
    fine = [_classify(column, own, _FINE) for column in numbers.T]
    coarse = [_classify(column, own, _COARSE) for column in numbers.T]
    paired = [coarse[one] * (_COARSE + 1) + coarse[other] for one, other in combinations(_PAIRED, 2)]
    blocks = [words, scipy.sparse.csr_array(scaled), _mark(fine), _mark(paired)]
    profile = scipy.sparse.hstack(blocks, format="csr")
    profile.data = np.rint(UNIT * profile.data)
    worth = np.repeat(np.array(_WORTH, np.int64), [block.shape[1] for block in blocks])
    return scipy.sparse.csr_array(profile.astype(np.int64)), worth


def _find_named(comparison: Comparison, own: np.ndarray, other: np.ndarray) -> np.ndarray | None:
    """For each contrast, the true text that it names itself; None where they stand next to their anchor's."""
    named = {name_row(comparison.rows[i]): i for i in own}
    found = [named.get(comparison.rows[i].row_id) for i in other]
    return None if None in found else np.array(found, dtype=np.int64)


def _find_nearest(profile: scipy.sparse.csr_array, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """For each contrast, the one of its anchor's texts that it is nearest to: a near miss of one of several captions is
    told by what was changed, and not by what sets captions apart. The first of equals."""
    mine, theirs = profile[own], profile[other]
    # All whole numbers: |a - b|^2 without |b|^2, which is the same for all of the anchor's texts.
    distances = mine.power(2).sum(axis=1)[:, None] - 2 * (mine @ theirs.T).toarray()
    return np.asarray(own[np.argmin(distances, axis=0)])


_WORTH_PLACE = 30
"""Of where the anchor stands in its set: a few features against hundreds of n-grams."""
_WORTH_FLUENT = 50000
"""Of what is likelier: one feature for each kind of change, against hundreds of n-grams."""
_WORTH = (1, 30, 4, 2)
"""Of n-grams, simple numbers, their classes, and pairs of classes: there are many n-grams and few numbers."""


def _classify(column: np.ndarray, own: np.ndarray, classes: int) -> np.ndarray:
    """The class of each value, from 0 to at most ``classes`` - 1: between values that anchors have equally often."""
    shares = np.linspace(0, 1, classes + 1)[1:-1]
    cuts = np.unique(np.quantile(column[own], shares, method="inverted_cdf"))
    return np.asarray(np.searchsorted(cuts, column, side="left"))


def _mark(classes: Sequence[np.ndarray]) -> scipy.sparse.csr_array:
    """A 1 for the class that each item has of each number. Shape (items, classes in all)."""
    sizes = [int(each.max()) + 1 for each in classes]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    columns = np.stack(classes, axis=1) + starts[:-1]
    count = len(columns)
    ends = np.arange(count + 1) * len(classes)
    return scipy.sparse.csr_array((np.ones(columns.size), columns.ravel(), ends), shape=(count, int(starts[-1])))
