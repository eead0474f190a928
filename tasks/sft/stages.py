"""The two stages that make a LLaVA of its parts: the adapter alone on captions, then tuning on instruction rows.

Both are TRL's SFTTrainer: it goes on from its newest whole checkpoint, with the optimiser, the order of rows and the
random numbers as they were. Loss is on answers alone. TRL cannot pack rows with pictures, and a row whose picture is
cut off would end the run: rows are measured first, and those over the limit are rejects (`rejects.jsonl`), counted.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.storage.rows import fingerprint
from counterfoil.tasks.sft.conversation import Collator, measure_turns, write_turns
from counterfoil.tasks.sft.errors import SftError
from counterfoil.tasks.sft.memory import Load, Memory, check_memory, estimate_memory, find_memory, save_memory
from counterfoil.tasks.sft.model import (
    Llava,
    count_picture_tokens,
    load_llava,
)
from counterfoil.tasks.sft.rows import Instruction
from counterfoil.tasks.sft.settings import SftSettings, Stage
from counterfoil.tasks.sft.swapping import configure, keeps_adapter, make_llava

DONE, REJECTS, LOG, MODEL = "done.json", "rejects.jsonl", "log.jsonl", "model"
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Turns:
    """A row as a conversation: what is asked and what is answered.

    ``tokens`` are those of both as the model gets them, pictures included; ``answered`` those of the completion.
    """

    prompt: str
    completion: str
    tokens: int
    answered: int


@dataclass(frozen=True)
class Measured:
    """Rows that fit, as they are written, and how many did not."""

    rows: tuple[Instruction, ...]
    turns: tuple[Turns, ...]
    longest: int
    rejected: tuple[tuple[str, str], ...]
    """Ids of rows that are too long, each with its reason."""


def measure_rows(llava: Llava, rows: Iterable[Instruction], max_length: int) -> Measured:
    """Write every row as turns, count their tokens, and set aside those over the limit."""
    kept, turns, rejected, longest = [], [], [], 0
    for row in rows:
        told = write_row(llava, row)
        if told.tokens > max_length:
            rejected.append((row.row_id, f"too_long: {told.tokens} tokens, max_length is {max_length}"))
            continue
        kept.append(row)
        turns.append(told)
        longest = max(longest, told.tokens)
    return Measured(tuple(kept), tuple(turns), longest, tuple(rejected))


def write_row(llava: Llava, row: Instruction) -> Turns:
    """A row as the model's chat template has it, with its tokens counted."""
    prompt, completion = write_turns(llava.processor, row.prompt, row.response, len(row.pictures))
    words, answered = measure_turns(llava.processor.tokenizer, prompt, completion)
    pictures = sum(llava.count_picture_tokens(picture) - 1 for picture in row.pictures)
    return Turns(prompt, completion, words + pictures, answered)


