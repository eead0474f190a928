"""What the renderer draws: fixed bytes, letterboxed pictures, scripts drawn right or refused."""

import io
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from counterfoil.renderers.mermaid import Look, MermaidError, MermaidWorker
from counterfoil.renderers.mermaid.fonts import FALLBACK_FAMILY, FAMILY, measure_text
from counterfoil.renderers.mermaid.layout import flatten_path, format_path, move_end, parse_path, reverse_path
from counterfoil.renderers.mermaid.raster import paint_pixels
from counterfoil.renderers.mermaid.studio import Studio

STUDIO = Studio()
CODE = """flowchart TD
A([Start]) -->|yes| B{"Is it <b>done</b>?"}
B -.-> C[["Sub"]]
B ==> D[(Data)]
C <--> D
C --o E
E --x A
"""
LOOKS = [Look(), Look("slate"), Look("neutral", "oblique")]


@pytest.mark.parametrize("look", LOOKS)
def test_bytes_are_fixed_over_processes(look):
    worker = MermaidWorker()
    svg = worker.draw(CODE, look)
    assert svg == STUDIO.draw(CODE, look) == STUDIO.draw(CODE, look)
    assert worker.paint(svg, 336) == STUDIO.paint(svg, 336)
    worker.close()


@pytest.mark.parametrize("look", LOOKS)
def test_the_svg_holds_every_label_and_every_head(look):
    svg = STUDIO.draw(CODE, look)
    text = re.sub(r"<[^>]*>", " ", svg)
    for word in ("Start", "done", "Sub", "Data", "yes"):
        assert word in text
    assert svg.count('class="arrow"') == 6
    assert {head: svg.count(f'marker-end="url(#{head})"') for head in ("point", "circle", "cross")} == {
        "point": 4,
        "circle": 1,
        "cross": 1,
    }
    assert svg.count("marker-start=") == 1
    assert svg.count("stroke-dasharray") == 1
    assert 'font-weight="bold"' in svg


@pytest.mark.parametrize("size", [64, 336, 500])
def test_a_picture_is_letterboxed_on_white(size):
    wide = STUDIO.draw("flowchart LR\nA[one] --> B[two] --> C[three] --> D[four]", Look())
    image = Image.open(io.BytesIO(STUDIO.paint(wide, size)))
    assert image.size == (size, size)
    assert image.mode == "RGB"
    pixels = np.asarray(image)
    rows = np.flatnonzero((pixels < 250).any(axis=(1, 2)))
    columns = np.flatnonzero((pixels < 250).any(axis=(0, 2)))
    # As wide as the picture, centred from top to bottom, the rest white.
    assert columns[0] <= size * 0.05 and columns[-1] >= size * 0.95 - 1
    assert abs((rows[0] + rows[-1]) - (size - 1)) <= 3
    assert rows[-1] - rows[0] < size / 2


@pytest.mark.parametrize(
    "label",
    [
        "Проверка связи",
        "Ελληνικά",
        "开始检查",
        "日本語の図",
        "ابدأ العملية (1)",
        "שלום עולם",
        "é ü ß ø",
        "≤ → ♥",
        "\U0001f600 ok",
    ],
)
def test_scripts_are_drawn(label):
    svg = STUDIO.draw(f'flowchart TD\nA["{label}"] --> B["{label}"]', Look())
    assert "".join(label.split()) in "".join(re.sub(r"<[^>]*>", "", svg).split())
    ink = (paint_pixels(svg, 336) < 128).any(axis=2).sum()
    blank = (paint_pixels(re.sub(r"<text.*?</text>", "", svg), 336) < 128).any(axis=2).sum()
    assert ink > blank + 100


def test_arabic_is_shaped_and_runs_from_the_right():
    """The last letter of a word that ends in a tail lies at the left."""
    joined = paint_pixels(STUDIO.draw('flowchart TD\nA["سلام"] --> B[x]', Look()), 400)
    apart = paint_pixels(STUDIO.draw('flowchart TD\nA["س ل ا م"] --> B[x]', Look()), 400)
    width = [np.flatnonzero((p[:150] < 100).all(axis=2).any(axis=0)) for p in (joined, apart)]
    assert width[0][-1] - width[0][0] < width[1][-1] - width[1][0]


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("\u2705 done", "U+2705"),
        ("한국어", "no glyph"),
        ("हिन्दी", "U+0939"),
        ("a\u202eb", "invisible"),
        ("a\u200bb", "invisible"),
        ("a\u0331", "combining"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_says_why(label, reason):
    with pytest.raises(MermaidError) as caught:
        STUDIO.draw(f'flowchart TD\nA["{label}"] --> B', Look())
    assert caught.value.code == "undrawable"
    assert reason in caught.value.message


@pytest.mark.parametrize(
    ("text", "family"), [("Hello, world", FAMILY), ("开始检查", FALLBACK_FAMILY), ("AVAWA fi", FAMILY)]
)
def test_the_measure_is_what_is_painted(text, family):
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" viewBox="0 0 400 400" font-size="40">'
        f'<text text-anchor="middle" fill="#000" font-family="{family}"><tspan x="200" y="200">{text}</tspan></text>'
        "</svg>"
    )
    columns = np.flatnonzero((paint_pixels(svg, 400) < 128).any(axis=(0, 2)))
    # The side bearings of the outer letters are no ink.
    assert 0 <= measure_text(text) * 40 - (columns[-1] - columns[0]) <= 9


@pytest.mark.parametrize("code", ['flowchart TD\nA["a<br/>b<br>c"] --> B', 'flowchart TD\nA["`a\nb\nc`"] --> B'])
def test_breaks_make_lines(code):
    svg = STUDIO.draw(code, Look())
    assert len(re.findall(r'<tspan x="[^"]*" y="[^"]*">[abc]</tspan>', svg)) == 3


def test_entities_and_markdown_are_text():
    svg = STUDIO.draw('flowchart TD\nA["x #quot;y#quot; #9829; &amp; 1 < 2"] --> B["`**b** *i*`"]', Look())
    text = re.sub(r"<[^>]*>", "", svg)
    assert 'x "y" ♥ &amp; 1 &lt; 2' in text
    assert "b i" in text and "*" not in text


def test_paths_are_turned_and_cut_along_themselves():
    path = parse_path("M0,0L0,10C0,20,10,20,10,30L10,40")
    assert reverse_path(reverse_path(path)) == path
    assert format_path(move_end(path, 4)).endswith("L10,44")
    shorter = move_end(path, -4)
    assert format_path(shorter).endswith("L10,36")
    assert move_end(shorter, 4) == path
    assert flatten_path(move_end(path, -15))[-1][1] < 30
    with pytest.raises(MermaidError):
        move_end(path, -100)


def test_importing_the_package_loads_no_engine():
    slow = ("merman", "novasvg", "quickjs", "numpy", "PIL")
    code = f"import sys, counterfoil.renderers.mermaid; print([m for m in {slow} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
