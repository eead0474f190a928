"""The theorem domain: statements in words and in Lean, and near misses that are false (MathLeap, MELD)."""

from __future__ import annotations

from counterfoil.tasks.contract.domain import Domain, Source, list_sources
from counterfoil.tasks.contract.family import list_families
from counterfoil.tasks.theorem.anchors import make_anchors, name_anchor, verify_anchor
from counterfoil.tasks.theorem.changes import measure_changes
from counterfoil.tasks.theorem.checks import refutes
from counterfoil.tasks.theorem.families import formal, negative, rephrase, translate
from counterfoil.tasks.theorem.questions import list_questions
from counterfoil.tasks.theorem.settings import TheoremSettings
from counterfoil.tasks.theorem.sources.procedural import make_row, read_own
from counterfoil.tasks.theorem.sources.records import read_pairs, read_problems

SOURCES = list_sources(
    [
        Source[TheoremSettings](
            "procedural",
            "N",
            "N statements of our own about numbers, in words and in Lean",
            read=read_own,
            make_anchors=make_anchors,
            anchors=("made-up theorem statement", "made-up theorem statements"),
            number=lambda source_id, _settings, seed: make_row(source_id, seed),
        ),
        Source[TheoremSettings](
            "pairs",
            "PATH",
            "JSON lines or .lean files with informal statements, Lean ones, or both (as miniF2F, ProofNet, blueprints)",
            read=read_pairs,
            make_anchors=make_anchors,
            anchors=("theorem statement", "theorem statements"),
            splits=True,
            options=("modules",),
        ),
        Source[TheoremSettings](
            "problems",
            "PATH",
            "informal statements alone: JSON lines, or text with a blank line between statements",
            read=read_problems,
            make_anchors=make_anchors,
            anchors=("informal theorem statement", "informal theorem statements"),
            splits=True,
            options=("modules",),
        ),
    ]
)

DOMAIN = Domain(
    name="theorem",
    version=10,
    settings_type=TheoremSettings,
    sources=SOURCES,
    families=list_families([*rephrase.FAMILIES, *negative.FAMILIES, *formal.FAMILIES, *translate.FAMILIES]),
    anchor_uses=("source", "modules", "test_share"),
    verify_anchor=verify_anchor,
    name_anchor=name_anchor,
    refutes=refutes,
    changes=measure_changes,
    questions=list_questions,
    example={"source": "procedural:12"},
    card_tasks=("sentence-similarity", "text-retrieval"),
)
