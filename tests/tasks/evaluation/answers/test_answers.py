"""Questions read from files, asked with and without pictures, kept, and scored as formulas and options."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.needing import skip_without

skip_without("math_verify", reason="answers need an extra: pip install 'counterfoil[sft]'")

from counterfoil.storage.pictures import open_picture
from counterfoil.tasks.evaluation.answers import scoring
from counterfoil.tasks.evaluation.answers.asking import BLIND, SEEN, SMALL, TURNED, Endpoint, ask_items, score_answers
from counterfoil.tasks.evaluation.answers.reading import read_items
from counterfoil.tasks.evaluation.answers.scoring import is_equal, is_right
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.llm.settings import AuthorSettings
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
    ("given", "gold", "same"),
    [
        ("read", "dear", False),
        ("\\angle ABC", "\\angle BCA", False),
        ("∠ABC", "\\angle ABC", True),
        ("\\text{Yes}", "yes", True),
        ("ba", "ab", True),
        ("\\sqrt{ba}", "\\sqrt{ab}", True),
    ],
)
def test_words_and_names_of_figures_are_no_products_of_letters(given, gold, same):
    assert is_equal(given, gold) is same


@pytest.mark.parametrize(
    ("gold", "given"),
    [
        ("5*pi/4", "\\frac{5\\pi}{4}"),
        ("180*acos(13/15)/pi", "\\frac{180\\arccos\\frac{13}{15}}{\\pi}"),
        ("32*sqrt(6)/sqrt(sqrt(5)+5)", "\\frac{32\\sqrt{6}}{\\sqrt{\\sqrt{5}+5}}"),
        ("2**3", "8"),
        ("5", "5cm^2"),
    ],
)
def test_a_program_s_notation_and_latex_are_the_same_formula(gold, given):
    assert is_equal(given, gold) and not is_equal(given, f"{gold}+1")


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
    ("named", "rows", "message"),
    [
        ("llave:q.json", [], "names no questions"),
        ("llava:{}", [{"id": 1}], "row 0: no conversation"),
        ("llava:{}", [], "holds no questions"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(tmp_path, named, rows, message):
    with pytest.raises(EvaluationError, match=message):
        read_items(named.format(write(tmp_path / "q.json", rows)))


def test_pictures_are_also_shown_turned_and_at_half_size(tmp_path):
    class Measurer(Looker):
        def answer(self, prompts: Sequence[str], pictures: Sequence[Sequence[bytes]]) -> list[str]:
            assert len(prompts) == len(pictures)
            return ["x".join(map(str, open_picture(shown[0]).size)) for shown in pictures]

    items = read_items(f"llava:{write(tmp_path / 'q.json', llava_rows(1))}")
    given = ask_items(Measurer(), items, tmp_path / "kept.jsonl", conditions=(SEEN, TURNED, SMALL))
    assert [each.text for each in given] == ["24x16", "30x26", "12x8"]


def test_formulas_are_compared_in_a_thread_of_a_flow_too():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(is_equal, "\\frac{1}{2}", "0.5").result()


def test_an_answer_that_takes_too_long_to_compare_is_counted_and_the_log_is_quiet(tmp_path, monkeypatch, caplog):
    class Powers(Looker):
        def answer(self, prompts: Sequence[str], pictures: Sequence[Sequence[bytes]]) -> list[str]:
            return ["\\boxed{9^{9^{9^{9}}}}"] * len(super().answer(prompts, pictures))

    monkeypatch.setattr(scoring, "_LIMIT_S", 1)
    items = read_items(f"llava:{write(tmp_path / 'q.json', llava_rows(1))}")
    (given,) = ask_items(Powers(), items, tmp_path / "kept.jsonl", conditions=(SEEN,))
    assert given.slow and not given.right
    assert [each.slow for each in score_answers([given])] == [1, 1]
    assert "Timeout" not in caplog.text


def test_any_wording_of_an_answer_is_right_and_numbers_are_rounded_as_the_benchmark_says():
    assert is_right("\\boxed{six edges}", "6", also=("Six Edges",))
    assert is_right("1.249", "1.2", decimals=1) and not is_right("1.249", "1.2")


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
