"""The first commands of a newcomer: recipes are written and listed, mistakes are told with what is near."""

from __future__ import annotations

import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from rich.progress import Progress
from typer.testing import CliRunner

from counterfoil.flows.cli import app
from counterfoil.flows.planning.beginning import list_recipes
from counterfoil.flows.planning.recipe import load_recipe
from counterfoil.flows.showing.progress import CountColumn, TerminalObserver
from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, UnknownNameError, list_families, load_domain, load_family
from counterfoil.tasks.engine.shards import ShardResult, StageJob, Totals
from counterfoil.tasks.llm.store.tables import Spending
from tests.flows.terminal import strip_escapes
from tests.patience import PATIENCE_S


def call(*words: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*map(str, words)], prog_name="counterfoil")
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.parametrize("domain", [name for name in DOMAIN_MODULES if "procedural" in load_domain(name).sources])
def test_a_written_recipe_says_every_key_and_changes_none(domain, tmp_path):
    path = tmp_path / "first.toml"
    call("init", path, "--domain", domain, "--source", "procedural:3", "--dataset", "data/first")
    recipe = load_recipe(path)
    assert (list(recipe.domains), recipe.dataset.path) == ([domain], "data/first")
    settings = load_domain(domain).settings_type
    assert recipe.domains[domain] == settings(source="procedural:3")
    said = rf"^(?:#? ?{{key}} = |\[{domain}\.{{key}}\]$)"
    assert [key for key in settings.model_fields if not re.search(said.format(key=key), path.read_text(), re.M)] == []


def test_a_commented_key_can_be_taken_as_it_stands(tmp_path):
    path = tmp_path / "first.toml"
    call("init", path, "--domain", "geometry", "--source", "procedural:3")
    before = load_recipe(path).dump()
    lines = [re.sub(r"^# (\w+ = (?!\.\.\.))", r"\1", line) for line in path.read_text().splitlines()]
    path.write_text("\n".join(lines))
    assert path.read_text().count("\nnegatives = 10") == 1
    assert load_recipe(path).dump() == before


def test_a_recipe_that_is_there_is_not_written_over(tmp_path):
    path = tmp_path / "first.toml"
    path.write_text("mine")
    assert "--force" in call("init", path, "--domain", "geometry", "--source", "procedural:3", code=2)
    assert path.read_text() == "mine"


def test_a_source_that_cannot_be_read_writes_no_recipe(tmp_path):
    path = tmp_path / "first.toml"
    assert "nowhere.jsonl" in call("init", path, "--domain", "geometry", "--source", "problems:nowhere.jsonl", code=2)
    assert not path.exists()


def test_without_a_person_to_ask_init_says_what_to_give(tmp_path):
    assert "--domain" in call("init", tmp_path / "first.toml", code=2)


def test_every_recipe_that_ships_can_be_run_and_says_what_for():
    listed = {each["name"]: each for each in list_recipes()}
    assert {"demo", "mmclip", "saclip"} <= set(listed)
    assert all(each["families"] and len(each["what"]) > 20 for each in listed.values())
    assert json.loads(call("recipes", "--json")) == [*listed.values()]


