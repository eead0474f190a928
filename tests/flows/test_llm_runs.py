"""Whole runs with a language-model author, through the command line, the real SDKs and a loopback server."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.storage.dataset import Dataset
from tests.flows.warm import WarmCommand
from tests.patience import PATIENCE_S
from tests.tasks.llm import draughtsman
from tests.tasks.llm.conftest import KEYS
from tests.tasks.llm.server import Fault, Refused, Server, last_text

RECIPE = """
[dataset]
path = "{path}"
shard_size = 2
workers = 2
[author]
kind = "{kind}"
model = "{model}"
base_url = "{url}"
batch_poll_s = 0.05
batch_quiet_s = 0.2
[geometry]
source = "problems:{problems}"
families = ["caption", "image", "rule"]
negatives = 2
"""
CHARTS = """
[flowchart]
source = "descriptions:{charts}"
families = ["flip", "code"]
"""
LOOK = """
[author.look]
kind = "anthropic"
model = "claude-opus-5"
base_url = "{url}"
rows = 3
"""
PLAINLY = [sys.executable, "-m", "benchmarks.plain_run"]
"""The same stages without Prefect: what is killed and continued here is the same, and starts sooner."""
MODELS = {"openai": "gpt-4o", "anthropic": "claude-opus-5"}

Write = Callable[..., Path]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with Server(draughtsman.answer) as running:
        yield running


@pytest.fixture(autouse=True)
def calm(server: Server) -> Iterator[None]:
    """Each test's server answers at once and right, and logs that test's requests."""
    server.log.clear()
    yield
    server.delay_s, server.chance = 0.0, []
    server.script.clear()


@pytest.fixture(scope="module")
def write(server: Server) -> Write:
    """Write a recipe for the scripted model: a function of its folder, with sections added."""

    def write_one(folder: Path, name: str = "data", kind: str = "openai", more: str = "") -> Path:
        folder.mkdir(exist_ok=True)
        charts = folder / "charts.jsonl"
        charts.write_text(json.dumps({"id": "c1", "description": draughtsman.DESCRIPTION}) + "\n")
        url = server.anthropic_url if kind == "anthropic" else server.openai_url
        text = (RECIPE + more).format(
            path=folder / name,
            kind=kind,
            model=MODELS[kind],
            url=url,
            problems=draughtsman.write_problems(folder / "problems.jsonl"),
            charts=charts,
        )
        path = folder / f"{name}.toml"
        path.write_text(text)
        return path

    return write_one


@pytest.fixture(scope="module")
def run_environment(plain: dict[str, str]) -> dict[str, str]:
    return plain | KEYS


@pytest.fixture
def call(warm: WarmCommand, run_environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line with keys in its environment; an empty value takes a variable away."""

    def call_one(*arguments: object, expect: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
        variables = {name: value for name, value in (run_environment | environment).items() if value}
        done = warm.run(*map(str, arguments), environment=variables)
        assert done.returncode == expect, done.stdout + done.stderr
        assert "Traceback" not in done.stdout + done.stderr
        for key in KEYS.values():
            assert key not in done.stdout + done.stderr
        return done

    return call_one


def finish_plainly(recipe: Path, environment: dict[str, str]) -> None:
    """In one process, without workers: no row depends on them."""
    command = [*PLAINLY, str(recipe), "--here"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stdout + done.stderr


def read_rows(path: Path) -> tuple[list[object], ...]:
    dataset = Dataset(str(path))
    return list(dataset.anchors()), list(dataset.contrasts()), list(dataset.rejects())


def read_codes(rejects: list[Any]) -> Counter[tuple[str, str]]:
    return Counter((each.family, reason.partition(":")[0]) for each in rejects for reason in each.reasons)


@pytest.fixture(scope="module")
def made(tmp_path_factory, write: Write, counterfoil, server: Server) -> tuple[Path, list[Any], str]:
    """An undisturbed run with a chart in words beside the problems: its folder, the requests, and its output."""
    folder = tmp_path_factory.mktemp("llm")
    recipe = write(folder, more=CHARTS)
    server.log.clear()
    done = counterfoil("run", recipe, **KEYS)
    return folder, list(server.log), done.stdout + done.stderr


def test_problems_become_verified_rows_and_rejects_with_reasons(made, call):
    folder, log, _ = made
    anchors, contrasts, rejects = read_rows(folder / "data")
    assert {each.source_id for each in anchors if each.domain == "geometry"} == {"right", "rectangle", "midpoint"}
    counts = Counter(each.family for each in contrasts)
    assert counts["geometry.caption"] == counts["geometry.image"] == counts["geometry.rule"] == 6
    assert counts["flowchart.flip"] and counts["flowchart.code"]
    assert read_codes(rejects) == {
        ("geometry.anchor", "script_exception"): 3,
        ("geometry.caption", "no_renaming"): 1,
        ("geometry.rule", "no_renaming"): 1,
    }
    assert all(each.checks for each in contrasts)
    assert ", 0 failed" in call("verify", folder / "data").stdout
    assert sum(each.answered for each in log) == len({each.digest for each in log})


def test_mistakes_are_sent_back_and_their_cost_is_the_rows(made):
    anchors, contrasts, rejects = read_rows(made[0] / "data")
    attempts = {each.source_id: each.provenance.attempts for each in anchors}
    assert attempts["right"] == 2
    assert attempts["rectangle"] == attempts["midpoint"] == 3
    assert next(each for each in anchors if each.domain == "flowchart").provenance.attempts == 2
    drawn = [each.provenance.attempts for each in contrasts if each.family == "geometry.image"]
    assert sorted(drawn) == [2, 2, 2, 2, 3, 3]
    stubborn = next(each for each in rejects if each.family == "geometry.anchor")
    assert stubborn.source_id == "stubborn" and "set_aspects" in stubborn.raw and "AB = 7" in stubborn.source_row
    assert stubborn.provenance.attempts == 3 and stubborn.provenance.cost_usd > 0
    renamed = next(each for each in rejects if each.reasons[0].startswith("no_renaming"))
    assert "QP = 6" in renamed.raw and renamed.provenance.request_sha256


def test_every_row_says_who_made_it(made):
    anchors, contrasts, _ = read_rows(made[0] / "data")
    written = [each for each in (*anchors, *contrasts) if "geometry" in (getattr(each, "family", "") or each.domain)]
    assert len(written) == 21
    for each in written:
        provenance = each.provenance
        assert (provenance.author, provenance.model) == ("openai", "gpt-4o")
        assert provenance.prompt_id and provenance.prompt_sha256 and provenance.request_sha256
        assert provenance.input_tokens and provenance.output_tokens and provenance.cost_usd


def test_no_key_is_in_any_file_of_the_dataset(made):
    folder, _, output = made
    for file in filter(Path.is_file, folder.rglob("*")):
        for key in KEYS.values():
            assert key.encode() not in file.read_bytes(), file
            assert key not in output


def test_json_lines_and_metrics_tell_the_counts_of_a_run_and_no_key_and_no_text(write, call, tmp_path, server):
    recipe, metrics = write(tmp_path / "run", more=CHARTS), tmp_path / "metrics"
    metrics.mkdir()
    store = {"COUNTERFOIL_STORE_PASSWORD": "pw-SECRET-4713"}
    fewer = ("--limit", 1, "--workers", 1)
    done = call("--log-format", "json", "--metrics", metrics, "run", recipe, *fewer, **store)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert {"run begins", "stage begins", "shard made", "run ends"} <= {line["message"] for line in lines}
    shards = [line for line in lines if line["message"] == "shard made"]
    assert len({line["run"] for line in shards}) == 1
    dataset = Dataset(str(tmp_path / "run" / "data-limit-1"))
    accepted: Counter[str] = Counter()
    for line in shards:
        accepted.update(line["accepted"])
    assert accepted == Counter(dataset.counts().anchors) + Counter(dataset.counts().contrasts)
    (file,) = metrics.iterdir()
    text = file.read_text()
    assert f'counterfoil_rows_accepted_total{{dataset="{dataset.store.url}",family="geometry.rule"}}' in text
    samples = [line.rpartition(" ") for line in text.splitlines() if line.startswith("counterfoil_requests_total")]
    assert sum(float(value) for _, _, value in samples) == len({json.dumps(each.body) for each in server.log})
    for part in ("cost_usd_total", "tokens_total", "pictures_total", "sandbox_kills_total", "shard_queue_seconds_sum"):
        assert f"counterfoil_{part}" in text
    assert "counterfoil_last_success_timestamp_seconds" in text
    secrets = [*KEYS.values(), *store.values(), draughtsman.DESCRIPTION]
    secrets += [row.caption for row in dataset.anchors()]
    for secret in secrets:
        assert secret not in done.stderr + text


def test_the_commit_and_the_report_account_for_every_request(made, call):
    folder, log, _ = made
    metadata = Dataset(str(folder / "data")).history()[0].metadata
    spent = {(each["family"], each["prompt_id"]): each for each in metadata["spending"]}
    assert sum(each["requests"] for each in spent.values()) == len(log)
    assert spent["geometry.anchor", "geometry.repair"]["requests"] == 3
    assert spent["geometry.image", "geometry.repair"]["requests"] == 2
    assert spent["flowchart.anchor", "flowchart.repair"]["requests"] == 1
    tokens = sum(len(json.dumps(["", each.body["messages"]])) // 4 for each in log)
    assert sum(each["input_tokens"] for each in spent.values()) == tokens
    call("report", folder / "data")
    page = (folder / "data" / "report.html").read_text()
    usd = sum(each["cost_usd"] for each in spent.values())
    assert f"{len(log)} requests, {usd:,.4f} USD. By the providers" in page
    yields = {each["family"]: each for each in metadata["yields"]}
    assert {name: (each["accepted"], each["rejected"]) for name, each in yields.items()} == {
        "geometry.anchor": (3, 1),
        "geometry.caption": (6, 1),
        "geometry.image": (6, 0),
        "geometry.rule": (6, 1),
        "flowchart.anchor": (2, 0),
    }
    assert sum(each["requests"] for each in yields.values()) == len(log)
    assert f"{yields['geometry.rule']['cost_usd'] / 6:,.5f}" in page
    planned = call("plan", folder / "data.toml").stdout
    assert "an accepted row of geometry.rule: " in planned and "(6 of 7 accepted; geometry.rule 3; gpt-4o)" in planned
    assert "answered already: " in planned and f"{len(log):,} of these" in planned


def test_answers_of_which_every_row_was_accepted_are_kept_as_examples(made, call, tmp_path):
    folder, log, _ = made
    told = call("prompts", "keep", folder / "data.toml", "--to", tmp_path / "kept.jsonl").stdout
    kept = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert f"geometry.rule: {sum(each['prompt_id'] == 'geometry.rule' for each in kept)} examples" in told
    sources = {each["source"] for each in kept if each["prompt_id"] == "geometry.rule"}
    # Of the rectangle's first answer one row was refused; what was asked again with that fault is an answer too.
    assert (
        {"problems/right", "problems/midpoint"}
        <= sources
        <= {f"problems/{n}" for n in ("right", "midpoint", "rectangle")}
    )
    asked = {last_text(each.body) for each in log}
    assert kept and all(each["asked"] in asked for each in kept)


@pytest.mark.slow
def test_anthropic_makes_the_same_rows_in_batches(made, write, call, tmp_path, server):
    recipe = write(tmp_path, kind="anthropic", more="")
    call("run", recipe, "--set", "author.batch=true", "--workers", 1)
    assert server.log and all(each.via_batch and each.api == "anthropic" for each in server.log)
    assert max(server.count_answered().values()) == 1
    assert len(server.batches) < len(server.log)
    assert all(batch.results is not None for batch in server.batches.values())
    rows = read_rows(tmp_path / "data")[1]
    same = [row for row in read_rows(made[0] / "data")[1] if row.family.startswith("geometry")]
    assert Counter((row.family, row.text, row.code) for row in rows) == Counter(
        (row.family, row.text, row.code) for row in same
    )
    assert {row.provenance.author for row in rows} == {"anthropic"}


@pytest.mark.slow
def test_killed_runs_repeat_no_answered_request_and_change_no_row(made, write, run_environment, server, tmp_path):
    recipe = write(tmp_path, more=CHARTS)
    calm_requests = Counter(each.digest for each in made[1])
    server.delay_s = 0.1
    rng, kills = random.Random(3), 2
    for _ in range(kills):
        before = sum(each.answered for each in server.log)
        run = subprocess.Popen([*PLAINLY, str(recipe)], env=run_environment, stdout=subprocess.DEVNULL)
        more = rng.randrange(4, 9)
        while run.poll() is None and sum(each.answered for each in server.log) < before + more:
            time.sleep(0.01)
        assert run.poll() is None, "the run ended before it could be killed"
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
        await_quiet(server)
    server.delay_s = 0.0
    finish_plainly(recipe, run_environment)
    answered = server.count_answered()
    assert answered.keys() == calm_requests.keys()
    # What was on the wire when a process died was answered to nobody: at most that much is asked again.
    assert sum(answered.values()) - len(answered) <= kills * 4
    assert read_rows(tmp_path / "data") == read_rows(made[0] / "data")


def await_quiet(server: Server) -> None:
    """Wait until what the killed process had sent is answered, or known to have gone nowhere."""
    asked, since = -1, time.monotonic()
    while time.monotonic() < since + 0.3:
        if len(server.log) != asked:
            asked, since = len(server.log), time.monotonic()
        time.sleep(0.02)


@pytest.mark.slow
def test_a_spent_budget_stops_in_one_message_and_a_higher_one_goes_on(
    made, write, call, run_environment, server, tmp_path
):
    recipe = write(tmp_path, more=CHARTS)
    stopped = call("run", recipe, "--set", "author.budget_requests=14", expect=2)
    assert stopped.stderr.count("the next request could exceed budget_requests = 14") == 1
    assert "raise the budget and run again to go on" in stopped.stderr
    assert sum(each.answered for each in server.log) == 14
    assert not Dataset(str(tmp_path / "data")).exists()
    recipe.write_text(recipe.read_text().replace("[author]", "[author]\nbudget_requests = 1000"))
    finish_plainly(recipe, run_environment)
    assert max(server.count_answered().values()) == 1
    assert read_rows(tmp_path / "data") == read_rows(made[0] / "data")


@pytest.mark.slow
def test_rows_whose_requests_were_refused_are_asked_again_by_the_next_run(
    made, write, call, run_environment, server, tmp_path
):
    """With the same request refused again nothing changes; with it answered the rows are those of a calm run."""
    recipe = write(tmp_path, more=CHARTS)
    poisoned = draughtsman.RECTANGLE.describe(draughtsman.RECTANGLE.others[0])

    def refuse(body: dict[str, Any]) -> str:
        text = last_text(body)
        if ("Change this script" in text and poisoned in text) or ("Describe" in text and "figure: midpoint" in text):
            raise Refused("the content filter was triggered")
        return draughtsman.answer(body)

    server.reply = refuse
    try:
        done = call("run", recipe, "--workers", 1)
        assert "2 rows wait for answers that the author's provider refused: run again" in done.stdout + done.stderr
        first = read_rows(tmp_path / "data")
        codes = read_codes(first[2])
        assert codes["geometry.anchor", "llm_request"] == 1 and codes["geometry.image", "llm_request"] == 1
        asked = len(server.log)
        finish_plainly(recipe, run_environment)
        assert read_rows(tmp_path / "data") == first
        assert len(server.log) == asked + 2
    finally:
        server.reply = draughtsman.answer
    finish_plainly(recipe, run_environment)
    assert read_rows(tmp_path / "data") == read_rows(made[0] / "data")
    assert max(server.count_answered().values()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=400, text="Your credit balance is too low to access the API", code="invalid_request_error"),
        Fault(status=401, text="invalid x-api-key", code="authentication_error"),
    ],
    ids=["credit", "key"],
)
def test_no_credit_and_a_bad_key_stop_the_run_and_nothing_is_published(
    write, call, run_environment, server, tmp_path, fault
):
    recipe = write(tmp_path, kind="anthropic")

    def run_dry(body: dict[str, Any]) -> str:
        if sum(each.answered for each in server.log) >= 5:
            raise Refused("", fault)
        return draughtsman.answer(body)

    server.reply = run_dry
    try:
        stopped = call("run", recipe, expect=2)
    finally:
        server.reply = draughtsman.answer
    assert fault.text in stopped.stderr and "nothing was published" in stopped.stderr
    assert not Dataset(str(tmp_path / "data")).exists()
    finish_plainly(recipe, run_environment)
    assert max(server.count_answered().values()) == 1
    anchors, _, rejects = read_rows(tmp_path / "data")
    assert len(anchors) == 3 and not any(code == "llm_request" for _, code in read_codes(rejects))


@pytest.mark.slow
def test_looking_is_staged_by_itself_and_summed_up(made, write, call, run_environment, server):
    """Added to a finished dataset: no row is made again, and how the model agrees is in commit and report."""
    folder, log, _ = made
    before = read_rows(folder / "data")
    recipe = write(folder, more=CHARTS + LOOK.replace("{url}", server.anthropic_url))
    call("run", recipe, "--workers", 1)
    asked = [each.body for each in server.log]
    assert asked and all("Look at the picture" in str(body) for body in asked)
    assert not any(word in str(body) for body in asked for word in ("geometry.", "negative", "anchor_id"))
    assert read_rows(folder / "data") == before
    metadata = Dataset(str(folder / "data")).history()[0].metadata
    looks = metadata["looks"]
    assert set(looks) == {"geometry.caption", "geometry.image", "geometry.rule"}
    # This eye goes by the words alone, so it is right about texts and wrong about every picture.
    assert all(looks[name]["agreed"] == looks[name]["pairs"] == 5 for name in ("geometry.caption", "geometry.rule"))
    wrong = looks["geometry.image"]
    assert wrong["agreed"] == 0 and wrong["missed"] + wrong["doubted"] == wrong["pairs"] == 5
    assert sum(each["requests"] for each in metadata["spending"]) == len(log) + len(asked)
    call("report", folder / "data")
    assert "A check by looking" in (folder / "data" / "report.html").read_text()
    finish_plainly(recipe, run_environment)
    assert len(server.log) == len(asked)


def test_an_unknown_model_is_one_clear_line(write, call, server, tmp_path):
    server.chance = [(1.0, Fault(status=404, text="no such model"))]
    done = call("run", write(tmp_path), "--limit", 1, "--workers", 1, expect=2)
    assert done.stderr.count("does not know model 'gpt-4o' or the address (404): no such model") == 1
    assert "nothing was published" in done.stderr


def test_an_address_where_nobody_answers_is_one_clear_line(write, call, tmp_path):
    nobody = ["--set", "author.base_url=http://127.0.0.1:9/v1"]
    done = call("run", write(tmp_path), "--limit", 1, "--workers", 1, *nobody, expect=2)
    assert done.stderr.count("no answer after 3 attempts: openai at http://127.0.0.1:9/v1") == 1


@pytest.mark.parametrize(
    ("overrides", "environment", "line"),
    [
        ([], {"OPENAI_API_KEY": ""}, "no key for openai: set the environment variable OPENAI_API_KEY"),
        (["author.model=mine", "author.budget_usd=1"], {}, "the price of openai model 'mine' is unknown"),
    ],
)
def test_what_can_be_known_before_is_said_before(write, call, server, tmp_path, overrides, environment, line):
    sets = [word for override in overrides for word in ("--set", override)]
    done = call("run", write(tmp_path), *sets, expect=2, **environment)
    assert line in done.stderr and done.stderr.count("\n") == 1
    assert not server.log and not (tmp_path / "data").exists()


def test_problem_files_that_are_wrong_are_told_line_by_line(write, call, server, tmp_path):
    recipe = write(tmp_path)
    right = {"id": "right", "question": draughtsman.RIGHT.question, "answer": "5"}
    rows = [
        right,
        {"id": "x"},
        right,
        {"id": "huge", "question": "A" * 1_000_000, "answer": "1"},
        ["a", "list"],
    ]
    (tmp_path / "problems.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "{broken\n")
    server.reply = lambda body: _refuse_what_is_long(body)
    try:
        call("run", recipe, "--workers", 1, "--set", 'geometry.families=["rule"]')
    finally:
        server.reply = draughtsman.answer
    reasons = [each.reasons[0] for each in Dataset(str(tmp_path / "data")).rejects("geometry.anchor")]
    assert any("line 2: without question, answer" in reason for reason in reasons)
    assert any("line 3: the id right is there already" in reason for reason in reasons)
    assert any("line 5: not a JSON object" in reason for reason in reasons)
    assert any("line 6: not JSON" in reason for reason in reasons)
    assert len(reasons) == 5 and sum("llm_" in reason or "script_" in reason for reason in reasons) == 1
    (tmp_path / "problems.jsonl").write_bytes("Größe\n".encode("utf-16"))
    assert "is UTF-16; save it as UTF-8" in call("plan", recipe, expect=2).stderr


def _refuse_what_is_long(body: dict[str, Any]) -> str:
    refusal = "I cannot read that much."
    if len(str(body)) > 100_000 or refusal in str(body):  # the repair prompt shows it its own words
        return refusal
    return draughtsman.answer(body)
