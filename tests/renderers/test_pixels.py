"""A picture out of the sandbox is plain matplotlib's, pixel by pixel."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from counterfoil.renderers.raster import flatten_alpha
from counterfoil.renderers.results import Outcome
from counterfoil.renderers.sandbox import SandboxRenderer, open_renderer
from tests.renderers.scripts import ORDINARY_SCRIPTS

PLAIN = """
import json, os, sys
os.chdir(sys.argv[1])
import matplotlib
matplotlib.use("Agg")
import matplotlib.font_manager as fonts
own = matplotlib.get_data_path()
fonts.fontManager.ttflist = [f for f in fonts.fontManager.ttflist if f.fname.startswith(own)]
matplotlib.use = lambda *a, **k: None
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
save = Figure.savefig
def savefig(self, name, **options):
    save(self, os.path.join(sys.argv[1], target), **options)
Figure.savefig = savefig
plt.show = lambda: plt.savefig("shown.png")
for target, code in json.load(sys.stdin).items():
    target += ".png"
    matplotlib.rcdefaults()
    exec(compile(code.replace('os.makedirs("/mnt/data", exist_ok=True)', ""), target, "exec"), {"__name__": "__main__"})
    plt.close("all")
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pictures that the same scripts make in a process without any of our code."""

    folder = tmp_path_factory.mktemp("plain")
    command = [sys.executable, "-c", PLAIN, str(folder)]
    done = subprocess.run(command, input=json.dumps(ORDINARY_SCRIPTS), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder


@pytest.fixture(scope="module")
def renderer() -> Iterator[SandboxRenderer]:
    with open_renderer("L3") as opened:
        yield opened


def read_pixels(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as picture:
        return flatten_alpha(np.asarray(picture.convert("RGBA")))


@pytest.mark.parametrize("name", ORDINARY_SCRIPTS)
def test_picture_is_plain_matplotlibs(renderer: SandboxRenderer, plain: Path, name: str) -> None:
    rendering = renderer.render(ORDINARY_SCRIPTS[name])
    assert rendering.outcome is Outcome.OK, rendering.log
    assert rendering.png is not None
    expected = read_pixels((plain / f"{name}.png").read_bytes())
    found = read_pixels(rendering.png)
    assert found.shape == expected.shape
    assert np.array_equal(found, expected)


def test_same_script_gives_the_same_bytes_in_every_worker(renderer: SandboxRenderer) -> None:
    script = "import random\nimport matplotlib.pyplot as plt\nplt.plot([random.random() for _ in 'abcd'])\nplt.show()\n"
    first = renderer.render(script)
    with open_renderer("L2") as other:
        second = other.render(script)
    assert first.outcome is second.outcome is Outcome.OK
    assert first.png == second.png
    assert first.drawing == second.drawing
