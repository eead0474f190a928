"""Makes matplotlib quick to fork and lets its pictures out through memory instead of files.

The changes to matplotlib are of two kinds: those that catch a saved picture (whatever its path or format), and those
that only save time. Neither changes a pixel; the tests compare them with plain matplotlib.
"""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import matplotlib.font_manager
import matplotlib.pyplot
import numpy as np
from matplotlib import backend_bases as _backend_bases
from matplotlib import ft2font
from matplotlib import text as _text
from matplotlib.backends import backend_agg as _backend_agg
from matplotlib.mathtext import MathTextParser

from counterfoil.renderers.memory import freeze_memory
from counterfoil.renderers.sandbox.reserve import Reserve

# This module replaces methods and private names, which the type checker rightly frowns upon.
plt: Any = matplotlib.pyplot
font_manager: Any = matplotlib.font_manager
backend_bases: Any = _backend_bases
backend_agg: Any = _backend_agg
Text: Any = _text.Text

PREIMPORTED = """
    math cmath random itertools collections functools operator string re json csv copy heapq bisect enum dataclasses
    typing fractions decimal statistics datetime time io base64 tempfile textwrap warnings logging traceback pathlib
    os sys array struct hashlib uuid contextlib inspect types shutil glob argparse platform threading
    concurrent.futures.thread numpy.random numpy.linalg numpy.fft numpy.polynomial matplotlib.patches matplotlib.lines
    matplotlib.path matplotlib.collections matplotlib.transforms matplotlib.text matplotlib.patheffects
    matplotlib.gridspec matplotlib.ticker matplotlib.style matplotlib.cm matplotlib.tri matplotlib.table
    matplotlib.offsetbox matplotlib.backends.backend_svg matplotlib.backends.backend_pdf
    mpl_toolkits.mplot3d mpl_toolkits.mplot3d.art3d PIL.Image PIL.ImageDraw PIL.PngImagePlugin
    encodings.idna encodings.latin_1 unicodedata linecache
"""


class PictureTooLargeError(BaseException):
    """The script's picture is over the limit. No `Exception`, so that the script's own handlers let it pass."""


def keep_bundled_fonts() -> None:
    """Forget the machine's own fonts: the same script makes the same picture on every machine."""
    data = os.path.realpath(matplotlib.get_data_path())
    manager = font_manager.fontManager
    for entries in (manager.ttflist, manager.afmlist):
        entries[:] = sorted((e for e in entries if os.path.realpath(e.fname).startswith(data)), key=lambda e: e.fname)
    font_manager._get_font.cache_clear()


