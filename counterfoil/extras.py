"""Libraries that only some users need: imported where they are used, with an error that names the extra."""

from __future__ import annotations

import importlib
from types import ModuleType

EXTRAS = {"pandas": "frames", "polars": "frames", "duckdb": "frames", "torch": "torch"}
"""Library to the extra of ours that installs it."""


class MissingExtraError(ImportError):
    """A library is not installed. The message names the extra that has it."""


def import_extra(library: str, what: str) -> ModuleType:
    """Import ``library``, which ``what`` needs.

    Raises:
        MissingExtraError: it is not installed.
    """
    package = library.partition(".")[0]
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        raise MissingExtraError(
            f"{what} needs {package}: pip install 'counterfoil[{EXTRAS[package]}]', or {package} by itself",
            name=package,
        ) from error
