"""How often judges that see one side alone tell each family's negatives from their anchors, 300 anchors a domain.

    python -m benchmarks.told WORK                           # our own sources: all domains and composites
    python -m benchmarks.told WORK --data FOLDER             # the real ones in FOLDER instead (its layout: `REAL`)
    python -m benchmarks.told WORK --part theorem --seed 8 --rows 60 --language-model smollm2
    python -m benchmarks.told WORK --against BEFORE/told.json  # beside the figures of another working tree

Each part is made by `counterfoil run` and judged by `counterfoil audit --json`. The figures are printed as a table
and kept in WORK/told.json. *Told* is the strongest judge's share beside the anchor's own caption (or what else the rows
stand beside), and beside all of its captions where it has several; *other half* that of judges which learnt from
half of the source rows and were tried on the other, and back; *in sets* how often the anchor is picked out of its set,
and how much that is over chance, by the judge that picks it most of some twelve; *likelier* how often a language model
finds the anchor's text likelier. A half and nought say that nothing is told; judges whose interval is under chance are
named as *inverted*. Rows that tell: 95 % intervals, over source rows.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class Part(NamedTuple):
    """What is made of one source."""

    domain: str
    source: str
    families: Sequence[str]
    settings: Mapping[str, Any] = {}
    limit: int | None = None
    """Rows of the source that are read; left out, all."""


BESIDE = ["unit", "halftruth", "negation"]
PARTS: dict[str, Part] = {
    "geometry": Part(
        "geometry",
        "procedural:320",
        ["caption", "image", "rule", "template", "retrieval", *BESIDE],
        {"negatives": 4, "template_bank": 400},
    ),
    "flowchart": Part("flowchart", "procedural:36", ["image", "caption", "codeswap", "answers", "retrieval", *BESIDE]),
    "caption": Part(
        "caption",
        "procedural:300",
        ["scene", "edit", "concrete", "swap", "mask", "retrieval", *BESIDE],
        {"negatives": 2, "captions": 3},
    ),
    "composite": Part("composite", "procedural:300", ["exchange", "order"]),
    "theorem": Part("theorem", "procedural:300", ["negative", "formal"]),
}
"""What is made of our own sources; of what is dear fewer than by default."""
REAL: dict[str, Part] = {
    "geometry": PARTS["geometry"]._replace(source="geometry3k:{data}/geometry3k/problems.jsonl", limit=330),
    "flowchart": PARTS["flowchart"]._replace(source="charts:{data}/flowcharts/textflow.jsonl", limit=30),
    "photographs": Part(
        "caption", "pairs:{data}/captions/coco.jsonl", ["near", "concrete", "swap", "mask", "add"], {}, 300
    ),
    "theorem": PARTS["theorem"]._replace(source="pairs:{data}/theorems/pairs.jsonl"),
}
"""What is made of real sources, by how many of their rows are read."""


def write_recipe(part: Part, data: str | None, seed: int, folder: Path, rows: int | None) -> tuple[Path, list[str]]:
    """The recipe of one part, and what else `counterfoil run` is told."""
    source, limit = part.source.format(data=data), part.limit
    if rows is not None:
        source, limit = (source, rows) if limit else (f"procedural:{rows}", None)
    values = {"source": source, "families": list(part.families), **part.settings}
    lines = ["[dataset]", f"path = {json.dumps(str(folder / 'dataset'))}", f"seed = {seed}", "[author]"]
    lines += ['kind = "procedural"', f"[{part.domain}]"]
    lines += [f"{key} = {json.dumps(each)}" for key, each in values.items()]
    recipe = folder / "recipe.toml"
    recipe.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return recipe, [] if limit is None else ["--limit", str(limit)]


def measure_part(
    part: Part, data: str | None, seed: int, folder: Path, rows: int | None, language_model: str | None
) -> list[dict[str, Any]]:
    """Make and audit one part in ``folder``: one row of figures for each of its families, and what it stands beside."""
    folder.mkdir(parents=True, exist_ok=True)
    recipe, more = write_recipe(part, data, seed, folder, rows)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _call("run", str(recipe), "--yes", *more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = next(each for each in sorted(folder.glob("dataset*")) if each.is_dir())
    asked = [] if language_model is None else ["--language-model", language_model]
    audited = json.loads(_call("audit", str(made), "--json", *asked))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [row | {"cpu_s": round(cpu, 1)} for row in read_figures(audited)]


def _call(*arguments: str) -> str:
    command = [sys.executable, "-m", "counterfoil", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=dict(os.environ)).stdout


def read_figures(audited: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for each family and what it stands beside."""
    rows = []
    for each in audited:
        judges, sets, halves, fluent = each["judges"], each["sets"], each["halves"], each["fluent"]
        row = {name: each[name] for name in ("family", "beside", "anchors", "sources")} | {"rows": each["contrasts"]}
        row |= _name("told", judges, "pairwise") | _name("half", halves, "pairwise")
        row |= _name("picked", sets, "picked") | _name("likelier", fluent, "pairwise")
        row["chance"] = sets[0]["figures"]["chance"] if sets else None
        row["inverted"] = [
            one["judge"] for one in (*judges, *halves, *fluent) if one["figures"]["pairwise"]["high"] < 0.5
        ]
        rows.append(row)
    return rows


