"""Whether a small LLaVA learns from instruction rows what it cannot know blind, how fast, and in how much memory.

`python -m benchmarks.lmm learn DATASET --to FOLDER [--kinds question] [--steps 1500] [--seeds 3]`: parts of random
weights (a CLIP tower of 48 px, a Llama of two layers with a token for each byte) tuned whole on the training split, and
asked the questions of yes and no of the other splits, with pictures and blind, for each seed. Printed: first and last
loss, accuracies with 95 % intervals, and how often symbolic equality judged otherwise than string equality.

`speed DATASET`: tokens a second of our tuning stage beside TRL's own example loop (`SFTTrainer` on messages, its own
collator and preparation) on the same model and rows, in turns. `memory DATASET`: peak resident memory of each stage
beside the estimate, each in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import torch
import transformers

from storage.dataset import Dataset
from tasks.evaluation.answers.asking import LocalModel, ask_items, score_answers
from tasks.evaluation.answers.reading import read_items
from tasks.sft.asking import Wanted
from tasks.sft.data import make_instructions
from tasks.sft.formats import write_instructions
from tasks.sft.model import Llava, build_llava, load_llava, prepare_picture
from tasks.sft.rows import Instruction
from tasks.sft.settings import SftSettings
from tasks.sft.stages import count_tokens, run_stage
from tests.tasks.encoders import tiny as towers
from tests.tasks.sft import tiny

WIDTH, SIDE = 64, 48


def save_parts(folder: Path, seed: int) -> tuple[str, str]:
    """A CLIP whose tower sees 48 px in patches of 8, and a Llama, with random weights."""
    vision, language = towers.save_clip(folder / "clip"), tiny.save_language(folder / "language", WIDTH)
    torch.manual_seed(seed)
    config = transformers.CLIPConfig.from_pretrained(vision)
    for name, value in {"image_size": SIDE, "patch_size": 8, "hidden_size": WIDTH, "intermediate_size": 128}.items():
        setattr(config.vision_config, name, value)
    config.vision_config.num_hidden_layers = 3
    transformers.CLIPModel(config).save_pretrained(vision)
    sizes = {"size": {"shortest_edge": SIDE}, "crop_size": {"height": SIDE, "width": SIDE}}
    images = transformers.CLIPImageProcessorPil(**sizes)
    transformers.CLIPProcessor(images, towers.make_clip_tokenizer()).save_pretrained(vision)
    return vision, language


def choose(folder: Path, steps: int, seed: int, **more: Any) -> SftSettings:
    """The settings of a run."""
    vision, language = save_parts(folder, seed)
    given = {"steps": steps, "batch_size": 16, "learning_rate": 1e-3, "train_tower": True, "max_length": 512}
    return SftSettings(
        vision=vision, language=language, seed=seed, device="cpu", checkpoint_every=10**6, log_every=50, **given | more
    )


def read_rows(dataset: str, kinds: list[str], most: int) -> tuple[list[Instruction], list[Instruction]]:
    """Rows of the training split, and of the others."""
    made = list(make_instructions(Dataset(dataset).snapshot(), Wanted(tuple(kinds), most)))  # type: ignore[arg-type]
    made = [replace(row, pictures=tuple(map(shrink, row.pictures))) for row in made]
    return [row for row in made if row.split == "train"], [row for row in made if row.split != "train"]


@cache
def shrink(picture: bytes) -> bytes:
    """A picture as the tower will see it, so that steps do not decode it large again and again."""
    sink = BytesIO()
    prepare_picture(picture, SIDE).save(sink, "PNG")
    return sink.getvalue()


def learn(given: argparse.Namespace) -> None:
    """Tune and ask, a seed after another."""
    train, test = read_rows(given.dataset, given.kinds, given.most)
    closed = re.compile(given.only)
    train, test = (
        [row for row in rows if closed.fullmatch(row.answer) and row.domain == given.domain] for rows in (train, test)
    )
    write_instructions(test[: given.rows], given.to / "questions", "llava")
    for seed in range(given.seeds):
        folder = given.to / f"seed-{seed}"
        began = time.monotonic()
        told = run_stage("tuning", choose(folder / "parts", given.steps, seed), train, folder / "tuning")
        log = [json.loads(line)["loss"] for line in (folder / "tuning" / "log.jsonl").read_text().splitlines()]
        print(f"seed {seed}: {told['rows']} rows, {told['steps']} steps, {time.monotonic() - began:.0f} s")
        print(f"  loss {log[0]:.4f} to {log[-1]:.4f}", flush=True)
        answerer = LocalModel(told["model"], load_llava(told["model"]), 16)
        for file in sorted((given.to / "questions").glob("*.json")):
            answers = ask_items(answerer, read_items(f"llava:{file}"), folder / f"{file.stem}.jsonl", batch=32)
            differ = sum(each.right != each.same_text for each in answers)
            print(f"  {file.stem}: {differ} of {len(answers)} answers judged otherwise than by string equality")
            for score in score_answers(answers):
                shares = f"{100 * score.accuracy:.1f} ({100 * score.low:.1f} to {100 * score.high:.1f})"
                print(f"  {score.part or 'all':10} {score.condition:14} {score.items:5} {shares}", flush=True)


def speed(given: argparse.Namespace) -> None:
    """Our stage and TRL's example loop in turns, so that what else the machine does falls on both."""
    rows = read_rows(given.dataset, given.kinds, given.most)[0]
    for turn in range(given.seeds):
        for name, run in (("ours", run_ours), ("TRL's example", run_example)):
            settings = choose(given.to / f"{name}-{turn}" / "parts", given.steps, 0)
            wall, cpu, tokens = run(settings, rows, given.to / f"{name}-{turn}")
            told = f"{tokens / wall:.0f} a second, {tokens / cpu:.0f} a CPU second"
            print(f"{name:14} {tokens} tokens, {told}", flush=True)


