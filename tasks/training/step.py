"""The gradient of one batch: encode, gather, lose, and run back; in chunks where memory is short.

Cached gradients (Gao et al. 2021, GradCache): features of all chunks are taken without a graph, the loss gives the
gradient of each feature, and each chunk is encoded again with a graph to run its rows' gradients back. The result is
that of the whole batch at once, the logit scale's too, since it is no part of a chunk.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from counterfoil.tasks.training.batch import Batch, Features, Layout, split_features
from counterfoil.tasks.training.distributed import World, gather_layouts, gather_rows, merge_layouts
from counterfoil.tasks.training.finite import check_features
from counterfoil.tasks.training.objectives import Objective
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.towers import Towers

PATCHED = frozenset({"phrases"})
"""Terms that read a picture's patches."""
Encode = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Learnt:
    """What one batch came to."""

    loss: float
    terms: dict[str, float]
    features: Features
    """Of the whole batch, detached."""
    scale: Tensor


def add_batch_gradient(
    towers: Towers,
    objective: Objective,
    batch: Batch,
    world: World,
    settings: TrainingSettings,
    weight: float = 1.0,
    when: str = "in this step",
) -> Learnt:
    """Add ``weight`` times the gradient of a batch's loss to the parameters that learn.

    The gradients of the towers are this process's share: `add_gradients` makes them whole. Those of the logit scale and
    of the objective's own parameters are divided by the number of processes, so that the same sum is right for them.

    Raises:
        TrainingError: a feature is no finite number; ``when`` is told with it.
    """
    device, chunk = world.device, settings.chunk
    precision = lambda: _autocast(settings, device)  # noqa: E731
    see = towers.encode_patches if PATCHED & set(settings.terms) else towers.encode_pictures
    pictures = _Encoded(see, (batch.pictures,), chunk, device, precision)
    texts = _Encoded(towers.encode_tokens, (batch.tokens, batch.mask), chunk, device, precision)
    layouts = gather_layouts(batch.layout, world)
    shown, said = pictures.encode(), texts.encode()
    if not len(shown):
        shown = said.detach()[:0].requires_grad_()
    features = _join(shown, said, layouts, world)
    before = sum(each.anchors for each in layouts[: world.rank])
    check_features(features, batch.anchor_ids, towers, settings.model, when, before)
    shared = [each for each in (*_list_scales(towers), *objective.parameters()) if each.requires_grad]
    scale = towers.logit_scale.exp().to(said.dtype)
    loss, terms = objective(features, scale, towers.logit_bias)
    gradients = torch.autograd.grad(weight * loss, [shown, said, *shared], allow_unused=True)
    for parameter, gradient in zip(shared, gradients[2:], strict=True):
        if gradient is not None:
            part = gradient / world.ranks
            parameter.grad = part if parameter.grad is None else parameter.grad + part
    pictures.run_back(gradients[0])
    texts.run_back(gradients[1])
    kept = split_features(
        torch.cat([features.images, features.negative_images, features.positive_images]).detach(),
        torch.cat([features.texts, features.negative_texts, features.positive_texts]).detach(),
        features.layout,
    )
    values = {name: float(value) for name, value in terms.items()}
    return Learnt(float(loss.detach()), values, kept, scale.detach())


def encode_batch(towers: Towers, batch: Batch, device: torch.device, settings: TrainingSettings) -> Features:
    """The features of a batch without a gradient, of this process alone."""
    chunk = settings.chunk or 256
    with torch.no_grad(), _autocast(settings, device):
        pictures = [towers.encode_pictures(part.to(device)) for part in batch.pictures.split(chunk) if len(part)]
        texts = [
            towers.encode_tokens(ids.to(device), mask.to(device))
            for ids, mask in zip(batch.tokens.split(chunk), batch.mask.split(chunk), strict=True)
        ]
    said = torch.cat(texts)
    shown = torch.cat(pictures) if pictures else said[:0]
    return split_features(shown, said, batch.layout.to(device))


