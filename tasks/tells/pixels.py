"""A judge that looks at the pixels themselves: a small convolutional network, where torch is installed."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from counterfoil.tasks.tells.figures import Items
from counterfoil.tasks.tells.judges import Cut, list_pairs_of

_STEPS = 300
_BATCH = 32
_WIDTHS = (16, 32, 64)


def has_torch() -> bool:
    """Whether torch can be imported."""
    return find_spec("torch") is not None


class PixelJudge:
    """Three strided convolutions over the grey thumbnail, learnt from pairs."""

    name = "pixels"

    def __init__(self, thumbnails: np.ndarray, seed: int) -> None:
        """``thumbnails`` are ``uint8`` of shape (items, side, side)."""
        self.thumbnails, self.seed = thumbnails, seed

    def score(self, items: Items, cuts: Sequence[Cut]) -> list[np.ndarray]:
        import torch

        threads = torch.get_num_threads()
        torch.set_num_threads(1)  # small work: on a busy machine threads that wait for each other take minutes
        try:
            return [self._score(items, learn, judged) for learn, judged in cuts]
        finally:
            torch.set_num_threads(threads)

    def _score(self, items: Items, learn: np.ndarray, judged: np.ndarray) -> np.ndarray:
        import torch
        from torch import nn

        mine, theirs, weights = list_pairs_of(items, learn)
        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        rng = np.random.default_rng(self.seed)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            model = _make_model().to(device)
        optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.02)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=_STEPS)
        chances = weights / weights.sum()
        for _ in range(_STEPS):
            batch = rng.choice(len(mine), size=_BATCH, p=chances)
            gap = model(self._load(mine[batch], device)) - model(self._load(theirs[batch], device))
            loss = nn.functional.softplus(-gap).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        model.eval()
        with torch.inference_mode():
            scores = [model(self._load(part, device)).cpu() for part in np.array_split(judged, -(-len(judged) // 256))]
        return np.asarray(torch.cat(scores).numpy(), dtype=np.float64).ravel()

    def _load(self, rows: np.ndarray, device: Any) -> Any:
        import torch

        pictures = torch.from_numpy(self.thumbnails[rows]).to(device).float().unsqueeze(1)
        return 1 - pictures / 127.5


def _make_model() -> Any:
    from torch import nn

    layers: list[Any] = []
    before, step = 1, 4
    for width in _WIDTHS:
        layers += [nn.Conv2d(before, width, step + 1, stride=step, padding=1), nn.GroupNorm(8, width), nn.ReLU()]
        before, step = width, 2
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(3), nn.Flatten(), nn.Dropout(0.2), nn.Linear(before * 9, 1))
