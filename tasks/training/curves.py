"""A run's curves as one picture: the loss, held-out accuracy among hard negatives, where the gradient goes.

Beneath them what the papers plot: the gradient's share by batch size, cosines by concreteness, distances of embeddings.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from counterfoil.tasks.training.logs import read_log

CURVES = "curves.png"
_ACCURACIES = (("texts", "among negative texts"), ("images", "among negative pictures"), ("both", "both"))


def draw_curves(folder: Path, title: str = "") -> bytes:
    """The curves of the run in ``folder`` as a PNG."""
    from matplotlib.figure import Figure

    lines = read_log(folder)
    steps = [line for line in lines if line["kind"] == "train"]
    scores = [line for line in lines if line["kind"] == "score"]
    figure = Figure(figsize=(11, 6.4), layout="constrained")
    (loss, accuracy, share), (batches, concreteness, distances) = figure.subplots(2, 3)
    for name in ["loss", *sorted({name for line in steps for name in line if name.startswith("term_")})]:
        _plot(loss, steps, name, name.removeprefix("term_"))
    for name, label in _ACCURACIES:
        _plot(accuracy, scores, name, label, marker="o")
    _plot(accuracy, scores, "seen_both", "both, of training anchors", linestyle="dashed")
    _plot(share, steps, "hard_gradient_share", "hard negatives' share of the gradient")
    _plot(share, steps, "positive_cosine", "cosine of pairs")
    _plot(share, steps, "negative_cosine", "cosine of negatives")
    for axes, name, low in ((loss, "loss (nats)", None), (accuracy, "held-out accuracy", 0.0), (share, "", None)):
        axes.set_xlabel("step")
        axes.set_ylabel(name)
        if low is not None:
            axes.set_ylim(low, 1.02)
    for when, line in (("before", scores[:1]), ("after", scores[1:][-1:])):
        _plot_points(batches, line, "hard_shares", when)
        _plot_points(concreteness, line, "concreteness", f"pairs, {when}", 0)
        _plot_points(concreteness, line, "concreteness", f"negatives, {when}", 1)
    for name in sorted({name for line in scores for name in line.get("distances", {})}):
        found = [(line["step"], line["distances"][name]) for line in scores if name in line.get("distances", {})]
        distances.plot(*zip(*found, strict=True), label=name.replace("_", " to "), linewidth=1.2)
    for axes, below, left in (
        (batches, "batch size", "hard negatives' share of the gradient"),
        (concreteness, "concreteness, from", "mean cosine"),
        (distances, "step", "cosine distance"),
    ):
        axes.set_xlabel(below)
        axes.set_ylabel(left)
    for axes in figure.axes:
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=7)
    figure.suptitle(title, fontsize=9)
    sink = BytesIO()
    figure.savefig(sink, format="png", dpi=110)
    return sink.getvalue()


def _plot(axes: Any, lines: list[dict[str, Any]], name: str, label: str, **style: Any) -> None:
    found = [(line["step"], line[name]) for line in lines if line.get(name) is not None]
    if found:
        axes.plot([step for step, _ in found], [value for _, value in found], label=label, linewidth=1.2, **style)


def _plot_points(axes: Any, lines: list[dict[str, Any]], name: str, label: str, place: int | None = None) -> None:
    """The figures that a score has by a number."""
    for line in lines:
        found = [(float(at), value if place is None else value[place]) for at, value in line.get(name, {}).items()]
        if found:
            axes.plot(*zip(*sorted(found), strict=True), label=label, linewidth=1.2, marker="o")
