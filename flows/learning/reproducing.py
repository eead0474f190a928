"""`counterfoil reproduce PAPER`: a paper's table beside ours, from generation to evaluation.

Each row of a table is the paper's recipe with keys of its own: made once, packed, trained, and evaluated by the paper's
protocol on what was held out. One key scales it down: the share of source rows; below 1 the small CLIP from scratch (of
texts alone: all-MiniLM-L6-v2) stands in the paper's model's place, so that the whole way is walked on any machine.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from counterfoil.flows.planning.recipe import Recipe, RecipeError, load_recipe
from counterfoil.flows.process.steps import Progress
from counterfoil.storage.plain import read_toml

if TYPE_CHECKING:
    from counterfoil.tasks.evaluation.evaluate import Sheet

PAPERS = Path(__file__).with_name("papers.toml")
RESULTS = "results.json"
SCRATCH = "scratch"
SCALED = Path(__file__).with_name("scaled.toml")
"""What a scaled-down run trains."""


class PaperRow(BaseModel):
    """One row of a paper's table."""

    model_config = ConfigDict(extra="forbid")

    name: str
    set: list[str] = []
    """Keys of the recipe, as ``section.key=value``."""
    untuned: bool = False
    """Whether the row is the model as it begins, which is not trained."""
    printed: list[float | str]
    """Percent, one for each column, or why the paper has none."""


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
    files: str = ""
    """What the benchmark's own files are, where the table is asked on them and not on the dataset's test split."""
    set: list[str] = []
    """Keys of the recipe that all rows share."""
    rows: list[PaperRow]


@dataclass(frozen=True)
class Cell:
    """A figure of the paper beside ours, in percent; NaN where one is absent, with the reason."""

    printed: float
    value: float
    low: float
    high: float
    why_printed: str = ""
    """Why the paper has none."""
    why: str = ""
    """Why we have none."""


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
    found = read_toml(PAPERS)
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
        if getattr(section, "template_bank", None):
            yield _write(f"{domain}.template_bank", max(20, round(section.template_bank * scale)))
    assert recipe.training is not None
    scaled = read_toml(SCALED)
    small = scaled["pictures"]
    if recipe.training.towers == "texts":
        from counterfoil.tasks.encoders.load import find_minilm

        small = {**scaled["texts"], "model": str(find_minilm())}
    yield from (_write(f"training.{key}", value) for key, value in small.items())


def _write(key: str, value: Any) -> str:
    # A JSON value of text, number or list is a TOML value, too.
    return f"{key}={json.dumps(value)}"


def _find_recipe(paper: Paper) -> str:
    from counterfoil import recipes

    return str(Path(recipes.__path__[0]) / f"{paper.recipe}.toml")


def reproduce_paper(
    paper: Paper,
    folder: Path,
    scale: float,
    sets: Sequence[str],
    make: Callable[[str, list[str]], object],
    progress: Progress = lambda *_: None,
    files: Path | None = None,
) -> Reproduced:
    """Make the paper's dataset, train each row on it and score it.

    Args:
        folder: for the dataset, a run for each row, and ``results.json``.
        make: makes a recipe's dataset with overrides.
        progress: told of (stage, done since, total).
        files: folder of the benchmark's files, for a paper that is asked on some (`Paper.files`).

    Raises:
        RecipeError, TrainingError, EvaluationError: the recipe, the dataset or a benchmark does not allow it.
    """
    if bool(paper.files) != (files is not None):
        told = f"name their folder by --on: {paper.files}" if paper.files else "it is asked on its own test split"
        raise RecipeError(f"{paper.title}: {told}")
    recipe = _find_recipe(paper)
    shared = list_overrides(paper, folder, scale, sets)
    make(recipe, shared)
    sheets: dict[str, Sheet | None] = {}
    for row in paper.rows:
        keys = [*shared, *row.set, _write("training.path", str(folder / "models" / _name_folder(row.name)))]
        blind = not any(sheets.values())  # they are the same for every row
        sheets[row.name] = _score_row(load_recipe(recipe, keys), recipe, paper, row, files, blind, progress)
        progress("rows", 1, len(paper.rows))
    made = Reproduced(paper, scale, _lay_out(paper, sheets), _count_anchors(folder / "data"))
    (folder / RESULTS).write_text(json.dumps(describe_reproduced(made), indent=1) + "\n", encoding="utf-8")
    return made


