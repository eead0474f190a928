"""The flowchart domain: its settings, its sources and its families (SaCLIP Sec. 3.1 and 3.2)."""

from __future__ import annotations

from itertools import islice

from counterfoil.tasks.contract.domain import Domain, Source, list_sources
from counterfoil.tasks.contract.family import list_families
from counterfoil.tasks.flowchart.anchors import make_anchors, name_anchor, verify_anchor, write_anchors
from counterfoil.tasks.flowchart.changes import measure_changes
from counterfoil.tasks.flowchart.checks import refutes, verify_picture
from counterfoil.tasks.flowchart.families import answers, caption, code, codeswap, flip, image
from counterfoil.tasks.flowchart.questions import list_questions
from counterfoil.tasks.flowchart.settings import PICTURE_KEYS, FlowchartSettings
from counterfoil.tasks.flowchart.sources.charts import make_numbered, read_files, read_made_up
from counterfoil.tasks.flowchart.sources.files import draw_split, read_descriptions
from counterfoil.tasks.flowchart.sources.synthesis import PROMPTS
from counterfoil.tasks.flowchart.wording import WORDING

SOURCES = list_sources(
    [
        Source[FlowchartSettings](
            "charts",
            "PATH",
            "Mermaid files, JSONL, Markdown or JSON, or a folder of them",
            read=read_files,
            make_anchors=make_anchors,
            anchors=("flowchart", "flowcharts"),
            splits=True,
        ),
        Source[FlowchartSettings](
            "procedural",
            "N",
            "N made-up charts",
            read=read_made_up,
            make_anchors=make_anchors,
            anchors=("made-up flowchart", "made-up flowcharts"),
            draw_split=draw_split,
            number=make_numbered,
        ),
        Source[FlowchartSettings](
            "descriptions",
            "PATH",
            "JSONL with descriptions in words, of which a language model writes charts",
            read=lambda path, _settings, _seed, limit: islice(read_descriptions(path), limit),
            make_anchors=write_anchors,
            anchors=("flowchart written by a model", "flowcharts written by a model"),
            prompts=PROMPTS,
        ),
    ]
)

DOMAIN = Domain(
    name="flowchart",
    version=13,
    settings_type=FlowchartSettings,
    sources=SOURCES,
    families=list_families(
        [
            *flip.FAMILIES,
            *code.FAMILIES,
            *image.FAMILIES,
            *caption.FAMILIES,
            *codeswap.FAMILIES,
            *answers.FAMILIES,
        ]
    ),
    anchor_uses=("source", "granulate", "granules", "arrow_labels", "edits", "test_share", *PICTURE_KEYS),
    verify_anchor=verify_anchor,
    name_anchor=name_anchor,
    changes=measure_changes,
    refutes=refutes,
    verify_picture=verify_picture,
    questions=list_questions,
    shard_size=64,
    example={"source": "procedural:2"},
    wording=WORDING,
    card_tasks=("image-to-text", "visual-question-answering"),
)
