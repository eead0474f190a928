"""MELD (section 3 of the MathLeap paper): statements that mean the same in the words of two fields.

270 pairs of nine pairs of fields. Each of the 540 statements asks for its partner among all others, itself left out:
R@1, R@5, R@10, MRR and the mean rank of the partner (270 by chance). The sheet draws where the model puts the
statements of each pair of fields: by what they mean, or by their field.

The file: ``meld.jsonl`` or ``meld.json``, or the only such file in the folder, a row for each pair. Field names differ
between copies; the statements are looked for under the names in ``STATEMENTS``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ConfigDict

from counterfoil.tasks.evaluation.benchmark import Benchmark, Layout, Options, hash_files
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.material import Material
from counterfoil.tasks.evaluation.outcomes import pool
from counterfoil.tasks.evaluation.pairs import list_recalls
from counterfoil.tasks.evaluation.reading import FileRow, read_rows
from counterfoil.tasks.evaluation.tasks import RANK, Retrieval

PAIRS = 270
STATEMENTS = (
    ("statement_1", "statement_2"),
    ("statement1", "statement2"),
    ("statement_a", "statement_b"),
    ("text_1", "text_2"),
    ("text1", "text2"),
    ("anchor", "positive"),
)
FIELDS = (
    ("field_1", "field_2"),
    ("field1", "field2"),
    ("field_a", "field_b"),
    ("domain_1", "domain_2"),
    ("domain1", "domain2"),
    ("domain_a", "domain_b"),
)


class _Row(FileRow):
    model_config = ConfigDict(extra="allow", frozen=True)


def load(place: str, options: Options) -> Benchmark:
    """The pairs of the folder's one file.

    Raises:
        EvaluationError: there is none, or its statements are not found.
    """
    folder = Path(place)
    path = _find(folder)
    pairs, fields = [], []
    for key, row in read_rows(path, _Row):
        values: dict[str, Any] = dict(row.model_extra or {})
        pairs.append(_take(values, STATEMENTS, f"{path}, {key}"))
        known = next((names for names in FIELDS if all(name in values for name in names)), None)
        fields.append((str(values[known[0]]), str(values[known[1]])) if known else ("first", "second"))
    material = Material()
    nodes = [(material.add_text(first), material.add_text(second)) for first, second in pairs]
    documents = np.array([node for pair in nodes for node in pair], dtype=np.int64)
    asked = [material.add_text(options.instruction + text) for pair in pairs for text in pair]
    places = np.arange(len(documents))
    panels = tuple(" and ".join(pair) for pair in fields)
    named = tuple(f"{number}/{side}" for number in range(len(pairs)) for side in range(2))
    figures = [*list_recalls([""]), pool("mean rank", RANK, [""], percent=False)]
    task = Retrieval(
        "",
        named,
        ("",) * len(documents),
        tuple(str(number) for number in range(len(pairs)) for _ in range(2)),
        tuple(figures),
        np.array(asked, dtype=np.int64),
        documents,
        tuple(np.array([place], dtype=np.int64) for place in (places ^ 1).tolist()),
        excluded=places,
    )
    notes = [] if len(pairs) == PAIRS else [f"{len(pairs)} pairs, the paper's {PAIRS}"]
    return Benchmark(
        "meld",
        "MELD",
        "Each statement asks for its equivalent among all others but itself; ties are lost.",
        material,
        (task,),
        hash_files([path], folder),
        tuple(notes),
        Layout("MELD: where equivalent statements of two fields lie", tuple(nodes), tuple(fields), panels),
    )


def _find(folder: Path) -> Path:
    found = sorted([*folder.glob("*.jsonl"), *folder.glob("*.json"), *folder.glob("*.parquet")])
    named = [path for path in found if path.stem == "meld"]
    if len(named or found) != 1:
        raise EvaluationError(f"meld: {folder} holds {len(found)} files of JSON or Parquet: name the pairs' meld.jsonl")
    return (named or found)[0]


def _take(values: dict[str, Any], names: tuple[tuple[str, str], ...], where: str) -> tuple[str, str]:
    for first, second in names:
        if isinstance(values.get(first), str) and isinstance(values.get(second), str):
            return values[first], values[second]
    wanted = " or ".join("/".join(pair) for pair in names)
    raise EvaluationError(f"{where}: no statements under {wanted}; it has {', '.join(values)}: rename its fields")
