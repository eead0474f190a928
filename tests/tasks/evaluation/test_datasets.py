"""Our own datasets as evaluation sets: over all, among hard negatives, by split, group and family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from counterfoil.storage.dataset import Dataset
from counterfoil.storage.rows import Anchor, Contrast, Image, View, content_id, fingerprint
from counterfoil.storage.schemas import to_table
from counterfoil.tasks.evaluation.among import BOTH_WAYS
from counterfoil.tasks.evaluation.benchmark import Benchmark, Options
from counterfoil.tasks.evaluation.errors import EvaluationError
from counterfoil.tasks.evaluation.evaluate import MODEL, Entry, Sheet, evaluate
from counterfoil.tasks.evaluation.outcomes import Figure
from counterfoil.tasks.evaluation.protocols import load_benchmark
from tests.tasks.evaluation.folders import near_miss, sentence
from tests.tasks.evaluation.scorers import Given, at
from tests.tasks.tells.rows import make_anchors, make_pictures, make_texts, store


def publish(folder: Path, anchors: Sequence[Anchor], contrasts: Sequence[Contrast] = ()) -> str:
    """A dataset of these rows, each under its own domain and family."""
    dataset = Dataset(str(folder))
    rows: dict[str, list] = {}
    for anchor in anchors:
        rows.setdefault(f"anchors/domain={anchor.domain}", []).append(anchor)
    for contrast in contrasts:
        rows.setdefault(f"contrasts/family={contrast.family}", []).append(contrast)
    tables = {key: to_table(own, key.partition("/")[0]) for key, own in rows.items()}
    keys = {key: [fingerprint(key, table.to_pylist())] for key, table in tables.items()}
    for key, (name,) in keys.items():
        dataset.staged.write(name, {key: tables[key]})
    dataset.publish(keys)
    return str(folder)


def anchor(number: int, domain: str = "toy", split: str = "test", **more) -> Anchor:
    made = make_anchors(1, seed=100 + number)[0]
    values = {"anchor_id": content_id("a", number), "domain": domain, "split": split, "source_id": str(number)}
    return replace(made, **values, caption=sentence(number), captions=(), **more)


def text(of: Anchor, family: str, rank: int, text: str, role: str = "negative") -> Contrast:
    return Contrast(of.anchor_id, family, role, "text", text=text).accept(rank, ("differs",))


def picture(of: Anchor, family: str, rank: int, seed: int) -> Contrast:
    image = make_anchors(1, seed=seed)[0].image
    return Contrast(of.anchor_id, family, "negative", "image", text="other", image=image).accept(rank, ("differs",))


def load(place: str, name: str = "own", **options) -> Benchmark:
    return load_benchmark(place if name == "own" else f"{name}:{place}", Options(**options))


def figures(sheet: Sheet, task: str, kind: str = MODEL) -> dict[str, Figure]:
    (table,) = [table for table in sheet.tables if table.task == task]
    return {figure.name: figure for row in table.rows if row.kind == kind for figure in row.figures}


def score(benchmark: Benchmark, encoder, **more) -> Sheet:
    return evaluate(benchmark, [Entry(encoder, MODEL)], **{"blind": False, **more})


def by_picture(anchors: Sequence[Anchor], degrees: Sequence[float], other: float = 45.0):
    known = {each.image.bytes: angle for each, angle in zip(anchors, degrees, strict=True) if each.image}
    return lambda content: at(known.get(content, other))


def test_only_the_test_split_is_asked_about_where_there_is_one(tmp_path):
    anchors = [anchor(number, split="test" if number % 3 == 0 else "train") for number in range(9)]
    place = publish(tmp_path / "set", anchors)
    (first, _) = load(place).tasks
    assert set(first.items) == {each.anchor_id for each in anchors[::3]}
    assert load(place).notes == ("3 anchors of split test (the dataset has 3 test, 6 train)",)
    assert len(load(place, split="train").tasks[0].items) == 6
    with pytest.raises(EvaluationError, match="no anchors of split 'val': it has test, train"):
        load(place, split="val")


def test_without_a_test_split_all_count_and_the_sheet_says_so(tmp_path):
    place = publish(tmp_path / "set", [anchor(number, split="train") for number in range(3)])
    benchmark = load(place)
    assert len(benchmark.tasks[0].items) == 3
    assert "no split is called test" in benchmark.notes[0]


def test_equal_captions_are_one_document_and_a_group_answers_for_its_own(tmp_path):
    anchors = [anchor(0, group="g"), anchor(1, group="g"), anchor(2), anchor(3)]
    anchors[3] = replace(anchors[3], caption=anchors[2].caption)
    benchmark = load(publish(tmp_path / "set", anchors))
    to_text, to_image = benchmark.tasks
    assert len(to_text.documents) == 3 and len(to_image.documents) == 4
    # The first picture is nearer to the second's caption than to its own: in one group that is right.
    texts = {sentence(0): at(0), sentence(1): at(10), sentence(2): at(80)}
    found = score(benchmark, Given(texts, by_picture(anchors, [9, 11, 79, 81])))
    assert figures(found, "toy: image to text")["R@1"].value == 1
    assert figures(found, "toy: text to image")["R@1"].value == 1
    assert figures(found, "toy: image to text")["R@1"].ties == 0


def test_a_picture_is_asked_against_all_of_a_familys_texts_and_a_caption_against_all_of_its_pictures(tmp_path):
    anchors = [anchor(number) for number in range(2)]
    rows = [
        text(each, "toy.words", rank, f"{near_miss(place)} {rank}")
        for place, each in enumerate(anchors)
        for rank in (0, 1)
    ]
    rows += [
        picture(each, "toy.drawn", rank, 7 * place + rank) for place, each in enumerate(anchors) for rank in (0, 1)
    ]
    benchmark = load(publish(tmp_path / "set", anchors, rows))
    texts = {sentence(0): at(10), f"{near_miss(0)} 0": at(20), f"{near_miss(0)} 1": at(30)}
    texts |= {sentence(1): at(20), f"{near_miss(1)} 0": at(10), f"{near_miss(1)} 1": at(30)}
    found = score(benchmark, Given({**texts, "other": at(12)}, by_picture(anchors, [0, 0], other=15.0)))
    words = figures(found, "toy.words: image to text")
    assert words["Hit@1"].value == 0.5 and words["beaten"].value == 0.75
    assert words["MRR"].value == pytest.approx((1 + 1 / 2) / 2) and words["R@3"].value == 1
    drawn = figures(found, "toy.drawn: text to image")
    assert drawn["Hit@1"].value == 0 and drawn["Hit@1"].items == 2
    both = {way: figures(found, f"toy.drawn, two pictures and captions: {way}") for way in BOTH_WAYS}
    assert [each["right"].value for each in both.values()] == [0.5, 0, 0]
    assert both["group"]["right"].items == 4
    assert figures(found, "toy.words: image to text", "chance")["Hit@1"].value == pytest.approx(1 / 3)


def test_contrasts_are_asked_about_by_what_they_change(tmp_path):
    anchors = [anchor(number) for number in range(2)]
    changes = (("number",), ("number", "shape"), None)
    rows = [
        replace(text(each, "toy.words", rank, f"{near_miss(place)} {rank}"), changes=changes[rank])
        for place, each in enumerate(anchors)
        for rank in range(3)
    ]
    rows += [picture(each, "toy.drawn", 0, place) for place, each in enumerate(anchors)]
    place = publish(tmp_path / "set", anchors, rows)
    texts = {sentence(0): at(10), f"{near_miss(0)} 0": at(20), f"{near_miss(0)} 1": at(5), f"{near_miss(0)} 2": at(0)}
    texts |= {sentence(1): at(10), f"{near_miss(1)} 0": at(20), f"{near_miss(1)} 1": at(30), f"{near_miss(1)} 2": at(0)}
    found = score(load(place), Given({**texts, "other": at(90)}, by_picture(anchors, [0, 0])))
    by_change = figures(found, "toy.words: image to text, by what changes")
    assert {name: (each.value, each.items) for name, each in by_change.items()} == {
        "number": (0.75, 2),
        "shape": (0.5, 2),
    }
    # Where it is not measured what changes, nothing is asked by it.
    assert not [table.task for table in found.tables if table.task.startswith("toy.drawn") and "changes" in table.task]


def test_texts_that_are_near_misses_of_the_code_stand_beside_the_code(tmp_path):
    anchors = [replace(anchor(number), code=f"draw({number}, {number + 5})") for number in range(3)]
    rows = [text(each, "toy.code", 0, each.code.replace("draw", "drew")) for each in anchors]
    task = load(publish(tmp_path / "set", anchors, rows)).tasks[-1]
    assert task.name == "toy.code: image to text"
    right = task.candidate[task.right].tolist()
    benchmark = load(str(tmp_path / "set"))
    assert [benchmark.material.text_of(node) for node in right] == [
        each.code for each in sorted(anchors, key=lambda each: each.anchor_id)
    ]


def test_hard_positives_are_no_wrong_answers(tmp_path):
    anchors = [anchor(number) for number in range(2)]
    rows = [text(each, "toy.same", 0, f"same {each.source_id}", "positive") for each in anchors]
    assert [task.name for task in load(publish(tmp_path / "set", anchors, rows)).tasks] == [
        "toy: image to text",
        "toy: text to image",
    ]


def test_statements_without_pictures_ask_for_their_views_and_rewordings(tmp_path):
    anchors = [
        replace(
            anchor(number), image=None, views=(View("informal", sentence(number)), View("lean_type", f"type {number}"))
        )
        for number in range(3)
    ]
    rows = [text(each, "toy.rephrase", 0, f"reworded {each.source_id}", "positive") for each in anchors]
    rows += [text(each, "toy.negative", rank, f"false {each.source_id} {rank}") for each in anchors for rank in (0, 1)]
    benchmark = load(publish(tmp_path / "set", anchors, rows), instruction="Same: ")
    assert [task.name for task in benchmark.tasks] == [
        "toy: statement to lean_type",
        "toy: statement to toy.rephrase",
        "toy.negative: statement to text",
    ]
    texts = {}
    for number in range(3):
        texts |= {f"Same: {sentence(number)}": at(30 * number), f"type {number}": at(30 * number + 3)}
        texts |= {f"reworded {number}": at(30 * number + 20), f"false {number} 0": at(30 * number + 5)}
        texts |= {f"false {number} 1": at(30 * number + 6)}
    found = score(benchmark, Given(texts))
    assert figures(found, "toy: statement to lean_type")["R@1"].value == 1
    assert figures(found, "toy: statement to toy.rephrase")["R@1"].value == pytest.approx(1 / 3)
    assert figures(found, "toy.negative: statement to text")["Hit@1"].value == 1


def test_statements_of_three_views_are_asked_in_six_directions(tmp_path):
    def view(number: int) -> tuple[View, ...]:
        return (
            View("informal", sentence(number)),
            View("lean_signature", f"theorem {number}"),
            View("lean_type", f"type {number}"),
        )

    anchors = [replace(anchor(number), image=None, views=view(number)) for number in range(3)]
    benchmark = load(publish(tmp_path / "set", anchors, []))
    names = ("statement", "lean_signature", "lean_type")
    assert {task.name for task in benchmark.tasks} == {f"toy: {a} to {b}" for a in names for b in names if a != b}
    texts = {}
    for number in range(3):
        # Types lie near the next statement's signature.
        texts |= {sentence(number): at(40 * number), f"theorem {number}": at(40 * number + 5)}
        texts |= {f"type {number}": at(40 * number + 35)}
    found = score(benchmark, Given(texts))
    assert figures(found, "toy: lean_signature to statement")["R@1"].value == 1
    assert figures(found, "toy: lean_type to statement")["R@1"].value == pytest.approx(1 / 3)


def test_a_family_that_gives_itself_away_is_told_by_a_system_that_sees_no_picture(tmp_path):
    anchors = make_anchors(60)
    dataset = store(tmp_path / "set", anchors, make_texts(anchors, told=1))
    sheet = evaluate(load(dataset.store.url), [])
    (table,) = [table for table in sheet.tables if table.task == "toy.text: image to text"]
    found = {row.system: row.figures[0].value for row in table.rows}
    assert found["text only: n-grams"] > 0.9 and found["chance"] == pytest.approx(0.25)
    # A fair family: the same sentences without the word that tells.
    fair = store(tmp_path / "fair", anchors, make_texts(anchors))
    sheet = evaluate(load(fair.store.url), [])
    (table,) = [table for table in sheet.tables if table.task == "toy.text: image to text"]
    assert {row.system: row.figures[0] for row in table.rows}["text only: n-grams"].low < 0.25


def flowcharts(tmp_path: Path, count: int = 3) -> str:
    anchors = [anchor(number, "flowchart") for number in range(count)]
    rows = [
        text(each, "flowchart.caption", rank, f"wrong {each.source_id} {rank}") for each in anchors for rank in range(7)
    ]
    rows += [text(each, "flowchart.codeswap", 0, f"code {each.source_id}") for each in anchors]
    rows += [
        picture(each, "flowchart.image", rank, 50 * place + rank)
        for place, each in enumerate(anchors)
        for rank in range(9)
    ]
    return publish(tmp_path / "set", anchors, rows)


def test_saclip_takes_six_captions_and_eight_pictures_and_its_three_figures_differ(tmp_path):
    place = flowcharts(tmp_path)
    benchmark = load(place, "saclip")
    texts_task, images_task = benchmark.tasks[2:]
    assert [len(task.candidate) for task in (texts_task, images_task)] == [3 * 7, 3 * 9]
    # Of three pictures the caption stands first, second and fifth among its seven.
    texts = {}
    for number, ahead in enumerate((0, 1, 4)):
        texts[sentence(number)] = at(20)
        texts |= {f"wrong {number} {rank}": at(10 if rank < ahead else 40) for rank in range(7)}
    found = figures(score(benchmark, Given(texts, lambda _: at(0))), "hard negatives: image to text")
    assert found["R@1"].value == pytest.approx(1 / 3) and found["R@3"].value == pytest.approx(2 / 3)
    assert found["MRR@3"].value == pytest.approx((1 + 1 / 2 + 0) / 3)


def test_saclips_mrr_over_all_is_nought_beyond_the_ten_retrieved(tmp_path):
    anchors = [anchor(number, "flowchart") for number in range(12)]
    benchmark = load(publish(tmp_path / "set", anchors), "saclip")
    texts = {sentence(number): at(number) for number in range(12)}
    found = figures(score(benchmark, Given(texts, lambda _: at(0))), "flowchart: image to text")
    assert found["MRR@10"].value == pytest.approx(sum(1 / rank for rank in range(1, 11)) / 12)
    assert "absent: hard negatives of flowchart.caption" in benchmark.notes


def geometry(tmp_path: Path, count: int = 6) -> str:
    anchors = [anchor(number, "geometry") for number in range(count)]
    rows = [
        text(each, "geometry.rule", rank, f"{near_miss(int(each.source_id))} {rank}")
        for each in anchors
        for rank in range(12)
    ]
    rows += [
        picture(each, "geometry.image", rank, 50 * place + rank)
        for place, each in enumerate(anchors)
        for rank in range(2)
    ]
    return publish(tmp_path / "set", anchors, rows)


def test_mmgeolms_sets_have_ten_fixed_negatives_and_absent_ones_are_named(tmp_path):
    place = geometry(tmp_path)
    benchmark = load(place, "mmgeolm")
    assert [task.name for task in benchmark.tasks] == [
        "random: image to text",
        "rule: image to text",
        "image: text to image",
    ]
    assert "absent: retrieval (the dataset has no rows of geometry.retrieval)" in benchmark.notes
    random, rule, _ = benchmark.tasks
    assert len(rule.candidate) == 6 * 11 and len(random.candidate) == 6 * 6
    assert load(place, "mmgeolm").hash_data(pictures=True) == benchmark.hash_data(pictures=True)


def test_a_dataset_of_another_domain_is_told(tmp_path):
    place = geometry(tmp_path)
    with pytest.raises(EvaluationError, match=r"saclip: .* has no flowcharts, but geometry"):
        load(place, "saclip")
    with pytest.raises(EvaluationError, match="holds no dataset"):
        load(str(tmp_path / "nowhere"))


def test_the_hash_of_the_data_changes_with_a_picture_and_not_with_the_place(tmp_path):
    anchors = [anchor(number) for number in range(3)]
    first = load(publish(tmp_path / "a", anchors)).hash_data(pictures=True)
    assert load(publish(tmp_path / "b", anchors)).hash_data(pictures=True) == first
    anchors[1] = replace(anchors[1], image=Image(make_anchors(1, seed=9)[0].image.bytes, "1.png"))
    assert load(publish(tmp_path / "c", anchors)).hash_data(pictures=True) != first


def test_the_judge_of_pixels_is_asked_only_where_it_is_wanted(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setattr("counterfoil.tasks.tells.pixels._STEPS", 4)
    anchors = make_anchors(24)
    dataset = store(tmp_path / "set", anchors, make_pictures(anchors, 1, more=9))
    benchmark = load(dataset.store.url)
    told = {}
    for pixels in (False, True):
        sheet = evaluate(benchmark, [], pixels=pixels)
        (table,) = [table for table in sheet.tables if table.task == "toy.picture: text to image"]
        told[pixels] = {row.system for row in table.rows}
    assert told[True] - told[False] == {"picture only: pixels"}
    assert "picture only: features" in told[False]
