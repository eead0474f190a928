"""Hostile charts: nothing is fetched, no local file is painted, limits hold, and the next chart is drawn."""

import os
import re
import signal
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from counterfoil.renderers.mermaid import Look, MermaidError, MermaidWorker
from counterfoil.renderers.mermaid.raster import check_svg, paint_png
from counterfoil.renderers.mermaid.source import clean_source
from counterfoil.renderers.mermaid.studio import Studio

STUDIO = Studio()
GOOD = "flowchart TD\nA[one] --> B[two]"
RED_PNG = None


@pytest.fixture
def trap():
    """A local server that notes whether anything connects to it."""
    server = socket.create_server(("127.0.0.1", 0))
    hits: list[bytes] = []

    def listen():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            hits.append(connection.recv(100))
            connection.close()

    threading.Thread(target=listen, daemon=True).start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/x.png", hits
    server.close()


HOSTILE = [
    '%%{{init: {{"themeCSS": "@import url({url});"}}}}%%\nflowchart TD\nA --> B',
    "---\nconfig:\n  themeCSS: '@import url({url})'\n  fontFamily: 'x; src:url({url})'\n---\nflowchart TD\nA --> B",
    'flowchart TD\nA["<img src={url}>"] --> B',
    "flowchart TD\nA[\"<svg onload='fetch(1)'><image href='{url}'/></svg>\"] --> B",
    'flowchart TD\nA@{{ img: "{url}", label: "x" }} --> B',
    'flowchart TD\nA --> B\nclick A "{url}"\nclick B call steal()',
    "flowchart TD\nA --> B\nstyle A fill:url({url}),stroke:url(#x)\nclassDef c background:url({url})\nclass B c",
    "flowchart TD\nA --> B\nlinkStyle 0 stroke:url({url})",
    'flowchart TD\nA["`![x]({url})`"] --> B',
    'flowchart TD\nA["<script>fetch(1)</script>x"] --> B',
    'flowchart TD\nA["<a href={url}>x</a>"] --> B',
    'flowchart TD\nA["<iframe src={url}></iframe>"] --> B',
]


@pytest.mark.parametrize("code", HOSTILE)
def test_what_reaches_out_is_refused_or_cleaned(code, trap):
    url, hits = trap
    try:
        svg = STUDIO.draw(code.format(url=url), Look())
    except MermaidError as error:
        assert error.code in ("refused", "undrawable", "syntax", "engine")
    else:
        attributes = re.sub(r">[^<]*<", "><", svg)
        assert "127.0.0.1" not in attributes
        assert not re.search(r"<(script|image|img|foreignObject|style|a|iframe)\b", svg)
        check_svg(svg)
        paint_png(svg, 64)
    assert hits == []


@pytest.mark.parametrize(
    "evil",
    [
        '<image href="{path}" width="50" height="50"/>',
        '<image xlink:href="{path}" width="50" height="50"/>',
        '<use href="{path}#x"/>',
        '<rect width="50" height="50" fill="url({path})"/>',
        "<style>@import url({path});</style>",
        '<foreignObject width="50" height="50"><img src="{path}"/></foreignObject>',
        '<text style="font-family:url({path})">x</text>',
        "<script>1</script>",
        '<g onload="x()"/>',
    ],
)
def test_a_stored_svg_that_names_a_file_is_refused(evil, tmp_path):

    path = tmp_path / "secret.png"
    Image.new("RGB", (50, 50), "red").save(path)
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="50" height="50" '
        f'viewBox="0 0 50 50">{evil.format(path=path)}</svg>'
    )
    with pytest.raises(MermaidError) as caught:
        paint_png(svg, 50)
    assert caught.value.code == "refused"


def test_entities_and_declarations_are_refused():
    laughs = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><svg xmlns="http://www.w3.org/2000/svg">&b;</svg>'
    for svg in (laughs, '<?xml-stylesheet href="x"?><svg xmlns="http://www.w3.org/2000/svg"/>', "<svg", ""):
        with pytest.raises(MermaidError, match="refused"):
            check_svg(svg)


def test_front_matter_directives_and_links_are_dropped_and_the_chart_kept():
    before = '---\nconfig:\n  theme: dark\n---\n%%{init: {"a": 1}}%%\n'
    code = before + 'flowchart TD\nA --> B\nclick A "x" "two\nlines"\nB --> C'
    assert clean_source(code).split() == ["flowchart", "TD", "A", "-->", "B", "B", "-->", "C"]


