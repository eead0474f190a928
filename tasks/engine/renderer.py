"""The script renderer as makers and verifiers see it: opened at first use, and remembering what it rendered."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence

from counterfoil.renderers.results import Outcome, Rendering, ScriptRenderer

REMEMBERED = 1024
"""Renderings kept: an anchor with its ten negative pictures, or a bank of templates (at 512 x 512, about 30 MB)."""
ENDED = (Outcome.TIMEOUT, Outcome.MEMORY, Outcome.OUTPUT_LIMIT, Outcome.KILLED)


class MemoRenderer:
    """A `ScriptRenderer` that renders the same script once.

    A maker renders a picture and the verifier asks for it again by its stored code: the second call costs a hash.
    Only deterministic outcomes are remembered; a time-out or a lost worker is tried again.
    """

    def __init__(self, level: str | None = None, unsafe: bool = False) -> None:
        self._wanted = level
        self._unsafe = unsafe
        self._inner: ScriptRenderer | None = None
        self._known: OrderedDict[str, Rendering] = OrderedDict()
        self._lock = threading.Lock()
        self.rendered = 0
        self.killed = 0
        """Scripts that had to be ended."""

    @property
    def level(self) -> str:
        return self._open().level

    def render(self, script: str) -> Rendering:
        key = _hash(script)
        with self._lock:
            if key in self._known:
                return self._recall(key)
            return self._keep(key, self._open().render(script))

    def render_together(self, scripts: Sequence[str]) -> list[Rendering]:
        keys = [_hash(script) for script in scripts]
        with self._lock:
            # Taken before others are kept, which may push the oldest out.
            found = {key: self._recall(key) for key in keys if key in self._known}
            new = {key: script for key, script in zip(keys, scripts, strict=True) if key not in found}
            if new:
                drawn = self._open().render_together(list(new.values()))
                found |= {key: self._keep(key, rendering) for key, rendering in zip(new, drawn, strict=True)}
            return [found[key] for key in keys]

    def _recall(self, key: str) -> Rendering:
        self._known.move_to_end(key)
        return self._known[key]

    def _keep(self, key: str, rendering: Rendering) -> Rendering:
        self.rendered += 1
        self.killed += rendering.outcome in ENDED
        if rendering.outcome not in ("timeout", "worker_lost", "memory"):
            self._known[key] = rendering
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return rendering

    def close(self) -> None:
        if self._inner is not None:
            self._inner.close()
            self._inner = None

    def _open(self) -> ScriptRenderer:
        if self._inner is None:
            from counterfoil.renderers.sandbox import open_renderer

            self._inner = open_renderer(self._wanted, unsafe=self._unsafe)
        return self._inner


def _hash(script: str) -> str:
    return hashlib.sha256(script.encode("utf-8", "surrogatepass")).hexdigest()