def run_stage(
    stage: Stage,
    settings: SftSettings,
    rows: Sequence[Instruction],
    folder: Path,
    before: Path | None = None,
    progress: Progress = lambda *_: None,
    rejected: Sequence[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Run one stage, or go on with it, and tell what came of it; a finished one is not run again.

    ``before`` is the model of the stage before; left out, the model is built of its parts. ``rejected`` are ids of rows
    that were left out before, with their reasons: they are kept beside those that are too long.

    Raises:
        SftError: a part cannot be loaded, no row fits, the memory does not do, or the folder is another run's.
    """
    key = fingerprint(stage, settings.model_dump(mode="json", exclude=_FREE), [row.row_id for row in rows])
    folder.mkdir(parents=True, exist_ok=True)
    done = _read_done(folder, key)
    if done is not None:
        return done
    llava = load_llava(str(before), settings.dtype, "cpu") if before else make_llava(settings.parts)
    measured = measure_rows(llava, rows, settings.max_length)
    lines = [json.dumps({"row_id": row_id, "reasons": [why]}) + "\n" for row_id, why in (*rejected, *measured.rejected)]
    (folder / REJECTS).write_text("".join(lines), encoding="utf-8")
    if not measured.rows:
        raise SftError(
            f"stage {stage}: none of {len(rows)} rows has at most {settings.max_length} tokens: raise max_length"
        )
    needed = estimate_memory(llava.model.config, _describe_load(stage, settings, measured.longest))
    device = _find_device(settings)
    check_memory(needed, find_memory(device), f"stage {stage}")
    if device == "cpu":
        save_memory(needed, find_memory(device))
    result = _train(stage, settings, llava, measured, folder, progress)
    result |= {"key": key, "rows": len(measured.rows), "rejected": len(measured.rejected), "longest": measured.longest}
    result |= {"contaminated": len(rejected)}
    result |= {"memory": str(needed), "model": str(folder / MODEL)}
    (folder / DONE).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for checkpoint in folder.glob("checkpoint-*"):
        shutil.rmtree(checkpoint)
    return result


_FREE = {"path", "device", "checkpoint_every", "log_every", "stages", "tests", "near", "encoder"}
"""What bears on no weight, or only by the rows that are left."""


@dataclass(frozen=True)
class Foreseen:
    """The memory of a stage before anything is loaded: with the shortest rows that there can be, and the longest."""

    stage: Stage
    least: Memory
    most: Memory

    def __str__(self) -> str:
        return f"{self.stage}: {self.least.total / 1e9:.2f} GB with the shortest rows, {self.most} at max_length"


def foresee_memory(settings: SftSettings) -> list[Foreseen]:
    """What each stage will need, from the parts' configurations alone; no weights are read.

    Raises:
        SftError: a part is not there, or a stage does not fit the memory that is free even with the shortest rows.
    """
    config = configure(settings.parts)
    shortest = min(count_picture_tokens(config) + 2, settings.max_length)
    told = []
    for stage in settings.stages:
        few, many = (
            estimate_memory(config, _describe_load(stage, settings, tokens))
            for tokens in (shortest, settings.max_length)
        )
        told.append(Foreseen(stage, few, many))
        check_memory(few, find_memory(_find_device(settings)), f"stage {stage}")
    return told


def _find_device(settings: SftSettings) -> str:
    from transformers.utils import is_torch_cuda_available

    return "cuda" if settings.device == "auto" and is_torch_cuda_available() else "cpu"


def _read_done(folder: Path, key: str) -> dict[str, Any] | None:
    """What a finished run of the same rows and settings told; a note of which run this is is left for the next.

    Raises:
        SftError: the folder holds another run.
    """
    note = folder / "run.txt"
    if note.exists() and note.read_text(encoding="utf-8") != key:
        raise SftError(f"{folder} holds a run with other settings or rows: name another path, or remove it")
    note.write_text(key, encoding="utf-8")
    if not (folder / DONE).exists():
        return None
    done: dict[str, Any] = json.loads((folder / DONE).read_text(encoding="utf-8"))
    return done


def _describe_load(stage: Stage, settings: SftSettings, tokens: int) -> Load:
    return Load(
        trains_language=stage == "tuning",
        trains_tower=stage == "tuning" and settings.train_tower,
        lora_rank=settings.lora_rank if stage == "tuning" else 0,
        batch=settings.batch_size,
        accumulate=settings.accumulate,
        tokens=tokens,
        dtype=settings.dtype,
        checkpointing=settings.checkpointing,
    )


def _train(
    stage: Stage, settings: SftSettings, llava: Llava, measured: Measured, folder: Path, progress: Progress
) -> dict[str, Any]:
    from transformers import set_seed

    set_seed(settings.seed)
    model, targets = llava.model, None
    model.requires_grad_(False)
    if stage == "tuning" and settings.lora_rank:
        targets = _choose_adapters(settings, model)
    elif stage == "tuning":
        model.model.language_model.requires_grad_(True)
        model.lm_head.requires_grad_(True)
    model.model.vision_tower.requires_grad_(stage == "tuning" and settings.train_tower)
    model.model.multi_modal_projector.requires_grad_(True)
    trainer = _make_trainer(stage, settings, llava, measured, folder, targets, progress)
    trainer.train(resume_from_checkpoint=find_checkpoint(folder))
    trained = trainer.accelerator.unwrap_model(trainer.model)
    if targets is not None:
        trained = trained.merge_and_unload()
    if trainer.is_world_process_zero():
        part = folder / f".{MODEL}.part"
        shutil.rmtree(part, ignore_errors=True)
        Llava(trained, llava.processor).save(part)
        shutil.rmtree(folder / MODEL, ignore_errors=True)
        part.rename(folder / MODEL)
    history = [entry for entry in trainer.state.log_history if "loss" in entry]
    (folder / LOG).write_text("".join(json.dumps(entry) + "\n" for entry in history), encoding="utf-8")
    losses = [float(entry["loss"]) for entry in history]
    return {"stage": stage, "steps": trainer.state.global_step, "first_loss": losses[0], "last_loss": losses[-1]}


def _choose_adapters(settings: SftSettings, model: Any) -> Any:
    """Low-rank adapters on the language model's linear layers; a new adapter between the parts trains whole.

    That of a released LLaVA gets low-rank ones as well (SaCLIP Sec. 4.5: all linear layers but the tower's).
    """
    import torch
    from peft import LoraConfig

    released = keeps_adapter(settings.parts)
    starts = ("model.language_model.", "model.multi_modal_projector.") if released else ("model.language_model.",)
    # What is to train whole must be named: peft freezes all else.
    whole = [] if released else ["multi_modal_projector"]
    whole += ["vision_tower"] if settings.train_tower else []
    names = [
        name
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear) and name.startswith(starts)
    ]
    return LoraConfig(
        r=settings.lora_rank,
        lora_alpha=settings.lora_alpha,  # type: ignore[arg-type]
        target_modules=names,
        modules_to_save=whole or None,
    )


def _make_trainer(
    stage: Stage,
    settings: SftSettings,
    llava: Llava,
    measured: Measured,
    folder: Path,
    targets: Any,
    progress: Progress,
) -> Any:
    from transformers import PrinterCallback, TrainerCallback
    from trl import SFTConfig, SFTTrainer

    class Teller(TrainerCallback):
        """Tells how far the run is."""

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            progress(f"stage {stage}", 1, state.max_steps)
            if state.global_step >= state.max_steps:
                # The model itself is saved next: a checkpoint with its optimiser would be written to be removed.
                control.should_save = False

    class WholeResumer(SFTTrainer):
        """Loads a checkpoint's weights as the model's own loader does.

        Transformers saves a LLaVA under other names than its modules have, and the trainer's own resuming, which goes
        by the modules' names, would go on from the first weights with no more than a warning.
        """

        def _load_from_checkpoint(self, resume_from_checkpoint: str, model: Any = None) -> None:
            if targets is not None:
                super()._load_from_checkpoint(resume_from_checkpoint, model)
                return
            saved = type(llava.model).from_pretrained(resume_from_checkpoint, dtype=llava.model.dtype)
            llava.model.load_state_dict(saved.state_dict())

    arguments = SFTConfig(
        output_dir=str(folder),
        per_device_train_batch_size=settings.batch_size,
        gradient_accumulation_steps=settings.accumulate,
        learning_rate=settings.adapter_learning_rate if stage == "adapter" else settings.learning_rate,
        num_train_epochs=settings.epochs,
        max_steps=settings.steps or -1,
        warmup_steps=settings.warmup,
        lr_scheduler_type="cosine",
        bf16=settings.precision == "bf16",
        gradient_checkpointing=settings.checkpointing,
        save_steps=settings.checkpoint_every,
        save_total_limit=2,
        logging_steps=settings.log_every,
        logging_first_step=True,
        max_length=None,
        completion_only_loss=True,
        use_cpu=settings.device == "cpu",
        seed=settings.seed,
        data_seed=settings.seed,
        report_to="none",
        disable_tqdm=True,
        remove_unused_columns=False,
    )
    trainer = WholeResumer(
        model=llava.model,
        args=arguments,
        train_dataset=make_dataset(measured),
        processing_class=llava.processor,
        data_collator=Collator(llava.processor, llava.show),
        peft_config=targets,
        callbacks=[Teller()],
    )
    # It prints each line of the log on standard output, where a command's own answer goes.
    trainer.remove_callback(PrinterCallback)
    return trainer


def make_dataset(measured: Measured) -> Any:
    """The rows as TRL takes them: the bytes of pictures, prompt and completion. The `Collator` decodes a picture."""
    import datasets

    return datasets.Dataset.from_dict(
        {
            "images": [list(row.pictures) for row in measured.rows],
            "prompt": [each.prompt for each in measured.turns],
            "completion": [each.completion for each in measured.turns],
            "answered": [each.answered for each in measured.turns],
        },
        features=datasets.Features(
            {
                "images": datasets.List(datasets.Value("binary")),
                "prompt": datasets.Value("string"),
                "completion": datasets.Value("string"),
                "answered": datasets.Value("int64"),
            }
        ),
    )


def find_checkpoint(folder: Path) -> str | None:
    """The newest checkpoint that was written whole; what is left of a broken one is removed."""
    found = sorted(folder.glob("checkpoint-*"), key=lambda each: int(each.name.rpartition("-")[2]), reverse=True)
    for checkpoint in found:
        try:
            json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            shutil.rmtree(checkpoint)
            continue
        return str(checkpoint)
    return None
