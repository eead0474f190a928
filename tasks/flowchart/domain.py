"""The flowchart domain: its sources and its five families (SaCLIP Sec. 3.1 and 3.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType

from pydantic import BaseModel

from renderers.mermaid import MermaidError
from storage.rows import Anchor, Reject
from tasks.contract.context import Context
from tasks.contract.domain import Domain, SourceRow
from tasks.contract.family import Family
from tasks.contract.verdict import Verdict
from tasks.flowchart import anchors, makers, verifiers
from tasks.flowchart.anchors import list_pieces
from tasks.flowchart.chart.serialise import write_code
from tasks.flowchart.drawing.rendering import parse
from tasks.flowchart.settings import FlowchartSettings
from tasks.flowchart.sources.files import SourceChart, assign_split, read_charts, read_descriptions
from tasks.flowchart.sources.procedural import make_charts
from tasks.flowchart.sources.synthesis import PROMPTS

_PICTURE = ("size", "engine", "style", "smallest_text")
_PAPER = "SaCLIP Sec. 3.2"

FAMILIES = (
    Family(
        name="flowchart.flip", role="positive", modality="image", paper=f"{_PAPER}, P^v",
        how="direction reversed in the code (top-down becomes bottom-up), drawn again",
        make=makers.make_flip, verify=verifiers.verify_flip, count=lambda _: 1, uses=_PICTURE,
    ),
    Family(
        name="flowchart.code", role="positive", modality="text", paper=f"{_PAPER}, P^t",
        how="the chart's code as a text", make=makers.make_code, verify=verifiers.verify_code, count=lambda _: 1,
    ),
    Family(
        name="flowchart.image", role="negative", modality="image", paper=f"{_PAPER}, N^v",
        how="labels swapped in the code; arrows reversed or removed in the SVG; each also on the flipped chart",
        make=makers.make_image, verify=verifiers.verify_image,
        count=lambda settings: getattr(settings, "image_negatives", None),
        uses=(*_PICTURE, "arrow_labels", "image_negatives"),
    ),
    Family(
        name="flowchart.caption", role="negative", modality="text", paper=f"{_PAPER}, N^t",
        how="labels swapped in the caption, throughout or in one sentence",
        make=makers.make_caption, verify=verifiers.verify_caption,
        count=lambda settings: getattr(settings, "caption_negatives", None),
        uses=("arrow_labels", "caption_negatives"),
    ),
    Family(
        name="flowchart.codeswap", role="negative", modality="text", paper=f"{_PAPER}, N^t",
        how="labels swapped in the code", make=makers.make_codeswap, verify=verifiers.verify_codeswap,
        count=lambda settings: getattr(settings, "codeswap_negatives", None), uses=("codeswap_negatives",),
    ),
)  # fmt: skip


class FlowchartDomain:
    """Flowcharts from files or made up, whole or in triplets."""

    name = "flowchart"
    runs_scripts = False
    version = 1
    settings_type: type[BaseModel] = FlowchartSettings
    families: Mapping[str, Family] = MappingProxyType({family.name: family for family in FAMILIES})
    anchor_uses: tuple[str, ...] = ("source", "granulate", "arrow_labels", "test_share", *_PICTURE)

    def list_anchor_prompts(self, settings: BaseModel) -> tuple[str, ...]:
        """Charts in words are written by the author; charts in Mermaid need none."""
        assert isinstance(settings, FlowchartSettings)
        return PROMPTS if settings.source.startswith("descriptions:") else ()

    def read(self, settings: BaseModel, seed: int, limit: int | None) -> Iterator[SourceRow | Reject]:
        """Stream the source's charts, each with its split and with what it must leave to held-out charts.

        Splits are by chart. A triplet that is also in a chart of a more held-out split (test before any other, any
        other before train) belongs to that one, or test material would leak into training. So the source is read
        twice: first the held-out charts' triplets are hashed (their keys are all that is kept in memory), then the
        rows follow, each naming its triplets that are held out elsewhere.

        Raises:
            SourceError: the source cannot be read.
        """
        assert isinstance(settings, FlowchartSettings)
        kind, _, rest = settings.source.partition(":")
        if kind == "descriptions":
            yield from islice(read_descriptions(rest), limit)
            return
        held: dict[str, tuple[int, str]] = {}
        for chart in _charts(settings, seed, limit):
            rank = _rank(chart.split) if isinstance(chart, SourceChart) else 0
            if isinstance(chart, SourceChart) and rank:
                for key in _keys(chart.code, settings.granulate):
                    if held.get(key, (0, ""))[0] < rank:
                        held[key] = (rank, chart.source_id)
        for chart in _charts(settings, seed, limit):
            if isinstance(chart, Reject):
                yield chart
                continue
            elsewhere = {}
            if held:
                rank = _rank(chart.split)
                keys = _keys(chart.code, settings.granulate)
                elsewhere = {key: held[key][1] for key in keys if key in held and held[key][0] > rank}
            payload = {"code": chart.code, "title": chart.title, "held_out": elsewhere}
            yield SourceRow(kind, chart.source_id, chart.split, payload)

    def make_anchors(self, row: SourceRow, context: Context) -> Iterator[Anchor | Reject]:
        """See `tasks.flowchart.anchors.make_anchors`."""
        return anchors.make_anchors(row, context)

    def describe_yield(self, rows: int, anchors: int, rejected: Mapping[str, int]) -> str:
        refused = f"; set aside: {', '.join(f'{code} {n}' for code, n in rejected.items())}" if rejected else ""
        return f"{anchors:,} anchors of {rows:,} charts{refused}"

    def verify_anchor(self, anchor: Anchor, context: Context) -> Verdict:
        """See `tasks.flowchart.anchors.verify_anchor`."""
        return anchors.verify_anchor(anchor, context)


def _rank(split: str) -> int:
    return {"train": 0, "test": 2}.get(split, 1)


def _charts(settings: FlowchartSettings, seed: int, limit: int | None) -> Iterator[SourceChart | Reject]:
    kind, _, rest = settings.source.partition(":")
    count = 0
    for chart in read_charts(rest) if kind == "charts" else _made_up(int(rest), seed):
        if limit is not None and count >= limit:
            return
        if isinstance(chart, SourceChart):
            count += 1
            split = assign_split(chart.source_id, chart.split, settings.test_share, seed)
            chart = SourceChart(chart.source_id, chart.code, split, chart.title)
        yield chart


def _made_up(count: int, seed: int) -> Iterator[SourceChart]:
    for identifier, chart in make_charts(count, seed):
        yield SourceChart(identifier, write_code(chart))


def _keys(code: str, granulate: bool) -> list[str]:
    try:
        return [key for _, key in list_pieces(parse(code), granulate)]
    except MermaidError:
        # The chart will be a reject with its reason when its anchors are made.
        return []


DOMAIN: Domain = FlowchartDomain()
