"""Lies about flowcharts: in the pixels alone, in the SVG with its picture, in record and picture alike, in words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from functools import cache

from benchmarks.lies.drawings import PIXELS, Kind, Row, borrow, only, put_before, redraw, repaint, replace_one
from counterfoil.renderers.mermaid.protocol import Look, MermaidError
from counterfoil.renderers.mermaid.raster import paint_png
from counterfoil.renderers.mermaid.studio import Studio
from counterfoil.tasks.flowchart.drawing.arrows import drop_arrow, turn_arrow

_DARK = "#333333"
_STROKE = f'fill="none" stroke="{_DARK}" stroke-width="2"'


@cache
def _open_studio() -> Studio:
    return Studio()


def _change_arrow(change: Callable[[str, int], str]) -> Callable[[str, random.Random], str | None]:
    return lambda svg, rng: (
        change(svg, rng.randrange(count)) if (count := svg.count('<path class="arrow"')) > 1 else None
    )


def _cross_arrow(svg: str, rng: random.Random) -> str | None:
    """An arrow between the ends of two arrows, as the renderer would write it."""
    lines = re.findall(r'<path class="arrow"[^>]* d="M(-?[\d.]+,-?[\d.]+)[^"]*?(-?[\d.]+,-?[\d.]+)"', svg)
    if len(lines) < 2:
        return None
    (start, _), (_, end) = rng.sample(lines, 2)
    ink = f'<path class="arrow" id="arrow-99" d="M{start}L{end}" {_STROKE} marker-end="url(#point)"/>'
    return svg.replace('</g><g class="arrow-labels">', f'{ink}</g><g class="arrow-labels">', 1)


def _hide_arrow(svg: str, rng: random.Random) -> str | None:
    crossed = _cross_arrow(svg, rng)
    paper = '<rect x="-9" y="-9" width="4000" height="4000" fill="#ffffff"/>'
    return crossed and re.sub(r'(<path class="arrow" id="arrow-99"[^>]*/>)', rf"\1{paper}", crossed, count=1)


def _put_nodes_first(svg: str, _: random.Random) -> str | None:
    nodes = re.search(r'<g class="nodes">.*</g>(?=</g></svg>)', svg, re.S)
    start = svg.find('<g class="clusters">')
    return svg[:start] + nodes.group() + svg[start : nodes.start()] + svg[nodes.end() :] if nodes else None


def _exchange_labels(svg: str, rng: random.Random) -> str | None:
    """Two nodes' words exchanged in their boxes."""
    words = [each for each in re.findall(r">([^<>]+)</tspan>", svg) if svg.count(f">{each}<") == 1]
    if len(words) < 2:
        return None
    one, other = rng.sample(words, 2)
    return svg.replace(f">{one}<", ">\0<").replace(f">{other}<", f">{one}<").replace(">\0<", f">{other}<")


