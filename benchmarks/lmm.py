"""Whether a small LLaVA learns from instruction rows what it cannot know blind, how fast, and in how much memory.

`python -m benchmarks.lmm learn DATASET --to FOLDER --vision TOWER [--steps 1500] [--seeds 3]`: a tower that
`counterfoil train` aligned, frozen, and beside it one of the same shape with random weights; a Llama of three layers
with random weights and a vocabulary of whole words, tuned whole on the training split. Each is asked the questions of
yes and no of the other splits, with pictures and blind, and some that it was tuned on. Printed: first and last loss,
accuracies with 95 % intervals. `--open "What time of day" --closed "Is it {}?"` makes yes and no of an open question:
each answer is asked as often rightly as wrongly. What broke off goes on when it is called again.

`speed DATASET`: tokens a second of our tuning stage beside TRL's own example loop (`SFTTrainer` on messages, its own
collator and preparation) on the same model and rows, in turns. `memory DATASET`: peak resident memory of each stage
beside the estimate, each in a process of its own.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from tokenizers.decoders import ByteLevel

from storage.dataset import Dataset
from tasks.encoders.stem import STEM, StemmedCLIP
from tasks.evaluation.answers.asking import BLIND, SEEN, LocalModel, ask_items, score_answers
from tasks.evaluation.answers.reading import read_items
from tasks.sft.asking import Wanted
from tasks.sft.data import make_instructions
from tasks.sft.formats import write_instructions
from tasks.sft.model import Llava, build_llava, load_llava, prepare_picture
from tasks.sft.rows import BOXED, Instruction, box
from tasks.sft.settings import SftSettings
from tasks.sft.stages import count_tokens, run_stage
from tests.tasks.encoders import tiny as towers
from tests.tasks.sft import tiny

WIDTH, SIDE, READER = 64, 48, 96


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


def save_reader(folder: Path, rows: Sequence[Instruction], seed: int) -> str:
    """A Llama of three layers with random weights, whose tokenizer knows the words of these rows."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    learner = trainers.BpeTrainer(
        vocab_size=1000, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator((f"{row.prompt} {row.response}" for row in rows), learner)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=READER,
        intermediate_size=4 * READER,
        num_hidden_layers=3,
        num_attention_heads=4,
        max_position_embeddings=1024,
        bos_token_id=0,
        eos_token_id=1,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


def save_random(vision: str, folder: Path, seed: int) -> str:
    """A tower like that of ``vision``, processor and all, of random weights."""
    shutil.copytree(vision, folder, dirs_exist_ok=True)
    config = transformers.AutoConfig.from_pretrained(vision)
    torch.manual_seed(seed)
    made = StemmedCLIP if getattr(config, STEM, None) else transformers.AutoModel.from_config
    made(config).save_pretrained(folder)
    return str(folder)


def choose(folder: Path, steps: int, seed: int, **more: Any) -> SftSettings:
    """The settings of a run."""
    if "vision" not in more:
        more["vision"], more["language"] = save_parts(folder, seed)
    given = {"steps": steps, "batch_size": 16, "learning_rate": 1e-3, "train_tower": True, "max_length": 512}
    return SftSettings(seed=seed, device="cpu", log_every=50, **{"checkpoint_every": 10**6} | given | more)


def read_rows(
    dataset: str, kinds: list[str], most: int, side: int = SIDE, asked: str = "", rows: int | None = None
) -> tuple[list[Instruction], list[Instruction]]:
    """Rows of the training split, and of the others; of those that begin with ``asked``, and the first so many."""
    made = make_instructions(Dataset(dataset).snapshot(), Wanted(tuple(kinds), most))  # type: ignore[arg-type]
    wanted = islice((row for row in made if row.prompt.startswith(asked)), rows)
    shown = [replace(row, pictures=tuple(shrink(each, side) for each in row.pictures)) for row in wanted]
    return [row for row in shown if row.split == "train"], [row for row in shown if row.split != "train"]


def close_questions(rows: Sequence[Instruction], asked: str) -> list[Instruction]:
    """Yes and no about each answer: ``asked`` has ``{}`` for it. Each answer is asked as often rightly as wrongly."""
    rng = np.random.default_rng(0)
    answers = [row.answer for row in rows]
    sides: dict[str, dict[str, list[Instruction]]] = {each: {"yes": [], "no": []} for each in sorted(set(answers))}
    for row in rows:
        others = [each for each in answers if each != row.answer]
        for value, said in ((row.answer, "yes"), (others[int(rng.integers(len(others)))], "no")):
            prompt = f"{asked.format(value)} Answer yes or no. {BOXED}"
            sides[value][said].append(replace(row, prompt=prompt, answer=said, response=box(said)))
    kept = [row for side in sides.values() for of in side.values() for row in of[: min(map(len, side.values()))]]
    return [kept[at] for at in rng.permutation(len(kept))]


@cache
def shrink(picture: bytes, side: int) -> bytes:
    """A picture as the tower will see it, so that steps do not decode it large again and again."""
    sink = BytesIO()
    prepare_picture(picture, side).save(sink, "PNG")
    return sink.getvalue()