@pytest.fixture
def worker():
    made = MermaidWorker(memory_bytes=1536 * 1024**2, cpu_seconds=2, wall_seconds=5)
    yield made
    made.close()


def test_the_worker_is_replaced_when_it_dies(worker):
    before = worker.draw(GOOD, Look())
    first = worker.pid
    os.kill(first, signal.SIGKILL)
    for _ in range(2):
        # The dead child is noticed at once or at the first request.
        try:
            assert worker.draw(GOOD, Look()) == before
        except MermaidError as error:
            assert error.code == "killed"
    assert worker.draw(GOOD, Look()) == before
    assert worker.pid != first


def test_a_worker_that_hangs_is_ended():
    quick = MermaidWorker(wall_seconds=0.5)
    quick.draw(GOOD, Look())
    os.kill(quick.pid, signal.SIGSTOP)
    with pytest.raises(MermaidError) as caught:
        quick.draw(GOOD, Look())
    assert caught.value.code == "timeout"
    assert "<svg" in quick.draw(GOOD, Look())
    quick.close()


def test_a_dense_chart_ends_in_a_picture_or_a_refusal_within_the_limits(worker):
    dense = "flowchart TD\n" + "\n".join(f"N{i} --> N{j}" for i in range(40) for j in range(i)) + "\n"
    try:
        assert "<svg" in worker.draw(dense[:45000], Look())
    except MermaidError as error:
        assert error.code in ("timeout", "memory", "killed", "engine", "too_large", "undrawable")
    assert "<svg" in worker.draw(GOOD, Look())


def test_deep_nesting_and_long_labels_do_not_end_the_worker(worker):
    for code in (
        "flowchart TD\n" + "subgraph a\n" * 3000 + "A --> B\n" + "end\n" * 3000,
        "flowchart TD\nA[" + "(" * 20000,
        'flowchart TD\nA["' + "x" * 40000 + '"] --> B',
        'flowchart TD\nA["' + "<b>" * 9000 + '"] --> B',
    ):
        try:
            worker.draw(code, Look())
        except MermaidError as error:
            assert error.code
    assert "<svg" in worker.draw(GOOD, Look())


def test_memory_over_the_limit_is_refused():
    small = MermaidWorker(memory_bytes=480 * 1024**2, cpu_seconds=20, wall_seconds=60)
    svg = small.draw(GOOD, Look())
    huge = svg.replace('width="', 'width="9').replace("</svg>", "<g/>" * 900_000 + "</svg>")
    with pytest.raises(MermaidError) as caught:
        small.paint(huge, 4096)
    assert caught.value.code in ("memory", "killed", "engine")
    assert "<svg" in small.draw(GOOD, Look())
    small.close()


def test_the_worker_cannot_write_a_file(worker):
    worker.draw(GOOD, Look())
    table = Path(f"/proc/{worker.pid}/limits").read_text()
    assert re.search(r"Max file size\s+0\s+0", table)
    assert re.search(r"Max core file size\s+0\s+0", table)
    assert re.search(rf"Max address space\s+{1536 * 1024**2}", table)


def test_threads_take_turns_with_one_child() -> None:
    """Rows that wait for a language model are worked on by many threads of one process."""

    worker = MermaidWorker()
    codes = [f"flowchart TD\nA[a{i}] --> B[b{i}]" for i in range(40)]
    with ThreadPoolExecutor(8) as pool:
        parsed = list(pool.map(worker.parse, codes))
    assert [f"a{i}" in str(each) and f"b{i}" in str(each) for i, each in enumerate(parsed)] == [True] * 40
    worker.close()


@pytest.mark.parametrize("told", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_told_to_end_loses_no_chart_to_the_renderers_death(told):
    """The signal reaches every process of a terminal or a cgroup; the parent decides when the renderer ends."""
    worker = MermaidWorker()
    worker.draw("flowchart TD\nA --> B", Look())
    first = worker.pid
    os.kill(first, told)
    assert "<svg" in worker.draw("flowchart TD\nA --> C", Look())
    assert worker.pid == first
    worker.close()
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
