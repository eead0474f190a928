from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.storage.dataset import Dataset
from counterfoil.tasks.audit.review.answers import Answer, Book, check_judge, read_books
from counterfoil.tasks.audit.review.errors import ReviewError
from counterfoil.tasks.audit.review.intervals import wilson_interval
from counterfoil.tasks.audit.review.rates import read_review, tally_review
from counterfoil.tasks.audit.review.rows import ReviewRow, build_anchor_row, choose_rows
from counterfoil.tasks.audit.review.server import ReviewServer
from counterfoil.tasks.audit.review.session import Sitting
from tests.patience import PATIENCE_S
from tests.tasks.report.sample import make_geometry, make_tables, store_tables

counts = st.integers(0, 400).flatmap(lambda judged: st.tuples(st.integers(0, judged), st.just(judged)))


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return store_tables(make_tables(8, 6), tmp_path_factory.mktemp("reviewed") / "set")


@pytest.fixture
def rows(dataset: Dataset) -> list[ReviewRow]:
    return choose_rows(dataset.snapshot(), 4, 0)


def test_the_interval_is_wilsons() -> None:
    """Newcombe (1998), Statistics in Medicine 17, Table I, method 3."""
    for errors, judged, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)):
        assert wilson_interval(errors, judged) == pytest.approx((low, high), abs=5e-5)


@given(counts)
def test_the_interval_holds_the_share_and_mirrors(count: tuple[int, int]) -> None:
    errors, judged = count
    low, high = wilson_interval(errors, judged)
    assert 0 <= low <= high <= 1
    assert not judged or low <= errors / judged <= high
    assert wilson_interval(judged - errors, judged) == pytest.approx((1 - high, 1 - low))


def test_more_errors_than_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="3 errors of 2 rows"):
        wilson_interval(3, 2)


def test_negatives_are_expected_to_be_wrong_and_anchors_to_be_right(rows: list[ReviewRow]) -> None:
    expected = {row.family: row.expected for row in rows}
    assert expected == {
        "flowchart.caption": "wrong",
        "flowchart.code": "right",
        "geometry.anchor": "right",
        "geometry.caption": "wrong",
        "geometry.image": "wrong",
    }
    assert sum(row.family == "geometry.anchor" for row in rows) == 4


def test_a_row_sets_the_contrast_against_its_anchor(dataset: Dataset, rows: list[ReviewRow]) -> None:
    snapshot = dataset.snapshot()
    image = next(row for row in rows if row.family == "geometry.image")
    stored = next(each for each in snapshot.contrasts("geometry.image") if each.contrast_id == image.row_id)
    anchor = snapshot.get_anchors([stored.anchor_id])[stored.anchor_id]
    assert stored.image is not None and image.first.picture == stored.image.bytes
    assert image.second.text == anchor.caption != stored.text
    assert image.question == "Is the text true of the picture?"
    text = next(row for row in rows if row.family == "flowchart.caption")
    assert (text.first.picture, text.question) == (None, "Do both texts say the same?")


def test_more_rows_hold_all_of_fewer(dataset: Dataset) -> None:
    few, many = (choose_rows(dataset.snapshot(), most, 3) for most in (2, 5))
    order = [row.row_id for row in many]
    assert {row.row_id for row in few} < set(order)
    assert [row.row_id for row in few] == [row_id for row_id in order if row_id in {row.row_id for row in few}]
    assert [row.row_id for row in choose_rows(dataset.snapshot(), 2, 4)] != [row.row_id for row in few]


def test_an_unknown_family_is_named(dataset: Dataset) -> None:
    with pytest.raises(ReviewError, match=r"no rows of geometry\.rule; it has flowchart\.caption"):
        choose_rows(dataset.snapshot(), 2, 0, ["geometry.rule"])


def test_what_a_judge_is_shown_tells_nothing_of_the_row(rows: list[ReviewRow], tmp_path: Path) -> None:
    sitting = Sitting(rows, tmp_path)
    for number, row in enumerate(rows):
        shown = sitting.show("ada", number)
        assert set(shown) == {"number", "question", "sides", "answer", "why"}
        assert {key for side in shown["sides"] for key in side} <= {"picture", "width", "height", "text", "code"}
        said = json.dumps(shown)
        for secret in (row.row_id, row.family, "negative", "positive", "geometry.", "flowchart.", "expected"):
            assert secret not in said
    assert len({row.question for row in rows if row.expected == "right"}) == 2


