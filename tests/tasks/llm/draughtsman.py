"""A scripted model that answers as a competent one would, mistakes included, for four geometry problems and a chart.

Its answer is a function of the request alone, so a run that was killed and started again gets the same answers. What it
does wrong, on purpose:

- ``rectangle``: its first script has an error and is right after the repair prompt; one of its first two negative
  captions is only another name for the same thing; its first edited script still draws the old figure.
- ``midpoint``: its first caption claims a length that the drawing does not have, and is right when sent back.
- ``stubborn``: no script of it ever runs.
- the chart: its first code does not parse.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .server import last_text

SCRIPT = """# figure: {name}
import matplotlib.pyplot as plt

points = {points}
fig, ax = plt.subplots(figsize=(5, 5))
for p, q in {lines}:
    ax.plot(*zip(points[p], points[q]), color="black", linewidth=1.5)
middle = [sum(each) / len(points) for each in zip(*points.values())]
for name, (x, y) in points.items():
    dx, dy = x - middle[0], y - middle[1]
    far = (dx * dx + dy * dy) ** 0.5 / 0.45
    ax.text(x + dx / far, y + dy / far, name, ha="center", va="center", fontsize=14, color="black")
for text, x, y in {numbers}:
    ax.text(x, y, text, ha="center", va="center", fontsize=12, color="black")
