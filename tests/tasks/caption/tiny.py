"""Models of the real classes, too small to know anything: tiny configurations with random weights, saved to folders."""

from __future__ import annotations

from pathlib import Path

import torch
import transformers

from tests.tasks.encoders.tiny import ENDS, make_clip_tokenizer

WORDS = ("dog", "cat", "horse", "puppy", "animal", "red", "blue", "sits", "on", "under")
SPACE = "Ġ"


def save_editor(folder: Path) -> str:
    """SDXL's image-to-image pipeline: two text encoders, UNet, VAE and scheduler."""
    from diffusers import (  # seconds that masks do without
        AutoencoderKL,
        EulerAncestralDiscreteScheduler,
        StableDiffusionXLImg2ImgPipeline,
        UNet2DConditionModel,
    )

    torch.manual_seed(0)
    text = transformers.CLIPTextConfig(
        hidden_size=32,
        intermediate_size=37,
        num_attention_heads=4,
        num_hidden_layers=2,
        **ENDS,
        projection_dim=32,
        hidden_act="gelu",
    )
    unet = UNet2DConditionModel(
        block_out_channels=(32, 64),
        layers_per_block=1,
        sample_size=32,
        in_channels=4,
        out_channels=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        attention_head_dim=(2, 4),
        use_linear_projection=True,
        addition_embed_type="text_time",
        addition_time_embed_dim=8,
        transformer_layers_per_block=(1, 1),
        projection_class_embeddings_input_dim=80,
        cross_attention_dim=64,
    )
    vae = AutoencoderKL(
        block_out_channels=(32, 64),
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        latent_channels=4,
        sample_size=64,
    )
    pipeline = StableDiffusionXLImg2ImgPipeline(
        vae=vae,
        text_encoder=transformers.CLIPTextModel(text),
        text_encoder_2=transformers.CLIPTextModelWithProjection(text),
        tokenizer=make_clip_tokenizer(),
        tokenizer_2=make_clip_tokenizer(),
        unet=unet,
        scheduler=EulerAncestralDiscreteScheduler(timestep_spacing="trailing", beta_schedule="scaled_linear"),
        requires_aesthetics_score=False,
    )
    pipeline.save_pretrained(folder)
    return str(folder)


def save_finder(folder: Path) -> str:
    """CLIPSeg that is as sure as not of everything."""
    torch.manual_seed(0)
    small = {"hidden_size": 32, "intermediate_size": 37, "num_attention_heads": 4, "num_hidden_layers": 2}
    config = transformers.CLIPSegConfig(
        text_config=small | ENDS,
        vision_config=small | {"image_size": 64, "patch_size": 16},
        projection_dim=16,
        reduce_dim=16,
        extract_layers=[0, 1],
        decoder_num_attention_heads=4,
        decoder_intermediate_size=32,
    )
    transformers.CLIPSegForImageSegmentation(config).save_pretrained(folder)
    pictures = transformers.ViTImageProcessorPil(size={"height": 64, "width": 64})
    transformers.CLIPSegProcessor(pictures, make_clip_tokenizer()).save_pretrained(folder)
    return str(folder)


def save_masker(folder: Path) -> str:
    """RoBERTa that finds `WORDS` likeliest everywhere, in their order."""
    torch.manual_seed(0)
    letters = sorted(set("".join(WORDS)) | set("abcdefghijklmnopqrstuvwxyzA.") | {SPACE})
    vocab, merges = [*("<s>", "<pad>", "</s>", "<unk>", "<mask>"), *letters], []
    for word in WORDS:
        piece = SPACE
        for letter in word:
            merges.append((piece, letter))
            piece += letter
            vocab.append(piece)
    numbered = {token: i for i, token in enumerate(dict.fromkeys(vocab))}
    tokenizer = transformers.RobertaTokenizer(vocab=numbered, merges=list(dict.fromkeys(merges)), model_max_length=64)
    model = transformers.RobertaForMaskedLM(
        transformers.RobertaConfig(
            vocab_size=len(numbered),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=37,
            max_position_embeddings=80,
        )
    )
    with torch.no_grad():
        for rank, word in enumerate(WORDS):
            model.lm_head.bias[numbered[SPACE + word]] = 100.0 - rank
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return str(folder)
