"""Questions read from files, asked with and without pictures, kept, and scored as formulas and options."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("math_verify", reason="answers need an extra: pip install 'counterfoil[sft]'")

from tasks.evaluation.answers.asking import BLIND, SEEN, Endpoint, ask_items, score_answers
from tasks.evaluation.answers.reading import read_items
from tasks.evaluation.answers.scoring import is_equal, is_right
from tasks.evaluation.errors import EvaluationError
from tasks.llm.settings import AuthorSettings
from tests.tasks.sft.pictures import draw_png


class Looker:
    """Answers 4 where it sees a picture, and 7 where it sees none; counts what it was asked."""

    name = "looker"

    def __init__(self) -> None:
        self.asked = 0

    def answer(self, prompts: Sequence[str], pictures: Sequence[Sequence[bytes]]) -> list[str]:
        self.asked += len(prompts)
        return ["So \\boxed{\\frac{8}{2}}." if shown else "\\boxed{7}" for shown in pictures]


def write(path: Path, rows: object) -> str:
    path.write_text(json.dumps(rows))
    (path.parent / "a.png").write_bytes(draw_png(1))
    return str(path)


def llava_rows(count: int) -> list[dict[str, object]]:
    turns = [{"from": "human", "value": "<image>\nHow many?"}, {"from": "gpt", "value": "\\boxed{4}"}]
    return [
        {"id": n, "image": "a.png", "conversations": turns, "kind": "question", "answer": "4"} for n in range(count)
    ]


@pytest.mark.parametrize(
    ("given", "gold", "same"),
    [
        ("\\frac{\\sqrt{2}}{2}", "\\frac{1}{\\sqrt{2}}", True),
        ("60^{\\circ}", "60", True),
        ("12 cm", "12", True),
        ("(1, 2]", "(1,2]", True),
        ("x^2+2x+1", "(x+1)^2", True),
        ("\\frac{1}{3}", "0.5", False),
        ("yes", "no", False),
        ("", "0", False),
    ],
)
def test_answers_are_compared_as_formulas(given, gold, same):
    assert is_equal(given, gold) is same


@pytest.mark.parametrize(
    ("text", "answer", "options", "right"),
    [
        ("\\boxed{B}", "B", ("3", "4"), True),
        ("The answer is 4.", "B", ("3", "4"), True),
        ("\\boxed{4}", "4", ("3", "4"), True),
        ("\\boxed{A}", "4", ("3", "4"), False),
        ("I think 3, no: \\boxed{\\frac{1}{2}}", "0.5", (), True),
        ("no idea", "B", ("3", "4"), False),
    ],
)
def test_an_option_is_named_by_letter_or_value(text, answer, options, right):
    assert is_right(text, answer, options) is right


def test_every_answer_is_kept_and_a_run_that_broke_off_asks_only_the_rest(tmp_path):
    items = read_items(f"llava:{write(tmp_path / 'q.json', llava_rows(5))}")
    kept = tmp_path / "out" / "answers.jsonl"
    whole = ask_items(Looker(), items, kept, batch=2)
    assert [(s.condition, s.items, s.accuracy, s.same_text) for s in score_answers(whole) if not s.part] == [
        (SEEN, 5, 1.0, 0.0),
        (BLIND, 5, 0.0, 0.0),
    ]
    lines = kept.read_text().splitlines(keepends=True)
    kept.write_text("".join(lines[:3]) + lines[3][:20])
    looker = Looker()
    assert ask_items(looker, items, kept, batch=2) == whole and looker.asked == 7
    looker.name = "other"
    with pytest.raises(EvaluationError, match="holds answers of looker"):
        ask_items(looker, items, kept)


@pytest.mark.parametrize(
    ("name", "row", "part", "options", "answer"),
    [
        ("mmmath", {"question": "q", "answer": "5", "file_name": "a.png", "difficult": "hard"}, "hard", (), "5"),
        (
            "mathvista",
            {
                "pid": "1",
                "question": "q",
                "answer": "4",
                "image": "a.png",
                "choices": ["3", "4"],
                "metadata": {"task": "GPS"},
            },
            "GPS",
            ("3", "4"),
            "4",
        ),
        ("geoqa", {"id": 1, "subject": "q", "label": 1, "image": "a.png", "choices": ["3", "4"]}, "", ("3", "4"), "B"),
        (
            "wemath",
            {"ID": "1", "question": "q", "answer": "B", "image_path": "a.png", "option": "A. 3; B. 4", "key": "S2"},
            "S2",
            ("3", "4"),
            "B",
        ),
        ("flowvqa", {"Q": "q", "A": "End", "image": "a.png", "type": "flow"}, "flow", (), "End"),
    ],
)
def test_benchmarks_are_read_in_their_layouts(tmp_path, name, row, part, options, answer):
    (item,) = read_items(f"{name}:{write(tmp_path / 'q.json', [row])}")
    assert (item.part, item.options, item.answer) == (part, options, answer)
    assert item.prompt.startswith("q\n") and item.pictures == (tmp_path / "a.png",)


@pytest.mark.parametrize(
    ("named", "rows", "message"),
    [
        ("llave:q.json", [], "names no questions"),
        ("llava:{}", [{"id": 1}], "row 0: no conversation"),
        ("mmmath:{}", [{"question": "q", "answer": "5"}], "row 0: needs question, answer, image or file_name"),
        ("flowvqa:{}", [{"Q": "q", "A": "a", "image": "b.png"}], r"picture .*b\.png is not there"),
        ("llava:{}", [], "holds no questions"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(tmp_path, named, rows, message):
    with pytest.raises(EvaluationError, match=message):
        read_items(named.format(write(tmp_path / "q.json", rows)))


def test_an_endpoint_is_asked_with_and_without_the_pictures(httpserver, tmp_path):
    answers = {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "\\boxed{4}"}}]
    }
    whole = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", **answers}
    httpserver.expect_request("/v1/chat/completions").respond_with_json(whole)
    items = read_items(f"llava:{write(tmp_path / 'q.json', llava_rows(2))}")
    settings = AuthorSettings(kind="vllm", model="m", base_url=httpserver.url_for("/v1"))
    given = ask_items(Endpoint(settings), items, tmp_path / "out" / "a.jsonl")
    assert [each.right for each in given] == [True] * 4
    shown = ["image_url" in request.get_data(as_text=True) for request, _ in httpserver.log]
    assert shown == [True, True, False, False]