class _Encoded:
    """Rows on their way through one tower: whole with a graph, or in chunks and twice."""

    def __init__(
        self,
        encode: Callable[..., Tensor],
        inputs: tuple[Tensor, ...],
        chunk: int,
        device: torch.device,
        precision: Callable[[], contextlib.AbstractContextManager[None]],
    ) -> None:
        self._encode, self._inputs, self._device, self._precision = encode, inputs, device, precision
        rows = len(inputs[0])
        self._chunk = chunk if 0 < chunk < rows else 0
        self._states: list[tuple[Tensor, Tensor | None]] = []
        self._whole: Tensor | None = None

    def encode(self) -> Tensor:
        """The features [rows, D] as a leaf, whose gradient `run_back` takes."""
        if not len(self._inputs[0]):
            return torch.zeros(0, device=self._device)
        if not self._chunk:
            self._whole = self._run(self._inputs)
            return self._whole.detach().requires_grad_()
        parts = []
        with torch.no_grad():
            for part in self._cut():
                self._states.append(_read_state(self._device))
                parts.append(self._run(part))
        return torch.cat(parts).requires_grad_()

    def run_back(self, gradient: Tensor | None) -> None:
        """Add what ``gradient`` [rows, D] of the features gives to the tower's parameters."""
        if gradient is None or not len(self._inputs[0]):
            return
        if self._whole is not None:
            if self._whole.requires_grad:
                self._whole.backward(gradient)
            return
        for part, share, state in zip(self._cut(), gradient.split(self._chunk), self._states, strict=True):
            # The same dropout as at the first encoding.
            with _restored(state, self._device):
                encoded = self._run(part)
            if encoded.requires_grad:
                encoded.backward(share)

    def _cut(self) -> list[tuple[Tensor, ...]]:
        return list(zip(*(each.split(self._chunk) for each in self._inputs), strict=True))

    def _run(self, inputs: tuple[Tensor, ...]) -> Tensor:
        with self._precision():
            return self._encode(*(each.to(self._device, non_blocking=True) for each in inputs))


def _join(shown: Tensor, said: Tensor, layouts: list[Layout], world: World) -> Features:
    """The whole batch's features: by role, and in each role by rank."""
    pictures = gather_rows(shown, [sum(each.picture_sizes) for each in layouts], world)
    texts = gather_rows(said, [sum(each.text_sizes) for each in layouts], world)
    parts = [split_features(*each) for each in zip(pictures, texts, layouts, strict=True)]
    if len(parts) == 1:
        return split_features(shown, said, layouts[0].to(world.device))
    names = ("images", "negative_images", "positive_images", "texts", "negative_texts", "positive_texts")
    joined = {name: torch.cat([getattr(part, name) for part in parts]) for name in names}
    seen = [part.patches for part in parts if part.patches is not None]
    patches = torch.cat(seen) if seen else None
    return Features(**joined, layout=merge_layouts(layouts, world.device), patches=patches)


def _list_scales(towers: Towers) -> list[nn.Parameter]:
    found = [getattr(towers.model, name, None) for name in ("logit_scale", "logit_bias")]
    return [each for each in found if each is not None]


def _autocast(settings: TrainingSettings, device: torch.device) -> contextlib.AbstractContextManager[None]:
    if settings.precision == "float32":
        return contextlib.nullcontext()
    return torch.autocast(device.type, torch.bfloat16)


def _read_state(device: torch.device) -> tuple[Tensor, Tensor | None]:
    return torch.get_rng_state(), torch.cuda.get_rng_state(device) if device.type == "cuda" else None


@contextlib.contextmanager
def _restored(state: tuple[Tensor, Tensor | None], device: torch.device):  # type: ignore[no-untyped-def]
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.set_rng_state(state[0])
        if state[1] is not None:
            torch.cuda.set_rng_state(state[1], device)
        yield