def test_answers_are_kept_and_a_judge_goes_on_where_they_stopped(rows: list[ReviewRow], tmp_path: Path) -> None:
    sitting = Sitting(rows, tmp_path)
    place = sitting.find_place("ada")
    for answer in ("right", "wrong", "doubtful"):
        assert place.number is not None
        place = sitting.answer("ada", place.number, answer, f" because of {answer} ", 1.26)
    again = Sitting(rows, tmp_path)
    assert again.find_place("ada") == place and place.judged == 3
    assert again.find_place("ben").judged == 0
    assert again.show("ada", 1)["answer"] == "wrong"
    again.answer("ada", 1, "right", "", 2)
    assert again.find_place("ada").judged == 3
    kept = read_books(tmp_path)["ada"]
    assert [(kept[row.row_id].answer, kept[row.row_id].why) for row in rows[:2]] == [
        ("right", "because of right"),
        ("right", ""),
    ]
    assert len((tmp_path / "ada.jsonl").read_text().splitlines()) == 4


def test_the_last_row_judged_leaves_none(rows: list[ReviewRow], tmp_path: Path) -> None:
    sitting = Sitting(rows[:2], tmp_path)
    sitting.answer("ada", 1, "right", "", 0)
    assert sitting.answer("ada", 0, "wrong", "", 0).number is None


def test_a_half_written_answer_costs_nothing_else(tmp_path: Path) -> None:
    book = Book(tmp_path, "ada")
    book.add(Answer("r1", "right"))
    with (tmp_path / "ada.jsonl").open("a") as file:
        file.write('{"row": "r2", "ans')
    assert set(read_books(tmp_path)["ada"]) == {"r1"}
    again = Book(tmp_path, "ada")
    again.add(Answer("r3", "wrong"))
    assert set(read_books(tmp_path)["ada"]) == {"r1", "r3"}


def test_two_processes_of_one_judge_lose_nothing_of_each_other(tmp_path: Path) -> None:
    one, other = Book(tmp_path, "ada"), Book(tmp_path, "ada")
    one.add(Answer("r1", "right"))
    other.add(Answer("r2", "wrong"))
    one.add(Answer("r3", "doubtful"))
    assert set(read_books(tmp_path)["ada"]) == {"r1", "r2", "r3"}


@pytest.mark.parametrize("line", ["{}", '{"row": "a", "answer": "perhaps"}', "junk", '{"row": 3, "answer": "right"}'])
def test_a_line_that_is_no_answer_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / "ada.jsonl").write_text('{"row": "a", "answer": "right"}\n' + line + "\n")
    with pytest.raises(ReviewError, match=r"ada\.jsonl, line 2 is no answer"):
        read_books(tmp_path)


@pytest.mark.parametrize("name", ["", "../ada", "a/b", ".hidden", "x" * 41, "ada lovelace"])
def test_a_judges_name_must_be_a_file_name(name: str) -> None:
    with pytest.raises(ReviewError, match="no judge's name"):
        check_judge(name)


