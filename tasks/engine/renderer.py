"""The script renderer as makers and verifiers see it: opened at first use, and remembering what it rendered."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from functools import lru_cache

from counterfoil.renderers.results import Outcome, Rendering, ScriptRenderer
from counterfoil.renderers.sheet import Sheet

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
        self._exact: dict[Hashable, bool] = {}
        """Of each look of sheets, whether they are drawn here as their scripts draw them."""
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

    def render_together(self, scripts: Sequence[str], sheets: Sequence[Sheet] = ()) -> list[Rendering]:
        keys = [_hash(script) for script in scripts]
        with self._lock:
            # Taken before others are kept, which may push the oldest out.
            found = {key: self._recall(key) for key in keys if key in self._known}
            new = {key: script for key, script in zip(keys, scripts, strict=True) if key not in found}
            for key, sheet in zip(keys, sheets, strict=bool(sheets)):
                drawn = self._draw(new[key], sheet) if key in new else None
                if drawn is not None:
                    del new[key]
                    found[key] = self._keep(key, drawn)
            if new:
                rest = self._open().render_together(list(new.values()))
                found |= {key: self._keep(key, rendering) for key, rendering in zip(new, rest, strict=True)}
            return [found[key] for key in keys]

    def _draw(self, script: str, sheet: Sheet) -> Rendering | None:
        """The sheet drawn without its script; None where only the script tells.

        The first sheet of each look is drawn both ways: another matplotlib, or settings of the machine, may draw it
        otherwise here than in the sandbox, and then scripts alone are believed.
        """
        from counterfoil.renderers.direct import draw_sheet

        look = (sheet.canvas, sheet.mathematics, frozenset((text.family, text.slanted) for text in sheet.letters))
        known = self._exact.get(look)
        if known is False:
            return None
        drawn = draw_sheet(sheet, self.level)
        if drawn is not None and known is None:
            proof = self._open().render(script)
            self._exact[look] = (proof.png, proof.drawing) == (drawn.png, drawn.drawing)
            return proof
        return drawn

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


@lru_cache(maxsize=64)
def _hash(script: str) -> str:
    return hashlib.sha256(script.encode("utf-8", "surrogatepass")).hexdigest()
