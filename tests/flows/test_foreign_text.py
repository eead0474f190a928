"""What scripts and rows say neither steers the terminal nor forges the commands' own lines."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, Edit, content_id
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.showing.terminal import EscapingConsole, escape_foreign, join_lines
from tests.flows.terminal import Terminal

HOSTILE = (
    "[bold]x[/] \x1b]0;OWNED\x07\x1b[2J\x9b31m\r\x08\u202egnp\u2028\n0 rendered, 0 failed\n7 rows checked, 0 failed"
)
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]")
STYLES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_left_and_ordinary_text_is_unchanged(text):
    escaped = escape_foreign(text)
    assert not STEERING.search(escaped)
    assert escape_foreign(escaped) == escaped
    assert "\n" not in join_lines(text)
    assert escape_foreign("Dreieck ABC: ∠A = 60°, 三角形, \t x\n") == "Dreieck ABC: ∠A = 60°, 三角形, \t x\n"


def test_a_console_keeps_its_own_styles_and_escapes_what_it_is_given():
    sink = io.StringIO()
    EscapingConsole(file=sink, force_terminal=True, color_system="standard").print(Text("a\x1b[2Jb", style="red"))
    assert sink.getvalue() == "\x1b[31ma\\x1b[2Jb\x1b[0m\n"


@pytest.fixture
def scripts(tmp_path) -> list[Path]:
    sources = {
        "message": f"raise ValueError({HOSTILE!r})",
        "name": f"raise type({HOSTILE!r}, (Exception,), {{}})('x')",
        "syntax": f"x = 1 +  # {HOSTILE.splitlines()[0]!r}",
    }
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source)
    return sorted(tmp_path.glob("*.py"))


def test_a_script_that_fails_cannot_write_a_line_of_ours(counterfoil, scripts, tmp_path):
    done = counterfoil("render", *scripts, "--to", tmp_path / "out", check=False)
    assert done.returncode == 1
    assert not STEERING.search(done.stdout + done.stderr)
    lines = done.stdout.splitlines()
    assert len(lines) == len(scripts) + 1
    assert [line for line in lines if line.startswith(("0 rendered", "7 rows"))] == [lines[-1]]
    assert lines[-1].startswith("0 rendered, 3 failed")


def test_on_a_terminal_the_only_escapes_are_our_own(scripts, tmp_path):
    terminal = Terminal("render", *scripts, "--to", tmp_path / "out", environment=dict(os.environ), columns=120)
    terminal.wait()
    assert "3 failed" in terminal.shown
    assert not re.search("[\x00-\x07\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202a-\u202e]", STYLES.sub("", terminal.shown))
    assert "OWNED" in terminal.shown and "\x1b]" not in terminal.shown and "\x1b[2J" not in terminal.shown


@pytest.fixture
def hostile_dataset(tmp_path) -> str:
    """A dataset whose every text is hostile."""
    url, key = str(tmp_path / "night"), "ab" * 32
    anchor = Anchor(content_id("hostile"), "geometry", HOSTILE, HOSTILE, "train", caption=HOSTILE, code=HOSTILE)
    row = Contrast(
        anchor.anchor_id, "geometry.rule", "negative", "text", text=HOSTILE, edits=(Edit("x", HOSTILE, "y"),)
    )
    tables = {
        "anchors/domain=geometry": to_table([anchor], "anchors"),
        "contrasts/family=geometry.rule": to_table([row.accept(0, (HOSTILE,))], "contrasts"),
    }
    StagedShards(url).write(key, tables)
    recipe = {"dataset": {"path": url}, "author": {"kind": "procedural"}, "geometry": {"source": "procedural:1"}}
    metadata = {"recipe": {**recipe, "audit": {}}, "sandbox_level": HOSTILE, "code_version": HOSTILE}
    Dataset(url).publish({name: [key] for name in tables}, metadata=metadata)
    return url


@pytest.mark.parametrize("command", ["verify", "explain"])
def test_rows_of_a_dataset_cannot_steer_the_terminal(counterfoil, hostile_dataset, command):
    row = [content_id("hostile")] if command == "explain" else []
    done = counterfoil(command, hostile_dataset, *row, check=False)
    assert not STEERING.search(done.stdout + done.stderr)
    assert "OWNED" in done.stdout or command == "verify"
    assert [line for line in done.stdout.splitlines() if line.startswith("7 rows checked")] == []
    assert done.returncode == (1 if command == "verify" else 0)
