"""A LLaVA of parts: a vision tower, a two-layer adapter and a causal language model (Liu et al. 2023; MMGeoLM Sec. 4).

The tower may be that of any CLIP, SigLIP or AltCLIP, ours included (the folder that training wrote); the language model
any causal one by name. Features are the patches of a layer before the last (-2), as LLaVA 1.5 takes them. A picture is
put into a square whole, on white, before the tower's own processor sees it: that one crops. With tiles the model is a
LLaVA-NeXT (LLaVA-v1.6), which sees a picture in its own proportions, whole and once more in up to four squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from counterfoil.storage.errors import StorageError
from counterfoil.storage.pictures import letterbox, open_picture
from counterfoil.storage.plain import first_line
from counterfoil.tasks.sft.conversation import IMAGE_TOKEN, choose_template, tokenize, write_prompt
from counterfoil.tasks.sft.errors import SftError

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

NEXT = "llava_next"
_GRIDS = ((1, 2), (2, 1), (2, 2), (3, 1), (1, 3))
"""Rows and columns of tiles of which LLaVA-v1.6 takes those that fit a picture best."""


@dataclass(frozen=True)
class Parts:
    """What a LLaVA is built of. ``vision``, ``language`` and ``base`` are hub ids or folders."""

    vision: str
    language: str
    feature_layer: int = -2
    """Hidden states of this layer are the features; -1 is the last."""
    seed: int = 0
    """Of the adapter's weights."""
    dtype: str = "float32"
    tiles: bool = False
    """Whether a picture is seen in tiles too (LLaVA-NeXT)."""
    base: str = ""
    """A whole LLaVA whose tower ``vision`` replaces (`tasks.sft.swapping`); ``language`` and what else is said of the
    model are then its own."""


@dataclass(frozen=True)
class Llava:
    """A model with its processor."""

    model: Any
    processor: Any

    @property
    def side(self) -> int:
        """Side of the square pictures that the tower sees, in pixels."""
        return int(self.model.config.vision_config.image_size)

    @property
    def tiles(self) -> bool:
        """Whether it sees a picture in tiles too."""
        return str(self.model.config.model_type) == NEXT

    def count_picture_tokens(self, picture: bytes) -> int:
        """Tokens that a picture takes: with tiles they depend on its proportions.

        Raises:
            SftError: the bytes are no picture.
        """
        if not self.tiles:
            return count_picture_tokens(self.model.config)
        shown = self.show(picture)
        counted = self.processor._get_num_multimodal_tokens(image_sizes=[(shown.height, shown.width)])
        return int(counted.num_image_tokens[0])

    def save(self, folder: str | Path) -> None:
        """Write model and processor, so that `load_llava` and transformers load them."""
        self.model.save_pretrained(folder)
        self.processor.save_pretrained(folder)

    def show(self, picture: bytes) -> Picture:
        """A picture as the processor takes it: whole, in a square, or with tiles in its own proportions.

        Raises:
            SftError: the bytes are no picture.
        """
        return prepare_picture(picture, None if self.tiles else self.side)

    def write_prompt(self, prompt: str, pictures: int) -> str:
        """The user's turn by the chat template, with the beginning of the answer's."""
        return write_prompt(self.processor, prompt, pictures)


def prepare_picture(picture: bytes, side: int | None) -> Picture:
    """A picture whole in a square of ``side`` pixels; None: as it is.

    Raises:
        SftError: the bytes are no picture.
    """
    try:
        opened = open_picture(picture)
        return opened if side is None else letterbox(opened, side)
    except StorageError as error:
        raise SftError(str(error)) from error


