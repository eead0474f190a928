"""Lean blueprints (MathLeap, Table 3): find the Lean declaration of an informal statement.

The authors' file: ``blueprints.json``, a list of ``{blueprint_url, theorems: [{LaTeX, highlighted}]}``; statements
that lack either side are no pairs (3,729 of 68 graphs are left). Row-aligned, as `theorems`. The Lean side carries its
doc string and proof, so words in common find many: see the blind row.
"""

from __future__ import annotations

from pathlib import Path

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.protocols.theorems import align_rows
from counterfoil.tasks.evaluation.reading import FileRow, check_folder, read_rows

PAIRS = 3729


class _Statement(FileRow):
    LaTeX: str | None = None
    highlighted: str | None = None


class _Graph(FileRow):
    theorems: list[_Statement]


def load(place: str, options: Options) -> Benchmark:
    """The pairs of the folder's ``blueprints.json``.

    Raises:
        EvaluationError: it is not there, or not in the authors' format.
    """
    folder = Path(place)
    check_folder("blueprints", folder, ["blueprints.json"])
    path = folder / "blueprints.json"
    stated = [each for _, graph in read_rows(path, _Graph) for each in graph.theorems]
    pairs = [(each.LaTeX, each.highlighted) for each in stated if each.LaTeX and each.highlighted]
    material = Material()
    task = align_rows(
        "informal to Lean",
        material,
        [informal for informal, _ in pairs],
        [lean for _, lean in pairs],
        range(len(pairs)),
        options.instruction,
    )
    notes = [f"{len(stated) - len(pairs):,} statements without LaTeX or Lean are no pairs"]
    notes += [] if len(pairs) == PAIRS else [f"{len(pairs):,} pairs, the paper's {PAIRS:,}"]
    return Benchmark(
        "blueprints",
        "Lean blueprints",
        "The Lean declaration of an informal statement, among all; only the statement's own counts, and ties are lost.",
        material,
        (task,),
        hash_files([path], folder),
        tuple(notes),
    )
