"""A LLaVA of the real classes, too small to know anything: tiny configurations with random weights, in folders."""

from __future__ import annotations

from pathlib import Path

import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.decoders import ByteLevel

from tasks.sft.model import Llava, Parts, build_llava
from tests.tasks.encoders import tiny


def save_language(folder: Path, width: int = 32) -> str:
    """A Llama of two layers, with a tokenizer that has a token for each byte."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    words = {token: i for i, token in enumerate(["<s>", "</s>", *alphabet])}
    raw = Tokenizer(models.BPE(vocab=words, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = ByteLevel()
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<s>", eos_token="</s>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=len(words),
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=2,
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
