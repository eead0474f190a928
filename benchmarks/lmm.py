"""Whether a small LLaVA learns from instruction rows what it cannot know blind: yes and no about captions and scenes.

`python -m benchmarks.lmm DATASET --to FOLDER [--steps 2000] [--seeds 3]` tunes tiny random parts (a CLIP tower and a
Llama of the test suite, tower trained too) on the `true` and `question` rows of the training split, and asks the
held-out rows with and without pictures. Printed for each seed: first and last loss, accuracy with pictures and blind,
with intervals.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from storage.dataset import Dataset
from tasks.evaluation.answers.asking import LocalModel, ask_items, score_answers
from tasks.evaluation.answers.reading import read_items
from tasks.sft.asking import Wanted
from tasks.sft.data import make_instructions
from tasks.sft.formats import write_instructions
from tasks.sft.model import load_llava
from tasks.sft.settings import SftSettings
from tasks.sft.stages import run_stage
from tests.tasks.sft import tiny


def main() -> None:
    """Run the seeds one after another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=500, help="held-out rows that are asked")
    given = parser.parse_args()
    made = list(make_instructions(Dataset(given.dataset).snapshot(), Wanted(("true", "question"))))
    train = [row for row in made if row.split == "train"]
    test = [row for row in made if row.split != "train"][: given.rows]
    write_instructions(test, given.to / "questions", "llava")
    for seed in range(given.seeds):
        folder = given.to / f"seed-{seed}"
        parts = tiny.save_parts(folder / "parts")
        settings = SftSettings(
            vision=parts.vision,
            language=parts.language,
            steps=given.steps,
            batch_size=16,
            learning_rate=1e-3,
            train_tower=True,
            seed=seed,
        )
        began = time.monotonic()
        told = run_stage("tuning", settings, train, folder / "tuning")
        print(f"seed {seed}: {told['rows']} rows, {told['steps']} steps, {time.monotonic() - began:.0f} s")
        print(f"  loss {told['first_loss']:.3f} to {told['last_loss']:.3f}")
        answerer = LocalModel(told["model"], load_llava(told["model"]), 24)
        for file in sorted((given.to / "questions").glob("*.json")):
            given_answers = ask_items(answerer, read_items(f"llava:{file}"), folder / f"{file.stem}.jsonl", batch=32)
            for score in score_answers(given_answers):
                told_range = f"{100 * score.low:.1f} to {100 * score.high:.1f}"
                print(f"  {score.part or 'all':10} {score.condition:14} {100 * score.accuracy:.1f} ({told_range})")


if __name__ == "__main__":
    main()
