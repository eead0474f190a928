"""How a figure is drawn: canvas, letters, strokes and colours, plain as in MMCLIP or varied from figure to figure."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

SIZE = 512
"""Pixels of the picture's longer side."""
_CANVASES = ((SIZE, SIZE), (SIZE, 432), (SIZE, 384), (432, SIZE))
_FONTS = ("serif", "sans-serif", "STIXGeneral")
_INKS = ("black", "#1b2f5b", "#4a1512", "#0f3d2a", "#352350", "#2b2b2b")
"""All so dark that a stroke one pixel wide still stands out once the picture is reduced."""
_PAPERS = ("white", "#fffdf4", "#f6f8fb", "#f7f5ef", "#fdf6e9")
_FILLS = ("#e6effa", "#fcebd9", "#e7f3e3", "#f2e7f5", "#eeeeee")


@dataclass(frozen=True)
class Style:
    """Sizes in pixels of the picture, of letters and strokes in points; colours as matplotlib names them.

    At the plain sizes a capital or a digit is an em of at least 1/28 of the side, and 8 pixels high once the picture is
    reduced to 336 (14 patches of 24); `for_reader` makes them that high at a smaller size too.
    """

    canvas: tuple[int, int] = (SIZE, SIZE)
    font: str = "serif"
    name_size: float = 16.0
    number_size: float = 13.5
    slanted_names: bool = True
    line: float = 1.5
    mark: float = 1.1
    aid: float = 0.85
    """Leaders and dimension lines: visibly thinner than the figure."""
    dot: float = 4.5
    all_dotted: bool = False
    """Whether every labelled point has a dot, not only those that no line shows."""
    arc: float = 26.0
    arc_step: float = 4.5
    square: float = 12.0
    tick: float = 6.0
    tick_slant: float = 0.0
    """Degrees by which ticks lean."""
    ink: str = "black"
    letters: str = "black"
    paper: str = "white"
    fill: str = ""
    """The colour of one region of the figure, where it has one; empty: none."""
    sway: float = 0.0
    """Pixels by which lines sway, as of a hand."""
    turn: float = 0.0
    """Degrees by which the figure is turned; letters stay upright."""

    @classmethod
    def for_reader(cls, legible_at: int) -> Style:
        """The plain style for pictures that are read at ``legible_at`` pixels a side."""
        if legible_at >= 336:
            return cls()
        if legible_at >= 224:
            return cls(name_size=19.5, number_size=18.5, arc=28.0)
        # All twice as large as at 224, lines too: hairlines would be lost beside the letters.
        large = cls(name_size=38.0, number_size=36.5, arc=52.0, square=22.0, tick=12.0)
        return replace(large, line=3.0, mark=2.2, aid=1.6, dot=9.0)

    def vary(self, rng: np.random.Generator) -> Style:
        """A style at random, with letters no smaller than these."""

        def pick(options: tuple[str, ...]) -> str:
            return options[int(rng.integers(len(options)))]

        line = float(rng.uniform(1.3, 2.3))
        ink = pick(_INKS) if rng.random() < 0.5 else "black"
        return replace(
            self,
            canvas=_CANVASES[int(rng.integers(len(_CANVASES)))],
            font=pick(_FONTS),
            name_size=round(self.name_size + float(rng.uniform(0, 2.5)), 1),
            number_size=round(self.number_size + float(rng.uniform(0.3, 2)), 1),
            slanted_names=bool(rng.random() < 0.6),
            line=round(line, 2),
            mark=round(0.75 * line, 2),
            aid=round(max(0.8, 0.5 * line), 2),
            dot=round(float(rng.uniform(4, 6.5)), 1),
            all_dotted=bool(rng.random() < 0.3),
            arc=round(self.arc * float(rng.uniform(0.85, 1.2)), 1),
            square=round(self.square * float(rng.uniform(0.85, 1.3)), 1),
            tick=round(self.tick * float(rng.uniform(0.9, 1.25)), 1),
            tick_slant=round(float(rng.uniform(-25, 25)), 1) if rng.random() < 0.4 else 0.0,
            ink=ink,
            letters=pick(_INKS) if rng.random() < 0.25 else ink,
            paper=pick(_PAPERS) if rng.random() < 0.6 else "white",
            fill=pick(_FILLS) if rng.random() < 0.35 else "",
            sway=round(float(rng.uniform(0.6, 1.1)), 2) if rng.random() < 0.2 else 0.0,
            turn=round(float(rng.uniform(-180, 180)), 1) if rng.random() < 0.7 else 0.0,
        )


PLAIN = Style()