ax.plot([0.3, 0.3, 0], [0, 0.3, 0.3], color="black", linewidth=1)
ax.set_xlim(min(x for x, _ in points.values()) - 1.2, max(x for x, _ in points.values()) + 1.2)
ax.set_ylim(min(y for _, y in points.values()) - 1.2, max(y for _, y in points.values()) + 1.2)
ax.set_aspect("equal")
ax.axis("off")
plt.savefig("question.png")
"""
CHART = 'flowchart TD\nA(["Start"]) --> B["Read the order"]\nB --> C["Pack the box"]\nC --> D(["End"])\n'
DESCRIPTION = "After the start the order is read, then the box is packed, and that is the end."

Layout = Callable[[int], tuple[dict[str, tuple[float, float]], list[str], list[tuple[str, float, float]]]]


@dataclass(frozen=True)
class Figure:
    """A problem and its figure, in which one length, the base, can change."""

    name: str
    question: str
    answer: str
    base: int
    others: tuple[int, int, int]
    """Bases of its negatives; the last one is for the second round."""
    caption: str
    """With ``{stated}`` where the base is stated."""
    stated: str
    """``AB = {base}``"""
    lay_out: Layout

    def draw(self, base: int) -> str:
        points, lines, numbers = self.lay_out(base)
        return SCRIPT.format(name=self.name, points=points, lines=lines, numbers=numbers)

    def state(self, base: int) -> str:
        return self.stated.format(base=base)

    def describe(self, base: int) -> str:
        return self.caption.replace("{stated}", self.state(base))

    def propose(self, base: int) -> dict[str, Any]:
        """A negative caption with another base; the base itself gives another name for the same length."""
        said = self.state(base)
        if base == self.base:
            said = said[1] + said[0] + said[2:]
        return {
            "caption": self.caption.replace("{stated}", said),
            "edits": [{"kind": "number", "target": self.state(self.base), "replacement": said}],
        }


def _lay_right(base: int) -> Any:
    points = {"A": (0.0, 0.0), "B": (float(base), 0.0), "C": (0.0, 3.0)}
    return points, ["AB", "BC", "CA"], [(str(base), base / 2, -0.35), ("3", -0.35, 1.5)]


def _lay_rectangle(base: int) -> Any:
    points = {"P": (0.0, 0.0), "Q": (float(base), 0.0), "R": (float(base), 4.0), "S": (0.0, 4.0)}
    return points, ["PQ", "QR", "RS", "SP"], [(str(base), base / 2, -0.35), ("4", base + 0.35, 2.0)]


def _lay_midpoint(base: int) -> Any:
    points = {"D": (0.0, float(base)), "E": (-3.0, 0.0), "F": (3.0, 0.0), "M": (0.0, 0.0)}
    return points, ["DE", "DF", "EF", "DM"], [(str(base), -0.35, base * 0.45)]


RIGHT = Figure(
    name="right",
    question="In triangle ABC the angle at A is right, AB = 4 and AC = 3. Find BC.",
    answer="5",
    base=4,
    others=(6, 2, 8),
    caption=r"In \triangle ABC, AB \perp AC, {stated} and AC = 3.",
    stated="AB = {base}",
    lay_out=_lay_right,
)
RECTANGLE = Figure(
    name="rectangle",
    question="The rectangle PQRS has PQ = 6 and QR = 4. Find its area.",
    answer="24",
    base=6,
    others=(8, 3, 10),
    caption="PQRS is a rectangle, {stated} and QR = 4.",
    stated="PQ = {base}",
    lay_out=_lay_rectangle,
)
MIDPOINT = Figure(
    name="midpoint",
    question="M is the midpoint of EF, DM is perpendicular to EF, EF = 6 and DM = 4. Find DE.",
    answer="5",
    base=4,
    others=(5, 3, 6),
    caption=r"M is the midpoint of EF, DM \perp EF and {stated}.",
    stated="DM = {base}",
    lay_out=_lay_midpoint,
)
STUBBORN = Figure(
    name="stubborn",
    question="A stubborn triangle ABC has AB = 7 and AC = 3. Find nothing of it.",
    answer="0",
    base=7,
    others=(5, 3, 9),
    caption="{stated} and AC = 3.",
    stated="AB = {base}",
    lay_out=_lay_right,
)
FIGURES = [RIGHT, RECTANGLE, MIDPOINT, STUBBORN]


def learn_triangles(count: int) -> list[Figure]:
    """``count`` further problems, each a right triangle with letters of its own, for runs that are long."""
    letters = [triple for triple in itertools.permutations("ABCDEFGHKLMN", 3) if triple != ("A", "B", "C")]
    new = [_name_triangle(index, *letters[index * 7 % len(letters)]) for index in range(count)]
    FIGURES.extend(figure for figure in new if figure not in FIGURES)
    return new


def _name_triangle(index: int, a: str, b: str, c: str) -> Figure:
    base = 4 + index % 5

    def lay_out(base: int) -> Any:
        points = {a: (0.0, 0.0), b: (float(base), 0.0), c: (0.0, 3.0)}
        return points, [a + b, b + c, c + a], [(str(base), base / 2, -0.35), ("3", -0.35, 1.5)]

    return Figure(
        name=f"right-{a}{b}{c}",
        question=f"In triangle {a}{b}{c} the angle at {a} is right, {a}{b} = {base} and {a}{c} = 3. Find {b}{c}.",
        answer="a number",
        base=base,
        others=(base + 2, base + 5, base + 8),
        caption=rf"In \triangle {a}{b}{c}, {a}{b} \perp {a}{c}, {{stated}} and {a}{c} = 3.",
        stated=f"{a}{b} = {{base}}",
        lay_out=lay_out,
    )


def answer(body: dict[str, Any]) -> str:
    """The answer to one request of either API."""
    text = last_text(body)
    for opening, reply in REPLIES.items():
        if opening in text:
            return reply(text)
    raise AssertionError(f"no prompt that is known here: {text[:300]}")


def write_problems(path: Path, figures: Sequence[Figure] = (RIGHT, RECTANGLE, MIDPOINT, STUBBORN)) -> Path:
    """The problems of ``figures`` as a file."""
    rows = [{"id": figure.name, "question": figure.question, "answer": figure.answer} for figure in figures]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def _find(text: str) -> Figure:
    for figure in FIGURES:
        if f"# figure: {figure.name}\n" in text or figure.question in text or figure.describe(figure.base) in text:
            return figure
    raise AssertionError(f"no figure that is known here: {text[-300:]}")


def _write_script(text: str) -> str:
    figure = _find(text)
    code = figure.draw(figure.base)
    return _fence(code.replace("plt.subplots", "plt.subplotz") if figure in (RECTANGLE, STUBBORN) else code)


def _repair_script(text: str) -> str:
    figure = _find(text)
    if figure is STUBBORN:
        return _fence(figure.draw(figure.base).replace("set_aspect", f"set_aspects_{text.count('s')}"))
    if "the drawing does not show what the caption" in text:
        return _fence(figure.draw(_read_base(figure, text)))
    return _fence(figure.draw(figure.base))


def _write_caption(text: str) -> str:
    figure = _find(text)
    said = figure.describe(figure.base)
    if figure is MIDPOINT and "is not shown by the picture" not in text:
        said = said.replace("DM = 4", "DM = 4 and DE = 9")
    return json.dumps({"caption": said})


def _write_negatives(text: str) -> str:
    figure = _find(text)
    first, second, third = figure.others
    bases = [figure.base, first] if figure is RECTANGLE else [first, second]
    proposed = [figure.propose(base) for base in ([third] if "failed the check" in text else bases)]
    return json.dumps({"negatives": proposed})


def _edit_script(text: str) -> str:
    figure = _find(text)
    wanted = _read_base(figure, text.partition("Second caption:")[2])
    return _fence(figure.draw(figure.base if figure is RECTANGLE else wanted))


def _read_base(figure: Figure, text: str) -> int:
    return next(base for base in figure.others if figure.describe(base) in text)


def _look(text: str) -> str:
    """Its eye goes by the description alone: what is no anchor's caption does not agree."""
    agrees = any(figure.describe(figure.base) in text for figure in FIGURES)
    said = None if agrees else "a length"
    return json.dumps({"observations": "Lines and letters.", "agrees": agrees, "disagreement": said})


def _write_chart(_: str) -> str:
    return _fence(CHART.replace("-->", "->>"), "mermaid")


def _repair_chart(_: str) -> str:
    return _fence(CHART, "mermaid")


def _fence(code: str, language: str = "python") -> str:
    return f"```{language}\n{code}```"


REPLIES: dict[str, Callable[[str], str]] = {
    "Draw the figure of this problem": _write_script,
    "The script below was run and failed": _repair_script,
    "Describe the figure that this script draws": _write_caption,
    ". The figure's letters are": _write_negatives,
    "Change this script so that it draws": _edit_script,
    " of this caption that ": _write_negatives,
    "Look at the picture and read the description": _look,
    "Write a Mermaid flowchart": _write_chart,
    "The Mermaid flowchart below cannot be used": _repair_chart,
}