def _score_row(
    recipe: Recipe, where: str, paper: Paper, row: PaperRow, files: Path | None, blind: bool, progress: Progress
) -> Sheet | None:
    """The row's score sheet; None for the untuned row of a model from scratch, of which there is none."""
    from counterfoil.flows.learning.training import pack_recipe, read_training, train_here
    from counterfoil.tasks.encoders import load_encoder
    from counterfoil.tasks.evaluation.benchmark import Options
    from counterfoil.tasks.evaluation.evaluate import MODEL, Entry, evaluate
    from counterfoil.tasks.evaluation.protocols import load_benchmark

    if row.untuned:
        model = read_training(recipe, where)[0].model
        if model == SCRATCH:
            return None
    else:
        pack_recipe(recipe, where, progress)
        model = train_here(recipe, where, progress).model
    on = recipe.dataset.path if paper.on == "own" else f"{paper.on}:{files or recipe.dataset.path}"
    entries = [Entry(load_encoder(model), MODEL)]
    return evaluate(load_benchmark(on, Options()), entries, blind=blind, progress=progress)


def _name_folder(name: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower())


def _lay_out(paper: Paper, sheets: Mapping[str, Sheet | None]) -> dict[str, tuple[Cell, ...]]:
    rows = {}
    for row in paper.rows:
        sheet = sheets[row.name]
        cells = []
        for printed, (_, task, figure) in zip(row.printed, paper.columns, strict=True):
            number, why = (printed, "") if isinstance(printed, float) else (math.nan, printed)
            ours = _find_cell(sheet, task, figure, "model") if sheet else (math.nan,) * 3
            missing = "a model from scratch, as a scaled-down run has it, has no untuned state" if sheet is None else ""
            cells.append(Cell(number, *ours, why, missing or f"the test split has nothing to ask ({task})"))
        rows[row.name] = tuple(cells)
    first = next(sheet for sheet in sheets.values() if sheet is not None)
    for kind, name, why in (
        ("blind", "strongest blind baseline", "no blind baseline can do it"),
        ("chance", "chance", "it has no chance of its own"),
    ):
        printed = f"the paper has no row of {'blind baselines' if kind == 'blind' else 'chance'}"
        rows[name] = tuple(
            Cell(math.nan, *_find_cell(first, task, figure, kind), printed, f"{task}: {why}")
            for _, task, figure in paper.columns
        )
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

    from counterfoil.storage.dataset import Dataset

    batches = Dataset(str(dataset)).snapshot().scan("anchors", ["split"], batch_size=8192)
    return dict(Counter(split for batch in batches for split in batch["split"].to_pylist()))


def describe_reproduced(made: Reproduced) -> dict[str, Any]:
    """Plain data; what is absent is null, with the reason beside it."""
    plain = lambda number: None if math.isnan(number) else round(number, 3)  # noqa: E731

    def tell(cell: Cell) -> dict[str, Any]:
        figures = {"printed": cell.printed, "ours": cell.value, "low": cell.low, "high": cell.high}
        absent = (("printed", cell.printed, cell.why_printed), ("ours", cell.value, cell.why))
        whys = {f"why_no_{name}": why for name, number, why in absent if math.isnan(number)}
        return {name: plain(number) for name, number in figures.items()} | whys

    return {
        "title": made.paper.title,
        "note": made.paper.note,
        "scale": made.scale,
        "anchors": dict(made.anchors),
        "columns": [heading for heading, _, _ in made.paper.columns],
        "rows": {name: [tell(cell) for cell in cells] for name, cells in made.rows.items()},
    }


def list_rows(made: Reproduced) -> list[list[str]]:
    """The table as text: of each column the paper's figure, and ours with the wider half of its interval.

    An absent figure is a letter that `list_reasons` explains.
    """
    letters = _letter_reasons(made)

    def word(number: float, text: str, why: str) -> str:
        return text if not math.isnan(number) else f"({letters[why]})" if why else "–"

    return [
        [
            name,
            *(
                text
                for cell in cells
                for text in (
                    word(cell.printed, f"{cell.printed:.1f}", cell.why_printed),
                    word(cell.value, _word_ours(cell), cell.why),
                )
            ),
        ]
        for name, cells in made.rows.items()
    ]


def list_reasons(made: Reproduced) -> list[str]:
    """Why figures are absent, by the letters that stand for them."""
    return [f"({letter}) {why}" for why, letter in _letter_reasons(made).items()]


def _letter_reasons(made: Reproduced) -> dict[str, str]:
    letters: dict[str, str] = {}
    for cells in made.rows.values():
        for cell in cells:
            for number, why in ((cell.printed, cell.why_printed), (cell.value, cell.why)):
                if math.isnan(number) and why:
                    letters.setdefault(why, _name_letter(len(letters)))
    return letters


def _name_letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else str(number)


def _word_ours(cell: Cell) -> str:
    wide = max(cell.high - cell.value, cell.value - cell.low)
    return f"{cell.value:.1f} ± {wide:.1f}" if wide > 0 else f"{cell.value:.1f}"
