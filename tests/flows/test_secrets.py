"""Canaries: secrets of recipe and environment are looked for in all that a run, a report and an export leave behind."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator

import pytest

from counterfoil.flows.planning.hiding import hide_overrides, reveal_override
from counterfoil.flows.planning.recipe import RecipeError, check_recipe, load_recipe
from counterfoil.tasks.showing.secrets import hide_in_text, without_secrets
from tests.tasks.llm import draughtsman
from tests.tasks.llm.server import Server

KEY, STORE, CLOUD = "sk-CANARY-key-0451", "CANARY-store-0452", "CANARY-cloud-0453"
CANARY = b"CANARY"
RECIPE = """
[dataset]
path = "{folder}/data"
shard_size = 2
workers = 1
[author]
kind = "openai"
model = "gpt-4o"
base_url = "{url}"
store = "sqlite:///{folder}/answers.sqlite?password=first-{store}"
[geometry]
source = "problems:{problems}"
families = ["caption", "rule"]
negatives = 1
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(draughtsman.answer) as running:
        yield running


@pytest.mark.slow
def test_no_secret_is_left_in_anything_that_a_run_leaves(server, counterfoil, prefect_server, tmp_path):
    problems = draughtsman.write_problems(tmp_path / "problems.jsonl")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE.format(folder=tmp_path, url=server.openai_url, store=STORE, problems=problems))
    override = f"author.store=sqlite:///{tmp_path}/answers.sqlite?timeout=9&password={STORE}"
    environment = prefect_server | {"OPENAI_API_KEY": KEY, "AWS_SECRET_ACCESS_KEY": CLOUD, "POSTGRES_PASSWORD": CLOUD}
    said = ""
    for arguments in (
        ("run", recipe),
        ("run", recipe, "--set", override, "--set", "geometry.negatives=2", "--replace"),
        ("regenerate", "geometry.rule", "--dataset", tmp_path / "data"),
        ("report", tmp_path / "data"),
        ("export", tmp_path / "data", "--to", tmp_path / "hf"),
        ("plan", recipe, "--set", override),
        ("doctor",),
    ):
        done = counterfoil(*arguments, **environment)
        said += done.stdout + done.stderr
    for mistake in ("author.kind=nobody", "author.store=3", 'author.model=""', "geometry.negatives=0"):
        done = counterfoil("run", recipe, "--set", override, "--set", mistake, check=False, **environment)
        assert done.returncode == 2
        said += done.stdout + done.stderr
    assert server.log, "the model was asked"
    assert (tmp_path / "answers.sqlite").is_file(), "the store of the recipe was used"
    assert CANARY.decode() not in said
    recipe.unlink()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 30
    assert [path for path in files if CANARY in path.read_bytes()] == []
    for what in ("flow_runs", "task_runs", "artifacts", "logs", "flows"):
        assert CANARY not in ask(prefect_server, what), what


def test_an_error_over_a_whole_section_shows_none_of_its_secrets():
    section = {"kind": "procedural", "model": "m", "store": f"postgresql://me:{STORE}@host/db"}
    with pytest.raises(RecipeError) as caught:
        check_recipe({"dataset": {"path": "x"}, "author": section, "geometry": {"source": "procedural:1"}}, "here")
    assert "takes no model" in str(caught.value)
    assert STORE not in str(caught.value)


def test_a_dumped_recipe_keeps_all_but_the_secrets(tmp_path):
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        '[dataset]\npath = "x"\n[author]\nkind = "vllm"\nmodel = "m"\nmax_tokens = 9\n'
        f'store = "postgresql+psycopg://me:{STORE}@host:5432/db?sslpassword={STORE}&connect_timeout=3"\n'
        f'engine = {{ hf_token = "{KEY}", dtype = "half" }}\n[geometry]\nsource = "procedural:1"\n'
    )
    author = load_recipe(recipe).dump()["author"]
    assert author["store"] == "postgresql+psycopg://me@host:5432/db?sslpassword=***&connect_timeout=3"
    assert author["engine"] == {"hf_token": "***", "dtype": "half"}
    assert author["max_tokens"] == 9
    assert without_secrets({"a": ["s3://key:pw@bucket/x", 1, None]}) == {"a": ["s3://key@bucket/x", 1, None]}
    assert hide_in_text("no address: a@b, 3:4, C://x") == "no address: a@b, 3:4, C://x"


def test_an_override_is_shown_without_its_secret_and_used_with_it():
    real = [f"author.store=postgresql://me:{STORE}@host/db", f"author.engine.hf_token={KEY}", "geometry.negatives=3"]
    shown = hide_overrides(real)
    assert STORE not in str(shown) and KEY not in str(shown)
    assert [reveal_override(each) for each in shown] == real


def ask(environment: dict[str, str], what: str) -> bytes:
    request = urllib.request.Request(
        f"{environment['PREFECT_API_URL']}/{what}/filter",
        data=json.dumps({"limit": 200}).encode(),
        headers={"content-type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read()
