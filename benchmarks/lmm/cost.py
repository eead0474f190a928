"""How fast tuning is beside TRL's own example loop, and what memory each stage takes, by a LLaVA of random parts."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

import psutil

from benchmarks.lmm.questions import read_rows
from counterfoil.tasks.sft.model import Llava, build_llava
from counterfoil.tasks.sft.rows import Instruction
from counterfoil.tasks.sft.settings import SftSettings
from counterfoil.tasks.sft.stages import run_stage, write_row
from tests.tasks.encoders import tiny as towers
from tests.tasks.sft import tiny

WIDTH, SIDE = 64, 48


def choose(folder: Path, steps: int, **more: Any) -> SftSettings:
    """The settings of a run on parts that are made in ``folder``."""
    return SftSettings(
        vision=towers.save_clip(folder / "clip", side=SIDE, width=WIDTH, layers=3),
        language=tiny.save_language(folder / "language", WIDTH),
        steps=steps,
        learning_rate=1e-3,
        max_length=512,
        device="cpu",
        log_every=50,
        checkpoint_every=10**6,
        **({"batch_size": 16, "train_tower": True} | more),
    )


def read_training_rows(given: Namespace) -> list[Instruction]:
    """The training split's rows."""
    return [row for row in read_rows(given.dataset, given.kinds, given.most, SIDE) if row.split == "train"]


def speed(given: Namespace) -> None:
    """Our stage and TRL's example loop in turns, so that what else the machine does falls on both.

    A first turn of two steps, in which libraries are loaded, is not counted.
    """
    rows = read_training_rows(given)
    spent: dict[str, list[float]] = {"ours": [], "TRL's example": []}
    runs = {"ours": run_ours, "TRL's example": run_example}
    for turn in range(given.seeds + 1):
        for name in runs if turn % 2 else reversed(runs):
            folder = given.to / f"{name}-{turn}"
            settings = choose(folder / "parts", given.steps if turn else 2)
            wall, cpu, tokens = runs[name](settings, rows, folder)
            if not turn:
                continue
            spent[name].append(tokens / cpu)
            print(
                f"{name:14} {tokens} tokens, {tokens / wall:.0f} a second, {tokens / cpu:.0f} a CPU second", flush=True
            )
    ratios = [ours / theirs for ours, theirs in zip(*spent.values(), strict=True)]
    print(f"ours to TRL's, a CPU second: {', '.join(f'{each:.3f}' for each in ratios)}; {len(rows)} rows")


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
    mean = sum(write_row(llava, row).tokens for row in rows) / len(rows)
    return round(mean * settings.batch_size * (settings.steps or 0))


def memory(given: Namespace) -> None:
    """Each stage in a process of its own, which gives back what it frees, as it would itself where little is free."""
    environment = os.environ | {"MALLOC_MMAP_THRESHOLD_": "1048576"}
    for stage, rank, width in (("adapter", 0, 1536), ("tuning", 8, 1536), ("tuning", 0, 1536)):
        command = [sys.executable, "-m", "benchmarks.lmm", "one", given.dataset, "--to", str(given.to)]
        command += ["--stage", stage, "--rank", str(rank), "--width", str(width), "--steps", "4"]
        command += ["--kinds", *given.kinds]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        print(f"{stage}, LoRA {rank}: {done.stdout.strip()}", flush=True)


def one(given: Namespace) -> None:
    """Peak memory of one stage, beside that before it, and the estimate."""
    rows = read_training_rows(given)[:64]
    folder = given.to / f"{given.stage}-{given.rank}"
    settings = choose(folder / "parts", given.steps, lora_rank=given.rank, batch_size=4, train_tower=False)
    tiny.save_language(folder / "parts" / "language", given.width)
    for library in ("peft", "trl.trainer.sft_trainer", "torch._dynamo", "transformers.trainer"):
        importlib.import_module(library)
    # The highest of the process so far is that of making the parts: from here on the system counts anew.
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    before = psutil.Process().memory_info().rss
    told = run_stage(given.stage, settings, rows, folder / "run")
    peak = read_peak() - before
    print(f"{peak / 1e9:.2f} GB above the {before / 1e9:.2f} GB of libraries and rows; estimate {told['memory']}")


def read_peak() -> int:
    """The highest resident memory of this process, in bytes, since it was last reset (Linux)."""
    line = next(each for each in Path("/proc/self/status").read_text().splitlines() if each.startswith("VmHWM:"))
    return 1024 * int(line.split()[1])
