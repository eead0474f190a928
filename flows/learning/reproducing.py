"""`counterfoil reproduce PAPER`: a paper's table beside ours, from generation to evaluation.

Each row of a table is the paper's recipe with keys of its own: made once, packed, trained, and evaluated by the paper's
protocol on what was held out. One key scales it down: the share of source rows; below 1 the small CLIP from scratch (of
texts alone: all-MiniLM-L6-v2) stands in the paper's model's place, so that the whole way is walked on any machine.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from flows.planning.recipe import Recipe, RecipeError, load_recipe
from flows.process.steps import Progress

if TYPE_CHECKING:
    from tasks.evaluation.evaluate import Sheet

PAPERS = Path(__file__).with_name("papers.toml")
RESULTS = "results.json"
_SMALL: Mapping[str, Any] = {
    "model": "scratch",
    "stem": "convolutions",
    "resolution": 64,
    "patch": 16,
    "width": 96,
    "layers": 2,
    "heads": 3,
    "projection": 96,
    "vocabulary": 1000,
    "lora_rank": 0,
    "precision": "float32",
    "batch_size": 32,
    "chunk": 0,
    "learning_rate": 1e-3,
    "warmup": 10,
    "epochs": 10,
    "shard_rows": 256,
    "streams": 1,
    "sample": [],
}
"""The CLIP of a scaled-down run."""
_SMALL_TEXTS: Mapping[str, Any] = {"precision": "float32", "warmup": 10, "epochs": 2, "shard_rows": 256, "streams": 1}


class PaperRow(BaseModel):
    """One row of a paper's table."""

    model_config = ConfigDict(extra="forbid")

    name: str
    set: list[str] = []
    """Keys of the recipe, as ``section.key=value``."""
    printed: list[float]
    """Percent, one for each column; NaN: the paper has none."""


class Paper(BaseModel):
    """A paper's table, and how its rows are trained and scored."""

    model_config = ConfigDict(extra="forbid")

    title: str
    recipe: str
    on: str
    """Name of the protocol."""
    columns: list[tuple[str, str, str]]
    """Heading, task and figure of our score sheet."""
    note: str = ""
    set: list[str] = []
    """Keys of the recipe that all rows share."""
    rows: list[PaperRow]


@dataclass(frozen=True)
class Cell:
    """A figure of the paper beside ours, in percent; NaN where one is absent."""

    printed: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Reproduced:
    """A table of the paper with ours."""

    paper: Paper
    scale: float
    rows: Mapping[str, tuple[Cell, ...]]
    """Row to cells; the last rows are the strongest blind baselines' and chance."""
    anchors: Mapping[str, int]
    """Anchors by split."""


def read_papers() -> dict[str, Paper]:
    """The papers by name."""
    found = tomllib.loads(PAPERS.read_text(encoding="utf-8"))
    return {name: Paper.model_validate(each) for name, each in found.items()}


def list_overrides(paper: Paper, folder: Path, scale: float, sets: Sequence[str]) -> list[str]:
    """The keys that every row shares: where all lies, and what scales it down. ``sets`` come last and win.

    Raises:
        RecipeError: the scale is not over 0 and at most 1.
    """
    if not 0 < scale <= 1:
        raise RecipeError(f"--scale {scale:g}: it is a share of the source rows, over 0 and at most 1")
    recipe = load_recipe(_find_recipe(paper), [*paper.set, *sets])
    shared = [*paper.set, _write("dataset.path", str(folder / "data"))]
    if scale < 1:
        shared += list(_shrink(recipe, scale))
    return [*shared, *sets]


def _shrink(recipe: Recipe, scale: float) -> Iterator[str]:
    for domain, section in recipe.domains.items():
        kind, _, count = section.source.partition(":")
        if kind == "procedural":
            yield _write(f"{domain}.source", f"procedural:{max(40, round(int(count) * scale))}")
        if hasattr(section, "template_bank"):
            yield _write(f"{domain}.template_bank", max(20, round(section.template_bank * scale)))
    assert recipe.training is not None
    small = dict(_SMALL)
    if recipe.training.towers == "texts":
        from tasks.encoders.load import find_minilm

        small = {**_SMALL_TEXTS, "model": str(find_minilm())}
    yield from (_write(f"training.{key}", value) for key, value in small.items())


def _write(key: str, value: Any) -> str:
    # A JSON value of text, number or list is a TOML value, too.
    return f"{key}={json.dumps(value)}"


def _find_recipe(paper: Paper) -> str:
    import recipes

    return str(Path(recipes.__path__[0]) / f"{paper.recipe}.toml")


