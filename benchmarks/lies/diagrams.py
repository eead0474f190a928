"""Lies about charts that are told well: hidden by an SVG's own means, moved a little, or with code and SVG agreeing."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

from benchmarks.lies.charts import draw_code
from benchmarks.lies.drawings import Kind, Row, only, put_before, redraw, replace_one
from counterfoil.renderers.mermaid.raster import paint_png

Change = Callable[[str, random.Random], str | None]
_ARROW = r'<path class="arrow"[^>]*/>'
_NODE = r'<g class="node".*?</g>'
_LABEL = r'<g class="arrow-label".*?</g>'
_DARK = "#333333"


def _of(pattern: str, change: Callable[[str, random.Random], str]) -> Change:
    """One element that fits the pattern, changed."""

    def lie(svg: str, rng: random.Random) -> str | None:
        found = list(re.finditer(pattern, svg, re.S))
        if not found:
            return None
        at = rng.choice(found)
        return svg[: at.start()] + change(at[0], rng) + svg[at.end() :]

    return lie


def _with(attribute: str) -> Callable[[str, random.Random], str]:
    """An element with an attribute more."""
    return lambda element, _: re.sub(r"^<(\w+)", rf"<\1 {attribute}", element)


def _exchange(pattern: str, what: str) -> Change:
    """Two elements exchange what fits ``what``: their places, their words."""

    def lie(svg: str, rng: random.Random) -> str | None:
        found = [each for each in re.finditer(pattern, svg, re.S) if re.search(what, each[0])]
        if len(found) < 2:
            return None
        one, other = sorted(rng.sample(found, 2), key=lambda each: each.start())
        first, second = (re.search(what, each[0])[0] for each in (one, other))  # type: ignore[index]
        if first == second:
            return None
        return (
            svg[: one.start()]
            + one[0].replace(first, second, 1)
            + svg[one.end() : other.start()]
            + other[0].replace(second, first, 1)
            + svg[other.end() :]
        )

    return lie


def _move(element: str, rng: random.Random) -> str:
    """An element's group moved by 14 units."""
    return re.sub(
        r"translate\((-?[\d.]+),",
        lambda found: f"translate({float(found[1]) + rng.choice((-14, 14)):g},",
        element,
        count=1,
    )


def _bend(element: str, rng: random.Random) -> str:
    """An arrow that ends 30 units beside."""
    return re.sub(
        r"(-?[\d.]+),(-?[\d.]+)(\" fill)",
        lambda found: f"{float(found[1]) + rng.choice((-30, 30)):g},{found[2]}{found[3]}",
        element,
        count=1,
    )


def _cut(element: str, _: random.Random) -> str:
    """An arrow that ends where its first bend begins."""
    return re.sub(r'd="(M[^LC"]*[LC][^LC"]*)[^"]*"', r'd="\1"', element)


def _loop(svg: str, _: random.Random) -> str | None:
    """An arrow from a node to itself, as the renderer might write one."""
    found = re.search(r"translate\((-?[\d.]+),(-?[\d.]+)\)", svg)
    if not found:
        return None
    x, y = float(found[1]), float(found[2])
    ink = (
        f'<path class="arrow" id="arrow-77" d="M{x},{y}C{x + 90},{y - 40} {x + 90},{y + 40} {x + 20},{y + 20}" '
        f'fill="none" stroke="{_DARK}" stroke-width="1" marker-end="url(#point)"/>'
    )
    return svg.replace('</g><g class="arrow-labels">', f'{ink}</g><g class="arrow-labels">', 1)


def _swap_words(code: str, rng: random.Random) -> str:
    """Two nodes' words exchanged in the code."""
    words = sorted(set(re.findall(r'"([^"]+)"', code)))
    if len(words) < 2:
        return code
    one, other = rng.sample(words, 2)
    return code.replace(f'"{one}"', '"\0"').replace(f'"{other}"', f'"{one}"').replace('"\0"', f'"{other}"')


def _turn_arrow(code: str, _: random.Random) -> str:
    return re.sub(r"^(\s+)(\w+) (-->(?:\|[^|]*\|)?) (\w+)$", r"\1\4 \3 \2", code, count=1, flags=re.M)


def _add_arrow(code: str, rng: random.Random) -> str:
    names = re.findall(r"^\s+(\w+)[\[({>]", code, re.M)
    return f"{code}    {rng.choice(names)} --> {rng.choice(names)}\n" if names else code


def _add_node(code: str, _: random.Random) -> str:
    return f'{code}    Z9["Think of the weather"]\n'


def _rename_ids(code: str, _: random.Random) -> str:
    return re.sub(r"(?<![\w\"|])B(?=[\[({ \n]|$)", "Q7", code)


def _turn_lines(code: str, _: random.Random) -> str:
    head, *lines = code.splitlines()
    return "\n".join([head, *lines[::-1]]) + "\n"


def _indent(code: str, _: random.Random) -> str:
    return code.replace("\n    ", "\n  ")


