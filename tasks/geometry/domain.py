"""The geometry domain: its settings, its sources and its families."""

from __future__ import annotations

from counterfoil.tasks.contract.domain import Domain, Source, list_sources
from counterfoil.tasks.contract.family import list_families
from counterfoil.tasks.geometry import questions, traits
from counterfoil.tasks.geometry.anchors import make_anchors_of, name_anchor, verify_anchor
from counterfoil.tasks.geometry.author import anchors as author
from counterfoil.tasks.geometry.author.vocabulary import list_wordings
from counterfoil.tasks.geometry.changes import measure_changes
from counterfoil.tasks.geometry.checks import refutes, verify_picture
from counterfoil.tasks.geometry.families import mirror, perturb, rule, template
from counterfoil.tasks.geometry.settings import GeometrySettings
from counterfoil.tasks.geometry.sources.geometry3k import read_rows
from counterfoil.tasks.geometry.sources.problems import read_problems
from counterfoil.tasks.geometry.sources.reading import read_formal, read_sampled
from counterfoil.tasks.geometry.sources.sampler import sample_row, sample_rows
from counterfoil.tasks.geometry.sources.share import Share
from counterfoil.tasks.geometry.wording import WORDING

SOURCES = list_sources(
    [
        Source[GeometrySettings](
            "geometry3k",
            "PATH",
            "JSONL with formal statements (Geometry3K, FormalGeo)",
            read=lambda path, _settings, _seed, limit: read_rows(path, "geometry3k", limit),
            make_anchors=make_anchors_of(read_formal),
            anchors=("geometry problem", "geometry problems"),
            splits=True,
        ),
        Source[GeometrySettings](
            "problems",
            "PATH",
            "JSONL or CSV with question and answer, which a language model draws",
            read=lambda path, _settings, _seed, limit: read_problems(path, "problems", limit),
            make_anchors=author.make_anchors,
            anchors=("geometry problem drawn by a model", "geometry problems drawn by a model"),
            prompts=author.ANCHOR_PROMPTS,
            splits=True,
        ),
        Source[GeometrySettings](
            "procedural",
            "N",
            "N sampled problems",
            read=lambda count, settings, seed, limit: sample_rows(int(count), seed, settings.procedural, limit),
            make_anchors=make_anchors_of(read_sampled),
            anchors=("sampled geometry problem", "sampled geometry problems"),
            options=("procedural",),
            number=lambda source_id, settings, seed: sample_row(source_id, seed, settings.procedural),
        ),
    ]
)

DOMAIN = Domain(
    name="geometry",
    version=29,
    settings_type=GeometrySettings,
    sources=SOURCES,
    families=list_families([*perturb.FAMILIES, *rule.FAMILIES, *template.FAMILIES, *mirror.FAMILIES]),
    anchor_uses=("test_share", "markings", "legible_at", "style", "captions", "caption_style", "procedural"),
    verify_anchor=verify_anchor,
    name_anchor=name_anchor,
    changes=measure_changes,
    refutes=refutes,
    verify_picture=verify_picture,
    questions=questions.list_questions,
    runs_scripts=True,
    example={"source": "procedural:3", "negatives": 2, "template_bank": 40},
    wording=WORDING,
    traits=traits.list_traits,
    usual=traits.USUAL,
    card_tasks=("image-to-text", "visual-question-answering", "zero-shot-image-classification"),
    vocabulary=lambda: {"wordings": list_wordings()},
    describe_yield=lambda rows, anchors, rejected: str(Share(rows, anchors, rejected)),
)
