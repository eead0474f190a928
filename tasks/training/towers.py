"""The encoders that learn: CLIP, SigLIP or AltCLIP through transformers, texts alone through sentence-transformers."""

from __future__ import annotations

import copy
import difflib
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from counterfoil.storage.plain import first_line
from counterfoil.tasks.encoders.towers import LETTERBOX
from counterfoil.tasks.training.errors import TrainingError
from counterfoil.tasks.training.openclip import write_open_clip
from counterfoil.tasks.training.settings import TrainingSettings
from counterfoil.tasks.training.tokens import Tokens, load_tokens

KINDS = {"clip": "CLIPModel", "siglip": "SiglipModel", "altclip": "AltCLIPModel"}
GROUPS, LEAST_GROUP = 4, 16
"""Into how many groups the texts of a batch are cut by their length, at most, and how many a group has at least."""
MAX_LOGIT_SCALE = math.log(100)
"""CLIP's bound."""


class Towers(nn.Module):
    """Two towers and their logit scale, or a tower of texts alone.

    ``model`` is transformers' own class, so that it can be exported as it is; adapters are put into it in place.
    """

    mean: Tensor
    std: Tensor

    def __init__(self, model: nn.Module, tokens: Tokens, resolution: int, mean: Any, std: Any, kind: str) -> None:
        super().__init__()
        self.model, self.tokens, self.resolution, self.kind = model, tokens, resolution, kind
        self.register_buffer("mean", torch.tensor(mean).view(1, 3, 1, 1), persistent=False)
        self.register_buffer("std", torch.tensor(std).view(1, 3, 1, 1), persistent=False)

    def encode_pictures(self, pictures: Tensor) -> Tensor:
        """L2-normalised float32 features [V, D] of uint8 pictures [V, 3, R, R]."""
        pixels = (pictures.to(self.mean.dtype) / 255 - self.mean) / self.std
        found = self.model.get_image_features(pixel_values=pixels)  # type: ignore[operator]
        return normalise(found.pooler_output)

    def encode_patches(self, pictures: Tensor) -> Tensor:
        """`encode_pictures` with each picture's patches behind it: [V, (1 + P) * D], each normalised for itself.

        Raises:
            TrainingError: the model's patches do not lie in the space of its texts.
        """
        pixels = (pictures.to(self.mean.dtype) / 255 - self.mean) / self.std
        found = self.model.get_image_features(pixel_values=pixels)  # type: ignore[operator]
        patches = found.last_hidden_state
        if self.kind != "siglip":
            # What is done to the class token: CLIP projects it alone.
            vision: Any = self.model.vision_model
            patches = self.model.visual_projection(vision.post_layernorm(patches[:, 1:]))  # type: ignore[operator]
        if patches.shape[-1] != found.pooler_output.shape[-1]:
            raise TrainingError(f"this {self.kind}'s patches do not lie in the space of its texts: no term of phrases")
        return torch.cat([normalise(found.pooler_output)[:, None], normalise(patches)], dim=1).flatten(1)

    def encode_tokens(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """L2-normalised float32 features [T, D] of token ids [T, L] with their mask."""
        if self.kind == "texts":
            return self._encode_by_length(tokens, mask)
        if self.kind == "siglip":
            return normalise(self.model.get_text_features(input_ids=tokens).pooler_output)  # type: ignore[operator]
        found = self.model.get_text_features(input_ids=tokens, attention_mask=mask)  # type: ignore[operator]
        return normalise(found.pooler_output)

    def _encode_by_length(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Texts of a like length together, without the padding that the longest of all would ask of them."""
        lengths = mask.sum(dim=1)
        order = torch.argsort(lengths, stable=True)
        found = []
        for rows in order.chunk(max(1, min(GROUPS, len(order) // LEAST_GROUP))):
            width = max(1, int(lengths[rows].max()))
            inputs = {"input_ids": tokens[rows, :width], "attention_mask": mask[rows, :width]}
            found.append(normalise(self.model(inputs)["sentence_embedding"]))
        return torch.cat(found)[torch.argsort(order)]

    @property
    def logit_scale(self) -> Tensor:
        """The logarithm of the inverse temperature, a scalar."""
        return self.model.logit_scale.reshape(())  # type: ignore[operator]

    @property
    def logit_bias(self) -> Tensor | float:
        """SigLIP's bias of logits; 0 for the others."""
        bias = getattr(self.model, "logit_bias", None)
        return 0.0 if bias is None else bias.reshape(())

    def settle(self) -> None:
        """After a step: the scale stays at or under 100, as CLIP's."""
        with torch.no_grad():
            self.model.logit_scale.clamp_(max=MAX_LOGIT_SCALE)  # type: ignore[operator]

    def export(self, folder: Path | str) -> None:
        """Write the model with its tokenizer and image processor, adapters merged, as transformers loads it.

        A CLIP lies beside it a second time as open_clip loads it, except with a stem of convolutions, which open_clip
        does not know.
        """
        from transformers.utils import logging

        from counterfoil.tasks.encoders.stem import STEM

        logging.disable_progress_bar()
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        whole = merge_adapters(self.model)
        if self.kind == "texts":
            del whole.logit_scale
            whole.save(str(target))  # type: ignore[operator]
            return
        whole.save_pretrained(target)  # type: ignore[operator]
        self.tokens.tokenizer.model_max_length = self.tokens.limit
        self.tokens.tokenizer.save_pretrained(target)
        write_processor(target, self.kind, self.resolution, self.mean, self.std)
        if self.kind == "clip" and not hasattr(self.model.config, STEM):
            mean, std = ([round(float(each), 8) for each in found.flatten()] for found in (self.mean, self.std))
            write_open_clip(whole, target, mean, std)


def normalise(features: Tensor) -> Tensor:
    """L2-normalised, in float32 whatever the encoder's precision (float64 stays)."""
    return functional.normalize(features if features.dtype == torch.float64 else features.float(), dim=-1)


def open_towers(settings: TrainingSettings, tokens: Tokens | None = None) -> Towers:
    """The towers of ``settings``: from a hub id or folder, or small ones from scratch with ``tokens``.

    Weights from scratch and adapters are drawn from ``settings.seed``.

    Raises:
        TrainingError: no such model, one of another kind, or settings that do not fit it.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        if settings.towers == "texts":
            towers = _load_texts(settings)
        elif settings.model == "scratch":
            if tokens is None:
                raise TrainingError("a model from scratch needs the tokenizer that `counterfoil pack` trains")
            towers = _build(settings, tokens)
        else:
            towers = _load(settings)
        _freeze(towers.model, settings.freeze)
        if settings.lora_rank:
            _adapt(towers.model, settings)
    return towers


def _build(settings: TrainingSettings, tokens: Tokens) -> Towers:
    """A small CLIP with random weights (Radford et al. 2021's vision transformer)."""
    from transformers import CLIPConfig, CLIPModel
    from transformers.image_utils import OPENAI_CLIP_MEAN, OPENAI_CLIP_STD

    if settings.resolution % settings.patch:
        raise TrainingError(
            f"training.resolution = {settings.resolution} is no multiple of training.patch = {settings.patch}"
        )
    if settings.stem == "convolutions" and settings.patch & (settings.patch - 1):
        raise TrainingError(
            f"training.patch = {settings.patch} is no power of 2: a stem of convolutions halves it away"
        )
    if settings.width % settings.heads:
        raise TrainingError(f"training.width = {settings.width} is no multiple of training.heads = {settings.heads}")
    tokenizer = tokens.tokenizer
    shared = {
        "hidden_size": settings.width,
        "intermediate_size": 4 * settings.width,
        "num_hidden_layers": settings.layers,
        "num_attention_heads": settings.heads,
        "projection_dim": settings.projection,
    }
    config = CLIPConfig(
        text_config={
            **shared,
            "vocab_size": len(tokenizer),
            "max_position_embeddings": tokens.limit,
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": tokenizer.eos_token_id,
            "pad_token_id": tokenizer.pad_token_id,
        },
        vision_config={**shared, "image_size": settings.resolution, "patch_size": settings.patch},
        projection_dim=settings.projection,
    )
    if settings.stem == "convolutions":
        from counterfoil.tasks.encoders.stem import STEM, StemmedCLIP

        setattr(config, STEM, settings.stem)
        made: CLIPModel = StemmedCLIP(config)
    else:
        made = CLIPModel(config)
    return Towers(made, tokens, settings.resolution, OPENAI_CLIP_MEAN, OPENAI_CLIP_STD, "clip")


def _load(settings: TrainingSettings) -> Towers:
    """A pretrained model of transformers, its preprocessing's mean and deviation, and its tokenizer."""
    import transformers

    try:
        config = transformers.AutoConfig.from_pretrained(settings.model)
    except (OSError, ValueError) as error:
        raise TrainingError(f"training.model = {settings.model!r} cannot be had: {first_line(error)}") from error
    if config.model_type not in KINDS:
        raise TrainingError(
            f"training.model = {settings.model!r} is a {config.model_type}; towers of pictures are {', '.join(KINDS)}, "
            'and texts alone want training.towers = "texts"'
        )
    resolution = int(config.vision_config.image_size)
    if settings.resolution != resolution:
        raise TrainingError(
            f"{settings.model} reads pictures of {resolution} px: set training.resolution = {resolution} and pack again"
        )
    try:
        model = _find_class(config).from_pretrained(settings.model)
        processor = transformers.AutoImageProcessor.from_pretrained(settings.model, backend="pil")
    except (OSError, ValueError) as error:
        raise TrainingError(f"{settings.model} cannot be loaded: {first_line(error)}") from error
    tokens = load_tokens(settings.model)
    return Towers(model.float(), tokens, resolution, processor.image_mean, processor.image_std, config.model_type)


def _find_class(config: Any) -> Any:
    """The model's class: transformers', or ours where the configuration names a stem of convolutions."""
    import transformers

    from counterfoil.tasks.encoders.stem import STEM, StemmedCLIP

    return StemmedCLIP if getattr(config, STEM, None) else getattr(transformers, KINDS[config.model_type])


def _load_texts(settings: TrainingSettings) -> Towers:
    """A model of sentence-transformers, with a logit scale that does not learn."""
    from sentence_transformers import SentenceTransformer

    from counterfoil.tasks.encoders.load import MINILM, find_minilm

    try:
        source = str(find_minilm()) if settings.model == MINILM else settings.model
        model = SentenceTransformer(source, device="cpu")
    except (OSError, ValueError) as error:
        raise TrainingError(f"training.model = {settings.model!r} cannot be had: {first_line(error)}") from error
    limit = min(int(model.get_max_seq_length() or 512), settings.max_tokens or 2**31)
    model.max_seq_length = limit
    model.logit_scale = nn.Parameter(torch.tensor(math.log(settings.text_scale)), requires_grad=False)
    return Towers(model, Tokens(model.tokenizer, limit), settings.resolution, [0.5] * 3, [0.5] * 3, "texts")


def _freeze(model: nn.Module, starts: list[str]) -> None:
    names = [name for name, _ in model.named_parameters()]
    for start in starts:
        found = [name for name in names if name == start or name.startswith(f"{start}.")]
        if not found:
            parts = sorted({name.rpartition(".")[0] for name in names} | {name.partition(".")[0] for name in names})
            near = difflib.get_close_matches(start, parts, n=3) or sorted({name.partition(".")[0] for name in names})
            raise TrainingError(f"training.freeze: no parameter begins with {start!r}; there are {', '.join(near)}")
        for name in found:
            model.get_parameter(name).requires_grad_(False)


def _adapt(model: nn.Module, settings: TrainingSettings) -> None:
    """Low-rank adapters in place; of the rest the logit scale (and bias) alone learns."""
    from peft import LoraConfig, inject_adapter_in_model

    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
    linear = [name for name, module in model.named_modules() if isinstance(module, nn.Linear)]
    wanted = settings.lora_targets or linear
    targets = [name for name in linear if any(name == each or name.endswith(f".{each}") for each in wanted)]
    targets = [name for name in targets if f"{name}.weight" not in frozen]
    if not targets:
        raise TrainingError(f"training.lora_targets: no linear layer that learns ends in {', '.join(wanted)}")
    config = LoraConfig(
        r=settings.lora_rank,
        lora_alpha=settings.lora_alpha,  # type: ignore[arg-type]
        lora_dropout=settings.lora_dropout,
        target_modules=targets,
        use_rslora=False,
    )
    scales = [name for name in ("logit_scale", "logit_bias") if hasattr(model, name) and name not in frozen]
    inject_adapter_in_model(config, model)
    for name in scales:
        # peft freezes, and saves without, what is a bare parameter and no layer.
        model.get_parameter(name).requires_grad_(True)


def merge_adapters(model: nn.Module) -> nn.Module:
    """A copy of the model with its adapters in its weights; without adapters a plain copy."""
    from peft.tuners.tuners_utils import BaseTunerLayer

    whole = copy.deepcopy(model).cpu()
    for name, module in list(whole.named_modules()):
        if isinstance(module, BaseTunerLayer):
            module.merge()
            parent, _, last = name.rpartition(".")
            setattr(whole.get_submodule(parent), last, module.get_base_layer())
    if hasattr(whole, "peft_config"):
        del whole.peft_config
    if hasattr(whole, "_hf_peft_config_loaded"):
        whole._hf_peft_config_loaded = False  # type: ignore[assignment]
    return whole


def list_trained(module: nn.Module) -> Iterator[tuple[str, nn.Parameter]]:
    """The parameters that learn, by name: all that a checkpoint needs beside the model that was loaded."""
    return ((name, each) for name, each in module.named_parameters() if each.requires_grad)


def write_processor(folder: Path, kind: str, resolution: int, mean: Tensor, std: Tensor) -> None:
    """The image processor: to the square without a crop, since training letterboxed and never cropped."""
    from transformers import CLIPImageProcessorPil, SiglipImageProcessorPil

    made = (SiglipImageProcessorPil if kind == "siglip" else CLIPImageProcessorPil)(
        size={"height": resolution, "width": resolution},
        do_center_crop=False,
        image_mean=[round(float(each), 8) for each in mean.flatten()],
        image_std=[round(float(each), 8) for each in std.flatten()],
    )
    made.save_pretrained(folder)
    path = folder / "preprocessor_config.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**written, LETTERBOX: True}, indent=2, sort_keys=True) + "\n", encoding="utf-8")
