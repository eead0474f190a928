"""Scripts of our own that share one confined child draw what each draws in a child of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from counterfoil.renderers.results import Outcome, Rendering
from counterfoil.renderers.sandbox import SandboxRenderer, open_renderer
from counterfoil.renderers.sandbox.worker import TOGETHER
from counterfoil.tasks.contract.context import generator
from counterfoil.tasks.geometry.drawing.script import write_script
from counterfoil.tasks.geometry.drawing.style import PLAIN
from counterfoil.tasks.geometry.sources.sampler import sample_scene
from tests.renderers.scripts import ORDINARY_SCRIPTS

HEAD = "import matplotlib.pyplot as plt\nimport random\nimport numpy as np\nfig, ax = plt.subplots(figsize=(2, 2))\n"
DRAW = HEAD + "ax.plot([0, 1, 0.5], [0, random.random(), np.random.rand()])\nplt.savefig('a.png')\n"
UNTIDY = (
    HEAD
    + """
plt.rcParams["lines.linewidth"] = 9
plt.rcParams["mathtext.fontset"] = "cm"
plt.style.use("dark_background")
random.seed(7)
np.random.seed(8)
plt.figure(5)
ax.plot([0, 1], [1, 0])
fig.savefig("a.png")
"""
)

# Asked one by one: at the strongest level there is no /proc to list them.
COUNT = """
import os
def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
print("open:", [number for number in range(256) if is_open(number)])
"""


@pytest.fixture(scope="module")
def renderer() -> Iterator[SandboxRenderer]:
    with open_renderer() as opened:
        yield opened


def tell(rendering: Rendering) -> tuple[object, ...]:
    """All of a rendering but the time that it took."""
    return rendering.outcome, rendering.png, rendering.drawing, rendering.error, rendering.log


@pytest.mark.parametrize("count", [TOGETHER + 1, pytest.param(3 * TOGETHER, marks=pytest.mark.slow)])
@pytest.mark.slow
def test_our_own_figures_in_every_style_are_equal_to_those_of_a_child_of_their_own(renderer, count):
    scripts = []
    for number in range(count):
        scene = sample_scene(generator(5, "together", number))
        scripts.append(write_script(scene, PLAIN.vary(generator(6, "together", number))))
    assert len(set(scripts)) == len(scripts)
    together = renderer.render_together(scripts)
    assert [tell(each) for each in together] == [tell(renderer.render(script)) for script in scripts]
    assert all(each.outcome is Outcome.OK for each in together)


@pytest.mark.parametrize("each", [3, pytest.param(1, marks=pytest.mark.slow)])
def test_ordinary_scripts_are_equal_to_those_of_a_child_of_their_own(renderer, each):
    scripts = list(ORDINARY_SCRIPTS.values())[::each]
    assert [tell(drawn) for drawn in renderer.render_together(scripts)] == [tell(renderer.render(s)) for s in scripts]


def test_what_a_script_changes_in_matplotlib_does_not_reach_the_next(renderer):
    first, _, last = renderer.render_together([DRAW, UNTIDY, DRAW])
    assert first.outcome is Outcome.OK
    assert tell(first) == tell(last) == tell(renderer.render(DRAW))


@pytest.mark.parametrize(
    ("broken", "outcome"),
    [
        ("raise ValueError('no')", Outcome.EXCEPTION),
        ("import os\nos._exit(0)", Outcome.EXIT),
        ("import ctypes\nctypes.string_at(0)", Outcome.KILLED),
        ("pass", Outcome.NO_PICTURE),
    ],
    ids=["exception", "exit", "killed", "nothing"],
)
def test_a_script_that_fails_costs_the_others_nothing(renderer, broken, outcome):
    before, failed, after = renderer.render_together([DRAW, broken, DRAW])
    assert failed.outcome is outcome
    assert tell(before) == tell(after) == tell(renderer.render(DRAW))


def test_the_last_script_has_no_descriptor_of_the_result_memory(renderer):
    alone, together = renderer.render(COUNT + DRAW), renderer.render_together([DRAW, COUNT + DRAW])[1]
    assert re.search(r"^open: \[\d", alone.log, re.M), alone.log
    assert together.log == alone.log


def test_nothing_to_render_is_nothing(renderer):
    assert renderer.render_together([]) == []
