"""The response store: nothing answered is asked twice, over threads, processes and databases."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest
import sqlalchemy as sa

from counterfoil.storage.owners import is_alive, name_owner
from counterfoil.tasks.llm import AuthorUnavailable, open_author
from counterfoil.tasks.llm.exchange import Completion, Message, Request, Sampling, Usage
from counterfoil.tasks.llm.store.store import Asked, Budget, ResponseStore
from tests.patience import PATIENCE_S

from .conftest import MODELS, Open, ask_look, ask_script, sum_spending
from .postgres import run_postgres
from .server import Fault, Server

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with run_postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh database of each kind."""
    if request.param == "sqlite":
        return str(tmp_path / "store.sqlite")

    url = request.getfixturevalue("postgres")
    name = "t" + tmp_path.name.lower().replace("-", "_").replace("[", "").replace("]", "")
    with sa.create_engine(url, isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(sa.text(f'CREATE DATABASE "{name}"'))
    return url.rpartition("/")[0] + f"/{name}"


def make_request(text: str = "hello", **changes: object) -> Request:
    fields = {
        "provider": "openai",
        "base_url": "http://x",
        "model": "m",
        "system": "s",
        "messages": (Message("user", text),),
        "sampling": Sampling(max_tokens=9),
    }
    return Request(**(fields | changes))


def test_every_part_of_a_request_is_in_its_hash() -> None:
    base = make_request()
    changed = [
        make_request("other"),
        make_request(provider="vllm"),
        make_request(base_url="http://y"),
        make_request(model="n"),
        make_request(system="t"),
        make_request(sampling=Sampling(max_tokens=9, temperature=0.0)),
        make_request(sampling=Sampling(max_tokens=9, seed=1)),
        make_request(sampling=Sampling(max_tokens=9, reasoning_effort="low")),
        make_request(images=(b"\x89PNG1",)),
        make_request(images=(b"\x89PNG2",)),
        make_request(schema={"type": "object"}),
        make_request(send_schema=False),
        make_request(draw=1),
        make_request(messages=(Message("user", "hello"), Message("assistant", "a"))),
    ]
    hashes = {each.sha256 for each in changed}
    assert len(hashes) == len(changed)
    assert base.sha256 not in hashes
    assert make_request().sha256 == base.sha256


def test_answer_survives_and_is_not_asked_again(kind: str, open_for: Open, server: Server) -> None:
    first = open_for(kind)
    answer = ask_script(first)
    first.close()
    again = ask_script(open_for(kind))
    assert server.arrived == 1
    assert again == answer


def test_another_family_that_asks_the_same_pays_nothing(open_for: Open, server: Server) -> None:
    author = open_for("openai")
    variables = {"question": "q", "answer": "", "markings": True}
    author.ask("geometry.script", variables, family="geometry.image")
    author.ask("geometry.script", variables, family="geometry.caption")
    assert server.arrived == 1
    assert [spent.family for spent in sum_spending(author)] == ["geometry.image"]


def test_another_draw_is_another_question(open_for: Open, server: Server) -> None:
    author = open_for("openai")
    assert ask_script(author).request_sha256 != ask_script(author, draw=1).request_sha256
    assert server.arrived == 2


def test_repaired_conversation_is_replayed_from_the_store(open_for: Open, server: Server) -> None:
    server.script.append(Fault("text", text="{}"))
    first = ask_look(open_for("openai"))
    assert ask_look(open_for("openai")) == first
    assert (first.attempts, server.arrived) == (2, 2)


def test_threads_that_ask_the_same_at_once_share_one_request(open_for: Open, server: Server) -> None:
    server.delay_s = 0.2
    author = open_for("openai")
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: ask_script(author), range(16)))
    assert server.arrived == 1
    assert len({answer.raw for answer in answers}) == 1


PROCESS = """
import sys
from counterfoil.tasks.llm import open_author
section = {"kind": "openai", "model": "m", "base_url": sys.argv[1], "store": sys.argv[2], "concurrency": 8}
author = open_author(section)
from concurrent.futures import ThreadPoolExecutor, wait
with ThreadPoolExecutor(8) as pool:
    ask = lambda i: author.ask("geometry.look", {"caption": f"c{i}"}, family="f").data
    assert len(list(pool.map(ask, range(40)))) == 40
author.close()
"""


def test_processes_that_ask_the_same_at_once_send_each_request_once(server: Server, location: str) -> None:
    server.delay_s = 0.02
    command = [sys.executable, "-c", PROCESS, server.openai_url, location]
    running = [subprocess.Popen(command, cwd=ROOT) for _ in range(2)]
    assert [process.wait(PATIENCE_S) for process in running] == [0, 0]
    assert len(server.log) == 40
    assert set(server.count_answered().values()) == {1}


def test_store_keeps_an_answer_exactly(location: str) -> None:
    store = ResponseStore(location)
    request = make_request("ünïcode \U0001f4d0")
    asked = Asked.describe(request, "family", "prompt")
    completion = Completion("a\0b \ud800 c", "length", Usage(10, 5, 3, 1), "m-1", "max_tokens")
    with store.begin() as connection:
        owner = name_owner()
        assert store.enter(connection, request.sha256, owner, "", 0.0, Budget()).state == "mine"
        charges = {"cost_usd": 0.25, "charge_usd": 0.25, "batch": False, "seconds": 1.5}
        stored = store.put(connection, asked, completion, scope="", **charges)
    with store.begin() as connection:
        entry = store.enter(connection, request.sha256, owner, "", 0.0, Budget())
        assert entry.state == "answered" and entry.stored == stored
        past = store.average_past(connection, "prompt", "m")
    assert stored.completion.usage == completion.usage
    assert (stored.completion.finish, stored.completion.details) == ("length", "max_tokens")
    assert past is not None and (past.requests, past.input_tokens, past.seconds) == (1, 10.0, 1.5)
    store.close()