def draw_code(change: Callable[[str, random.Random], str], *, painted: bool) -> Kind:
    """A kind that changes the code; where ``painted``, SVG and picture are drawn of it."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        if not row["code"] or (painted and not row["vector"]):
            return None
        code = change(row["code"], rng)
        changed = {**row, "code": code, **({"text": code} if row.get("text") == row["code"] else {})}
        if code == row["code"]:
            return None
        if not painted:
            return changed
        try:
            same = _open_studio().draw(row["code"], Look()) == row["vector"]
            return repaint(changed, _open_studio().draw(code, Look()), paint_png) if same else None
        except MermaidError:
            return None

    return lie


def _square_decision(code: str, _: random.Random) -> str:
    return re.sub(r'\{("[^"]*")\}', r"[\1]", code, count=1)


def _round_step(code: str, _: random.Random) -> str:
    return re.sub(r'\[("[^"]*")\]', r"(\1)", code, count=1)


def _turn_chart(code: str, _: random.Random) -> str:
    return re.sub(r"flowchart (TD|BT)", r"flowchart LR", code)


def _dot_arrow(code: str, _: random.Random) -> str:
    return code.replace(" --> ", " -.-> ", 1)


def _say_more(code: str, _: random.Random) -> str:
    return code + "    %% the answer is No\n"


def _link(code: str, _: random.Random) -> str:
    return code + '    click A "https://example.org"\n'


def _recaption(row: Row, rng: random.Random) -> Row | None:
    """Two names of the caption exchanged."""
    names = sorted({fact["value"] for fact in row["facts"] if fact["predicate"] == "node"})
    if len(names) < 2:
        return None
    one, other = rng.sample(names, 2)
    caption = row["caption"].replace(one, "\0").replace(other, one).replace("\0", other)
    return {**row, "caption": caption, "captions": [caption]}


def _add_caption(row: Row, _: random.Random) -> Row:
    return {**row, "captions": [*row["captions"], row["caption"]]}


def _cut_caption(row: Row, _: random.Random) -> Row | None:
    head, found, _tail = row["caption"].rpartition(" An arrow ")
    return {**row, "caption": head, "captions": [head]} if found else None


def _reverse_fact(row: Row, rng: random.Random) -> Row | None:
    places = [i for i, fact in enumerate(row["facts"]) if len(fact["arguments"]) == 2]
    if not places:
        return None
    place = rng.choice(places)
    facts = [dict(fact) for fact in row["facts"]]
    facts[place]["arguments"] = facts[place]["arguments"][::-1]
    return {**row, "facts": facts} if facts != row["facts"] else None


def _change_language(row: Row, _: random.Random) -> Row:
    return {**row, "code_language": "dot"}


def _name_other_edit(row: Row, _: random.Random) -> Row | None:
    """An edit of another kind than was made."""
    kinds = {"reverse_arrow": "remove_arrow", "swap_labels": "reverse_arrow", "rewire_arrow": "reverse_arrow"}
    kinds |= {"swap_nodes": "swap_labels", "change_answer": "exchange_answers"}
    kinds |= {"replace_node": "insert_node", "insert_node": "replace_node", "merge_nodes": "remove_node"}
    kinds |= {"remove_node": "merge_nodes", "add_arrow": "remove_arrow"}
    if not row["edits"] or row["edits"][-1]["kind"] not in kinds:
        return None
    *first, last = row["edits"]
    return {**row, "edits": [*first, {**last, "kind": kinds[last["kind"]]}]}


def _drawn(change: Callable[[str, random.Random], str | None]) -> Kind:
    return redraw(change, paint_png)


_MARKER = r'(<marker id="point"[^>]*>)<path [^>]*/>(</marker>)'
KINDS: Mapping[str, Kind] = {
    **PIXELS,
    "picture of another row": borrow("image"),
    "picture and SVG of another row": borrow("image", "vector"),
    "marker emptied": _drawn(replace_one(_MARKER, r"\1\2")),
    "heads turned back": _drawn(replace_one(_MARKER, rf'\1<path d="M10,0L0,5L10,10Z" fill="{_DARK}"/>\2')),
    "heads white": _drawn(replace_one(_MARKER, r'\1<path d="M0,0L10,5L0,10Z" fill="#FFFFFF"/>\2')),
    "heads tiny": _drawn(replace_one(r'markerWidth="[\d.]+"', 'markerWidth="0.1"')),
    "arrow turned": _drawn(_change_arrow(turn_arrow)),
    "arrow gone": _drawn(_change_arrow(drop_arrow)),
    "arrow more": _drawn(_cross_arrow),
    "arrow under a white box": _drawn(_hide_arrow),
    "arrow without its class": _drawn(replace_one(r'<path class="arrow" ', "<path ")),
    "arrow a hair thin": _drawn(
        replace_one(r'(<path class="arrow"[^>]*) stroke-width="[^"]*"', r'\1 stroke-width="0.01"')
    ),
    "arrow dotted": _drawn(
        replace_one(r'(<path class="arrow"[^>]*?) stroke-width', r'\1 stroke-dasharray="2 3" stroke-width')
    ),
    "stray line": _drawn(put_before("</g></svg>", f'<path d="M20,20L120,90" {_STROKE}/>')),
    "stray word": _drawn(put_before("</g></svg>", f'<text fill="{_DARK}"><tspan x="30" y="20">No</tspan></text>')),
    "white word on white": _drawn(
        put_before("</g></svg>", '<text fill="#FFFFFF"><tspan x="9" y="9">No</tspan></text>')
    ),
    "word outside the view": _drawn(
        put_before("</g></svg>", f'<text fill="{_DARK}"><tspan x="-900" y="9">No</tspan></text>')
    ),
    "box more": _drawn(put_before("</g></svg>", f'<rect x="4" y="4" width="30" height="20" {_STROKE}/>')),
    "decision drawn as a box": _drawn(
        replace_one(r'<polygon points="[^"]*"', '<rect x="-40" y="-20" width="80" height="40"')
    ),
    "nodes under the arrows": _drawn(_put_nodes_first),
    "words exchanged in their boxes": _drawn(_exchange_labels),
    "box of another colour": _drawn(replace_one(r'(<g class="node".*?) fill="#[0-9A-F]{6}"', r'\1 fill="#F4CCCC"')),
    "decision a step, drawn so": draw_code(_square_decision, painted=True),
    "step rounded, drawn so": draw_code(_round_step, painted=True),
    "chart run sideways, drawn so": only("contrasts", draw_code(_turn_chart, painted=True)),
    "arrow dotted, drawn so": draw_code(_dot_arrow, painted=True),
    "decision a step in the code": draw_code(_square_decision, painted=False),
    "remark in the code": draw_code(_say_more, painted=False),
    "link in the code": draw_code(_link, painted=False),
    "code of another row": only("anchors", borrow("code")),
    "caption with names exchanged": only("anchors", _recaption),
    "caption of another chart": only("anchors", borrow("caption", "captions")),
    "caption said twice": only("anchors", _add_caption),
    "caption cut": only("anchors", _cut_caption),
    "facts of another chart": only("anchors", borrow("facts")),
    "fact turned": only("anchors", _reverse_fact),
    "code of another language": only("anchors", _change_language),
    "edit of another kind": only("contrasts", _name_other_edit),
    "text of another row": only("contrasts", borrow("text")),
}