def _style(code: str, _: random.Random) -> str:
    return f"{code}    style A fill:#f9f\n"


def _class(code: str, _: random.Random) -> str:
    return f"{code}    classDef x stroke:#fff\n    class A x\n"


def _subgraph(code: str, _: random.Random) -> str:
    return f"{code}    subgraph late\n    A\n    end\n"


def _init(code: str, _: random.Random) -> str:
    return '%%{init: {"theme": "base"}}%%\n' + code


def _plain(code: str, _: random.Random) -> str:
    return code.replace("flowchart ", "graph ", 1)


def _other_answer(code: str, _: random.Random) -> str:
    return re.sub(r"\|([^|]*)\|", r"|\1 indeed|", code, count=1)


def _say(change: Callable[[str, random.Random], str | None]) -> Kind:
    """The caption, with another sentence, as an anchor's or a contrast's text."""

    def lie(row: Row, rng: random.Random) -> Row | None:
        column = "caption" if row["table"] == "anchors" else "text"
        old = row[column]
        new = change(old, rng) if old and "An arrow" in old else None
        if not new or new == old:
            return None
        said = {"captions": [new if each == old else each for each in row["captions"]]} if column == "caption" else {}
        return {**row, column: new, **said}

    return lie


def _parts(text: str) -> list[str]:
    return re.split(r"(?<=[.?!]) (?=An arrow )", text)


def _drop_sentence(text: str, rng: random.Random) -> str | None:
    parts = _parts(text)
    if len(parts) < 2:
        return None
    del parts[rng.randrange(len(parts))]
    return " ".join(parts)


def _turn_sentences(text: str, _: random.Random) -> str:
    return " ".join(_parts(text)[::-1])


def _repeat_sentence(text: str, rng: random.Random) -> str:
    parts = _parts(text)
    return " ".join([*parts, rng.choice(parts)])


def _turn_sentence(text: str, _: random.Random) -> str:
    return re.sub(r"from node (.+?) to node (.+?)(?=[.?!]? An arrow |\.?$)", r"from node \2 to node \1", text, count=1)


def _in_facts(change: Callable[[list[Row], random.Random], list[Row] | None]) -> Kind:
    def lie(row: Row, rng: random.Random) -> Row | None:
        facts = change([dict(each) for each in row["facts"]], rng)
        return None if facts is None or facts == row["facts"] else {**row, "facts": facts}

    return only("anchors", lie)


def _rename_node(facts: list[Row], rng: random.Random) -> list[Row] | None:
    """A node's id, which a reader does not see, another."""
    nodes = [each for each in facts if each["predicate"] == "node"]
    if not nodes:
        return None
    rng.choice(nodes)["arguments"] = ["Q7"]
    return facts


def _move_value(facts: list[Row], _: random.Random) -> list[Row] | None:
    """An arrow's words moved to the next arrow."""
    arrows = [each for each in facts if each["predicate"] == "arrow"]
    if len({each["value"] for each in arrows}) < 2:
        return None
    values = [each["value"] for each in arrows]
    for each, value in zip(arrows, [*values[1:], values[0]], strict=True):
        each["value"] = value
    return facts


def _drawn(change: Change) -> Kind:
    return redraw(change, paint_png)


