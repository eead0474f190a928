"""A small language model that has read: from random weights, on texts alone, before it sees a picture.

It stands where a released language model stands in MMGeoLM. Trained on captions with pictures alone, an adapter can
tell a language model only what that model can already say.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from torch.nn.utils.rnn import pad_sequence

from tests.tasks.sft import tiny

WIDTH, LAYERS, VOCABULARY, BATCH = 128, 2, 1000, 64
SMALL_LLAVA: dict[str, Any] = {"adapter_learning_rate": 2e-3, "max_length": 256, "log_every": 20, "device": "cpu"}
"""What every stage of a small LLaVA on a CPU is set to (`SftSettings`)."""


def save_reader(folder: Path, texts: Sequence[str], seed: int, steps: int) -> str:
    """A Llama with a vocabulary of whole words, that has read ``steps`` batches of these texts. Returns its folder."""
    if (folder / "read.txt").exists():
        return str(folder)
    tiny.save_language(folder, WIDTH, seed=seed, layers=LAYERS, texts=texts, vocabulary=VOCABULARY)
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
    model: Any = transformers.AutoModelForCausalLM.from_pretrained(folder)
    ids = [torch.tensor([*tokenizer(text)["input_ids"], tokenizer.eos_token_id]) for text in texts]
    loss = read(model, ids, seed, steps)
    model.save_pretrained(folder)
    (folder / "read.txt").write_text(f"{steps} steps, loss {loss:.3f}\n", encoding="utf-8")
    return str(folder)


def read(model: Any, ids: Sequence[torch.Tensor], seed: int, steps: int) -> float:
    """Train on texts; the last loss, in nats a token."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    schedule = transformers.get_cosine_schedule_with_warmup(optimiser, steps // 20, steps)
    draws = torch.Generator().manual_seed(seed)
    loss = torch.tensor(0.0)
    for _ in range(steps):
        chosen = torch.randint(len(ids), (BATCH,), generator=draws).tolist()
        batch = pad_sequence([ids[at] for at in chosen], batch_first=True, padding_value=-100)
        loss = model(input_ids=batch.clamp(min=0), attention_mask=(batch >= 0).long(), labels=batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        optimiser.zero_grad()
    return float(loss.detach())