def test_rates_are_by_majority_over_rows_and_doubts_are_apart() -> None:
    known = {f"n{n}": ("geometry.rule", "negative") for n in range(5)} | {"a": ("geometry.anchor", "anchor")}
    ada = {"n0": "wrong", "n1": "right", "n2": "right", "n3": "wrong", "n4": "doubtful", "a": "wrong", "gone": "right"}
    ben = {"n0": "wrong", "n1": "right", "n2": "wrong", "a": "wrong"}
    cyd = {"n1": "wrong"}
    books = {
        name: {row: Answer(row, answer, why="no such angle" if row == "a" else "") for row, answer in book.items()}  # type: ignore[arg-type]
        for name, book in (("ada", ada), ("ben", ben), ("cyd", cyd))
    }
    review = tally_review(books, known)
    rates = {rate.family: rate for rate in review.rates}
    rule = rates["geometry.rule"]
    assert (rule.rows, rule.doubtful, rule.errors, rule.share) == (5, 2, 1, 1 / 3)
    assert rule.interval == wilson_interval(1, 3)
    assert (rates["geometry.anchor"].errors, rates["geometry.anchor"].share) == (1, 1.0)
    assert [(each.row_id, each.expected, each.said) for each in review.disagreements] == [
        ("a", "right", "wrong"),
        ("n1", "wrong", "right"),
    ]
    assert review.disagreements[0].why == ("no such angle", "no such angle")
    assert (review.pairs, review.equal_pairs, review.gone) == (6, 3, 1)
    assert review.judges == {"ada": 7, "ben": 4, "cyd": 1}


def test_a_dataset_that_nobody_judged_has_no_review(dataset: Dataset) -> None:
    assert read_review(dataset) is None


def test_a_review_is_read_from_the_datasets_folder(tmp_path: Path) -> None:
    dataset = store_tables(make_tables(4, 0), tmp_path / "set")
    rows = choose_rows(dataset.snapshot(), 3, 0)
    sitting = Sitting(rows, tmp_path / "set" / "review")
    for number, row in enumerate(rows):
        sitting.answer("ada", number, row.expected, "", 1)
    review = read_review(dataset)
    assert review is not None
    assert {rate.family: (rate.role, rate.rows, rate.errors) for rate in review.rates} == {
        "geometry.anchor": ("anchor", 3, 0),
        "geometry.caption": ("negative", 3, 0),
        "geometry.image": ("negative", 3, 0),
    }


class Client:
    """Speaks to a review's server as its page does."""

    def __init__(self, server: ReviewServer) -> None:
        self.server = server

    def get(self, path: str, host: str = "") -> tuple[int, bytes, dict[str, str]]:
        return self._send(urllib.request.Request(self._url(path), headers={"Host": host} if host else {}))

    def post(self, path: str, body: Any, secret: str | None = None, host: str = "") -> tuple[int, Any]:
        headers = {"X-Counterfoil-Secret": self.server.secret if secret is None else secret}
        headers |= {"Host": host} if host else {}
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        status, content, _ = self._send(urllib.request.Request(self._url(path), data, headers))
        return status, json.loads(content) if status == 200 else content.decode()

    def _url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.server_port}{path}"

    def _send(self, request: urllib.request.Request) -> tuple[int, bytes, dict[str, str]]:
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read(), dict(answer.headers)
        except urllib.error.HTTPError as error:
            return error.code, error.read(), dict(error.headers)


@pytest.fixture
def client(rows: list[ReviewRow], tmp_path: Path) -> Iterator[Client]:
    with ReviewServer(Sitting(rows, tmp_path), judge="ada") as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield Client(server)
        server.shutdown()
        thread.join()


def test_the_page_is_served_with_a_policy_and_without_any_row(client: Client) -> None:
    for path in ("/", "/page.css", "/page.js"):
        status, content, headers = client.get(path)
        assert status == 200 and "default-src 'none'" in headers["Content-Security-Policy"]
        assert client.server.secret.encode() not in content
    assert client.server.server_address[0] == "127.0.0.1"


def test_rows_are_given_and_answers_taken(client: Client) -> None:
    assert client.post("/start", {"judge": ""}) == (200, {"judge": "ada", "number": 0, "judged": 0, "total": 20})
    status, row = client.post("/row", {"judge": "ada", "number": 0})
    assert status == 200 and len(row["sides"]) == 2
    said = {"judge": "ada", "number": 0, "answer": "wrong", "why": "the label", "seconds": 2}
    assert client.post("/answer", said) == (200, {"number": 1, "judged": 1, "total": 20})


@pytest.mark.parametrize(
    "refused", [{"secret": "guess"}, {"secret": ""}, {"host": "evil.example"}, {"host": "evil.example:80"}]
)
def test_nobody_without_the_address_sees_rows_or_answers(client: Client, refused: dict[str, str]) -> None:
    for path in ("/start", "/row", "/answer"):
        assert client.post(path, {"judge": "ada", "number": 0, "answer": "right"}, **refused)[0] == 403
    assert client.post("/start", {"judge": "ada"})[1]["judged"] == 0