def hold_fonts_in_memory() -> None:
    """Read each font file once and for all.

    An open font file would be shared with every forked script, its read position included; a private copy in memory is
    neither shared nor a file that the script could be denied.
    """
    contents: dict[str, bytes] = {}

    class FontFile(io.BytesIO):
        path: str

    def open_font(path: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(path, str | os.PathLike):
            name = os.fspath(path)
            if name not in contents:
                contents[name] = Path(name).read_bytes()
            path = FontFile(contents[name])
            path.path = name
        return ft2font.FT2Font(path, *arguments, **options)

    class Module:
        """`matplotlib.ft2font` with its font opener replaced, for the font manager alone."""

        FT2Font = staticmethod(open_font)

        def __getattr__(self, name: str) -> Any:
            return getattr(ft2font, name)

    plain = font_manager.get_font

    def get_font(paths: Any, *arguments: Any, **options: Any) -> Any:
        return plain(paths.path if isinstance(paths, FontFile) else paths, *arguments, **options)

    font_manager.ft2font = Module()
    font_manager._get_font = lru_cache(64)(font_manager._get_font.__wrapped__)
    font_manager.get_font = get_font


def share_mathtext_parser() -> None:
    """Use one parser for all renderers, so that a label parsed once is known in the next figure too."""
    shared = MathTextParser("path")
    plain = backend_agg.RendererAgg.__init__

    def initialise(self: Any, *arguments: Any, **options: Any) -> None:
        plain(self, *arguments, **options)
        self.mathtext_parser = shared

    backend_agg.RendererAgg.__init__ = initialise


def remember_layouts() -> None:
    """Keep each text's last layout beside it: the recorder needs just what the draw has worked out."""
    plain = Text._get_layout

    def get_layout(self: Any, renderer: Any) -> Any:
        layout = plain(self, renderer)
        self.last_layout = layout
        return layout

    Text._get_layout = get_layout


def limit_canvas(max_side: int, max_pixels: int) -> None:
    """End the script when it starts to draw a picture over the limits, before the memory is taken."""
    plain = backend_agg.RendererAgg.__init__

    def initialise(self: Any, width: float, height: float, dpi: float) -> None:
        if not (width <= max_side and height <= max_side and width * height <= max_pixels):
            limit = f"at most {max_side} a side, {max_pixels} in all"
            raise PictureTooLargeError(f"{width:.0f} x {height:.0f} pixels; {limit}")
        plain(self, width, height, dpi)

    backend_agg.RendererAgg.__init__ = initialise


class Canvases:
    """Agg's pixel memory, handed from one script of a child to the next that asks for the same size.

    New memory takes a page fault for every 4 KiB, which costs more than drawing a triangle in it.
    """

    def __init__(self) -> None:
        self._free: dict[tuple[int, int, float], Any] = {}
        self._taken: dict[tuple[int, int, float], Any] = {}

    def take(self, width: int, height: int, dpi: float) -> Any:
        """Agg's own renderer, blank, as matplotlib would make it."""
        size = (width, height, dpi)
        canvas = self._free.pop(size, None)
        if canvas is None:
            canvas = _AGG(width, height, dpi)
        else:
            canvas.clear()
        self._taken[size] = canvas
        return canvas

    def free(self) -> None:
        """Call this when the script that took them has ended."""
        self._free, self._taken = self._taken, {}


_AGG: Any = backend_agg._RendererAgg
CANVASES = Canvases()


def share_canvases() -> None:
    """Draw in the memory that the script before has left."""
    backend_agg._RendererAgg = CANVASES.take


def capture_pictures(keep: Callable[[Any, bool], None]) -> None:
    """Hand every saved or shown figure to ``keep(canvas, shown)`` right after it was drawn.

    Whatever format a script asks for, Agg draws it once; a file is written only for file objects (a script may read
    its own `BytesIO` back) and into the scratch folder.
    """
    plain_figure = backend_bases.FigureCanvasBase.print_figure
    plain_pil = backend_agg.FigureCanvasAgg._print_pil

    def print_figure(self: Any, filename: Any, *arguments: Any, **options: Any) -> Any:
        wanted = options.get("format")
        if wanted is None and isinstance(filename, str | os.PathLike):
            wanted = Path(os.fspath(filename)).suffix[1:] or None
        known = wanted is None or str(wanted).lower() in self.get_supported_filetypes()
        if isinstance(filename, str | os.PathLike) and known:
            options["format"] = "png"
            options.pop("backend", None)
            options.pop("metadata", None)
            options.pop("papertype", None)
            filename = _Path(os.fspath(filename))
        elif known and wanted is not None and str(wanted).lower() in ("svg", "pdf", "eps", "ps", "svgz"):
            plain_figure(self, io.BytesIO(), format="png", **{k: v for k, v in options.items() if k in _FRAME_OPTIONS})
        return plain_figure(self, filename, *arguments, **options)

    def print_pil(self: Any, target: Any, fmt: str, pil_kwargs: Any, metadata: Any = None) -> None:
        if isinstance(target, _Path):
            backend_agg.FigureCanvasAgg.draw(self)
            keep(self, False)
        else:
            plain_pil(self, target, fmt, pil_kwargs, metadata)
            keep(self, False)

    def show(*_: Any, **__: Any) -> None:
        if plt.get_fignums():
            canvas = plt.gcf().canvas
            backend_agg.FigureCanvasAgg.draw(canvas)
            keep(canvas, True)

    backend_bases.FigureCanvasBase.print_figure = print_figure
    backend_agg.FigureCanvasAgg._print_pil = print_pil
    plt.show = show


_FRAME_OPTIONS = frozenset(["dpi", "facecolor", "edgecolor", "bbox_inches", "pad_inches", "bbox_extra_artists"])


class _Path(str):
    """A path that a script saves to; nothing is written there."""


def accept_data_folder(folder: str) -> None:
    """Let a script "make" the folder of hosted assistants' notebooks where nothing can be written (below L3).

    What it then saves there as a picture is caught; opening any other file there fails as everywhere.
    """
    plain = os.mkdir

    def mkdir(path: Any, *arguments: Any, **options: Any) -> None:
        try:
            plain(path, *arguments, **options)
        except PermissionError:
            wanted = os.fspath(path)
            if not (isinstance(wanted, str) and f"{folder}/".startswith(f"{wanted.rstrip('/')}/")):
                raise

    os.mkdir = mkdir


def skip_idle_draws() -> None:
    """`plt.savefig` redraws the figure afterwards for a screen that does not exist."""
    backend_bases.FigureCanvasBase.draw_idle = lambda *_arguments, **_options: None


def stay_on_agg() -> None:
    """Accept every `matplotlib.use` and `switch_backend`, and stay on Agg."""
    plt.switch_backend("agg")
    matplotlib.use = lambda *_arguments, **_options: None
    plt.switch_backend = lambda *_arguments, **_options: None


def preimport() -> None:
    """Import what scripts import most, once for all of them."""
    for name in PREIMPORTED.split():
        __import__(name)


WARM_SCRIPT = r"""
import matplotlib.pyplot as plt
import matplotlib.patches as patches
import numpy as np

fig, ax = plt.subplots(figsize=(5.12, 5.12), dpi=100)
ax.plot([0, 4, 1, 0], [0, 0, 3, 0], "k-", linewidth=1.5)
ax.plot([1, 2], [1, 2], color="black", linestyle="--")
ax.fill([0, 1, 1], [0, 0, 1], alpha=0.4)
ax.scatter([0], [1], color="black", s=20)
ax.add_patch(patches.Circle((1, 1), 1, fill=False))
ax.add_patch(patches.Arc((0, 0), 1, 1, theta1=0, theta2=60))
ax.add_patch(patches.Polygon([[0, 0], [1, 0], [1, 1]], closed=True, fill=False))
for i, s in enumerate(("$A$", r"$\angle ABC=60^\circ$", r"$\sqrt{10}$", "plain 0123456789.", r"$\frac{1}{2}x_1^2$")):
    ax.text(0.1, 0.5 * i, s, fontsize=14, ha="center", va="center")
ax.text(1, 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ", weight="bold")
ax.text(1, 1, "abcdefghijklmnopqrstuvwxyz", style="italic")
ax.annotate("B", (0, 0), (1, 1), arrowprops=dict(arrowstyle="->"))
ax.annotate("C", (0, 0), textcoords="offset points", xytext=(5, 5))
ax.set_xlim(-1, 5)
ax.set_ylim(-1, 5)
ax.set_aspect("equal")
"""
WARM_ENDINGS = (
    'ax.axis("off")\nplt.savefig("a.png", dpi=100)\n',
    'ax.axis("off")\nfig.savefig("a.png", bbox_inches="tight", pad_inches=0.1)\n',
    'ax.set_title("Title")\nax.legend(["x"])\nax.grid(True)\nfig.tight_layout()\nplt.savefig("a.png")\nplt.close()\n',
)


def warm_up(rounds: int) -> None:
    """Render typical scripts so that caches are full and the interpreter has specialised its code.

    What a first draw would write, it writes here, once, and not in every script's private copy of the memory.
    """
    for _ in range(rounds):
        for ending in WARM_ENDINGS:
            code = compile(WARM_SCRIPT + ending, "script.py", "exec")
            exec(code, {"__name__": "__main__"})
            plt.close("all")


RESERVE = Reserve()


def settle() -> None:
    """Leave the worker as a new process would be, the prepared figure apart: no figure open, memory frozen."""
    plt.close("all")
    CANVASES.free()
    RESERVE.install()
    RESERVE.fill()
    seed_generators()
    # A script is short: the collector would mostly copy pages to look at them.
    freeze_memory()


def seed_generators() -> None:
    """Start the global generators alike for every script: the same script makes the same picture."""
    random.seed(0)
    np.random.seed(0)


def reset(settings: dict[Any, Any]) -> None:
    """Between two scripts of one child: matplotlib as the first found it, with ``settings`` as they were then."""
    plt.close("all")
    CANVASES.free()
    changed: Any = matplotlib.rcParams
    changed._update_raw(settings)
    RESERVE.renew()
    seed_generators()
