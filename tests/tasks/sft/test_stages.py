"""The stages on tiny models: what they train, what they leave alone, what is too long, and going on after a kill."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needing import skip_without

skip_without("trl", reason="tuning needs an extra: pip install 'counterfoil[sft]'")

import torch

from counterfoil.tasks.sft.conversation import Collator
from counterfoil.tasks.sft.errors import SftError
from counterfoil.tasks.sft.model import build_llava, load_llava
from counterfoil.tasks.sft.rows import Instruction
from counterfoil.tasks.sft.settings import SftSettings
from counterfoil.tasks.sft.stages import (
    REJECTS,
    find_checkpoint,
    foresee_memory,
    make_dataset,
    measure_rows,
    run_stage,
    write_row,
)
from tests.patience import PATIENCE_S
from tests.tasks.sft import tiny
from tests.tasks.sft.pictures import draw_png


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    return tiny.save_parts(tmp_path_factory.mktemp("parts"))


def choose(parts, **given) -> SftSettings:
    small = {"steps": 4, "batch_size": 2, "max_length": 200, "log_every": 1, "checkpoint_every": 2, "device": "cpu"}
    return SftSettings(vision=parts.vision, language=parts.language, **(small | given))


def make_rows(count: int = 6) -> list[Instruction]:
    rows = [
        Instruction("caption", "flowchart", "train", f"{n:032x}", (draw_png(n),), "Describe it.", f"Colour {n}.", "")
        for n in range(count)
    ]
    pair = (draw_png(1), draw_png(2))
    return [*rows, Instruction("which_picture", "flowchart", "train", "f" * 32, pair, "Which?", "first", "first")]


def read_weights(folder: str | Path) -> dict[str, torch.Tensor]:
    return load_llava(str(folder), device="cpu").model.state_dict()


def list_changed(before: dict[str, torch.Tensor], after: dict[str, torch.Tensor]) -> set[str]:
    names = {name for name in before if not torch.equal(before[name], after[name])}
    return {
        next(part for part in ("vision_tower", "multi_modal_projector", "language") if part in name) for name in names
    }


def test_the_adapters_stage_trains_the_adapter_alone_and_tuning_leaves_the_tower(parts, tmp_path):
    first = run_stage("adapter", choose(parts, adapter_learning_rate=0.01), make_rows(), tmp_path / "adapter")
    built = build_llava(parts).model.state_dict()
    assert list_changed(built, read_weights(first["model"])) == {"multi_modal_projector"}
    settings = choose(parts, lora_rank=2, learning_rate=0.01)
    second = run_stage("tuning", settings, make_rows(), tmp_path / "tuning", Path(first["model"]))
    changed = list_changed(read_weights(first["model"]), read_weights(second["model"]))
    assert changed == {"language", "multi_modal_projector"}
    assert second["steps"] == 4 and second["rows"] == 7 and second["rejected"] == 0


def test_a_tower_that_is_to_train_trains_beside_low_rank_adapters_too(parts, tmp_path):
    settings = choose(parts, lora_rank=2, train_tower=True, learning_rate=0.01, steps=2)
    done = run_stage("tuning", settings, make_rows(), tmp_path / "tuning")
    changed = list_changed(build_llava(parts).model.state_dict(), read_weights(done["model"]))
    assert changed == {"vision_tower", "multi_modal_projector", "language"}


def test_loss_is_on_the_answer_alone(parts):
    llava = build_llava(parts)
    measured = measure_rows(llava, make_rows(2), 512)
    data = make_dataset(measured)
    batch = Collator(llava.processor, llava.show)([data[0], data[2]])
    told = [llava.processor.tokenizer.decode(labels[labels >= 0]) for labels in batch["labels"]]
    assert told == [" Colour 0.</s>", " first</s>"]
    assert batch["attention_mask"].sum(1).tolist() == [measured.turns[0].tokens, measured.turns[2].tokens]


def test_rows_over_the_limit_are_rejects_with_their_lengths(parts, tmp_path):
    llava = build_llava(parts)
    rows = make_rows(2)
    limit = write_row(llava, rows[0]).tokens
    measured = measure_rows(llava, rows, limit)
    assert measured.rows == tuple(rows[:2]) and measured.longest == limit
    settings = choose(parts, max_length=limit, steps=1)
    done = run_stage("adapter", settings, rows, tmp_path)
    (reject,) = [json.loads(line) for line in (tmp_path / REJECTS).read_text().splitlines()]
    assert reject["row_id"] == rows[2].row_id and reject["reasons"][0].startswith("too_long: ")
    assert done["rejected"] == 1
    with pytest.raises(SftError, match="holds a run with other settings or rows"):
        run_stage("adapter", settings, rows[:1], tmp_path)


def test_a_llava_next_is_tuned_on_tiles(parts, tmp_path):
    done = run_stage("tuning", choose(parts, tiles=True, steps=1, lora_rank=2), make_rows(2), tmp_path)
    assert load_llava(done["model"], device="cpu").tiles and done["rows"] == 3


def test_memory_is_foreseen_for_every_stage_and_what_cannot_fit_is_refused(parts, monkeypatch):
    adapter, tuning = foresee_memory(choose(parts))
    assert (adapter.stage, tuning.stage) == ("adapter", "tuning")
    assert adapter.least.total < adapter.most.total < tuning.most.total
    monkeypatch.setattr("counterfoil.tasks.sft.stages.find_memory", lambda _: adapter.least.total)
    with pytest.raises(SftError, match="stage tuning needs about"):
        foresee_memory(choose(parts))


KILLED = """
import os, signal, sys
from pathlib import Path
import torch
from counterfoil.tasks.sft.settings import SftSettings
from counterfoil.tasks.sft.stages import run_stage
from tests.tasks.sft.test_stages import make_rows
torch.set_num_threads(1)
steps = 0
def progress(*_):
    global steps
    steps += 1
    if steps == 3:
        os.kill(os.getpid(), signal.SIGKILL)
