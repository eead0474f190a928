"""Several processes as one: who is who, and what each learns of the others' features.

There is no wrapper around the model: every process computes the loss of the whole batch from gathered features, keeps
the gradient of its own rows, runs it back through its own towers, and the towers' gradients are added up. That is the
gradient of one process with the whole batch, to rounding; a gather without gradients halves it at two processes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor, nn

from counterfoil.tasks.training.batch import Layout, join_layouts

_PATIENCE = timedelta(hours=4)
"""How long a process waits for the others: one may be packing."""


@dataclass(frozen=True)
class World:
    """This process among its fellows."""

    rank: int
    ranks: int
    device: torch.device

    @property
    def leads(self) -> bool:
        """Whether this process writes logs and checkpoints."""
        return self.rank == 0

    def wait(self) -> None:
        """Until all are here."""
        if self.ranks > 1:
            dist.barrier()


def open_world(device: str) -> World:
    """This process as torchrun started it, or alone. ``device`` is auto, cpu or cuda."""
    ranks = int(os.environ.get("WORLD_SIZE", "1"))
    cuda = torch.cuda.is_available() if device == "auto" else device == "cuda"
    place = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0"))) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(place)
    if ranks > 1 and not dist.is_initialized():
        dist.init_process_group("nccl" if cuda else "gloo", timeout=_PATIENCE)
    return World(dist.get_rank() if ranks > 1 else 0, ranks, place)


def close_world() -> None:
    """Leave the others."""
    if dist.is_initialized():
        dist.destroy_process_group()


def gather_rows(own: Tensor, sizes: Sequence[int], world: World) -> list[Tensor]:
    """Everyone's rows [n_r, D], of ``sizes`` each; one's own are ``own`` itself, the others' have no gradient."""
    if world.ranks == 1:
        return [own]
    most = max(sizes)
    padded = own.detach().new_zeros((most, own.shape[1]))
    padded[: len(own)] = own.detach()
    found = [torch.empty_like(padded) for _ in sizes]
    dist.all_gather(found, padded)
    parts = [part[:size] for part, size in zip(found, sizes, strict=True)]
    parts[world.rank] = own
    return parts


def gather_layouts(own: Layout, world: World) -> list[Layout]:
    """Everyone's layouts, in the order of ranks."""
    if world.ranks == 1:
        return [own]
    found: list[Layout] = [own] * world.ranks
    dist.all_gather_object(found, own)
    return found


def add_gradients(parameters: Iterable[nn.Parameter], world: World) -> None:
    """Replace every gradient by the sum over all processes, as one flat exchange."""
    if world.ranks == 1:
        return
    trained = list(parameters)
    for each in trained:
        if each.grad is None:
            each.grad = torch.zeros_like(each)
    flat = torch.cat([each.grad.flatten() for each in trained if each.grad is not None])
    dist.all_reduce(flat)
    start = 0
    for each in trained:
        assert each.grad is not None
        each.grad.copy_(flat[start : start + each.numel()].view_as(each))
        start += each.numel()


def merge_layouts(layouts: Sequence[Layout], device: torch.device) -> Layout:
    """The layout of the whole batch, on a device."""
    return (join_layouts(layouts) if len(layouts) > 1 else layouts[0]).to(device)