@pytest.mark.parametrize(
    "words",
    [("explain", "nowhere", "3f9a"), ("verify", "nowhere"), ("report", "nowhere"), ("export", "nowhere", "--to", "x")],
)
def test_a_dataset_that_is_not_there_is_told_with_what_to_do(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "counterfoil run RECIPE" in call(*words, code=2)


@pytest.mark.parametrize(
    ("written", "near"),
    [("geometry.rul", "geometry.rule"), ("flip", "flowchart.flip"), ("geometri.mirror", "geometry.mirror")],
)
def test_a_family_that_is_nearly_right_is_proposed(written, near):
    with pytest.raises(UnknownNameError, match=rf"did you mean .*{re.escape(near)}"):
        load_family(written)


def test_facts_are_printed_for_programs_too(tmp_path):
    recipe = tmp_path / "r.toml"
    recipe.write_text('[dataset]\npath = "data"\n[flowchart]\nsource = "procedural:9"\nfamilies = ["flip"]\n')
    assert [each["family"] for each in json.loads(call("families", "--json"))] == list_families()
    assert json.loads(call("plan", recipe, "--limit", 3, "--json"))["source_rows"]["flowchart"] == 3
    assert all(each["id"] for each in json.loads(call("prompts", "--json")))


def test_the_version_is_told():
    assert re.fullmatch(r"counterfoil \d+\.\d+\.\d+\n", call("--version"))


@pytest.mark.parametrize("width", [60, 80])
def test_progress_fits_the_terminal_and_says_count_rate_time_and_spend(width, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    console = Console(file=io.StringIO(), force_terminal=True, width=width, legacy_windows=False)
    observer = TerminalObserver(console)
    spent = Spending("geometry.image", "geometry.script", "openai", "m", 1, 2, 3, 0, 0, 12.345, 0, 0)
    observer.watch_spending(lambda: [spent])
    with observer.live():
        observer._progress.refresh()
        observer.start("geometry.caption+geometry.image", 1538)
        for _ in range(8):
            observer.advance("geometry.caption+geometry.image", 90)
        observer._progress.refresh()
        stage = "geometry.caption+geometry.image"
        result = ShardResult(stage, 0, "ab", 1538, {"geometry.caption": 1500}, {"geometry.caption": {"duplicate": 38}})
        totals = Totals()
        totals.add(result)
        observer.shard(StageJob("contrasts", "data", "geometry", stage, {}, {}, 7, "ab", 0), result, 0.0)
        observer.finish(stage, "geometry.caption: 1,500 accepted, 38 rejected", "a model looked at 9 rows")
        observer.made("geometry.caption", totals, None, ())
        observer.start("flowchart.anchors", 9)
        observer.through("geometry")
    lines = [line for line in strip_escapes(console.file.getvalue()).replace("\r", "\n").splitlines() if line.strip()]
    assert max(map(len, lines)) <= width, lines
    assert "starting ..." in lines[0]
    bar = next(line for line in lines if "720/1,538" in line)
    assert re.search(r"geometry\.caption.*720/1,538 +[\d.]+/s +(in )?[\d.:]+( s)? +\$12\.35", bar), bar
    assert any(line.strip() == "a model looked at 9 rows" for line in lines)
    assert any(re.fullmatch(r"geometry: 1,500 contrasts; 38 rejected; [\d.]+ s *", line) for line in lines), lines


@pytest.mark.parametrize(("done", "total", "told"), [(0, None, ""), (120, None, "120"), (1200, 3000, "1,200/3,000")])
def test_rows_are_counted_whether_or_not_it_is_known_how_many_there_are(done, total, told):
    progress = Progress(CountColumn())
    task = progress.add_task("stage", total=total)
    progress.advance(task, done)
    assert CountColumn().render(progress.tasks[0]).plain == told


def list_documented() -> list[tuple[str, str]]:
    """Every `counterfoil` command in a shell block of the documents."""
    found = []
    for path in [Path("README.md"), *sorted(Path("docs").glob("*.md"))]:
        for block in re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S):
            joined = re.sub(r"\\\n\s*", " ", block)
            found += [(path.name, line) for line in joined.splitlines() if re.match(r"(\$ )?counterfoil\b", line)]
    return found


@pytest.mark.parametrize(("document", "line"), list_documented())
def test_every_command_in_the_documents_is_one_that_the_command_line_takes(document, line):
    words = shlex.split(line.removeprefix("$ "), comments=True)[1:]
    words = words[: words.index(">")] if ">" in words else words
    group: Any = typer.main.get_command(app)
    context = typer.Context(group, info_name="counterfoil")
    while words and words[0].startswith("--"):
        words = words[2:]  # an option of all commands, and its value
    while hasattr(group, "commands") and words:
        _, command, words = group.resolve_command(context, words)
        assert command is not None, f"{document}: {line}"
        group = command
    group.make_context(group.name, [*words], parent=context)


def follow(document: str, folder: Path, environment: dict[str, str]) -> None:
    """Run every command of a page, in its order."""
    environment = environment | {"PYTHONPATH": str(Path.cwd())}
    for line in [line for page, line in list_documented() if page == document]:
        words = [sys.executable, "-m", "counterfoil", *shlex.split(line)[1:]]
        # One worker: each costs seconds to start, and here there is hardly work for one.
        words += ["--workers", "1"] if words[3] in ("run", "regenerate") else []
        done = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("domain", "family"),
    [
        ("geometry", "geometry.rule"),
        ("charts", "flowchart.image"),
        ("captions", "caption.concrete"),
        ("theorems", "theorem.negative"),
    ],
)
def test_the_rows_that_ship_become_a_dataset_as_their_tutorial_says(domain, family, plain, tmp_path):
    (tmp_path / "examples").symlink_to(Path("examples").absolute())
    follow(f"tutorial-{domain}.md", tmp_path, plain)
    counts = Dataset(str(tmp_path / f"data/own-{domain}")).counts()
    assert sum(counts.anchors.values()) >= 10 and counts.contrasts[family] >= 5
    assert (tmp_path / f"data/own-{domain}/report.html").is_file()


@pytest.mark.slow
def test_the_tutorial_can_be_followed_to_its_end(plain, tmp_path):
    follow("tutorial.md", tmp_path, plain)
    assert (tmp_path / "data/first/report.html").is_file() and (tmp_path / "first-hf/README.md").is_file()
    counts = Dataset(str(tmp_path / "data/first")).counts()
    assert counts.contrasts["geometry.rule"] > counts.contrasts["geometry.image"] > 0
