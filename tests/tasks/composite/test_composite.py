"""Two pictures in one: rows reach their count, and what is not false of both halves, or was tampered with, fails."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image as Pillow

import counterfoil
from counterfoil.storage.rows import Anchor, Contrast, Edit, Image
from counterfoil.tasks.composite.checks import find_false
from counterfoil.tasks.composite.families.exchange import Swap, touch
from counterfoil.tasks.composite.halves import Halves, read_composite
from counterfoil.tasks.composite.picture import GAP, cut_apart, join_pictures, read_pixels, write_pixels
from counterfoil.tasks.composite.saying import BESIDE, list_readings
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.contract.domain import SourceRow
from counterfoil.tasks.contract.wording import exchange, split_sentences
from counterfoil.tasks.engine.registry import load_domain
from counterfoil.tasks.engine.renderer import MemoRenderer
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts

DOMAIN = load_domain("composite")
SETTINGS = DOMAIN.settings_type(source="procedural:9", placed=0.5)
FAMILIES = ("composite.exchange", "composite.order", "composite.sentences")


@cache
def make() -> tuple[Context, list[Anchor]]:
    context = Context(SETTINGS, 7, MemoRenderer(), bounds=DOMAIN.bounds)
    rows = [row for row in DOMAIN.read(SETTINGS, 7, None) if isinstance(row, SourceRow)]
    made = [each for row in rows for each in make_anchors(DOMAIN, row, context)]
    return context, [each for each in made if isinstance(each, Anchor)]


@cache
def make_rows(family: str) -> list[tuple[Anchor, Contrast]]:
    context, anchors = make()
    made = [(anchor, row) for anchor in anchors for row in make_contrasts([DOMAIN.families[family]], anchor, context)]
    return [(anchor, row) for anchor, row in made if isinstance(row, Contrast)]


def verify(row: Contrast, anchor: Anchor) -> str:
    """The code of the reason why a row fails; empty where it passes."""
    reasons = DOMAIN.families[row.family].verify(row, anchor, make()[0]).reasons
    return reasons[0].partition(":")[0] if reasons else ""


def verify_anchor(anchor: Anchor) -> str:
    reasons = DOMAIN.verify_anchor(anchor, make()[0]).reasons
    return reasons[0].partition(":")[0] if reasons else ""


def test_every_domain_has_halves_and_rows_of_each_family():
    anchors = make()[1]
    assert {read_composite(anchor).halves[0].domain for anchor in anchors} == {"geometry", "flowchart", "caption"}
    assert len(anchors) >= 8
    assert len(make_rows("composite.exchange")) >= 0.9 * 4 * len(anchors)
    assert len(make_rows("composite.order")) >= 2
    assert len(make_rows("composite.sentences")) >= len(anchors)


@pytest.mark.parametrize("family", FAMILIES)
def test_rows_are_proved_and_verified_again_from_their_bytes(family):
    for anchor, row in make_rows(family):
        assert row.grade == "proved" and verify(row, anchor) == ""
        assert row.role == "positive" or row.changes


def test_halves_are_beside_or_above_each_other_and_cut_out_to_the_pixel():
    for anchor in make()[1]:
        made = read_composite(anchor)
        pixels = read_pixels(anchor.image.bytes)
        (width, height), (wide, high) = made.sizes
        box = (max(width, wide), max(height, high))
        shape = (box[1], 2 * box[0] + GAP) if made.beside else (2 * box[1] + GAP, box[0])
        assert pixels.shape[:2] == shape and verify_anchor(anchor) == ""


def test_pictures_of_other_shapes_stand_in_boxes_of_one_size():
    one, other = np.zeros((3, 8, 3), np.uint8), np.full((6, 2, 3), 9, np.uint8)
    for beside, shape in ((True, (6, 16 + GAP, 3)), (False, (12 + GAP, 8, 3))):
        joined = join_pictures([one, other], beside)
        assert joined.shape == shape
        # A line parts them: two charts would else look like one.
        across = joined[:, 8 : 8 + GAP].transpose(1, 0, 2) if beside else joined[6 : 6 + GAP]
        assert {len(set(map(tuple, row))) for row in across} == {1} and len({tuple(row[0]) for row in across}) == 2
        grey = [place for place in range(GAP) if across[place].max() < 255]
        assert grey[0] == GAP - 1 - grey[-1]
        cut = cut_apart(joined, [(8, 3), (2, 6)], beside)
        assert np.array_equal(cut[0], one) and np.array_equal(cut[1], other)


def test_a_pixel_that_is_no_halfs_or_another_picture_in_a_half_fails():
    anchor = make()[1][0]
    pixels = read_pixels(anchor.image.bytes).copy()
    made = read_composite(anchor)
    pixels[0, 0] = (1, 2, 3)
    codes = {verify_anchor(replace(anchor, image=Image(write_pixels(pixels), "x.png")))}
    turned = [read_pixels(half.image.bytes)[::-1] for half in made.halves]
    painted = write_pixels(join_pictures(turned, made.beside))
    codes.add(verify_anchor(replace(anchor, image=Image(painted, "x.png"))))
    assert codes <= {"picture_joined", "halves_verified"} and "halves_verified" in codes
    sink = BytesIO()
    Pillow.fromarray(read_pixels(anchor.image.bytes)).save(sink, "PNG", pnginfo=None, compress_level=1)
    assert verify_anchor(replace(anchor, image=Image(sink.getvalue(), "x.png"))) == "picture_joined"


def tamper(anchor: Anchor) -> Iterator[tuple[str, Anchor]]:
    """Lies about an anchor, each with the check that finds it."""
    plain = json.loads(anchor.code)

    def write(**changed) -> Anchor:
        return replace(anchor, code=json.dumps(plain | changed, ensure_ascii=False, sort_keys=True))

    yield "captions_joined", write(first=1 - plain["first"])
    yield "captions_joined", write(placed=not plain["placed"])
    yield "halves_read", write(more=1)
    yield "halves_read", write(halves=plain["halves"][:1])
    yield "halves_differ", write(halves=[plain["halves"][0]] * 2)
    yield "complete", replace(anchor, captions=(anchor.caption, "A dog."))
    yield "nothing_else", replace(anchor, answer="8")
    yield "facts_agree", replace(anchor, facts=anchor.facts[:1])


@pytest.mark.parametrize("at", range(3))
def test_an_anchor_that_was_tampered_with_fails_by_the_check_that_names_it(at):
    for code, lie in tamper(make()[1][at]):
        assert verify_anchor(lie) == code


def test_an_exchange_in_one_half_alone_or_of_nothing_is_none():
    anchor, row = next(each for each in make_rows("composite.exchange") if len(each[1].edits) == 2)
    made = read_composite(anchor)
    one, _ = row.edits
    text = made.say((exchange(made.captions[0], one)[0], made.captions[1]))
    assert verify(replace(row, text=text), anchor) == "edits_seen"
    assert verify(replace(row, text=anchor.caption), anchor) == "edits_seen"
    assert verify(replace(row, edits=(one,)), anchor) == "edits_seen"
    same = Edit(one.kind, one.target, one.target)
    assert verify(replace(row, text=anchor.caption, edits=(same, same)), anchor) == "edits_seen"


def test_exchanges_of_an_anchor_are_a_world_whose_middle_is_not_the_anchor():
    """As many changes lie between others of a set as between the anchor and the rest."""
    context, anchors = make()
    sample = DOMAIN.families["composite.exchange"].sample
    assert sample is not None
    sets: list[list[frozenset[Edit]]] = []
    for anchor in anchors:
        world = sample(anchor, context.rng("world", anchor.anchor_id), context.settings.exchanges, context)
        sets.append([frozenset(), *(frozenset(draft.edits[::2]) for draft in world)])
    sums = [[sum(len(one ^ other) for other in each) for one in each] for each in sets if len(each) > 2]
    assert len(sums) >= 6
    assert sum(each[0] == min(each) and each.count(min(each)) == 1 for each in sums) <= len(sums) / 4


def test_exchanges_of_one_word_are_not_made_together():
    anchor, row = next(each for each in make_rows("composite.exchange") if len(each[1].edits) == 4)
    assert verify(replace(row, edits=(*row.edits[:2], *row.edits[:2])), anchor) == "edits_seen"
    assert verify(replace(row, edits=row.edits[:3]), anchor) == "edits_seen"


def test_a_charts_row_is_one_that_a_chart_could_have():
    """A box is exchanged wherever it stands, so that sentences follow one another as the anchor's do; nothing leads
    into a start, out of an end or twice the same way."""
    rows = [each for each in make_rows("composite.exchange") if read_composite(each[0]).halves[0].domain == "flowchart"]
    assert rows
    for _, row in rows:
        arrows = read_arrows(row.text or "")
        assert len(set(arrows)) == len(arrows)
        assert all(tail != head and tail != "End" and head != "Start" for tail, head in arrows)
    of_boxes = [each for each in rows if all(edit.kind == "node" for edit in each[1].edits)]
    assert all(count_chains(row.text or "") >= count_chains(anchor.caption) - 1 for anchor, row in of_boxes)


def read_arrows(text: str) -> list[tuple[str, str]]:
    return re.findall(r"points from node (.*?) to node (.*?)(?:\.|(?<=\?))(?= |$)", text)


def count_chains(text: str) -> int:
    """Sentences that begin where the one before them ended."""
    return sum(head == tail for (_, head), (tail, _) in pairwise(read_arrows(text)))


def test_texts_of_which_one_is_true_of_a_half_are_not_false_of_both():
    context, anchors = make()
    for anchor in anchors:
        made = read_composite(anchor)
        assert "is true of" in find_false(Halves(load_domain), made.captions, made, context)


def test_a_true_text_with_the_halves_turned_is_no_negative_where_no_place_is_said():
    context, anchors = make()
    for anchor in anchors:
        made = read_composite(anchor)
        turned = made.say(made.captions, 1 - made.first)
        assert DOMAIN.refutes(turned, anchor, context) is False
    placed = [(anchor, row) for anchor, row in make_rows("composite.order")]
    assert all(DOMAIN.refutes(row.text, anchor, context) is True for anchor, row in placed)


def test_all_readings_of_a_text_without_places_are_asked():
    text = "A dog. A cat. A bird."
    assert [*list_readings(text, BESIDE, split_sentences)] == [
        ("A dog.", "A cat. A bird."),
        ("A cat. A bird.", "A dog."),
        ("A dog. A cat.", "A bird."),
        ("A bird.", "A dog. A cat."),
    ]
    placed = "On the right: A dog. A cat. On the left: A bird."
    assert [*list_readings(placed, BESIDE, split_sentences)] == [("A bird.", "A dog. A cat.")]


@pytest.mark.parametrize("family", FAMILIES)
def test_training_draws_what_the_verifier_accepts(family):
    context, anchors = make()
    drawn = 0
    for anchor in anchors[:5]:
        for draft in DOMAIN.families[family].sample(anchor, np.random.default_rng(3), 2, context):
            drawn += 1
            one = DOMAIN.families[family]
            row = Contrast(anchor.anchor_id, family, one.role, "text", text=draft.text, edits=draft.edits)
            assert verify(row, anchor) == ""
    assert drawn


PHOTOGRAPHS = [
    ["A dog sits on a wooden bench.", "A dog on a bench.", "A brown dog sitting on a bench."],
    ["A cat lies on a red couch.", "A cat on a couch.", "A cat sleeps on a couch."],
    ["A man rides a motorcycle.", "A man on a motorcycle.", "A man riding a motorcycle."],
    ["A woman rides a bicycle.", "A woman on a bicycle.", "A woman riding a bicycle."],
]


@pytest.mark.slow
def test_of_photographs_what_contradicts_both_captions_is_a_row_that_is_not_proved(tmp_path):
    pytest.importorskip("spacy", reason="captions are parsed by an extra: pip install 'counterfoil[text]'")
    rows = []
    for at, captions in enumerate(PHOTOGRAPHS):
        pixels = np.random.default_rng(at).integers(0, 255, (24, 20 + 4 * at, 3), np.uint8)
        Pillow.fromarray(pixels).save(tmp_path / f"{at}.png")
        rows.append(json.dumps({"image": f"{at}.png", "captions": captions}))
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    recipe = {"dataset": {"path": str(tmp_path / "singles"), "workers": 1}}
    section = {"source": f"pairs:{tmp_path / 'rows.jsonl'}", "families": ["unit"], "test_share": 0.0}
    counterfoil.run(recipe | {"caption": section})
    settings = DOMAIN.settings_type(source=f"dataset:{tmp_path / 'singles'}", placed=0.0)
    context = Context(settings, 7, MemoRenderer(), bounds=DOMAIN.bounds)
    found = [row for row in DOMAIN.read(settings, 7, None) if isinstance(row, SourceRow)]
    anchors = [each for row in found for each in make_anchors(DOMAIN, row, context)]
    assert len(anchors) == 2 and all(isinstance(each, Anchor) for each in anchors)
    # The dog goes with the cat, whose places they can take, and the man with the woman.
    family = DOMAIN.families["composite.exchange"]
    made = [(anchor, row) for anchor in anchors for row in make_contrasts([family], anchor, context)]
    kept = [(anchor, row) for anchor, row in made if isinstance(row, Contrast)]
    assert len({anchor.anchor_id for anchor, _ in kept}) == 2
    assert all(row.grade == "contradicts" and family.verify(row, anchor, context).passed for anchor, row in kept)
    anchor = anchors[0]
    assert not verify_of(anchor, context)
    code = json.loads(anchor.code)
    turned = read_composite(replace(anchor, code=json.dumps(code | {"first": 1 - code["first"]}, sort_keys=True)))
    said = turned.say(turned.captions)
    changed = replace(anchor, code=turned.write(), caption=said, captions=(said,))
    assert verify_of(changed, context).startswith("drawn_of_row: ")
    assert verify_of(replace(anchor, source_id="composite-0"), context).startswith("drawn_of_row: ")
    halves = [code["halves"][0] | {"source": "elsewhere"}, code["halves"][1]]
    changed = replace(anchor, code=json.dumps(code | {"halves": halves}, sort_keys=True, ensure_ascii=False))
    assert verify_of(changed, context).startswith("halves_sourced: ")


def verify_of(anchor: Anchor, context: Context) -> str:
    return "; ".join(DOMAIN.verify_anchor(anchor, context).reasons)


def test_an_exchange_whose_place_another_took_away_is_none():
    edit = Edit("noun", "cat", "dog")
    assert Swap(edit, (1, 0)).apply(("A cat and a cat.", "A dog.")) == ("A cat and a dog.", "A cat.")
    assert Swap(edit, (1, 0)).apply(("A cat.", "A dog.")) is None
    assert Swap(edit, (0, 0)).apply(("A cat.", "A bird.")) is None


def test_exchanges_of_one_word_or_of_a_word_in_another_touch_each_other():
    edit = Edit("noun", "cat", "dog")
    assert touch(edit, Edit("noun", "Cat", "bird")) and touch(edit, Edit("noun", "a dog house", "bird"))
    assert not touch(edit, Edit("noun", "horse", "bird"))


def test_a_word_exchanged_for_itself_beside_another_exchange_is_none():
    said = []
    for anchor, row in make_rows("composite.exchange"):
        one, other = (set(re.findall(r"\w+", caption)) for caption in read_composite(anchor).captions)
        said += [(anchor, row, Edit(row.edits[0].kind, word, word)) for word in sorted(one & other)]
    anchor, row, same = next(each for each in said if len(each[1].edits) == 2 and not touch(each[1].edits[0], each[2]))
    assert verify(replace(row, edits=(*row.edits, same, same)), anchor) == "edits_seen"
