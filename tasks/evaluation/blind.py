"""Blind baselines: what is reached by systems that see one side alone, beside every model.

The audit's judges (`tasks.tells`) learn on four fifths of a benchmark's items to tell right candidates from wrong ones
without their query, and are tried on the rest; simple rules (the longest text, the largest file) learn nothing; words
in common know no meaning. A model that is no better than these has not been shown to understand anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy

from counterfoil.tasks.evaluation.material import Material, is_picture
from counterfoil.tasks.evaluation.tasks import Choices, System
from counterfoil.tasks.packages import explained
from counterfoil.tasks.tells.blocks import deal_folds
from counterfoil.tasks.tells.compare import FEWEST_BLOCKS, FOLDS
from counterfoil.tasks.tells.figures import Items
from counterfoil.tasks.tells.judges import Judge, TreeJudge, judge_ngrams, judge_numbers, score_folds
from counterfoil.tasks.tells.pictures import Seen, see_picture
from counterfoil.tasks.tells.pixels import PixelJudge, has_torch
from counterfoil.tasks.tells.wording import list_ngrams, measure_text

TEXT, PICTURE = "text only", "picture only"
_SEED = 0


def list_blind(material: Material, *, pixels: bool = False) -> Iterator[System]:
    """All blind systems, those that learn first. ``pixels``: also the slow judge that looks at pixels."""
    looks = _Looks(material)
    for name in ("n-grams", "features", "trees"):
        yield Learner(f"{TEXT}: {name}", False, _make_text_judge(name, material))
    yield Rule(f"{TEXT}: longest", False, lambda node: float(len(material.text_of(node))))
    yield Rule(f"{TEXT}: shortest", False, lambda node: -float(len(material.text_of(node))))
    yield Words(material)
    for name in ("features", "trees", *(("pixels",) if pixels and has_torch() else ())):
        yield Learner(f"{PICTURE}: {name}", True, _make_picture_judge(name, looks))
    yield Rule(f"{PICTURE}: largest file", True, looks.measure_size)
    yield Numbers(looks)


class _Looks:
    """What is measured of each picture, once."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._seen: dict[int, tuple[Seen, int]] = {}

    def see(self, node: int) -> Seen:
        return self._look(node)[0]

    def measure_size(self, node: int) -> float:
        """Bytes of the file."""
        return float(self._look(node)[1])

    def _look(self, node: int) -> tuple[Seen, int]:
        if node not in self._seen:
            content = self._material.pictures[node // 2].read()
            self._seen[node] = (see_picture(content), len(content))
        return self._seen[node]


class Rule:
    """A score of each candidate by itself."""

    kind = "blind"

    def __init__(self, name: str, of_pictures: bool, measure: Callable[[int], float]) -> None:
        self.name, self._of_pictures, self._measure = name, of_pictures, measure

    def score_rows(self, choices: Choices) -> np.ndarray | None:
        return self._score(choices.candidate)

    def score_block(self, queries: np.ndarray, documents: np.ndarray) -> np.ndarray | None:
        scores = self._score(documents)
        return None if scores is None else np.tile(scores, (len(queries), 1))

    def give_features(self, nodes: np.ndarray) -> None:  # noqa: ARG002 - one number is no feature vector
        return None

    def _score(self, nodes: np.ndarray) -> np.ndarray | None:
        if not (is_picture(nodes) == self._of_pictures).all():
            return None
        unique, place = np.unique(nodes, return_inverse=True)
        return np.array([self._measure(node) for node in unique.tolist()], dtype=np.float32)[place]


class Words:
    """Words that a text shares with the query, weighed by how rare they are (TF-IDF): no meaning, no order."""

    kind = "blind"
    name = f"{TEXT}: words in common"

    def __init__(self, material: Material) -> None:
        self._material = material
        self._rows: scipy.sparse.csr_array | None = None

    def score_rows(self, choices: Choices) -> np.ndarray | None:
        if is_picture(choices.query).any() or is_picture(choices.candidate).any():
            return None
        rows = self._weigh()
        mine, theirs = rows[choices.query // 2], rows[choices.candidate // 2]
        return np.asarray(mine.multiply(theirs).sum(axis=1)).ravel().astype(np.float32)

    def score_block(self, queries: np.ndarray, documents: np.ndarray) -> np.ndarray | None:
        if is_picture(queries).any() or is_picture(documents).any():
            return None
        rows = self._weigh()
        return np.asarray((rows[queries // 2] @ rows[documents // 2].T).toarray(), dtype=np.float32)

    def give_features(self, nodes: np.ndarray) -> None:  # noqa: ARG002 - of pictures it knows nothing
        return None

    def _weigh(self) -> scipy.sparse.csr_array:
        if self._rows is None:
            with explained("a blind baseline"):
                from sklearn.feature_extraction.text import TfidfVectorizer
            learner = TfidfVectorizer(token_pattern=r"\\?\w+|[^\w\s]")
            self._rows = scipy.sparse.csr_array(learner.fit_transform(self._material.texts))
        return self._rows


class Learner:
    """One of the audit's judges, learnt on four fifths of the blocks and tried on the rest, five times over."""

    kind = "blind"

    def __init__(self, name: str, of_pictures: bool, make: Callable[[np.ndarray], Judge]) -> None:
        self.name, self._of_pictures, self._make = name, of_pictures, make

    def score_rows(self, choices: Choices) -> np.ndarray | None:
        if not (is_picture(choices.candidate) == self._of_pictures).all():
            return None
        _, blocks = np.unique(np.array(choices.blocks, dtype=object).astype(str), return_inverse=True)
        if blocks.max(initial=0) + 1 < FEWEST_BLOCKS:
            return None
        folds = deal_folds(blocks, choices.items, FOLDS, _SEED)
        items = Items(choices.item, choices.right, blocks, folds)
        scores = score_folds(items, self._make(choices.candidate))
        return _level(scores.astype(np.float32), choices)

    def score_block(self, queries: np.ndarray, documents: np.ndarray) -> None:  # noqa: ARG002 - nothing to learn from
        return None

    def give_features(self, nodes: np.ndarray) -> None:  # noqa: ARG002 - it needs right and wrong candidates
        return None


def _level(scores: np.ndarray, choices: Choices) -> np.ndarray:
    """Equal candidates of one item score equally, whatever the order of sums was."""
    places = choices.item * (int(choices.candidate.max()) + 1) + choices.candidate
    _, first, place = np.unique(places, return_index=True, return_inverse=True)
    return np.asarray(scores[first][place])


class Numbers:
    """The audit's simple numbers of each picture (sizes, ink, edges, colours) as features for a probe."""

    kind = "blind"
    name = f"{PICTURE}: simple numbers"

    def __init__(self, looks: _Looks) -> None:
        self._looks = looks

    def score_rows(self, choices: Choices) -> None:  # noqa: ARG002 - `Learner` judges choices
        return None

    def score_block(self, queries: np.ndarray, documents: np.ndarray) -> None:  # noqa: ARG002 - it knows no texts
        return None

    def give_features(self, nodes: np.ndarray) -> np.ndarray:
        numbers = np.stack([self._looks.see(node).numbers for node in nodes.tolist()])
        spread = numbers.std(axis=0)
        return np.asarray((numbers - numbers.mean(axis=0)) / np.where(spread > 1e-9, spread, np.inf))


def _make_text_judge(name: str, material: Material) -> Callable[[np.ndarray], Judge]:
    def make(candidates: np.ndarray) -> Judge:
        texts = [material.text_of(node) for node in candidates.tolist()]
        if name == "n-grams":
            return judge_ngrams([list_ngrams(text) for text in texts])
        known = {text: measure_text(text) for text in set(texts)}
        numbers = np.stack([known[text] for text in texts])
        return judge_numbers(numbers) if name == "features" else TreeJudge(numbers)

    return make


def _make_picture_judge(name: str, looks: _Looks) -> Callable[[np.ndarray], Judge]:
    def make(candidates: np.ndarray) -> Judge:
        seen = [looks.see(node) for node in candidates.tolist()]
        if name == "pixels":
            return PixelJudge(np.stack([each.thumbnail for each in seen]), _SEED)
        numbers = np.stack([each.numbers for each in seen])
        return judge_numbers(numbers) if name == "features" else TreeJudge(numbers)

    return make