_HIDDEN = f'<path d="M20,20L120,90" fill="none" stroke="{_DARK}" stroke-width="2"'
_DRAWN: Mapping[str, Change] = {
    "labels exchange their places": _exchange(_LABEL, r"translate\([^)]*\)"),
    "labels exchange their words": _exchange(_LABEL, r">[^<>]+</tspan>"),
    "nodes exchange their places": _exchange(_NODE, r"translate\([^)]*\)"),
    "arrows exchange their ends": _exchange(_ARROW, r'-?[\d.]+,-?[\d.]+" fill'),
    "node moved": _of(_NODE, _move),
    "label moved": _of(_LABEL, _move),
    "arrow's end moved": _of(_ARROW, _bend),
    "arrow cut": _of(_ARROW, _cut),
    "arrow to itself": _loop,
    "arrow twice": _of(_ARROW, lambda element, _: element * 2),
    "node twice": _of(_NODE, lambda element, _: element * 2),
    "node turned": _of(_NODE, lambda element, _: re.sub(r"(translate\([^)]*\))", r"\1 rotate(180)", element, count=1)),
    "node half as large": _of(
        _NODE, lambda element, _: re.sub(r"(translate\([^)]*\))", r"\1 scale(0.5)", element, count=1)
    ),
    "heads at both ends": _of(_ARROW, _with('marker-start="url(#point)"')),
    "head gone": _of(_ARROW, lambda element, _: element.replace(' marker-end="url(#point)"', "")),
    "head of another marker": _of(_ARROW, lambda element, _: element.replace("url(#point)", "url(#none)")),
    "arrow nearly white": _of(_ARROW, lambda element, _: element.replace(_DARK, "#fcfcfc")),
    "arrow in red": _of(_ARROW, lambda element, _: element.replace(_DARK, "#cc0000")),
    "arrow thick": _of(
        _ARROW, lambda element, _: re.sub(r'stroke-width="[\d.]+"', 'stroke-width="4"', element, count=1)
    ),
    "arrow filled": _of(_ARROW, lambda element, _: element.replace('fill="none"', f'fill="{_DARK}"')),
    "arrow not displayed": _of(_ARROW, _with('display="none"')),
    "arrow invisible": _of(_ARROW, _with('visibility="hidden"')),
    "arrow by a style": _of(_ARROW, _with('style="stroke-opacity:0"')),
    "node of half opacity": _of(_NODE, _with('opacity="0.5"')),
    "node's words tiny": _of(_NODE, lambda element, _: element.replace("<text ", '<text font-size="1" ', 1)),
    "node's words gone": _of(_NODE, lambda element, _: re.sub(r"<text.*?</text>", "", element, flags=re.S)),
    "node's words with a word more": _of(_NODE, lambda element, _: element.replace("</tspan>", " not</tspan>", 1)),
    "node's words moved": _of(_NODE, lambda element, _: re.sub(r'<tspan x="0"', '<tspan x="19"', element, count=1)),
    "node's words bold": _of(_NODE, lambda element, _: element.replace("<text ", '<text font-weight="bold" ', 1)),
    "node's box gone": _of(
        _NODE, lambda element, _: re.sub(r"<(?:rect|polygon|path|circle)[^>]*/>", "", element, count=1)
    ),
    "node's box wider": _of(_NODE, lambda element, _: re.sub(r'width="(\d+)', r'width="1\1', element, count=1)),
    "box that fills the page": put_before(
        "</g></svg>", '<rect x="0" y="0" width="900" height="900" fill="#333333" opacity="0.03"/>'
    ),
    "in defs": put_before("</defs>", f'{_HIDDEN} id="x"/>'),
    "by use": put_before("</g></svg>", '<use href="#node-A" x="40" y="9"/>'),
    "by a clip": put_before(
        "</g></svg>", f'<clipPath id="c"><rect width="0" height="0"/></clipPath>{_HIDDEN} clip-path="url(#c)"/>'
    ),
    "by a mask": put_before("</g></svg>", f'<mask id="m"/>{_HIDDEN} mask="url(#m)"/>'),
    "by a switch": put_before("</g></svg>", f'<switch><g requiredFeatures="no">{_HIDDEN}/></g></switch>'),
    "by a style sheet": put_before("</g></svg>", f'<style>.z{{display:none}}</style>{_HIDDEN} class="z"/>'),
    "an image": put_before("</g></svg>", '<image href="data:image/png;base64," width="9" height="9"/>'),
    "a script": put_before("</g></svg>", "<script>1</script>"),
    "a description": put_before("</g></svg>", "<desc>the answer is no</desc>"),
    "an entity": lambda svg, _: svg.replace("Start", "&#83;tart", 1),
    "an attribute of another space": lambda svg, _: svg.replace("<svg ", '<svg xmlns:x="urn:x" x:answer="no" ', 1),
    "a view of its half": replace_one(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', r'viewBox="0 0 \1 9\2"'),
    "letters of another font": replace_one('font-family="DejaVu Sans"', 'font-family="DejaVu Serif"'),
    "letters larger": replace_one('font-size="16"', 'font-size="17"'),
    "bytes before": lambda svg, _: f'<?xml version="1.0"?>{svg}',
    "room within": lambda svg, _: svg.replace("><g", "> <g", 1),
}
_CODED: Mapping[str, Callable[[str, random.Random], str]] = {
    "words exchanged": _swap_words,
    "an arrow turned": _turn_arrow,
    "an arrow more": _add_arrow,
    "a node more": _add_node,
    "ids renamed": _rename_ids,
    "lines turned": _turn_lines,
    "indented otherwise": _indent,
    "a style": _style,
    "a class": _class,
    "a subgraph": _subgraph,
    "a theme": _init,
    "of the older word": _plain,
    "another answer": _other_answer,
}
_SAID: Mapping[str, Callable[[str, random.Random], str | None]] = {
    "a sentence gone": _drop_sentence,
    "sentences turned": _turn_sentences,
    "a sentence twice": _repeat_sentence,
    "an arrow turned": _turn_sentence,
}
KINDS: Mapping[str, Kind] = {
    **{f"SVG and picture: {name}": _drawn(change) for name, change in _DRAWN.items()},
    **{f"drawn so: {name}": draw_code(change, painted=True) for name, change in _CODED.items()},
    **{f"code: {name}": draw_code(change, painted=False) for name, change in _CODED.items()},
    **{f"said: {name}": _say(change) for name, change in _SAID.items()},
    "facts: a node's id": _in_facts(_rename_node),
    "facts: words at another arrow": _in_facts(_move_value),
}
