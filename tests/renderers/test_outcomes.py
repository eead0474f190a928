"""Every way in which a script can end has a typed outcome, and the worker goes on."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.sandbox import count_descriptors, find_tree, make_scripts, read_memory
from counterfoil.renderers.render_files import render_files
from counterfoil.renderers.results import Outcome
from counterfoil.renderers.sandbox import (
    Limits,
    SandboxError,
    SandboxRenderer,
    levels,
    open_renderer,
    probe_levels,
    worker,
)
from counterfoil.renderers.sandbox import command as commands
from tests.renderers.containment import ORDINARY

DRAW = "import matplotlib.pyplot as plt\nplt.plot([0, 1], [0, 1])\n"
ENDINGS = {
    "nothing drawn": ("x = 1", Outcome.NO_PICTURE),
    "empty script": ("", Outcome.NO_PICTURE),
    "blank figure": ("import matplotlib.pyplot as plt\nplt.axis('off')\nplt.savefig('a.png')", Outcome.BLANK),
    "text far off": (DRAW + "plt.text(50, 0, 'far')\nplt.savefig('a.png')", Outcome.OFF_PAGE),
    "lines outside the limits": (DRAW + "plt.xlim(5, 6)\nplt.savefig('a.png')", Outcome.OFF_PAGE),
    "all outside and no axes": (DRAW + "plt.xlim(5, 6)\nplt.axis('off')\nplt.show()", Outcome.OFF_PAGE),
    "huge figure": ("import matplotlib.pyplot as plt\nplt.figure(figsize=(900, 900))\nplt.show()", Outcome.TOO_LARGE),
    "over the side limit": (DRAW + "plt.savefig('a.png', dpi=700)", Outcome.TOO_LARGE),
    "never ends": ("while True: pass", Outcome.TIMEOUT),
    "prints without end": ("while True: print('x' * 100000)", Outcome.OUTPUT_LIMIT),
    "crashes": ("import ctypes; ctypes.string_at(0)", Outcome.KILLED),
    "aborts": ("import os; os.abort()", Outcome.KILLED),
    "out of memory": ("x = [bytes(1 << 28) for _ in range(40)]", Outcome.MEMORY),
    "exits with a code": ("import sys; sys.exit(3)", Outcome.EXIT),
    "leaves at once": (DRAW + "plt.savefig('a.png')\nimport os; os._exit(0)", Outcome.EXIT),
    "exits well after saving": (DRAW + "plt.savefig('a.png')\nraise SystemExit", Outcome.OK),
    "exits well with an open figure": (DRAW + "exit_code = 0\nraise SystemExit(exit_code)", Outcome.OK),
    "raises": ("1 / 0", Outcome.EXCEPTION),
    "null byte": ("x = 1\0", Outcome.EXCEPTION),
    "reads input": ("input()", Outcome.EXCEPTION),
    "bad format": (DRAW + "plt.savefig('a.xyz')", Outcome.EXCEPTION),
}


@pytest.fixture(scope="module")
def renderer() -> Iterator[SandboxRenderer]:
    with open_renderer("L3", limits=Limits(wall_s=20.0, cpu_s=2)) as opened:
        yield opened


@pytest.mark.parametrize("name", ENDINGS)
def test_ending_has_its_outcome(renderer: SandboxRenderer, name: str) -> None:
    script, expected = ENDINGS[name]
    rendering = renderer.render(script)
    assert rendering.outcome is expected, rendering.log[-500:]
    assert (rendering.png is not None) == (expected is Outcome.OK)
    assert (rendering.drawing is not None) == (expected is Outcome.OK)
    assert renderer.render(ORDINARY).outcome is Outcome.OK


def test_exception_is_fit_for_a_repair_prompt(renderer: SandboxRenderer) -> None:
    script = "import math\n\ndef halve(x):\n    return x / None\n\nprint('before')\nhalve(4)\n"
    rendering = renderer.render(script)
    error = rendering.error
    assert error is not None
    assert (error.file, error.line, error.type) == ("script.py", 4, "TypeError")
    assert error.source_line == "return x / None"
    assert "unsupported operand" in error.message
    assert rendering.log.startswith("before\nTraceback")
    assert "zygote" not in rendering.log


def test_syntax_error_has_its_line(renderer: SandboxRenderer) -> None:
    error = renderer.render("x = 1\nif x\n    y = 2\n").error
    assert error is not None
    assert (error.line, error.type, error.source_line) == (2, "SyntaxError", "if x")


def test_exception_inside_a_library_points_at_the_script(renderer: SandboxRenderer) -> None:
    error = renderer.render(DRAW + "plt.plot([1, 2], [1, 2, 3])\n").error
    assert error is not None
    assert (error.line, error.type) == (3, "ValueError")


def test_log_keeps_the_tail(renderer: SandboxRenderer) -> None:
    script = DRAW + "for i in range(30000): print('line', i)\nplt.savefig('a.png')"
    rendering = renderer.render(script)
    assert rendering.outcome is Outcome.OK
    assert rendering.log.endswith("line 29998\nline 29999\n")
    assert len(rendering.log) == renderer.limits.log


def test_too_long_script_is_refused(renderer: SandboxRenderer) -> None:
    rendering = renderer.render("#" * (renderer.limits.script + 1))
    assert rendering.outcome is Outcome.EXCEPTION
    assert rendering.error is not None and rendering.error.type == "ScriptTooLong"


@pytest.mark.parametrize(
    "saving",
    [
        "plt.savefig('out.svg')",
        "plt.savefig('out.pdf', bbox_inches='tight')",
        "plt.savefig('/no/such/folder/out.png')",
        "plt.savefig('out.jpg')",
        "plt.savefig('out', format='eps')",
        "import io; b = io.BytesIO(); plt.savefig(b); assert b.getvalue()[1:4] == b'PNG'",
        "import io; b = io.StringIO(); plt.savefig(b, format='svg'); assert '<svg' in b.getvalue()",
        "import pathlib; plt.gcf().savefig(pathlib.Path('a') / 'b.png', transparent=True)",
        "plt.show()",
        "plt.savefig('a.png'); plt.close('all'); plt.figure(); plt.show()",
    ],
)
def test_picture_is_caught_however_it_is_saved(renderer: SandboxRenderer, saving: str) -> None:
    rendering = renderer.render(DRAW + saving)
    assert rendering.outcome is Outcome.OK, rendering.log
    assert rendering.drawing is not None
    assert [line.points for line in rendering.drawing.panels[0].polylines] == [((0.0, 0.0), (1.0, 1.0))]


def test_scratch_files_work_and_vanish(renderer: SandboxRenderer) -> None:
    script = (
        "import os\nos.makedirs('a/b')\nopen('a/b/c.txt', 'w').write('x')\nassert open('a/b/c.txt').read() == 'x'\n"
    )
    assert renderer.render(script + DRAW).outcome is Outcome.OK
    left = renderer.render("import os\nprint(os.listdir('.'), os.listdir('/mnt/data'))")
    assert left.log.startswith("[] []")


@pytest.mark.parametrize("level", ["L3", "L2"])
def test_worker_that_dies_is_replaced(level: str) -> None:
    with open_renderer(level) as renderer:
        before = renderer.render(ORDINARY)
        for pid in reversed(find_tree(renderer.worker_pid)):
            os.kill(pid, signal.SIGKILL)
        after = renderer.render(ORDINARY)
        assert (after.outcome, after.png) == (Outcome.OK, before.png)
        assert renderer.replaced == 1


def test_worker_stays_the_same_size() -> None:
    with open_renderer("L3") as renderer:
        scripts = make_scripts("mixed", 150)
        for script in scripts[:30]:
            renderer.render(script)
        tree = find_tree(renderer.worker_pid)
        before = [(read_memory(pid), count_descriptors(pid)) for pid in tree[:2]]
        own = count_descriptors(os.getpid())
        for script in scripts[30:]:
            assert renderer.render(script).outcome is Outcome.OK
        after = [(read_memory(pid), count_descriptors(pid)) for pid in tree[:2]]
        assert count_descriptors(os.getpid()) == own
        # The next child's two descriptors may be open at the moment of counting; a leak would show 120 times.
        assert all(fds <= first + 2 for (_, fds), (_, first) in zip(after, before, strict=True))
        for (was, _), (size, _) in zip(before, after, strict=True):
            assert size - was < 1024
        assert renderer.replaced == 0


def test_unsafe_levels_are_not_given_by_accident() -> None:
    with pytest.raises(SandboxError, match="isolates nothing"):
        open_renderer("L0")
    with pytest.raises(SandboxError, match="unknown sandbox level"):
        open_renderer("L9")


def test_missing_bubblewrap_says_how_to_get_it_and_falls_back(monkeypatch: pytest.MonkeyPatch) -> None:
    commands.find_bwrap.cache_clear()
    monkeypatch.setattr("shutil.which", lambda *_: None)
    try:
        with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
            open_renderer("L3")
        with pytest.warns(UserWarning, match="L2 instead of L3.*install bubblewrap"), open_renderer() as renderer:
            assert renderer.level == "L2"
            assert renderer.render(ORDINARY).outcome is Outcome.OK
    finally:
        commands.find_bwrap.cache_clear()


def test_failed_self_test_refuses_the_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the filter's and Landlock's layers taken away, the self-test itself finds out what the script could do."""

    monkeypatch.setitem(worker.LEVELS, "L2", worker.Level("L2", ("rlimits",)))
    monkeypatch.setattr(levels, "_passed", set())
    with pytest.raises(SandboxError, match=r"L2 failed its self-test.*BREACH"):
        open_renderer("L2")


