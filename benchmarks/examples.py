"""What verified examples before each question do to yield and cost: scripted authors of three qualities, and any pool.

    python -m benchmarks.examples FOLDER [--rows 40]

A scripted author exchanges the keyword of a scene's caption by a word that our own rule puts in such a place, in a
share of its answers; the others change another word besides, as a poor model's do. It runs without examples, keeps
what was verified (`counterfoil prompts keep`), and runs again on the same rows with three examples before a question.
It does not read them: what the second run costs more is what examples cost, and its pool serves a model that reads
(`benchmarks.small_model --examples FOLDER/90.jsonl`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.identity import find_identity
from counterfoil.storage.store import Store
from counterfoil.tasks.engine.process import find_answers_folder
from counterfoil.tasks.llm.store.spending import read_yields
from tests.tasks.llm.server import Server, last_text

QUALITIES = (90, 50, 10)
"""Percent of its answers that a scripted author means well."""
RECIPE = """
[dataset]
path = "{path}"
workers = 1
[author]
{author}
[caption]
source = "procedural:{rows}"
families = ["concrete"]
negatives = {negatives}
"""
SCRIPTED = """kind = "openai"
model = "scripted"
base_url = "{url}"
price = {{ input = 0.15, output = 0.6 }}
schema_attempts = 0
repair_attempts = 0
"""


def run(recipe: Path) -> None:
    """Make the recipe's rows, and say how it ended if not well."""
    environment = os.environ | {"OPENAI_API_KEY": "none-is-needed"}
    command = [sys.executable, "-m", "counterfoil", "run", str(recipe), "--yes"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(done.stdout[-1000:], done.stderr[-1000:], sep="\n")


def list_exchanges(folder: Path, rows: int) -> Mapping[str, Sequence[str]]:
    """By keyword, the words that our rule puts in its place somewhere."""
    recipe, path = folder / "rule.toml", folder / "rule"
    recipe.write_text(RECIPE.format(path=path, author='kind = "procedural"', rows=rows, negatives=5))
    run(recipe)
    found: dict[str, set[str]] = defaultdict(set)
    for each in Dataset(str(path)).contrasts("caption.concrete"):
        for edit in each.edits:
            found[edit.target].add(edit.replacement)
    return {target: sorted(others) for target, others in found.items()}


def script(exchanges: Mapping[str, Sequence[str]], quality: int) -> Callable[[dict[str, Any]], str]:
    """A model that answers a question always alike, and well in ``quality`` percent of them."""

    def answer(body: dict[str, Any]) -> str:
        caption, _, keyword = last_text(body).rpartition("Caption: ")[2].partition(" Keyword: ")
        drawn = hashlib.sha256(f"{caption} {keyword}".encode()).digest()
        others = exchanges.get(keyword.strip()) or ["thing"]
        word = others[drawn[0] % len(others)]
        text = caption.replace(keyword.strip(), word, 1)
        if drawn[1] * 100 >= quality * 256:
            text = f"Once {text[0].lower()}{text[1:]}"
        return json.dumps({"replacement": word, "caption": text})

    return answer


def tell(name: str, recipe: Path, pool: int) -> None:
    """A row of the table."""
    settings, path = load_recipe(recipe), recipe.with_suffix("")
    for each in read_yields(settings.author, find_answers_folder(str(path)), find_identity(Store(str(path)))):
        made = each.accepted + each.rejected
        usd, tokens = each.usd_per_row, each.tokens_per_row
        per_row = f"{tokens:,.0f} | {usd:.6f}" if usd is not None and tokens is not None else "none | none"
        print(f"| {name} | {pool} | {each.accepted} of {made} | {each.input_tokens:,} | {per_row} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=40)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    exchanges = list_exchanges(given.folder, given.rows)
    for quality in QUALITIES:
        pool = given.folder / f"{quality}.jsonl"
        kept = 0
        for examples in (0, 3):
            recipe = given.folder / f"{quality}-{examples}.toml"
            with Server(script(exchanges, quality)) as server:
                author = SCRIPTED.format(url=server.openai_url)
                author += f'examples = {examples}\nexamples_from = "{pool}"\n' if examples else ""
                path = recipe.with_suffix("")
                recipe.write_text(RECIPE.format(path=path, author=author, rows=given.rows, negatives=1))
                run(recipe)
            tell(f"{quality} %, {examples} examples", recipe, kept)
            if not examples:
                command = [sys.executable, "-m", "counterfoil", "prompts", "keep", str(recipe), "--to", str(pool)]
                subprocess.run(command, check=True, capture_output=True)
                kept = len(pool.read_text().splitlines())


if __name__ == "__main__":
    main()