def test_a_page_of_another_name_is_turned_away(client: Client) -> None:
    assert client.get("/", host="evil.example")[0] == 403


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/row", {"judge": "ada", "number": 99}, 400),
        ("/row", {"judge": "../up", "number": 0}, 400),
        ("/row", {"judge": "ada"}, 400),
        ("/answer", {"judge": "ada", "number": 0, "answer": "maybe"}, 400),
        ("/elsewhere", {}, 404),
        ("/row", b"{junk", 404),
        ("/row", b"[1]", 404),
        ("/row", b"x" * 100_000, 413),
        ("/row", b"[" * 60_000, 404),
    ],
)
def test_what_is_not_understood_is_refused(client: Client, path: str, body: Any, status: int) -> None:
    assert client.post(path, body)[0] == status


def speak(client: Client, *lines: str, secret: str | None = None, body: bytes = b"") -> str:
    """The status line that raw header lines of a POST get. Nothing follows ``body``: who reads on waits in vain."""
    with socket.create_connection(("127.0.0.1", client.server.server_port), timeout=PATIENCE_S) as line:
        head = ["POST /start HTTP/1.1", f"Host: 127.0.0.1:{client.server.server_port}", *lines]
        head += [f"X-Counterfoil-Secret: {client.server.secret if secret is None else secret}"]
        line.sendall("\r\n".join([*head, "", ""]).encode() + body)
        said = line.recv(65536).split(b"\r\n")[0].decode()
    return said.partition(" ")[2]


HUGE = 300 << 20


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (("Content-Length: -1",), "411"),
        (("Content-Length: 1e3",), "411"),
        (("Content-Length: 2", "Content-Length: 3"), "411"),
        ((f"Content-Length: {HUGE}",), "413"),
        ((f"Content-Length: {'9' * 5000}",), "411"),
        (("Transfer-Encoding: chunked",), "411"),
        (tuple(f"X-{i}: y" for i in range(500)), "431"),
        ((f"X-Long: {'y' * 100_000}",), "431"),
    ],
)
def test_a_body_that_cannot_be_taken_is_refused_unread(client: Client, lines: tuple[str, ...], status: str) -> None:
    said = speak(client, *lines, body=b"5\r\n{}   \r\n0\r\n\r\n" if "chunked" in lines[0] else b"")
    assert said.startswith(status)


def test_the_secret_is_asked_before_a_body_is_read(client: Client) -> None:
    for lines in (
        (f"Content-Length: {HUGE}",),
        ("Content-Length: 60000",),
        ("Expect: 100-continue", "Content-Length: 9"),
    ):
        assert speak(client, *lines, secret="guess").startswith("403")


def test_who_sends_byte_by_byte_is_cut_off(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterfoil.tasks.audit.review.server._READ_S", 0.5)
    for head in (
        b"POST /start HTT",
        f"POST /start HTTP/1.1\r\nHost: 127.0.0.1:{client.server.server_port}\r\n".encode()
        + f"X-Counterfoil-Secret: {client.server.secret}\r\nContent-Length: 50\r\n\r\n".encode(),
    ):
        with socket.create_connection(("127.0.0.1", client.server.server_port), timeout=PATIENCE_S) as line:
            line.sendall(head)
            while line.recv(4096):
                pass  # an answer that the body broke off, or nothing; then the end
    assert client.post("/start", {"judge": "ada"})[0] == 200


def test_a_port_that_is_taken_is_told(client: Client, rows: list[ReviewRow], tmp_path: Path) -> None:
    with pytest.raises(ReviewError, match="choose another --port"):
        ReviewServer(Sitting(rows, tmp_path), client.server.server_port)


def test_an_anchor_without_a_picture_is_no_row_of_its_own() -> None:

    anchor, _ = make_geometry(0)
    assert build_anchor_row(anchor) is not None
    assert build_anchor_row(replace(anchor, image=None)) is None
