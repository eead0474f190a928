"""Theorem retrieval in six directions (MathLeap, Tables 6 to 11): informal description, Lean type, Lean signature.

The authors' files: ``train``, ``val`` and ``test``, each JSON lines or Parquet of ``{informal_description, type,
signature}``. Queries are of the test split, the corpus is of all three. Row-aligned: only the query's own row counts,
also where another row says the same; such rows tie and are lost, and the ties are told. An instruction stands before
the query alone. MRR is the mean of 1 / rank, once: the released code adds it up anew for each k of R@k.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from counterfoil.tasks.evaluation.benchmark import Benchmark, Options, hash_files
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.pairs import list_recalls
from counterfoil.tasks.evaluation.reading import FileRow, read_rows
from counterfoil.tasks.evaluation.tasks import Retrieval

SPLITS = ("train", "val", "test")
DIRECTIONS = (
    ("informal", "type"),
    ("type", "informal"),
    ("informal", "signature"),
    ("signature", "informal"),
    ("type", "signature"),
    ("signature", "type"),
)
_ENDINGS = (".jsonl", ".json", ".parquet")


class _Row(FileRow):
    informal_description: str
    type: str
    signature: str

    def show(self, view: str) -> str:
        return {"informal": self.informal_description, "type": self.type, "signature": self.signature}[view]


def load(place: str, options: Options) -> Benchmark:
    """The three splits of the folder.

    Raises:
        EvaluationError: there is no test split, or a file is not in the authors' format.
    """
    folder = Path(place)
    paths = {split: path for split in SPLITS for path in _find(folder, split)}
    if "test" not in paths:
        wanted = ", ".join(f"test{ending}" for ending in _ENDINGS)
        raise EvaluationError(f"theorems: {folder} holds no test split ({wanted}): queries are drawn from it")
    rows: list[_Row] = []
    asked: list[int] = []
    for split, path in paths.items():
        read = [row for _, row in read_rows(path, _Row)]
        asked += range(len(rows), len(rows) + len(read)) if split == "test" else ()
        rows += read
    absent = [split for split in SPLITS if split not in paths]
    material = Material()
    tasks = tuple(
        align_rows(
            f"{first} to {second}",
            material,
            [rows[number].show(first) for number in asked],
            [row.show(second) for row in rows],
            asked,
            options.instruction,
        )
        for first, second in DIRECTIONS
    )
    return Benchmark(
        "theorems",
        "Theorem retrieval in six directions",
        "Queries of the test split, corpus of all splits; only the query's own row counts, and ties are lost.",
        material,
        tasks,
        hash_files(paths.values(), folder),
        (f"absent: {', '.join(absent)}; the corpus is smaller than the authors'",) if absent else (),
    )


def _find(folder: Path, split: str) -> list[Path]:
    found = [folder / f"{split}{ending}" for ending in _ENDINGS if (folder / f"{split}{ending}").is_file()]
    if len(found) > 1:
        raise EvaluationError(f"theorems: {folder} holds {', '.join(path.name for path in found)}: leave one there")
    return found


def align_rows(
    name: str,
    material: Material,
    queries: Sequence[str],
    documents: Sequence[str],
    rows: Sequence[int],
    instruction: str,
) -> Retrieval:
    """A row-aligned task: query ``i`` asks for document ``rows[i]``, and for no other that may say the same."""
    return Retrieval(
        name,
        tuple(str(row) for row in rows),
        ("",) * len(queries),
        tuple(str(row) for row in rows),
        tuple(list_recalls([""])),
        np.array([material.add_text(instruction + query) for query in queries], dtype=np.int64),
        np.array([material.add_text(document) for document in documents], dtype=np.int64),
        tuple(np.array([row], dtype=np.int64) for row in rows),
    )
