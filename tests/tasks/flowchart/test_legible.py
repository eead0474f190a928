"""Labels that are shown to be seen without being painted."""

from __future__ import annotations

import re

import pytest

from counterfoil.renderers.mermaid.raster import fit
from counterfoil.tasks.flowchart.drawing.legible import shows_all
from counterfoil.tasks.flowchart.drawing.pictures import _find_hidden
from counterfoil.tasks.flowchart.drawing.vector import read_vector


def look(svg):
    """The labels that are hidden when it is painted."""
    picture = read_vector(svg)
    width, height = fit(picture.width, picture.height, 336)
    return _find_hidden(svg, picture, 336, width / picture.width, (336 - width) // 2, (336 - height) // 2)


def test_what_is_shown_to_be_seen_is_seen_when_it_is_painted(contrasts):
    drawings = [row.vector for rows in contrasts.values() for _, row in rows if row.vector]
    shown = [svg for svg in drawings if shows_all(svg, read_vector(svg))]
    assert len(shown) >= len(drawings) / 4
    assert not any(look(svg) for svg in shown)


HIDING = {
    "white paper over all": lambda svg: svg.replace(
        "</g></g></svg>", '<rect x="-9" y="-9" width="4000" height="4000" fill="#ffffff"/></g></g></svg>'
    ),
    "letters of their box's colour": lambda svg: re.sub(r'(<text [^>]*?)fill="[^"]*"', r'\1fill="#ECECFF"', svg),
    "letters without ink": lambda svg: re.sub(r"(<text [^>]*?)>", r'\1 fill-opacity="0">', svg),
    "a box under which the next one lies": lambda svg: re.sub(
        r'(<g class="node" id="[^"]*" )transform="[^"]*"', r'\1transform="translate(80,60)"', svg
    ),
    "a box of letters' colour": lambda svg: svg.replace("#ECECFF", "#303030"),
    "a border as wide as the box": lambda svg: re.sub(r'(<g class="node".*?stroke-width=)"1"', r'\1"60"', svg),
    "a box that is hardly there": lambda svg: svg.replace('fill="#ECECFF"', 'fill="#ECECFF" fill-opacity="0.1"'),
    "groups in another order": lambda svg: svg.replace('class="arrows"', 'class="nodes"', 1),
}


@pytest.mark.parametrize("kind", HIDING)
def test_what_may_be_hidden_is_painted_and_looked_at(kind, anchors):
    for anchor in anchors:
        changed = HIDING[kind](anchor.vector)
        assert changed != anchor.vector
        assert not shows_all(changed, read_vector(anchor.vector))


ROUND = "M-40 -20 C-10 -20, 10 -20, 40 -20 C62 -20, 62 20, 40 20 C10 20, -10 20, -40 20 C-62 20, -62 -20, -40 -20Z"


def draw_round(path, down=5.0):
    """A node of one closed path with a label."""
    empty = "".join(f'<g class="{name}"></g>' for name in ("clusters", "arrows", "arrow-labels"))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="160" height="60" viewBox="0 0 160 60" font-size="16" '
        f'font-family="DejaVu Sans"><g>{empty}<g class="nodes">'
        f'<g class="node" id="node-A" transform="translate(80,30)"><path d="{path}" fill="#ECECFF" stroke="#9370DB" '
        f'stroke-width="1"/><text text-anchor="middle" fill="#333333"><tspan x="0" y="{down}">Stop it</tspan></text>'
        "</g></g></g></svg>"
    )


def test_a_closed_path_round_a_label_shows_it():
    svg = draw_round(ROUND)
    assert shows_all(svg, read_vector(svg))
    assert not look(svg)


@pytest.mark.parametrize(
    "path",
    [
        ROUND.replace("-20 C-10 -20, 10 -20, 40 -20", "-20 C-10 40, 10 40, 40 -20"),
        ROUND.replace(" C-62 20, -62 -20, -40 -20Z", "Z").replace("M-40 -20", "M-40 0"),
        ROUND.replace("Z", ""),
        ROUND + ROUND,
        ROUND.replace("40", "9"),
    ],
    ids=["through the label", "closed through it", "open", "drawn twice", "narrower"],
)
def test_a_path_that_may_leave_its_label_bare_is_painted_and_looked_at(path):
    svg = draw_round(path)
    assert not shows_all(svg, read_vector(svg))


def test_a_label_beside_its_path_is_painted_and_looked_at():
    svg = draw_round(ROUND, down=24.0)
    assert not shows_all(svg, read_vector(svg))
