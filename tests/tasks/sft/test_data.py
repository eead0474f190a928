"""Instruction rows of small datasets, and their files."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image as Pillow

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.errors import StorageError
from counterfoil.storage.pictures import PictureChange
from counterfoil.storage.rows import Anchor, Contrast, Fact, Image
from counterfoil.storage.schemas import to_table
from counterfoil.storage.staged import StagedShards
from counterfoil.tasks.contract.domain import Question
from counterfoil.tasks.sft.asking import LeftOut, Wanted, ask_about
from counterfoil.tasks.sft.data import make_instructions
from counterfoil.tasks.sft.formats import write_instructions
from counterfoil.tasks.sft.rows import Instruction
from tests.tasks.sft.pictures import draw_png

CAPTION = "AB is 8. CD is 5."


def make_anchor(number: int, split: str = "train") -> Anchor:
    return Anchor(
        f"{number:032x}",
        "flowchart",
        "test",
        str(number),
        split,
        image=Image(draw_png(number), f"{number}.png"),
        caption=CAPTION,
        question="What is CD?",
        answer="5",
        solution="AB - 3 = 5.",
        facts=(*(Fact("node", (n,), n) for n in "abc"), Fact("arrow", ("a", "b")), Fact("arrow", ("b", "c"))),
    )


def make_contrasts(anchor: Anchor) -> list[Contrast]:
    """A negative picture with its caption, the caption by itself, and a wrong caption that has no picture."""
    own, alone = "AB is 7. CD is 5.", "AB is 8. CD is 4."
    picture = Image(draw_png(1000 + int(anchor.source_id)), "n.png")
    return [
        Contrast(anchor.anchor_id, "flowchart.caption", "negative", "text", text=own).accept(0, ("differs",)),
        Contrast(anchor.anchor_id, "flowchart.caption", "negative", "text", text=alone).accept(1, ("differs",)),
        Contrast(anchor.anchor_id, "flowchart.image", "negative", "image", text=own, image=picture).accept(0, ("d",)),
    ]


def ask(number: int, wanted: Wanted, questions: list[Question] | None = None, left_out: LeftOut | None = None):
    anchor = make_anchor(number)
    return ask_about(anchor, make_contrasts(anchor), questions or [], wanted, left_out or LeftOut())


def ask_many(kind: str, count: int = 200, questions: list[Question] | None = None) -> list[Instruction]:
    return [row for number in range(count) for row in ask(number, Wanted((kind,)), questions)]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory) -> Dataset:
    url = str(tmp_path_factory.mktemp("sft") / "night")
    anchors = [make_anchor(number, ("train", "test")[number % 2]) for number in range(8)]
    contrasts = [each for anchor in anchors[:6] for each in make_contrasts(anchor)]
    tables = {"anchors/domain=flowchart": to_table(anchors, "anchors")}
    for family in ("flowchart.caption", "flowchart.image"):
        of_family = [each for each in contrasts if each.family == family]
        tables[f"contrasts/family={family}"] = to_table(of_family, "contrasts")
    StagedShards(url).write("ab" * 32, tables)
    Dataset(url).publish({key: ["ab" * 32] for key in tables}, metadata={"recipe": {"dataset": {"title": "Night"}}})
    return Dataset(url)


def test_a_problem_is_answered_by_its_solution_and_the_boxed_answer():
    (row,) = ask(1, Wanted(("solve",)))
    assert row.prompt.startswith("What is CD?") and row.response == "AB - 3 = 5.\n\\boxed{5}" and row.answer == "5"


def test_neither_caption_nor_picture_tells_whether_one_is_true_of_the_other():
    (anchor,) = {row.anchor_id for row in ask(5, Wanted(("true",)))}
    rows = ask(5, Wanted(("true",)))
    for shown in (lambda row: row.prompt, lambda row: row.pictures):
        answers = Counter((shown(row), row.answer) for row in rows)
        assert set(answers.values()) == {1} and Counter(answer for _, answer in answers) == {"yes": 2, "no": 2}
    right = {(CAPTION in row.prompt) == (row.pictures[0] == draw_png(int(anchor, 16))): row.answer for row in rows}
    assert right == {True: "yes", False: "no"}


def test_a_wrong_caption_without_a_picture_is_asked_of_the_anchors():
    anchor = make_anchor(5)
    rows = ask_about(anchor, make_contrasts(anchor)[1:2], [], Wanted(("true",)), LeftOut())
    assert [row.answer for row in rows] == ["yes", "no"] and "CD is 4" in rows[1].prompt


def test_of_two_captions_with_pictures_the_text_does_not_tell_which_is_true():
    rows = [row for row in ask_many("which_caption", 400) if "AB is 7" in row.prompt]
    told = Counter((row.prompt, row.answer) for row in rows)
    assert len(rows) == 400 and len(told) == 4
    assert all(70 < count < 130 for count in told.values())


def test_which_picture_a_caption_describes_is_drawn():
    rows = ask_many("which_picture", 400)
    assert len({row.prompt for row in rows}) == 1
    assert 160 < Counter(row.answer for row in rows)["first"] < 240
    right = [row.pictures[row.answer == "second"] for row in rows]
    assert right == [draw_png(int(row.anchor_id, 16)) for row in rows]


def test_a_difference_is_told_by_the_sentences_of_one_picture_alone():
    row = next(row for row in ask_many("differs", 20) if row.pictures[0] == draw_png(int(row.anchor_id, 16)))
    assert row.response == "First picture: AB is 8.\nSecond picture: AB is 7."


def test_questions_of_yes_and_no_are_balanced_and_what_is_left_out_is_counted():
    questions = [Question("relation", f"Is {n}?", "yes") for n in range(5)] + [Question("relation", "Is not?", "no")]
    left_out = LeftOut()
    rows = ask(3, Wanted(("question",), most=9), questions, left_out)
    assert sorted(row.answer for row in rows) == ["no", "yes"]
    assert left_out.counts == {"yes and no out of balance": 4}


def test_the_same_seed_gives_the_same_rows_and_another_seed_others(dataset):
    snapshot = dataset.snapshot()
    first, again, other = ([row.row_id for row in make_instructions(snapshot, Wanted(seed=s))] for s in (1, 1, 2))
    assert first == again and first != other and len(set(first)) == len(first)


def test_anchors_without_contrasts_are_asked_about_too(dataset):
    rows = list(make_instructions(dataset.snapshot(), Wanted()))
    kinds = {row.kind for row in rows if row.anchor_id == make_anchor(7).anchor_id}
    assert kinds == {"solve", "caption", "question"}


def test_llava_files_hold_every_row_with_its_pictures_those_of_several_apart(dataset, tmp_path):
    rows = list(make_instructions(dataset.snapshot(), Wanted()))
    done = write_instructions(iter(rows), tmp_path / "out", "llava")
    files = sorted((tmp_path / "out").glob("*.json"))
    assert {"train.json", "train.several.json"} <= {file.name for file in files}
    read = {file.name: json.loads(file.read_text()) for file in files}
    assert done.rows == {"instructions": len(rows)}
    assert {each["id"] for listed in read.values() for each in listed} == {row.row_id for row in rows}
    for name, listed in read.items():
        for each in listed:
            # LLaVA-1.5's loader joins the folder's name and this text, and opens what is there.
            names = each["image"] if "several" in name else [each["image"]]
            assert len(names) == 1 or "several" in name
            assert each["conversations"][0]["value"].count("<image>") == len(names)
            assert all(Pillow.open(tmp_path / "out" / shown).size == (24, 16) for shown in names)
    assert "| true |" in (tmp_path / "out" / "README.md").read_text()


def test_instructions_are_written_as_they_come(dataset, tmp_path):
    rows = list(make_instructions(dataset.snapshot(), Wanted()))
    seen = []

    def watch():
        for row in rows:
            yield row
            seen.append(sum(1 for _ in tmp_path.rglob("images/*")))

    write_instructions(watch(), tmp_path / "out", "llava")
    assert seen[0] >= 1 and seen[len(rows) // 2] < seen[-1]


def test_messages_hold_a_place_for_each_picture_and_changed_pictures(dataset, tmp_path):
    rows = list(make_instructions(dataset.snapshot(), Wanted(("differs", "caption"))))
    write_instructions(rows, tmp_path / "out", "messages", change=PictureChange(scale=0.5))
    read = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text().splitlines()]
    for each in read:
        user, assistant = each["messages"]
        assert [part["type"] for part in user["content"]] == ["image"] * len(each["images"]) + ["text"]
        assert assistant["role"] == "assistant"
        assert Pillow.open(tmp_path / "out" / each["images"][0]).size == (12, 8)


def test_a_folder_that_is_not_empty_is_left_alone(dataset, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(StorageError, match="is not empty"):
        write_instructions(make_instructions(dataset.snapshot(), Wanted()), tmp_path, "llava")
    assert [path.name for path in Path(tmp_path).iterdir()] == ["mine.txt"]
