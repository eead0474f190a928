"""How often judges that see one side alone tell each family's negatives from their anchors, at a modest size.

    python -m benchmarks.told WORK                           # our own sources: geometry, flowchart, caption, theorem
    python -m benchmarks.told WORK --data FOLDER             # the real ones in FOLDER instead (its layout: `REAL`)
    python -m benchmarks.told WORK --domain theorem --seed 8 --rows 60 --language-model smollm2
    python -m benchmarks.told WORK --against BEFORE/told.json  # beside the figures of another working tree

Each domain is made by `counterfoil run` and judged by `counterfoil audit --json`. The figures are printed as a table
and kept in WORK/told.json. *Told* is the strongest judge's share beside the anchor's own caption (or what else the rows
stand beside), and beside all of its captions where it has several; *of the other half* that of judges which learnt from
half of the source rows and were tried on the other, and back; *picked* is how much oftener than chance the anchor is
picked out of its set; *likelier* how often a language model finds the anchor's text likelier. A half and nought say
that nothing is told; judges under chance are named as *inverted*.
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
from typing import Any

SOURCES = {
    "geometry": "procedural:80",
    "flowchart": "procedural:30",
    "caption": "procedural:250",
    "theorem": "procedural:300",
}
REAL = {
    "geometry": ("geometry3k:{data}/geometry3k/problems.jsonl", 120),
    "flowchart": ("charts:{data}/flowcharts/textflow.jsonl", 15),
    "theorem": ("pairs:{data}/theorems/pairs.jsonl", 300),
}
"""Sources by domain, and how many of their rows are read. Photographs are not among them."""
FAMILIES = {
    "geometry": ["caption", "image", "rule"],
    "flowchart": ["image", "caption", "codeswap"],
    "caption": ["concrete", "swap", "mask"],
    "theorem": ["rephrase", "negative", "formal"],
}
SETTINGS = {"geometry": {"negatives": 5}, "flowchart": {}, "caption": {"negatives": 2, "captions": 3}, "theorem": {}}
"""What is set otherwise than by default: what is dear is made seldomer, and of what is rare there is more."""


def write_recipe(domain: str, data: str | None, seed: int, folder: Path, rows: int | None) -> tuple[Path, list[str]]:
    """The recipe of one domain, and what else `counterfoil run` is told."""
    source, more = SOURCES[domain] if rows is None else f"procedural:{rows}", list[str]()
    if data is not None:
        source, limit = REAL[domain][0].format(data=data), rows or REAL[domain][1]
        more = ["--limit", str(limit)]
    values = {"source": source, "families": FAMILIES[domain], **SETTINGS[domain]}
    if data is not None:
        values.pop("captions", None)
    lines = ["[dataset]", f"path = {json.dumps(str(folder / 'dataset'))}", f"seed = {seed}", "[author]"]
    lines += ['kind = "procedural"', f"[{domain}]", *(f"{key} = {json.dumps(each)}" for key, each in values.items())]
    recipe = folder / "recipe.toml"
    recipe.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return recipe, more


def measure_domain(
    domain: str, data: str | None, seed: int, folder: Path, rows: int | None, language_model: str | None
) -> list[dict[str, Any]]:
    """Make and audit one domain in ``folder``: one row of figures for each of its families."""
    folder.mkdir(parents=True, exist_ok=True)
    recipe, more = write_recipe(domain, data, seed, folder, rows)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _call("run", str(recipe), "--yes", *more)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = next(each for each in sorted(folder.glob("dataset*")) if each.is_dir())
    asked = [] if language_model is None else ["--language-model", language_model]
    audited = json.loads(_call("audit", str(made), "--json", *asked))
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [row | {"domain_cpu_s": round(cpu, 1)} for row in read_figures(audited)]


def _call(*arguments: str) -> str:
    command = [sys.executable, "-m", "counterfoil", *arguments]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=dict(os.environ)).stdout


def read_figures(audited: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for each family and what it stands beside."""
    rows = []
    for each in audited:
        judges, sets, halves = each["judges"], each["sets"], each["halves"]
        told = judges[0]["figures"]["pairwise"] if judges else dict.fromkeys(("value", "low", "high"))
        likelier = max((one["figures"]["pairwise"]["value"] for one in each["fluent"]), default=None)
        half = max((one["figures"]["pairwise"]["value"] for one in halves), default=None)
        picked = max((one["figures"]["picked"]["value"] - one["figures"]["chance"] for one in sets), default=None)
        rows.append(
            {
                "family": each["family"],
                "beside": each["beside"],
                "anchors": each["anchors"],
                "rows": each["contrasts"],
                "told": told["value"],
                "low": told["low"],
                "high": told["high"],
                "judge": judges[0]["judge"] if judges else None,
                "half": half,
                "picked": picked,
                "likelier": likelier,
                "inverted": [
                    one["judge"]
                    for one in (*judges, *halves, *each["fluent"])
                    if one["figures"]["pairwise"]["high"] < 0.5
                ],
            }
        )
    return rows


def print_table(rows: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]]) -> None:
    """The figures, each beside those of ``before`` where these have it."""
    known = {(row["seed"], row["family"], row["beside"]): row for row in before}
    figures = ("anchors", "rows", "told", "of the other half", "picked over chance", "likelier", "inverted")
    heads = ("family", "beside", "seed", *figures)
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}")
    for row in rows:
        old = known.get((row["seed"], row["family"], row["beside"]), {})
        cells = [_show(old.get(name), row[name]) for name in ("anchors", "rows", "told", "half", "picked", "likelier")]
        interval = f" [{100 * row['low']:.1f}, {100 * row['high']:.1f}]" if row["told"] is not None else ""
        cells[2] += interval
        cells.append(", ".join(row["inverted"]) or "-")
        print(f"| {row['family']} | {row['beside']} | {row['seed']} | " + " | ".join(cells) + " |")


def _show(old: float | None, new: float | None) -> str:
    shown = [f"{100 * each:.1f} %" if isinstance(each, float) else str(each) for each in (old, new) if each is not None]
    return " -> ".join(shown) or "-"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path, help="an empty folder for what is made")
    parser.add_argument("--domain", action="append", choices=list(SOURCES))
    parser.add_argument("--data", help="folder of the real sources; left out: our own")
    parser.add_argument("--seed", action="append", type=int, help="seeds of the recipes; left out: 7")
    parser.add_argument("--rows", type=int, help="rows of each source; left out: as many as say something")
    parser.add_argument("--language-model", help="a causal language model judges texts, too")
    parser.add_argument("--against", type=Path, help="told.json of another working tree")
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for seed in asked.seed or [7]:
        for domain in asked.domain or (SOURCES if asked.data is None else REAL):
            folder = asked.work / f"{domain}-{seed}"
            found = measure_domain(domain, asked.data, seed, folder, asked.rows, asked.language_model)
            rows += [row | {"seed": seed} for row in found]
    (asked.work / "told.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print_table(rows, json.loads(asked.against.read_text(encoding="utf-8")) if asked.against else [])
    for domain in sorted({row["family"].partition(".")[0] for row in rows}):
        cpu = {row["domain_cpu_s"] for row in rows if row["family"].startswith(f"{domain}.")}
        print(f"{domain}: {', '.join(map(str, sorted(cpu)))} s of CPU to make")


if __name__ == "__main__":
    main()