def learn(given: argparse.Namespace) -> None:
    """Tune a language model on an aligned tower and on a random one, a seed after another, and ask."""
    side = int(transformers.AutoConfig.from_pretrained(given.vision).vision_config.image_size)
    train, test = (
        [row for row in rows if row.domain == given.domain]
        for rows in read_rows(given.dataset, given.kinds, given.most, side, given.open, given.most_rows)
    )
    if given.closed:
        train, test = close_questions(train, given.closed), close_questions(test, given.closed)
    closed = re.compile(given.only)
    asked = {"held-out": test, "seen": [row for row in train if closed.fullmatch(row.answer)]}
    for name, rows in asked.items():
        chosen = [row for row in rows if closed.fullmatch(row.answer)]
        if not (given.to / "questions" / name).exists():
            write_instructions(chosen[: given.rows], given.to / "questions" / name, "llava")
    print(f"{len(train)} rows to learn from, of {len({row.anchor_id for row in train})} pictures", flush=True)
    for seed in range(given.seeds):
        language = save_reader(given.to / f"reader-{seed}", train, seed)
        for name in given.towers:
            vision = given.vision if name == "aligned" else save_random(given.vision, given.to / f"random-{seed}", seed)
            settings = choose(
                given.to,
                given.steps,
                seed,
                vision=vision,
                language=language,
                train_tower=given.train_tower,
                batch_size=32,
                checkpoint_every=200,
            )
            learn_once(settings, train, given.to / f"{name}-{seed}", given.to / "questions")


def learn_once(settings: SftSettings, train: Sequence[Instruction], folder: Path, questions: Path) -> None:
    """One model tuned and asked, about pictures that it has learnt from and about held-out ones."""
    spent = time.process_time()
    told = run_stage("tuning", settings, train, folder / "tuning")
    log = [json.loads(line)["loss"] for line in (folder / "tuning" / "log.jsonl").read_text().splitlines()]
    print(f"{folder.name}: {told['steps']} steps, {time.process_time() - spent:.0f} CPU s in this process")
    print(f"  loss {float(log[0]):.4f} to {float(log[-1]):.4f}", flush=True)
    answerer = LocalModel(told["model"], load_llava(told["model"]), 8)
    for file in sorted(questions.glob("*/*.json")):
        conditions = (SEEN, BLIND) if file.parent.name == "held-out" else (SEEN,)
        to = folder / f"{file.parent.name}-{file.stem}.jsonl"
        answers = ask_items(answerer, read_items(f"llava:{file}"), to, conditions=conditions, batch=32)
        for score in score_answers(answers):
            if not score.part:
                shares = f"{100 * score.accuracy:.1f} ({100 * score.low:.1f} to {100 * score.high:.1f})"
                print(f"  {file.parent.name} {file.stem}, {score.condition}: {score.items} asked, {shares}", flush=True)


def speed(given: argparse.Namespace) -> None:
    """Our stage and TRL's example loop in turns, so that what else the machine does falls on both.

    A first turn of two steps, in which libraries are loaded, is not counted.
    """
    rows = read_rows(given.dataset, given.kinds, given.most)[0]
    spent: dict[str, list[float]] = {"ours": [], "TRL's example": []}
    runs = {"ours": run_ours, "TRL's example": run_example}
    for turn in range(given.seeds + 1):
        for name in runs if turn % 2 else reversed(runs):
            folder = given.to / f"{name}-{turn}"
            settings = choose(folder / "parts", given.steps if turn else 2, 0)
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
    mean = sum(count_tokens(llava, row) for row in rows) / len(rows)
    return round(mean * settings.batch_size * (settings.steps or 0))


def memory(given: argparse.Namespace) -> None:
    """Each stage in a process of its own."""
    for stage, rank, width in (("adapter", 0, 1536), ("tuning", 8, 1536), ("tuning", 0, 1536)):
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


def main() -> None:
    """Run what is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("learn", "speed", "memory", "one"))
    parser.add_argument("dataset")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--kinds", nargs="+", default=["question"])
    parser.add_argument("--vision", help="of learn: a tower that `counterfoil train` has aligned")
    parser.add_argument("--open", default="", help="of learn: how the open questions begin that are asked")
    parser.add_argument("--closed", default="", help='of learn: the same as a question of yes and no, as "Is it {}?"')
    parser.add_argument("--most-rows", type=int, help="of learn: read so many rows")
    parser.add_argument("--towers", nargs="+", choices=("aligned", "random"), default=["aligned", "random"])
    parser.add_argument("--train-tower", action="store_true", help="tune the tower, too")
    parser.add_argument("--only", default="yes|no", help="answers that are scored, as a regular expression")
    parser.add_argument("--domain", default="caption", help="domain whose rows are learnt")
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=400, help="held-out rows that are asked")
    parser.add_argument("--stage", default="tuning")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--width", type=int, default=WIDTH)
    given = parser.parse_args()
    if given.what == "learn" and not given.vision:
        parser.error("learn needs --vision: the folder of a tower that `counterfoil train` has aligned")
    {"learn": learn, "speed": speed, "memory": memory, "one": one}[given.what](given)


if __name__ == "__main__":
    main()
