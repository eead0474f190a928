"""Renders scripts on one warm worker and names how each ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from types import TracebackType

import numpy as np

from counterfoil.renderers.raster import encode_png, is_blank
from counterfoil.renderers.results import Drawing, Outcome, Panel, Rendering, ScriptError
from counterfoil.renderers.sandbox.claims import ClaimError, parse_drawing, parse_error
from counterfoil.renderers.sandbox.limits import Limits, SandboxError
from counterfoil.renderers.sandbox.protocol import End, Header
from counterfoil.renderers.sandbox.worker import TOGETHER, Level, RawResult, Worker, WorkerLostError
from counterfoil.renderers.sheet import Sheet

ENDS = {
    End.EXCEPTION: Outcome.EXCEPTION,
    End.EXIT: Outcome.EXIT,
    End.MEMORY: Outcome.MEMORY,
    End.TOO_LARGE: Outcome.TOO_LARGE,
    End.OUTPUT_LIMIT: Outcome.OUTPUT_LIMIT,
}


class SandboxRenderer:
    """Renders one script at a time at a fixed level. Open one with `counterfoil.renderers.sandbox.open_renderer`.

    A worker that dies or falls silent is replaced and the script tried once more on the new one; if that is lost
    too, the outcome is `Outcome.WORKER_LOST` and the next script gets a fresh worker.
    """

    def __init__(self, level: Level, limits: Limits) -> None:
        self.level = level.name
        self.layers = level.layers
        self.limits = limits
        self.replaced = 0
        """How many workers were lost and replaced so far."""
        self._owner = os.getpid()
        self._worker = Worker(level, limits)

    def render(self, script: str) -> Rendering:
        """Run ``script`` isolated and return its rendering.

        Never raises for what the script does; raises `SandboxError` where the sandbox itself no longer works.
        """
        return self._run([script])[0]

    def render_together(
        self,
        scripts: Sequence[str],
        sheets: Sequence[Sheet] = (),  # noqa: ARG002 - what runs scripts needs none
    ) -> list[Rendering]:
        """Run scripts of *our own making* one after another in one isolated child, matplotlib reset between them.

        It saves a fork for each. They share an interpreter, so that one could change what the next draws: never give
        it what a model, a file or a table holds. The renderings are those that `render` gives; a script that does not
        finish is run again by itself, and so are those behind it.

        Raises:
            SandboxError: the sandbox itself no longer works.
        """
        made: list[Rendering] = []
        for start in range(0, len(scripts), TOGETHER):
            some = scripts[start : start + TOGETHER]
            for script, rendering in zip(some, self._run(some), strict=True):
                good = len(some) == 1 or rendering.outcome is Outcome.OK
                made.append(rendering if good else self.render(script))
        return made

    def _run(self, scripts: Sequence[str]) -> list[Rendering]:
        if os.getpid() != self._owner:
            raise SandboxError("this renderer was opened by another process; open one in each process")
        sources = [script.encode("utf-8", "surrogatepass") for script in scripts]
        longest = max(map(len, sources))
        if longest > self.limits.script:
            message = f"the script has {longest} bytes; at most {self.limits.script} are run"
            error = ScriptError("script.py", None, "ScriptTooLong", message)
            return [Rendering(Outcome.EXCEPTION, self.level, error=error, log=message) for _ in scripts]
        for _ in range(2):
            told = iter(scripts)
            try:
                return self._worker.run(sources, lambda raw, told=told: self._judge(raw, next(told)))  # type: ignore[misc]
            except WorkerLostError as lost:
                reason = str(lost)
                self.replaced += 1
                self._worker.restart()
        log = f"two workers were lost on this script: {reason}"
        return [Rendering(Outcome.WORKER_LOST, self.level, log=log) for _ in scripts]

    def close(self) -> None:
        """End the worker."""
        if os.getpid() == self._owner:
            self._worker.close()

    def __enter__(self) -> SandboxRenderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    @property
    def worker_pid(self) -> int:
        """The process id of the worker."""
        return self._worker.pid

    def _judge(self, raw: RawResult, script: str) -> Rendering:
        log = raw.log.decode("utf-8", "replace")
        ending = raw.ending

        def give(outcome: Outcome, error: ScriptError | None = None, note: str = "") -> Rendering:
            text = "\n".join(filter(None, (log.rstrip("\n"), note))) if note else log
            return Rendering(outcome, self.level, error=error, log=text, wall_s=ending.wall_s, cpu_s=ending.cpu_s)

        outcome, note = _name_ending(raw, self.limits)
        if ending.refused:
            raise SandboxError(
                f"{self.level}: a layer of the sandbox no longer works, so nothing was run: {log.strip()}"
            )
        if outcome is Outcome.EXCEPTION:
            try:
                return give(outcome, parse_error(raw.error, script))
            except ClaimError as error:
                return give(Outcome.INVALID_RESULT, note=str(error))
        if outcome is not None or raw.header is None:
            return give(outcome or Outcome.INVALID_RESULT, note=note)
        if raw.header.pictures == 0:
            return give(Outcome.NO_PICTURE, note="the script ended without a figure")
        try:
            pixels, drawing = _believe(raw, raw.header, self.limits)
        except ClaimError as error:
            return give(Outcome.INVALID_RESULT, note=str(error))
        strayed = find_strays(drawing)
        if is_blank(pixels):
            if strayed:
                return give(Outcome.OFF_PAGE, note=f"nothing is visible; off the page: {strayed}")
            return give(Outcome.BLANK, note="the picture has one colour everywhere")
        if strayed:
            return give(Outcome.OFF_PAGE, note=f"off the page: {strayed}")
        return Rendering(
            Outcome.OK,
            self.level,
            png=encode_png(pixels),
            width=drawing.width,
            height=drawing.height,
            drawing=drawing,
            log=log,
            wall_s=ending.wall_s,
            cpu_s=ending.cpu_s,
        )


def _name_ending(raw: RawResult, limits: Limits) -> tuple[Outcome | None, str]:
    """The outcome that the way of ending alone decides, and a note; None where the picture decides."""
    ending, header = raw.ending, raw.header
    if ending.timed_out:
        return Outcome.TIMEOUT, f"still running after {limits.wall_s} s"
    if ending.crowded:
        return Outcome.KILLED, f"made more than {limits.files} files"
    if os.WIFSIGNALED(ending.status):
        number = os.WTERMSIG(ending.status)
        if number == signal.SIGXCPU or (number == signal.SIGKILL and ending.cpu_s >= limits.cpu_s):
            return Outcome.TIMEOUT, f"over {limits.cpu_s} s of CPU time"
        return Outcome.KILLED, f"ended by signal {number} ({signal.Signals(number).name})"
    if header is None:
        return Outcome.INVALID_RESULT, "the result has no header"
    if header.end == End.RUNNING:
        return Outcome.EXIT, f"ended itself with code {os.WEXITSTATUS(ending.status)} before the script was through"
    if header.end in ENDS:
        return ENDS[End(header.end)], ""
    if header.end != End.FINISHED or os.WEXITSTATUS(ending.status) != 0:
        return Outcome.INVALID_RESULT, f"the result claims an ending {header.end} that does not exist"
    return None, ""


def _believe(raw: RawResult, header: Header, limits: Limits) -> tuple[np.ndarray, Drawing]:
    """The pixels (height, width, 4) and the drawing, each within its bounds. Raises `ClaimError`."""
    width, height = header.width, header.height
    if not (0 < width <= limits.max_side and 0 < height <= limits.max_side and width * height <= limits.max_pixels):
        raise ClaimError(f"the result claims a picture of {width} x {height} pixels")
    if len(raw.pixels) != width * height * 4:
        raise ClaimError("the result claims more pixels than it holds")
    pixels = np.frombuffer(raw.pixels, np.uint8).reshape(height, width, 4)
    return pixels, parse_drawing(raw.record, width, height)


def find_strays(drawing: Drawing) -> str:
    """What was drawn where nobody sees it, in words; empty where there is nothing such.

    A label strays when its middle lies outside the picture, a line or arc when all of it lies outside its Axes, dots
    when all of an Axes' dots do. A curve that leaves the Axes on its way does not stray.
    """
    found = []
    for panel in drawing.panels:
        found += [f"label {label.text!r}" for label in panel.labels if not _is_on_page(panel, label.box, drawing)]
        found += [
            f"line from {line.points[0]} to {line.points[-1]}"
            for line in panel.polylines
            if _is_hidden(panel, *_bound(line.points))
        ]
        for arc in panel.arcs:
            reach = max(abs(arc.width), abs(arc.height)) / 2
            (x, y) = arc.centre
            if _is_hidden(panel, x - reach, y - reach, x + reach, y + reach):
                found.append(f"arc around {arc.centre}")
        if panel.dots and all(_is_hidden(panel, *dot.position, *dot.position) for dot in panel.dots):
            found.append(f"dot at {panel.dots[0].position}")
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return "; ".join(found[:5]) + more


def _bound(points: tuple[tuple[float, float], ...]) -> tuple[float, float, float, float]:
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(xs), min(ys), max(xs), max(ys)


def _is_hidden(panel: Panel, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Whether a box in data coordinates lies wholly outside the limits (with a hair's breadth of tolerance)."""
    for low, high, (first, last) in ((x0, x1, panel.xlim), (y0, y1, panel.ylim)):
        least, most = min(first, last), max(first, last)
        hair = 1e-6 * (most - least)
        if high < least - hair or low > most + hair:
            return True
    return False


def _is_on_page(panel: Panel, box: tuple[float, float, float, float], drawing: Drawing) -> bool:
    """Whether the middle of a box lies in the picture; exact where the Axes is linear."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    left, top, right, bottom = panel.box
    (x0, x1), (y0, y1) = panel.xlim, panel.ylim
    if x0 == x1 or y0 == y1:
        return True
    across = left + (x - x0) / (x1 - x0) * (right - left)
    down = bottom - (y - y0) / (y1 - y0) * (bottom - top)
    return -1 <= across <= drawing.width + 1 and -1 <= down <= drawing.height + 1
