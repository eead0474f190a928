"""What every system reached on every item, as Parquet: to see where a model fails, or to compare two runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from counterfoil.tasks.evaluation.evaluate import Sheet


def write_items(sheet: Sheet, path: Path) -> int:
    """Write a row for each system, task, item and measure; returns how many.

    Columns: task, system, kind, item, part, measure, value, right and wrong (the two scores that decide), tied.
    """
    tables = []
    for table in sheet.tables:
        for row in table.rows:
            reached = row.outcomes
            if reached is None:
                continue
            for column, measure in enumerate(reached.measures):
                count = len(reached.items)
                tables.append(
                    pa.table(
                        {
                            "task": pa.repeat(table.task, count),
                            "system": pa.repeat(row.system, count),
                            "kind": pa.repeat(row.kind, count),
                            "item": pa.array(reached.items, pa.string()),
                            "part": pa.array(reached.parts, pa.string()),
                            "measure": pa.repeat(measure, count),
                            "value": pa.array(reached.values[:, column]),
                            "right": pa.array(reached.right.astype(np.float32)),
                            "wrong": pa.array(reached.wrong.astype(np.float32)),
                            "tied": pa.array(reached.tied),
                        }
                    )
                )
    if not tables:
        return 0
    whole = pa.concat_tables(tables)
    pq.write_table(whole, path, compression="zstd")
    return int(whole.num_rows)
