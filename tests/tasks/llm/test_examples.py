"""Verified answers before a question: of the same prompt, of other source rows, drawn by seed, in the fingerprint."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from counterfoil.tasks.llm import AuthorUnavailable
from counterfoil.tasks.llm.examples import Example, asking_about, read_pool, write_pool
from counterfoil.tasks.llm.settings import AuthorSettings

from .conftest import SCRIPT, Open, ask_look, ask_script
from .server import Server

POOL = [Example("geometry.script", f"problems/{n}", f"Draw figure {n}.", SCRIPT) for n in range(8)]


@pytest.fixture
def pool(tmp_path: Path) -> str:
    path = tmp_path / "examples.jsonl"
    # A second answer of row 0, and one of another prompt.
    more = [
        Example("geometry.script", "problems/0", "Draw it again.", SCRIPT),
        Example("geometry.look", "x/1", "?", "{}"),
    ]
    write_pool(path, [*POOL, *more])
    return str(path)


def list_shown(server: Server) -> list[str]:
    """The questions that stood before the last request's own."""
    turns = [each for each in server.log[-1].body["messages"] if each["role"] == "user"]
    return [each["content"] for each in turns[:-1]]


def test_examples_of_the_same_prompt_stand_before_the_question(
    kind: str, open_for: Open, server: Server, pool: str
) -> None:
    author = open_for(kind, examples=3, examples_from=pool)
    assert ask_script(author, "problem 1").code
    shown = list_shown(server)
    assert len(shown) == 3 and set(shown) <= {each.asked for each in POOL} | {"Draw it again."}
    assert [each["role"] for each in server.log[-1].body["messages"] if each["role"] != "system"] == [
        *["user", "assistant"] * 3,
        "user",
    ]


def test_no_example_is_of_the_row_that_is_asked_about_and_no_two_of_one(
    open_for: Open, server: Server, pool: str
) -> None:
    author = open_for("openai", examples=10, examples_from=pool)
    for row in range(8):
        with asking_about(f"problems/{row}"):
            ask_script(author, f"problem {row}")
        shown = list_shown(server)
        assert len(shown) == 7 and f"Draw figure {row}." not in shown
        assert row != 0 or "Draw it again." not in shown


def test_draw_follows_from_seed_and_question(open_for: Open, server: Server, pool: str) -> None:
    shown = []
    for seed, question in ((1, "a"), (1, "b"), (2, "a"), (1, "a")):
        author = open_for("openai", seed=seed, examples=3, examples_from=pool)
        ask_script(author, question, draw=len(shown))
        shown.append(list_shown(server))
    assert shown[0] == shown[3] != shown[1] and shown[0] != shown[2]


def test_number_and_bytes_of_the_examples_decide_content_and_their_place_does_not(pool: str, tmp_path: Path) -> None:
    def identify(count: int, path: str) -> object:
        return AuthorSettings(kind="openai", model="m", examples=count, examples_from=path).identity()

    copy, other = tmp_path / "copy.jsonl", tmp_path / "other.jsonl"
    copy.write_bytes(Path(pool).read_bytes())
    write_pool(other, POOL[:4])
    assert identify(3, pool) == identify(3, str(copy))
    assert len({str(identify(*each)) for each in ((3, pool), (2, pool), (3, str(other)))}) == 3
    plain = AuthorSettings(kind="openai", model="m").identity()
    assert "examples" not in plain and plain != identify(3, pool)


def test_prompt_without_examples_is_asked_without(open_for: Open, server: Server, tmp_path: Path) -> None:
    write_pool(tmp_path / "few.jsonl", POOL)
    author = open_for("openai", examples=3, examples_from=str(tmp_path / "few.jsonl"))
    assert ask_look(author).data
    assert list_shown(server) == []


@pytest.mark.parametrize("text", ["not json\n", '{"prompt_id": "x"}\n'])
def test_file_that_is_wrong_or_missing_is_one_clear_line(tmp_path: Path, open_for: Open, text: str) -> None:
    (tmp_path / "bad.jsonl").write_text(text)
    with pytest.raises(AuthorUnavailable, match="line 1"):
        read_pool(str(tmp_path / "bad.jsonl"))
    with pytest.raises(AuthorUnavailable, match="counterfoil prompts keep"):
        ask_script(open_for("openai", examples=3, examples_from=str(tmp_path / "none.jsonl")))
    with pytest.raises(ValidationError, match="go together"):
        AuthorSettings(kind="openai", model="m", examples=3)
