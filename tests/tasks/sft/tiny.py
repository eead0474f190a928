"""A LLaVA of the real classes, too small to know anything: tiny configurations with random weights, in folders."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from tokenizers.decoders import ByteLevel

from counterfoil.tasks.sft.model import Llava, Parts, build_llava
from tests.tasks.encoders import tiny


def save_language(
    folder: Path, width: int = 32, *, layers: int = 2, seed: int = 0, texts: Iterable[str] = (), vocabulary: int = 0
) -> str:
    """A Llama with random weights. Its tokenizer has a token for each byte, and what is frequent in ``texts``."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    learner = trainers.BpeTrainer(
        vocab_size=vocabulary, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    raw.train_from_iterator(texts, learner)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<s>", eos_token="</s>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=2048,
        bos_token_id=0,
        eos_token_id=1,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    return str(folder)


def save_parts(folder: Path, tower: str = "clip") -> Parts:
    """Folders of a tower and a language model."""
    save = {"clip": tiny.save_clip, "siglip": tiny.save_siglip}[tower]
    return Parts(save(folder / tower), save_language(folder / "language"))


def build(folder: Path, tower: str = "clip") -> Llava:
    return build_llava(save_parts(folder, tower))
