"""The families on scenes of our own: they reach their count, and what is wrong is caught whatever it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from counterfoil.storage.rows import Anchor, Contrast, Edit, Image
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.verdict import Verdict
from tests.tasks.caption.conftest import Made

Scenes = tuple[Made, Context[Any]]
LEAST = {
    "caption.concrete": 0.85,
    "caption.scene": 0.95,
    "caption.edit": 0.9,
    "caption.mask": 0.85,
    "caption.swap": 0.2,
}


@pytest.fixture(scope="module")
def rows(scenes: Scenes) -> dict[str, list[Contrast]]:
    """Of the first dozen scenes."""
    made, ready = scenes
    return {family: made.make(family, ready, 12)[0] for family in LEAST}


def verify(scenes: Scenes, contrast: Contrast, anchor: Anchor | None = None) -> Verdict:
    made, _ = scenes
    # As years later: with the settings alone, and nothing of what was prepared.
    return made.domain.families[contrast.family].verify(
        contrast, anchor or made.anchors[contrast.anchor_id], made.context
    )


@pytest.mark.slow
@pytest.mark.parametrize("family", LEAST)
def test_most_scenes_have_a_contrast_of_each_family(family: str, scenes: Scenes) -> None:
    made, ready = scenes
    assert len(made.make(family, ready)[0]) >= LEAST[family] * len(made.anchors)


@pytest.mark.parametrize("family", LEAST)
def test_accepted_rows_pass_again_from_their_bytes_alone(
    family: str, scenes: Scenes, rows: dict[str, list[Contrast]]
) -> None:
    for contrast in rows[family][:8]:
        verdict = verify(scenes, contrast)
        assert verdict.passed, verdict.reasons
        assert set(verdict.checks) == set(contrast.checks)


def test_the_plan_does_not_depend_on_order_or_shards(scenes: Scenes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterfoil.tasks.caption.plan.preparation.ENOUGH", 40)  # of four hundred are eight seconds
    made, _ = scenes
    prepared = made.domain.families["caption.concrete"].prepare
    assert prepared is not None
    anchors = list(made.anchors.values())[:10]
    parts = [prepared.make(i, shard, made.context) for i, shard in enumerate((anchors[6:][::-1], anchors[:6]))]
    from counterfoil.tasks.engine.prepare import HeldPart

    assert prepared.gather is not None
    again = prepared.gather([HeldPart(part) for part in parts], made.context)
    whole = prepared.gather([HeldPart(prepared.make(0, anchors, made.context))], made.context)
    assert again.equals(whole) and whole.num_rows > len(anchors)


Change = Callable[[Contrast], Contrast]
TEXT_CHANGES: dict[str, tuple[Change, str]] = {
    "another word as well": (
        lambda c: replace(
            c,
            text=(c.text or "")
            .replace(" to the ", " at the ", 1)
            .replace(" on a", " upon a", 1)
            .replace("In a ", "Near a ", 1)
            + " now",
        ),
        "only_named_words_changed",
    ),
    "nothing": (lambda c: replace(c, edits=(Edit("replace_obj", "dog", "dog"),)), "only_named_words_changed"),
    "an edit that did not happen": (
        lambda c: replace(c, edits=(Edit(c.edits[0].kind, "zebra", "okapi"),)),
        "only_named_words_changed",
    ),
    "two edits": (lambda c: replace(c, edits=c.edits * 2), "edits_named"),
    "a picture beside it": (lambda c: replace(c, image=Image(b"x", "x.png")), "text_alone"),
    "no text": (lambda c: replace(c, text=" "), "has_text"),
}


@pytest.mark.parametrize("name", TEXT_CHANGES)
def test_a_text_that_was_tampered_with_is_caught(name: str, scenes: Scenes, rows: dict[str, list[Contrast]]) -> None:
    change, reason = TEXT_CHANGES[name]
    for family in ("caption.concrete", "caption.mask", "caption.swap"):
        verdict = verify(scenes, change(rows[family][0]))
        assert not verdict.passed
        assert verdict.reasons[0].startswith(reason), (family, verdict.reasons)


SENTENCE = "A big dog sits on a red box in a room."


@pytest.mark.parametrize(
    ("target", "replacement", "reason"),
    [
        ("dog", "puppy", "excludes_original"),
        ("dog", "animal", "excludes_original"),
        ("big", "large", "excludes_original"),
        ("on", "on top of", "excludes_original"),
        ("on", "beside", "excludes_original"),
        ("dog", "qwertz", "word_known"),
        ("dog", "meadow", "told_by_sight"),
        ("box", "basket", "unsaid_elsewhere"),
        ("dog", "horse", "unsaid_elsewhere"),
        ("red", "pink", "of_a_kind"),
        ("dog", "cat", ""),
        ("red", "blue", ""),
        ("on", "under", ""),
        ("sits", "stands", ""),
        ("sits", "stand", "part_of_speech_kept"),
        ("in", "of", "excludes_original"),
        ("A", "The", "unit_replaced"),
    ],
)
def test_of_a_photograph_s_caption_only_sound_exchanges_pass(
    target: str, replacement: str, reason: str, scenes: Scenes
) -> None:
    captions = (SENTENCE, "A dog and a horse in a basket.")
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=SENTENCE, captions=captions)
    text = SENTENCE.replace(f" {target} ", f" {replacement} ").replace(
        "A big", f"{replacement} big" if target == "A" else "A big"
    )
    row = Contrast(
        "a", "caption.mask", "negative", "text", text=text, edits=(Edit("replace_obj", target, replacement),)
    )
    verdict = verify(scenes, row, anchor)
    assert verdict.passed == (reason == ""), verdict.reasons
    assert reason == "" or verdict.reasons[0].startswith(reason)


@pytest.mark.parametrize(
    ("sentence", "target", "replacement", "reason"),
    [
        ("A fire hydrant is standing on a street.", "standing", "sitting", "can_pose"),
        ("A dog is standing on a street.", "standing", "sitting", ""),
        ("A group of bikes sitting on a road.", "sitting", "standing", "can_pose"),
        ("A group of people sitting on a road.", "sitting", "standing", "said_of_one"),
        ("A lion beside two elephants.", "elephants", "paws", "told_by_sight"),
        ("A bowl with two bananas in it.", "bananas", "broccolis", "of_a_kind"),
        ("A dog is sleeping on a street.", "sleeping", "lying", "excludes_original"),
        ("A dog is lying on a street.", "lying", "sleeping", "excludes_original"),
        ("A boy is on a street.", "boy", "man", "excludes_original"),
        ("A boy is on a street.", "boy", "girl", ""),
        ("A computer and a mouse on a desk.", "mouse", "cow", "of_a_kind"),
        ("A male holding a phone.", "male", "zebra", "of_a_kind"),
        ("Three slices of pizza on a pan.", "pizza", "beer", "of_a_kind"),
        ("A man eats a sandwich.", "sandwich", "spaghetti", "countable"),
        ("A man eats a pizza.", "pizza", "sandwich", ""),
        ("A man with a tower in the background.", "tower", "bridge", "unit_replaced"),
        ("A low shot of a dog.", "low", "high", "unit_replaced"),
        ("A bird is sitting on a branch.", "sitting", "standing", "can_pose"),
        ("A zebra is standing in a field.", "standing", "walking", "of_a_kind"),
        ("A duck walks along a road.", "along", "across", "excludes_original"),
        ("A plate of eggs and toast.", "eggs", "elephants", "of_a_kind"),
        ("A slice of pizza lies on a plate.", "pizza", "bread", "told_by_sight"),
        ("A room with a couch.", "couch", "bench", "named_alone"),
        ("A bench and a couch in a room.", "couch", "bed", "named_alone"),
        ("A dog and a zebra in a field.", "zebra", "cow", ""),
        ("A large dog on a street.", "large", "small", "agreed_upon"),
        ("A red bus is in front of a white bus.", "in front of", "behind", "relates_unlike"),
        ("A man feeds a giraffe beside some people.", "man", "woman", "one_person"),
    ],
)
def test_what_two_captioners_may_say_of_one_picture_is_not_exchanged(
    sentence: str, target: str, replacement: str, reason: str, scenes: Scenes
) -> None:
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=sentence, captions=(sentence,))
    edits = (Edit("replace_obj", target, replacement),)
    row = Contrast("a", "caption.mask", "negative", "text", text=sentence.replace(target, replacement), edits=edits)
    verdict = verify(scenes, row, anchor)
    assert "".join(verdict.reasons).partition(":")[0] == reason


@pytest.mark.parametrize(
    ("sentence", "other", "target", "replacement", "reason"),
    [
        ("A large dog on a street.", "There is a big brown dog.", "large", "small", ""),
        ("A large dog on a street.", "A dog in a big house.", "large", "small", "agreed_upon"),
        ("Four buses are parked.", "Two buses in a street.", "Four", "Five", "agreed_upon"),
        ("Four buses are parked.", "Some buses in a street.", "Four", "Five", ""),
        ("A red hydrant on a street.", "An orange hydrant.", "red", "yellow", "unsaid_elsewhere"),
        ("A woman rides a horse.", "A man rides a horse.", "woman", "boy", "unsaid_elsewhere"),
    ],
)
def test_what_another_caption_leaves_in_doubt_is_not_exchanged(
    sentence: str, other: str, target: str, replacement: str, reason: str, scenes: Scenes
) -> None:
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=sentence, captions=(sentence, other))
    edits = (Edit("replace_obj", target, replacement),)
    row = Contrast("a", "caption.mask", "negative", "text", text=sentence.replace(target, replacement), edits=edits)
    assert "".join(verify(scenes, row, anchor).reasons).partition(":")[0] == reason


def test_who_is_taken_up_by_a_pronoun_is_left_alone(scenes: Scenes) -> None:
    sentence = "A woman takes a picture of herself."
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=sentence, captions=(sentence,))
    edits = (Edit("replace_obj", "woman", "man"),)
    row = Contrast("a", "caption.mask", "negative", "text", text=sentence.replace("woman", "man"), edits=edits)
    assert verify(scenes, row, anchor).reasons[0].startswith("unit_replaced")


@pytest.mark.parametrize(
    ("sentence", "first", "second", "passes"),
    [
        ("A cat is sleeping under a table.", "cat", "table", True),
        ("A red car is parked behind a blue truck.", "red", "blue", True),
        ("A blue, white, and green bus is parked.", "blue", "green", False),
        ("A cat is sitting next to a dog.", "cat", "dog", False),
        ("There are a cat and a dog.", "cat", "dog", False),
        ("A dog is behind another dog.", "dog", "dog", False),
        ("A puppy is under a dog.", "puppy", "dog", False),
        ("A man rides a wave on top of a surfboard.", "wave", "surfboard", False),
        ("A white zebra with black stripes.", "white", "black", False),
    ],
)
def test_only_what_says_something_else_changes_places(
    sentence: str, first: str, second: str, passes: bool, scenes: Scenes
) -> None:
    anchor = Anchor("a", "caption", "pairs", "1", "train", caption=sentence, captions=(sentence,))
    text = sentence.replace(first, "#").replace(second, first).replace("#", second)
    row = Contrast("a", "caption.swap", "negative", "text", text=text, edits=(Edit("swap_obj", first, second),))
    assert verify(scenes, row, anchor).passed == passes


def test_an_exchange_that_is_true_of_the_picture_is_refused(scenes: Scenes, rows: dict[str, list[Contrast]]) -> None:
    made, _ = scenes
    row = rows["caption.edit"][0]
    anchor = made.anchors[row.anchor_id]
    # The anchor with the edited picture: now the caption is true.
    shown = replace(anchor, vector=row.vector, image=row.image)
    text_row = replace(row, family="caption.scene", modality="text", image=None, vector=None)
    verdict = verify(scenes, text_row, shown)
    assert verdict.reasons[0].startswith("false_of_anchor")


def test_a_scene_s_caption_that_was_tampered_with_is_caught(scenes: Scenes, rows: dict[str, list[Contrast]]) -> None:
    made, _ = scenes
    row = next(each for each in rows["caption.scene"] if each.edits[0].kind == "replace_att")
    anchor = made.anchors[row.anchor_id]
    edit = row.edits[0]
    changes = {
        "text_alone": replace(row, image=anchor.image),
        "edits_measured": replace(row, edits=(Edit(edit.kind, edit.replacement, edit.target),)),
        "code_agrees": replace(row, text=anchor.caption),
        "scene_read": replace(row, code=(row.code or "").replace(",", ", ")),
        "caption_read": replace(row, text=f"{row.text} or so"),
    }
    for reason, changed in changes.items():
        assert verify(scenes, changed).reasons[0].startswith(reason), (reason, verify(scenes, changed).reasons)
    code = (row.code or "").replace(f'"{edit.replacement}"', f'"{edit.target}"', 1)
    assert not verify(scenes, replace(row, code=code)).passed


def test_an_edited_picture_that_was_tampered_with_is_caught(scenes: Scenes, rows: dict[str, list[Contrast]]) -> None:
    made, _ = scenes
    row, other = rows["caption.edit"][:2]
    anchor = made.anchors[row.anchor_id]
    assert anchor.image and other.image and row.image
    changes = {
        "picture_painted": replace(row, image=other.image),
        "own_caption_true": replace(row, image=anchor.image, vector=anchor.vector),
        "edits_measured": replace(row, edits=other.edits),
        "code_agrees": replace(row, text=other.text),
        "similarity_measured": replace(row, similarity=0.123),
        "scene_edited": replace(row, code=None),
        "scene_read": replace(row, code="{}"),
    }
    for reason, changed in changes.items():
        verdict = verify(scenes, changed)
        assert not verdict.passed
        assert verdict.reasons[0].startswith(reason), (reason, verdict.reasons)


def test_anchors_pass_and_tampered_ones_do_not(scenes: Scenes) -> None:
    made, _ = scenes
    anchor, other = list(made.anchors.values())[:2]
    check = made.domain.verify_anchor
    assert check(anchor, made.context).passed
    changes = {
        "picture_painted": replace(anchor, image=other.image),
        "first_caption": replace(anchor, caption="A dog."),
        "caption_true": replace(anchor, captions=(*anchor.captions, other.captions[0][:1] + other.captions[0][1:])),
        "facts_agree": replace(anchor, facts=anchor.facts[1:]),
        "things_named": replace(anchor, code=other.code),
        "complete": replace(anchor, captions=()),
    }
    for reason, changed in changes.items():
        verdict = check(changed, made.context)
        assert not verdict.passed, reason


def test_a_caption_of_another_scene_is_refuted_and_its_own_is_not(scenes: Scenes) -> None:
    made, _ = scenes
    anchor, other = list(made.anchors.values())[:2]
    assert made.domain.refutes(other.caption or "", anchor, made.context) is True
    assert made.domain.refutes(anchor.caption or "", anchor, made.context) is False
    assert made.domain.refutes("Colourless green ideas sleep furiously.", anchor, made.context) is None


def test_questions_of_a_scene_have_its_facts_as_answers(scenes: Scenes) -> None:
    made, _ = scenes
    questions = [question for anchor in made.anchors.values() for question in made.domain.questions(anchor)]
    assert {question.kind for question in questions} >= {"count", "colour", "relation"}
    assert all(question.text.endswith("?") and question.answer for question in questions)


def test_whether_a_thing_has_a_colour_is_asked_of_its_own_and_of_one_that_it_might_have(scenes: Scenes) -> None:
    made, _ = scenes
    for anchor in made.anchors.values():
        asked = [question for question in made.domain.questions(anchor) if question.kind == "coloured"]
        told = {question.text.rpartition(" ")[0]: set() for question in asked}
        for question in asked:
            told[question.text.rpartition(" ")[0]].add(question.answer)
        assert all(answers == {"yes", "no"} for answers in told.values())
