"""The family retrieval: what it finds is another anchor's and false of this one, however the anchors are cut."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from counterfoil.storage.rows import Anchor, Contrast, Edit, Reject, View
from counterfoil.tasks.contract.context import Context
from counterfoil.tasks.encoders import EncoderError, load_encoder, load_pair_scorer
from counterfoil.tasks.engine.prepare import prepare_here
from counterfoil.tasks.engine.registry import DOMAIN_MODULES, group_families, load_domain
from counterfoil.tasks.engine.rows import make_anchors, make_contrasts, reason_code
from tests.shared import SHARED
from tests.tasks.encoders.tiny import save_pair_scorer, save_sentences

DOMAIN = load_domain("flowchart")
FAMILY = DOMAIN.families["flowchart.retrieval"]


def open_context(**settings: Any) -> Context[Any]:
    whole = {"source": "procedural:5", "test_share": 0.3, **settings}
    return Context(DOMAIN.settings_type.model_validate(whole), 7, None)  # type: ignore[arg-type]


def retrieve(
    anchors: Sequence[Anchor], shards: Sequence[Sequence[Anchor]] | None = None, **settings: Any
) -> list[Contrast | Reject]:
    context = open_context(**settings)
    assert FAMILY.prepare is not None
    ready = prepare_here(FAMILY.prepare, shards or [anchors], context)
    return [row for anchor in anchors for row in make_contrasts([FAMILY], anchor, ready)]


def count_reasons(rows: Sequence[Contrast | Reject]) -> set[str]:
    return {reason_code(reason) for row in rows if isinstance(row, Reject) for reason in row.reasons}


@pytest.fixture(scope="module")
def anchors() -> list[Anchor]:
    context = open_context()
    rows = list(DOMAIN.read(context.settings, 7, None))
    made = [anchor for row in rows for anchor in make_anchors(DOMAIN, row, context)]
    return [anchor for anchor in made if isinstance(anchor, Anchor)]


@pytest.fixture(scope="module")
def rows(anchors: list[Anchor]) -> list[Contrast | Reject]:
    return retrieve(anchors, retrieval_find="both", retrieval_negatives=2)


def test_every_domain_that_wants_it_has_the_family() -> None:
    domains = [load_domain(name) for name in DOMAIN_MODULES]
    assert [domain.name for domain in domains if not domain.retrieval] == ["composite"]
    for domain in domains:
        assert not domain.retrieval or group_families(domain, [f"{domain.name}.retrieval"])


def test_every_anchor_gets_its_count_of_captions_and_pictures(anchors: list[Anchor], rows: list[Any]) -> None:
    assert len(rows) == 4 * len(anchors)
    assert {row.modality for row in rows} == {"text", "image"}
    assert all("false_of_anchor" in row.checks and row.provenance.model == "hashed-1" for row in rows)


def test_what_is_found_is_of_another_anchor_of_the_split(anchors: list[Anchor], rows: list[Any]) -> None:
    known = {anchor.anchor_id: anchor for anchor in anchors}
    for row in rows:
        own, other = known[row.anchor_id], known[row.edits[0].replacement]
        assert own.split == other.split and own.group != other.group
        assert row.text == other.caption
    assert len({anchor.split for anchor in anchors}) == 2


def test_similarity_and_rank_are_those_of_the_whole_matrix(anchors: list[Anchor]) -> None:
    rows = retrieve(anchors, retrieval_choose="top", retrieval_even=False, retrieval_negatives=3)
    here = [anchor for anchor in anchors if anchor.split == "train"]
    vectors = load_encoder("hashed").encode_texts([anchor.caption or "" for anchor in here]).astype(np.float64)
    scores = vectors @ vectors.T
    for i, anchor in enumerate(here):
        others = [j for j in range(len(here)) if here[j].group != anchor.group]
        best = sorted({round(scores[i, j], 6) for j in others}, reverse=True)
        mine = [row for row in rows if row.anchor_id == anchor.anchor_id and isinstance(row, Contrast)]
        assert mine[0].similarity == pytest.approx(best[0], abs=1e-6)
        assert [row.edits[0].target for row in mine] == ["rank 0", "rank 1", "rank 2"]
        similarities = [row.similarity or 0 for row in mine]
        assert similarities == sorted(similarities, reverse=True)


def test_rows_do_not_depend_on_how_anchors_are_cut_or_ordered(anchors: list[Anchor], rows: list[Any]) -> None:
    shards = [anchors[30:], anchors[:7], anchors[7:30]]
    again = retrieve(anchors, shards, retrieval_find="both", retrieval_negatives=2)
    assert again == rows


def test_at_most_a_third_is_of_the_anchors_own_source_row_unless_there_is_nothing_else(anchors: list[Anchor]) -> None:
    rows_of = {anchor.anchor_id: anchor.source_id for anchor in anchors}

    def count_own(kept: Sequence[Anchor], **settings: Any) -> tuple[int, float]:
        found = [row for row in retrieve(kept, retrieval_negatives=6, **settings) if isinstance(row, Contrast)]
        counts = Counter(row.anchor_id for row in found if rows_of[row.edits[0].replacement] == rows_of[row.anchor_id])
        return max(counts.values(), default=0), len(found) / len(kept)

    train = [anchor for anchor in anchors if anchor.split == "train"]
    assert len({anchor.source_id for anchor in train}) > 1
    assert count_own(train) == (2, 6.0)
    assert count_own(train, retrieval_even=False) == (2, 6.0)
    assert count_own(train, retrieval_same_row=0)[0] == 0
    assert count_own(train, retrieval_same_row=1)[0] > 2
    alone = [anchor for anchor in train if anchor.source_id == train[0].source_id]
    most, each = count_own(alone)
    assert most > 2 and each > 2


def test_a_window_takes_ranks_of_the_window(anchors: list[Anchor]) -> None:
    found = retrieve(anchors, retrieval_choose="window", retrieval_ranks=(5, 12), retrieval_negatives=3)
    ranks = {int(row.edits[0].target.split()[1]) for row in found if isinstance(row, Contrast)}
    assert ranks == set(range(5, 12))


def test_no_caption_serves_much_oftener_than_another(anchors: list[Anchor]) -> None:
    """Some are near to everybody; alone they would be taken by most."""

    def count_most(even: bool) -> int:
        found = retrieve(anchors, retrieval_even=even, retrieval_choose="top", retrieval_negatives=3)
        return max(Counter(row.text for row in found if isinstance(row, Contrast)).values())

    assert count_most(even=True) <= 4 < count_most(even=False)


def test_with_all_captions_each_of_an_anchors_captions_serves_about_as_often(anchors: list[Anchor]) -> None:
    """Those of one length alone would be told from what a loss takes that draws its positives from all."""
    several = [replace(each, captions=(each.caption or "", *_say_otherwise(each))) for each in anchors]
    context = open_context()
    found = retrieve(several, retrieval_texts="captions", retrieval_negatives=3)
    served = Counter(row.text for row in found if isinstance(row, Contrast))
    for anchor in several:
        assert max(served[text] for text in anchor.captions) - min(served[text] for text in anchor.captions) <= 2
    for row in found:
        assert isinstance(row, Contrast)
        other = next(each for each in several if each.anchor_id == row.edits[0].replacement)
        own = next(each for each in several if each.anchor_id == row.anchor_id)
        assert row.text in other.captions
        assert FAMILY.verify(row, own, context).passed


def test_rows_of_all_captions_do_not_depend_on_how_anchors_are_cut(anchors: list[Anchor]) -> None:
    several = [replace(each, captions=(each.caption or "", *_say_otherwise(each))) for each in anchors]
    found = retrieve(several, retrieval_texts="captions", retrieval_negatives=3)
    shards = [several[30:], several[:7], several[7:30]]
    assert retrieve(several, shards, retrieval_texts="captions", retrieval_negatives=3) == found


def test_a_caption_of_what_is_too_near_is_refused_however_far_it_is_itself(anchors: list[Anchor]) -> None:
    several = [replace(each, captions=(each.caption or "", *_say_otherwise(each))) for each in anchors]
    most = 0.4
    near = {
        (row.anchor_id, row.edits[0].replacement)
        for row in retrieve(anchors, retrieval_choose="top", retrieval_negatives=20)
        if isinstance(row, Contrast) and (row.similarity or 0) > most
    }
    found = retrieve(several, retrieval_texts="captions", retrieval_most=most, retrieval_negatives=20)
    taken = {(row.anchor_id, row.edits[0].replacement) for row in found if isinstance(row, Contrast)}
    assert near and taken
    assert not near & taken


def _say_otherwise(anchor: Anchor) -> tuple[str, ...]:
    """The caption's sentences in other orders: true of the chart, in the chart's own words."""
    sentences = [f"{sentence}." for sentence in (anchor.caption or "").rstrip(".").split(". ")]
    turned = " ".join([*sentences[1:], sentences[0]])
    return (turned,) if turned != anchor.caption else ()


def test_a_view_in_another_notation_does_not_move_simans_to_what_is_far(anchors: list[Anchor]) -> None:
    viewed = [replace(each, views=(View("formal", "∀ κ, ξ κ → ζ (κ * κ)"),)) for each in anchors]
    plain, beside = (retrieve(some, retrieval_negatives=3) for some in (anchors, viewed))
    assert [row.text for row in plain if isinstance(row, Contrast)] == [
        row.text for row in beside if isinstance(row, Contrast)
    ]


def test_any_anchor_at_all_is_drawn_as_a_control(anchors: list[Anchor]) -> None:
    def average(choose: str) -> float:
        found = retrieve(anchors, retrieval_choose=choose, retrieval_negatives=3)
        return float(np.mean([row.similarity or 0 for row in found if isinstance(row, Contrast)]))

    assert average("random") < average("simans") < average("top")


def test_a_caption_that_is_true_of_the_anchor_too_is_refused_as_equal_facts(anchors: list[Anchor]) -> None:
    one = next(each for each in anchors if (each.caption or "").count("An arrow") > 1)
    first, *rest = [f"{sentence}." for sentence in (one.caption or "").rstrip(".").split(". ")]
    turned = " ".join([*rest, first])
    twin = replace(one, anchor_id="twin", group="another", caption=turned, captions=(turned,))
    others = [each for each in anchors if each.split == one.split and each.group != one.group]
    found = retrieve([one], [[one, twin, *others]], retrieval_choose="top", retrieval_even=False, retrieval_negatives=3)
    refused = [row for row in found if isinstance(row, Reject) and row.contrast is not None]
    assert [row.contrast.text for row in refused if row.contrast] == [turned]
    assert refused[0].reasons[0].startswith("false_of_anchor: the caption is true of the picture: equal facts")
    assert sum(isinstance(row, Contrast) for row in found) == 3


def test_a_limit_is_kept_before_the_choice_so_that_what_is_further_fills_its_place(anchors: list[Anchor]) -> None:
    found = retrieve(anchors, retrieval_most=0.55, retrieval_negatives=2, retrieval_ranks=(0, 3))
    rows = [row for row in found if isinstance(row, Contrast)]
    assert "too_near" not in count_reasons(found)
    assert max(row.similarity or 0 for row in rows) <= 0.55
    assert max(Counter(row.anchor_id for row in rows).values()) == 2
    assert max(int(row.edits[0].target.split()[1]) for row in rows) > 3, "ranks are told among all neighbours"


def test_an_anchor_with_too_few_under_its_limit_says_so(anchors: list[Anchor]) -> None:
    found = retrieve(anchors, retrieval_most=0.3, retrieval_negatives=3)
    assert count_reasons(found) == {"few_in_reach", "shortfall"}


def test_what_is_shown_neither_is_left_out_or_kept_by_its_distance_and_graded(anchors: list[Anchor]) -> None:
    """To differ from the anchor's caption is not to be false of its chart."""
    one = max(anchors, key=lambda each: len(each.caption or ""))
    sentences = (one.caption or "").split(". ")
    odd = [f"Some say this: {one.caption}", "What a chart: " + ". ".join(sentences[: len(sentences) // 2])]
    unread = [replace(one, anchor_id=f"odd{i}", group=f"odd{i}", caption=text) for i, text in enumerate(odd)]
    corpus = [one, *unread, *(each for each in anchors if each.group != one.group and each.split == one.split)]
    settings = {"retrieval_choose": "top", "retrieval_even": False, "retrieval_negatives": 20}
    dropped = retrieve([one], [corpus], **settings)
    assert {row.grade for row in dropped if isinstance(row, Contrast)} == {"proved"}
    assert "judged" in count_reasons(dropped)
    kept = retrieve([one], [corpus], retrieval_undecided="keep", **settings)
    assert {row.grade for row in kept if isinstance(row, Contrast)} == {"proved", "undecided"}
    undecided = [row for row in kept if isinstance(row, Contrast) and row.grade == "undecided"]
    assert [row.text for row in undecided] == [odd[1]]
    assert not {"judged", "false_of_anchor"} & set(undecided[0].checks)
    assert "too_near" in count_reasons(kept), "the whole caption behind three words is too near to stand unproved"


def test_a_vector_that_cannot_be_compared_costs_its_own_anchor_alone(anchors: list[Anchor], tmp_path: Path) -> None:
    """A real encoder whose weights of one letter, an apostrophe, are not numbers."""
    model = save_sentences(tmp_path / "model")
    weights = next(Path(model).rglob("model.safetensors"))
    tensors = load_file(weights)
    vocabulary = next(Path(model).rglob("tokenizer.json")).read_text(encoding="utf-8")
    letter = json.loads(vocabulary)["model"]["vocab"]["'"]
    tensors["embeddings.word_embeddings.weight"][letter] = float("nan")
    save_file(tensors, weights, metadata={"format": "pt"})
    some = [each for each in anchors if each.split == "train" and "'" not in (each.caption or "")][:12]
    bad = replace(some[3], anchor_id="bad", group="bad", caption="It's a step.", captions=("It's a step.",))
    settings = {"retrieval_choose": "top", "retrieval_even": False, "retrieval_negatives": 3, "retrieval_model": model}
    found = retrieve([*some, bad], **settings)
    assert [row for row in found if row.anchor_id != "bad"] == retrieve(some, **settings)
    told = [reason for row in found if isinstance(row, Reject) and row.anchor_id == "bad" for reason in row.reasons]
    assert told[0] == f"vector_sound: the vector of its text 1 by {model}: 32 of its 32 numbers are not finite"


COCO = SHARED / "data" / "captions" / "coco.jsonl"


@pytest.mark.skipif(not COCO.is_file(), reason=f"{COCO} is not there: captions by five people are not measured")
def test_photographs_get_their_count_under_the_limit_of_their_furthest_caption() -> None:
    domain = load_domain("caption")
    family = domain.families["caption.retrieval"]
    context: Context[Any] = Context(domain.settings_type(), 7, None)  # type: ignore[arg-type]
    rows = [json.loads(line)["captions"] for line in COCO.read_text(encoding="utf-8").splitlines()[:500]]
    photographs = [
        replace(one, captions=tuple(own)) for one, own in zip(make_captions(*map(max, rows)), rows, strict=True)
    ]
    assert family.prepare is not None
    ready = prepare_here(family.prepare, [photographs], context)
    made = [make_contrasts([family], each, ready) for each in photographs[::10]]
    counts = [sum(isinstance(row, Contrast) for row in each) for each in made]
    assert sum(count == 10 for count in counts) >= 0.95 * len(counts)
    assert {row.grade for each in made for row in each if isinstance(row, Contrast)} == {"undecided"}


def make_captions(*captions: str) -> list[Anchor]:
    return [
        Anchor(f"{i}", "caption", "pairs", str(i), "train", caption=text, captions=(text,), group=f"g{i}")
        for i, text in enumerate(captions)
    ]


def test_where_nobody_can_judge_the_nearest_are_kept_out() -> None:
    domain = load_domain("caption")
    family = domain.families["caption.retrieval"]
    context: Context[Any] = Context(domain.settings_type(retrieval_choose="top", retrieval_even=False), 7, None)  # type: ignore[arg-type]
    near, far = "A dog sits on the green grass in a park, barking!", "Two red cars stand in a street."
    anchors = make_captions("A dog sits on the green grass in a park, barking.", near, far)
    assert family.prepare is not None
    ready = prepare_here(family.prepare, [anchors], context)
    found = make_contrasts([family], anchors[0], ready)
    kept = [row for row in found if isinstance(row, Contrast)]
    assert [(row.text, row.grade) for row in kept] == [(far, "undecided")]
    assert not {"judged", "false_of_anchor"} & set(kept[0].checks)


def test_a_cross_encoder_refuses_what_it_takes_for_a_positive(anchors: list[Anchor], tmp_path: Path) -> None:
    judge = save_pair_scorer(tmp_path / "judge")
    some = anchors[:20]
    without = retrieve(some, retrieval_choose="top", retrieval_even=False, retrieval_negatives=3)
    found = retrieve(some, retrieval_choose="top", retrieval_even=False, retrieval_negatives=3, retrieval_judge=judge)
    refused = [row for row in found if isinstance(row, Reject) and "judged_positive" in row.reasons[0]]
    captions = {row.text or "" for row in found if isinstance(row, Contrast) and row.anchor_id == some[0].anchor_id}
    own = some[0].caption or ""
    scorer = load_pair_scorer(judge)
    limit = 0.95 * scorer.score(own, [own])[0]
    assert refused and count_reasons(without) <= count_reasons(found)
    assert captions and all(scorer.score(own, sorted(captions)) <= limit + 1e-5)


def test_a_judge_that_sorts_pairs_is_refused(anchors: list[Anchor], tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match="tells 3 classes apart"):
        retrieve(anchors[:3], retrieval_judge=save_pair_scorer(tmp_path / "sorts", classes=3))


def test_a_judge_that_is_not_there_is_refused_in_a_line(anchors: list[Anchor], tmp_path: Path) -> None:
    with pytest.raises(EncoderError, match=r"cross-encoder .* cannot be loaded"):
        retrieve(anchors[:3], retrieval_judge=str(tmp_path / "nothing"))


MUTATIONS: list[tuple[str, dict[str, Any], str]] = [
    ("its source is not said", {"edits": ()}, "found_elsewhere"),
    ("it is its own", {"edits": "OWN"}, "found_elsewhere"),
    ("no text", {"text": " "}, "has_text"),
    ("the anchor's caption", {"text": "CAPTION"}, "other_words"),
    ("words of no template", {"text": "It is a chart."}, "judged"),
    ("no similarity", {"similarity": None}, "similarity_stated"),
    ("another similarity", {"similarity": 0.123}, "similarity_true"),
]


@pytest.mark.parametrize(("what", "change", "code"), MUTATIONS, ids=[each[0] for each in MUTATIONS])
def test_a_broken_caption_is_caught(
    anchors: list[Anchor], rows: list[Any], what: str, change: dict[str, Any], code: str
) -> None:
    del what
    row = next(each for each in rows if each.modality == "text")
    anchor = next(each for each in anchors if each.anchor_id == row.anchor_id)
    filled = {"CAPTION": anchor.caption, "OWN": (Edit("retrieved", "rank 0", anchor.anchor_id),)}
    change = {key: filled.get(value, value) if isinstance(value, str) else value for key, value in change.items()}
    broken = replace(row, **change)
    verdict = FAMILY.verify(broken, anchor, open_context())
    assert [reason_code(reason) for reason in verdict.reasons] == [code]


def test_a_broken_picture_is_caught(anchors: list[Anchor], rows: list[Any]) -> None:
    row = next(each for each in rows if each.modality == "image")
    anchor = next(each for each in anchors if each.anchor_id == row.anchor_id)
    other = next(each for each in rows if each.modality == "image" and each.text != row.text)
    context = open_context()
    assert FAMILY.verify(row, anchor, context).passed
    own = replace(row, image=anchor.image, vector=anchor.vector, text=anchor.caption)
    codes = {
        code: [reason_code(reason) for reason in FAMILY.verify(broken, anchor, context).reasons]
        for code, broken in {
            "picture_stored": replace(row, image=None),
            "other_picture": own,
            "own_caption_true": replace(row, text=other.text),
            "similarity_true": replace(row, similarity=-0.5),
        }.items()
    }
    assert codes == {code: [code] for code in codes}
    swapped = FAMILY.verify(replace(row, image=other.image), anchor, context)
    assert not swapped.passed


def test_pictures_by_captions_need_a_model_that_compares_them(anchors: list[Anchor]) -> None:
    with pytest.raises(EncoderError, match=r'retrieval_query = "across" compares texts with pictures'):
        retrieve(anchors[:3], retrieval_query="across")


def test_an_empty_window_of_ranks_is_refused() -> None:
    with pytest.raises(ValueError, match="holds no rank"):
        open_context(retrieval_ranks=(5, 5))
