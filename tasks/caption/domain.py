"""The caption domain: captioned pictures, and near misses in words and in pictures (AHNPL; Concrete Jungle)."""

from __future__ import annotations

from counterfoil.tasks.caption.anchors import (
    make_pair_anchors,
    make_scene_anchors,
    name_anchor,
    verify_anchor,
    verify_picture,
)
from counterfoil.tasks.caption.changes import measure_changes
from counterfoil.tasks.caption.checks import is_scene
from counterfoil.tasks.caption.examining import examine_all
from counterfoil.tasks.caption.families import add, concrete, edit, mask, near, rephrase, scene, swap
from counterfoil.tasks.caption.questions import list_questions
from counterfoil.tasks.caption.refuting import refutes
from counterfoil.tasks.caption.settings import CaptionSettings
from counterfoil.tasks.caption.sources.coco import read_coco
from counterfoil.tasks.caption.sources.folder import read_folder
from counterfoil.tasks.caption.sources.hub import read_hub
from counterfoil.tasks.caption.sources.pairs import read_pairs
from counterfoil.tasks.caption.sources.scenes import make_row, read_scenes
from counterfoil.tasks.caption.wording import WORDING
from counterfoil.tasks.contract.domain import Domain, Source, list_sources
from counterfoil.tasks.contract.family import list_families

SOURCES = list_sources(
    [
        Source[CaptionSettings](
            "procedural",
            "N",
            "N scenes of our own, drawn and captioned",
            read=read_scenes,
            make_anchors=make_scene_anchors,
            anchors=("drawn scene with captions", "drawn scenes with captions"),
            options=("captions", "size"),
            number=lambda source_id, _settings, seed: make_row(source_id, seed),
        ),
        Source[CaptionSettings](
            "coco",
            "PATH",
            "COCO's captions_*.json, or Karpathy's dataset_coco.json (Flickr30k's too), with `images` as their folder",
            read=read_coco,
            make_anchors=make_pair_anchors,
            anchors=("captioned photograph", "captioned photographs"),
            splits=True,
        ),
        Source[CaptionSettings](
            "pairs",
            "PATH",
            "JSONL, CSV, TSV, Parquet, Arrow or WebDataset tar files with pictures and captions, or captions alone",
            read=read_pairs,
            make_anchors=make_pair_anchors,
            anchors=("captioned picture", "captioned pictures"),
            splits=True,
            options=("columns",),
        ),
        Source[CaptionSettings](
            "hub",
            "OWNER/NAME",
            "a dataset of the Hugging Face Hub, fetched and read as `pairs` is",
            read=read_hub,
            make_anchors=make_pair_anchors,
            anchors=("captioned picture", "captioned pictures"),
            splits=True,
            options=("columns",),
        ),
        Source[CaptionSettings](
            "folder",
            "PATH",
            "a folder of pictures with a .txt next to each, one caption a line",
            read=read_folder,
            make_anchors=make_pair_anchors,
            anchors=("captioned picture", "captioned pictures"),
        ),
    ]
)

DOMAIN = Domain(
    name="caption",
    version=12,
    settings_type=CaptionSettings,
    sources=SOURCES,
    families=list_families(
        [
            *concrete.FAMILIES,
            *scene.FAMILIES,
            *edit.FAMILIES,
            *swap.FAMILIES,
            *mask.FAMILIES,
            *add.FAMILIES,
            *near.FAMILIES,
            *rephrase.FAMILIES,
        ]
    ),
    anchor_uses=("source", "images", "columns", "captions", "size", "test_share"),
    verify_anchor=verify_anchor,
    name_anchor=name_anchor,
    refutes=refutes,
    examine=examine_all,
    reword=rephrase.reword_text,
    changes=measure_changes,
    judges=is_scene,
    verify_picture=verify_picture,
    questions=list_questions,
    example={"source": "procedural:8", "captions": 2},
    wording=WORDING,
    card_tasks=("image-to-text", "zero-shot-image-classification"),
)
