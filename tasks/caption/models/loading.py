"""Importing the libraries of models, and where and in what precision a model runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from counterfoil.tasks.packages import import_package


class ModelError(Exception):
    """A model cannot be had. The message says which, and how to get it."""

    fatal = True
    """It is about the run, not about the row at hand."""


@contextmanager
def explain_loading(key: str, name: str) -> Iterator[None]:
    """What a library raises for a model that is not there or not of that kind, in words."""
    try:
        yield
    except (OSError, ValueError, KeyError, AttributeError, ImportError) as error:
        raise ModelError(
            f"[caption] {key} = {name!r} cannot be loaded: give a hub id or a folder that holds such a model ({error})"
        ) from error


@dataclass(frozen=True)
class Loaded:
    """A model of transformers in the mood to infer, on the GPU where there is one, and what reads its inputs."""

    torch: Any
    reader: Any
    model: Any


def load_model(key: str, name: str, reader: str, model: str) -> Loaded:
    """Load a model and its reader (tokenizer or processor) by the names of their classes in transformers.

    Raises:
        ModelError: ``name`` is no such model.
        MissingPackageError: torch or transformers is not installed.
    """
    torch, transformers = (import_package(each, f"[caption] {key}", "train") for each in ("torch", "transformers"))
    with explain_loading(key, name):
        read = getattr(transformers, reader).from_pretrained(name)
        # Safetensors alone: a pickle runs what it likes.
        loaded = getattr(transformers, model).from_pretrained(name, use_safetensors=True)
    return Loaded(torch, read, loaded.to(choose_device(torch)).eval())


def choose_device(torch: Any) -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def choose_precision(torch: Any, half: bool) -> Any:
    """Half precision where a GPU computes it; on a processor it is slower than single."""
    return torch.float16 if half and torch.cuda.is_available() else torch.float32
