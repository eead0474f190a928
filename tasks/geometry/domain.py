"""The geometry domain: its settings, its sources and its families."""

from __future__ import annotations

from tasks.contract.domain import Domain, Source, list_sources
from tasks.contract.family import list_families
from tasks.geometry import questions
from tasks.geometry.anchors import make_anchors_of, name_anchor, verify_anchor
from tasks.geometry.author import anchors as author
from tasks.geometry.author.vocabulary import list_wordings
from tasks.geometry.changes import measure_changes
from tasks.geometry.checks import refutes, verify_picture
from tasks.geometry.families import mirror, perturb, rule, template
from tasks.geometry.settings import GeometrySettings
from tasks.geometry.sources.geometry3k import read_rows
from tasks.geometry.sources.problems import read_problems
from tasks.geometry.sources.reading import read_formal, read_sampled
from tasks.geometry.sources.sampler import sample_rows
from tasks.geometry.sources.share import Share

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
            read=lambda count, settings, seed, limit: sample_rows(int(count), seed, settings.combine, limit),
            make_anchors=make_anchors_of(read_sampled),
            anchors=("sampled geometry problem", "sampled geometry problems"),
            options=("combine",),
        ),
    ]
)

DOMAIN = Domain(
    name="geometry",
    version=16,
    settings_type=GeometrySettings,
    sources=SOURCES,
    families=list_families([*perturb.FAMILIES, *rule.FAMILIES, *template.FAMILIES, *mirror.FAMILIES]),
    anchor_uses=("test_share", "markings", "legible_at", "style", "captions", "caption_style", "combine"),
    verify_anchor=verify_anchor,
    name_anchor=name_anchor,
    changes=measure_changes,
    refutes=refutes,
    verify_picture=verify_picture,
    questions=questions.list_questions,
    runs_scripts=True,
    example={"source": "procedural:3", "negatives": 2, "template_bank": 40},
    card_tasks=("image-to-text", "visual-question-answering", "zero-shot-image-classification"),
    vocabulary=lambda: {"wordings": list_wordings()},
    describe_yield=lambda rows, anchors, rejected: str(Share(rows, anchors, rejected)),
)