def run_ours(settings: SftSettings, rows: list[Instruction], folder: Path) -> tuple[float, float, int]:
    """Seconds of wall and CPU, and tokens, of our stage, measuring of rows and saving included."""
    began, spent = time.monotonic(), time.process_time()
    run_stage("tuning", settings, rows, folder / "run")
    wall, cpu = time.monotonic() - began, time.process_time() - spent
    return wall, cpu, count_seen(build_llava(settings.parts), settings, rows)


def run_example(settings: SftSettings, rows: list[Instruction], folder: Path) -> tuple[float, float, int]:
    """The same of TRL's example for vision models: messages with pictures, and nothing else said."""
    import datasets
    from trl import SFTConfig, SFTTrainer

    began, spent = time.monotonic(), time.process_time()
    llava = build_llava(settings.parts)
    data = datasets.Dataset.from_list([describe(row) for row in rows]).cast_column(
        "images", datasets.List(datasets.Image())
    )
    arguments = SFTConfig(
        output_dir=str(folder / "run"),
        per_device_train_batch_size=settings.batch_size,
        max_steps=settings.steps or -1,
        learning_rate=settings.learning_rate,
        max_length=None,
        use_cpu=True,
        report_to="none",
        disable_tqdm=True,
        save_strategy="no",
        gradient_checkpointing=False,
        bf16=False,
    )
    trainer = SFTTrainer(llava.model, arguments, train_dataset=data, processing_class=llava.processor)
    trainer.train()
    llava.save(folder / "model")
    return time.monotonic() - began, time.process_time() - spent, count_seen(llava, settings, rows)


def describe(row: Instruction) -> dict[str, Any]:
    """A row as TRL's examples have it."""
    return {
        "images": [{"bytes": picture, "path": None} for picture in row.pictures],
        "prompt": [{"role": "user", "content": row.prompt}],
        "completion": [{"role": "assistant", "content": row.response}],
    }


def count_seen(llava: Llava, settings: SftSettings, rows: list[Instruction]) -> int:
    """Tokens of the rows of a run, as often as it saw them, about."""
    mean = sum(count_tokens(llava, row) for row in rows) / len(rows)
    return round(mean * settings.batch_size * (settings.steps or 0))


def memory(given: argparse.Namespace) -> None:
    """Each stage in a process of its own."""
    for stage, rank, width in (("adapter", 0, 512), ("tuning", 8, 512), ("tuning", 0, 512)):
        command = [sys.executable, "-m", "benchmarks.lmm", "one", given.dataset, "--to", str(given.to)]
        command += ["--stage", stage, "--rank", str(rank), "--width", str(width), "--steps", "4"]
        done = subprocess.run([*command, "--kinds", *given.kinds], check=True, capture_output=True, text=True)
        print(f"{stage}, LoRA {rank}: {done.stdout.strip()}", flush=True)


def one(given: argparse.Namespace) -> None:
    """Peak memory of one stage, beside that before it, and the estimate."""
    rows = read_rows(given.dataset, given.kinds, given.most)[0][:64]
    folder = given.to / f"{given.stage}-{given.rank}"
    settings = choose(folder / "parts", given.steps, 0, lora_rank=given.rank, batch_size=4, train_tower=False)
    tiny.save_language(folder / "parts" / "language", given.width)
    build_llava(settings.parts)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    told = run_stage(given.stage, settings, rows, folder / "run")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{before / 1e6:.2f} GB with libraries and model, {peak / 1e6:.2f} GB at its peak; estimate {told['memory']}")


def main() -> None:
    """Run what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("learn", "speed", "memory", "one"))
    parser.add_argument("dataset")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--kinds", nargs="+", default=["question"])
    parser.add_argument("--only", default="yes|no", help="answers that are learnt, as a regular expression")
    parser.add_argument("--domain", default="caption", help="domain whose rows are learnt")
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=400, help="held-out rows that are asked")
    parser.add_argument("--stage", default="tuning")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--width", type=int, default=WIDTH)
    given = parser.parse_args()
    {"learn": learn, "speed": speed, "memory": memory, "one": one}[given.what](given)


if __name__ == "__main__":
    main()
