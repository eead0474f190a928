"""A figure with one Axes, built before the fork and handed to the script that asks for it first.

Building an Axes costs more than drawing a triangle in it, and in a forked process it costs twice: most of what it
writes are pages that have to be copied first. So the worker builds the pair that nearly every script begins with,
by matplotlib's own code, and each forked script finds it ready: one pair to a script, and some more for scripts that
share a child. It is handed out only where plain matplotlib would have made the very same objects: first pyplot figure,
only size and resolution given, one subplot without options, and no setting changed so far. Everything else takes
matplotlib's own way.
"""

from __future__ import annotations

from typing import Any

import matplotlib
import matplotlib.pyplot
from matplotlib import axes, figure, gridspec

plt: Any = matplotlib.pyplot
PLAIN_OPTIONS: dict[str, Any] = {"facecolor": None, "edgecolor": None, "frameon": True, "FigureClass": figure.Figure}


STOCK = 16
"""Pairs that a worker builds before it forks: as many as a child is given scripts, of which an anchor's negatives are
ten and some spare ones."""


class Reserve:
    """The prepared pair of the script at hand, those of the scripts behind it, and the conditions of their use."""

    def __init__(self) -> None:
        self._stock: list[tuple[Any, Any]] = []
        self.manager: Any = None
        self.figure: Any = None
        self.axes: Any = None
        self.settings_changed = False

    def fill(self) -> None:
        """Build the pairs with the default settings. Call this last before forking."""
        self._stock = [_build_pair() for _ in range(STOCK)]
        self.renew()

    def renew(self) -> None:
        """Have a pair ready for the next script. The settings must be the default ones again."""
        self.manager, self.axes = self._stock.pop() if self._stock else _build_pair()
        self.figure = self.manager.canvas.figure
        self.settings_changed = False

    def take_manager(self, number: Any, options: dict[str, Any]) -> Any:
        """The prepared figure's manager, sized as asked; None where plain matplotlib has to make one."""
        size, dpi = options.get("figsize"), options.get("dpi")
        rest = {name: value for name, value in options.items() if name not in ("figsize", "dpi")}
        if self.manager is None or self.settings_changed or number != 1 or rest != PLAIN_OPTIONS:
            return None
        if not (size is None or _is_plain_size(size)) or not (dpi is None or _is_positive_number(dpi)):
            return None
        manager, self.manager = self.manager, None
        prepared = manager.canvas.figure
        if dpi is not None:
            prepared._dpi = dpi
            prepared.dpi_scale_trans.clear().scale(dpi)
            prepared._original_dpi = dpi
        if size is not None:
            prepared.bbox_inches.p1 = size
        prepared.stale = True
        return manager

    def take_axes(self, owner: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The prepared Axes as ``owner.add_subplot(*arguments, **options)``; None where one has to be made."""
        if owner is not self.figure or self.axes is None or self.settings_changed or owner._localaxes:
            return None
        if any(value is not None for value in options.values()) or not set(options) <= {"sharex", "sharey"}:
            return None
        if arguments in ((), (111,), (1, 1, 1)):
            place = None
        elif len(arguments) == 1 and _is_whole_grid(arguments[0]):
            place = arguments[0]
        else:
            return None
        prepared, self.axes = self.axes, None
        if place is not None:
            prepared.set_subplotspec(place)
        else:
            prepared.set_subplotspec(gridspec.SubplotSpec._from_subplot_args(owner, (1, 1, 1)))
        return owner._add_axes_internal(prepared, (axes.Axes, dict(options)))

    def install(self) -> None:
        """Make pyplot and figures look here first, and watch the settings."""
        figures: Any = figure.FigureBase
        plain_manager, plain_subplot = plt.new_figure_manager, figures.add_subplot
        settings: Any = matplotlib.RcParams
        plain_set, plain_update = settings._set, settings._update_raw

        def new_figure_manager(*arguments: Any, **options: Any) -> Any:
            ready = self.take_manager(arguments[0], options) if len(arguments) == 1 else None
            return ready if ready is not None else plain_manager(*arguments, **options)

        def add_subplot(owner: Any, *arguments: Any, **options: Any) -> Any:
            ready = self.take_axes(owner, arguments, options)
            return ready if ready is not None else plain_subplot(owner, *arguments, **options)

        def set_one(parameters: Any, key: str, value: Any) -> None:
            self.settings_changed = True
            plain_set(parameters, key, value)

        def update_raw(parameters: Any, other: Any) -> None:
            self.settings_changed = True
            plain_update(parameters, other)

        plt.new_figure_manager = new_figure_manager
        figures.add_subplot = add_subplot
        settings._set = set_one
        settings._update_raw = update_raw


def _build_pair() -> tuple[Any, Any]:
    """A figure's manager, and an Axes on the figure that it does not know of yet."""
    manager = plt.new_figure_manager(1)
    return manager, axes.Axes(manager.canvas.figure, 1, 1, 1)


def _is_positive_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value < 1e6


def _is_plain_size(size: Any) -> bool:
    return type(size) in (tuple, list) and len(size) == 2 and all(map(_is_positive_number, size))


def _is_whole_grid(place: Any) -> bool:
    """Whether this is the only cell of a plain grid."""
    if not isinstance(place, gridspec.SubplotSpec):
        return False
    grid = place.get_gridspec()
    return type(grid) is gridspec.GridSpec and grid.get_geometry() == (1, 1)
