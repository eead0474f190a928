"""What one script may use, and the one error of the sandbox's boundary."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any


class SandboxError(RuntimeError):
    """The sandbox cannot be set up as asked, or works no longer. Says what failed, where, and what to do."""

    fatal = True
    """About the run and not about one script: nothing is run where the sandbox does not hold."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one script. Sizes are bytes, times seconds.

    ``memory`` and ``threads`` come on top of what the warm worker already uses. ``output`` bounds what a script may
    print in all; of this the last ``log`` bytes are kept. ``files`` bounds the files and folders in scratch; they are
    counted ten times a second, so that some more may be made.
    """

    wall_s: float = 20.0
    cpu_s: int = 15
    memory: int = 1 << 30
    file_size: int = 16 << 20
    scratch: int = 64 << 20
    files: int = 4096
    threads: int = 64
    max_side: int = 4096
    max_pixels: int = 12 << 20
    output: int = 32 << 20
    log: int = 64 << 10
    record: int = 2 << 20
    script: int = 1 << 20

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) <= 0:
                raise SandboxError(f"limits: {field.name} is {getattr(self, field.name)}; it must be above 0")

    def as_dict(self) -> dict[str, Any]:
        """The limits as the worker's JSON configuration holds them."""
        return asdict(self)