def build_llava(parts: Parts) -> Llava:
    """Put a tower and a language model together, with a new adapter between them.

    Raises:
        SftError: a part cannot be loaded or is of another kind; the message says which.
    """
    import torch
    from transformers import AutoModelForCausalLM

    config, processor = _configure(parts)
    dtype = getattr(torch, parts.dtype)
    tower = load_tower(parts.vision, config.vision_config, dtype)
    try:
        language: Any = AutoModelForCausalLM.from_pretrained(parts.language, dtype=dtype)
    except (OSError, ValueError) as error:
        raise SftError(f"language model {parts.language!r} cannot be loaded: {first_line(error)}") from error
    if len(processor.tokenizer) > len(language.get_input_embeddings().weight):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(parts.seed)
            language.resize_token_embeddings(len(processor.tokenizer), mean_resizing=False)
    config.text_config = language.config
    with torch.device("meta"):
        model = find_model_class(config)(config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(parts.seed)
        adapter = type(model.model.multi_modal_projector)(config).to(dtype)
        if parts.tiles:
            width = language.config.hidden_size
            model.model.image_newline = torch.nn.Parameter((torch.randn(width) / width**0.5).to(dtype))
    model.model.vision_tower = tower
    model.model.multi_modal_projector = adapter
    model.model.language_model = language.base_model
    model.lm_head = language.get_output_embeddings()
    model.generation_config = language.generation_config
    model.generation_config.pad_token_id = processor.tokenizer.pad_token_id
    # A model that was taught to talk may end its turn by another token than a text.
    ends = model.generation_config.eos_token_id
    ends = ends if isinstance(ends, list) else [] if ends is None else [ends]
    model.generation_config.eos_token_id = list(dict.fromkeys([processor.tokenizer.eos_token_id, *ends]))
    return Llava(model, processor)


def load_tower(folder: str, vision: Any, dtype: Any) -> Any:
    """The picture tower alone, of the whole model that ``folder`` (or a hub id) is.

    Raises:
        SftError: it cannot be loaded.
    """
    from counterfoil.tasks.encoders.stem import StemmedVisionConfig, load_vision

    try:
        if isinstance(vision, StemmedVisionConfig):
            return load_vision(folder, vision, dtype)
        return _find_tower_class(vision).from_pretrained(folder, config=vision, dtype=dtype)
    except (OSError, ValueError) as error:
        raise SftError(f"vision tower {folder!r} cannot be loaded: {first_line(error)}") from error


def find_model_class(config: Any) -> Any:
    """The class of transformers for a configuration: LLaVA, or LLaVA-NeXT where there are tiles."""
    from transformers import LlavaForConditionalGeneration, LlavaNextForConditionalGeneration

    return LlavaNextForConditionalGeneration if config.model_type == NEXT else LlavaForConditionalGeneration


def load_llava(folder: str, dtype: str = "float32", device: str | None = None) -> Llava:
    """A LLaVA of a hub id, or of a folder that `Llava.save` wrote, with any adapters of it (LoRA).

    Raises:
        SftError: it cannot be loaded, or is no LLaVA.
    """
    import torch
    from transformers import AutoConfig, AutoProcessor

    from counterfoil.tasks.encoders.stem import register_stem

    register_stem()
    try:
        config = AutoConfig.from_pretrained(folder)
        if config.model_type not in ("llava", NEXT):
            raise SftError(f"model {folder!r} is a {config.model_type}, not a LLaVA: build one with [sft] of a recipe")
        model: Any = find_model_class(config).from_pretrained(folder, dtype=getattr(torch, dtype))
        processor = AutoProcessor.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise SftError(f"model {folder!r} cannot be loaded as a LLaVA: {first_line(error)}") from error
    return Llava(model.to(device or choose_device()).eval(), processor)


def choose_device() -> str:
    """The GPU where there is one."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def generate(
    llava: Llava, prompts: Sequence[str], pictures: Sequence[Sequence[bytes]], most_tokens: int = 256
) -> list[str]:
    """Answers to a batch of prompts, each with its pictures, chosen greedily: the same at every time.

    Raises:
        SftError: a picture cannot be read.
    """
    import torch

    processor = llava.processor
    texts = [llava.write_prompt(prompt, len(shown)) for prompt, shown in zip(prompts, pictures, strict=True)]
    images = [llava.show(picture) for shown in pictures for picture in shown]
    inputs = tokenize(processor, texts, images or None, "left").to(llava.model.device)
    if "pixel_values" in inputs:
        inputs["pixel_values"] = inputs["pixel_values"].to(llava.model.dtype)
    inputs.pop("token_type_ids", None)
    with torch.inference_mode():
        written = llava.model.generate(
            **inputs, do_sample=False, max_new_tokens=most_tokens, pad_token_id=processor.tokenizer.pad_token_id
        )
    answers: list[str] = processor.batch_decode(written[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
    return [answer.strip() for answer in answers]


def count_picture_tokens(config: Any) -> int:
    """Tokens that one picture takes: its patches, and the class token where it is kept.

    >>> from types import SimpleNamespace
    >>> vision = SimpleNamespace(image_size=336, patch_size=14, model_type="clip_vision_model")
    >>> count_picture_tokens(SimpleNamespace(vision_config=vision, vision_feature_select_strategy="default"))
    576
    """
    vision = config.vision_config
    patches = (int(vision.image_size) // int(vision.patch_size)) ** 2
    kept = config.vision_feature_select_strategy == "full" and has_class_token(vision)
    return patches + kept


def configure_llava(parts: Parts) -> Any:
    """The configuration of the model that `build_llava` would build, without loading any weights."""
    return _configure(parts)[0]


def configure_tower(folder: str, feature_layer: int) -> tuple[Any, Any]:
    """The configuration of a model's picture tower, and its image processor.

    Raises:
        SftError: it cannot be loaded, has no picture tower, or not so many layers.
    """
    from transformers import AutoConfig, AutoImageProcessor

    from counterfoil.tasks.encoders.stem import STEM, describe_vision, register_stem

    try:
        whole = AutoConfig.from_pretrained(folder)
        images = AutoImageProcessor.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise SftError(f"vision tower {folder!r} cannot be loaded: {first_line(error)}") from error
    vision = getattr(whole, "vision_config", whole)
    layers = int(getattr(vision, "num_hidden_layers", 0))
    if not layers or not hasattr(vision, "patch_size"):
        raise SftError(f"{folder!r} has no vision tower: give a CLIP, SigLIP or AltCLIP model")
    if not -layers - 1 <= feature_layer <= layers:
        raise SftError(f"feature_layer {feature_layer}: the tower of {folder!r} has {layers} layers")
    if getattr(whole, STEM, None):
        register_stem()
        vision = describe_vision(vision)
    return vision, images


def make_grids(side: int) -> list[list[int]]:
    """Heights and widths, in pixels, of the grids of tiles of a tower that sees squares of ``side`` pixels."""
    return [[rows * side, columns * side] for rows, columns in _GRIDS]


def _configure(parts: Parts) -> tuple[Any, Any]:
    from transformers import AutoConfig, AutoTokenizer, LlavaConfig, LlavaNextConfig

    vision, images = configure_tower(parts.vision, parts.feature_layer)
    try:
        text = AutoConfig.from_pretrained(parts.language)
        tokenizer = AutoTokenizer.from_pretrained(parts.language)
    except (OSError, ValueError) as error:
        raise SftError(f"language model {parts.language!r} cannot be loaded: {first_line(error)}") from error
    tokenizer.add_special_tokens({"additional_special_tokens": [IMAGE_TOKEN]})
    if tokenizer.eos_token is None:
        raise SftError(f"the tokenizer of {parts.language!r} has no token that ends a text")
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    strategy: Literal["default", "full"] = "default" if has_class_token(vision) else "full"
    grids = make_grids(int(vision.image_size))
    make: Any = LlavaNextConfig if parts.tiles else LlavaConfig
    more = {"image_grid_pinpoints": grids} if parts.tiles else {}
    config = make(
        vision_config=vision,
        text_config=text,
        image_token_index=int(tokenizer.vocab[IMAGE_TOKEN]),
        vision_feature_layer=parts.feature_layer,
        vision_feature_select_strategy=strategy,
        tie_word_embeddings=text.tie_word_embeddings,
        **more,
    )
    config.image_seq_length = count_picture_tokens(config)
    return config, make_processor(config, images, tokenizer, choose_template(tokenizer))


def make_processor(config: Any, images: Any, tokenizer: Any, template: str, image_token: str = IMAGE_TOKEN) -> Any:
    """The processor of a configuration, with the tower's colours; with tiles it is that which cuts them."""
    from transformers import LlavaNextImageProcessorPil, LlavaNextProcessor, LlavaProcessor

    vision = config.vision_config
    if config.model_type == NEXT:
        side = int(vision.image_size)
        images = LlavaNextImageProcessorPil(
            size={"shortest_edge": side},
            crop_size={"height": side, "width": side},
            image_grid_pinpoints=config.image_grid_pinpoints,
            image_mean=images.image_mean,
            image_std=images.image_std,
        )
    return (LlavaNextProcessor if config.model_type == NEXT else LlavaProcessor)(
        images,
        tokenizer,
        patch_size=int(vision.patch_size),
        vision_feature_select_strategy=config.vision_feature_select_strategy,
        chat_template=template,
        image_token=image_token,
        num_additional_image_tokens=int(has_class_token(vision)),
    )


def has_class_token(vision: Any) -> bool:
    """CLIP's and AltCLIP's towers begin with a class token, SigLIP's have none."""
    return not str(vision.model_type).startswith("siglip")


def _find_tower_class(vision: Any) -> Any:
    """The class that loads the tower alone from a whole model's folder."""
    import torch
    from transformers import AutoModel

    with torch.device("meta"):
        return type(AutoModel.from_config(vision))