def test_layers_are_reported() -> None:
    found = {status.name: status for status in probe_levels()}
    assert set(found) == {"user namespaces", "bubblewrap", "Landlock", "seccomp", "rlimits"}
    assert all(status.works or status.advice for status in found.values())


def test_renderer_belongs_to_its_process(renderer: SandboxRenderer) -> None:
    pid = os.fork()
    if pid == 0:
        try:
            renderer.render(ORDINARY)
        except SandboxError:
            os._exit(0)
        os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0
    assert renderer.render(ORDINARY).outcome is Outcome.OK


SPY = """
import sys
memory = sys.modules["counterfoil.renderers.sandbox.zygote"].RESULT.memory
print(len(bytes(memory[4096:]).replace(bytes(1), b"")), "bytes left by others")
"""


def test_script_finds_nothing_of_the_last_one(renderer: SandboxRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The memory that results come back in is used again; nothing of what an earlier script wrote may be left in it."""

    assert renderer.render(f"print('a secret')\n{ORDINARY}").outcome is Outcome.OK
    assert renderer.render(SPY).log.startswith("0 bytes left by others")
    monkeypatch.setattr(worker, "_wipe_memory", lambda _: True)
    renderer.render(f"print('a secret')\n{ORDINARY}")
    assert int(renderer.render(SPY).log.split()[0]) > 10_000, "the script cannot see the memory at all"
    renderer._worker.restart()


def test_worker_outlives_the_thread_that_started_it() -> None:
    """A language model's rows are worked on in threads that end with their shard; the worker must not end with them."""
    with ThreadPoolExecutor(1) as pool:
        renderer = pool.submit(open_renderer).result()
    with renderer:
        assert renderer.render(ORDINARY).outcome is Outcome.OK
        assert renderer.replaced == 0


def test_files_become_pictures_and_reports(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text(ORDINARY)
    (tmp_path / "bad.py").write_text("print('hm')\n1 / 0\n")
    done = list(render_files([tmp_path / "good.py", tmp_path / "bad.py"], tmp_path / "out"))
    assert [(path.name, rendering.outcome) for path, rendering in done] == [
        ("good.py", Outcome.OK),
        ("bad.py", Outcome.EXCEPTION),
    ]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["bad.json", "good.json", "good.png"]
    good = json.loads((tmp_path / "out" / "good.json").read_text())
    bad = json.loads((tmp_path / "out" / "bad.json").read_text())
    assert good["level"] == "L3" and good["drawing"]["panels"][0]["labels"][0]["text"] == "$A$"
    assert bad["error"]["line"] == 2 and bad["log"].startswith("hm\n")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "good.py").write_text(ORDINARY)
    with pytest.raises(SandboxError, match="would both become"):
        list(render_files([tmp_path / "good.py", tmp_path / "other" / "good.py"], tmp_path / "out"))