def run_killed(stage, settings, folder):
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    run_stage(stage, SftSettings.model_validate_json(settings), make_rows(), Path(folder), None, progress)
    os._exit(0)
runs = [sys.argv[at : at + 3] for at in range(1, len(sys.argv), 3)]
assert [run_killed(*run) for run in runs] == [-signal.SIGKILL] * len(runs)
"""
RANKS = {"adapter": 0, "tuning": 2}


def choose_killed(parts, stage: str) -> SftSettings:
    return choose(parts, adapter_learning_rate=0.01, learning_rate=0.01, lora_rank=RANKS[stage])


@pytest.fixture(scope="module")
def killed(parts, tmp_path_factory) -> Path:
    """A folder for each stage, which was killed in its third step: both by one process, which takes long to start."""
    folder = tmp_path_factory.mktemp("killed")
    runs = [(stage, choose_killed(parts, stage).model_dump_json(), str(folder / stage)) for stage in RANKS]
    command = [sys.executable, "-c", KILLED, *(word for run in runs for word in run)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("stage", RANKS)
def test_a_stage_that_was_killed_ends_with_the_weights_of_one_that_was_not(parts, killed, tmp_path, stage):
    settings, folder = choose_killed(parts, stage), killed / stage
    whole = run_stage(stage, settings, make_rows(), tmp_path / "whole")
    (folder / "checkpoint-9").mkdir()
    assert str(find_checkpoint(folder)).endswith("checkpoint-2")
    steps: list[str] = []
    again = run_stage(stage, settings, make_rows(), folder, None, lambda name, *_: steps.append(name))
    assert len(steps) == 2
    assert not list_changed(read_weights(whole["model"]), read_weights(again["model"]))
    assert run_stage(stage, settings, make_rows(), folder) == again
