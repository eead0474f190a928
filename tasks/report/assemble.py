"""A report from its tables: the page, and the parts that a browser unpacks as they come into view."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from counterfoil.tasks.report.collect import Tables, collect
from counterfoil.tasks.report.facts import ReportData
from counterfoil.tasks.report.index import index_ticket
from counterfoil.tasks.report.likeness import NO_JUDGES, Judges
from counterfoil.tasks.report.page import format_percent, render_page
from counterfoil.tasks.report.parts import Shelf
from counterfoil.tasks.report.samples import read_samples
from counterfoil.tasks.report.tallies import Tally
from counterfoil.tasks.report.view import SampleView, view_rejects, view_samples
from counterfoil.tasks.report.web import render

ANCHORS_PER_PAGE = 1_000
ANCHORS_PER_PART = 16

Progress = Callable[[str, int, int], None]
"""Called with what is done, how many of it since the last call, and how many there are in all."""


@dataclass
class Shown:
    """What the samples came to, for the page."""

    anchors: int = 0
    parts: int = 0
    pages: list[dict[str, Any]] = field(default_factory=list)
    """For the page's script: the part that holds a page's index, and the numbers of its first and last anchor."""
    changed_words: Tally = field(default_factory=lambda: Tally(1))
    changed_pixels: Tally = field(default_factory=lambda: Tally(0.1))


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
    return render_page(data, parts, outline, shown.changed_words.bin(), shown.changed_pixels.bin())


def _shelve_samples(tables: Tables, data: ReportData, shelf: Shelf, progress: Progress, page_size: int) -> Shown:
    shown = Shown()
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        for ids in _cut(data.sampled, page_size):
            samples = read_samples(tables, ids)
            index = []
            for view in pool.map(view_samples, list(_cut(samples, ANCHORS_PER_PART))):
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
    shelf.put(name, {"html": html, "pictures": [each.uri for each in view.pictures]})
    shown.anchors += len(view.tickets)
    shown.changed_words.add_all(view.changed_words)
    shown.changed_pixels.add_all(view.changed_pixels)
    return {"part": name, "anchors": [index_ticket(ticket) for ticket in view.tickets]}


def _cut(rows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
