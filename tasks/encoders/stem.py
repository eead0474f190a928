"""A CLIP whose pictures pass through convolutions before its transformer, for models that learn from little.

Xiao et al. 2021, *Early Convolutions Help Transformers See Better*: in place of one large patch projection, a stack of
3 x 3 convolutions of stride 2 leads to the same grid of patches. From a few thousand pictures a plain vision
transformer hardly learns to see; with this stem a small one does (benchmarks/results/proof/notebook.md).
"""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor, nn
from transformers import AutoConfig, AutoModel, CLIPConfig, CLIPModel, CLIPVisionConfig, CLIPVisionModel

STEM = "counterfoil_stem"
"""What the configuration of a model with such a stem says: only this class loads it, not `CLIPModel`."""


class ConvolutionalStem(nn.Module):
    """Pictures [B, 3, R, R] to a grid of patches [B, width, R / patch, R / patch].

    One convolution of stride 2 for each halving, of channels that rise evenly to ``width``, each with group
    normalisation and GELU; then a projection of each place.
    """

    def __init__(self, width: int, patch: int) -> None:
        super().__init__()
        halvings = int(math.log2(patch))
        steps: list[nn.Module] = []
        before = 3
        for number in range(halvings):
            after = max(8, width * (number + 1) // halvings)
            steps += [nn.Conv2d(before, after, 3, 2, 1), nn.GroupNorm(math.gcd(8, after), after), nn.GELU()]
            before = after
        self.steps = nn.Sequential(*steps)
        self.projection = nn.Conv2d(before, width, 1, bias=False)

    @property
    def weight(self) -> Tensor:
        """What tells CLIP's embedding the precision of its pixels."""
        return self.projection.weight

    def forward(self, pixels: Tensor) -> Tensor:
        return self.projection(self.steps(pixels))


class StemmedCLIP(CLIPModel):
    """`CLIPModel` with a `ConvolutionalStem` for its patch projection."""

    def __init__(self, config: CLIPConfig) -> None:
        super().__init__(config)
        seen: Any = config.vision_config
        self.vision_model.embeddings.patch_embedding = ConvolutionalStem(seen.hidden_size, seen.patch_size)


class StemmedVisionConfig(CLIPVisionConfig):
    """The configuration of a picture tower with a stem that stands alone, as in a LLaVA."""

    model_type = "counterfoil_stemmed_vision"


class StemmedVision(CLIPVisionModel):
    """`CLIPVisionModel` with a `ConvolutionalStem` for its patch projection."""

    config_class = StemmedVisionConfig

    def __init__(self, config: StemmedVisionConfig) -> None:
        super().__init__(config)
        stem: nn.Module = ConvolutionalStem(config.hidden_size, config.patch_size)  # type: ignore[arg-type]
        self.embeddings.add_module("patch_embedding", stem)


def describe_vision(vision: CLIPVisionConfig) -> StemmedVisionConfig:
    """The configuration of the picture tower of a `StemmedCLIP`, of which ``vision`` is the part."""
    told = {name: value for name, value in vision.to_dict().items() if name != "model_type"}
    return StemmedVisionConfig(**told)


def load_vision(folder: str, config: StemmedVisionConfig, dtype: Any) -> StemmedVision:
    """The picture tower of a `StemmedCLIP`.

    Raises:
        OSError, ValueError: it cannot be loaded.
    """
    whole = StemmedCLIP.from_pretrained(folder, dtype=dtype)
    tower = StemmedVision(config).to(dtype)
    tower.load_state_dict(whole.vision_model.state_dict())
    return tower.eval()


def register_stem() -> None:
    """Let transformers' automatic classes find a tower with a stem; a model that has one loads only after this."""
    AutoConfig.register(StemmedVisionConfig.model_type, StemmedVisionConfig, exist_ok=True)
    AutoModel.register(StemmedVisionConfig, StemmedVision, exist_ok=True)
