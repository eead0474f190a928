"""The review in a real browser and at a terminal. The browser's part is skipped, loudly, where there is none."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from counterfoil.tasks.audit.review.answers import read_books
from counterfoil.tasks.audit.review.rows import ReviewRow, choose_rows
from counterfoil.tasks.audit.review.server import ReviewServer
from counterfoil.tasks.audit.review.session import Sitting
from tests.patience import PATIENCE_S
from tests.tasks.report.browser import Browser, browse
from tests.tasks.report.sample import make_tables, store_tables

ROW_SHOWN = "!document.getElementById('row').hidden"
JUDGED = "document.getElementById('progress').textContent"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browse(tmp_path_factory.mktemp("chromium") / "profile", "the review") as running:
        yield running


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[ReviewRow]:
    dataset = store_tables(make_tables(4, 2, hostile=True), tmp_path_factory.mktemp("reviewed") / "set")
    return choose_rows(dataset.snapshot(), 3, 0)


@pytest.fixture
def server(rows: list[ReviewRow], tmp_path: Path) -> Iterator[ReviewServer]:
    with ReviewServer(Sitting(rows, tmp_path)) as running:
        thread = Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def begin(browser: Browser, server: ReviewServer, judge: str = "ada", width: int = 1280) -> None:
    browser.open(server.address, width=width, height=800)
    browser.wait_for("!document.getElementById('start').hidden && document.activeElement.id === 'judge'")
    browser.type(judge)
    browser.press("Enter", 13, "\r")
    browser.wait_for(ROW_SHOWN)


def press(browser: Browser, key: str) -> None:
    browser.press(key, ord(key.upper()), key)


@pytest.mark.browser
def test_a_judge_answers_by_keyboard_says_why_and_goes_back(
    browser: Browser, server: ReviewServer, rows: list[ReviewRow], tmp_path: Path
) -> None:
    begin(browser, server)
    press(browser, "w")
    browser.wait_for(f"{JUDGED}.startsWith('ada: 1 of')")
    press(browser, "e")
    browser.type("right or wrong, who knows")
    browser.press("Enter", 13)
    press(browser, "d")
    browser.wait_for(f"{JUDGED}.startsWith('ada: 2 of')")
    press(browser, "r")
    browser.wait_for(f"{JUDGED}.startsWith('ada: 3 of')")
    press(browser, "b")
    browser.wait_for("document.querySelector('.answer[aria-pressed=true]')?.dataset.answer === 'right'")
    press(browser, "w")
    browser.wait_for("!document.querySelector('.answer[aria-pressed=true]')")
    kept = read_books(tmp_path)["ada"]
    assert [kept[row.row_id].answer for row in rows[:3]] == ["wrong", "doubtful", "wrong"]
    assert [kept[row.row_id].why for row in rows[:3]] == ["", "right or wrong, who knows", ""]
    assert browser.complaints == []


@pytest.mark.browser
def test_a_review_goes_on_and_ends(browser: Browser, server: ReviewServer, rows: list[ReviewRow]) -> None:
    begin(browser, server)
    for judged in range(1, len(rows)):
        press(browser, "r")
        browser.wait_for(f"{JUDGED}.startsWith('ada: {judged} of {len(rows)}')")
    begin(browser, server)
    assert browser.evaluate(JUDGED) == f"ada: {len(rows) - 1} of {len(rows)} judged"
    press(browser, "w")
    browser.wait_for("!document.getElementById('end').hidden")
    begin_other = "document.getElementById('answers').hidden"
    assert browser.evaluate(begin_other)


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 400])
def test_hostile_rows_are_shown_as_text_within_the_window(
    browser: Browser, server: ReviewServer, rows: list[ReviewRow], width: int
) -> None:
    begin(browser, server, f"ada{width}", width)
    for _ in rows:
        assert browser.evaluate("document.title") == "Counterfoil review"
        assert browser.evaluate("document.querySelectorAll('.side').length") == 2
        assert browser.evaluate("document.querySelectorAll('.side script, .side img[src=x]').length") == 0
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        shown = browser.evaluate("document.querySelector('.answer').getBoundingClientRect().bottom")
        assert shown <= 800
        before = browser.evaluate(JUDGED)
        press(browser, "d")
        browser.wait_for(f"{JUDGED} !== {before!r}")
    hosts = {url.split("/")[2] for url in browser.requests if not url.startswith("data:")}
    assert hosts == {f"127.0.0.1:{server.server_port}"}
    assert browser.complaints == []


@pytest.mark.browser
def test_another_judge_takes_over_with_answers_of_their_own(
    browser: Browser, server: ReviewServer, rows: list[ReviewRow], tmp_path: Path
) -> None:
    begin(browser, server)
    press(browser, "w")
    browser.wait_for(f"{JUDGED}.startsWith('ada: 1 of')")
    browser.click("#change")
    browser.wait_for("document.activeElement.id === 'judge'")
    browser.evaluate("document.getElementById('judge').value = ''")
    browser.type("ben")
    browser.press("Enter", 13, "\r")
    browser.wait_for(f"{JUDGED}.startsWith('ben: 0 of')")
    press(browser, "r")
    browser.wait_for(f"{JUDGED}.startsWith('ben: 1 of')")
    books = read_books(tmp_path)
    assert {judge: book[rows[0].row_id].answer for judge, book in books.items()} == {"ada": "wrong", "ben": "right"}


@pytest.mark.browser
def test_an_address_without_its_secret_shows_no_row(browser: Browser, server: ReviewServer) -> None:
    browser.open(server.address.partition("#")[0])
    browser.wait_for("!document.getElementById('trouble').hidden")
    assert "open the address" in browser.evaluate("document.getElementById('trouble').textContent")
    assert browser.evaluate("document.getElementById('row').hidden")


def test_the_command_ends_on_ctrl_c_with_the_rates(tmp_path: Path) -> None:
    store_tables(make_tables(3, 0), tmp_path / "set")
    command = [sys.executable, "-m", "counterfoil", "review", str(tmp_path / "set")]
    # A test that runs in the background of a shell ignores Ctrl-C, and so would the command.
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    running = subprocess.Popen([*command, "--rows", "2"], stdout=subprocess.PIPE, text=True, preexec_fn=heed)
    assert running.stdout is not None
    assert running.stdout.readline().startswith("review: http://127.0.0.1:")
    (tmp_path / "set" / "review").mkdir()
    row = choose_rows(store_tables(make_tables(3, 0), tmp_path / "set").snapshot(), 2, 0)[0]
    said = {"right": "wrong", "wrong": "right"}[row.expected]
    line = json.dumps({"row": row.row_id, "answer": said, "why": "\x1b[2Jall is well [bold]"})
    (tmp_path / "set" / "review" / "ada.jsonl").write_text(line + "\n")
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0
    assert row.family in said and "judges: ada 1" in said
    assert "\\x1b[2Jall is well [bold]" in said and "\x1b[2J" not in said
    rates = subprocess.run([*command, "--rates"], capture_output=True, text=True, check=True)
    assert row.family in rates.stdout and "20.7 to 100.0 %" in rates.stdout
    plain = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)
    (family,) = plain["families"]
    assert (family["rows"], family["errors"], family["rate"]) == (1, 1, 1.0)
    assert plain["disagreements"][0]["row_id"] == row.row_id


def test_a_dataset_that_is_none_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "counterfoil", "review", str(tmp_path / "nowhere")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no dataset" in done.stderr.replace("\n", " ")
