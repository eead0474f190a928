"""A report from its tables: the page, and the parts that a browser unpacks as they come into view."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from counterfoil.tasks.report.collect import Tables, collect
from counterfoil.tasks.report.facts import ReportData
from counterfoil.tasks.report.index import index_ticket
from counterfoil.tasks.report.likeness import NO_JUDGES, Judges
from counterfoil.tasks.report.page import format_percent, render_page
from counterfoil.tasks.report.parts import First, Shelf
from counterfoil.tasks.report.samples import read_samples
from counterfoil.tasks.report.view import Difficulty, SampleView, view_rejects, view_samples
from counterfoil.tasks.report.web import render

ANCHORS_PER_PAGE = 1_000
ANCHORS_PER_PART = 16
AT_ONCE = 2
"""Anchors of the first part, which stands in the page as plain HTML: no script unpacks it, so it is there at once."""
_PLACE = re.compile(r'data-picture="(\d+)"')

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of it since the last call, and how many there are in all."""


@dataclass
class Shown:
    """What the samples came to, for the page."""

    anchors: int = 0
    parts: int = 0
    first: First | None = None
    pages: list[dict[str, Any]] = field(default_factory=list)
    """For the page's script: the part that holds a page's index, and the numbers of its first and last anchor."""
    difficulty: dict[str, Difficulty] = field(default_factory=dict)
    """Family to how much its shown negatives change."""


def assemble_report(
    tables: Tables,
    shelf: Shelf,
    sample: int = 60,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    page_size: int = ANCHORS_PER_PAGE,
    judges: Judges = NO_JUDGES,
) -> str:
    """Put the parts of a report on ``shelf``; returns its page. The same tables give the same bytes.

    Memory holds the rows of one page of anchors.
    """
    data = collect(tables, sample, seed, judges)
    shown = _shelve_samples(tables, data, shelf, progress, page_size)
    if data.rejects:
        view = view_rejects(data.rejects)
        lists = [render("rejects.html.j2", rejects=each, pictures=view.pictures) for each in view.rejects.values()]
        shelf.put("rejects", {"lists": lists, "pictures": [each.uri for each in view.pictures]})
    parts = shelf.finish()
    outline = {
        "folder": parts.folder,
        "pages": shown.pages,
        "rejects": bool(data.rejects),
    }
    return render_page(data, parts, outline, shown.difficulty, shown.first)


def _shelve_samples(tables: Tables, data: ReportData, shelf: Shelf, progress: Progress, page_size: int) -> Shown:
    shown = Shown()
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        for ids in _cut(data.sampled, page_size):
            samples = read_samples(tables, ids)
            index = []
            begun = AT_ONCE if not shown.parts else 0
            cut = [samples[:begun], *_cut(samples[begun:], ANCHORS_PER_PART)]
            for view in pool.map(view_samples, [each for each in cut if each]):
                index.append(_shelve_part(view, shown, shelf))
                progress("anchors compared", len(view.tickets), len(data.sampled))
            name = f"page-{len(shown.pages) + 1}"
            shelf.put(name, index)
            shown.pages.append({"part": name, "first": shown.anchors - len(ids) + 1, "last": shown.anchors})
    return shown


def _shelve_part(view: SampleView, shown: Shown, shelf: Shelf) -> dict[str, Any]:
    shown.parts += 1
    name = f"anchors-{shown.parts:05d}"
    html = render("tickets.html.j2", view=view, percent=format_percent)
    if shown.parts == 1:
        shown.first = First(name, _PLACE.sub(lambda place: f'src="{view.pictures[int(place[1])].uri}"', html))
    shelf.put(name, {"html": html, "pictures": [each.uri for each in view.pictures]})
    shown.anchors += len(view.tickets)
    for family, difficulty in view.difficulty.items():
        shown.difficulty.setdefault(family, Difficulty()).add_all(difficulty)
    return {"part": name, "anchors": [index_ticket(ticket) for ticket in view.tickets]}


def _cut(rows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
