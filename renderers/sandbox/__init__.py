"""The sandbox for Python scripts that a model wrote: matplotlib in, picture and recorded drawing out.

`open_renderer` starts a renderer at the strongest level that works here; `probe_levels` says layer by layer what
works and why not. Names are imported on first use, because this package is loaded inside the sandbox too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counterfoil.renderers.sandbox.levels import LayerStatus as LayerStatus
    from counterfoil.renderers.sandbox.levels import open_renderer as open_renderer
    from counterfoil.renderers.sandbox.levels import probe_levels as probe_levels
    from counterfoil.renderers.sandbox.limits import Limits as Limits
    from counterfoil.renderers.sandbox.limits import SandboxError as SandboxError
    from counterfoil.renderers.sandbox.renderer import SandboxRenderer as SandboxRenderer

_HOMES = {
    "LayerStatus": "levels",
    "open_renderer": "levels",
    "probe_levels": "levels",
    "Limits": "limits",
    "SandboxError": "limits",
    "SandboxRenderer": "renderer",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
