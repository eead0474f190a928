"""Importing the libraries of models, and where and in what precision a model runs."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class ModelError(Exception):
    """A model cannot be had. The message says which, and how to get it."""

    fatal = True
    """It is about the run, not about the row at hand."""


def import_library(name: str, extra: str) -> Any:
    """The library ``name``, which the extra ``extra`` installs.

    Raises:
        ModelError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ModelError(f"{name} is not installed: pip install 'counterfoil[{extra}]' ({error})") from error


@contextmanager
def explain_loading(key: str, name: str) -> Iterator[None]:
    """What a library raises for a model that is not there or not of that kind, in words."""
    try:
        yield
    except (OSError, ValueError, KeyError, AttributeError, ImportError) as error:
        raise ModelError(
            f"[caption] {key} = {name!r} cannot be loaded: give a hub id or a folder that holds such a model ({error})"
        ) from error


def choose_device(torch: Any) -> str:
    return "cuda" if torch.cuda.is_available() else "cpu"


def choose_precision(torch: Any, half: bool) -> Any:
    """Half precision where a GPU computes it; on a processor it is slower than single."""
    return torch.float16 if half and torch.cuda.is_available() else torch.float32
