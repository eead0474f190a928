"""Mermaid flowcharts without a browser: parse, lay out with one of two engines, paint; hostile input in a worker."""

from counterfoil.renderers.mermaid.client import MermaidWorker
from counterfoil.renderers.mermaid.protocol import Look, Mermaid, MermaidError

__all__ = ["Look", "Mermaid", "MermaidError", "MermaidWorker"]