def reproduce_paper(
    paper: Paper,
    folder: Path,
    scale: float,
    sets: Sequence[str],
    make: Callable[[str, list[str]], object],
    progress: Progress = lambda *_: None,
) -> Reproduced:
    """Make the paper's dataset, train each row on it and score it.

    Args:
        folder: for the dataset, a run for each row, and ``results.json``.
        make: makes a recipe's dataset with overrides.
        progress: told of (stage, done since, total).

    Raises:
        RecipeError, TrainingError, EvaluationError: the recipe, the dataset or a benchmark does not allow it.
    """
    recipe = _find_recipe(paper)
    shared = list_overrides(paper, folder, scale, sets)
    make(recipe, shared)
    sheets: dict[str, Sheet] = {}
    for row in paper.rows:
        keys = [*shared, *row.set, _write("training.path", str(folder / "models" / _name_folder(row.name)))]
        sheets[row.name] = _score_row(load_recipe(recipe, keys), recipe, paper, progress)
        progress("rows", 1, len(paper.rows))
    made = Reproduced(paper, scale, _lay_out(paper, sheets), _count_anchors(folder / "data"))
    (folder / RESULTS).write_text(json.dumps(describe(made), indent=1) + "\n", encoding="utf-8")
    return made


def _score_row(recipe: Recipe, where: str, paper: Paper, progress: Progress) -> Sheet:
    from flows.learning.training import pack_recipe, train_here
    from tasks.encoders import load_encoder
    from tasks.evaluation.benchmark import Options
    from tasks.evaluation.evaluate import MODEL, Entry, evaluate
    from tasks.evaluation.protocols import load_benchmark

    pack_recipe(recipe, where, progress)
    trained = train_here(recipe, where, progress)
    on = recipe.dataset.path if paper.on == "own" else f"{paper.on}:{recipe.dataset.path}"
    return evaluate(load_benchmark(on, Options()), [Entry(load_encoder(trained.model), MODEL)], progress=progress)


def _name_folder(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower())


def _lay_out(paper: Paper, sheets: Mapping[str, Sheet]) -> dict[str, tuple[Cell, ...]]:
    rows = {}
    for row in paper.rows:
        found = [_find_cell(sheets[row.name], task, figure, "model") for _, task, figure in paper.columns]
        rows[row.name] = tuple(Cell(printed, *each) for printed, each in zip(row.printed, found, strict=True))
    first = next(iter(sheets.values()))
    for kind, name in (("blind", "strongest blind baseline"), ("chance", "chance")):
        cells = (_find_cell(first, task, figure, kind) for _, task, figure in paper.columns)
        rows[name] = tuple(Cell(math.nan, *each) for each in cells)
    return rows


def _find_cell(sheet: Sheet, task: str, name: str, kind: str) -> tuple[float, float, float]:
    """Value, low and high in percent of the strongest system of a kind; NaN where the sheet has none."""
    found = [
        (100 * figure.value, 100 * figure.low, 100 * figure.high)
        for table in sheet.tables
        if table.task == task
        for row in table.rows
        if row.kind == kind
        for figure in row.figures
        if figure.name == name
    ]
    return max(found, default=(math.nan, math.nan, math.nan))


def _count_anchors(dataset: Path) -> dict[str, int]:
    from collections import Counter

    from storage.dataset import Dataset

    batches = Dataset(str(dataset)).snapshot().scan("anchors", ["split"], batch_size=8192)
    return dict(Counter(split for batch in batches for split in batch["split"].to_pylist()))


def describe(made: Reproduced) -> dict[str, Any]:
    """Plain data; what is absent is null."""
    plain = lambda number: None if math.isnan(number) else round(number, 3)  # noqa: E731
    return {
        "title": made.paper.title,
        "note": made.paper.note,
        "scale": made.scale,
        "anchors": dict(made.anchors),
        "columns": [heading for heading, _, _ in made.paper.columns],
        "rows": {
            name: [
                {"printed": plain(c.printed), "ours": plain(c.value), "low": plain(c.low), "high": plain(c.high)}
                for c in cells
            ]
            for name, cells in made.rows.items()
        },
    }


def list_rows(made: Reproduced) -> list[list[str]]:
    """The table as text: of each column the paper's figure and ours with the wider half of its interval."""
    return [
        [name, *(text for cell in cells for text in (_word(cell.printed), _word_ours(cell)))]
        for name, cells in made.rows.items()
    ]


def _word(number: float) -> str:
    return "–" if math.isnan(number) else f"{number:.1f}"


def _word_ours(cell: Cell) -> str:
    if math.isnan(cell.value):
        return "–"
    wide = max(cell.high - cell.value, cell.value - cell.low)
    return f"{cell.value:.1f} ± {wide:.1f}" if wide > 0 else f"{cell.value:.1f}"
