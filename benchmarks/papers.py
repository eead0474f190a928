"""The five papers' tables at a size that a busy core walks in minutes, and the page that shows them.

`python -m benchmarks.papers` runs `counterfoil reproduce` of each paper, keeps what came out of it as
`benchmarks/results/papers/PAPER.json` and writes `docs/papers.md` of these files. `python -m benchmarks.papers saclip`
runs one of them; `--page` writes the page alone. A run that was ended goes on in its folder (`--to`).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.flows.learning.reproducing import RESULTS, Cell, Reproduced, list_reasons, list_rows, read_papers

HERE = Path(__file__).parent
KEPT = HERE / "results" / "papers"
PAGE = HERE.parent / "docs" / "papers.md"
SCALE = 0.02
BATCH = 16


@dataclass(frozen=True)
class Small:
    """How a paper's way is made small, and what its figures are worth then."""

    steps: int
    """Of each row that is trained."""
    sets: tuple[str, ...]
    reading: str


_SCENES = ("caption.source=procedural:240", "caption.size=96")
_PICTURED = ("training.resolution=64", "training.evaluate_rows=32")
PAPERS = {
    "mmclip": Small(
        60,
        ("geometry.source=procedural:60", "geometry.negatives=3", *_PICTURED),
        "that negatives of the four kinds are made, trained on and asked for, each with its chance; not that one\n"
        "kind teaches more than another, for a CLIP of 64 px does not read a figure's numbers",
    ),
    "saclip": Small(
        60,
        (
            "flowchart.source=procedural:16",
            "flowchart.size=96",
            "flowchart.smallest_text=3",
            "flowchart.image_negatives=2",
            *_PICTURED,
        ),
        "that charts' pictures and captions are asked both ways, over all and among hard negatives; not the paper's\n"
        "order, which [proof.md](proof.md) asks with a start, more charts and seeds",
    ),
    "ahnpl": Small(
        60,
        (*_SCENES, *_PICTURED),
        "that every row of Table 3 is trained with the terms that it names; not their order, which\n"
        "[proof.md](proof.md) asks with a start and seeds, and nothing of ARO or VALSE, which are other benchmarks",
    ),
    "concrete-jungle": Small(
        60,
        (*_SCENES, *_PICTURED),
        "that the margins' three ways are trained on exchanged words; not that one is better: the paper's own gaps\n"
        "between them are 0.1 to 1.3 points",
    ),
    "mathleap": Small(
        20,
        ("theorem.source=procedural:80", "training.max_tokens=64"),
        "that the six directions between words, Lean signature and Lean type are trained and asked; nothing of\n"
        "what training gives: 16 held-out statements are so unlike each other that the untuned encoder, and n-grams\n"
        "alone, find nearly all. The paper's encoder has eight billion parameters and many more to tell apart",
    ),
}


def list_sets(small: Small) -> list[str]:
    """The overrides of a small run."""
    return [*small.sets, f"training.steps={small.steps}", f"training.batch_size={BATCH}", "training.holdout=0.1"]


def word_command(name: str) -> str:
    """The command as anyone types it."""
    sets = " ".join(f"--set {shlex.quote(each)}" for each in list_sets(PAPERS[name]))
    return f"counterfoil reproduce {name} --scale {SCALE:g} {sets}"


def run_paper(name: str, folder: Path) -> None:
    """Run the command, and keep its table with the CPU seconds of all its processes.

    Raises:
        subprocess.CalledProcessError: it failed; what it said is on the terminal.
    """
    sets = [part for each in list_sets(PAPERS[name]) for part in ("--set", each)]
    before = _count_seconds()
    command = [
        sys.executable,
        "-m",
        "counterfoil",
        "reproduce",
        name,
        "--scale",
        str(SCALE),
        "--to",
        str(folder),
        *sets,
    ]
    subprocess.run(command, check=True)
    told = {
        "command": word_command(name),
        "steps": PAPERS[name].steps,
        "cpu_seconds": round(_count_seconds() - before),
        "cores": os.cpu_count(),
        **json.loads((folder / RESULTS).read_text(encoding="utf-8")),
    }
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"{name}.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _count_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_kept(name: str) -> dict[str, Any]:
    """What was kept of a paper's run."""
    told: dict[str, Any] = json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
    return told


def _read_table(name: str, told: dict[str, Any]) -> Reproduced:
    number = lambda cell, key: math.nan if cell[key] is None else cell[key]  # noqa: E731
    rows = {
        row: tuple(
            Cell(
                *(number(cell, key) for key in ("printed", "ours", "low", "high")),
                cell.get("why_no_printed", ""),
                cell.get("why_no_ours", ""),
            )
            for cell in cells
        )
        for row, cells in told["rows"].items()
    }
    return Reproduced(read_papers()[name], told["scale"], rows, told["anchors"])


_HEAD = """# Five papers, small

Made by `python -m benchmarks.papers`, which walks each paper's whole way with `counterfoil reproduce` (generation,
packing, training of each row, evaluation) and writes this page of what it keeps in `benchmarks/results/papers/`.
Percent: *paper* is the printed figure, *ours* has the wider half of its 95 % interval over held-out source rows. A
letter is the reason why a figure is not there. **Each table has one seed and so few rows that hardly any two figures
differ measurably.** The page shows that every row of every table is made, trained and scored. It is no evidence for or
against a paper's claim. For the full size leave out `--scale` and the keys. Whether the data makes models better is the
question of [proof.md](proof.md).
"""


def write_page() -> str:
    """The page, of what was kept."""
    return "\n".join([_HEAD, *(line for name in PAPERS for line in _write_paper(name))])


def _write_paper(name: str) -> list[str]:
    told, small = read_kept(name), PAPERS[name]
    made = _read_table(name, told)
    splits = ", ".join(f"{count:,} {split}" for split, count in sorted(made.anchors.items()))
    headings = [f"{heading}: {whose}" for heading, _, _ in made.paper.columns for whose in ("paper", "ours")]
    model = "all-MiniLM-L6-v2" if name == "mathleap" else "a CLIP from scratch (64 px, two layers, width 96)"
    return [
        f"## {made.paper.title}",
        "",
        "```",
        told["command"],
        "```",
        "",
        f"{sum(made.anchors.values()):,} anchors ({splits}); {told['steps']} steps of {BATCH} for each trained row.",
        f"The model is {model}. In all {told['cpu_seconds']} CPU seconds.",
        "",
        "| | " + " | ".join(headings) + " |",
        "| --- |" + " ---: |" * len(headings),
        *("| " + " | ".join(row) + " |" for row in list_rows(made)),
        "",
        *(f"- {each}" for each in list_reasons(made)),
        "",
        *([made.paper.note, ""] if made.paper.note else []),
        f"**May be read**: {small.reading}.",
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.papers", description=__doc__)
    parser.add_argument("papers", nargs="*", help=f"of {', '.join(PAPERS)}; none: all")
    parser.add_argument("--to", type=Path, default=Path("papers"), help="folder of datasets and models")
    parser.add_argument("--page", action="store_true", help="write the page of what is kept, and run nothing")
    given = parser.parse_args()
    if unknown := [name for name in given.papers if name not in PAPERS]:
        parser.error(f"no paper {', '.join(unknown)}; there are {', '.join(PAPERS)}")
    for name in [] if given.page else given.papers or PAPERS:
        run_paper(name, given.to.resolve() / name)
    if missing := [name for name in PAPERS if not (KEPT / f"{name}.json").exists()]:
        parser.exit(0, f"the page wants {', '.join(missing)} too\n")
    PAGE.write_text(write_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
