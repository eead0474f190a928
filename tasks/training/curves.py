"""A run's curves as one picture: the loss, held-out accuracy among hard negatives, and where the gradient goes."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

from tasks.training.logs import read_log

CURVES = "curves.png"
_ACCURACIES = (("texts", "among negative texts"), ("images", "among negative pictures"), ("both", "both"))


def draw_curves(folder: Path, title: str = "") -> bytes:
    """The curves of the run in ``folder`` as a PNG."""
    from matplotlib.figure import Figure

    lines = read_log(folder)
    steps = [line for line in lines if line["kind"] == "train"]
    scores = [line for line in lines if line["kind"] == "score"]
    figure = Figure(figsize=(11, 3.4), layout="constrained")
    loss, accuracy, share = figure.subplots(1, 3)
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
