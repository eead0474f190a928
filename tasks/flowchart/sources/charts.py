"""A source's charts as rows, each with its split and with what it must leave to held-out charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from counterfoil.renderers.mermaid import MermaidError
from counterfoil.storage.rows import Reject
from counterfoil.tasks.contract.columns import Remark
from counterfoil.tasks.contract.domain import SourceRow, read_number
from counterfoil.tasks.flowchart.chart.granulation import list_keys, list_pieces
from counterfoil.tasks.flowchart.chart.serialise import write_code
from counterfoil.tasks.flowchart.drawing.rendering import parse
from counterfoil.tasks.flowchart.settings import FlowchartSettings
from counterfoil.tasks.flowchart.sources.files import SourceChart, assign_split, read_charts
from counterfoil.tasks.flowchart.sources.procedural import make_chart_numbered, make_charts


def read_files(
    path: str, settings: FlowchartSettings, seed: int, limit: int | None
) -> Iterator[SourceRow | Reject | Remark]:
    """The charts at ``path``.

    Raises:
        SourceError: the source cannot be read.
    """
    return hold_out("charts", lambda: _split(read_charts(path), settings, seed, limit), settings)


def read_made_up(
    count: str, settings: FlowchartSettings, seed: int, limit: int | None
) -> Iterator[SourceRow | Reject | Remark]:
    """So many charts of our own."""

    def make() -> Iterator[SourceChart | Reject | Remark]:
        for name, chart in make_charts(int(count), seed):
            yield SourceChart(name, write_code(chart))

    return hold_out("procedural", lambda: _split(make(), settings, seed, limit), settings)


def make_numbered(source_id: str, settings: FlowchartSettings, seed: int) -> SourceRow:
    """The row of a chart of our own; what held-out charts share with it is not known of it alone.

    Raises:
        ValueError: no chart has that id.
    """
    name, chart = make_chart_numbered(read_number(source_id, f"procedural-{seed}-{{:06d}}"), seed)
    split = assign_split(name, "", settings.test_share, seed)
    return SourceRow("procedural", name, split, {"code": write_code(chart), "title": None})


def hold_out(
    kind: str, read: Callable[[], Iterator[SourceChart | Reject | Remark]], settings: FlowchartSettings
) -> Iterator[SourceRow | Reject | Remark]:
    """The charts as rows. Splits are by chart.

    A triplet that is also in a chart of a more held-out split (test before any other, any other before train) belongs
    to that one, or test material would leak into training. So the source is read twice: first the held-out charts'
    triplets are hashed (their keys are all that is kept in memory), then the rows follow, each naming its triplets
    that are held out elsewhere.
    """
    held: dict[str, tuple[int, str]] = {}
    for chart in read():
        rank = _rank(chart.split) if isinstance(chart, SourceChart) else 0
        if isinstance(chart, SourceChart) and rank:
            for key in _keys(chart.code, settings):
                if held.get(key, (0, ""))[0] < rank:
                    held[key] = (rank, chart.source_id)
    for chart in read():
        if not isinstance(chart, SourceChart):
            yield chart
            continue
        elsewhere = {}
        if held:
            rank = _rank(chart.split)
            keys = _keys(chart.code, settings)
            elsewhere = {key: held[key][1] for key in keys if key in held and held[key][0] > rank}
        payload = {"code": chart.code, "title": chart.title, "held_out": elsewhere}
        yield SourceRow(kind, chart.source_id, chart.split, payload)


def _rank(split: str) -> int:
    return {"train": 0, "test": 2}.get(split, 1)


def _split(
    charts: Iterator[SourceChart | Reject | Remark], settings: FlowchartSettings, seed: int, limit: int | None
) -> Iterator[SourceChart | Reject | Remark]:
    count = 0
    for chart in charts:
        if limit is not None and count >= limit:
            return
        if isinstance(chart, SourceChart):
            count += 1
            split = assign_split(chart.source_id, chart.split, settings.test_share, seed)
            chart = SourceChart(chart.source_id, chart.code, split, chart.title)
        yield chart


def _keys(code: str, settings: FlowchartSettings) -> list[str]:
    try:
        pieces = list(list_pieces(parse(code), settings))
    except MermaidError:
        # The chart will be a reject with its reason when its anchors are made.
        return []
    return [each for piece, key in pieces for each in list_keys(piece, key, settings)]
