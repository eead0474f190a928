"""Score sheets as Markdown and as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from counterfoil.tasks.evaluation.evaluate import CHANCE, GAIN, Row, Sheet, TaskTable
from counterfoil.tasks.evaluation.outcomes import Figure

_DIGITS = 6
DASH = "–"


def write_markdown(sheets: Sequence[Sheet]) -> str:
    """All sheets as one Markdown text: a table for each task, and beneath what one must know of it."""
    return "\n".join(line for sheet in sheets for line in _write_sheet(sheet))


def _write_sheet(sheet: Sheet) -> list[str]:
    lines = [f"## {sheet.title}", "", sheet.protocol, ""]
    for table in sheet.tables:
        names = list_columns(table)
        counted = f"{table.items:,} items"
        lines += [f"### {table.task}, {counted}" if table.task else counted, ""]
        lines.append("| " + " | ".join(["system", *names, "ties"]) + " |")
        lines.append("| " + " | ".join(["---", *["---:" for _ in names], "---:"]) + " |")
        lines += [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in list_cells(row, names)) + " |" for row in table.rows
        ]
        lines.append("")
    lines += [f"- {note}" for note in sheet.notes]
    lines += [f"- data {sheet.data_sha256[:16]}", *(f"- {name}: {identity}" for name, identity in sheet.systems), ""]
    return lines


def list_columns(table: TaskTable) -> list[str]:
    """Names of the figures that are shown, in order."""
    return list(dict.fromkeys(figure.name for row in table.rows for figure in row.figures if figure.shown))


def list_cells(row: Row, names: Sequence[str], *, short: bool = False) -> list[str]:
    """A row's cells: its name, each figure with its interval (``short``: its wider half), and the most ties."""
    known = {figure.name: figure for figure in row.figures}
    told = [_word(known[name], row.kind, short) if name in known else DASH for name in names]
    ties = "" if row.kind in (CHANCE, GAIN) or not row.figures else f"{max(f.ties for f in row.figures):,}"
    plain = short or row.kind in (CHANCE, GAIN)
    return [row.system if plain else f"{row.system} ({row.kind})", *told, ties]


def _word(figure: Figure, kind: str, short: bool) -> str:
    if math.isnan(figure.value):
        return DASH
    scale = 100 if figure.percent else 1
    sign = "+" if kind == GAIN else ""
    value = f"{scale * figure.value:{sign}.1f}"
    if kind == CHANCE:
        return value
    if short:
        return f"{value} ± {scale * max(figure.high - figure.value, figure.value - figure.low):.1f}"
    return f"{value} ({scale * figure.low:{sign}.1f} to {scale * figure.high:{sign}.1f})"


def describe_sheet(sheet: Sheet) -> dict[str, Any]:
    """Plain data of a sheet, to six decimals; of items, see `counterfoil.tasks.evaluation.items`."""
    return {
        "benchmark": sheet.benchmark,
        "title": sheet.title,
        "protocol": sheet.protocol,
        "notes": list(sheet.notes),
        "data_sha256": sheet.data_sha256,
        "files": [{"name": file.name, "sha256": file.sha256} for file in sheet.files],
        "models": [{"name": name, "identity": identity} for name, identity in sheet.systems],
        "tasks": [
            {
                "task": table.task,
                "items": table.items,
                "systems": [
                    {
                        "system": row.system,
                        "kind": row.kind,
                        "figures": [_describe_figure(figure) for figure in row.figures],
                    }
                    for row in table.rows
                ],
            }
            for table in sheet.tables
        ],
    }


def _describe_figure(figure: Figure) -> dict[str, Any]:
    numbers = {"value": figure.value, "low": figure.low, "high": figure.high}
    plain = {name: None if math.isnan(number) else round(number, _DIGITS) for name, number in numbers.items()}
    return {"name": figure.name, **plain, "items": figure.items, "ties": figure.ties}