def _name(name: str, judges: Sequence[Mapping[str, Any]], figure: str) -> dict[str, Any]:
    """The figure of the first of some judges, its interval and the judge; they stand strongest first."""
    if not judges:
        return {name: None}
    found = judges[0]["figures"][figure]
    return {name: found["value"], f"{name}_low": found["low"], f"{name}_high": found["high"]} | {
        f"{name}_by": judges[0]["judge"]
    }


def print_table(rows: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]]) -> None:
    """The figures, each beside those of ``before`` where these have it."""
    known = {(row["seed"], row["part"], row["family"], row["beside"]): row for row in before}
    heads = ("family", "beside", "seed", "anchors, rows", "told", "other half", "in sets (over chance)", "likelier")
    print(f"| {' | '.join((*heads, 'inverted'))} |\n|{' --- |' * (len(heads) + 1)}")
    for row in rows:
        old = known.get((row["seed"], row["part"], row["family"], row["beside"]))
        both = [each for each in (old, row) if each is not None]
        cells = [f"{row['family']}", row["beside"], str(row["seed"])]
        cells.append(" -> ".join(f"{each['anchors']}, {each['rows']}" for each in both))
        cells += [" -> ".join(_show(each, name) for each in both) for name in ("told", "half", "picked", "likelier")]
        print(f"| {' | '.join(cells)} | {', '.join(row['inverted']) or '-'} |")


def _show(row: Mapping[str, Any], name: str) -> str:
    if row[name] is None:
        return "-"
    value, low, high = (100 * row[each] for each in (name, f"{name}_low", f"{name}_high"))
    over = f" (+{value - 100 * row['chance']:.1f})".replace("+-", "-") if name == "picked" else ""
    return f"{value:.1f}{over} [{low:.1f}, {high:.1f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="an empty folder for what is made")
    parser.add_argument("--part", action="append", choices=sorted({*PARTS, *REAL}), help="left out: all")
    parser.add_argument("--data", help="folder of the real sources; left out: our own")
    parser.add_argument("--seed", action="append", type=int, help="seeds of the recipes; left out: 7")
    parser.add_argument("--rows", type=int, help="rows of each source; left out: as many as give 300 anchors")
    parser.add_argument("--language-model", help="a causal language model judges texts, too")
    parser.add_argument("--against", type=Path, help="told.json of another working tree")
    asked = parser.parse_args()
    parts = PARTS if asked.data is None else REAL
    rows: list[dict[str, Any]] = []
    for seed in asked.seed or [7]:
        for name in asked.part or parts:
            folder = asked.work / f"{name}-{seed}"
            found = measure_part(parts[name], asked.data, seed, folder, asked.rows, asked.language_model)
            rows += [row | {"part": name, "seed": seed} for row in found]
            (asked.work / "told.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print_table(rows, json.loads(asked.against.read_text(encoding="utf-8")) if asked.against else [])
    for name, seed, cpu in sorted({(row["part"], row["seed"], row["cpu_s"]) for row in rows}):
        print(f"{name}, seed {seed}: {cpu} s of CPU to make")


if __name__ == "__main__":
    main()