def test_first_answer_stays(location: str) -> None:
    store = ResponseStore(location)
    asked = Asked.describe(make_request(), "f", "p")
    charges = {"scope": "", "cost_usd": 0.1, "charge_usd": 0.1, "batch": False, "seconds": None}
    with store.begin() as connection:
        store.put(connection, asked, Completion("one"), **charges)
        assert store.put(connection, asked, Completion("two"), **charges).completion.text == "one"
        assert store.sum_spending(connection)[0].requests == 1
    store.close()


def test_claim_of_a_dead_process_is_free_and_of_a_living_one_is_not(location: str) -> None:
    child = subprocess.run(
        [sys.executable, "-c", "from counterfoil.storage.owners import name_owner; print(name_owner())"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    dead, living, mine = child.stdout.strip(), name_owner(), name_owner()
    assert not is_alive(dead) and is_alive(living)
    store = ResponseStore(location)
    with store.begin() as connection:
        assert store.enter(connection, "a" * 64, dead, "", 0.0, Budget()).state == "mine"
        assert store.enter(connection, "b" * 64, living, "", 0.0, Budget()).state == "mine"
        assert store.enter(connection, "a" * 64, mine, "", 0.0, Budget()).state == "mine"
        assert store.enter(connection, "b" * 64, mine, "", 0.0, Budget()).state == "theirs"
    store.close()


def test_pid_taken_by_another_process_does_not_keep_a_claim() -> None:
    owner = json.loads(name_owner())
    assert is_alive(json.dumps(owner))
    assert not is_alive(json.dumps(owner | {"started": owner["started"] - 1000}))


def test_budget_counts_over_owners(location: str) -> None:
    store = ResponseStore(location)
    budget = Budget(usd=1.0)
    asked = Asked.describe(make_request(), "f", "p")
    with store.begin() as connection:
        states = [store.enter(connection, c * 64, name_owner(), "s", 0.4, budget).state for c in "abc"]
        assert states == ["mine", "mine", "full"]
        charges = {"scope": "s", "cost_usd": 0.7, "charge_usd": 0.7, "batch": False, "seconds": None}
        store.put(connection, asked, Completion("x"), **charges)
        assert store.enter(connection, "c" * 64, name_owner(), "s", 0.4, budget).state == "spent"
        assert store.enter(connection, "c" * 64, name_owner(), "other", 0.4, budget).state == "mine"
    store.close()


@pytest.mark.parametrize(
    ("store", "line"),
    [
        ("/proc/nowhere/store.sqlite", "response store"),
        ("postgresql+psycopg://user:hunter2@127.0.0.1:1/db", r"response store postgresql\+psycopg://user:\*\*\*@"),
        ("nosuchdb://x", "response store"),
    ],
)
def test_store_that_cannot_be_opened_is_one_clear_line(store: str, line: str, tmp_path: Path) -> None:
    if store.startswith("postgresql"):
        pytest.importorskip("psycopg")
    with pytest.raises(AuthorUnavailable, match=line) as caught:
        open_author({"kind": "openai", "model": MODELS["openai"], "store": store}, work=tmp_path)
    assert "\n" not in str(caught.value) and "hunter2" not in str(caught.value)


def test_store_waits_for_another_process_that_makes_its_file(tmp_path: Path) -> None:
    file = tmp_path / "answers.sqlite"
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE half_made (x)")
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as pool:
        opened = pool.submit(ResponseStore, file)
        assert not wait([opened], 0.3).done
        other.execute("COMMIT")
        opened.result(PATIENCE_S).close()


def test_store_of_an_older_version_gets_the_columns_that_have_come_since(location: str) -> None:

    store = ResponseStore(location)
    with store.begin() as connection:
        for name in ("asked_by", "reasoning_tokens"):
            connection.execute(sa.text(f"ALTER TABLE llm_answers DROP COLUMN {name}"))
    store.close()
    store = ResponseStore(location)
    charges = {"scope": "s", "cost_usd": 0.1, "charge_usd": 0.1, "batch": False, "seconds": None}
    asked = Asked.describe(make_request(), "f", "p", "a" * 64)
    with store.begin() as connection:
        store.put(connection, asked, Completion("x", usage=Usage(1, 5, reasoning_tokens=4)), **charges)
        assert store.sum_spending(connection)[0].reasoning_tokens == 4
        assert store.count_asked(connection, "s", "a" * 64) == {"f": 1}
    store.close()


def test_file_that_is_no_database_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    path.write_text("not a database, but long enough to be taken for one " * 10)
    with pytest.raises(AuthorUnavailable, match="file is not a database"):
        open_author({"kind": "openai", "model": "m"}, work=tmp_path)


def test_answer_is_on_disk_before_it_is_used(open_for: Open, tmp_path: Path) -> None:
    answer = ask_script(open_for("openai"))
    with sqlite3.connect(tmp_path / "answers.sqlite") as other:
        rows = other.execute("SELECT text, family, prompt_id FROM llm_answers").fetchall()
    assert rows == [(answer.raw, "geometry.image", "geometry.script")]
