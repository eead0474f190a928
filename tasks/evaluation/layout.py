"""Where a model puts statements that mean the same: two principal axes of each pair of fields (MELD, Figure 1).

Do statements lie by what they mean, or by the field that they are worded in? The paper draws UMAP's picture; two
principal axes need no seed and stretch nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from counterfoil.tasks.evaluation.benchmark import Layout
    from counterfoil.tasks.evaluation.model import Model


@dataclass(frozen=True)
class Panel:
    """The pairs of one panel: ``points`` is ``float64`` of shape (pairs, 2 sides, 2)."""

    name: str
    points: np.ndarray
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Plane:
    """All panels of a drawing."""

    title: str
    panels: tuple[Panel, ...]


def place_texts(layout: Layout, model: Model) -> Plane:
    """The places of each pair of texts, by panel."""
    nodes = np.array(layout.nodes, dtype=np.int64)
    names = np.array(layout.panels)
    panels = []
    for name in dict.fromkeys(layout.panels):
        chosen = np.flatnonzero(names == name)
        vectors = model.give_features(nodes[chosen].ravel()).astype(np.float64)
        points = _project(vectors).reshape(len(chosen), 2, 2)
        panels.append(Panel(name, points, tuple(layout.fields[place] for place in chosen.tolist())))
    return Plane(layout.title, tuple(panels))


def _project(vectors: np.ndarray) -> np.ndarray:
    """The first two principal components, each with its largest entry positive, so that no sign is left to chance."""
    centred = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    axes = np.vstack([axes, np.zeros((2, axes.shape[1]))])[:2]
    largest = np.abs(axes).argmax(axis=1)
    signs = np.sign(axes[np.arange(2), largest])
    return np.asarray(centred @ (axes * np.where(signs == 0, 1, signs)[:, None]).T)
