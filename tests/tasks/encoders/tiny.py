"""Encoders of the real classes, too small to know anything: tiny configurations with random weights, in folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers

LETTERS = "abcdefghijklmnopqrstuvwxyz.,' "
CLIP_VOCAB = [*LETTERS, *(f"{letter}</w>" for letter in LETTERS), "<|startoftext|>", "<|endoftext|>"]
ENDS = {"bos_token_id": len(CLIP_VOCAB) - 2, "eos_token_id": len(CLIP_VOCAB) - 1, "vocab_size": len(CLIP_VOCAB)}


def make_clip_tokenizer() -> Any:
    numbered = {token: i for i, token in enumerate(CLIP_VOCAB)}
    return transformers.CLIPTokenizer(vocab=numbered, merges=[], model_max_length=77)


def save_clip(folder: Path, *, side: int = 32, width: int = 32, layers: int = 2) -> str:
    """A CLIP whose tower sees ``side`` pixels in patches of 8."""
    torch.manual_seed(0)
    small = {"hidden_size": 32, "intermediate_size": 37, "num_attention_heads": 4, "num_hidden_layers": 2}
    seen = {"image_size": side, "patch_size": 8, "hidden_size": width, "num_hidden_layers": layers}
    model = transformers.CLIPModel(
        transformers.CLIPConfig(text_config=small | ENDS, vision_config=small | seen, projection_dim=16)
    )
    model.save_pretrained(folder)
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": side}, crop_size={"height": side, "width": side})
    transformers.CLIPProcessor(images, make_clip_tokenizer()).save_pretrained(folder)
    return str(folder)


def save_siglip(folder: Path) -> str:
    torch.manual_seed(0)
    small = {"hidden_size": 32, "intermediate_size": 37, "num_attention_heads": 4, "num_hidden_layers": 2}
    text = small | {"vocab_size": ENDS["vocab_size"], "max_position_embeddings": 64, "projection_size": 32}
    vision = small | {"image_size": 32, "patch_size": 8}
    transformers.SiglipModel(transformers.SiglipConfig(text_config=text, vision_config=vision)).save_pretrained(folder)
    images = transformers.SiglipImageProcessorPil(size={"height": 32, "width": 32})
    transformers.SiglipProcessor(images, make_clip_tokenizer()).save_pretrained(folder)
    return str(folder)


def save_bert(folder: Path, kind: type[transformers.BertPreTrainedModel], **options: Any) -> None:
    """A tiny BERT with a tokenizer of single letters."""
    torch.manual_seed(0)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS.strip(), *(f"##{each}" for each in LETTERS.strip())]
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=37,
        max_position_embeddings=128,
        **options,
    )
    kind(config).save_pretrained(folder)
    tokenizer = transformers.BertTokenizer(vocab={word: i for i, word in enumerate(words)}, model_max_length=128)
    tokenizer.save_pretrained(folder)


def save_sentences(folder: Path) -> str:
    """A tiny BERT with mean pooling, as sentence-transformers saves it."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    inner = folder / "inner"
    save_bert(inner, transformers.BertModel)
    part = Transformer(str(inner), max_seq_length=128)
    whole = SentenceTransformer(modules=[part, Pooling(part.get_embedding_dimension())], device="cpu")
    whole.save(str(folder / "whole"))
    return str(folder / "whole")


def save_pair_scorer(folder: Path, classes: int = 1) -> str:
    """A tiny BERT with one score for a pair of texts, as cross-encoders are saved."""
    save_bert(folder, transformers.BertForSequenceClassification, num_labels=classes, initializer_range=1.0)
    return str(folder)


def save_dino(folder: Path) -> str:
    torch.manual_seed(0)
    config = transformers.Dinov2Config(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=4, image_size=32, patch_size=8
    )
    transformers.Dinov2Model(config).save_pretrained(folder)
    images = transformers.BitImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    images.save_pretrained(folder)
    return str(folder)
