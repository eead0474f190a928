"""Pele: a Mermaid parser in JavaScript, run in embedded QuickJS; merman's is the cross-check."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from counterfoil.renderers.mermaid.protocol import MermaidError

_MEMORY_BYTES = 256 * 1024 * 1024


class PeleEngine:
    """One QuickJS context with Pele in it; made anew after a JavaScript failure that is not a parse error."""

    def __init__(self) -> None:
        self._context = _make_context()

    def parse(self, code: str) -> dict[str, Any]:
        """Pele's graph, or ``{"error": {"message", "code", "line", "column"}}``."""
        return self._call("parseChart", code)

    def _call(self, function: str, code: str) -> dict[str, Any]:
        import quickjs

        try:
            return json.loads(self._context.eval(f"{function}({json.dumps(code)})"))
        except quickjs.JSException as error:
            # An interrupted or exhausted context must not serve the next chart.
            self._context = _make_context()
            raise MermaidError("engine", f"Pele failed: {str(error).splitlines()[0][:300]}") from error


def _make_context() -> Any:
    import quickjs

    spec = importlib.util.find_spec("mermaid_render")
    if spec is None or not spec.submodule_search_locations:
        raise MermaidError("engine", "Pele is not installed: pip install mermaid-render")
    bundle = Path(next(iter(spec.submodule_search_locations))) / "pele" / "pele.global.js"
    context = quickjs.Context()
    context.set_memory_limit(_MEMORY_BYTES)
    context.eval(bundle.read_text(encoding="utf-8"))
    context.eval(Path(__file__).with_name("pele_engine.js").read_text(encoding="utf-8"))
    return context
